"""What is done in pieces of a large page, as calls of C for all of it hold up other threads, is the same as at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy import extract
from denoise_scrapy.body import words
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


@given(SOUP)
def test_text_without_structure(source: str) -> None:
    markup = source.encode("utf-8", "replace").replace(
        b"&", b""
    )  # of an entity that a tag parts either half may be read
    whole = text_of(markup, "|")
    with pytest.MonkeyPatch.context() as patched:
        in_pieces(patched)
        assert text_of(markup, "|") == whole


@pytest.mark.parametrize(
    "codec", ["utf-8", "gb18030", "big5", "shift_jis", "euc-jp", "iso-2022-jp", "utf-16", "cp1252"]
)
@given(text=st.text(st.sampled_from("ab <é漢字のカ𠀀€"), max_size=40))
def test_decoding(codec: str, text: str) -> None:
    body = text.encode(codec, "ignore")
    whole = decode_html(body, codec), to_utf8(body, codec)
    with pytest.MonkeyPatch.context() as patched:
        in_pieces(patched)
        assert (decode_html(body, codec), to_utf8(body, codec)) == whole


@given(pages())
def test_bodies(source: str) -> None:
    whole = extract(source)
    told = whole.text, whole.html, whole.markdown, whole.probability.tolist()
    with pytest.MonkeyPatch.context() as patched:
        in_pieces(patched)
        body = extract(source)
        assert (body.text, body.html, body.markdown, body.probability.tolist()) == told
