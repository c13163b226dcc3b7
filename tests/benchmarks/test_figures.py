"""Figures are written into the documentation, and held to their bounds."""

import pytest

from benchmarks import kinds, ways
from evaluation import baseline, figures
from evaluation.baseline import Figure
from evaluation.corpora import portal, sections

PAGE = """# Figures

<!-- figures: one -->
{}<!-- end of figures -->

Between.

<!-- figures: two -->

Old.

<!-- end of figures -->
"""


@pytest.mark.parametrize("before", ["", "\n", "\nOld.\n\n", r"\1 \n" + "\n"])
@pytest.mark.parametrize("text", ["New.", r"| \1 |"])
def test_a_section_is_replaced_and_the_rest_is_left(tmp_path, before, text):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(before))
    figures.write("one", f"{text}\n", page)
    assert page.read_text() == PAGE.format(f"\n{text}\n\n")


def test_a_page_without_the_section_is_left(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(PAGE.format(""))
    with pytest.raises(ValueError, match="no section three"):
        figures.write("three", "New.", page)
    assert page.read_text() == PAGE.format("")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({}, ""),
        ({"value": 0.8}, "floor: 0.8 is below the floor 0.9"),
        ({"name": "ceiling", "side": "ceiling", "value": 2.2}, "ceiling: 2.2 is above the ceiling 2, set with numpy 1"),
        ({"name": "ceiling", "side": "ceiling", "value": 2.2, "versions": "numpy 2"}, ""),
        ({"name": "ceiling", "side": "ceiling", "value": 3.2, "versions": "numpy 2"}, "above the ceiling 3"),
        ({"name": "new"}, "new: no floor for this data (1); `make baseline` sets one"),
        ({"corpus": "other pages"}, "floor: no floor for this data"),
        ({"side": "ceiling"}, "floor: no ceiling for this data"),
    ],
)
def test_figures_are_held_to_their_bounds(tmp_path, monkeypatch, change, message):
    monkeypatch.setattr(baseline, "BASELINE", tmp_path / "baseline.json")
    floor = Figure("floor", 1.0, "pages", 0.9)
    baseline.write([floor, Figure("ceiling", 1.0, "pages", 2.0, "ceiling", "numpy 1")])
    if change.get("name") == "ceiling":
        change = {"versions": "numpy 1", **change}
    found = baseline.failures([floor._replace(**change)])
    assert bool(found) == bool(message) and message in "".join(found.values())


def test_all_ways_are_marked_on_all_pages(monkeypatch):
    site = sections(portal())[0][:5]
    monkeypatch.setattr(ways, "peers", lambda: {"all": lambda html: html})
    marks = {name: [] for name in kinds.ways()}
    found = {name: {"news": some} for name, some in marks.items()}
    kinds.measure(site, found, lambda page: kinds.kind_of(page, "portal"))
    assert {len(some) for some in marks.values()} == {len(site)}
    assert kinds.Mark.mean(marks["defaults"]).f1 > 0.8
    assert kinds.Mark.mean(marks["all"]).recall > 0.95 > 0.5 > kinds.Mark.mean(marks["all"]).precision
    rows = kinds.marks_table(found).splitlines()
    assert rows[0] == "| set, or tool | news |" and rows[2] == f"| pages | {len(site)} |"
    assert kinds.Mark.of("", "a") == (0, 0, 0) and kinds.Mark.of("", "") == (1, 1, 1)
    assert kinds.Mark.of("a b c d", "a b") == (2 / 3, 1 / 2, 1.0)
