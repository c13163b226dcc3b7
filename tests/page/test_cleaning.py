"""What of a page's bytes must be cleaned, by one compiled look: against regexes."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.core.source import (
    EMBEDS,
    ENDS_BREAKS,
    HAS_CONTROLS,
    HAS_DEFINITIONS,
    HAS_FRAMES,
    HAS_LATE,
    HAS_LISTS,
    look,
    without_controls,
)
from denoise_scrapy.page.parse import NOT_WRITTEN, to_utf8

_CONTROLS = bytes(code for code in (*range(0x20), 0x7F) if code not in b"\t\n\r")
_WIDE = re.compile(
    "[\x80-\x9f\ufdd0-\ufdef]|["
    + "".join(chr(p | e) for p in range(0, 1 << 20, 1 << 16) for e in (0xFFFE, 0xFFFF))
    + "\U0010fffe\U0010ffff]"
)
_REFERENCE = re.compile(r"&#(?:([0-9]+)|[xX]([0-9a-fA-F]+))")
_CLOSING = re.compile(rb"</(body|html)", re.IGNORECASE)
_OTHERS = {
    HAS_LISTS: re.compile("<dl", re.IGNORECASE),
    HAS_DEFINITIONS: re.compile("<dd", re.IGNORECASE),
    ENDS_BREAKS: re.compile("</br.", re.IGNORECASE | re.DOTALL),
    HAS_LATE: re.compile(r"--\$\?"),
    HAS_FRAMES: re.compile("<frameset", re.IGNORECASE),
}


def literal_look(text: str) -> int:
    """By bits, whether there are control characters, whether body or html ends more than once, and other markup."""
    body = text.encode()
    ends = [tag.lower() for tag in _CLOSING.findall(body)]
    numbers = (int(decimal) if decimal else int(hexadecimal, 16) for decimal, hexadecimal in _REFERENCE.findall(text))
    has_controls = (
        any(code in body for code in _CONTROLS) or _WIDE.search(text) or any(n in NOT_WRITTEN for n in numbers)
    )
    embeds = ends.count(b"body") > 1 or ends.count(b"html") > 1
    others = sum(bit for bit, pattern in _OTHERS.items() if pattern.search(text))
    return HAS_CONTROLS * bool(has_controls) | EMBEDS * embeds | others


def literal_without_controls(text: str) -> str:
    """With a space for each control character; then references to any are replaced."""

    def shown(found: re.Match[str]) -> str:
        code = int(found[1]) if found[1] else int(found[2], 16)
        char = unescape(f"&#{code};")
        return found[0] if code not in NOT_WRITTEN else char if char.isprintable() and char else " "

    text = _WIDE.sub(" ", text.translate(dict.fromkeys(_CONTROLS, " ")))
    return re.sub(f"{_REFERENCE.pattern};?", shown, text)


EDGES = (0x7F, 0x80, 0x9F, 0xA0, 0xFDCF, 0xFDD0, 0xFDEF, 0xFDF0, 0xFFFD, 0xFFFE, 0x1FFFD, 0x1FFFE, 0x3FFFF, 0x10FFFF)
PIECES = st.one_of(
    st.integers(1, 70).map("x".__mul__),  # the look takes 64 bytes at a time
    st.sampled_from(
        [
            "</body>",
            "</html",
            "</BODY ",
            "</hTmL>",
            "</button>",
            "</ht",
            "<frameset",
            "<FrameSet>",
            "<frames",
            "</",
            "<",
            "<dl>",
            "<dl",
            "<d",
            "<DL",
            "<dd>",
            "<DD",
            "</br>",
            "</BR ",
            "<!--$?-->",
            "--$",
            "?",
            "x" * 4090,
            "中",
            "\r\n",
        ]
    ),
    st.sampled_from(
        ["\0", "\1", "\t", "\x0b", "\x1f", "&#", "x", "X", "0", "1", "9", "13", "f", "FFE", ";", "&", "&#00"]
    ),
    st.sampled_from(EDGES).flatmap(
        lambda code: st.sampled_from([chr(code), f"&#{code}", f"&#x{code:x};", f"&#0{code}1"])
    ),
)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_one_look_finds_what_regexes_find(text: str) -> None:
    assert look(text.encode()) == literal_look(text)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_controls_are_replaced_as_by_regexes(text: str) -> None:
    assert without_controls(text.encode()).decode() == literal_without_controls(text)


@given(st.lists(PIECES, max_size=8).map("".join))
def test_what_is_cleaned_is_clean(text: str) -> None:
    assert not look(to_utf8(text)) & HAS_CONTROLS
    if not look(text.encode()):
        assert to_utf8(text) == text.encode()


@pytest.mark.parametrize(
    "body", [b"", b"&#", b"&#x", b"</", b"<", b"\xc2", b"\xef\xbf", b"\xf0\x9f\xbf", b"</bod", b"&"]
)
def test_what_is_cut_is_read_to_its_end(body: bytes) -> None:
    assert look(body) == 0 and without_controls(body) == body


def test_references_to_controls_are_what_browsers_take_them_for() -> None:
    assert to_utf8("&#128;&#x80 &#7;&#13;&#x2F;") == "\u20ac\u20ac   &#x2F;".encode()


def test_markup_of_old_sites_is_read_as_browsers_show_it() -> None:
    assert to_utf8("One</br>two</BR >three") == b"One<br>two<br>three"
    assert to_utf8("<dd>One.</dd><DD>Two.") == b"<p>One.</p><p>Two."
    of_a_list = "<dl><dt>Term<dd>What it is.</dl>"
    assert to_utf8(of_a_list) == of_a_list.encode()
