"""The two pipelines: one gives an item its text, the other drops or marks near-duplicates."""

from __future__ import annotations

import logging
import reprlib
from collections.abc import Mapping
from datetime import datetime, timezone
from functools import partial
from itertools import filterfalse
from operator import itemgetter
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, NotConfigured
from scrapy.http import Response
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.utils.datatypes import LocalCache
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name
from twisted.python.failure import Failure
from typing_extensions import Self, override

from denoise_scrapy.body.fields import META
from denoise_scrapy.crawl.items import copied, has_field, has_text, is_declared, refusal, restore, with_field
from denoise_scrapy.crawl.parts import MOST_KNOWN, refusing_to_start
from denoise_scrapy.crawl.passages import ELSEWHERE, NO_HTML, NO_PAGE, NO_TEXT, OPTED_OUT, SEVERAL, Passage
from denoise_scrapy.crawl.state import Component, CrawlState
from denoise_scrapy.dedup import Verdict
from denoise_scrapy.metadata.annotations import find_libraries
from denoise_scrapy.settings import (
    CONTAINS,
    MARK,
    NO_CONTENT,
    SEEN,
    UPDATE,
    VARIANT,
    ConfigurationError,
)
from denoise_scrapy.support.adapters import Adapter, adapters_of
from denoise_scrapy.support.shown import MAX_CELL, MAX_LOGGED, logger_of, shown
from denoise_scrapy.worker.extractor import Extractor

logger = logger_of(__name__)

# Minimum items that were compared for the warning that most are dropped.
MANY = 20
MOST_ARE_DROPPED = (
    "%s of %s items were dropped as near-duplicates, the last of them of %s. If these are not copies, read 'Everything "
    "is a duplicate' in docs/symptoms.md; DENOISE_DEDUP = 'mark' keeps them"
)
VARIANTS = (
    "%s is %s, and is kept. (Further such items: denoise/dedup/passed/variant_of; DENOISE_DEDUP_VARIANTS = 'drop' "
    "treats them as near-duplicates; DENOISE_DEDUP_FIELDS leaves fields out that say nothing of the text)"
)
DROPPED = (
    "%s is dropped, as a near-duplicate of %s (score %.2f); so are further copies (denoise/dedup/duplicates). "
    "DENOISE_DEDUP = 'mark' keeps and marks them, 'off' looks for none; `scrapy denoise trial` shows them beforehand"
)
SAID_NO_CONTENT = (
    "%s has the same text as other pages of its site, probably from a wall or an error page: it is no copy. "
    "(Further such items: denoise/dedup/passed/no_content)"
)
EARLIER = (
    "%s runs before BodyPipeline, so it receives items without %r, and near-duplicates. If it stores items, give it a "
    "greater number in ITEM_PIPELINES than %s"
)
NO_FIELDS = (
    "%s has no field %s, so its items lack what belongs there: declare the field, or name another in DENOISE_FIELDS"
)
NO_FIELD_FOR = "DENOISE_ADAPTERS has functions for what no field receives: %s. Name the fields in DENOISE_FIELDS"
REFUSED = "%s refuses %r = %s: %s. (Further such values: denoise/body/unset/refused)"
# Logged for the first item that is not compared, by the stat for the reason (`denoise/dedup/not_compared/…`); others
# are only counted.
SAID = {
    "not_ours": "Texts that the spider itself puts into the body field are not compared; a field named in "
    "DENOISE_DEDUP_FIELDS always is. (Further such items: denoise/dedup/not_compared/not_ours)",
    "html": "The field to compare (DENOISE_DEDUP_FIELDS) holds HTML, most of which pages of a site share: it is not "
    "compared. (Further such items: denoise/dedup/not_compared/html)",
}
UNKNOWN_FIELDS = (
    "Not one item of this crawl has a value in %s, which DENOISE_DEDUP_FIELDS or DENOISE_DEDUP_KEY_FIELD names, so it "
    "does not decide what is a copy"
)
# Reasons why items have no text of their own, in the order of the log message.
LACKS = {
    SEVERAL: "share a page with others (DENOISE_SHARED_BODY = True gives its text to each)",
    ELSEWHERE: "name a page that the spider has not fetched (follow the link, and yield the item from there)",
    NO_HTML: "come from a response that is no HTML (if they hold HTML, name the field in DENOISE_HTML_FIELD, now {!r}; "
    "else follow the link, and yield the item from there)",
    NO_PAGE: "come from no HTML page that was read",
}
NO_BODY = (
    "Not one item of this crawl has the text of its page: %s. For a spider that needs no texts, set DENOISE_ENABLED = "
    "False in its custom_settings"
)


# A setting of `scrapy savefixture`, of scrapy-poet, which stores the yielded object after the crawl: what a page object
# makes, and no more.
SAVES_FIXTURE = "_SCRAPY_POET_SAVEFIXTURE"


class NearDuplicate(DropItem):
    """An item with nearly the same text as a kept item, whose key is `of`; `score` is 0 to 1."""

    def __init__(self, of: str | None, score: float):
        super().__init__(f"near-duplicate of {shown(of or '', MAX_LOGGED)} (score {score:.2f})", log_level="DEBUG")
        self.of = of
        self.score = score


class UnchangedItem(DropItem):
    """An item that was delivered before and has not changed; `since` is an ISO 8601 time."""

    def __init__(self, since: str):
        super().__init__(f"unchanged since {since}", log_level="DEBUG")
        self.since = since


class DropLogFormatter(LogFormatter):
    """Logs an item that we drop as one line with its page and the reason; Scrapy's has the whole item, body and all."""

    @override
    def dropped(
        self, item: Any, exception: BaseException, response: Response | Failure | None, spider: Spider
    ) -> LogFormatterResult:
        line = super().dropped(item, exception, response, spider)
        if isinstance(exception, (NearDuplicate, UnchangedItem)):
            page = shown(getattr(response, "url", ""), MAX_LOGGED)
            return {**line, "msg": "Dropped %(page)s: %(exception)s", "args": {"page": page, "exception": exception}}
        return line


class ItemPipeline(Component):
    """Base of our pipelines."""

    place = "item"  # in the stats of errors

    async def process_item(self, item: Any) -> Any:
        """Return the item, which has further values then."""
        passage, state = await self._state.passages.of(item, self), self._state
        state.items_in_work += 1
        try:
            if ItemAdapter.is_item(item):
                await self.process(passage)
        except (NearDuplicate, UnchangedItem):
            passage.is_ours = True
            raise
        except Exception as error:
            self._crawl.report(self.place, error, passage.url)
        finally:
            state.items_in_work -= 1
            if len(passage.passed) == state.pipelines:
                passage.left.set()
        if passage.values is not None:
            state.passages.go_on(passage)
        return passage.item

    def __init__(self, state: CrawlState):
        super().__init__(state)
        state.pipelines += 1

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create one for a crawl."""
        if crawler.settings.getbool(SAVES_FIXTURE):
            raise NotConfigured
        return super().from_crawler(crawler)

    async def process(self, passage: Passage) -> None:
        """Process the item of a passage; raise `NearDuplicate` or `UnchangedItem` to drop it."""

    def _set(self, passage: Passage, field: str, value: Any, made_by: Adapter | None = None) -> bool:
        """Set a field of an item; return whether its class accepts the value.

        An adapter makes what is set; an empty value becomes None then.
        """
        item, is_made = passage.item, made_by is None
        before = item if isinstance(item, dict) else copied(item)
        try:
            made = value if made_by is None else made_by(value) if value else None
            is_made = True
            changed = with_field(item, field, made)
            if changed is not item:
                self._state.passages.replace(passage, changed)
        except Exception as error:  # whatever adapters and validators raise, some after the value was set
            if before is not item:
                restore(item, before)
            kind = type(item).__name__
            name = kind if is_made else f"DENOISE_ADAPTERS: {getattr(made_by, '__qualname__', made_by)}"
            said = (name, field, reprlib.repr(value), shown(refusal(error), MAX_CELL))
            self._crawl.count("body/unset/refused")
            self._crawl.say_once(f"refused/{kind}/{field}", REFUSED, *said)
            return False
        return True


class BodyPipeline(ItemPipeline):
    """Sets the body field of each item to the text of its page.

    It should be the first pipeline: an earlier one that stores items stores them without text, and one that replaces
    an item hides its origin. If this pipeline fails after the start, the item passes.

    Raises:
        ConfigurationError: The file of the site memory is unusable, or a library is missing; the crawl does not start.
    """

    place = "body"

    def __init__(self, state: CrawlState):
        super().__init__(state)
        self._texts: LocalCache[int, None] = LocalCache(MOST_KNOWN)  # hashes of texts that were set
        self._earlier, self._last = _before_ours(state.crawl.crawler)
        with refusing_to_start(state.crawl.crawler):
            for what, field in state.crawl.settings.columns[META].items():
                try:
                    find_libraries()
                except ImportError as error:
                    raise ConfigurationError(f"DENOISE_FIELDS[{what!r}] = {field!r}: {error}") from error
            state.sites.open()

    def open_spider(self) -> None:
        """Warn of adapters that have nothing to do."""
        settings = self._crawl.settings
        idle = settings.adapters.keys() - settings.item_fields.keys()
        if idle:
            logger.warning(NO_FIELD_FOR, ", ".join(sorted(idle)), extra=self._crawl.extra)

    async def close_spider(self) -> None:
        """Judge the health of sites, close the site memory, and warn if no item has a text."""
        self._crawl.take_back()  # before the extensions that look for objects left over
        counts = {reason: self._crawl.counted(f"body/none/{reason}") for reason in LACKS}
        field = self._crawl.settings.html_field
        if any(counts.values()) and not any(map(self._crawl.counted, ("body/items", "body/unset/kept"))):
            why = "; ".join(f"{count:,} {LACKS[reason].format(field)}" for reason, count in counts.items() if count)
            self._crawl.say_once("no_body", NO_BODY, why)
        self._state.passages.refused.warn()
        try:
            await self._state.health.finish()
        except Exception as error:
            self._crawl.report("health", error)
        await self._state.sites.close()

    async def process(self, passage: Passage) -> None:
        """Set the text of the page, and other values, on the item."""
        page, settings = passage.page, passage.settings
        if passage.reason not in {"", OPTED_OUT}:
            self._crawl.count("body/unset/kept" if passage.is_filled else f"body/none/{passage.reason}")
        if passage.tally is not None and settings.enabled:
            passage.tally.counts.items += 1
        fields = [] if page is None else self._open_fields(passage)
        if page is None or not fields:
            return
        text = await self._state.bodies.text_of(page)
        if text is None:
            self._crawl.count("body/lost")
            return
        if settings.pages_field:
            passage.joined = text = await self._state.paged.joined(page, text)
        self._state.passages.go_on(passage)
        if self._earlier and text.size:
            lacking = next((field for field in fields if not has_text(passage.content, field)), "")
            for name in self._earlier if lacking else ():  # these may have stored the item without it
                self._crawl.say_once(f"earlier/{name}", EARLIER, name, lacking, self._last)
        adapters: Mapping[str, Adapter] = {}
        if settings.fields or settings.adapters:
            adapters = adapters_of(passage.item, settings.item_fields, settings.adapters)
        for field in fields:
            if self._set(passage, field, text.fields[field], adapters.get(field)):
                passage.given.add(field)
        self._texts[hash(text.fields.get(settings.body_field))] = None
        self._crawl.count(
            "body/items",
            not text.size and "body/empty",
            f"body/evidence/{text.evidence.replace(' ', '_')}",
            text.fallback and f"body/fallback/{text.fallback.replace(' ', '_')}",
        )

    def _open_fields(self, passage: Passage) -> list[str]:
        """Return those of our fields that the item has, and that are to be set."""
        item, content, settings = passage.item, passage.content, passage.settings
        wanted, missing = list[str](), list[str]()
        # the spider may yield an earlier page's item again, or another one with the values that this had from us
        are_ours = hash(str(content.get(settings.body_field))) in self._texts
        for name in dict.fromkeys(settings.item_fields.values()):
            if not has_field(item, name):
                missing.append(name)
            elif has_text(content, name) and not are_ours and name != settings.html_field:
                self._crawl.count("body/unset/kept")
            else:
                wanted.append(name)
        missing += filterfalse(partial(has_field, item), settings.asked_marks)
        if missing:
            self._crawl.add("body/unset/no_field", len(missing))
            kind = type(item)
            self._crawl.say_once(f"no_field/{kind}", NO_FIELDS, kind.__name__, ", ".join(map(repr, missing)))
        return wanted


# What becomes of an item, besides the reasons why it passes (`denoise/dedup/passed/…`).
NEW, COPY, UNCHANGED = "", "copy", "unchanged"
SAME_PAGE, OTHER_FEED = "same_page", "other_feed"


class NearDuplicatePipeline(ItemPipeline):
    """Drops or marks each item whose text is nearly the same as a kept item's.

    A text is final once its item is delivered; until then its copies wait. If this pipeline fails after the start,
    the item passes.

    Raises:
        ConfigurationError: The file of the index is unusable; the crawl does not start.
    """

    place = "dedup"

    def __init__(self, state: CrawlState):
        super().__init__(state)
        self._duplicates = state.duplicates
        self._lacking: set[str] | None = None  # fields that decide on copies, and that no item has had
        with refusing_to_start(state.crawl.crawler):
            self._duplicates.index.open()

    def open_spider(self) -> None:
        """Start using the index."""
        self._duplicates.index.begin()

    async def close_spider(self) -> None:
        """Set the stats of the index and close it, and warn of fields that the settings name and no item has."""
        if self._lacking:
            self._crawl.say_once("unknown_fields", UNKNOWN_FIELDS, ", ".join(map(repr, sorted(self._lacking))))
        await self._duplicates.finish()
        await self._duplicates.index.close()

    async def process(self, passage: Passage) -> None:
        """Compare the text of an item with others, and act on the verdict."""
        if not (passage.settings.enabled and passage.settings.needs_index):
            return
        named = self._crawl.settings.deciding_fields if self._lacking is None else self._lacking
        self._lacking = {name for name in named if passage.content.get(name) is None}
        keeps, chunks = self._state.bodies.keeps_versions, self._duplicates.chunk_field
        obstacle = passage.compare(self._duplicates.spellings, version=keeps, chunks=chunks)
        page = passage.own_page
        if obstacle:
            self._crawl.count(f"dedup/not_compared/{obstacle}")
            if obstacle in SAID:
                self._crawl.say_once(f"dedup/{obstacle}", SAID[obstacle], level=logging.INFO)
            is_empty = page is not None and page.text and not page.text.size
            if obstacle == NO_TEXT and (is_empty or self._has_no_content(passage)):
                self._mark(passage, NO_CONTENT, True)
            return
        if keeps and self._has_no_content(passage):  # it must not replace the text of an earlier crawl
            passage.old_chunks, passage.outcome = None, NO_CONTENT
            self._act(passage, Verdict(), NO_CONTENT)
            return
        if page is not None:
            page.item_keys.add(passage.text.key)
        verdict = await self._duplicates.check(passage)
        if verdict is None:
            return
        outcome = await self._outcome(passage, verdict)
        passage.verdict, passage.outcome = verdict, outcome
        is_new = not verdict.duplicate and (verdict.since is None or verdict.updated)
        passage.old_chunks = verdict.chunks if is_new else None
        self._crawl.count(
            "dedup/checked", verdict.too_short and "dedup/passed/too_short", verdict.updated and "dedup/updated"
        )
        if verdict.since is not None:
            self._note_seen(passage, verdict)
        if outcome != NEW:
            self._act(passage, verdict, outcome)

    async def _outcome(self, passage: Passage, verdict: Verdict) -> str:  # noqa: PLR0911 - a list of reasons
        """Return what becomes of an item: the first of these that applies."""
        page, settings, feeds = passage.own_page, passage.settings, self._duplicates.feeds
        if settings.seen == "drop-unchanged" and verdict.since is not None and not verdict.updated:
            return UNCHANGED
        if verdict.variant_of is not None:
            return VARIANT
        if verdict.update_of is not None or verdict.contains:
            return UPDATE if verdict.update_of is not None else CONTAINS
        if not (verdict.duplicate or verdict.updated):
            return NEW
        if verdict.duplicate and page is not None and verdict.of in page.item_keys:
            return SAME_PAGE
        kept = verdict.of, passage.text.scope
        if verdict.duplicate and settings.dedup == "drop" and feeds.may_take(passage.item, kept):
            return OTHER_FEED
        if self._has_no_content(passage) or (
            page is not None and await self._state.workers.ask(Extractor.is_no_content, page)
        ):
            return NO_CONTENT
        return COPY if verdict.duplicate else NEW

    def _has_no_content(self, passage: Passage) -> bool:
        """Return whether an item's page is a wall or an error page, by its status, its kind and the pages before it."""
        page, tally = passage.own_page, passage.tally
        if not passage.is_ok or page is None or page.text is None:
            return not passage.is_ok
        is_repeated = tally is not None and tally.is_repeated(page.url, page.text.plain, page.origin)
        return is_repeated or page.text.is_empty

    def _act(self, passage: Passage, verdict: Verdict, outcome: str) -> None:
        """Count an outcome, and mark or drop the item."""
        key, tally = passage.text.key, passage.tally
        if outcome == UNCHANGED:
            raise UnchangedItem(_moment(verdict))
        if outcome == COPY:
            self._crawl.count("dedup/duplicates")
            if tally is not None:
                tally.counts.copies += 1
            if passage.settings.dedup == "drop":
                dropped, checked = map(self._crawl.counted, ("dedup/duplicates", "dedup/checked"))
                if checked >= MANY and dropped > checked / 2:
                    self._crawl.say_once("most_dropped", MOST_ARE_DROPPED, dropped, checked, verdict.of)
                self._crawl.say_once("dropped", DROPPED, key, verdict.of, verdict.score, level=logging.INFO)
                raise NearDuplicate(verdict.of, verdict.score)
            said = "Near-duplicate: %s of %s (score %.2f)"
            logger.debug(said, key, verdict.of, verdict.score, extra=self._crawl.extra)
            scores = {"score": verdict.score, "c1": verdict.c1, "new": verdict.new}
            self._mark(passage, MARK, {"of": verdict.of} | {name: round(value, 4) for name, value in scores.items()})
            return
        self._crawl.count(f"dedup/passed/{outcome}")
        if outcome == VARIANT:
            self._crawl.say_once("variants", VARIANTS, key, verdict.reason, level=logging.INFO)
            logger.debug("Variant: %s, %s", key, verdict.reason, extra=self._crawl.extra)
        elif outcome == NO_CONTENT:
            self._crawl.say_once(NO_CONTENT, SAID_NO_CONTENT, key, level=logging.INFO)
            if tally is not None:
                tally.counts.no_content += 1
        marks = {
            VARIANT: verdict.variant_of,
            UPDATE: verdict.update_of,
            CONTAINS: [*verdict.contains],
            NO_CONTENT: True,
        }
        if outcome in marks:
            self._mark(passage, outcome, marks[outcome])

    def _note_seen(self, passage: Passage, verdict: Verdict) -> None:
        """Count an item that was delivered before, and mark it, depending on the settings."""
        self._crawl.count(not verdict.updated and "dedup/unchanged")
        if passage.settings.seen == "keep" and passage.settings.dedup != "mark":
            return
        mark: dict[str, Any] = {"state": "changed" if verdict.updated else "unchanged", "since": _moment(verdict)}
        if verdict.updated:
            mark["changed"] = list(verdict.changed)
        self._mark(passage, SEEN, mark)

    def _mark(self, passage: Passage, mark: str, value: Any) -> None:
        """Set a mark in its field, if the settings name it or the item's class declares it; of a copy, also again."""
        self._state.passages.go_on(passage)
        field, item = passage.settings.mark_field(mark), passage.item
        is_asked = mark == SEEN or passage.settings.dedup == "mark" or mark in passage.settings.fields
        if (
            field
            and (is_declared(item, field) or (is_asked and has_field(item, field)))
            and (mark == MARK or not has_text(passage.content, field))
        ):
            self._set(passage, field, value)


def _moment(verdict: Verdict) -> str:
    return datetime.fromtimestamp(verdict.since or 0.0, timezone.utc).isoformat()


def _before_ours(crawler: Crawler) -> tuple[list[str], str]:
    """Return the pipelines of the project that run before `BodyPipeline`, and the last of ours, with their numbers."""
    before, others, last = list[str](), list[str](), ""
    numbers = crawler.settings.getdict("ITEM_PIPELINES").items()
    for number, entry in sorted(
        [(number, load_object(entry)) for entry, number in numbers if number is not None], key=itemgetter(0)
    ):
        name = f"{global_object_name(entry)} ({number})"
        if not (isinstance(entry, type) and issubclass(entry, ItemPipeline)):
            others.append(name)
            continue
        last = name.rpartition(".")[2]
        if issubclass(entry, BodyPipeline):
            before = others.copy()
    return before, last
