"""The bounds of a page: what is over one keeps its text, all others are judged, and no page takes the parser long."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given

from denoise_scrapy import Page, SiteModel, extract
from denoise_scrapy.body import STRATEGIES
from denoise_scrapy.body.explanation import STYLES_LEFT_OUT, explain_page
from denoise_scrapy.body.strategies import lcs
from denoise_scrapy.core.source import is_too_large, text_alone
from denoise_scrapy.core.tree import MAX_BLOCKS, MAX_DEPTH
from denoise_scrapy.page.parse import to_utf8
from tests.hostile.checks import over_bounds
from tests.html_strategies import SOUP, pages
from tests.processes import run_python

HEAD = "<html><head><style>p { color: red }</style></head><body>"
STORIES = [f"Story {number} tells of rain." for number in range(400)]
PAGE = HEAD + "".join(f"<div><p>{text}</p><script>if (a<b) hide('<p>')</script></div>" for text in STORIES)


@pytest.mark.parametrize(
    "large",
    [
        PAGE + "<i>" * 6000,
        PAGE + "<b></b>" * 50_000,
        PAGE + "<br a b c>" * 33_334,
        PAGE + "<div>" * 2_060,
        PAGE + "x<br><br>" * MAX_BLOCKS,
    ],
)
def test_a_page_over_a_bound_is_told_as_such_and_keeps_its_text(large: str) -> None:
    body, page = extract(large), Page.parse(large)
    assert (body.fallback, body.evidence, body.confidence) == ("too large", "whole text", 0.0)
    assert [line for line in body.text.split("\n") if len(line) > 1] == STORIES
    assert set(STORIES[1:-1]) <= {*body.html.split("\n")} & {*body.markdown.split("\n")}
    assert page.is_too_large and page.tags() == ["html", "body", "pre"]
    assert "hide" not in body.text + body.html + body.markdown
    assert body.blocks[0].reason == "too large" and all(block.kept for block in body.blocks)


def test_depth_is_bounded() -> None:
    """libxml2's tree ends at 2,048 levels, and drops what follows: such a page is read as text alone."""
    for levels in (MAX_DEPTH - 2, MAX_DEPTH - 1, 2_040, 3_000, 20_000):  # html and body are two
        page = Page.parse("<div>" * levels + "word")
        assert page.is_too_large == (levels > 2_040)
        assert [text.strip() for text in page.block_texts] == ["word"]
        assert max(page.tree.element_rows["depth"]) <= MAX_DEPTH


HIDDEN = {
    "attribute": "<p hidden>{}</p>",
    "box": "<div style='display: none'><div>a</div>{}</div>",
    "template": "<template><p>{}</p></template>",
    "dialog": "<dialog><p>{}</p></dialog>",
    "select": "<select><option>{}</select>",
}
SHOWN = {
    "quoted": "<p title='a hidden one'>{}</p>",
    "open": "<dialog open>{}</dialog>",
    "no end": "<p hidden><div>{}</div>",
}
DEEP = {"levels": "<div>" * 600, "deeper": "<div>" * 3_000, "open": "<b>" * 6_000, "breaks": "a<wbr>" * 600}


@pytest.mark.parametrize("deep", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("way", [*HIDDEN, *SHOWN])
def test_what_nothing_shows_stays_hidden_however_deep_a_page_is(way: str, deep: str) -> None:
    probe = (HIDDEN | SHOWN)[way].format("A second vote had ended otherwise.")
    body = extract(PAGE + probe + deep)
    assert STORIES[7] in body.text
    assert ("second vote" in body.text) == (way in SHOWN)


# Pages at a bound, and one over it: start tags, open elements, attributes, end tags that end nothing.
AT_BOUNDS: dict[str, tuple[Callable[[int], bytes], int]] = {
    "tags": (lambda n: b"<p>" * n, 50_000),
    "all attributes": (lambda n: b"<p a b c d>" * (n // 4) + b"<p" + b" a" * (n % 4) + b">", 100_000),
    "open": (lambda n: b"<b>" * n + b" " * 20_000, 5000),
    "open and ended": (lambda n: b"<b>" * n + b"</b>" * n + b"<b>" * n, 5000),
    "attributes": (lambda n: b"<p " + b" a=1" * n + b">", 14_142),
    "attributes of many": (lambda n: (b"<p" + b" a" * 2500 + b">") * n + b" " * 20_000, 32),
    "attributes in quotes": (lambda n: b"<p" + b" a = '>' b=\">\" c" * (n // 3) + b" d" * (n % 3) + b">", 14_142),
    "end tags": (lambda n: b"<b>" * 4000 + b"</i>" * n, 50_000),
}


@pytest.mark.parametrize("case", AT_BOUNDS)
def test_bounds_of_the_parser(case: str) -> None:
    make, most = AT_BOUNDS[case]
    assert not is_too_large(make(most))
    assert is_too_large(make(most + 1))


@pytest.mark.parametrize("around", [b"<script>%b</script>", b"<!--%b-->", b'<p title="%b">'])
def test_what_is_no_markup_counts_for_nothing(around: bytes) -> None:
    assert not is_too_large(around % (b"<b>" * 6000))
    assert is_too_large(around % b"x" + b"</script></style>" + b"<b>" * 6000)


def test_bytes_are_bounded() -> None:
    large = PAGE + " " * 50_000_000
    assert extract(large).fallback == "too large"


def test_a_matching_that_takes_too_long_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels of 1,400 nodes have a table of two million cells."""
    monkeypatch.setattr(lcs, "MAX_CELLS", 500_000)
    level = "<p>".join(f"<b>{number}</b>" for number in range(700))
    source = "<div>" * 2 + f"<div>{level}</div>" * 2
    other = Page.parse(source.translate(dict(zip(b"0123456789", "abcdefghij", strict=True))), url="http://a.example/2")
    page = Page.parse(source, url="http://a.example/1")
    fallbacks = {name: SiteModel([other]).extract(page, strategy=name).fallback for name in STRATEGIES}
    assert {name for name, fallback in fallbacks.items() if fallback == "too large"} == {"lcs"}
    assert SiteModel([other]).extract(page, strategy="lcs").text.split() == " ".join(page.block_texts).split()


# ---- text without structure ----


def letters(page: Page) -> Counter[str]:
    return Counter("".join("".join(page.block_texts).split()))


@given(pages())
def test_all_text_of_a_page_without_structure_is_kept(source: str) -> None:
    source = source.replace("noscript", "i").replace("<title>T</title>", "")
    with over_bounds():
        large = Page.parse(source)
    assert letters(large) == letters(Page.parse(source))
    assert large.is_too_large or not large.block_texts


@given(SOUP)
def test_no_text_without_structure_raises_or_has_markup(source: str) -> None:
    found = text_alone(to_utf8(source))
    assert found.startswith(b"<pre>") or not found
    assert found.count(b"<") <= 1
    assert len(found) <= 4 * len(to_utf8(source)) + 5


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (b"a<b>b</b>c<p>d", "abc|d"),
        (b"<p title='>' data-x=\">\">a</p></div>b", "|a|b"),
        (b'<p class=a">it\'s</p><p>"b', "|it's|\"b"),
        (b"<script>x</script >a<STYLE>b</style>c<!-- <p>d --> e", "ac e"),
        (b"a<script>b", "a"),
        ("<p>é</p>中<br/>文".encode(), "|é|中|文"),
    ],
)
def test_text_without_structure(markup: bytes, text: str) -> None:
    assert text_alone(markup) == b"<pre>" + text.replace("|", "\n").encode()


def test_a_title_stays_one() -> None:
    page = text_alone(b"<head><TITLE lang=en>One <b>two</title></head>three<svg><title>four</title></svg>five")
    assert page == b"<title>One &lt;b>two</title><pre>\nthree\nfive"
    assert Page.parse("<title>The fox</title><p>x" + "<i>" * 6000).title == "The fox"
    assert Page.parse("<title>" + "é" * 90_000 + "</title><p>x" + "<i>" * 6000).title == "é" * 1000


MEGABYTE = 1_000_000
UNITS = (
    *("<", "<p",    "<p a='", "<b>", "</b>",  "<div></b>", "<!--", "<!-->", ),
    *("<script>", "<script></script>",  "<a b=\"'", "<style></", "&",  ),
    *("<body a=1>",  "<table><td>",  "<select><option>", "<form>", "<frameset ", ),
)  # fmt: skip


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("before", ["", "<div>" * 500, "<div>" * 2040])
def test_the_parser_ends_on_any_megabyte(unit: str, before: str) -> None:
    """By a megabyte some hundredths of a second; what is compared comes on top, half a second of any page."""
    html = before + unit * (MEGABYTE // len(unit))
    assert Page.parse(html).nbytes


@pytest.mark.parametrize("unit", UNITS)
def test_bounds_are_found_in_ten_megabytes(unit: str) -> None:
    html = (unit * (10 * MEGABYTE // len(unit))).encode()
    assert is_too_large(html) in {True, False}
    assert isinstance(text_alone(html), bytes)


def test_comparisons_of_style_rules_are_bounded() -> None:
    """Of a page that needs more, further elements are judged without its sheets: their text stays."""
    rules = ".y { display: none }" + ".b.c .x { display: none }" * 2900  # no element has both names, many have one
    around = "<div class=c>" + "<div class=b>" * 30
    for elements, is_hidden in ((1, True), (300, False)):
        html = f"<style>{rules}</style>{around}{'<i class=x>rain</i> ' * elements}<p><b class=y>unseen</b> word</p>"
        assert [one.text for one in extract(html).hidden] == ["unseen"] * is_hidden
        assert Page.parse(html).lacks_styles != is_hidden
        assert (STYLES_LEFT_OUT in explain_page(html).html) != is_hidden


# What the memory grows by for sheets of the most bytes that are read, whose blocks stand within each other.
NESTED = """
import resource, sys
from denoise_scrapy import extract
resource.setrlimit(resource.RLIMIT_DATA, (1 << 30, 1 << 30))
extract("<p>rain</p>")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
sheets = "a{" * 150_000, "a b c{" * 50_000, "x" * 150_000 + "{" + "b{" * 75_000, "&{" * 100_000 + "color:red}" * 10_000
for sheet in sheets:
    assert extract("<style>" + sheet + "</style><p>Rain fell all night.").text
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // (1024 if sys.platform == "darwin" else 1))
"""


def test_blocks_within_each_other_take_no_memory(tmp_path: Path) -> None:
    """The selectors of all blocks around one would come to gigabytes."""
    pytest.importorskip("resource", reason="not on Windows")
    done = run_python(tmp_path, ["-c", NESTED])
    assert done.returncode == 0, done.stdout[-2000:]
    assert int(done.stdout) < 100_000  # KB
