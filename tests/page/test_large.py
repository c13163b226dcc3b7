"""What is done in pieces of a large page, as calls of C for all of it hold up other threads, is the same as at once."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from webencodings import LABELS

from denoise_scrapy import extract
from denoise_scrapy.body.rendering import html
from denoise_scrapy.body.rendering.markdown import escape_text
from denoise_scrapy.body.rendering.render import as_it_is, collapsed
from denoise_scrapy.page import parse
from denoise_scrapy.page.parse import decode_html, to_utf8
from tests.html_strategies import pages


def in_pieces(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(html, "AT_ONCE", 5)
    patched.setattr(parse, "DECODED_AT_ONCE", 7)


ODD_TEXT = st.sampled_from([*"ab_*&#; \n\r\t\u2003\x0b\x0c\x01\ufffe", "&\n", "\r\n", "a_b"]) | st.characters()


@pytest.mark.parametrize("step", [collapsed, as_it_is, escape_text])
@given(text=st.lists(ODD_TEXT, min_size=12, max_size=60).map("".join))
def test_texts(step: Callable[[str], object], text: str) -> None:
    whole = step(text)
    with pytest.MonkeyPatch.context() as patched:
        in_pieces(patched)
        assert step(text) == whole


# Escapes, leads and trails of the encodings that take several bytes for a character.
ODD_BYTES = st.sampled_from(b"\x1b$(B@J\n\x0e\x0f~09A<\x80\x81\x8e\x8f\xa1\xa4\xd8\xdc\xe3\xfe\xff")
CODECS = sorted({codec for codec in map(parse._codec, LABELS) if codec})


def errors_of(codec: str) -> str:
    """What is written for bytes that stand for no character; older versions of w3lib know no euro in GB 18030."""
    return parse._EURO if codec == "gb18030" else "replace"


@pytest.mark.parametrize("codec", CODECS)
@settings(max_examples=max(10, settings.default.max_examples // 10))  # of each codec
@given(
    odd=st.lists(ODD_BYTES | st.integers(0, 255), min_size=20, max_size=40).map(bytes),
    text=st.text(st.sampled_from("ab <é漢字のカ𠀀€"), max_size=40),
    size=st.integers(1, 20),
)
def test_decoding(codec: str, odd: bytes, text: str, size: int) -> None:
    for body in (odd, text.encode(codec, "ignore"), text.encode(codec, "ignore") + odd):
        whole = decode_html(body, codec), to_utf8(body, codec)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(parse, "DECODED_AT_ONCE", size)
            assert (decode_html(body, codec), to_utf8(body, codec)) == whole
            assert "".join(parse._decoded(body, codec)) == body.decode(codec, errors_of(codec))


@given(pages())
def test_bodies(source: str) -> None:
    whole = extract(source)
    told = whole.text, whole.html, whole.markdown, whole.probability.tolist()
    with pytest.MonkeyPatch.context() as patched:
        in_pieces(patched)
        body = extract(source)
        assert (body.text, body.html, body.markdown, body.probability.tolist()) == told
