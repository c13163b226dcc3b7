"""What is left of a kept heading, code or picture and says nothing: permalink signs, buttons that copy, pixels."""

import re

import numpy as np
import pytest

from denoise_scrapy import Body, Page, extract
from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.site import SiteStatistics

URL = "http://a.example/manual.html"
STORY = "<p>The river rose again on Tuesday, and by noon the council had closed the old bridge to all but walkers.</p>"


class AllButCrossed:
    """Keeps all blocks that hold no cross, in doubt those with a question mark."""

    name, comparison_pages, needs_elements = "all but crossed", 0, False

    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        kept = np.array(["✗" not in page.block_text(i) for i in range(len(page.blocks))], bool)
        decision = Decision.of_rule(page, kept, ["crossed or not"] * len(kept))
        decision.probability[["?" in text for text in page.block_texts]] = 0.55
        return decision


def kept_of(source: str, *crossed: str, **selectors: str) -> Body:
    """The body of a page in which some words are crossed."""
    for word in crossed:
        source = source.replace(word, f"✗{word}")
    body = extract(source, URL, strategy=f"{__name__}.AllButCrossed", **selectors)
    assert "\n".join(block.text for block in body.blocks if block.kept) == body.text
    return body


def forms_of(body: Body) -> tuple[str, ...]:
    return body.text, body.html, body.markdown, str(body.chunks())


CODE = "<pre>$ bridge --close</pre>"


@pytest.mark.parametrize("buttons", ["<button>Copy</button>", "<button>Copy link</button><button>Run</button>"])
def test_buttons_that_copy_code_are_lost(buttons: str) -> None:
    body = kept_of(f"<div>{buttons}{CODE}</div>{STORY}")
    assert all("Copy" not in text for text in forms_of(body))
    assert "$ bridge --close" in body.text
    assert "a button beside code" in {block.reason for block in body.blocks if not block.kept}


@pytest.mark.parametrize(
    "page",
    [
        f"<div><button>Bash</button><button>Fish</button></div>{CODE}",  # tabs
        f"<h3><button>Copy</button></h3>{CODE}",
        f"<button>How the bridge is closed</button>{CODE}",
        f"<button>{STORY}<div>Copy</div></button>{CODE}",
    ],
)
def test_what_looks_like_leftovers_stays(page: str) -> None:
    body = kept_of(page + STORY)
    assert all(block.kept for block in body.blocks)
    assert re.findall(r"\w+", body.text) == re.findall(r"\w+", re.sub("<[^>]*>", " ", page + STORY))


LINES = ("import time", "", "time.sleep(3)")
NUMBERED = {
    "cells": "<table><tr><td>1<br>2<br>3</td><td><pre>{0}<br>{1}<br>{2}</pre></td></tr></table>",
    "cells of divs": "<table><tr><td><div>1</div><div>2</div><div>3</div></td><td><div><div><code>{0}</code></div>"
    "<div><code>{1}</code></div><div><code>{2}</code></div></div></td></tr></table>",
    "cells in code": "<pre><code><table><tr><td><pre>8\n9\n10\n</pre></td><td><pre>{0}\n{1}\n{2}\n</pre></td></tr>"
    "</table></code></pre>",
    "a column": "<div><div><span>01</span><span>02</span><span>03</span></div><pre>{0}\n{1}\n{2}</pre></div>",
    "each line": "<pre><i> 9 </i>{0}\n<i>10 </i>{1}\n<i>11 </i>{2}\n</pre>",
    "beside other numbers": "<pre><i>1</i>{0}\n<i>2</i>{1}\n<i>3</i>time.sleep(<b>3</b>)</pre>",
    "each line of code": "<pre><code><b>1</b>{0}<br><b>2</b>{1}<br><b>3</b>{2}</code></pre>",
}


@pytest.mark.parametrize("form", NUMBERED)
def test_numbers_of_the_lines_of_code_are_no_text(form: str) -> None:
    body = kept_of(STORY + NUMBERED[form].format(*LINES) + STORY)
    chunks = "".join(chunk.text for chunk in body.chunks())
    for text in (body.text, re.sub("<[^>]*>", "", body.html), body.markdown, chunks):
        assert "import time" in text
        assert re.findall("[0-9]+", text) == ["3"]


@pytest.mark.parametrize(
    "page",
    [
        "<table><tr><td>1</td><td><code>ls</code></td></tr><tr><td>2</td><td><code>cd</code></td></tr></table>",
        "<pre>1\n2\n3</pre>",
        "<pre><i>1</i>\n<i>2</i></pre>",
        "<pre><i>1</i>: one\n<i>2</i>: two\nthree</pre>",
        "<pre><i>1</i>, 2\n<i>3</i>, 4</pre>",
        "<p>4 7</p><pre>one\ntwo</pre>",
        "<p>1</p><pre>one</pre>",
        "<pre>1 2</pre><pre>3 4</pre>",
        f"<p>{'9' * 5_000} 1</p><pre>one</pre>",  # Python reads no such numbers
        "<pre>one\ntwo</pre><p>1 2</p>",
    ],
)
def test_other_numbers_beside_code_stay(page: str) -> None:
    body = kept_of(f"{STORY}{page}{STORY}")
    wanted = re.findall(r"\w+", re.sub("<[^>]*>", " ", page))
    assert " ".join(wanted) in " ".join(re.findall(r"\w+", body.text))


@pytest.mark.parametrize(
    "link",
    [
        "<i class=mw-editsection>[<a href=/e>edit</a>]</i>",
        "<i class=editsection><b>[</b><a href=/v>Bearbeiten</a> | <a href=/e>Quelltext</a><b>]</b></i>",
        " <a href='#start'><b>top</b></a>",
    ],
)
def test_links_behind_a_heading_that_edit_it_or_lead_to_the_top_are_no_text(link: str) -> None:
    body = kept_of(f"<a id=start></a>{STORY}<h2><span>The bridge</span>{link}</h2>{STORY}")
    assert body.text.splitlines()[1] == "The bridge"
    assert "## The bridge\n" in body.markdown


def test_other_links_in_headings_stay() -> None:
    link = "<a href='?action=edit'>edit</a>"
    page = f"<h2>The <a href='/edit'>edit</a></h2><h3><b>{link} [<i>it]</i></b></h3>{STORY}<p>Or [{link}]</p>"
    for last in ("", "<h4></h4>", f"<h4>{link}</h4>"):
        assert kept_of(page + last).text.splitlines()[:2] == ["The edit", "edit [it]"]


@pytest.mark.parametrize("sign", [*"¶#§🔗◆\uf0c1↩↑^", "↩\ufe0e"])
@pytest.mark.parametrize("address", ["#bridge", "manual.html#bridge", URL + "#bridge"])
@pytest.mark.parametrize("frame", ["<a href='{}'>{}</a>", "<a href='{}'> <span>{}</span></a>"])
def test_a_link_to_its_own_heading_is_no_text(sign: str, address: str, frame: str) -> None:
    link = frame.format(address, sign)
    terms = f"<div>{link}</div><dl><dt>close(){link}<dd>It shuts.</dl>"
    body = kept_of(f"<h2 id=bridge>The bridge {link}</h2>{STORY}{terms}")
    assert all(sign not in text.replace("## ", "") for text in forms_of(body))
    assert body.text.splitlines()[0] == "The bridge"
    assert body.html.startswith("<h2>The bridge</h2>")
    assert body.markdown.startswith("## The bridge\n")
    assert [block.reason for block in body.blocks if not block.kept] == ["a link to its own heading"]


def test_other_signs_and_links_stay() -> None:
    body = kept_of(
        f"<h2>§ 4 <a href='#a'>§ 4</a> <a href='http://b.example/#a'>#</a> <a href='#'>#</a> C#</h2>{STORY}<p>¶</p>"
    )
    assert body.text.splitlines() == ["§ 4 § 4 # # C#", *kept_of(STORY).text.splitlines(), "¶"]


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
