"""Hostile styles take time in proportion to their size, half a second a megabyte at most, and end no process.

`python -m tests.hostile.styles` reads larger ones.
"""

import threading
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html

from denoise_scrapy import Page, extract
from tests.hostile.styles import BODY, pages, problem, seconds
from tests.processes import run_python

PARTS = 12
SIZE = 20_000  # bytes, and four times as many
SLACK = 0.06  # seconds that a busy machine may add, and that the time of two parses may differ by


@pytest.mark.parametrize("part", range(PARTS))
def test_styles_take_time_in_proportion_to_their_size(part: int) -> None:
    seconds(BODY)  # modules are imported
    for name, make in islice(pages(), part, None, PARTS):
        # what is seen twice is no accident
        assert not (problem(make, SIZE, SLACK) and (why := problem(make, SIZE, SLACK))), f"{name}: {why}"


ENDLESS = """
from denoise_scrapy import extract
for unit in ("-->", "<!--", "<!-- -->", " -->"):
    body = extract(f"<style>{unit * 60_000}{{}}</style><p>It rained all night, and the river rose.")
    assert body.text.startswith("It rained"), body.text
"""


def test_marks_of_comments_in_a_sheet_do_not_overrun_the_stack(tmp_path: Path) -> None:
    done = run_python(tmp_path, ["-c", ENDLESS])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", [etree._Element, etree.ElementBase, html.HtmlElement])
def test_a_root_that_is_no_node_is_an_error(kind: Any) -> None:
    with pytest.raises(ValueError, match="no node of a tree"):
        Page.parse("", root=kind.__new__(kind))


def test_a_tree_that_another_thread_changes_is_read_before_or_after() -> None:
    root = html.fromstring(f"<body>{'<p>It rained.</p>' * 300}</body>")
    over = threading.Event()

    def change() -> None:
        while not over.is_set():
            for each in list(root)[::3]:
                root.remove(each)
                root.append(html.fromstring("<p>It rained.</p>"))

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(200):
            assert {*Page.parse("", root=root).block_texts} == {"It rained."}
    finally:
        over.set()
        changing.join()


def test_what_a_rule_hides_is_hidden_beside_hostile_ones() -> None:
    rules = ".x { display: none }" + "-->" * 3 + ".y { display: none }" + "<style>"
    body = extract(f"<style>{rules}</style>{BODY}<p class=x>one<p class=y>two<p>It rained on Monday, all night long.")
    assert {one.text for one in body.hidden} == {"one", "two"}
