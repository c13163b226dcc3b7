"""For any site and spider: an item is dropped only if a delivered item has nearly the same text of its own."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
import scrapy
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from tests.crawl.crawling import Crawl, crawl
from tests.crawl.web import Web, article, sentence, story

PAGES, STORIES = 5, 4
NAMES = ["", "this", "part", "declared", "unknown", *range(PAGES)]
items = st.sampled_from(NAMES).map(lambda name: ("item", name))
steps = st.one_of(items, items, items, st.just(("sleep", 0)), st.integers(0, PAGES - 1).map(lambda n: ("follow", n)))


@dataclass
class Made:
    """A site and a spider: the story of each page, what its callback does, where the spider starts."""

    stories: list[int]
    callbacks: list[list[tuple[str, Any]]]
    failing: set[int]
    start: list[int]
    by_field: bool


made = st.builds(
    Made,
    stories=st.lists(st.integers(0, STORIES - 1), min_size=PAGES, max_size=PAGES),
    callbacks=st.lists(st.lists(steps, max_size=7), min_size=PAGES, max_size=PAGES),
    failing=st.sets(st.integers(0, PAGES - 1), max_size=1),
    start=st.lists(st.integers(0, PAGES - 1), min_size=1, max_size=PAGES, unique=True),
    by_field=st.booleans(),
)


@dataclass
class Yielded:
    """An item as it left the spider: its page, the page it names, and pages called and requested by then."""

    response: Any
    page: int
    name: Any
    text: int
    called: set[int]
    requested: set[int]


def spider_of(made: Made, web: Web, log: list[Yielded]) -> type[scrapy.Spider]:
    called: set[int] = set()
    requested, responses = set(made.start), list[Any]()

    class MadeSpider(scrapy.Spider):
        name = "made"
        start_urls = tuple(web(f"/p/{n}") for n in made.start)

        async def parse(self, response: Any) -> Any:
            page = int(response.url[-1])
            called.add(page)
            responses.append(response)  # no id comes back
            for kind, what in made.callbacks[page]:
                if kind == "sleep":
                    await asyncio.sleep(0.01)
                elif kind == "follow":
                    requested.add(what)
                    yield response.follow(f"/p/{what}")
                else:
                    text = len(log) % STORIES
                    log.append(Yielded(id(response), page, what, text, {*called}, {*requested}))
                    item = {"n": len(log) - 1, "text": story(500 + text)}
                    yield item | ({"url": url_of(web, page, what)} if what != "" else {})
            if page in made.failing:
                raise RuntimeError("on purpose")

    return MadeSpider


def url_of(web: Web, page: int, name: Any) -> str:
    here = {"this": f"/p/{page}", "part": f"/p/{page}#part", "declared": f"/c/{page}", "unknown": f"/x/{page}"}
    return web(here.get(name, f"/p/{name}"))


def own_stories(made: Made, log: list[Yielded], item: Yielded) -> set[int | None]:
    """Return the stories that may be an item's own text, by the table of `denoise_scrapy.crawl.item_pages`."""
    siblings = [each for each in log if each.response == item.response]
    this = [each for each in siblings if each.name in ("this", "declared", each.page)]
    if any(item is each for each in this):
        return {made.stories[item.page] if len(this) == 1 else None}
    if item.name in ("", "part"):
        return {made.stories[item.page] if len(siblings) == 1 else None}
    if item.name == "unknown" or item.name not in item.requested:
        return {None}
    return {made.stories[item.name]} if item.name in item.called else {made.stories[item.name], None}


def check(made: Made, log: list[Yielded], done: Crawl) -> None:
    assert sorted(item["n"] for item in [*done.items, *(item for item, _ in done.dropped)]) == [*range(len(log))]
    own: dict[int, int | None] = {}
    for item in [*done.items, *(item for item, _ in done.dropped)]:
        found = [number for number in range(STORIES) if sentence(number) in item.get("body", "")]
        assert len(found) <= 1
        own[item["n"]] = found[0] if found else None
        assert own[item["n"]] in own_stories(made, log, log[item["n"]]), (item, log)
    compared = {n: log[n].text if made.by_field else own[n] for n in own}
    delivered = {compared[item["n"]] for item in done.items} - {None}
    assert {compared[item["n"]] for item, _ in done.dropped} <= delivered
    assert done.stat("errors") == 0


@pytest.mark.parametrize("milliseconds", [0, 50])
@settings(
    max_examples=8,  # a crawl each, of some tenths of a second
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
)
@given(made=made)
@example(made=Made([*range(STORIES), 0], [[("item", "this")]] * PAGES, {0, 1, 2}, [0, 1, 2], by_field=False))
def test_each_item_has_its_own_text_and_is_dropped_for_that_only(milliseconds: int, made: Made) -> None:
    web, log = Web(), list[Yielded]()
    web.seconds, web.in_any_order = milliseconds / 1000, True
    for n in range(PAGES):
        links = [f"/p/{m}" for m in range(PAGES)]
        page = article(n, links, story(made.stories[n]) + f" Shared by reader {n}.")
        web.pages[f"/p/{n}"] = page.replace("<head>", f"<head><link rel=canonical href=/c/{n}>")
    try:
        done = crawl(spider_of(made, web, log), {"DENOISE_DEDUP_FIELDS": "text"} if made.by_field else {})
        check(made, log, done)
    finally:
        web.close()
