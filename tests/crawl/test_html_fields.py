"""Items that hold HTML in a field: of a JSON interface, of a feed, of a list; their text is made from it."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.site.facts_store import facts_store
from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.web import Reply, Web, article, sentence, story

AROUND = "<p>Subscribe to our letter of the week to get stories like this one.</p>"
SHARE = "<ul><li><a href=/share/a>Share it</a></li><li><a href=/share/b>Print it</a></li></ul>"
HTML = {"DENOISE_HTML_FIELD": "content.rendered"}


def content(number: int, text: str = "") -> str:
    """The HTML of a story as a content management system serves it, with what it puts around each."""
    lines = (text or story(number)).split(". ")
    paragraphs = [". ".join(lines[start : start + 4]) for start in range(0, len(lines), 4)]
    return f"{AROUND}<p>{'.</p><p>'.join(paragraphs)}</p><p><a href=more/{number}>More</a></p>{SHARE}"


def post(web: Web, number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "url": web(f"/story/{number}/"),
        "title": {"rendered": f"Story {number}"},
        "content": {"rendered": content(number), "protected": False},
        **more,
    }


def served(web: Web, posts: list[dict[str, Any]], pages: int = 1) -> list[str]:
    """Serve posts on some pages of an interface; return its addresses."""
    size = -(-len(posts) // pages)
    for page in range(pages):
        reply = Reply(json.dumps(posts[page * size : (page + 1) * size]).encode(), headers=JSON)
        web.pages[f"/wp-json/posts?page={page}"] = reply
    return [web(f"/wp-json/posts?page={page}") for page in range(pages)]


JSON, XML = {"Content-Type": "application/json"}, {"Content-Type": "application/rss+xml"}


def check_bodies(done: Crawl, numbers: range) -> None:
    bodies = {item["url"]: item["body"] for item in done.items}
    assert len(bodies) == len(numbers)
    for url, body in bodies.items():
        number = int(url.rstrip("/").rpartition("/")[2])
        assert [one for one in numbers if sentence(one) in body] == [number]
        assert story(number).split(". ")[0] in body
        assert "Subscribe" not in body and "Print" not in body
    assert done.stat("errors") == 0


def parse(self: Any, response: Any) -> Any:
    yield from response.json()


@pytest.mark.parametrize("pages", [1, 4, 12])
def test_items_of_a_json_interface(web: Web, pages: int) -> None:
    addresses = served(web, [post(web, number) for number in range(12)], pages)
    done = crawl(spider_of(*addresses, parse=parse), HTML)
    check_bodies(done, range(12))
    assert done.stat("body/evidence/comparison_pages") >= 12 - pages
    assert done.stat("comparison/requests") == 0
    assert {*web.asked} == {address.removeprefix(web.url) for address in addresses}
    assert not done.lines(" WARNING ")


def test_items_of_a_feed(web: Web) -> None:
    entries = "".join(
        f"<item><title>Story {n}</title><link>{web(f'/story/{n}')}</link>"
        f"<content:encoded><![CDATA[{content(n)}]]></content:encoded></item>"
        for n in range(6)
    )
    space = "http://purl.org/rss/1.0/modules/content/"
    feed = f'<?xml version="1.0"?><rss version="2.0" xmlns:content="{space}"><channel>{entries}</channel></rss>'
    web.pages["/feed"] = Reply(feed.encode(), headers=XML)

    def read(self: Any, response: Any) -> Any:
        response.selector.register_namespace("content", space)
        for entry in response.xpath("//item"):
            yield {"url": entry.xpath("link/text()").get(), "html": entry.xpath("content:encoded/text()").getall()}

    done = crawl(spider_of(web("/feed"), parse=read), {"DENOISE_HTML_FIELD": "html"})
    check_bodies(done, range(6))


def test_copies_and_further_values(web: Web) -> None:
    posts = [post(web, number) for number in range(4)]
    copy = content(1, story(1) + " Shared by a reader of ours.")
    addresses = served(web, [*posts, post(web, 9, content={"rendered": copy})])
    fields = {"markdown": "markdown", "comparison": "compared", "chunks": "chunks"}
    settings = {**HTML, "DENOISE_FIELDS": fields, "DENOISE_DEDUP_FIELDS": ["-id"]}  # each has another number
    done = crawl(spider_of(*addresses, parse=parse), settings)
    assert len(done.items) == 4
    assert done.of() in ([web("/story/1")], [web("/story/9")]), "whichever comes first"
    [item] = (item for item in done.items if item["id"] == 0)
    assert f"({web('/story/0/more/0')})" in item["markdown"] or "More" not in item["markdown"]
    assert {*item["compared"]} <= {web(f"/story/{number}/") for number in (1, 2, 3, 9)}
    assert item["compared"] and item["chunks"][0]["url"] == item["url"]


def test_items_without_an_address_of_their_own(web: Web) -> None:
    posts = [{"id": n, "content": {"rendered": content(n)}} for n in range(5)]
    done = crawl(spider_of(*served(web, posts), parse=parse), HTML)
    assert [sentence(item["id"]) in item["body"] for item in done.items] == [True] * 5
    assert all("Subscribe" not in item["body"] for item in done.items)


def test_the_pages_of_the_site_are_compared_with_pages_only(web: Web) -> None:
    """A story that stands in both would be taken for what the site repeats."""
    web.pages |= {f"/story/{n}/": article(n) for n in range(4)}
    addresses = served(web, [post(web, number) for number in range(4)])

    def read(self: Any, response: Any) -> Any:
        if "wp-json" in response.url:
            yield from response.json()
            yield from (response.follow(each["url"], self.page) for each in response.json())

    def page(self: Any, response: Any) -> Any:
        yield {"url": response.url, "of": "page"}

    done = crawl(spider_of(*addresses, parse=read, page=page), {**HTML, "DENOISE_DEDUP": "off"})
    assert len(done.items) == 8
    for item in done.items:
        assert sentence(int(item["url"].split("/")[-2])) in item["body"]
        assert "Subscribe" not in item["body"] and "rights reserved" not in item["body"]


def test_parts_of_one_page(web: Web) -> None:
    posts = "".join(f"<div class=post id=p{n}>{content(n)}</div>" for n in range(5))
    web.pages["/thread"] = f"<html><body><div>Board Home Login</div>{posts}</body></html>"

    def read(self: Any, response: Any) -> Any:
        for part in response.css(".post"):
            yield {"url": f"{response.url}#{part.attrib['id']}", "html": part.get()}

    done = crawl(spider_of(web("/thread"), parse=read), {"DENOISE_HTML_FIELD": "html"})
    assert [sentence(int(item["url"][-1])) in item["body"] for item in done.items] == [True] * 5
    assert all("Subscribe" not in item["body"] and "Board" not in item["body"] for item in done.items)


def test_the_field_of_the_body_itself_is_cleaned(web: Web) -> None:
    posts = [{"url": web(f"/story/{n}/"), "body": content(n)} for n in range(4)]
    done = crawl(spider_of(*served(web, posts), parse=parse), {"DENOISE_HTML_FIELD": "body"})
    check_bodies(done, range(4))


def test_facts_of_fields_are_kept_for_the_next_crawl(web: Web, tmp_path: Path) -> None:
    settings = {**HTML, "DENOISE_SITE_MEMORY_PATH": str(tmp_path / "sites.sqlite")}
    crawl(spider_of(*served(web, [post(web, number) for number in range(4)]), parse=parse), settings)
    store = facts_store(str(tmp_path / "sites.sqlite"))
    store.open()
    [site] = [site for site in (f"{web.url}#:field:content.rendered", web.url) if store.load(site)]
    store.close()
    assert site.endswith("content.rendered")
    done = crawl(spider_of(*served(web, [post(web, 7)]), parse=parse), settings)
    check_bodies(done, range(7, 8))


@pytest.mark.skipif(os.name != "posix", reason="workers need a POSIX system")
def test_items_of_workers(web: Web) -> None:
    addresses = served(web, [post(web, number) for number in range(12)], 4)
    done = crawl(spider_of(*addresses, parse=parse), {**HTML, "DENOISE_WORKERS": 1})
    check_bodies(done, range(12))
    assert done.stat("workers/started") == 1


@pytest.mark.parametrize("held", [None, 7, "", " ", {"rendered": 5}, ["<p>a", "<p>b"]])
def test_items_without_html_are_as_before(web: Web, held: Any) -> None:
    web.pages["/story/1/"] = article(1)
    done = crawl(
        spider_of(web("/story/1/"), parse=lambda self, response: [{"url": response.url, "content": held}]), HTML
    )
    assert sentence(1) in done.items[0]["body"]


def test_html_that_is_too_large_is_left_alone(web: Web, limits: Callable[..., None]) -> None:
    limits(MAX_PAGE_BYTES=10_000)
    addresses = served(web, [post(web, 1, content={"rendered": "<p>word " * 3000})])
    done = crawl(spider_of(*addresses, parse=parse), HTML)
    assert "body" not in done.items[0] and done.stat("pages/too_large") == 1


@pytest.mark.parametrize("field", ["", "content", "content.renderd"])
def test_the_log_names_the_setting_where_a_response_is_json(web: Web, field: str) -> None:
    done = crawl(spider_of(*served(web, [post(web, 1), {"id": 2}]), parse=parse), {"DENOISE_HTML_FIELD": field})
    assert done.stat("body/none/no_html") == 2 and not any("body" in item for item in done.items)
    [line] = done.lines("is no HTML, so its items")
    assert f"DENOISE_HTML_FIELD (now {field!r})" in line and web("/wp-json/posts?page=0") in line
    [line] = done.lines("Not one item of this crawl")
    assert "2 come from a response that is no HTML (if they hold HTML, name the field in DENOISE_HTML_FIELD" in line
    assert f", now {field!r}; else" in line
