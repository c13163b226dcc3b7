"""What words of names and of texts say of a block, against a climb over its ancestors and loops over its words."""

import pickle
import re
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from denoise_scrapy.core.features import FAMILIES, NAMES, WORDS, View, Vocabulary, text_numbers, words_of
from denoise_scrapy.core.markup import split_name
from denoise_scrapy.core.tree import tree_of
from denoise_scrapy.page import Page

NAME_ODDS = {
    "menu": -2.0,
    "side bar": -1.0,
    "story": 1.5,
    "text": 0.5,
    "<p": 0.25,
    "<footer": -3.0,
    "a": 1.0,
    "a b": 2.0,
    "related": -2.5,
    "terkait": -1.25,
    "relatedgt": 0.75,
}
CLASS_WORDS = {crc32(word.encode()): odds for word, odds in NAME_ODDS.items()}
ASCII_NAMES = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40)
USUAL_NAMES = st.lists(
    st.sampled_from(
        [
            "menu",
            "sideBar",
            "story_12",
            "storyText",
            "x",
            "Text-menu",
            "aD",
            "a",
            "relatedgtm",
            "beritaterkait",
            "menus",
        ]
    ),
    max_size=4,
)
NAMES_OF_ANY_KIND = ASCII_NAMES | USUAL_NAMES.map(" ".join)
#: Words of texts and their odds.
TEXT_ODDS = {"more": -2.0, "read": -1.0, "rain": 1.5, "дождь": 0.5, "大雨": 0.75}
TEXTS = st.lists(st.sampled_from("More read RAIN Дождь the 12 a rain, more-read".split()), min_size=1, max_size=9)


def rows_of(view, family):
    return view.features[[NAMES.index(name) for name in FAMILIES[family].names]]


def literal_names(tag, id_, class_):
    """An element's words, each name of several words, and the tag."""
    if tag in ("html", "body"):
        return set()
    found = {f"<{tag}"}
    for name in f"{class_} {id_}".split():
        words = [word for word in split_name(name).split() if len(word) > 1]
        found |= {*words, " ".join(words)} - {""}
    return found


def literal_words_of(tag, id_, class_):
    return {crc32(word.encode()[:32]) for word in literal_names(tag, id_, class_)}


def literal_odds_of(name):
    """The odds of a name, else of the longest known word of five letters or more that a word begins or ends with."""
    parts = [name]
    if " " not in name:
        parts += [part for size in range(len(name) - 1, 4, -1) for part in (name[:size], name[-size:])]
    return next((NAME_ODDS[part] for part in parts if part in NAME_ODDS), 0)


@given(st.sampled_from(["div", "p", "x-y", "body"]), NAMES_OF_ANY_KIND, NAMES_OF_ANY_KIND)
def test_words_of_names_equal_regular_expressions(tag, class_, id_):
    root = etree.Element(tag)
    root.set("class", class_)
    root.set("id", id_)
    tree = tree_of(root)
    assert words_of(tree, 0) == literal_words_of(*tree.name_of(0)[:3])


def test_words_of_odd_names():
    def codes(names):
        return words_of(Page.parse(f'<div class="{names}">').tree, 2) - {crc32(b"<div")}

    assert codes("a" * 200) == {crc32(b"a" * 32)}
    assert codes("“story” me\u200bnu 菜单–主") == {
        crc32(word.encode()) for word in ["story", "me", "nu", "me nu", "菜单", "主", "菜单 主"]
    }
    assert codes("é" * 101) and codes("x" * 199 + "é") == {crc32(b"x" * 32)}
    with pytest.raises(IndexError):
        words_of(Page.parse("").tree, 0)


def literal_name_odds(tree, block):
    """What the names of a block's element and of all above say: (sum, least, most, near)."""
    element, own = int(tree.block_rows["element"][block]), []
    while element >= 0:
        said = [*map(literal_odds_of, literal_names(*tree.name_of(int(tree.element_rows["token"][element]))[:3]))]
        own.append((min([0, *said]), max([0, *said])))
        element = int(tree.element_rows["parent"][element])
    near = sum((low + high) * 0.5**level for level, (low, high) in enumerate(own))
    lows, highs = zip(*own, strict=True)
    return sum(map(sum, own)), min(lows), max(highs), near


@given(
    st.lists(
        st.tuples(st.sampled_from(["div", "p", "footer", "nav"]), USUAL_NAMES, USUAL_NAMES), min_size=1, max_size=8
    )
)
def test_odds_of_names_equal_a_climb(steps):
    html = "".join(f'<{tag} class="{" ".join(class_)}" id="{" ".join(id_)}">Text {tag}.' for tag, class_, id_ in steps)
    check_names(Page.parse(html))


def check_names(page):
    rows = rows_of(View(page.tree, Vocabulary(CLASS_WORDS)), "class_names")
    for block in range(rows.shape[1]):
        assert rows[:, block].tolist() == pytest.approx(literal_name_odds(page.tree, block), abs=1e-5)


def known_texts():
    odds = np.zeros(WORDS, np.float32)
    for word, value in TEXT_ODDS.items():
        odds[text_numbers(Page.parse(f"<p>{word}").tree)] = value
    return Vocabulary({}, odds)


def literal_text_odds(text):
    found = [word.lower() for word in re.findall(r"\w+", text) if len(word) > 1]
    odds = [TEXT_ODDS.get(word, 0) for word in found]
    return [sum(odds) / (len(odds) + 2), min([0, *odds]), max([0, *odds])]


@given(st.lists(TEXTS.map(" ".join).filter(lambda text: text != "a"), min_size=1, max_size=8))
def test_odds_of_texts_equal_loops_over_words(texts):
    page = Page.parse("".join(f"<p>{text}</p>" for text in texts))
    rows = rows_of(View(page.tree, known_texts()), "text_words")[:3]
    expected = [value for text in texts for value in literal_text_odds(text)]
    assert rows.T.ravel().tolist() == pytest.approx(expected, abs=1e-6)


def test_a_heading_speaks_for_what_follows():
    page = Page.parse("<p>Rain.<h2>Read more</h2><p>The story.<div><h3>More rain</h3></div><p>The end.")
    above = rows_of(View(page.tree, known_texts()), "text_words")[3].tolist()
    assert above == pytest.approx([0, -3 / 4, -3 / 4, -0.5 / 4, -0.5 / 4])


def test_a_vocabulary_survives_its_way_to_another_process():
    known = known_texts()
    again = pickle.loads(pickle.dumps(Vocabulary(CLASS_WORDS, known.text_words)))
    assert again.class_words == CLASS_WORDS and np.array_equal(again.text_words, known.text_words)
    with pytest.raises(ValueError, match="text_words must have the shape"):
        Vocabulary({}, np.zeros(3, np.float32))
