from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawl.crawling import stop_reactor
from tests.crawl.web import Web
from tests.dedup.redis_server import redis_server, shared_server

__all__ = ["redis_server", "shared_server"]


@pytest.fixture(scope="session", autouse=True)
def _reactor() -> Iterator[None]:
    yield
    stop_reactor()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def web() -> Iterator[Web]:
    site = Web()
    yield site
    site.close()


@pytest.fixture
def other_web() -> Iterator[Web]:
    site = Web()
    yield site
    site.close()
