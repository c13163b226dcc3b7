"""`scrapy denoise compare` and `version`."""

import io
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.commands.compare import explained
from denoise_scrapy.commands.inputs import GivenText
from denoise_scrapy.dedup import DuplicateIndex, MemoryStore
from tests.crawl.test_commands import call
from tests.crawl.web import article, story


@pytest.fixture
def two(here: Path) -> tuple[str, str]:
    """A text, and most of it with a new beginning."""
    words = story(1, 8).split()
    (here / "a.txt").write_text(" ".join(words))
    (here / "b.txt").write_text("By our staff. " + " ".join(words[:100]))
    return "a.txt", "b.txt"


SHORTER = st.lists(st.sampled_from("one two three four five six seven eight nine ten the of and".split()), max_size=60)


def test_says_why(two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert call("compare", *two, "--threshold", "0.9") == 0
    out = capsys.readouterr().out
    assert "A is kept, B is new: B is a duplicate of A: c1 is .97; c2 is .97." in out
    assert "B is kept, A is new: A is no duplicate of B: c1 is .84; c2 is .69." in out
    assert "units of B that A lacks: staff\n" in out
    assert "runs of B that A lacks: by our staff " in out
    assert "MinHash bands in common" in out


def test_the_settings_choose_rule_and_threshold(two: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    asked = {"DENOISE_DEDUP_RULE": "patent", "DENOISE_DEDUP_THRESHOLD": 0.9}
    assert call("compare", *two, **asked) == 0
    assert "rule patent, threshold .90" in capsys.readouterr().out
    assert call("compare", *two, "--rule", "part", **asked) == 0
    assert "rule part, threshold .60" in capsys.readouterr().out


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
    assert (judged.one_site and judged.variant != "") == (verdict.variant_of is not None)


FLAT = (
    "Two rooms near the park in {}, bright and quiet, on the second floor. The rent is {} a month, heating included. "
    + story(5)
)


def test_what_makes_a_variant_is_said(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, values in (("a", ("Kiel", 700)), ("b", ("Bonn", 900))):
        Path(f"{name}.txt").write_text("Flats to let by the owner. " + FLAT[:400].format(*values))
    assert call("compare", "a.txt", "b.txt") == 0
    out = capsys.readouterr().out
    assert "; on one site it is a variant, and kept: something else is filled in." in out
    assert "differs      0 + 2 + 0 units of B, 0 + 10 + 0 runs of A: before what both have, between, behind" in out
    for name, city in (("a", "Kiel"), ("b", "Bonn")):
        page = f"<html><title>Rooms in {city}</title><body><article><p>{FLAT.format('town', 1)}</article>"
        Path(f"{name}.html").write_text(page)
    assert call("compare", "a.html", "b.html", "--json") == 0
    found = json.loads(capsys.readouterr().out)["comparisons"]
    assert [(one["duplicate"], one["variant"], one["one_site"]) for one in found] == [
        (True, "another title", False)
    ] * 2


def test_of_html_the_body_is_compared(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("a.html").write_text(article(1))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(("<!-- x -->\n" + article(1)).encode())))
    assert call("compare", "a.html", "-") == 0
    assert "the same words in the same order" in capsys.readouterr().out
    Path("part.txt").write_text(f"<p>{story(1)}</p>")
    assert call("compare", "a.html", "part.txt", "--body", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert "p" not in found["comparisons"][0]["lacking_units"]
