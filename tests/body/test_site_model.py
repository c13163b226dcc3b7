"""A site model is a value: its bodies say what they rest on, and a saved one makes the same bodies."""

import json
import zlib

import pytest

from denoise_scrapy.body import STRATEGIES, SiteModel, find_strategy
from denoise_scrapy.page import Page
from denoise_scrapy.site import memory
from tests.site.made_sites import LOOSE, page

FACTS_ONLY = [name for name in STRATEGIES if not find_strategy(name).needs_elements]


def facts_of(*numbers):
    return [page(n).facts for n in numbers]


def test_the_whole_text_is_the_last_resort():
    template = "<body><p>All of this is template</p>"
    alone, other = Page.parse(f"{template}<p hidden>But not these words"), Page.parse(f"{template}<p>Other words")
    body = SiteModel([other]).extract(alone, strategy="repetition")
    assert (body.evidence, body.fallback, body.confidence) == ("whole text", "whole text", 0.0)
    assert body.text == "All of this is template\nBut not these words"
    empty = SiteModel(facts_of(1)).extract(Page.parse(""))
    assert (empty.text, empty.evidence, empty.fallback) == ("", "whole text", "whole text")


@pytest.mark.parametrize("strategy", FACTS_ONLY)
def test_a_saved_model_makes_the_same_body(tmp_path, strategy):
    model = SiteModel([page(1), page(2).facts, page(3), page(4, LOOSE)])
    model.save(tmp_path / "model")
    loaded = SiteModel.load(tmp_path / "model")
    for target in (page(9), page(2), page(7, LOOSE)):
        one, other = (m.extract(target, strategy=strategy) for m in (model, loaded))
        assert (one.text, one.confidence, one.evidence) == (other.text, other.confidence, other.evidence)
        assert (one.comparison, one.blocks) == (other.comparison, other.blocks)


ODD = [None, True, "x", -1, 0, 1.5, 10**400, float("nan"), float("inf"), [], [1], [[]], {}, {"x": 1}, "[" * 9999]


def test_a_hostile_model_is_refused_or_read(tmp_path):
    """Whatever stands in it: one class of errors with what to do, never one of Python's later."""
    path, refused = tmp_path / "model", 0
    SiteModel([page(1), page(2)]).save(path)
    head, _, rows = zlib.decompress(path.read_bytes()).partition(b"\n")
    for odd in ODD:
        for key in ("all", "constants", "pages", "page", "url", "length"):
            stored = json.loads(head)
            first = stored["pages"][0]
            if key == "all":
                stored = odd
            elif key == "page":
                stored["pages"][0] = odd
            elif key in {"url", "length"}:
                first[key == "length"] = odd
            else:
                stored[key] = odd
            path.write_bytes(zlib.compress(json.dumps(stored).encode() + b"\n" + rows))
            try:
                model = SiteModel.load(path)
            except ValueError as error:
                refused += 1
                assert str(path) in str(error) and "Fit the model anew" in str(error)  # noqa: PT017 - some are read
            else:
                assert model.extract(page(9)).text
    assert refused > 80


def test_a_model_that_was_cut_or_grows_without_end_is_refused(tmp_path):
    path = tmp_path / "model"
    SiteModel([page(1)]).save(path)
    whole = path.read_bytes()
    content = zlib.decompress(whole)
    bomb = zlib.compressobj(9)
    bombs = b"".join(bomb.compress(bytes(1 << 20)) for _ in range(400)) + bomb.flush()
    damaged = [content[:i] + bytes([content[i] ^ 255]) + content[i + 1 :] for i in range(0, len(content), 53)]
    for data in (whole[:-9], bombs, *map(zlib.compress, [content[:-1], content + b"x", content[:4], b"", *damaged])):
        path.write_bytes(data)
        with pytest.raises(ValueError, match=r"not a readable model of denoise_scrapy.*Fit the model anew"):
            SiteModel.load(path)


def test_a_model_of_another_version_is_refused(tmp_path, monkeypatch):
    SiteModel(facts_of(1)).save(tmp_path / "model")
    monkeypatch.setattr(memory, "FACTS_FORMAT", "999")
    with pytest.raises(ValueError, match="of another version"):
        SiteModel.load(tmp_path / "model")
