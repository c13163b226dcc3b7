"""What is no page, though its server calls it HTML: items pass without a body, are no copies, and commands say so."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.archive.test_records import bomb
from tests.crawl.conftest import Told
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Reply, Web, article, sentence
from tests.page.test_media_types import OTHERS

SOME = ["PDF", "PDF in ASCII", "PNG with texts", "GIF", "MP4", "WOFF", "gzip of a page", "OOXML", "JSON", "JSON lines"]
HTML = {"Content-Type": "text/html; charset=utf-8"}


@pytest.mark.parametrize("workers", [0, 1])
def test_items_of_what_is_no_page_pass_without_a_body(web: Web, workers: int) -> None:
    """Each is served twice: two equal pictures are no copies."""
    web.pages |= {f"/{number}": Reply(OTHERS[name][1], headers=HTML) for number, name in enumerate(SOME * 2)}
    packed = Reply(gzip.compress(OTHERS["PDF"][1]), headers=HTML | {"Content-Encoding": "gzip"})
    web.pages |= {"/packed": packed, **{f"/a/{number}": article(number) for number in range(4)}}
    others = [*map(web, (f"/{number}" for number in range(2 * len(SOME)))), web("/packed")]
    done = crawl(spider_of(*others, *web.urls(range(4))), {"DENOISE_WORKERS": workers})
    bodies = done.bodies()
    assert len(bodies) == len(others) + 4 and not done.dropped
    assert [bodies[url] for url in others] == [None] * len(others)
    for number in range(4):
        assert sentence(number) in bodies[web(f"/a/{number}")]
    assert done.stat("body/none/no_markup") == len(others) and done.stat("body/items") == 4
    assert done.stat("pages/parsed") == 4 and done.stat("errors") == 0
    assert not done.lines("WARNING")


def test_a_crawl_of_documents_has_no_warning(web: Web) -> None:
    web.pages |= {f"/{number}": Reply(OTHERS["PDF"][1], headers=HTML) for number in range(2)}
    done = crawl(spider_of(web("/0"), web("/1")))
    assert len(done.items) == 2 and done.stat("body/none/no_markup") == 2 and not done.lines("WARNING")


def test_a_field_that_holds_something_else_gets_no_text(web: Web) -> None:
    held = [json.dumps({"html": "<p>It rained."}), OTHERS["PDF"][1].decode("latin-1"), f"<p>{sentence(1)}"]

    def parse(self: Any, response: Any) -> Any:
        for number, html in enumerate(held):
            yield {"url": web(f"/{number}"), "content": html}

    web.pages["/all"] = Reply(b"{}", headers={"Content-Type": "application/json"})
    done = crawl(spider_of(web("/all"), parse=parse), {"DENOISE_HTML_FIELD": "content"})
    bodies = [item.get("body") or "" for item in done.items]
    assert bodies == ["", "", sentence(1)] and not done.dropped and done.stat("errors") == 0


def test_texts_that_a_spider_takes_from_json_are_no_reason_for_a_warning(web: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        yield from ({"url": web(f"/{number}"), "body": sentence(number)} for number in range(3))

    web.pages["/all"] = Reply(b"{}", headers={"Content-Type": "application/json"})
    done = crawl(spider_of(web("/all"), parse=parse))
    assert len(done.items) == 3 and done.stat("body/unset/kept") == 3 and done.stat("body/none/no_html") == 0
    assert not done.lines("WARNING") and not done.lines("no HTML")


@pytest.mark.parametrize("name", SOME)
def test_commands_say_what_it_is(here: Path, told: Told, name: str) -> None:
    kind, data = OTHERS[name]
    Path("a.html").write_bytes(data)
    Path("b.html").write_text(article(1))
    if name != "gzip of a page":  # which is read as the page
        out, _ = told("explain a.html -o why.html")
        assert re.search(rf"a\.html: no page but {re.escape(kind)}, which has no body", out)
        assert f"<dd>{kind}</dd>" in Path("why.html").read_text("utf-8")
        assert told("extract a.html", 1)[1].startswith(f"scrapy denoise: a.html: {kind}, neither HTML nor text")
        out, err = told("extract a.html b.html")
        assert len(out.splitlines()) == 1 and f"a.html: no HTML, {kind}\n" in err
        out, _ = told("explain b.html --compare a.html -o why.html")
        assert f"left out: it is no page, but {kind}" in out


def test_a_bomb_is_named(here: Path, told: Told) -> None:
    Path("in").mkdir()
    Path("in/bomb.zip").write_bytes(bomb("a.warc", b"a", 40))
    Path("in/b.html").write_text(article(1))
    out, err = told("extract in")
    assert len(out.splitlines()) == 1
    assert re.search(
        r"/bomb\.zip/a\.warc: too large, it unpacks to .* bytes, far more than its size\n1 page, 1 too large",
        err,
    )
