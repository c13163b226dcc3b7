"""`scrapy denoise compare`."""

import io
import json
import sys
import time
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.exporters import CsvItemExporter

from denoise_scrapy.commands.compare import explained
from denoise_scrapy.commands.inputs import GivenText
from denoise_scrapy.dedup import DuplicateIndex, MemoryStore
from denoise_scrapy.support.shown import beside, numbered, shared
from tests.crawl.conftest import Told
from tests.crawl.web import article, story


@pytest.fixture
def two(here: Path) -> None:
    """A text, and most of it with a new beginning."""
    words = story(1, 8).split()
    (here / "a.txt").write_text(" ".join(words))
    (here / "b.txt").write_text("By our staff. " + " ".join(words[:100]))


@pytest.mark.usefixtures("two")
def test_says_why(told: Told) -> None:
    out, _ = told("compare a.txt b.txt --threshold 0.9")
    assert "B is a near-duplicate of A: c1 is .97; c2 is .97; a copy by " in out
    assert " of B: c1 is .84; c2 is .69; .31 of it is new" in out
    assert "units of B that A lacks: staff\n" in out


@pytest.mark.usefixtures("two")
def test_the_settings_choose_the_rule(told: Told) -> None:
    settings = {"DENOISE_DEDUP_RULE": "patent"}
    assert "rule patent, threshold .80" in told("compare a.txt b.txt", **settings)[0]
    assert "rule part, threshold .60" in told("compare a.txt b.txt --rule part", **settings)[0]


SHORTER = st.lists(st.sampled_from("one two three four five six seven eight nine ten the of and".split()), max_size=60)


@given(
    SHORTER,
    SHORTER,
    st.sampled_from(["part", "near-copy", "patent"]),
    st.sampled_from([0.3, 0.7, 1.0]),
    st.sampled_from(
        [("new", "kept"), ("https://a.example/2", "https://a.example/1"), ("https://b.a.example/1?print=1",) * 2]
    ),
    st.sampled_from([("", ""), ("One two", "Two three"), ("Two three", "")]),
)
def test_the_verdict_is_that_of_an_index(
    a: list[str], b: list[str], rule: str, threshold: float, keys: tuple[str, str], titles: tuple[str, str]
) -> None:
    new, kept = (
        GivenText(" ".join(words), title, key if "//" in key else "")
        for words, title, key in zip((b, a), titles, keys, strict=True)
    )
    judged = explained(new, kept, rule, threshold)
    with DuplicateIndex(threshold, MemoryStore(), rule=rule, search="tree") as index:
        site = "a.example" if new.url else ""
        index.add(keys[1], kept.text, title=kept.title, site=site)
        verdict = index.check(keys[0] + "?2" * (keys[0] == keys[1]), new.text, title=new.title, site=site)
    assert judged.duplicate == verdict.duplicate
    assert ("a variant" in judged.verdict.rpartition("elsewhere")[2]) == (verdict.variant_of is not None)


FLAT = (
    "Two rooms near the park in {}, bright and quiet, on the second floor. The rent is {} a month, heating included. "
    + story(5)
)


def test_what_makes_a_variant_is_said(here: Path, told: Told) -> None:
    for name, values in (("a", ("Kiel", 700)), ("b", ("Bonn", 900))):
        (here / f"{name}.txt").write_text("Flats to let by the owner. " + FLAT[:400].format(*values))
        page = f"<html><title>Rooms in {values[0]}</title><body><article><p>{FLAT.format('town', 1)}</article>"
        (here / f"{name}.html").write_text(page)
    out, _ = told("compare a.txt b.txt")
    assert "B is a variant of A: " in out
    found = json.loads(told("compare a.html b.html --json")[0])["comparisons"]
    verdicts = [(one["duplicate"], one["verdict"], one["why"].rpartition("; ")[2]) for one in found]
    assert verdicts == [(False, "a variant", "another title")] * 2


def test_what_is_added_is_an_update_on_one_site_and_elsewhere_a_text_of_its_own() -> None:
    kept = story(1, 4)
    line = (
        "Since an infection on Monday the ward has been closed, and no further nurse is sought before the clinic opens "
    )
    line += "its doors again in autumn, said its director."
    judged = explained(GivenText(f"{kept} {line}"), GivenText(kept), "part", 0.6)
    assert "an update" in judged.verdict and not judged.duplicate


def test_of_html_the_body_is_compared(here: Path, monkeypatch: pytest.MonkeyPatch, told: Told) -> None:
    (here / "a.html").write_text(article(1))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(("<!-- x -->\n" + article(1)).encode())))
    assert "the same words in the same order" in told("compare a.html -")[0]
    (here / "part.html").write_text(f"<p>{story(1)}</p>")
    found = json.loads(told("compare a.html part.html --json")[0])
    assert "p" not in found["comparisons"][0]["lacking_units"]


def test_what_cannot_be_compared_is_an_error(here: Path, told: Told) -> None:
    (here / "a.jsonl").write_text('{"url": "a", "body": "Rain."}\n')
    (here / "b.jsonl").write_text("{}\n")
    (here / "a.txt").write_text("Rain.")
    assert "another feed only" in told("compare a.jsonl a.txt", 2)[1]
    assert "another feed only" in told("compare a.txt a.jsonl", 2)[1]
    assert "has no field 'url', only none" in told("compare a.jsonl b.jsonl", 1)[1]
    assert "no item has a field 'bdy', only body, url" in told("compare a.jsonl a.jsonl --fields body,bdy", 1)[1]
    (here / "c.json").write_text("[" * 100_000)
    assert "c.json: not JSON" in told("compare a.jsonl c.json", 1)[1]
    (here / "d.json").write_text('{"url": "a"}\n{"url": "b"}\n')
    assert "(JSON lines are named *.jsonl)" in told("compare a.jsonl d.json", 1)[1]


def test_feeds_are_compared_whatever_their_formats(here: Path, told: Told) -> None:
    (here / "a.jsonl").write_text('{"url": "u", "body": "Rain."}\n{"url": "v", "body": "Sun."}\n')
    (here / "b.csv").write_text("url,body\nu,Rain.\nv,Fog.\n")
    (here / "c.json").write_text('[{"url": "u", "body": "Rain."}, {"url": "v", "body": "Sun."}]')
    told("dedup run a.jsonl -o d.parquet")
    for name in ("a.jsonl", "c.json", "d.parquet"):
        assert "1 the same, 1 changed, 0 gone, 0 new" in told(f"compare {name} b.csv")[0]
        assert "2 the same, 0 changed, 0 gone, 0 new" in told(f"compare d.parquet {name}")[0]


def test_values_are_compared_as_cells_of_csv_have_them(here: Path, told: Told) -> None:
    item = {"url": "u", "n": 0, "sure": 0.9, "free": False, "all": ["Ann", "Bo"], "links": [], "by": None, "pages": [1]}
    (here / "a.jsonl").write_text(json.dumps(item) + "\n")
    with (here / "b.csv").open("wb") as feed:
        exporter = CsvItemExporter(feed)
        exporter.export_item(item)
        exporter.finish_exporting()
    assert "1 the same, 0 changed" in told("compare a.jsonl b.csv")[0]
    for name, value in {"n": 1, "sure": 0.8, "free": True, "all": ["Ann"], "by": "Bo"}.items():
        (here / "c.jsonl").write_text(json.dumps({**item, name: value}) + "\n")
        assert f"changed fields: {name} 1" in told("compare b.csv c.jsonl")[0]


def test_objects_are_compared_as_columns_of_parquet_have_them(here: Path, told: Told) -> None:
    item = {"url": "u", "body": "Rain.", "copy": {"of": "é", "score": 1.0}, "mixed": ["a", 1], "n": 3, "by": ""}
    (here / "a.jsonl").write_text(json.dumps(item) + "\n")
    told("dedup run a.jsonl -o b.parquet")
    assert "1 the same, 0 changed" in told("compare a.jsonl b.parquet")[0]
    (here / "c.jsonl").write_text(json.dumps({**item, "copy": {"of": "w", "score": 1.0}, "n": 4}) + "\n")
    assert "changed fields: copy 1, n 1" in told("compare b.parquet c.jsonl")[0]


def test_letters_of_a_list_are_shown_as_they_are(here: Path, told: Told) -> None:
    for name, place in (("a", "Köln"), ("b", "Łódź")):
        (here / f"{name}.jsonl").write_text(json.dumps({"url": "u", "places": [place]}) + "\n")
    assert "'Köln' + 'Łódź'" in told("compare a.jsonl b.jsonl")[0].replace("- ", "")


def test_items_of_one_key_are_compared_beside_one_that_has_their_number(here: Path, told: Told) -> None:
    keys = "u", "u#2", "u", "u"
    (here / "a.jsonl").write_text("".join(json.dumps({"url": key, "n": n}) + "\n" for n, key in enumerate(keys)))
    assert "4 the same, 0 changed, 0 gone, 0 new" in told("compare a.jsonl a.jsonl")[0]


def test_names_are_numbered_beside_any_that_have_numbers() -> None:
    met = Counter[str]()
    names = [*(f"u#{number}" for number in range(5000)), *"uuuu"]
    assert [numbered(name, met) for name in names] == [*names[:5001], "u#5000", "u#5001", "u#5002"]


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_shared_words_are_those_of_difflib(words: list[str], others: list[str]) -> None:
    here, there = shared(words, others)
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    assert here == {place + n for place, _, size in blocks for n in range(size)}
    assert there == {place + n for _, place, size in blocks for n in range(size)}


def test_texts_of_one_word_are_not_aligned_for_minutes() -> None:
    start = time.process_time()
    for text, other in (("a " * 10_000, "a b " * 10_000), ("." * 20_000, ".," * 20_000)):
        assert "<p>" in beside(text, other, 20_000)
        assert beside(text[:1000], other[:2000], 1000).count("</mark>") < 1000
    assert time.process_time() - start < 30  # two on a machine of its own; else hours
