"""Title, language and date of publication: given where a field is named for them, and never at the cost of a body."""

import gc
import random
from typing import Any

import pytest
import scrapy

from denoise_scrapy.metadata.annotations import MAX_HTML
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Reply, Web

FIELDS = {"DENOISE_FIELDS": {"title": "title", "lang": "lang", "published": "published"}}
WORDS = """
der Fluss stieg in Nacht weiter an und gegen Mittag sperrte die Stadt eine alte Brücke für Fußgänger nicht aber
Radfahrer wurden über das neue Ufer geleitet weil dort noch niemand wusste wann es wieder trocken sein würde
""".split()


def german(number: int, head: str = "", more: str = "") -> str:
    chance = random.Random(number)
    text = "".join(f"<p>{' '.join(chance.choices(WORDS, k=24))}, hieß es.</p>" for _ in range(8))
    return (
        f'<html lang="de-AT"><head><meta charset=utf-8><title>Brücke {number} gesperrt - Der Bote</title>{head}</head>'
        f"<body><div>Der Bote Start Sport</div><div class=main>{text}{more}</div><div>Impressum</div></body></html>"
    )


def dated(day: int) -> str:
    return f'<meta property="article:published_time" content="2024-05-{day:02}">'


@pytest.fixture
def stories(web: Web) -> list[str]:
    for n in range(1, 4):
        web.pages[f"/a/{n}"] = german(n, dated(n))
    return [web(f"/a/{n}") for n in range(1, 4)]


def test_an_item_gets_all_that_its_page_says_of_itself(web: Web) -> None:
    metas = (
        '<meta name=author content="Ann Reed"><meta name=description content="Kein Weg.">'
        '<meta name=keywords content="a, b"><meta property="og:site_name" content="Bote">'
        '<meta property="og:image" content="/b.jpg"><link rel=canonical href=/c>'
        '<meta property="article:modified_time" content="2024-05-02T08:00Z">'
    )
    web.pages["/a"] = german(1, dated(1) + metas)
    told = {
        "author": ["Ann Reed"],
        "description": "Kein Weg.",
        "site_name": "Bote",
        "tags": ["a", "b"],
        "lang": "de",
        "published": "2024-05-01",
        "modified": "2024-05-02T08:00:00+00:00",
        "image": web("/b.jpg"),
        "canonical": web("/c"),
    }
    done = crawl(spider_of(web("/a")), {"DENOISE_FIELDS": {name: name for name in (*told, "meta")}})
    item = done.items[0]
    assert {name: item[name] for name in told} == told
    assert item["meta"]["authors"] == ("Ann Reed",)
    assert item["meta"]["title"].startswith("Brücke 1 gesperrt")
    assert done.stat("meta/published") == done.stat("meta/lang") == 1
    assert done.stat("errors") == 0
    assert not done.lines(" WARNING ") + done.lines(" ERROR ")


def test_metadata_is_in_the_charset_that_the_server_names(web: Web) -> None:
    html = german(1, "<meta name=author content='Анна Река'>").replace("<meta charset=utf-8>", "")
    body = html.encode("koi8-r", "xmlcharrefreplace")
    web.pages["/a"] = Reply(body, headers={"Content-Type": "text/html; charset=koi8-r"})
    done = crawl(spider_of(web("/a")), {"DENOISE_FIELDS": {"author": "author"}})
    assert done.items[0]["author"] == ["Анна Река"]


def test_dates_are_not_looked_for_in_huge_pages(web: Web) -> None:
    web.pages["/huge"] = german(1, dated(1) + f"<!--{'x' * MAX_HTML}-->")
    done = crawl(spider_of(web("/huge")), FIELDS)
    assert len(done.items) == 1
    assert all(item["published"] == "" and item["lang"] and item["body"] for item in done.items)
    assert done.stat("meta/too_large") == 1


@pytest.mark.parametrize(("kept", "published"), [(True, "2024-05-01"), (False, "")])
def test_an_item_of_a_page_that_has_gone_has_no_date(kept: bool, published: str, web: Web) -> None:
    web.pages["/from"], web.pages["/to"] = german(1, dated(1)), german(2, dated(2))
    held = []

    def parse(self: Any, response: Any) -> Any:
        if kept:
            held.append(response)
        yield scrapy.Request(web("/to"), self.parse_to, cb_kwargs={"item": {"url": response.url}})

    def parse_to(self: Any, response: Any, item: Any) -> Any:
        gc.collect()
        yield item

    done = crawl(spider_of(web("/from"), parse=parse, parse_to=parse_to), FIELDS)
    assert [(item["url"], item["title"], item["published"]) for item in done.items] == [
        (web("/from"), "Brücke 1 gesperrt", published)
    ]
    assert done.items[0]["body"]
    assert done.stat("meta/no_html") == (not kept)


def test_a_library_that_fails_costs_its_field_alone(stories: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **more: Any) -> Any:
        raise RuntimeError("no date today")

    import dateparser.date
    import py3langid

    monkeypatch.setattr(dateparser.date, "DateDataParser", broken)
    monkeypatch.setattr(py3langid, "classify", broken)
    done = crawl(spider_of(*stories), FIELDS)
    assert all(item["body"] and item["title"] and item["published"] and item["lang"] == "" for item in done.items)


def test_a_page_that_is_nothing_but_an_address_is_not_followed(web: Web) -> None:
    web.pages["/trap"] = german(1, dated(1))
    web.pages["/"] = Reply(web("/trap").encode())
    done = crawl(spider_of(web("/")), FIELDS)
    assert [(item["title"], item["lang"], item["published"]) for item in done.items] == [("", "", "")]
    assert done.stat("meta/no_lang") == done.stat("meta/no_date") == 1
    assert not [path for path in web.asked if path == "/trap"]
