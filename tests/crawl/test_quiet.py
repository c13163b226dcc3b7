"""The log and the stats of a crawl say what there is to say, and once; what was not asked for is in no item."""

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import pytest
import scrapy
from itemadapter import ItemAdapter

from tests.crawl.crawling import ONE_BY_ONE, Crawl, crawl, items_only, spider_of
from tests.crawl.test_health import SHELL, WALL, not_found, redesigned
from tests.crawl.test_variants import IN_ORDER, job
from tests.crawl.web import Reply, Web, article, story

PAGES = 12
JOB = {"JOBDIR": "job"}
pytestmark = pytest.mark.usefixtures("here")


def stats_of(done: Crawl, begin: str = "") -> dict[str, Any]:
    """Our stats."""
    return {name: value for name, value in done.stats.items() if name.startswith(f"denoise/{begin}")}


def ours(done: Crawl, level: str, said: str = "") -> list[str]:
    """Lines of our loggers at a level."""
    return [line for line in done.lines(said) if re.match(rf"denoise_scrapy\S* {level} ", line)]


@pytest.mark.parametrize(
    ("settings", "copy"),
    [({}, False), ({}, True), (JOB, True), ({"DENOISE_DEDUP": "mark"}, True), ({"DENOISE_DEDUP": "off"}, True)],
    ids=str,
)
def test_a_healthy_crawl_has_no_empty_stat_and_none_of_a_site(
    articles: Web, settings: dict[str, Any], copy: bool
) -> None:
    for _ in range(2 if settings is JOB else 1):
        done = crawl(spider_of(*articles.urls(range(PAGES)), *([articles("/copy")] if copy else [])), settings)
        assert {name: value for name, value in stats_of(done).items() if not value} == {}
        assert stats_of(done, "site/") == {}
        assert done.stat("body/items") == PAGES + copy and done.stat("memory/bytes") > 0


@pytest.mark.parametrize(
    "spider", [items_only(), items_only({"n": 1}), spider_of("data:,text", parse=lambda self, response: [])]
)
def test_a_crawl_with_nothing_to_do_has_no_empty_stat(spider: type[scrapy.Spider]) -> None:
    assert {name: value for name, value in stats_of(crawl(spider)).items() if not value} == {}


def test_only_sites_with_an_alarm_have_stats(web: Web, other_web: Web) -> None:
    for change in (article, redesigned):
        web.pages = {f"/a/{n}": change(n) for n in range(PAGES)}
        other_web.pages = {f"/a/{n}": article(n + 50) for n in range(PAGES)}
        done = crawl(spider_of(*web.urls(range(PAGES)), *other_web.urls(range(PAGES))), JOB)
        host = web.url.partition("://")[2]
        found = {name.split("/")[2] for name in stats_of(done, "site/")}
        assert found == ({host} if change is redesigned else set())
    assert "new template" in done.stat(f"site/{host}/alarms")


def test_a_healthy_crawl_says_nothing_but_its_results(articles: Web) -> None:
    done = crawl(spider_of(*articles.urls(range(PAGES))))
    assert not any(ours(done, level) for level in ("WARNING", "ERROR", "CRITICAL"))
    [line] = ours(done, "INFO")
    assert "denoise at the end: 12 pages, 12 bodies" in line


@pytest.mark.parametrize("way", ["drop", "mark"])
def test_copies_are_listed_for_debugging_and_summed_up_once(articles: Web, way: str) -> None:
    copies = [f"/copy/{n}" for n in range(5)]
    articles.pages |= {path: article(n, text=story(n) + " Shared by a reader.") for n, path in enumerate(copies)}
    urls = [*articles.urls(range(PAGES)), *map(articles, copies)]
    done = crawl(spider_of(*urls), {**ONE_BY_ONE, "DENOISE_DEDUP": way})
    assert done.stat("dedup/duplicates") == 5
    listed = done.log.splitlines() if way == "drop" else ours(done, "DEBUG")
    for n, path in enumerate(copies):
        both = [
            line for line in listed if " DEBUG " in line and articles(path) in line and re.search(rf"/a/{n}\b", line)
        ]
        assert len(both) == 1, path
    first = "is dropped, as a near-duplicate"
    assert len(done.lines(first)) == (way == "drop")
    [line] = [line for line in ours(done, "INFO") if "near-duplicate" in line.lower() and first not in line]
    assert re.search(r"\b5 near-duplicates", line)


@dataclasses.dataclass
class Plain:
    url: str
    body: str = ""


@dataclasses.dataclass
class Declaring(Plain):
    variant_of: str = ""
    no_content: bool = False


class DeclaringItem(scrapy.Item):
    url, body, variant_of, no_content = (scrapy.Field() for _ in range(4))


class OwnDict(dict[str, Any]):
    pass


def marks(web: Web, kind: Callable[..., Any], mark: str, **settings: Any) -> list[str]:
    """Crawl forms or walls, of which most have a mark; return the fields that hold a mark."""
    page = job if mark == "variant_of" else lambda _: WALL
    web.pages = {f"/a/{n}": page(n) for n in range(PAGES)}
    spider = spider_of(*web.urls(range(PAGES)), parse=lambda self, response: [kind(url=response.url)])
    done = crawl(spider, {**IN_ORDER, **settings})
    assert done.stat("dedup/passed/variant_of" if mark == "variant_of" else "dedup/passed/no_content") >= PAGES - 4
    assert stats_of(done, "errors") == {}
    return [
        name
        for item in done.items
        for name, value in ItemAdapter(item).items()
        if value and name not in {"url", "body"}
    ]


@pytest.mark.parametrize("mark", ["variant_of", "no_content"])
@pytest.mark.parametrize("kind", [OwnDict, Plain])
def test_marks_that_nobody_asked_for_are_in_no_item(web: Web, mark: str, kind: Any) -> None:
    assert marks(web, kind, mark) == []


@pytest.mark.parametrize("mark", ["variant_of", "no_content"])
@pytest.mark.parametrize("kind", [Declaring, DeclaringItem])
def test_marks_that_a_class_declares_are_set(web: Web, mark: str, kind: Any) -> None:
    found = marks(web, kind, mark)
    assert len(found) >= PAGES - 4 and {*found} == {mark}


@pytest.mark.parametrize("mark", ["variant_of", "no_content"])
@pytest.mark.parametrize("field", ["mark", ""])
def test_marks_for_which_a_setting_names_a_field_are_set(web: Web, mark: str, field: str) -> None:
    found = marks(web, dict, mark, DENOISE_FIELDS={mark: field or mark})
    assert len(found) >= PAGES - 4 and {*found} == {field or mark}


SITES: dict[str, Callable[[int], str]] = {
    "stories": article,
    "walls": lambda _: WALL,
    "shells": lambda _: SHELL,
    "pages not found": not_found,
    "mostly walls": lambda n: WALL if n % 4 else article(n),
    "mostly shells": lambda n: SHELL if n % 4 else article(n),
    "mostly not found": lambda n: not_found(n) if n % 4 else article(n),
    "two templates": lambda n: redesigned(n) if n % 2 else article(n),
    "one story": lambda n: article(1, text=story(1) + f" Shared by reader {n}."),
}


@pytest.mark.parametrize(("site", "pages"), [*((site, PAGES) for site in SITES), ("mostly walls", 104)])
def test_a_first_crawl_knows_no_change(web: Web, site: str, pages: int) -> None:
    """There is nothing to compare it with, whatever it finds."""
    web.pages = {f"/a/{n}": SITES[site](n) for n in range(pages)}
    done = crawl(spider_of(*web.urls(range(pages))), JOB)
    assert done.lines("may have changed") == []


def test_reports_of_broken_links_are_no_change(web: Web) -> None:
    web.pages = {f"/a/{n}": Reply(not_found(n).encode(), 404) for n in range(PAGES)}
    done = crawl(spider_of(*web.urls(range(PAGES)), handle_httpstatus_list=[404]))
    assert done.lines("may have changed") == []


def test_the_memory_of_a_crawl_includes_the_texts_in_memory(tmp_path: Any) -> None:
    """A text takes about 1 KB, of which a file would hold two thirds."""
    held = list[int]()
    for count in (50, 250):
        items = [{"url": f"https://a.example/{n}", "body": story(n)} for n in range(count)]
        done = crawl(items_only(*items), {"DENOISE_DEDUP_FIELDS": "body"})
        assert done.stat("dedup/kept_texts") == count
        held.append(done.stat("memory/bytes"))
    assert (held[1] - held[0]) / 200 > 600
