"""The two pipelines: one gives an item its text, the other drops or marks near-duplicates."""

from __future__ import annotations

import logging
from datetime import datetime, timezone
from typing import Any

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name

from denoise_scrapy.body.extraction import TOO_LARGE
from denoise_scrapy.crawl.base import refusing_to_start
from denoise_scrapy.crawl.duplicates import DuplicateCheck, is_dropped
from denoise_scrapy.crawl.item_pages import ELSEWHERE, NO_PAGE, SEVERAL, ItemPage, ItemText
from denoise_scrapy.crawl.item_values import SAID, CopyCounts, check_libraries, item_text, made_text
from denoise_scrapy.crawl.pages import CrawledPage, PageText
from denoise_scrapy.crawl.state import Component, CrawlState
from denoise_scrapy.dedup import Verdict
from denoise_scrapy.items import has_field, has_text
from denoise_scrapy.settings import MARK, NO_CONTENT, SEEN, VARIANT, DenoiseSettings
from denoise_scrapy.shown import MAX_LOGGED, logger_of, shown
from denoise_scrapy.stats import twentieth

logger = logger_of(__name__)

# Minimum items in a crawl, or in an unbroken run of drops, for the warning that most items are dropped.
MANY = 20
MOST_ARE_DROPPED = (
    "%s of %s items were dropped as near-duplicates, %s of them of %s. If these are not copies, read 'Everything is a "
    "duplicate' in docs/symptoms.md; DENOISE_DEDUP = 'mark' keeps them"
)


OTHER_TITLES = (
    "Five copies of %s have different titles, among them %s, %s and %s. If these are not copies, name fields in which "
    "they differ in DENOISE_DEDUP_FIELDS; DENOISE_DEDUP = 'mark' keeps them"
)
VARIANTS = (
    "%s is %s, and is kept. (Further such items: denoise/dedup/variants; DENOISE_DEDUP_VARIANTS = 'drop' treats them "
    "as near-duplicates)"
)
SAID_NO_CONTENT = (
    "%s has the same text as other pages of its site, probably from a wall or an error page: it is no copy. "
    "(Further such items: denoise/dedup/no_content)"
)
EARLIER = (
    "%s comes before BodyPipeline: items pass it without their %r, and near-duplicates pass it too. If it stores "
    "items, give it a greater number in ITEM_PIPELINES than %s"
)
# Reasons why items have no text of their own, in the order of the log message.
LACKS = {
    SEVERAL: "share a page with others (DENOISE_SHARED_BODY = True gives its text to each)",
    ELSEWHERE: "name a page that the spider has not fetched (follow the link, and yield the item from there)",
    NO_PAGE: "come from no HTML page that was read",
}
NOT_JUDGED = (
    "%s is too large for its main text to be found: its items get all of its text. (Further such pages: "
    "denoise/body/fallback/too_large)"
)
NO_BODY = (
    "Not one item of this crawl has the text of its page: %s. For a spider that needs no texts, set DENOISE_ENABLED = "
    "False in its custom_settings"
)


class NearDuplicate(DropItem):
    """An item with nearly the same text as a kept item, whose key is `of`; `score` is 0 to 1."""

    def __init__(self, of: str | None, score: float):
        # Scrapy logs the whole item after this message, hence the level.
        super().__init__(f"near-duplicate of {shown(of or '', MAX_LOGGED)} (score {score:.2f})", log_level="DEBUG")
        self.of = of
        self.score = score


class UnchangedItem(DropItem):
    """An item that was delivered before and has not changed; `since` is an ISO 8601 time."""

    def __init__(self, since: str):
        super().__init__(f"unchanged since {since}", log_level="DEBUG")
        self.since = since


class BodyPipeline(Component):
    """Sets the body field of each item to the text of its page.

    It should be the first pipeline: an earlier one that stores items stores them without text, and one that replaces
    an item hides its origin. If this pipeline fails after the start, the item passes.

    Raises:
        ConfigurationError: The file of the site memory is unusable, or a library is missing; the crawl does not start.
    """

    def __init__(self, state: CrawlState):
        super().__init__(state)
        self._earlier: list[str] = []
        self._last = ""
        with refusing_to_start(state.crawl.crawler):
            if state.crawl.settings.enabled:
                check_libraries(state.crawl.settings)
                state.sites.open()

    def open_spider(self) -> None:
        """Log which pipelines of the project come before ours."""
        try:
            order = _order(self._crawl.crawler)
        except Exception as error:  # raised by an unusual pipeline manager
            self._crawl.report("pipelines", error)
            return
        before, ours, others = list[str](), list[str](), list[str]()  # `before`: before the last of ours
        for pipeline, name in order:
            if not isinstance(pipeline, (BodyPipeline, NearDuplicatePipeline)):
                others.append(name)
                continue
            ours.append(name.rpartition(".")[2])
            before = list(others)
            if pipeline is self:
                self._earlier = before
        self._last = "".join(ours[-1:])
        if self._crawl.settings.enabled:
            named = ", ".join(before) or "none"
            logger.info("Pipelines of the project before %s: %s", " and ".join(ours), named, extra=self._crawl.extra)

    async def close_spider(self) -> None:
        """Judge the health of sites, close the site memory, and warn if no item has a text."""
        if self._state.pages.used:
            counts = {reason: self._crawl.counted(f"body/{reason}") for reason in (*LACKS, "items", "kept")}
            if not counts.pop("items") and not counts.pop("kept") and any(counts.values()):
                why = "; ".join(f"{count:,} {LACKS[reason]}" for reason, count in counts.items() if count)
                self._crawl.say_once("no_body", logging.WARNING, NO_BODY, why)
            try:
                await self._state.health.finish()
            except Exception as error:
                self._crawl.report("health", error)
            await self._state.sites.close()

    async def process_item(self, item: Any) -> Any:
        """Return the item with the text of its page, or unchanged."""
        self._state.items_in_work += 1
        try:
            return await self._with_body(item)
        except Exception as error:
            self._crawl.report("body", error)
            return item
        finally:
            self._state.items_in_work -= 1

    async def _with_body(self, item: Any) -> Any:
        state = self._state
        if not ItemAdapter.is_item(item):
            return item
        whose = await state.items.of(item)
        if whose.reason and state.pages.used:
            self._crawl.count(f"body/{whose.reason}")
        if whose.settings.enabled:
            state.health.count(whose.url, "items")
        crawled, fields = whose.page, list[str]()
        if crawled is not None:
            names, overwrite = crawled.settings.item_fields.values(), crawled.settings.overwrite
            fields = [field for field in names if self._lacks(item, field, overwrite=overwrite)]
        if crawled is None or not fields:
            return await self._crawl.beside.in_turn(lambda: item, 0)
        async with crawled.computing:  # items of a page are processed concurrently
            text = crawled.text
            if text is None:
                text = await self._made_text(crawled)
                state.pages.note_text(crawled, text)
        if self._earlier and not text.is_empty:
            lacking = next((field for field in fields if not has_text(item, field)), "")
            for name in self._earlier if lacking else ():  # these may have stored the item without it
                self._crawl.say_once(f"earlier/{name}", logging.WARNING, EARLIER, name, lacking, self._last)
        for field in fields:
            item = state.items.with_field(item, field, text.fields[field])
            whose.given.add(field)
        self._crawl.count("body/items")
        if text.is_empty:
            self._crawl.count("body/empty")
        self._crawl.count(f"body/evidence/{text.evidence.replace(' ', '_')}")
        if text.fallback:
            self._crawl.count(f"body/fallback/{text.fallback.replace(' ', '_')}")
        return item

    async def _made_text(self, crawled: CrawledPage) -> PageText:
        """Extract a page, and count the findings."""
        made = await made_text(crawled, await self._state.comparison.pages_for(crawled), self._crawl.beside)
        self._crawl.count(f"body/confidence/{twentieth(made.reading.confidence)}")
        if made.text.fallback == TOO_LARGE:
            self._crawl.say_once("too_large", logging.WARNING, NOT_JUDGED, crawled.page.url)
        if made.lack:
            self._crawl.count(made.lack)
        if isinstance(made.error, ImportError):  # for fields from a request's meta, unknown at the start
            self._crawl.say_once("meta", logging.WARNING, "Fields from the meta of a request: %s", made.error)
        elif made.error is not None:
            self._crawl.report("meta", made.error)
        for what, lacking in (("lang", "no_lang"), ("published", "no_date")):
            field = crawled.settings.item_fields.get(what)
            if field:
                self._crawl.count(f"meta/{what if made.text.fields[field] else lacking}")
        await self._state.health.add(crawled.page.url, made.reading)
        return made.text

    def _lacks(self, item: Any, field: str, *, overwrite: bool) -> bool:
        """Return whether to set one of our fields on an item."""
        if not has_field(item, field):
            self._crawl.count("body/no_field")
            self._crawl.say_once(
                f"no_field/{type(item)}/{field}",
                logging.WARNING,
                "%s has no field %r, so its items do not get it: declare the field, or name another in "
                "DENOISE_BODY_FIELD or DENOISE_FIELDS",
                type(item).__name__,
                field,
            )
            return False
        if has_text(item, field) and not overwrite:
            self._crawl.count("body/kept")
            return False
        return True


class NearDuplicatePipeline(Component):
    """Drops or marks each item whose text is nearly the same as a kept item's.

    A text is final once its item is delivered; until then its copies wait. If this pipeline fails after the start,
    the item passes.

    Raises:
        ConfigurationError: The file of the index is unusable; the crawl does not start.
    """

    def __init__(self, state: CrawlState):
        super().__init__(state)
        self._check = DuplicateCheck(state)
        self._copies = CopyCounts()
        state.crawl.watch("evicted/copies", lambda: self._copies.evicted)
        with refusing_to_start(state.crawl.crawler):
            self._check.open()

    def open_spider(self) -> None:
        """Start using the index."""
        self._check.begin()

    async def close_spider(self) -> None:
        """Set the stats of the index and close it."""
        await self._check.finish()
        index = self._check.index
        if index is not None:
            self._crawl.set("dedup/kept_texts", len(index))
            self._crawl.set("dedup/verified", index.stats["verified"])
        if self._copies.items >= MANY and self._copies.dropped > self._copies.items / 2:
            self._warn("most_dropped")
        if self._copies.most:
            self._crawl.set("dedup/most_copied", self._copies.most)
            self._crawl.set("dedup/most_copies", self._copies.most_copies)
        self._check.close()

    async def process_item(self, item: Any) -> Any:
        """Return the item, possibly marked; raise `NearDuplicate` or `UnchangedItem` to drop it."""
        try:
            item = await self._checked(item)
        except NearDuplicate:
            self._copies.decided(dropped=True)
            if self._copies.in_a_row == MANY:
                self._warn("many_dropped")
            raise
        except UnchangedItem:
            raise
        except Exception as error:
            self._crawl.report("dedup", error)
        self._copies.decided(dropped=False)
        return item

    def _warn(self, occasion: str) -> None:
        """Warn that many items are dropped, once per occasion."""
        counts = self._copies
        figures = (counts.dropped, counts.items, counts.most_copies, counts.most)
        self._crawl.say_once(occasion, logging.WARNING, MOST_ARE_DROPPED, *figures)

    async def _checked(self, item: Any) -> Any:
        if not ItemAdapter.is_item(item):
            return item
        whose = await self._state.items.of(item)
        if not (whose.settings.enabled and whose.settings.needs_index):
            return item
        found = item_text(item, whose, self._check.spellings)
        if found.obstacle:
            self._crawl.count(f"dedup/{found.obstacle}")
            if found.obstacle in SAID:
                self._crawl.say_once(f"dedup/{found.obstacle}", logging.INFO, SAID[found.obstacle])
            return item
        page = whose.own_page
        if page is not None:
            page.item_keys.add(found.key)
        verdict = await self._check.check(found, whose)
        return item if verdict is None else self._judged(item, found, verdict, whose)

    def _judged(self, item: Any, found: ItemText, verdict: Verdict, whose: ItemPage) -> Any:
        """Return an item with its verdict's marks; raise `NearDuplicate` to drop it."""
        for name, counts in (("checked", True), ("too_short", verdict.too_short), ("updated", verdict.updated)):
            if counts:
                self._crawl.count(f"dedup/{name}")
        if verdict.since is not None:
            item = self._seen(item, verdict, verdict.since, whose.settings)
        if verdict.variant_of is not None:
            self._crawl.count("dedup/variants")
            self._crawl.say_once("variants", logging.INFO, VARIANTS, found.key, verdict.reason)
            logger.debug("Variant: %s, %s", found.key, verdict.reason, extra=self._crawl.extra)
            return self._marked(item, whose.settings.mark_field(VARIANT), verdict.variant_of)
        reason = self._why_it_passes(item, found, verdict, whose)
        if reason == NO_CONTENT:
            self._crawl.say_once(NO_CONTENT, logging.INFO, SAID_NO_CONTENT, found.key)
            self._state.health.count(whose.url, NO_CONTENT)
            item = self._marked(item, whose.settings.mark_field(NO_CONTENT), True)
        if reason:
            self._crawl.count(f"dedup/{reason}")
        if reason or not verdict.duplicate:
            return item
        self._state.health.count(whose.url, "copies")
        return self._duplicate(item, found, verdict, whose.settings)

    def _why_it_passes(self, item: Any, found: ItemText, verdict: Verdict, whose: ItemPage) -> str:
        """Return the name of the stat for the reason why a near-duplicate or an update passes; "" if there is none."""
        page = whose.own_page
        if verdict.duplicate and page is not None and verdict.of in page.item_keys:
            return "same_page"
        if verdict.duplicate and whose.settings.dedup == "drop" and self._check.is_wanted(item, found, verdict.of):
            return "other_feed"
        if page is None or not (verdict.duplicate or verdict.updated):
            return ""
        return NO_CONTENT if self._state.health.is_no_content(page.page, found.text) else ""

    def _seen(self, item: Any, verdict: Verdict, seconds: float, settings: DenoiseSettings) -> Any:
        """Drop an item that was delivered before, or mark it, depending on the settings."""
        since = datetime.fromtimestamp(seconds, timezone.utc).isoformat()
        if not verdict.updated:
            self._crawl.count("dedup/unchanged")
        if is_dropped(verdict, settings):
            self._crawl.count("dedup/unchanged_dropped")
            raise UnchangedItem(since)
        if settings.seen == "keep" and settings.dedup != "mark":
            return item
        mark: dict[str, Any] = {"state": "changed" if verdict.updated else "unchanged", "since": since}
        if verdict.updated:
            mark["changed"] = list(verdict.changed)
        return self._marked(item, settings.mark_field(SEEN), mark)

    def _marked(self, item: Any, field: str, mark: Any) -> Any:
        """Return an item with a mark in a field, if it has this field and the field is empty."""
        if not field or not has_field(item, field) or has_text(item, field):
            return item
        return self._state.items.with_field(item, field, mark)

    def _duplicate(self, item: Any, found: ItemText, verdict: Verdict, settings: DenoiseSettings) -> Any:
        self._crawl.count("dedup/duplicates")
        self._crawl.count(f"dedup/score/{twentieth(verdict.score)}")
        if examples := self._copies.count(str(verdict.of), found.key, found.title):
            self._crawl.say_once(f"titles/{verdict.of}", logging.WARNING, OTHER_TITLES, verdict.of, *examples)
        logger.info(
            "Near-duplicate: %s of %s (score %.2f)", found.key, verdict.of, verdict.score, extra=self._crawl.extra
        )
        if settings.dedup == "drop":
            self._crawl.count("dedup/dropped")
            raise NearDuplicate(verdict.of, verdict.score)
        if not has_field(item, settings.mark_field(MARK)):
            self._crawl.count("dedup/no_field")
            return item
        self._crawl.count("dedup/marked")
        scores = {"score": verdict.score, "c1": verdict.c1, "new": verdict.new}
        mark = {"of": verdict.of, **{name: round(value, 4) for name, value in scores.items()}}
        return self._state.items.with_field(item, settings.mark_field(MARK), mark)


def _order(crawler: Crawler) -> list[tuple[Any, str]]:
    """Return the enabled pipelines in order, each with its path and number."""
    # of Scrapy's own list, as entries may be functions, or classes that create objects of others
    engine: Any = crawler.engine
    listed = crawler.settings.getdict("ITEM_PIPELINES")
    numbers = {load_object(path): number for path, number in listed.items() if number is not None}
    return [
        (one, f"{global_object_name(type(one))} ({numbers.get(type(one), 'number unknown')})")
        for one in getattr(engine.scraper.itemproc, "middlewares", ())
    ]
