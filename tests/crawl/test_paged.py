"""The field `pages`: the pages of an article joined in the item of its first page, and marked where missing."""

from collections.abc import Iterator
from typing import Any

import pytest
import scrapy
from scrapy.exceptions import DropItem

from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.web import Reply, Web, article, sentence, story

FIELDS = {
    "DENOISE_FIELDS": {"pages": "pages", "markdown": "markdown", "html": "html", "chunks": "chunks", "blocks": "blocks"}
}
OTHERS = range(20, 24)


def part(number: int, pager: str, head: str = "") -> str:
    """A page of an article, with the headline that all of them have."""
    html = article(number).replace("</p></div>", f"</p></div><div class=pager>{pager}</div>")
    return html.replace(f"Heading of {number}", "The whole river").replace("<head>", f"<head>{head}")


def numbers(*urls: str) -> str:
    return " ".join(f"<a href='{url}'>{number}</a>" if url else str(number) for number, url in enumerate(urls, 1))


@pytest.fixture
def paged(web: Web) -> Web:
    """An article of three pages, each with links to the others; and other pages of the site."""
    web.pages = {f"/a/{number}": article(number) for number in OTHERS}
    web.pages["/river"] = part(1, numbers("", "/river?page=2", "/river?page=3"))
    web.pages["/river?page=2"] = part(2, numbers("/river", "", "/river?page=3"))
    web.pages["/river?page=3"] = part(3, numbers("/river", "/river?page=2", ""))
    return web


def follows(self: Any, response: Any) -> Iterator[Any]:
    """Yield the item of the first page, and follow its pager."""
    if "page=" not in response.url:
        yield {"url": response.url}
        yield from response.follow_all(css=".pager a")


def crawled(web: Web, *paths: str, **attributes: Any) -> Crawl:
    settings = attributes.pop("settings", {})
    return crawl(spider_of(*web.urls(OTHERS), *map(web, paths), **attributes), {**FIELDS, **settings})


def item_of(done: Crawl, path: str) -> Any:
    [item] = [item for item in done.items if item["url"].endswith(path)]
    return item


@pytest.mark.parametrize("workers", [0, 1])
def test_the_item_of_the_first_page_waits_for_the_others(paged: Web, workers: int) -> None:
    done = crawled(paged, "/river", parse=follows, settings={"DENOISE_WORKERS": workers})
    item = item_of(done, "/river")
    paths = ("/river", "/river?page=2", "/river?page=3")
    assert item["pages"] == [{"url": paged(path), "joined": True} for path in paths]
    for form in ("body", "markdown", "html"):
        places = [item[form].index(sentence(number)) for number in (1, 2, 3)]
        assert places == sorted(places)
        assert item[form].count("The whole river") == 1
    assert [chunk["position"] for chunk in item["chunks"]] == list(range(len(item["chunks"])))
    assert {chunk["url"] for chunk in item["chunks"]} == {paged(path) for path in paths}
    texts = [block["text"] for block in item["blocks"] if block["kept"]]
    assert all(any(sentence(number) in text for text in texts) for number in (1, 2, 3))
    assert done.stat("pages/joined") == 1
    assert not done.lines(" WARNING ") + done.lines(" ERROR ")
    assert all(paged.count(path) == 1 for path in paths)


def test_nothing_is_requested_for_it(paged: Web) -> None:
    done = crawled(paged, "/river")
    item = item_of(done, "/river")
    assert [page["joined"] for page in item["pages"]] == [True, False, False]
    assert sentence(1) in item["body"] and sentence(2) not in item["body"]
    assert not any("page=" in path for path in paged.asked)


@pytest.mark.parametrize("moved", [False, True])
def test_a_page_that_cannot_be_had_is_marked(paged: Web, moved: bool) -> None:
    paged.pages["/gone" if moved else "/river?page=3"] = Reply(b"gone", 404)
    if moved:
        paged.pages["/river?page=3"] = Reply(status=302, headers={"Location": "/gone"})
    done = crawled(paged, "/river", parse=follows)
    item = item_of(done, "/river")
    assert [page["joined"] for page in item["pages"]] == [True, True, False]
    assert sentence(2) in item["body"]
    assert done.stat("pages/waited_in_vain") == 0


def test_a_page_that_is_too_slow_is_marked(paged: Web, limits: Any) -> None:
    limits(PAGES_WAIT=1)
    paged.pages["/river?page=3"] = Reply(paged.pages["/river?page=3"].encode(), seconds=4)
    done = crawled(paged, "/river", parse=follows)
    item = item_of(done, "/river")
    assert [page["joined"] for page in item["pages"]] == [True, True, False]
    assert done.stat("pages/waited_in_vain") == 1


def test_pages_that_only_lead_to_the_next_are_followed_one_by_one(web: Web) -> None:
    web.pages = {f"/a/{number}": article(number) for number in OTHERS}
    paths = {number: f"/river/page/{number}/" for number in range(2, 5)} | {1: "/river/"}
    for number, path in paths.items():
        links = f"<link rel=next href={paths[number + 1]}>" if number < 4 else ""
        links += f"<link rel=prev href={paths[number - 1]}>" if number > 1 else ""
        web.pages[path] = part(number, "", links)

    def parse(self: Any, response: Any) -> Iterator[Any]:
        if response.url.endswith("/river/"):
            yield {"url": response.url}
        yield from response.follow_all(response.css("link[rel=next]"), self.parse)

    done = crawled(web, "/river/", parse=parse)
    item = item_of(done, "/river/")
    assert [page["joined"] for page in item["pages"]] == [True] * 4
    assert all(sentence(number) in item["body"] for number in range(1, 5))


def test_an_item_yielded_at_the_last_page_is_that_of_the_first(paged: Web) -> None:
    def parse(self: Any, response: Any) -> Iterator[Any]:
        if "/river" not in response.url:
            return
        links = response.css(".pager a::attr(href)").getall()
        if response.url.endswith("3"):
            yield {"url": response.urljoin("/river")}
        else:
            yield response.follow(links[-1] if "page" in response.url else links[0], self.parse)

    done = crawled(paged, "/river", parse=parse)
    [item] = done.items
    assert [page["joined"] for page in item["pages"]] == [True] * 3
    assert item["body"].count("The whole river") == 1 and sentence(3) in item["body"]


def test_items_of_later_pages_keep_their_own_text(paged: Web) -> None:
    paths = ("/river", "/river?page=2", "/river?page=3")
    done = crawled(paged, *paths, settings={"DENOISE_DEDUP": "off"})
    second = item_of(done, "/river?page=2")
    assert sentence(2) in second["body"] and sentence(1) not in second["body"]
    assert [page["joined"] for page in second["pages"]] == [False, True, False]
    assert len(done.items) == len(OTHERS) + 3


def test_later_items_are_parts_of_the_first_and_no_text_is_lost(paged: Web) -> None:
    def parse(self: Any, response: Any) -> Iterator[Any]:
        yield {"url": response.url}
        if "page=" not in response.url:
            yield from response.follow_all(css=".pager a")

    done = crawled(paged, "/river", parse=parse)
    texts = " ".join(item["body"] for item in done.items)
    assert all(sentence(number) in texts for number in (1, 2, 3))
    assert sentence(3) in item_of(done, "/river")["body"]
    assert set(done.of()) <= {paged("/river")} | {item["url"] for item in done.items}
    assert len(done.items) + len(done.dropped) == len(OTHERS) + 3


@pytest.mark.parametrize("delay", [0, 0.2])
def test_items_of_pages_that_are_followed_one_by_one_are_copies_of_the_whole(web: Web, delay: float) -> None:
    web.pages = {f"/a/{number}": article(number) for number in OTHERS}
    for number in (1, 2, 3):
        head = f"<link rel=next href=/river-{number + 1}>" if number < 3 else ""
        head += f"<link rel=prev href=/river-{number - 1}>" if number > 1 else ""
        web.pages[f"/river-{number}"] = part(number, "", head)

    def parse(self: Any, response: Any) -> Iterator[Any]:
        yield {"url": response.url}
        yield from response.follow_all(css="link[rel=next]")

    done = crawled(web, "/river-1", parse=parse, settings={"DOWNLOAD_DELAY": delay})
    assert done.of() == [web("/river-1")] * 2
    assert all(sentence(number) in item_of(done, "/river-1")["body"] for number in (1, 2, 3))


class LosesWholes:
    """A pipeline of a user that rejects items of several pages."""

    def process_item(self, item: Any) -> Any:
        if len(item["pages"]) > 1 and item["pages"][0]["joined"]:
            raise DropItem("too long")
        return item


def test_items_of_later_pages_stay_where_that_of_the_first_is_lost(paged: Web) -> None:
    def parse(self: Any, response: Any) -> Iterator[Any]:
        yield {"url": response.url}
        if "page=" not in response.url:
            yield from response.follow_all(css=".pager a")

    done = crawled(paged, "/river", parse=parse, settings={"ITEM_PIPELINES": {LosesWholes: 300}})
    assert [str(error) for _, error in done.dropped] == ["too long"]
    assert all(sentence(number) in item_of(done, f"/river?page={number}")["body"] for number in (2, 3))


def test_an_item_of_an_error_page_is_no_part_of_the_whole(paged: Web) -> None:
    paged.pages["/river?page=2"] = Reply(part(2, "").encode(), 404)

    def parse(self: Any, response: Any) -> Iterator[Any]:
        yield {"url": response.url}
        if "page=" not in response.url:
            yield from response.follow_all(css=".pager a")

    done = crawled(paged, "/river", parse=parse, handle_httpstatus_list=[404])
    assert [page["joined"] for page in item_of(done, "/river")["pages"]] == [True, False, True]
    assert sentence(2) in item_of(done, "/river?page=2")["body"]
    assert [item["url"] for item, _ in done.dropped] == [paged("/river?page=3")]


def test_a_page_that_leads_back_to_the_first_is_missing(paged: Web) -> None:
    paged.pages["/river?page=3"] = Reply(status=302, headers={"Location": "/river"})
    paged.pages["/river"] = paged.pages["/river"].replace("</h1>", "</h1><p>Once.</p>")

    def parse(self: Any, response: Any) -> Iterator[Any]:
        if response.url.endswith("/river") and "redirect_urls" not in response.meta:
            yield {"url": response.url}
            for request in response.follow_all(css=".pager a"):
                yield request.replace(dont_filter=True)

    done = crawled(paged, "/river", parse=parse)
    item = item_of(done, "/river")
    assert [page["joined"] for page in item["pages"]] == [True, True, False]
    assert item["body"].count("Once.") == 1
    assert done.stat("pages/waited_in_vain") == 0


def test_a_page_alone_has_none(paged: Web) -> None:
    done = crawled(paged, "/river", parse=follows)
    assert crawl(spider_of(paged("/a/20")), FIELDS).items[0]["pages"] == []
    assert done.stat("errors") == 0


def test_a_crawl_that_does_not_ask_joins_nothing(paged: Web) -> None:
    done = crawl(spider_of(paged("/river"), parse=follows))
    assert sentence(2) not in done.items[0]["body"]


def test_a_joined_text_of_a_second_crawl_is_unchanged_until_a_later_page_changes(paged: Web, tmp_path: Any) -> None:
    given = {"DENOISE_DEDUP_STORE": str(tmp_path / "seen.sqlite"), "DENOISE_SEEN": "mark"}

    def states() -> Any:
        done = crawled(paged, "/river", parse=follows, settings=given)
        return item_of(done, "/river").get("seen", {}).get("state")

    assert [states(), states()] == [None, "unchanged"]
    paged.pages["/river?page=3"] = part(3, numbers("/river", "/river?page=2", "")).replace(sentence(3), story(77))
    assert states() == "changed"


def test_other_sites_and_hostile_pagers_are_left_alone(web: Web) -> None:
    away = numbers("", "http://127.0.0.2:9/river?page=2", "/river?page=99999", "/river?page=3e9")
    many = "".join(f"<a href='/river?page={number}'>{number}</a>" for number in range(2, 5000))
    web.pages = {f"/a/{number}": article(number) for number in OTHERS}
    web.pages |= {"/river": part(1, away), "/flood": part(2, many.replace("river", "flood"))}
    done = crawled(web, "/river", "/flood", parse=lambda self, response: [{"url": response.url}])
    assert item_of(done, "/river")["pages"] == item_of(done, "/flood")["pages"] == []


def test_requests_from_another_spider_callback_do_not_hold_items(paged: Web) -> None:
    class Both(scrapy.Spider):
        name = "both"
        start_urls = [paged("/river")]  # noqa: RUF012

        def parse(self, response: Any) -> Iterator[Any]:
            yield {"url": response.url}
            yield response.follow("/a/20", self.parse_other)

        def parse_other(self, response: Any) -> Iterator[Any]:
            yield {"url": response.url}

    done = crawl(Both, FIELDS)
    assert len(done.items) == 2


def test_an_error_page_that_the_spider_handles_is_missing(paged: Web) -> None:
    paged.pages["/river?page=3"] = Reply(b"<p>Sorry, this page is not here any more.", 404)

    def parse(self: Any, response: Any) -> Iterator[Any]:
        yield {"url": response.url}
        if "page=" not in response.url:
            yield from response.follow_all(css=".pager a")

    done = crawled(paged, "/river", parse=parse, handle_httpstatus_list=[404])
    item = item_of(done, "/river")
    assert [page["joined"] for page in item["pages"]] == [True, True, False]
    assert "Sorry" not in item["body"]
    assert done.stat("pages/waited_in_vain") == 0


def test_several_items_name_the_first_page(paged: Web) -> None:
    def parse(self: Any, response: Any) -> Iterator[Any]:
        yield {"url": paged("/river")}
        if response.url.endswith("/river"):
            yield response.follow("/a/20", self.parse)

    done = crawl(spider_of(paged("/river"), parse=parse), {**FIELDS, "DENOISE_DEDUP": "mark"})
    assert [sentence(1) in item["body"] for item in done.items] == [True] * 2
    assert done.items[0]["pages"] == done.items[1]["pages"]
    assert done.stat("errors") == 0


def test_a_later_page_that_knows_more_pages_has_an_item_first(paged: Web) -> None:
    paged.pages["/river"] = part(1, "", "<link rel=next href='/river?page=2'>")

    def parse(self: Any, response: Any) -> Iterator[Any]:
        yield {"url": response.url}
        if response.url.endswith("page=2"):
            yield response.follow("/river", self.parse)

    given = {**FIELDS, "CONCURRENT_REQUESTS": 1, "DENOISE_DEDUP": "mark"}
    done = crawl(spider_of(paged("/river?page=2"), parse=parse), given)
    item = item_of(done, "/river")
    assert [page["joined"] for page in item["pages"]] == [True, True, False]
    assert sentence(1) in item["body"] and sentence(2) in item["body"]
    assert done.stat("errors") == 0


def test_a_page_that_is_requested_again_after_an_error_is_joined(paged: Web) -> None:
    whole = paged.pages["/river?page=3"].encode()

    def refuse(web: Web, handler: Any) -> None:
        web.pages["/river?page=3"] = Reply(whole, seconds=1)
        handler.send_response(403)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    paged.pages["/river?page=3"] = refuse

    def parse(self: Any, response: Any) -> Iterator[Any]:
        if response.status == 403:
            yield response.request.replace(dont_filter=True)
        elif "page=" not in response.url:
            yield {"url": response.url}
            yield from response.follow_all(css=".pager a")

    done = crawled(paged, "/river", parse=parse, handle_httpstatus_list=[403])
    assert [page["joined"] for page in item_of(done, "/river")["pages"]] == [True] * 3


@pytest.mark.parametrize("why", ["no HTML", "no answer", "robots.txt", "back again"])
def test_a_request_that_brings_no_page_is_not_waited_for(paged: Web, why: str) -> None:
    settings = {"RETRY_ENABLED": False, "ROBOTSTXT_OBEY": why == "robots.txt"}
    paged.pages["/robots.txt"] = "User-agent: *\nDisallow: /river?page=3"
    if why == "no HTML":
        paged.pages["/river?page=3"] = Reply(b"%PDF-1.4", headers={"Content-Type": "application/pdf"})
    if why == "no answer":
        paged.pages["/river?page=3"] = Reply(b"late", seconds=3)
        settings["DOWNLOAD_TIMEOUT"] = 0.5
    if why == "back again":  # Scrapy drops the request
        paged.pages["/river?page=3"] = Reply(status=302, headers={"Location": "/river?page=2"})
    done = crawled(paged, "/river", parse=follows, settings=settings)
    assert [page["joined"] for page in item_of(done, "/river")["pages"]] == [True, True, False]
    assert done.stat("pages/waited_in_vain") == 0
