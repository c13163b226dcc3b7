"""Pages that were made to break programs, in sizes that a test can afford."""

from contextlib import nullcontext

import pytest

from denoise_scrapy import DuplicateIndex, Page, extract
from denoise_scrapy.body import STRATEGIES
from tests.hostile.checks import check_page, over_bounds
from tests.hostile.named import CASES, STORY, page_of

#: Of its size: a thousand elements, some ten kilobytes.
SIZE = 0.001
STORY_TEXT = STORY[3:-4]


@pytest.mark.parametrize("name", CASES)
def test_named_case(name):
    html = page_of(name, SIZE)
    found = check_page(html, [html.replace("word", "other").replace("Monday", "Friday"), "<p>Quite another page."])
    assert "the river had risen" in Page.parse(html).block_text(0)
    assert set(found) == {"alone", *STRATEGIES}


@pytest.mark.parametrize(
    "name",
    ["a million elements", "nested and closed", "a million class names", "half characters", "quotes that do not end"],
)
def test_named_case_over_its_bounds(name):
    """The story is in the text, nothing is judged."""
    html = page_of(name, 10 * SIZE)
    with over_bounds():
        body = check_page(html, strategies=["combined"])["combined"]
    assert body.fallback == "too large" and body.text.startswith(STORY_TEXT)


CHARSETS = (
    "utf-8 utf-16 utf-16-be utf-32 utf-7 latin1 windows-1252 cp1250 gb18030 big5 euc-jp shift_jis iso-2022-kr hz "
    "koi8-r hex zip bz2 base64 rot13 uu quopri idna punycode undefined unicode_escape mbcs klingon ../x \x00 é"
).split(" ")
LIE = f"<p>Zażółć gęślą jaźń 中文 😀</p>{STORY}\\x3cscript\\x3e".encode()


@pytest.mark.parametrize("charset", [*CHARSETS, "x" * 5000, ""])
def test_every_charset_lie(charset):
    name = charset.encode()
    check_page(LIE, encoding=charset, explains=False, strategies=["combined"])
    for declared in (
        b"<meta charset='%s'>" % name,
        b"<meta http-equiv=Content-Type content='text/html; charset=%s'>" % name,
        b"<?xml version='1.0' encoding='%s'?>" % name,
    ):
        for mark in (b"", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"):
            assert extract(mark + declared + LIE).text or mark
            Page.parse(mark + declared + LIE, encoding="utf-8")


@pytest.mark.parametrize("charset", ["hex", "idna", "punycode", "undefined", "klingon"])
def test_what_is_no_charset_of_pages_leaves_utf8(charset):
    assert "gęślą" in extract(f"<meta charset={charset}>".encode() + LIE).text
    assert "gęślą" in Page.parse(LIE, encoding=charset).block_text(0)


def test_a_page_in_punycode_takes_no_time():
    """Python's codec takes the square of it: hours."""
    assert Page.parse(b"<meta charset=punycode><p>a-" + b"b1c2" * 500_000).block_texts


def test_halves_of_characters_and_zeros():
    for text in ("\ud800", "\udfff\ud800", "a\x00b", "\x00", "&#0;&#xD800;&#xDFFF;&#1;&#2;&#x1F600;"):
        found = check_page(f"{text}<p title='{text}'>{text} word {text}</p>{STORY}{text}", [text])
        assert "the river had risen" in found["combined"].text
        assert not {"\x00", "\x01", "\x02"} & set(found["combined"].text)
        DuplicateIndex().check_and_add("key", text)


def test_a_page_that_is_one_cell():
    for cell in ("<table><tr><td>{}</table>", "<table><tr><td>{}", "<td>{}</td>", "<table>{}</table>"):
        found = check_page(cell.format(STORY * 3), [cell.format("<p>Another story.</p>")])
        assert all(STORY_TEXT in body.text for body in found.values())


def test_a_base_on_another_host():
    for base in ("http://evil.example/x/", "//evil.example", "javascript:alert(1)//", "data:text/html,", "http://[::1"):
        html = f"<base href='{base}'>{STORY}<a href=a.html>More</a><img src=b.png>"
        page = Page.parse(html, url="http://a.example/")
        assert all(link.startswith(("http://evil.example/", "http://a.example/")) for link in page.links)
        check_page(html)


ADDRESSES = """\
javascript:alert(1)| JaVaScRiPt:alert(1)|java\tscript:alert(1)|java&#10;script:alert(1)|&#1;javascript:x
\0javascript:x|vbscript:x|data:text/html,<script>x</script>|data:text/html;base64,PHNjcmlwdD4=
data:image/svg+xml,<svg onload=x>|//evil.example|http:javascript:x|mailto:x?<script>|javascript&colon;x
https://x' onmouseover='x|http://x" onmouseover="x|http://x/)<script>x</script>|blob:x|file:///etc/passwd
http://x/](javascript:x)|http://x/" onload="x' onload='x""".replace("\n", "|").split("|")


@pytest.mark.parametrize("address", ADDRESSES)
def test_addresses_that_run(address):
    quote = '"' if "'" in address else "'"
    html = "".join(
        f"<p>{STORY_TEXT} <a href={quote}{address}{quote}>{number}</a>"
        f"<img src={quote}{address}{quote} data-src={quote}{address}{quote} srcset={quote}{address} 2x{quote}></p>"
        for number in range(3)
    )
    found = check_page(html, [html.replace("bridge", "school")])
    assert STORY_TEXT in found["alone"].text
    assert not any("javascript" in link.lower().partition("/")[0] for link in Page.parse(html).links)


def test_markup_that_runs():
    html = (
        f"{STORY}<p onclick=x() style='background: url(javascript:x)'>word <b onmouseover='x'>more</b></p>"
        "<script>x</script><svg onload=x><script>x</script></svg><iframe srcdoc='<script>x</script>'></iframe>"
        "<math><a href=javascript:x>m</a></math><p>&lt;script&gt;alert(1)&lt;/script&gt; `<b onclick=x>`</p>"
        "<p>&lt;img src=x onerror=x&gt; <a href='x\"onclick=x'>y</a></p><object data=javascript:x></object>"
        "<form action=javascript:x><button formaction=javascript:x>go on</button></form>"
    )
    for bounds in (over_bounds(), nullcontext()):
        with bounds:
            found = check_page(html * 9)
        assert "<script>alert(1)</script>" in found["alone"].text
        assert "<script" not in found["alone"].html


def test_pages_that_are_all_equal():
    """They are copies of the page, and copies are not compared with: all text stays."""
    html = f"<div>Menu</div><div>{STORY * 3}</div><div>All rights reserved</div>"
    for others in ([html], [html] * 9, [html, html, "<p>Quite another page."]):
        for body in check_page(html, others).values():
            assert STORY_TEXT in body.text


def test_one_other_page_and_a_quite_different_one():
    html = f"<nav><a href=/>Home</a></nav><h1>The bridge</h1>{STORY * 3}"
    others = ["<table><tr><td>1</td></tr></table>", "", "text", "<frameset><frame src=a>", "\x00", "<p>" * 500]
    for other in others:
        assert STORY_TEXT in check_page(html, [other])["combined"].text


@pytest.mark.parametrize("html", ["", " ", "\x00", "<", "<!--", "<!DOCTYPE html>", "<p", "</p>", "<html>", "&", "]]>"])
@pytest.mark.parametrize("kind", [str, bytes])
def test_pages_of_nothing(html, kind):
    check_page(html if kind is str else html.encode(), [html, STORY])
