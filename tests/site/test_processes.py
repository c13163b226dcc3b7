"""Three real processes that keep pages of one site, in one file or on one server."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from denoise_scrapy.site import facts_store
from denoise_scrapy.site.facts_store import PAGES_A_SITE, PAGES_A_TEMPLATE

ROOT = Path(__file__).resolve().parents[2]
SITE = "http://a.example:80"
PAGES, EVERY = 40, 2
SAVES = PAGES // EVERY


class Crawl:
    """A process of `crawl_process.py`."""

    def __init__(self, place: str, first: int):
        command = [sys.executable, "-m", "tests.site.crawl_process", place, str(first), str(PAGES), str(EVERY)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def line(self) -> str:
        return self.process.stdout.readline().strip()

    def let(self, saves: int) -> None:
        self.process.stdin.write("\n" * saves)

    def __enter__(self) -> "Crawl":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(params=["sqlite", "redis"])
def place(request, tmp_path):
    return str(tmp_path / "s.sqlite") if request.param == "sqlite" else request.getfixturevalue("redis_server").url


def stored(place):
    store = facts_store(place)
    found = [int(facts.url.rpartition("/")[2]) for facts in store.load(SITE)]
    store.close()
    return found


def test_three_processes_keep_the_newest_pages_of_all(place):
    with ExitStack() as stack:
        crawls = [stack.enter_context(Crawl(place, first)) for first in (0, 1000, 2000)]
        assert [each.line() for each in crawls] == ["ready"] * 3
        for each in crawls:
            each.let(SAVES)
        for each in crawls:
            out, _ = each.process.communicate()
            assert each.process.returncode == 0 and out.split()[-1] == str(PAGES)
    kept = stored(place)
    assert PAGES_A_TEMPLATE <= len(kept) <= PAGES_A_SITE
    assert kept[-1] % 1000 == PAGES - 1
