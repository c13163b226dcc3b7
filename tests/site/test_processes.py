"""Three real processes that learn one site, in one file or on one server; and one of them killed."""

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from denoise_scrapy.site import PageMemory
from denoise_scrapy.site.redis_store import RedisSiteStore
from denoise_scrapy.site.site_memory import SiteMemory
from denoise_scrapy.site.sqlite_store import SQLiteSiteStore
from tests.site.made_sites import page, truth

ROOT = Path(__file__).resolve().parents[2]
SITE = "http://a.example:80"
PAGES, EVERY = 40, 2


class Learner:
    """A process of `learner.py`."""

    def __init__(self, place: str, first: int):
        command = [sys.executable, "-m", "tests.site.learner", place, str(first), str(PAGES), str(EVERY)]
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def line(self) -> str:
        return self.process.stdout.readline().strip()

    def begin(self) -> None:
        self.process.stdin.write("\n")

    def __enter__(self) -> "Learner":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture(params=["sqlite", "redis"])
def place(request, tmp_path):
    return str(tmp_path / "s.sqlite") if request.param == "sqlite" else request.getfixturevalue("redis_server").url


def stored(place):
    store = RedisSiteStore(place) if "://" in place else SQLiteSiteStore(place)
    found = store.load(SITE)
    store.close()
    return found


def begun(stack, place):
    learners = [stack.enter_context(Learner(place, first)) for first in (0, 1000, 2000)]
    assert [each.line() for each in learners] == ["ready"] * 3
    for each in learners:
        each.begin()
    return learners


def test_three_processes_learn_what_one_would(place):
    with ExitStack() as stack:
        learners = begun(stack, place)
        for each in learners:
            out, _ = each.process.communicate()
            assert each.process.returncode == 0 and out.split()[-1] == str(PAGES)
    one = SiteMemory(PageMemory(1, 1))
    for n in (first + n for n in range(PAGES) for first in (0, 1000, 2000)):
        one.learn(page(n), truth(page(n)))
    alone = one.learned(page(1))
    (template,), facts = stored(place)
    assert template.pages == alone.pages == 3 * PAGES
    assert template.sums.keys.tolist() == alone.sums.keys.tolist()
    # every page has every path once or six times, so that the order does not matter but for the decay of titles
    assert template.sums.pages == pytest.approx(alone.sums.pages)
    assert template.sums.tokens == pytest.approx(alone.sums.tokens, rel=0.01)
    assert template.sums.content == pytest.approx(alone.sums.content, rel=0.01)
    assert [str(rule.rule) for rule in template.rules()] == ["#main"]
    assert len(facts) == 5


def test_a_killed_process_loses_what_it_had_not_saved_and_no_more(place):
    with ExitStack() as stack:
        killed, *others = begun(stack, place)
        told = [killed.line() for _ in range(3)]
        killed.process.kill()
        told += [line for line in killed.process.stdout.read().split("\n") if line.strip()]
        for each in others:
            each.process.communicate()
            assert each.process.returncode == 0
    (template,), _ = stored(place)
    kept = template.pages - 2 * PAGES
    assert kept < PAGES, "it was killed too late"
    assert kept in (int(told[-1]), int(told[-1]) + EVERY), "at most the save that it was about to tell"
