"""Figures are written into the documentation, and held to their bounds."""

import pytest

from benchmarks import __main__ as quality
from benchmarks import ways
from evaluation import baseline, figures
from evaluation.baseline import Figure
from evaluation.corpora import portal

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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": 0.8}, "floor: 0.8 is below the floor 0.9"),
        ({"name": "ceiling", "side": "ceiling", "value": 2.2}, "ceiling: 2.2 is above the ceiling 2, set with numpy 1"),
        ({"name": "ceiling", "side": "ceiling", "value": 2.2, "versions": "numpy 2"}, ""),
        ({"name": "new"}, "new: no floor for this data (1); `make baseline` sets one"),
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


def test_all_settings_are_scored_by_kind(monkeypatch):
    few = [page for page in portal() if "/news/" in page.url or "/forum/" in page.url][::4]
    monkeypatch.setattr(quality, "load", lambda folder, names: [("portal", [few])])
    monkeypatch.setattr(ways, "peers", lambda: {"none": lambda html: ""})
    head, _, pages, *rows = [line.strip("| ").split(" | ") for line in quality.kinds_table(None).splitlines()]
    scores = {name: list(map(float, cells)) for name, *cells in rows}
    assert sum(map(int, pages[1:])) == len(few) and set(head[1:]) == {"news", "forum"}
    assert set(scores) == {f"`{name}`" for name in quality.settings()}
    assert min(scores["`defaults`"]) > 0.7 and max(scores["`none`"]) == 0
