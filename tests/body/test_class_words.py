"""What class names say of a block, against a plain climb over its ancestors."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.class_words import LONGEST, UP, ClassWords, words_of
from denoise_scrapy.page import Page, PathTable
from denoise_scrapy.page.paths import name_code
from tests.html_strategies import SOUP, pages

ODDS = {"menu": -2.0, "side bar": -1.0, "story": 1.5, "text": 0.5, "<p": 0.25, "<footer": -3.0}
WORDS = ClassWords({name_code(word): odds for word, odds in ODDS.items()})
NAMES = st.lists(st.sampled_from(["menu", "sideBar", "story_12", "storyText", "x", "Text-menu", "ad"]), max_size=3)


def climbed(page, block):
    """The rows of a block: every element's own odds, from the block's up."""
    table, path = page.path_table, int(page.elements.paths[page.blocks.element[block]])
    own = []
    while path:
        id_, class_ = table.names(path)
        said = [WORDS.odds.get(code, 0) for code in words_of(table.tags[path], id_, class_)]
        own.append((min([0, *said]), max([0, *said])))
        path = table.parent[path]
    near = sum((low + high) * UP**level for level, (low, high) in enumerate(own))
    lows, highs = zip(*own, strict=True)
    return sum(map(sum, own)), min(lows), max(highs), near


@given(st.lists(st.tuples(st.sampled_from(["div", "p", "footer", "nav"]), NAMES, NAMES), min_size=1, max_size=8))
def test_rows_equal_a_climb(steps):
    html = "".join(f'<{tag} class="{" ".join(class_)}" id="{" ".join(id_)}">Text {tag}.' for tag, class_, id_ in steps)
    page = Page.parse(html)
    rows = WORDS.rows(page)
    for block in range(len(page.blocks)):
        assert rows[:, block].tolist() == pytest.approx(climbed(page, block))


@given(SOUP | pages(), SOUP | pages())
def test_a_table_that_grew_is_read_on(first, second):
    words, table = ClassWords(WORDS.odds), PathTable()
    for html in (first, second, first):
        page, alone = Page.parse(html, paths=table), Page.parse(html)
        assert words.rows(page).tolist() == ClassWords(WORDS.odds).rows(alone).tolist()


def test_threads_share_what_is_known_of_a_table():
    words, table = ClassWords(WORDS.odds), PathTable()
    pages_ = [Page.parse(f"<div class=story>{n * '<p class=menu>A text.'}</div>", paths=table) for n in range(1, 60)]
    expected = [ClassWords(WORDS.odds).rows(page).tolist() for page in pages_]
    with ThreadPoolExecutor(8) as pool:
        assert [rows.tolist() for rows in pool.map(words.rows, pages_)] == expected


def test_names_of_hostile_pages():
    assert len(words_of("div", "", "a" * 200)) == 2
    assert name_code("a" * LONGEST) in words_of("div", "", "a" * 200)
    assert words_of("body", "story", "home") == set()
    assert WORDS.rows(Page.parse("No element.")).shape == (4, 1)
