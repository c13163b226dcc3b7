"""Title, language and date of publication: set if a field is named for them, and never at the cost of a body."""

import random
from typing import Any

import pytest
import scrapy

from denoise_scrapy.metadata.annotations import MAX_HTML
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Reply, Web

FIELDS = {"DENOISE_FIELDS": {"title": "title", "language": "language", "published": "published"}}
WORDS = """
der Fluss stieg in Nacht weiter an und gegen Mittag sperrte die Stadt eine alte Brücke für Fußgänger nicht aber
Radfahrer wurden über das neue Ufer geleitet weil dort noch niemand wusste wann es wieder trocken sein würde
""".split()


def german(number: int, head: str = "") -> str:
    chance = random.Random(number)
    text = "".join(f"<p>{' '.join(chance.choices(WORDS, k=24))}, hieß es.</p>" for _ in range(8))
    date = f'<meta property="article:published_time" content="2024-05-{number:02}">'
    return (
        f'<html lang="de-AT"><head><meta charset=utf-8><title>Brücke {number} gesperrt - Der Bote</title>{date}{head}'
        f"</head><body><div>Der Bote Start Sport</div><div class=main>{text}</div><div>Impressum</div></body></html>"
    )


def test_an_item_gets_all_that_its_page_says_of_itself(web: Web) -> None:
    metas = (
        '<meta name=author content="Ann Reed"><meta name=description content="Kein Weg.">'
        '<meta name=keywords content="a, b"><meta property="og:site_name" content="Bote">'
        '<meta property="og:image" content="/b.jpg"><link rel=canonical href=/c>'
        '<meta property="article:modified_time" content="2024-05-02T08:00Z">'
    )
    web.pages["/a"] = german(1, metas)
    told = {
        "authors": ["Ann Reed"],
        "description": "Kein Weg.",
        "site_name": "Bote",
        "tags": ["a", "b"],
        "language": "de",
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
    assert done.stat("errors") == 0
    assert not done.lines(" WARNING ") + done.lines(" ERROR ")


def test_metadata_is_in_the_charset_that_the_server_names(web: Web) -> None:
    html = german(1, "<meta name=author content='Анна Река'>").replace("<meta charset=utf-8>", "")
    body = html.encode("koi8-r", "xmlcharrefreplace")
    web.pages["/a"] = Reply(body, headers={"Content-Type": "text/html; charset=koi8-r"})
    done = crawl(spider_of(web("/a")), {"DENOISE_FIELDS": {"authors": "authors"}})
    assert done.items[0]["authors"] == ["Анна Река"]


def test_dates_are_not_looked_for_in_huge_pages_nor_behind_an_address(web: Web) -> None:
    web.pages["/huge"], web.pages["/trap"] = german(1, f"<!--{'x' * MAX_HTML}-->"), german(1)
    web.pages["/"] = Reply(web("/trap").encode())
    done = crawl(spider_of(web("/huge"), web("/")), FIELDS)
    huge, address = sorted(done.items, key=lambda item: -len(item["url"]))
    assert huge["published"] == "" and huge["language"] and huge["body"]
    assert (address["title"], address["language"], address["published"]) == ("", "", "")
    assert "/trap" not in web.asked


def test_an_item_of_a_page_that_has_gone_has_its_date(web: Web) -> None:
    web.pages["/from"], web.pages["/to"] = german(1), german(2)

    def parse(self: Any, response: Any) -> Any:
        yield scrapy.Request(web("/to"), self.parse_to, cb_kwargs={"item": {"url": response.url}})

    def parse_to(self: Any, response: Any, item: Any) -> Any:
        yield item

    done = crawl(spider_of(web("/from"), parse=parse, parse_to=parse_to), FIELDS)
    [item] = done.items
    assert (item["url"], item["title"], item["published"]) == (web("/from"), "Brücke 1 gesperrt", "2024-05-01")
    assert item["body"]


def test_a_library_that_fails_costs_its_field_alone(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **more: Any) -> Any:
        raise RuntimeError("no date today")

    import dateparser.date
    import py3langid

    web.pages = {f"/a/{n}": german(n) for n in range(1, 4)}
    monkeypatch.setattr(dateparser.date, "DateDataParser", broken)
    monkeypatch.setattr(py3langid, "classify", broken)
    done = crawl(spider_of(*web.urls(range(1, 4))), FIELDS)
    assert all(item["body"] and item["title"] and item["published"] and item["language"] == "" for item in done.items)
