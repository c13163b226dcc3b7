"""A Redis server that stops, returns, is silent, or loses everything in the middle of a crawl."""

import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.web import Web
from tests.dedup.redis_server import RedisServer
from tests.faults.checks import copies_kept, wrong_at_end
from tests.faults.project import Project, ended
from tests.faults.stories import Stories
from tests.processes import wait_until

PAGES = 20  # of each of three parts: before the fault, during it, after it
# Seconds that the event loop may stand still. A busy machine alone makes it one; a silent server is waited for nine.
LONGEST_PAUSE = 3.0
SAID = "The index of texts cannot be used now"


class Gates(dict[str, Any]):
    """Pages, some of which are served when their gate is opened."""

    def __init__(self, *paths: str):
        super().__init__()
        self._gates = {path: threading.Event() for path in paths}

    def open(self, path: str) -> None:
        self._gates[path].set()

    def get(self, path: str, default: Any = None) -> Any:
        if path in self._gates:
            self._gates[path].wait(30)
        return super().get(path, default)


class Parts:
    """A crawl in three parts, with an index on a server."""

    def __init__(self, web: Web, folder: Path, url: str, *arguments: str):
        self.web, self.gates = web, Gates("/during", "/after")
        web.pages = self.gates
        self.parts = [Stories(PAGES, seed, folder=name) for seed, name in enumerate("abc")]
        lists = ["/list", "/during", "/after"]
        for part, here, there in zip(self.parts, lists, [*lists[1:], ""], strict=True):
            part.serve(web, here, there)
        store = ("-s", f"DENOISE_DEDUP_STORE={url}")
        self.project = Project(folder, web.url, *store, *arguments)

    def run(self, fault: Callable[[], None], cure: Callable[[], None], *, noticed: bool = True) -> None:
        """Crawl, with a fault in the middle of the second part, which lasts until it is noticed, or a second."""
        process = self.project.start()
        try:
            wait_until(lambda: self.ended() == PAGES)
            self.web.seconds = 0.1
            self.gates.open("/during")
            wait_until(lambda: len(self.project.urls("entered")) > PAGES + 5)
            fault()
            if noticed:
                wait_until(lambda: self.project.said(SAID))
            else:
                time.sleep(1)
            cure()
            wait_until(lambda: self.ended() == 2 * PAGES)
            self.web.seconds = 0.4  # time to find out that the server is back
            self.gates.open("/after")
            assert ended(process) == 0
        finally:
            process.kill()
            process.wait()

    def ended(self) -> int:
        """Return the number of items with a known outcome."""
        return len(self.project.journal("scraped", "dropped", "failed", "duplicate"))

    def assert_nothing_is_lost(self) -> None:
        assert self.ended() == 3 * PAGES
        assert wrong_at_end(self.parts, [self.project]) == []
        [end] = self.project.journal("closed")
        assert end["longest_pause"] < LONGEST_PAUSE

    def dropped(self, part: int) -> int:
        """Return the number of dropped copies of a part."""
        return sum(self.parts[part].has(url) for url in self.project.urls("duplicate"))


@pytest.fixture
def server() -> Iterator[RedisServer]:
    with tempfile.TemporaryDirectory(prefix="redis") as folder:
        server = RedisServer(folder, appendonly="yes", appendfsync="always")
        yield server
        server.process.send_signal(signal.SIGCONT)
        server.kill()


@pytest.fixture
def parts(web: Web, server: RedisServer, tmp_path: Path) -> Parts:
    return Parts(web, tmp_path / "crawl", server.url)


@pytest.mark.parametrize("how", ["stops and comes back", "falls silent", "stays away"])
def test_a_server_that_fails(parts: Parts, server: RedisServer, how: str) -> None:
    stop, go_on = (partial(server.process.send_signal, signum) for signum in (signal.SIGSTOP, signal.SIGCONT))
    faults = {"stops and comes back": (server.kill, server.start), "falls silent": (stop, go_on)}
    parts.run(*faults.get(how, (server.kill, lambda: None)))
    parts.assert_nothing_is_lost()
    assert parts.project.said(SAID) == 1, parts.project.complaints()
    assert not parts.project.said("close failure")
    assert parts.dropped(0) > 0 and (parts.dropped(2) > 0 or how == "stays away")


def test_a_server_that_loses_all(parts: Parts, server: RedisServer) -> None:
    parts.run(server.client.flushall, lambda: None)
    parts.assert_nothing_is_lost()
    assert parts.project.said(SAID) == 1, parts.project.complaints()
    new = [url for url in parts.project.feed().urls if parts.parts[2].has(url)]
    assert copies_kept(new, parts.parts) == []


def test_a_slow_server(parts: Parts, server: RedisServer) -> None:
    """It responds, though late: nothing is missed, and the crawl continues meanwhile."""
    stopping = threading.Event()

    def stutter() -> None:
        while not stopping.is_set():
            for signum in (signal.SIGSTOP, signal.SIGCONT):
                server.process.send_signal(signum)
                time.sleep(0.15)

    thread = threading.Thread(target=stutter)
    parts.run(thread.start, stopping.set, noticed=False)
    thread.join()
    parts.assert_nothing_is_lost()
    assert parts.project.complaints() == []
    assert copies_kept(parts.project.feed().urls, parts.parts) == []


def test_a_server_that_is_away_at_the_start(web: Web, server: RedisServer, tmp_path: Path) -> None:
    """Nothing is lost; once the server is back, copies are found, also of earlier items; it is logged once."""
    parts = Parts(web, tmp_path / "crawl", server.url, "-s", "DENOISE_DEDUP_REQUIRED=False")
    server.kill()
    process = parts.project.start()
    try:
        wait_until(lambda: parts.ended() == PAGES)
        assert parts.project.said(SAID) == 1
        server.start()
        web.seconds = 0.4
        parts.gates.open("/during")
        wait_until(lambda: parts.ended() == 2 * PAGES)
        parts.gates.open("/after")
        assert ended(process) == 0
    finally:
        process.kill()
        process.wait()
    parts.assert_nothing_is_lost()
    assert parts.project.said(SAID) == 1, parts.project.complaints()
    assert parts.dropped(2) > 0
    assert server.client.hlen("{denoise}:keys") > 2 * PAGES / 2, "also what came before is there in the end"
