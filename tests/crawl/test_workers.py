"""Pages are extracted in workers: with the same result, whatever becomes of a worker, and none outlives its crawl."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from scrapy import Request, Spider, signals

from denoise_scrapy.crawl import parts, workers
from denoise_scrapy.worker import worker
from tests.crawl.crawling import ONE_BY_ONE, Crawl, crawl, spider_of
from tests.crawl.strategies import Harmful
from tests.crawl.web import Web, article, sentence, story
from tests.processes import ROOT, Forked, wait_until

if sys.platform != "linux":
    pytest.skip("reads processes in /proc, and exceeds limits that only Linux enforces", allow_module_level=True)

HARMFUL = {"DENOISE_STRATEGY": "tests.crawl.strategies.Harmful", "DENOISE_COMPARISON_SHARE": 0}


def one_after_other(*urls: str) -> type[Spider]:
    """Return a spider that requests a page after the previous page's item: comparison does not depend on timing."""

    async def start(self: Spider) -> AsyncIterator[Request]:
        over = asyncio.Event()

        def note() -> None:
            over.set()

        for signal_ in (signals.item_scraped, signals.item_dropped):
            self.crawler.signals.connect(note, signal_)
        for url in urls:
            yield Request(url)
            await over.wait()
            over.clear()

    return spider_of(start=start)


def ours(done: Crawl) -> dict[str, Any]:
    """Return the stats that do not depend on where pages are extracted."""
    return {name: value for name, value in done.stats.items() if "denoise/" in name and "memory/" not in name}


def test_items_and_stats_are_the_same_with_any_number_of_workers(web: Web, other_web: Web) -> None:
    urls = [each(f"/a/{number}") for number in range(8) for each in (web, other_web)]
    for number in range(8):  # the last ones are copies of the first
        web.pages[f"/a/{number}"] = other_web.pages[f"/a/{number}"] = article(number % 7, [f"/a/{n}" for n in range(8)])
    fields = {"title": "title", "markdown": "markdown", "comparison": "comparison"}
    settings = {"DENOISE_COMPARISON_SHARE": 0, "DENOISE_FIELDS": fields}

    found = []
    for number in (0, 2):
        done = crawl(one_after_other(*urls), {**settings, "DENOISE_WORKERS": number})
        assert done.stats.pop("denoise/workers/started", 0) == number
        found.append((done.items, [item["url"] for item, _ in done.dropped], ours(done)))
    assert found == found[:1] * len(found)
    assert found[0][1]


def test_a_page_that_two_workers_die_of_is_read_without_structure(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "MAX_SECONDS", 0.7)
    causes = {
        "spins": "took more than 0.7 seconds of processor time (docs/symptoms.md)",
        "eats": "took more than 1,073,741,824 bytes of memory (docs/symptoms.md)",
    }
    paths = [f"/a/{n}" for n in range(4)] + [path for harm in causes for path in (f"/{harm}", f"/a/{harm}/4")]
    web.pages = {path: article(number) for number, path in enumerate(paths)}
    fields = {"DENOISE_FIELDS": {"fallback": "fallback"}}
    done = crawl(spider_of(*map(web, paths)), {**HARMFUL, **fields, "DENOISE_WORKERS": 1})
    bodies = done.bodies()
    assert len(bodies) == len(paths)
    assert all(sentence(number) in bodies[web(path)] for number, path in enumerate(paths))
    harmful = {web(f"/{harm}") for harm in causes}
    assert {url for url, body in bodies.items() if "rights reserved" in body} == harmful
    assert {item["url"] for item in done.items if item["fallback"] == "worker died"} == harmful
    assert (done.stat("workers/died"), done.stat("body/fallback/worker_died"), done.stat("errors")) == (4, 2, 0)
    for harm, why in causes.items():
        first, second = done.lines(f"A worker died: it {why}. Its page, {web(f'/{harm}')}, ")
        assert ", is extracted once more. (" in first and ", is read as text without structure. (" in second


def test_a_page_whose_worker_dies_once_has_its_own_text(
    web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REACHED", str(tmp_path))
    monkeypatch.setattr(workers, "TICK", 0.1)
    harms = "killed exits half stopped".split()
    paths = [path for harm in harms for path in (f"/{harm}/0", f"/once-{harm}")]
    web.pages = {path: article(number) for number, path in enumerate(paths)}
    done = crawl(spider_of(*map(web, paths)), {**HARMFUL, "DENOISE_WORKERS": 1})
    bodies = done.bodies()
    assert all(sentence(number) in bodies[web(path)] for number, path in enumerate(paths))
    assert not [path for path in paths[1:] if "rights reserved" in bodies[web(path)]]
    assert (done.stat("workers/died"), done.stat("errors")) == (3, 0), "one that is stopped is continued"
    why = "answered nothing for a minute (DENOISE_WORKERS = 0 does without workers)"
    assert len(done.lines(f"A worker died: it {why}. Its page, {web('/once-half')}, is extracted once more. (")) == 1


def test_a_page_that_three_workers_die_of_has_no_text(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    web.pages = {"/a/0": article(0), "/eats": article(1), "/a/2": article(2)}
    made = worker.PageSource._replace
    monkeypatch.setattr(worker.PageSource, "_replace", lambda source, **more: made(source, as_text=False))
    done = crawl(spider_of(*map(web, web.pages)), {**HARMFUL, "DENOISE_WORKERS": 1})
    assert [bool(item.get("body")) for item in done.items] == [item["url"] != web("/eats") for item in done.items]
    assert (done.stat("workers/died"), done.stat("body/lost"), len(done.items)) == (3, 1, 3)
    assert done.log.count(", has no text. (Further: ") == 1


def test_only_pages_that_workers_die_of_lose_their_structure(web: Web) -> None:
    harmful = [f"/{n}/killed" for n in range(2)]
    paths = [path for n in range(12) for path in (f"/a/{n}", *harmful[n : n + 1])]
    web.pages, web.in_any_order, web.seconds = {path: article(n) for n, path in enumerate(paths)}, True, 0.02
    done = crawl(spider_of(*map(web, paths)), {**HARMFUL, "DENOISE_WORKERS": 1, "CONCURRENT_REQUESTS": 16})
    bodies = done.bodies()
    assert all(sentence(n) in bodies[web(path)] for n, path in enumerate(paths))
    assert {path for path in paths if "rights reserved" in bodies[web(path)]} == {*harmful}
    assert done.stat("workers/died") == 2 * done.stat("body/fallback/worker_died") == 2 * len(harmful)


def test_pages_that_kill_a_worker_before_it_has_a_result_come_to_no_other_process(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = workers.Worker._take

    def take_as_the_first(self: workers.Worker, results: Any) -> None:
        take(self, results)
        self._has_worked = False

    monkeypatch.setattr(workers.Worker, "_take", take_as_the_first)
    web.pages = {f"/{n}/killed": article(n) for n in range(3)}
    done = crawl(spider_of(*map(web, web.pages)), {**HARMFUL, "DENOISE_WORKERS": 1})
    assert all(sentence(n) in done.bodies()[web(path)] for n, path in enumerate(web.pages))
    assert (done.stat("errors"), done.stat("workers/died")) == (0, 6)


@pytest.mark.parametrize("harm", ["raises", "is-refused"])
def test_an_error_of_a_strategy_is_said_with_its_page_and_traceback(harm: str, web: Web) -> None:
    web.pages = {"/a/0": article(0), f"/{harm}": article(1)}
    done = crawl(spider_of(*map(web, web.pages)), {**HARMFUL, "DENOISE_WORKERS": 1})
    assert len(done.items) == 2
    assert done.stat("errors/body") == done.stat("errors") == 1
    assert f"Error in body: {web(f'/{harm}')} passes unchanged" in done.log
    assert '"broken on purpose")' in done.log
    assert done.stat("workers/died") == 0


def test_the_crawl_goes_on_while_a_worker_works(
    web: Web, other_web: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two workers the items of another site pass, if it is not the same worker's; the reactor runs in any case."""
    leave, reached = tmp_path / "leave", tmp_path / "reached"
    monkeypatch.setenv("LEAVE", str(leave))
    monkeypatch.setenv("REACHED", str(reached))
    web.pages = {"/waits": article(0), **{f"/json/{n}": "{}" for n in range(9)}}
    came = []

    async def start(self: Any) -> AsyncIterator[Request]:
        yield Request(web("/waits"))
        while not reached.exists():
            await asyncio.sleep(0.01)
        for n in range(9):
            yield Request(web(f"/json/{n}"), self.note)

    def note(self: Any, response: Any) -> None:
        came.append(response.url)
        if len(came) == 9:
            leave.touch()

    done = crawl(spider_of(start=start, note=note), {**HARMFUL, "DENOISE_WORKERS": 1})
    assert (len(came), leave.exists()) == (9, True)
    assert sentence(0) in done.items[0]["body"]


def test_small_crawls_stay_in_their_process(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Any] = []

    async def start(self: Any) -> None:
        tried.append(self)
        raise OSError("no process")

    monkeypatch.setattr(workers.Worker, "_run", start)
    web.pages = {f"/a/{n}": article(n) for n in range(6)}
    spider = spider_of(*map(web, web.pages))
    monkeypatch.setattr(workers, "_wanted", lambda asked: (1, 6))
    assert len(crawl(spider, ONE_BY_ONE).items) == 6 and not tried
    monkeypatch.setattr(workers, "_wanted", lambda asked: (1, 3))
    assert len(crawl(spider, ONE_BY_ONE).items) == 6 and tried


def test_large_pages_are_extracted_in_a_worker_at_once(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "_wanted", lambda asked: (1, 100))
    web.pages = {f"/a/{n}": article(n) for n in range(6)}
    for large in (article(3) + "<b></b>" * workers.MANY_TAGS, article(3, text=story(3, parts.LARGE // 100))):
        web.pages["/a/3"] = large
        done = crawl(spider_of(*map(web, web.pages)), ONE_BY_ONE)
        assert done.stat("workers/started") == 1
        assert all(sentence(n) in done.bodies()[web(f"/a/{n}")] for n in range(6))
        assert not any("rights reserved" in body for body in list(done.bodies().values())[1:])


def test_what_workers_cannot_import_is_extracted_in_the_crawls_process(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = ModuleType("only_here")
    here.Strategy = Harmful  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "only_here", here)
    web.pages = {f"/a/{n}": article(n) for n in range(6)}
    alone = {"DENOISE_STRATEGY": "only_here.Strategy", "DENOISE_WORKERS": 1, **ONE_BY_ONE}
    done = crawl(spider_of(*map(web, web.pages)), alone)
    assert done.stat("workers/started") == 0
    meta = {"denoise": {"strategy": "only_here.Strategy"}}
    requests = [Request(web(f"/a/{n}"), meta=meta if n % 2 else {}) for n in range(6)]
    some = crawl(spider_of(*requests), {"DENOISE_WORKERS": 1, **ONE_BY_ONE})
    assert some.stat("workers/started") == 1
    for each in (done, some):
        assert all(sentence(n) in each.bodies()[web(f"/a/{n}")] for n in range(6))
        assert each.log.count("cannot import the strategy only_here.Strategy") == 1


def test_a_crawl_that_cannot_start_a_worker_does_without(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker.subprocess, "Popen", lambda *_, **__: (_ for _ in ()).throw(OSError("no process")))
    web.pages = {f"/a/{n}": article(n) for n in range(6)}
    done = crawl(spider_of(*map(web, web.pages)), {"DENOISE_WORKERS": 2})
    assert all(sentence(n) in done.bodies()[web(f"/a/{n}")] for n in range(6))
    assert done.log.count("since no worker can be started now: no process") == 1


def test_a_crawl_may_end_while_its_worker_starts(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    web.pages = {f"/a/{n}": article(n) for n in range(6)}
    monkeypatch.setattr(workers, "_wanted", lambda asked: (1, 3))
    ready = asyncio.Event()

    async def never(*_: Any) -> None:
        await ready.wait()

    before = children_of(os.getpid())
    monkeypatch.setattr(workers.Worker, "_take_from", never)
    done = crawl(spider_of(*map(web, web.pages)))
    assert (len(done.items), done.stat("workers/started")) == (6, 0)
    assert children_of(os.getpid()) == before


def test_a_worker_that_is_killed_again_and_again_costs_no_item(web: Web) -> None:
    count = 32
    web.pages = {f"/a/{n}": article(n) for n in range(count)}

    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url}
        if response.url.endswith("0"):
            for pid in children_of(os.getpid()):
                if b"denoise_scrapy.worker" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)

    done = crawl(spider_of(*map(web, web.pages), parse=parse), {"DENOISE_WORKERS": 1})
    assert len(done.items) == count
    bodies = done.bodies()
    assert [n for n in range(count) if sentence(n) not in (bodies[web(f"/a/{n}")] or sentence(n))] == []
    assert sum(not body for body in bodies.values()) == done.stat("body/lost") <= done.stat("workers/died")
    assert done.stat("errors") == 0 < done.stat("workers/died")


def test_facts_of_earlier_crawls_are_loaded_again_after_a_death(web: Web, tmp_path: Path) -> None:
    web.pages = {f"/a/{n}": article(n) for n in range(6)} | {"/killed": article(7), "/a/8": article(8)}
    fields = {"DENOISE_FIELDS": {"comparison": "others"}}
    settings = {**HARMFUL, **fields, "DENOISE_WORKERS": 1, "JOBDIR": str(tmp_path)}
    crawl(one_after_other(*web.urls(range(6))), settings)
    done = crawl(one_after_other(web("/killed"), web("/a/8")), settings)
    others = {item["url"]: item["others"] for item in done.items}
    assert (done.stat("workers/died"), done.stat("site_memory/loaded")) == (2, 2)
    assert len(others[web("/a/8")]) > 3


CRAWL = """
import sys
from scrapy.crawler import CrawlerProcess
from tests.crawl.crawling import BASE, spider_of
process = CrawlerProcess({**BASE, "DENOISE_STRATEGY": "tests.crawl.strategies.Harmful", "DENOISE_WORKERS": 2})
process.crawl(spider_of(*sys.argv[1:]))
process.start()
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_its_crawl(web: Web, tmp_path: Path, number: signal.Signals) -> None:
    leave, reached = tmp_path / "leave", tmp_path / "reached"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "LEAVE": str(leave), "REACHED": str(reached)}
    web.pages["/waits"] = article(0)
    log = tmp_path / "log"
    process = Forked(["-c", CRAWL, web("/waits")], tmp_path, env, out=log, err=log)
    wait_until(reached.exists)
    children = children_of(process.pid)
    assert len(children) == 2
    process.send_signal(number)
    if number == signal.SIGINT:  # the crawl ends in good order, with the page that is in work
        leave.touch()
        process.wait()
        said = log.read_text("utf-8")
        assert "'denoise/body/items': 1" in said and "workers/died" not in said
    wait_until(lambda: not any(map(is_running, children)))


def children_of(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
