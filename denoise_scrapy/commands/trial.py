"""`scrapy denoise trial`: some pages of a spider's crawl, with nothing dropped, and what that shows as one HTML file.

The spider and its project stay as they are: nothing is written but the report, and pipelines, feeds, extensions and the
HTTP cache of the project are off.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

from scrapy import Spider, signals
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader
from scrapy.utils.conf import arglist_to_dict
from scrapy.utils.spider import iter_spider_classes
from twisted.python.failure import Failure
from typing_extensions import override

from denoise_scrapy.body import SiteModel
from denoise_scrapy.commands import UsageError, check_output
from denoise_scrapy.commands.fetch_pages import NOTHING_KEPT, process_for
from denoise_scrapy.commands.inputs import whole
from denoise_scrapy.commands.trial_report import Costs, TriedItem, lines_of, report_of
from denoise_scrapy.crawl.items import has_field
from denoise_scrapy.crawl.parts import ADDONS, PREFIX, has_addon, path_of
from denoise_scrapy.crawl.passages import Passage
from denoise_scrapy.crawl.state import CrawlState
from denoise_scrapy.page import Page
from denoise_scrapy.pipelines import ItemPipeline
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.support.shown import MAX_LOGGED, nearest_hint, report, say, say_json

# Items by default; and pages for each, as a spider that yields few items would crawl the whole site.
ITEMS, PAGES_PER_ITEM = 50, 4
# Items between two lines of progress.
SAID_EACH = 10
# Pages on which the cost of a body is measured: their median differs by a tenth from that of all.
TIMED = 20
_TRIED = "_denoise_trial"  # attribute of a crawler


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("spider", metavar="SPIDER", help="name of a spider of the project, or a .py file with one")
    parser.add_argument("-n", "--items", type=whole, default=ITEMS, help=f"items to try (default: {ITEMS})")
    parser.add_argument("-a", metavar="NAME=VALUE", action="append", default=[], help="an argument of the spider")
    parser.add_argument("--pipelines", action="store_true", help="run the project's pipelines too, which may write")
    parser.add_argument("-o", "--output", metavar="FILE.html", help="the report; default: SPIDER-trial.html")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Crawl, print a summary and write the report; return 1 if no item has a body."""
    check_output(args)
    try:
        given = arglist_to_dict(args.a)
    except ValueError:
        raise UsageError("-a: valid is NAME=VALUE") from None
    spider = _spider_of(args.spider, settings)
    of_spider = settings.copy()
    spider.update_settings(of_spider)
    ours = trial_settings(of_spider, spider, args.items, pipelines=args.pipelines)
    process, trial = process_for(ours), Trial(args.items)
    crawler = process.create_crawler(spider)
    setattr(crawler, _TRIED, trial)
    crawler.signals.connect(trial.note_loss, signals.item_error)
    crawler.signals.connect(trial.note_loss, signals.item_dropped)
    begun = time.monotonic()
    process.crawl(crawler, **given)
    process.start()
    if getattr(process, "bootstrap_failed", False) or crawler.stats is None:
        raise OSError("the crawl did not start: -L ERROR shows why")
    counts: dict[str, Any] = crawler.stats.get_stats()
    pipelines = sorted(map(path_of, of_spider.getdict("ITEM_PIPELINES")))
    costs = Costs(
        requests=counts.get("downloader/request_count", 0),
        added=counts.get(f"{PREFIX}comparison/requests", 0),
        seconds=time.monotonic() - begun,
        milliseconds=trial.milliseconds(),
        errors=counts.get("spider_exceptions/count", 0),
        losses=trial.losses,
        left_out=[name for name in pipelines if not (args.pipelines or name.startswith("denoise_scrapy."))],
    )
    target = Path(args.output or f"{Path(args.spider).stem}-trial.html")
    target.write_text(report_of(spider.name, trial.items, costs), encoding="utf-8", errors="replace")
    lines = lines_of(trial.items, costs)
    if args.json:
        say_json({"items": len(trial.items), "report": str(target), "summary": dict(lines)})
    else:
        width = max(len(name) for name, _ in lines)
        say(*(f"{name:<{width}}  {said}" for name, said in lines), f"written to {target}")
        if not has_addon(settings):
            say(f'To use it: ADDONS = {{"{ADDONS[0]}": 500}} in the settings')
    return 0 if any(item.text for item in trial.items) else 1


def trial_settings(settings: Settings, spider: type[Spider], items: int, *, pipelines: bool) -> Settings:
    """Return the settings of a trial, given the spider's: with them nothing is dropped or written."""
    ours = settings.copy()
    if DenoiseSettings.from_settings(ours, spider).dedup == "drop":
        ours.set("DENOISE_DEDUP", "mark", "cmdline")
    kept = ours.getdict("ITEM_PIPELINES") if pipelines else {}
    ours.set("ITEM_PIPELINES", {**kept, BeforeItem: -300, AfterItem: -50}, "cmdline")
    if not has_addon(ours):
        ours.set("ADDONS", {**ours.getdict("ADDONS"), ADDONS[0]: 500}, "cmdline")
    limits = {"CLOSESPIDER_ITEMCOUNT": items, "CLOSESPIDER_PAGECOUNT": PAGES_PER_ITEM * items}
    ours.setdict({**NOTHING_KEPT, "HTTPCACHE_ENABLED": False, "DENOISE_SEEN": "keep", **limits}, "cmdline")
    return ours


class Trial:
    """The items of a trial, at most a number of them, and the sources of some of their pages."""

    def __init__(self, most: int) -> None:
        self.items, self._most = list[TriedItem](), most
        self.losses = Counter[str]()  # items that the project's pipelines dropped or failed for, by the reason
        self._pages = list[tuple[bytes, str]]()

    def add(self, passage: Passage) -> None:
        """Note an item that has left our pipelines; what arrives while the crawl ends is too much."""
        if len(self.items) >= self._most:
            return
        text, settings, verdict = passage.page and passage.page.text, passage.settings, passage.verdict
        fields = dict.fromkeys(settings.item_fields.values())
        item = TriedItem(
            url=passage.url or passage.text.key,
            kind=type(passage.item).__name__,
            lacks=tuple(name for name in fields if not has_field(passage.item, name)),
            text=str(text.fields.get(settings.body_field) or "") if text else "",
            body=text.body if text else None,
            confidence=text.confidence if text else 0.0,
            reason=passage.reason or ("" if passage.page else "no_page"),
            outcome=passage.outcome,
            of=str((verdict and (verdict.of or verdict.variant_of or verdict.update_of)) or ""),
            share=verdict.share if verdict else 0.0,
            key=passage.text.key,
        )
        self.items.append(item)
        if len(self.items) % SAID_EACH == 0 or len(self.items) == 1:
            report(f"{len(self.items)} of {self._most} items")
        response = passage.siblings.response
        if response is not None and item.body is not None and len(self._pages) < TIMED:
            self._pages.append((response.body, response.url))

    def note_loss(self, exception: Exception | None = None, failure: Failure | None = None) -> None:
        """Note an item that a pipeline dropped, or failed for, but not those that arrive while the crawl ends."""
        error = exception if failure is None else failure.value
        if self.losses.total() < self._most:
            self.losses[f"{type(error).__name__}: {error}"[:MAX_LOGGED]] += 1

    def milliseconds(self) -> float:
        """Return the processor time that a body takes, in milliseconds, beside the other pages; 0 without pages."""
        if not self._pages:
            return 0.0
        facts = [Page.parse(html, url=url).facts for html, url in self._pages]
        begun = time.process_time()
        for number, (html, url) in enumerate(self._pages):
            others = [one for at, one in enumerate(facts) if at != number]
            _ = SiteModel(others).extract(Page.parse(html, url=url)).text
        return 1000 * (time.process_time() - begun) / len(self._pages)


class BeforeItem(ItemPipeline):
    """Has the whole body of each page made, for the report."""

    @override
    async def process(self, passage: Passage) -> None:
        if passage.page is not None:
            passage.page.wants_body = True


class AfterItem(ItemPipeline):
    """Notes each item that has left our pipelines."""

    def __init__(self, state: CrawlState):
        super().__init__(state)
        self._trial: Trial = getattr(state.crawl.crawler, _TRIED)

    @override
    async def process(self, passage: Passage) -> None:
        if passage.page is not None:  # an item without the fields has none made
            await self._state.bodies.text_of(passage.page)
        self._trial.add(passage)


def _spider_of(name: str, settings: Settings) -> type[Spider]:
    """Return the spider with a name, or that of a file; raise `UsageError` if there is none."""
    if not name.endswith(".py"):
        loader = get_spider_loader(settings)
        try:
            return loader.load(name)
        except KeyError:
            raise UsageError(f"there is no spider {name!r}{nearest_hint(name, loader.list())}") from None
    sys.path.insert(0, str(Path(name).absolute().parent))  # as `scrapy runspider` does
    try:
        module = import_module(Path(name).stem)
    except Exception as error:
        raise UsageError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
    found = list(iter_spider_classes(module))
    if len(found) != 1:
        raise UsageError(f"{name} has {len(found)} spiders, not one")
    return found[0]
