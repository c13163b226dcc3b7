"""What is left of a kept heading, table or picture and says nothing: permalink signs, headers without rows, pixels."""

import re
import time

import numpy as np
import pytest

from denoise_scrapy import Body, Page, extract
from denoise_scrapy.body.rendering import blocks_of_notes
from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.site import SiteStatistics

URL = "http://a.example/manual.html"
STORY = "<p>The river rose again on Tuesday, and by noon the council had closed the old bridge to all but walkers.</p>"


class AllButCrossed:
    """Keeps all blocks that hold no cross."""

    name, comparison_pages, needs_elements = "all but crossed", 0, False

    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        kept = np.array(["✗" not in page.block_text(i) for i in range(len(page.blocks))], bool)
        return Decision.of_rule(page, kept, ["crossed or not"] * len(kept))


def kept_of(source: str, *crossed: str, **selectors: str) -> Body:
    """The body of a page in which some words are crossed."""
    for word in crossed:
        source = source.replace(word, f"✗{word}")
    return extract(source, URL, strategy=f"{__name__}.AllButCrossed", **selectors)


@pytest.mark.parametrize("sign", "¶#§🔗")
@pytest.mark.parametrize("address", ["#bridge", "manual.html#bridge", URL + "#bridge"])
@pytest.mark.parametrize("frame", ["<a href='{}'>{}</a>", "<a href='{}'> <span>{}</span></a>"])
def test_a_link_to_its_own_heading_is_no_text(sign: str, address: str, frame: str) -> None:
    link = frame.format(address, sign)
    body = kept_of(
        f"<h2 id=bridge>The bridge {link}</h2>{STORY}<div>{link}</div><dl><dt>close(){link}<dd>It shuts.</dl>"
    )
    for text in (body.text, body.html, body.markdown, str(body.chunks())):
        assert sign not in text.replace("## ", "")
    assert body.text.splitlines()[0] == "The bridge"
    assert body.html.startswith("<h2>The bridge</h2>")
    assert body.markdown.startswith("## The bridge\n")
    assert "\n".join(block.text for block in body.blocks if block.kept) == body.text
    assert [block.reason for block in body.blocks if not block.kept] == ["a link to its own heading"]


def test_other_signs_and_links_stay() -> None:
    body = kept_of(
        f"<h2>§ 4 <a href='#a'>§ 4</a> <a href='http://b.example/#a'>#</a> <a href='#'>#</a> C#</h2>{STORY}<p>¶</p>"
    )
    assert body.text.splitlines() == ["§ 4 § 4 # # C#", *kept_of(STORY).text.splitlines(), "¶"]


CODE = "<pre>$ bridge --close</pre>"


@pytest.mark.parametrize(
    "page",
    [
        f"<div><button>Copy</button>{CODE}</div>",
        f"<div><div><span>shell</span><button>Copy</button></div>{CODE}</div>",
        f"<button>Copy</button>{CODE}",
    ],
)
def test_the_button_of_a_code_block_is_no_text(page: str) -> None:
    body = kept_of(STORY + page)
    for text in (body.text, body.html, body.markdown, str(body.chunks())):
        assert "Copy" not in text
        assert "$ bridge --close" in text
        assert ("shell" in text) == ("shell" in page)
    assert [block.reason for block in body.blocks if not block.kept] == ["a button beside code"]


@pytest.mark.parametrize(
    "page",
    [
        f"<div><button>Bash</button><button>Fish</button></div>{CODE}",  # tabs
        f"<h3><button>Copy</button></h3>{CODE}",
        f"<button>How the bridge is closed</button>{CODE}",
        f"<button>{STORY}<div>Copy</div></button>{CODE}",
    ],
)
def test_other_buttons_and_lines_beside_code_stay(page: str) -> None:
    assert all(block.kept for block in kept_of(STORY + page).blocks)


TABLE = (
    "<table><caption>Rain</caption><thead><tr><th>City<th>Rain</thead>"
    "<tr><th scope=row>Bergen<td>9 mm<tr><th scope=row>Oslo<td>3 mm</table>"
)


@pytest.mark.parametrize(
    "table", [TABLE, TABLE.replace("<thead>", "").replace("</thead>", ""), TABLE.replace("<th>", "<td>")]
)
def test_a_header_goes_with_the_last_of_its_rows(table: str) -> None:
    body = kept_of(table + STORY, "mm", "Bergen", "Oslo")
    for text in (body.text, body.html, body.markdown):
        assert "City" not in text
        assert "walkers" in text
    assert {block.reason for block in body.blocks if block.text == "City"} == {"a header without a row"}
    one = kept_of(table + STORY, "Bergen", "9 mm")
    assert {"City", "Oslo"} <= set(one.text.splitlines())
    assert "| City | Rain |" in one.markdown or "<td>" in table


def test_headers_stay_where_nothing_says_that_rows_are_lost() -> None:
    assert "City" in kept_of("<table><tr><th>City<th>Rain</table>" + STORY).text  # it has no rows
    column = "<table><tr><th>City<td>Bergen<tr><th>Rain<td>9 mm</table>"
    assert "City" in kept_of(column + STORY, "Bergen", "9 mm").text  # heads its row
    prose = f"<table><tr><th>{STORY * 3}<tr><td>Menu</table>"
    assert "walkers" in kept_of(prose, "Menu").text  # lays out the page
    nested = f"<table><tr><th>News<tr><td>Menu<table><tr><td>{STORY}</table></table>"
    assert "News" in kept_of(nested, "Menu").text
    assert "City" in kept_of(TABLE + STORY, "mm", "Bergen", "Oslo", keep="thead").text
    assert kept_of(TABLE, "mm", "Bergen", "Oslo").text  # there is nothing else


@pytest.mark.parametrize(
    ("size", "written"),
    [
        ("width=1 height=1", False),
        ("width=20 height=20", False),
        ("style='width:16px;height:16px'", False),
        ("width=21 height=20", True),
        ("", True),
    ],
)
def test_pixels_are_no_pictures(size: str, written: bool) -> None:
    body = extract(f"{STORY}<p>The bridge <img src=/a.png {size}> at noon.</p>{STORY}", URL)
    assert ("a.png" in body.html, "a.png" in body.markdown) == (written, written)


NUMBERS = {
    "a cell": "<table><tr><td><div><pre>1\n2\n3</pre></div><td><div><pre>def f():\n    return 4\n5</pre></table>",
    "a cell, one line": "<table><tr><td><pre>7</pre><td><pre>f(4)</pre></table>",
    "in front": "<div><pre><a href=#1>1</a>\n<a href=#2 id=2>2</a></pre></div><pre><code>fn main() {\n}</code></pre>",
    "lines of their own": "<table><tr><td><div>1</div><div>2</div><div>3</div>"
    "<td><div><div><code>def</code> f</div><div>&nbsp;</div><div><code>return</code> f</div></div></table>",
    "before each line": "<pre><code><i>1</i><b>def</b> f():\n<i>2</i>    return f\n<i>3</i>\n<i>4</i>f()</code></pre>",
}
NO_NUMBERS = (
    "<table><tr><td>1<td><code>SIGHUP</code><tr><td>2<td><code>SIGINT</code></table>",  # a table of codes
    "<pre><i>1</i> + <i>1</i>\n<i>2</i> + 2</pre>",  # numbers stand elsewhere too
    "<pre><i>1</i>\n<i>2</i></pre>",  # what a program printed
)


@pytest.mark.parametrize("code", NUMBERS)
def test_line_numbers_are_no_text(code: str) -> None:
    body = kept_of(NUMBERS[code] + STORY)
    for text in (body.text, body.html, body.markdown):
        assert not re.search(r"\b[12]\b(?!</)|\b7\b", text.partition(STORY[3:20])[0])
    assert "\n".join(block.text for block in body.blocks if block.kept) == body.text


@pytest.mark.parametrize("code", NO_NUMBERS)
def test_other_numbers_beside_code_stay(code: str) -> None:
    numbers = re.findall(r"\d+", re.sub("<[^>]*>", " ", code))
    assert re.findall(r"\d+", kept_of(code).text) == numbers


def test_a_note_stays_with_the_text_that_refers_to_it() -> None:
    text = "<p>The bridge was closed<sup><a href=#n id=r>1</a></sup> at noon, and walkers had to take the ferry across."
    note = "<div id=n><p>{} <a href=#r>back</a></div>"
    text = f"{text}<p>It rained all night, and the rain went on until Sunday."
    page = text + note.format("Not to buses.")
    assert "buses" in kept_of(page, "buses").text
    assert "buses" not in kept_of(page, "buses", "bridge").text
    assert "buses" not in kept_of(page, "buses", remove="#n").text
    assert "buses" not in kept_of(page.replace("id=n", "id=n hidden"), "buses").text
    assert "buses" not in kept_of(text + "<p>Not to buses.", "buses").text
    (reason,) = [block.reason for block in kept_of(page, "buses").blocks if "buses" in block.text]
    assert reason == "a note that the text refers to"


def test_notes_take_time_by_the_length_of_the_page() -> None:
    def seconds(count: int) -> float:
        references = "".join(f"<a href=#n{n} id=r{n}>1</a>" for n in range(count))
        notes = "".join(f"<p id=n{n}><a href=#r{(n % 3 - 2) % count}>1</a>a" for n in range(count))
        page = Page.parse(f"<p>It rained.{references}{notes}", url="http://a.example/")
        kept = np.arange(len(page.blocks)) == 0
        start = time.thread_time()
        blocks_of_notes(page, kept)
        return time.thread_time() - start

    few, many = seconds(500), seconds(4_000)
    assert many < 20 * few + 0.05  # 8 times where it is linear, 64 where it is square
