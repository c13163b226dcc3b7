"""The parser's callbacks in C against those in Python: the same page, whatever comes in whatever order."""

import gc
import weakref
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.native import library, switched_off
from denoise_scrapy.page import Page, PathTable
from denoise_scrapy.page.parse import _look, feed, to_utf8
from denoise_scrapy.page.reader import Event, NativeReader, ParsedMarkup, Reader
from example_project.portal.build import build
from tests.html_strategies import SOUP, pages

native = library()
pytestmark = pytest.mark.skipif(native is None, reason="not compiled here")

TAGS = """html head body div p a area img br td th ol source picture span section script noscript svg title meta base
    x-y nav option template é""".split()
ATTRIBUTES = {
    "class": ["", "a", "post-12 wide", "menu", "中", "\ud800"],
    "id": ["", "main", "p7"],
    "role": ["navigation", ""],
    "style": ["", "width: 3px", "DISPLAY:none", "display : none", "height:1px;visibility:hidden", "color:red"],
    "hidden": [""],
    "itemprop": ["name", ""],
    "itemtype": ["http://schema.org/Product https://schema.org/Offer"],
    "href": ["", "/x", "http://a.example/中"],
    "src": ["", "/i.png", "data:image/gif;base64,R0", " "],
    "alt": ["", "A fox"],
    "width": ["", "50", "1" * 40],
    "height": ["2"],
    "srcset": ["/a.jpg 320w, /b.jpg 1024w"],
    "data-srcset": ["/c.jpg"],
    "data-src": ["/d.jpg"],
    "colspan": ["2"],
    "scope": ["row"],
    "start": ["3"],
    "dir": ["rtl", ""],
    "type": ["text/javascript", " Application/LD+JSON", "application/ld+json"],
    "property": ["og:type"],
    "name": ["generator"],
    "content": ["article", "WordPress 6"],
    "é": ["1"],
}
TEXTS = [
    "",
    " ",
    "One ",
    "é",
    "中文",
    "😀",
    "\ud800",
    "\x01",
    "\x02",
    "\x00",
    "Two\n",
    '{"@type": "Article"}',
    "x" * 9000,
]
LETTERS = ["A", "b", "7", "_", "É", "中", "½", "²", "Ab", "ab", "9 ", " 9", "\u200b", "."]

attributes = st.lists(st.sampled_from(sorted(ATTRIBUTES)), unique=True, max_size=5).flatmap(
    lambda names: st.fixed_dictionaries({name: st.sampled_from(ATTRIBUTES[name]) for name in names})
)
starts = st.tuples(st.sampled_from(TAGS), attributes | st.just(MappingProxyType({})))
events = st.lists(starts | st.sampled_from(TEXTS) | st.none(), max_size=60)


def read(reader: Reader | NativeReader, given_events: list[Event]) -> tuple[ParsedMarkup, bool]:
    target = reader.target
    for event in given_events:
        if event is None:
            target.end("")
        elif isinstance(event, str):
            target.data(event)
        else:
            target.start(*event)
    return reader.finish()


def facts(parsed: ParsedMarkup, marks_fit: bool) -> dict[str, object]:
    known = vars(parsed) | {"paths": parsed.paths.tolist(), "declared": parsed.declared.names, "marks_fit": marks_fit}
    del known["picture_source"]
    return known


@settings(deadline=None)
@given(st.lists(events, min_size=1, max_size=3), st.booleans())
def test_events(runs: list[list[Event]], keep_noscript: bool) -> None:
    tables = PathTable(), PathTable()
    for run in runs:  # paths are new at first, and known later
        a = facts(*read(Reader(tables[0], keep_noscript=keep_noscript), run))
        b = facts(*read(NativeReader(native, tables[1], keep_noscript=keep_noscript), run))
        assert a == b
    assert tables[0].tags == tables[1].tags
    assert tables[0].transitions == tables[1].transitions


inline = st.lists(
    st.sampled_from([*LETTERS, *LETTERS, ("a", {}), ("b", {}), ("b", {}), ("code", {}), ("p", {}), ("img", {})])
    | st.none(),
    max_size=60,
)


@settings(deadline=None)
@given(inline)
def test_words_that_meet(run: list[Event]) -> None:
    whole = [("html", {}), *run, *[None] * max(0, sum(isinstance(e, tuple) for e in run) - run.count(None)), None]
    level = 0
    for i, event in enumerate(whole):  # no end too many, for then words are not parted
        level += isinstance(event, tuple) - (event is None)
        if level < 1:
            whole = [*whole[:i], None]
            break
    a, b = read(Reader(PathTable()), whole), read(NativeReader(native, PathTable()), whole)
    assert facts(*a) == facts(*b)
    assert a[1]


@settings(deadline=None)
@given(SOUP | pages())
def test_markup(html: str) -> None:
    tables = PathTable(), PathTable()
    readers = Reader(tables[0]), NativeReader(native, tables[1])
    for reader in readers:
        feed(to_utf8(html), reader.target)
    assert facts(*readers[0].finish()) == facts(*readers[1].finish())


def test_whole_pages() -> None:
    tables = PathTable(), PathTable()
    for html in (
        *(page.html for page in list(build().pages.values())[:40:4]),
        "<noscript>" + "word " * 50,
        "<p>&#1;&#2;x",
    ):
        page = Page.parse(html, paths=tables[0])
        with switched_off():
            expected = Page.parse(html, paths=tables[1])
        for name in ("title", "references", "sizes", "attributes", "declared_types", "noscript_read", "base_url"):
            assert getattr(page, name) == getattr(expected, name)
        assert page.elements.paths.tolist() == expected.elements.paths.tolist()
        assert page.elements.text == expected.elements.text


def test_nothing_is_held_when_a_page_is_read() -> None:
    table = PathTable()
    gc.disable()
    try:
        reader = NativeReader(native, table)
        feed(b"<title>T</title><script type=application/ld+json>{", reader.target)
        page = weakref.ref(reader.finish()[0])
        del reader
        assert page() is None
    finally:
        gc.enable()


def test_callbacks_refuse_what_is_none_of_theirs() -> None:
    reader = NativeReader(native, PathTable())
    target = reader.target
    for call in (
        lambda: target.start("p"),
        lambda: target.start("p", 3),
        lambda: target.data(3),
        lambda: target.start(3, {}),
        lambda: target.start("p", {"class": 3}),
        target.end,
    ):
        with pytest.raises((TypeError, AttributeError)):
            call()
    target.start("p", {4: "x"})
    parsed, _ = reader.finish()
    assert len(parsed.paths) == parsed.text.data.count(b"\x01")
    for call in (lambda: target.start("p", {}), lambda: target.end("p"), lambda: target.data("x"), reader.finish):
        with pytest.raises(TypeError):
            call()


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [b"</body>", b"</html", b"</BODY ", b"</hTmL>", b"</button>", b"</ht", b"</", b"<", b"x" * 4090]
        )
        | st.sampled_from([b"\0", b"\1", b"\r\n", b"\t", b"\x7f", "中".encode()])
        | st.sampled_from([b"&#", b"x", b"X", b"0", b"1", b"9", b"f", b"FFE", b";", b"&"])
        | st.sampled_from(
            [0x80, 0x9F, 0xA0, 0xFDCF, 0xFDD0, 0xFDEF, 0xFDF0, 0xFFFD, 0xFFFE, 0x1FFFD, 0x1FFFE, 0x10FFFF]
        ).flatmap(lambda code: st.sampled_from([chr(code).encode(), f"&#{code}".encode(), f"&#x{code:x};".encode()])),
        max_size=8,
    ).map(b"".join)
)
def test_bytes(html: bytes) -> None:
    assert native.html_look(html, len(html)) == _look(html)
