"""Words and texts of blocks in C against their twins in numpy and Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body.features import announcements, words
from denoise_scrapy.body.features.lexical import NAMES, fill_words
from denoise_scrapy.body.features.words import Words, read_words
from denoise_scrapy.body.strategies.repetition import find_titles
from denoise_scrapy.native import library, switched_off
from denoise_scrapy.native.texts import KnownTexts
from denoise_scrapy.page import Page
from denoise_scrapy.page.marked_text import folding_table
from tests.html_strategies import pages

pytestmark = pytest.mark.skipif(library() is None, reason="the accelerator is not compiled")

#: What announces something, what is folded or parted oddly, and what fills blocks.
PIECES = [
    *("12 Comments", "Related", "by Ann", "posted  on", "3 hours ago", "12:30", "2019", "cookie", "Privacy\n policy"),
    *(
        "your personal\xa0data",
        "ZGODA",
        "隐私",
        "$ 5",
        "12 €",
        "5 uhr",
        "年",
        "says:",
        "İstanbul",
        "ΟΔΟΣ",
        "\U0001f600",
    ),
    *(
        "\ud83d",
        "\ude00",
        "<b>",
        "</b>",
        "<br>",
        "<p>",
        "<pre>",
        "</pre>",
        " ",
        "\t\n",
        "\u200b",
        "\x1c",
        "\x85",
        "the",
    ),
    *(
        "<h2>the story</h2>",
        "<h1>word İ",
        "<h3> b y\tAnn😀</h3>",
        "story",
        "STORY",
        "a",
        "x y z " * 5,
        "word " * 13,
        "word " * 30,
        "<h1>",
        "</h1>",
        "prİvacy",
        "cookİe",
        "&#0;",
    ),
]
marked = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
titles = st.lists(
    st.sampled_from(
        [
            "the",
            " story",
            "İ",
            "word",
            "\U0001f600",
            " by Ann",
            "x" * 600,
            "\U0001f600",
            "x" * 5000 + "<p>cookie " + "y" * 5000,
        ]
    ),
    max_size=4,
).map("".join)
html = st.tuples(titles, st.one_of(marked, pages())).map(lambda parts: f"<title>{parts[0]}</title><body>{parts[1]}")


def forget() -> None:
    announcements.forget_announcements()
    words._known.clear()


@settings(deadline=None, max_examples=300)
@given(html, st.booleans())
def test_words_equal_the_twin(source, again):
    forget()
    page = Page.parse(source)
    found = read_words(page)
    if again:
        found = read_words(page)  # all is known now
    with switched_off():
        expected = read_words(Page.parse(source))
    assert found.bits.tolist() == expected.bits.tolist()
    assert found.title_share.tolist() == expected.title_share.tolist()


@settings(deadline=None, max_examples=300)
@given(html)
def test_titles_equal_the_twin(source):
    found = find_titles(Page.parse(source)).tolist()
    with switched_off():
        assert find_titles(Page.parse(source)).tolist() == found


@settings(deadline=None, max_examples=300)
@given(html, st.randoms(use_true_random=False))
def test_texts_equal_the_twin(source, random):
    page = Page.parse(source)
    wanted = np.array([random.random() < 0.7 for _ in range(len(page.blocks))], bool)
    found = page.text_of(wanted)
    assert found == "\n".join(page.block_texts[i] for i in np.flatnonzero(wanted))
    with switched_off():
        other = Page.parse(source)
        assert other.text_of(wanted) == found
        assert other.block_texts == page.block_texts


def test_what_the_user_removes_is_no_text():
    page = Page.parse("<title>One</title><p>One <b>Related</b></p><p>Two</p>", remove="b")
    assert page.native_address is None
    assert page.text_of(np.array([True, True])) == "One\nTwo"
    assert read_words(page).title_share.tolist() == [1, 0]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 31), st.integers(0, 200)), max_size=60))
def test_rows_equal_the_twin(blocks):
    bits, tokens = np.array([b for b, _ in blocks], np.uint8), np.array([t for _, t in blocks], np.int64)
    found, expected = np.zeros((2, len(NAMES), len(blocks)), np.float32)
    read = Words(bits, np.zeros(len(blocks)))
    fill_words(found, tokens, read)
    with switched_off():
        fill_words(expected, tokens, read)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_texts_are_forgotten_where_there_are_too_many():
    native, known = library(), KnownTexts(8)
    for first in range(0, 30, 5):
        known.learn(native, np.arange(first + 1, first + 6, dtype=np.uint64), np.ones(5, np.uint8))
    assert np.count_nonzero(known._keys) <= 8
    known.learn(native, np.arange(1, 100, dtype=np.uint64), np.ones(99, np.uint8))
    assert np.count_nonzero(known._keys) == 8


def test_texts_that_do_not_fit_are_not_written():
    page = Page.parse("<p>One</p><p>Two</p>")
    page.blocks.start[:] = 0
    page.blocks.end[:] = 10**6
    assert page.text_of(np.array([True, True])) is not None  # by numpy


def test_folding_is_that_of_python():
    table = folding_table()
    single = [code for code in range(3, 1 << 16) if table[code] not in (1, 2, 32)]
    assert all(chr(table[code]) == chr(code).lower() for code in single)
    assert [code for code in range(1 << 16) if table[code] == 1] == [0x130, 0x3A3]
    assert all((table[code] == 32) == chr(code).isspace() for code in range(1 << 16))


def patterns(*sources: str) -> st.SearchStrategy[str]:
    return st.one_of(*(st.from_regex(source) for source in sources))


announced = patterns(
    announcements.COMMENTS.pattern,
    announcements.RELATED.pattern,
    announcements.PRICE.pattern,
    *filter(None, announcements.META.values()),
)


@settings(deadline=None, max_examples=1000)
@given(announced, st.sampled_from(["", "<b>", "\n", "12 ", "User ", "a "]))
def test_what_announces_has_a_hint(text, before):
    forget()
    source = f"<p>{before}{html_text(text)}"
    found = read_words(Page.parse(source)).bits.tolist()
    with switched_off():
        assert read_words(Page.parse(source)).bits.tolist() == found


pieces = st.sampled_from(
    [
        *"0159:_ a-é٣年.",
        "20",
        "19",
        "am",
        "pm",
        "ago",
        "1:30",
        "2019",
        "edited",
        "\U000104a0",
        "İ",
        "\u200b",
        "<b>",
        "\n",
        "更新",
    ]
)


@settings(deadline=None, max_examples=1000)
@given(st.lists(pieces, max_size=7).map("".join))
def test_dates_and_times_equal_the_twin(text):
    forget()
    found = read_words(Page.parse(f"<p>{text}")).bits.tolist()
    with switched_off():
        assert read_words(Page.parse(f"<p>{text}")).bits.tolist() == found


@pytest.mark.parametrize("text", [*announcements.META, *announcements.CONSENT])
def test_literals_are_hints(text):
    for source in (f"<p>{text}", f"<p>See {text} 5", f"<p>5{text} of it"):
        found = read_words(Page.parse(source)).bits.tolist()
        with switched_off():
            assert read_words(Page.parse(source)).bits.tolist() == found


def html_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def test_parts_of_consent_are_in_every_notice():
    assert all(any(part in text for part in announcements.CONSENT_PARTS) for text in announcements.CONSENT)
    assert not any(part.split() != [part] for part in announcements.CONSENT_PARTS)


@settings(deadline=None, max_examples=500)
@given(
    st.lists(st.sampled_from([*"$€£¥₹₽₩元円원 .0५5", "usd", "kr", "zł", "руб", "rs", "eur", "a"]), max_size=8).map(
        "".join
    )
)
def test_a_sign_of_money_is_in_every_price(text):
    if announcements.PRICE.search(text):
        assert any(sign in text for sign in announcements.MONEY)
