"""What is done in pieces of a large page, as calls of C for all of it hold up other threads, is the same as at once."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from w3lib.encoding import to_unicode
from webencodings import LABELS

from denoise_scrapy import extract
from denoise_scrapy.body import words
from denoise_scrapy.body.rendering.markdown import escape_text
from denoise_scrapy.body.rendering.render import as_it_is
from denoise_scrapy.body.rendering.render import collapsed as collapsed_inline
from denoise_scrapy.page import marked_text, parse
from denoise_scrapy.page.marked_text import LINE_BREAK, collapsed
from denoise_scrapy.page.parse import decode_html, text_of, to_utf8
from tests.html_strategies import SOUP, pages


def in_pieces(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(marked_text, "SPLIT_AT_ONCE", 5)
    patched.setattr(parse, "DECODED_AT_ONCE", 7)
    patched.setattr(parse, "JOINED_AT_ONCE", 4)
    patched.setattr(words, "AT_ONCE", 2)


@given(st.text(st.sampled_from(f"ab \n\t\u3000{LINE_BREAK}\x01\x02"), max_size=60))
def test_collapsing(text: str) -> None:
    whole = collapsed(text)
    with pytest.MonkeyPatch.context() as patched:
        in_pieces(patched)
        assert collapsed(text) == whole


@given(st.text(st.sampled_from("ab_*&#; \n\r\t\u2003\x0b\x0c\x01\ufffe") | st.characters(), max_size=60))
@pytest.mark.parametrize("step", [collapsed, collapsed_inline, as_it_is, escape_text])
def test_texts(step: Callable[[str], object], text: str) -> None:
    whole = step(text)
    with pytest.MonkeyPatch.context() as patched:
        in_pieces(patched)
        assert step(text) == whole


@given(
    SOUP.map(lambda source: source.encode("utf-8", "replace"))
    | st.lists(
        st.sampled_from([b"<b>", b"<p>", b"&", b"am", b"p;", b"lt", b"#1", b"0", b";", b" ", b"\xc3", b"\xa9", b"\0"])
    ).map(b"".join)
)
def test_text_without_structure(markup: bytes) -> None:
    whole = text_of(markup, "|")
    with pytest.MonkeyPatch.context() as patched:
        in_pieces(patched)
        assert text_of(markup, "|") == whole


# Escapes, leads and trails of the encodings that take several bytes for a character.
ODD_BYTES = st.sampled_from(b"\x1b$(B@J\n\x0e\x0f~09A<\x80\x81\x8e\x8f\xa1\xa4\xd8\xdc\xe3\xfe\xff")
CODECS = sorted({codec for codec in map(parse._codec, LABELS) if codec})


@pytest.mark.parametrize("codec", CODECS)
@given(
    body=st.lists(ODD_BYTES | st.integers(0, 255), max_size=40).map(bytes)
    | st.text(st.sampled_from("ab <é漢字のカ𠀀€"), max_size=40).map(lambda text: text.encode("gb18030")),
    size=st.integers(1, 20),
)
def test_decoding(codec: str, body: bytes, size: int) -> None:
    whole = decode_html(body, codec), to_utf8(body, codec)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parse, "DECODED_AT_ONCE", size)
        assert (decode_html(body, codec), to_utf8(body, codec)) == whole


@pytest.mark.parametrize("codec", CODECS)
@given(text=st.text(st.sampled_from("ab <é漢字のカ𠀀€"), max_size=40), size=st.integers(1, 20))
def test_decoding_what_was_written(codec: str, text: str, size: int) -> None:
    body = text.encode(codec, "ignore")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parse, "DECODED_AT_ONCE", size)
        assert "".join(parse._decoded(body, codec)) == to_unicode(body, codec)


@pytest.mark.parametrize("tail", [b"\x80", b"\x809", b"\x809\x8f", b"\x81", b"\x8130\x81", b"\xff"])
def test_the_end_of_gb18030(tail: bytes) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parse, "DECODED_AT_ONCE", 1)
        assert decode_html(tail, "gb18030") == tail.decode("gb18030", "denoise_euro")


@given(pages())
def test_bodies(source: str) -> None:
    whole = extract(source)
    told = whole.text, whole.html, whole.markdown, whole.probability.tolist()
    with pytest.MonkeyPatch.context() as patched:
        in_pieces(patched)
        body = extract(source)
        assert (body.text, body.html, body.markdown, body.probability.tolist()) == told
