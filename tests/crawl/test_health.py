"""The health of sites in real crawls: counts, alarms, records; walls, which are no copies; command, stats, recipes."""

import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import make_dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from scrapy import Request

from denoise_scrapy.commands.health import ALARM
from denoise_scrapy.crawl import sites
from denoise_scrapy.site import SQLiteFacts
from denoise_scrapy.site.crawl_history import ENOUGH, read_record, record_of
from tests.crawl.conftest import Told
from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.test_commands import host_of
from tests.crawl.web import Reply, Web, article, story
from tests.docs.pages import DOCS, ROOT, blocks_of

pytestmark = pytest.mark.usefixtures("here")
FILE = "denoise-sites.sqlite"
COUNT = 12
WALL = (
    "<html><head><title>Your privacy</title></head><body class=cmp><div id=wall><div class=box><h1>Your privacy</h1>"
    f"<p>{story(99).replace('. ', '.</p><p>')}</p></div></div></body></html>"
)
LOGIN = "<title>Log in</title><h1>Log in</h1><p>You have to log in to read this page.<form><input name=user></form>"
SHELL = "<html><head><script src=/app.js></script></head><body><div id=root></div></body></html>"


def not_found(number: int) -> str:
    return article(0, text=story(98, 4)).replace("Heading of 0", "Not found")


def redesigned(number: int) -> str:
    promotion = (
        "<div class=promo><p>Buy the paper for a month, and read all there is to know about the harbour</p></div>"
    )
    told = "".join(f"<div class=par><p>{each}.</p></div>{promotion}" for each in story(number).split(". "))
    return f"<html><body class=v2><header class=top>News</header><main class=grid><section>{told}</section></main>"


def crawled(web: Web, change: Callable[[int], str] = article, numbers: range = range(COUNT), **settings: Any) -> Crawl:
    """Crawl the site after changing its pages."""
    web.pages = {f"/a/{n}": change(n) for n in numbers}
    given = {"DENOISE_SITE_MEMORY_PATH": FILE, "CONCURRENT_REQUESTS": 1, **settings}
    given.setdefault("DENOISE_FIELDS", {"no_content": "no_content"})
    return crawl(spider_of(*(web(f"/a/{n}") for n in numbers)), given)


def warned(done: Crawl) -> list[str]:
    return [line for line in done.log.splitlines() if "may have changed" in line]


@pytest.fixture
def call(told: Told) -> Told:
    """Runs a line of `scrapy denoise` with the site memory; gives its output and its errors."""
    return partial(told, DENOISE_SITE_MEMORY_PATH=FILE)


def test_a_site_that_does_not_change_is_well(web: Web, call: Told) -> None:
    for numbers in (range(COUNT), range(30, 30 + COUNT), range(5, 5 + COUNT)):
        done = crawled(web, numbers=numbers)
        assert not warned(done)
        assert (done.stat("health/sites"), done.stat("health/alarms")) == (1, 0)
    call("health")
    done = crawled(web, numbers=range(0))  # it brings nothing
    assert done.stat("errors") == 0 and not warned(done)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda _: WALL, "% of the pages have one text in common"),
        (lambda _: SHELL, "100% of the bodies are empty"),
        (not_found, "% of the pages have one text in common"),
        (redesigned, "100% of the pages have a new template"),
        (redesigned, f"({COUNT} of {COUNT} pages), since {time.strftime('%Y-%m-%d')} in `main.grid > section`"),
    ],
)
def test_a_change_is_said_once_with_site_and_reason(
    web: Web, call: Told, change: Callable[[int], str], reason: str
) -> None:
    crawled(web)
    done = crawled(web, change)
    [line] = warned(done)
    assert " WARNING " in line and web.url in line and reason in line and "\n" not in line
    assert done.stat("health/alarms") == 1
    assert reason in done.stat(f"site/{host_of(web)}/alarms")
    assert len(done.items) == COUNT - done.stat("dedup/duplicates")
    assert reason in call("health", ALARM)[0]


def test_all_items_of_a_wall_on_a_known_site_go_out_marked_in_place_of_known_pages_too(web: Web) -> None:
    for _ in range(2):
        assert not any("no_content" in item for item in crawled(web, DENOISE_DEDUP_STORE="texts.sqlite").items)
    known = crawled(web, lambda _: WALL, DENOISE_DEDUP_STORE="texts.sqlite")
    assert len(known.items) == COUNT
    assert sum(item.get("no_content", False) for item in known.items) >= COUNT - 1  # the first may come before others
    Path(FILE).unlink()

    crawled(web)
    done = crawled(web, lambda _: WALL)
    assert len(done.items) == COUNT and not done.dropped
    assert [item.get("no_content") for item in done.items] == [None] + [True] * (COUNT - 1)
    assert done.stat("dedup/passed/no_content") == COUNT - 1
    assert done.stat(f"site/{host_of(web)}/no_content") == COUNT - 1
    assert done.stat(f"site/{host_of(web)}/copies") == 0
    assert done.log.count("it is no copy") == 1
    again = crawled(web, lambda _: WALL, DENOISE_FIELDS={"no_content": "wall"})
    assert any(item.get("wall") for item in again.items) and not any("no_content" in item for item in again.items)


@pytest.mark.parametrize(("change", "late"), [(LOGIN, 0), (SHELL, 0), (WALL, 4)])
def test_what_is_no_content_replaces_no_text_and_changes_nothing(web: Web, change: str, late: int) -> None:
    """Pages with full sentences are known as walls when three have the same; the first may have other lines."""
    given = {"DENOISE_DEDUP_STORE": "texts.sqlite", "DENOISE_SEEN": "mark"}
    first, second = crawled(web, **given), crawled(web, lambda _: change, **given)
    assert not any("seen" in item for item in first.items)
    states = [(item.get("no_content"), item.get("seen", {}).get("state")) for item in second.items]
    assert states.count((True, None)) >= COUNT - late
    third = crawled(web, **given)
    assert [item["seen"]["state"] for item in third.items].count("unchanged") >= COUNT - late


def test_no_item_without_a_page_of_its_own_is_marked_as_a_wall_nor_one_whose_page_has_a_text(web: Web) -> None:
    """Entries of a list, items of `start` and those that lack a field to compare have no text, and no wall either."""
    given = {"DENOISE_FIELDS": {"no_content": "wall"}}
    web.pages = {"/a/0": article(0), "/a/1": SHELL}

    async def start(self: Any) -> Any:
        yield {"url": "https://elsewhere.example/"}
        for path in web.pages:
            yield Request(web(path))

    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url}
        yield {"url": web("/teased"), "of": response.url}

    done = crawl(spider_of(start=start, parse=parse), given)
    assert [item["url"] for item in done.items if item.get("wall")] == [web("/a/1")] and len(done.items) == 5
    done = crawl(spider_of(*web.urls(range(2))), {**given, "DENOISE_DEDUP_FIELDS": "lead"})
    assert {item["url"]: item.get("wall") for item in done.items} == {web("/a/0"): None, web("/a/1"): True}
    bare = make_dataclass("Bare", [("url", str), ("no_content", Any, None)])  # nobody asks for the text of its page
    done = crawl(spider_of(web("/a/0"), parse=lambda self, response: iter([bare(response.url)])))
    assert [item.no_content for item in done.items] == [None]


def mixed(web: Web, *among: str, **given: Any) -> Crawl:
    """A crawl of some pages among ten articles; its items have the URLs that the spider asked for."""
    web.pages |= {f"/good/{n}": article(30 + n) for n in range(10)}
    every = [f"/good/{n}" for n in range(10)] + list(among)
    Random(1).shuffle(every)

    def parse(self: Any, response: Any) -> Any:
        yield {"url": (*response.meta.get("redirect_urls", ()), response.url)[0]}

    spider = spider_of(*map(web, every), parse=parse, handle_httpstatus_list=[404, 429, 503])
    return crawl(spider, {"CONCURRENT_REQUESTS": 1, **given})


@pytest.mark.parametrize("status", [404, 503])
def test_no_item_of_an_error_status_is_a_copy(web: Web, status: int) -> None:
    web.pages = {f"/gone/{n}": Reply(not_found(n).encode(), status) for n in range(6)}
    done = mixed(web, *web.pages)
    assert (len(done.items), done.stat("dedup/passed/no_content")) == (16, 5)
    web.pages = {f"/gone/{n}": not_found(n) for n in range(6)}
    assert len(mixed(web, *web.pages).dropped) == 5


@pytest.mark.parametrize(
    ("asked", "target"),
    [
        ("/a/{}", "/login"),
        ("/show?id={}", "/consent/{}"),
        ("/show/{}?page=1", "/login?next={}"),
        ("/a/{}", "/consent/{}"),
    ],
)
def test_no_item_of_a_wall_behind_redirects_is_a_copy(web: Web, asked: str, target: str) -> None:
    for n in range(12):
        web.pages[asked.format(n)] = Reply(status=302, headers={"Location": target.format(n)})
        web.pages[target.format(n)] = WALL
    done = mixed(web, *map(asked.format, range(12)))
    assert len(done.items) == 22 - len(done.dropped) >= 20  # at the first two it may be copies
    assert done.stat("dedup/passed/no_content") >= 8


def test_pages_that_moved_are_copies_under_both_addresses(web: Web) -> None:
    for n in range(12):
        web.pages[f"/old/{n}"] = web.pages[f"/p/{n}"] = Reply(status=301, headers={"Location": f"/new/{n}"})
        web.pages[f"/new/{n}"] = article(n)
        web.pages[f"/slash/{n}"] = Reply(status=301, headers={"Location": f"/slash/{n}?v=1"})
        web.pages[f"/slash/{n}?v=1"] = article(12)
    done = mixed(web, *(f"/{folder}/{n}" for folder in ("old", "p") for n in range(12)))
    assert (len(done.items), len(done.dropped)) == (22, 12)
    done = mixed(web, *(f"/slash/{n}" for n in range(4)))
    assert (len(done.items), len(done.dropped)) == (11, 3)


def test_a_crawl_that_runs_beside_is_no_earlier_one(web: Web) -> None:
    crawled(web)
    with closing(SQLiteFacts(FILE)) as store:
        [site] = store.health_sites()
        [known] = read_record(store.health(site))
        store.save_health({site: record_of([replace(known, ended=time.time() + 3600)])})
    assert not warned(crawled(web, redesigned))
    assert len(warned(crawled(web))) == 1  # the new template came before this one


def test_a_damaged_record_costs_the_comparison_only_and_a_forgotten_site_has_none(web: Web, call: Told) -> None:
    crawled(web)
    with closing(SQLiteFacts(FILE)) as store:
        [site] = store.health_sites()
        store.save_health({site: b"[7"})
    call("health", 1)
    done = crawled(web)
    assert done.stat("site_memory/corrupt") == 1 and not warned(done)
    call("health")
    call(f"site {host_of(web)} --forget")
    call("health", 1)


def test_the_page_and_json_show_each_site_over_the_crawls(here: Path, web: Web, other_web: Web, call: Told) -> None:
    for one in (web, other_web):
        crawled(one)
        crawled(one, (lambda _: WALL) if one is web else article)
    table, _ = call("health", ALARM)
    assert table.splitlines()[1].endswith(f"{web.url}")  # what is wrong comes first
    [row] = json.loads(call(f"health {host_of(web)} --json", ALARM)[0])
    assert row["site"] == web.url and [bool(one["alarms"]) for one in row["crawls"]] == [False, True]
    assert row["crawls"][0]["pages"] == COUNT and row["crawls"][0]["length"]["median"] > 500
    call(f"health {host_of(other_web)}")
    call("health nowhere.example", 1)


def recipe(name: str, folder: Path) -> ModuleType:
    """Write the file of a recipe into the current folder, and import it."""
    [block] = [one for one in blocks_of(DOCS / "health.md") if one.text.startswith(f"# {name}\n")]
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(block.text, "utf-8")
    module = ModuleType(path.stem)
    exec(compile(block.text, str(path), "exec"), vars(module))
    return module


@pytest.mark.filterwarnings("ignore:Spider.log")
def test_the_spidermon_suite_fails_where_a_site_is_not_well(
    here: Path, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = recipe("myproject/monitors.py", here)
    monkeypatch.setitem(sys.modules, "myproject", ModuleType("myproject"))
    monkeypatch.setitem(sys.modules, "myproject.monitors", module)
    [shown] = [one for one in blocks_of(DOCS / "health.md") if "SPIDERMON_ENABLED" in one.text]
    settings: dict[str, Any] = {}
    exec(shown.text, settings)
    given = {name: value for name, value in settings.items() if name.isupper()}
    well = crawled(web, **given)
    assert "[Spidermon] Health of sites/No site has changed... OK" in well.log
    bad = crawled(web, lambda _: WALL, **given)
    assert "[Spidermon] Health of sites/No site has changed... FAIL" in bad.log
    assert re.search(rf"{re.escape(host_of(web))}: \d+% of the pages have one text in common", bad.log)


def test_the_prometheus_recipe_writes_a_gauge_a_site(here: Path, web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    crawled(web)
    crawled(web, lambda _: SHELL)
    module = recipe("health_metrics.py", here)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    assert module.main(FILE, "health.prom") is None
    families = {one.name: one for one in text_string_to_metric_families(Path("health.prom").read_text("utf-8"))}
    site = {"site": web.url}
    assert [(one.labels, one.value) for one in families["denoise_site_alarms"].samples] == [(site, 2.0)]
    assert [one.value for one in families["denoise_site_empty_bodies"].samples] == [COUNT]


def test_a_crawl_counts_so_many_sites(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "MOST_HELD", 2)
    counted = Counter[str]()
    crawl: Any = SimpleNamespace(count=lambda name: counted.update([name]))
    health = sites.SiteHealth(crawl, SimpleNamespace())  # type: ignore[arg-type]
    first, second = (health.tally(f"http://{name}.example:80") for name in "ab")
    assert first is not None
    assert second is not None
    first.counts.pages = ENOUGH
    assert health.tally("http://c.example:80") is not None  # in place of the second
    assert counted == {"memory/evicted/health": 1}
    assert health.tally("http://a.example:80") is first
    assert health.tally("http://b.example:80") is not second
    assert counted == {"memory/evicted/health": 2}
