"""Boxes as Chromium lays pages out, at the right elements of our own parse."""

from collections.abc import Iterator

import numpy as np
import pytest
from scrapy import Request
from scrapy_playwright.page import PageMethod

from tests.crawl.crawling import Crawl
from tests.crawl.web import Reply, Web
from tests.rendered.browser import Seen, render

STYLE = "* { margin: 0; padding: 0; font: 10px/20px monospace } .at { position: absolute }"
RESET = f"<!doctype html><style>{STYLE}</style>"
LAID_OUT = f"""{RESET}<div data-k=page style="width: 600px">
<div data-k=left style="float: left; width: 200px; height: 50px">a</div>
<div data-k=right style="float: right; width: 150px; height: 70px; font-size: 18px">b</div>
<div data-k=below style="clear: both; height: 30px">c</div>
<table cellspacing=0><tr><td data-k=cell1 style="width: 120px; height: 40px">d<td data-k=cell2 style="width: 80px">e
<div data-k=foster style="height: 25px">out of the table</div></table>
<table><div data-k=fostered style="height: 35px">put before its table</div><tr><td>x</table>
<noscript><p data-k=never>no</p><p>script</p></noscript><template><p>t</p></template>
<svg data-k=svg width=60 height=40><g><rect width=10 height=10 /></g></svg>
<iframe data-k=frame style="width: 90px; height: 45px; border: 0" srcdoc="<p>inside</p>"></iframe>
<div data-k=host style="height: 44px"><template shadowrootmode=open><p>shadow</p><slot></slot></template>
<p data-k=slotted style="height: 11px">in the slot</p></div>
<p data-k=nested>a <a href=1>b <a data-k=inner href=2>c</a></a><p><b>d<p data-k=after>e</b> f
<select><option>1<option>2</select><my-tag data-k=custom style="display: block; height: 12px">m</my-tag>
<div data-k=contents style="display: contents"><div data-k=child style="height: 13px">child</div></div></div>"""

HIDDEN = f"""{RESET}<body style="height: 20000px"><h1 data-k=shown>shown</h1>
<p data-k=none style="display: none">x<b data-k=in-none>x</b></p><p data-k=hidden style="visibility: hidden">x
<b data-k=shown-again style="visibility: visible">y</b></p>
<p data-k=clear style="opacity: 0">x<b data-k=in-clear>x</b></p>
<p data-k=left class=at style="left: -9999px">x</p><p data-k=above class=at style="top: -500px">x</p>
<p data-k=hole class=at style="clip: rect(0 0 0 0); overflow: hidden"><b data-k=in-hole>x</b></p>
<div data-k=folded style="height: 0; overflow: hidden"><p data-k=in-folded>x</p></div>
<div style="height: 0"><p data-k=overflows>still shown</p></div>
<details><summary data-k=summary>s</summary><p data-k=in-details>x</p></details>
<header data-k=bar style="position: fixed; top: 5px; height: 30px; width: 100%"><b data-k=in-bar>x</b></header>
<nav data-k=sticky style="position: sticky; top: 0">x</nav>
<p data-k=low class=at style="top: 19000px; left: 40px; width: 100px; height: 20px">low</p>"""


PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\ntrailer<</Root 1 0 R>>\n"
TRUTH = """() => [...document.querySelectorAll("[data-k]")].map((e) => [e.dataset.k, e.getBoundingClientRect()])
    .map(([k, r]) => [k, r.x + scrollX, r.y + scrollY, r.width, r.height])"""


@pytest.fixture(scope="module")
def crawled() -> Iterator[tuple[Crawl, dict[str, Seen]]]:
    web = Web()
    kinds = {"/json": (b'{"a": 1}', "application/json"), "/pdf": (PDF, "application/pdf")}
    web.pages |= {path: Reply(body, headers={"Content-Type": kind}) for path, (body, kind) in kinds.items()}
    saved = {"Content-Type": "text/html", "Content-Disposition": "attachment"}
    web.pages |= {"/laid-out": LAID_OUT, "/hidden": HIDDEN, "/file": Reply(b"<p>saved", headers=saved)}
    truth, scroll = [PageMethod("evaluate", TRUTH)], {"down": PageMethod("evaluate", "scrollTo(0, 15000)")}
    yield render(
        *(
            Request(web(path), meta={"playwright": True, "playwright_page_methods": methods})
            for path, methods in (("/laid-out", truth), ("/hidden", scroll))
        ),
        *map(web, ("/json", "/pdf", "/file")),
    )
    web.close()


def test_every_element_has_the_box_the_browser_tells(crawled: tuple[Crawl, dict[str, Seen]]) -> None:
    page = crawled[1]["/laid-out"]
    (method,) = page.meta["playwright_page_methods"]
    told = {key: tuple(round(value, 1) for value in box) for key, *box in method.result}
    assert len(told) == 18
    for key, box in told.items():
        if key != "contents":
            assert page.box(key) == pytest.approx(box, abs=0.11), key
    assert page.box("left") == (0, 0, 200, 50)
    assert page.box("right") == (450, 0, 150, 70)
    assert page.box("below") == (0, 70, 600, 30)
    assert page.box("cell2")[0] == page.box("cell1")[2]
    assert page.box("fostered")[3] == 35
    assert page.box("frame")[2:] == (90, 45)
    assert page.boxes.font_size[page.number("right")] == 18
    assert page.boxes.page_width == 1280
    tags = page.page.tags()
    assert not np.isnan(page.boxes.x).any()  # of these skipped elements only the outermost is ours
    assert {"noscript", "template", "svg", "iframe", "select"} < set(tags)
    assert not {"rect", "option"} & set(tags)


def test_what_is_hidden_and_what_is_pinned_from_the_page_origin_however_far_it_is_scrolled(
    crawled: tuple[Crawl, dict[str, Seen]],
) -> None:
    page = crawled[1]["/hidden"]
    shown = "shown shown-again overflows summary bar in-bar sticky low".split()
    hidden = "none in-none hidden clear in-clear left above hole in-hole in-folded in-details".split()
    assert [key for key in (*shown, *hidden) if page.boxes.visible[page.number(key)]] == shown
    assert [key for key in shown if page.boxes.pinned[page.number(key)]] == ["bar", "in-bar", "sticky"]
    assert page.box("bar")[1] == 5  # as on the unscrolled page
    assert page.box("low") == (40, 19000, 100, 20)
    assert page.box("shown")[:2] == (0, 0)
    assert page.boxes.page_height == 20000


def test_what_the_server_did_not_send_as_html_has_no_boxes(crawled: tuple[Crawl, dict[str, Seen]]) -> None:
    done, seen = crawled
    with_boxes = {path for path, each in seen.items() if each.page is not None and each.page.boxes is not None}
    assert with_boxes == {"/laid-out", "/hidden"}
    assert done.stat("geometry/attached") == 2
    assert done.stat("errors") == 0
