"""A site model is a value: it says what it rests on, and a saved one makes the same bodies."""

import json
import struct
import zlib

import numpy as np
import pytest

from denoise_scrapy.body import STRATEGIES, SiteModel
from denoise_scrapy.page import Page
from denoise_scrapy.site import rows
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.rules import Rule
from tests.site.made_sites import LOOSE, page, truth

FACTS_ONLY = [name for name, strategy in STRATEGIES.items() if not strategy.needs_elements]
PIN = LearnedRule(Rule.parse("#main"), cuts=("h1",), pinned=True)


def learned(count):
    template = LearnedTemplate(page(0).signature)
    for n in range(count):
        template = template.learn(page(n), truth(page(n)))
    return template


def facts_of(*numbers):
    return [page(n).facts for n in numbers]


@pytest.mark.parametrize(
    ("model", "evidence", "fallback"),
    [
        (SiteModel.fit(facts_of(1, 2), learned(3)), "site model", ""),
        (SiteModel.fit(facts_of(1, 2), learned(2)), "comparison pages", ""),
        (SiteModel.fit(facts_of(1, 2)), "comparison pages", ""),
        (SiteModel.fit([], learned(9)), "page alone", "page alone"),
        (SiteModel.fit(), "page alone", "page alone"),
        (SiteModel.fit(pinned=PIN), "pinned rule", ""),
        (SiteModel.fit(pinned=LearnedRule(Rule.parse("#nowhere"))), "page alone", "page alone"),
    ],
)
def test_a_body_says_what_it_rests_on(model, evidence, fallback):
    body = model.extract(page(9))
    assert (body.evidence, body.fallback) == (evidence, fallback)
    assert body.text and len(body.probability) == len(body.blocks)
    assert body.probability.tolist() == [block.probability for block in body.blocks]


def test_the_whole_text_is_the_last_resort():
    template = "<body><p>All of this is template</p>"
    alone, other = Page.parse(f"{template}<p hidden>But not these words"), Page.parse(f"{template}<p>Other words")
    body = SiteModel.fit([other], learned(9)).extract(alone, strategy="repetition")
    assert (body.evidence, body.fallback, body.confidence) == ("whole text", "whole text", 0.0)
    assert body.text == "All of this is template\nBut not these words"
    empty = SiteModel.fit(facts_of(1), learned(9), PIN).extract(Page.parse(""))
    assert (empty.text, empty.evidence, empty.fallback) == ("", "whole text", "whole text")


def test_learning_changes_no_body():
    """Until a strategy reads the sums."""
    for strategy in FACTS_ONLY:
        plain = SiteModel.fit(facts_of(1, 2)).extract(page(9), strategy=strategy)
        known = SiteModel.fit(facts_of(1, 2), learned(9)).extract(page(9), strategy=strategy)
        assert (plain.text, plain.confidence) == (known.text, known.confidence)


def test_a_pinned_rule_decides():
    body = SiteModel.fit(facts_of(1, 2), pinned=PIN).extract(page(9))
    assert [block.kept for block in body.blocks] == [False, False, *[True] * 6, True, False]
    assert set(body.probability) == {0.0, 1.0} and body.confidence == 1.0
    assert "Print this page" in body.text and "Title" not in body.text
    assert body.blocks[2].reason == "inside the pinned rule #main"


def test_what_is_hidden_inside_a_pinned_rule_is_left_out():
    own = Page.parse(f"<div id=main><p>{'word ' * 30}<p hidden>{'word ' * 20}<p>***</div><p>Menu")
    body = SiteModel.fit(pinned=LearnedRule(Rule.parse("#main"))).extract(own)
    assert [block.kept for block in body.blocks] == [True, False, True, False]


@pytest.mark.parametrize("strategy", FACTS_ONLY)
def test_a_saved_model_makes_the_same_body(tmp_path, strategy):
    model = SiteModel.fit([page(1), page(2).facts, page(3), page(4, LOOSE)], learned(5))
    model.save(tmp_path / "model")
    loaded = SiteModel.load(tmp_path / "model")
    for target in (page(9), page(2), page(7, LOOSE)):
        one, other = (m.extract(target, strategy=strategy) for m in (model, loaded))
        assert (one.text, one.confidence, one.evidence) == (other.text, other.confidence, other.evidence)
        assert (one.comparison, one.blocks) == (other.comparison, other.blocks)
        shares = [m.statistics.content_share(target) for m in (model, loaded)]
        assert np.array_equal(*shares, equal_nan=True)


def test_a_saved_model_keeps_the_pin_and_may_be_empty(tmp_path):
    for model in (SiteModel.fit(pinned=PIN), SiteModel.fit()):
        model.save(tmp_path / "model")
        loaded = SiteModel.load(str(tmp_path / "model"))
        assert loaded.pinned == model.pinned
        assert loaded.extract(page(9)).text == model.extract(page(9)).text


@pytest.mark.parametrize("content", [b"", b"no model", b"PK\x03\x04 nor this"])
def test_what_is_no_model_is_refused(tmp_path, content):
    path = tmp_path / "model"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="no model of denoise_scrapy"):
        SiteModel.load(path)


def rewritten(path, change):
    """Change what a model file tells; its checksum is right."""
    content = zlib.decompress(path.read_bytes())
    (count,) = struct.unpack("<I", content[:4])
    text, _, blobs = rows.unpack(content[4:], count)
    told = change(json.loads(text))
    path.write_bytes(zlib.compress(struct.pack("<I", len(blobs)) + rows.pack(blobs, json.dumps(told))))


ODD = [None, True, "x", -1, 0, 1.5, 10**400, float("nan"), float("inf"), [], [1], [[]], {}, {"x": 1}, "[" * 9999]


def test_a_hostile_model_is_refused_or_read(tmp_path):
    """Whatever stands in it: one class of errors with what to do, never one of Python's later."""
    path, refused = tmp_path / "model", 0
    for odd in ODD:
        for key in (
            "constants",
            "urls",
            "learned",
            "pinned",
            "pages",
            "example",
            "names",
            "familiarity",
            "votes",
            "vote",
        ):

            def change(told, key=key, odd=odd):
                learned = json.loads(told["learned"])
                if key == "vote":
                    learned["votes"] = [[odd] * 8]
                elif key in learned:
                    learned[key] = odd
                else:
                    return {**told, key: odd}
                return {**told, "learned": json.dumps(learned)}

            SiteModel.fit([page(1), page(2)], learned(5), PIN).save(path)
            rewritten(path, change)
            try:
                model = SiteModel.load(path)
            except ValueError as error:
                refused += 1
                assert str(path) in str(error) and "Fit the model anew" in str(error)
            else:
                assert model.extract(page(9)).text and repr(model.statistics.for_page(page(9)).learned)
    assert refused > 100


def test_a_model_that_was_cut_or_grows_without_end_is_refused(tmp_path):
    path = tmp_path / "model"
    SiteModel.fit([page(1)], learned(5)).save(path)
    whole = path.read_bytes()
    content = zlib.decompress(whole)
    bomb = zlib.compressobj(9)
    bombs = b"".join(bomb.compress(bytes(1 << 20)) for _ in range(400)) + bomb.flush()
    damaged = [content[:i] + bytes([content[i] ^ 255]) + content[i + 1 :] for i in range(0, len(content), 97)]
    hostile = [b"\xff\xff\xff\xff" + content[4:], content[:-1], content[:4], b"", *damaged]
    for data in (whole[:-9], bombs, *map(zlib.compress, hostile)):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"no model of denoise_scrapy that can be read.*Fit the model anew"):
            SiteModel.load(path)


def test_a_model_of_another_version_is_refused(tmp_path, monkeypatch):
    SiteModel.fit(facts_of(1)).save(tmp_path / "model")
    monkeypatch.setattr(rows, "FORMAT", "2")
    with pytest.raises(ValueError, match="of another version"):
        SiteModel.load(tmp_path / "model")


def test_shares_are_unknown_where_nothing_was_learned():
    target = page(9)
    assert np.isnan(SiteModel.fit(facts_of(1)).statistics.content_share(target)).all()
    site = SiteModel.fit(facts_of(1, 2), learned(3)).statistics.for_page(target).first(1)
    assert len(site.pages) == 1
    assert site.content_share(target).tolist() == [0, 0, *[1] * 6, 0, 0]
