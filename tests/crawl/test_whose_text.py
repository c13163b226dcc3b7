"""An item has the text of the page whose callback yielded it, or of a page that it names, or none.

Items of errbacks, of signals, and of other components have no page, whatever else is going on: `ways.py` lists where
items come from, and whose text each may have.
"""

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import attrs
import scrapy
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.crawl.crawling import crawl, event_loop
from tests.crawl.ways import WAYS, SomeNames, Ways, spider_of
from tests.crawl.web import Web

TIMES = 1  # items on each way


class ScrapyItem(scrapy.Item):
    n, way, url, body = (scrapy.Field() for _ in range(4))


@dataclasses.dataclass
class DataItem:
    n: int
    way: str
    url: str = ""
    body: str = ""


@attrs.frozen
class FrozenItem:
    n: int
    way: str
    url: str = ""
    body: str = ""


KINDS: list[Callable[..., Any]] = [dict, ScrapyItem, DataItem, FrozenItem]
SORTS = ("errback", "callback", "signal", "spider middleware", "downloader middleware", "start")


def problems_of(ways: Ways, web: Web, concurrent: int = 16) -> dict[str, list[str]]:
    """Crawl, and return what is wrong, by way."""
    event_loop()
    from twisted.internet import reactor

    before = reactor.installNameResolver(SomeNames())
    try:
        done = crawl(spider_of(ways), {"CONCURRENT_REQUESTS": concurrent})
    finally:
        reactor.installNameResolver(before)
    found = defaultdict[str, list[str]](list)
    for way, problem in ways.problems(done):
        found[way].append(problem)
    if done.stat("errors"):
        found["errors"] = [f"{done.stat('errors')} errors in the plugin"]
    return found


def test_items_on_all_ways_at_once_have_their_own_text_or_none(web: Web) -> None:
    """Items that cannot be changed, which is the hardest kind."""
    web.seconds, web.in_any_order = 0.05, True
    ways = Ways(web, Counter(dict.fromkeys(WAYS, TIMES)), FrozenItem)
    assert problems_of(ways, web) == {}
    handed = Counter(each.way for each in ways.handed)
    assert [way for way in WAYS if not handed[way]] == [], "these brought no item"


@settings(
    max_examples=4,  # a crawl each, of some tenths of a second
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(
    wanted=st.dictionaries(st.sampled_from(WAYS), st.integers(1, 4), min_size=1, max_size=12),
    kind=st.sampled_from(KINDS),
    milliseconds=st.sampled_from([0, 20, 100]),
    concurrent=st.sampled_from([1, 3, 16]),
    seed=st.integers(0, 9),
)
def test_items_of_made_spiders_have_their_own_text_or_none(
    wanted: dict[str, int], kind: Any, milliseconds: int, concurrent: int, seed: int
) -> None:
    web = Web()
    web.seconds, web.in_any_order = milliseconds / 1000, True
    try:
        assert problems_of(Ways(web, Counter(wanted), kind, seed), web, concurrent) == {}
    finally:
        web.close()
