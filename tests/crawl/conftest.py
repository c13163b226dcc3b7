import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from denoise_scrapy.commands import run
from denoise_scrapy.crawl import bodies, budget, fetching, paged, reading, workers
from tests.crawl.crawling import event_loop, stop_reactor
from tests.crawl.names import Names
from tests.crawl.web import Web, article, story
from tests.dedup.redis_server import redis_server, shared_server

__all__ = ["redis_server", "shared_server"]


@pytest.fixture(scope="session", autouse=True)
def _reactor() -> Iterator[None]:
    yield
    stop_reactor()


@pytest.fixture(autouse=True)
def _no_workers_for_tens_of_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """They take longer to start than most of these crawls take."""
    monkeypatch.setattr(workers, "WORTH_PAGES", 100)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def three(here: Path) -> Path:
    """The current folder, with the articles `0.html` to `2.html`."""
    for number in range(3):
        (here / f"{number}.html").write_text(article(number), "utf-8")
    return here


Told = Callable[..., tuple[str, str]]


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Told:
    """A function that runs a `scrapy denoise` command line with an expected exit code; returns stdout and stderr."""

    def run_line(line: str, code: int = 0, **settings: Any) -> tuple[str, str]:
        capsys.readouterr()
        assert run(shlex.split(line), Settings({"JOBDIR": None, **settings})) == code
        return tuple(capsys.readouterr())

    return run_line


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets constants of comparison requests: ENOUGH, FREE, PER_SITE, TIMEOUT, PAGES_WAIT, MAX_PAGE_BYTES."""

    def set_limits(**constants: float) -> None:
        for name, value in constants.items():
            having = [module for module in (bodies, budget, fetching, paged, reading) if hasattr(module, name)]
            assert having, f"no module has {name}"
            for module in having:
                monkeypatch.setattr(module, name, value)

    return set_limits


def _web() -> Iterator[Web]:
    site = Web()
    yield site
    site.close()


web, other_web = pytest.fixture(_web, name="web"), pytest.fixture(_web, name="other_web")


@pytest.fixture
def page(web: Web) -> str:
    """The URL of an article."""
    web.pages["/1"] = article(1)
    return web("/1")


@pytest.fixture
def articles(web: Web) -> Web:
    """A site of twelve articles without links; `/copy` is nearly `/a/1`."""
    web.pages |= {f"/a/{n}": article(n) for n in range(12)}
    web.pages["/copy"] = article(1, text=story(1) + " Shared by a reader of ours.")
    return web


@pytest.fixture
def linked(web: Web) -> Web:
    """A site of six articles with links to five of them."""
    web.pages |= {f"/a/{n}": article(n, [f"/a/{m}" for m in range(1, 6)]) for n in range(6)}
    return web


@pytest.fixture
def names() -> Iterator[Names]:
    event_loop()
    from twisted.internet import reactor

    names = Names()
    before = reactor.installNameResolver(names)  # type: ignore[attr-defined]
    yield names
    reactor.installNameResolver(before)  # type: ignore[attr-defined]
