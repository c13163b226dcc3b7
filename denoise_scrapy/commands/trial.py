"""`scrapy denoise trial`: some pages of a spider's crawl, with nothing dropped, and what that shows as one HTML file.

The spider and its project stay as they are: nothing is written but the report, and pipelines, feeds, extensions and the
HTTP cache of the project are off.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from scrapy import Spider, signals
from scrapy.settings import Settings
from scrapy.utils.conf import arglist_to_dict
from scrapy.utils.spider import iter_spider_classes
from twisted.python.failure import Failure
from typing_extensions import override

from denoise_scrapy.body import Body, SiteModel
from denoise_scrapy.commands import SHOWN, UsageError, check_output
from denoise_scrapy.commands.fetch_pages import NOTHING_KEPT, process_for, spider_named
from denoise_scrapy.commands.inputs import whole
from denoise_scrapy.crawl.items import has_field
from denoise_scrapy.crawl.parts import ADDONS, PREFIX, has_addon, path_of
from denoise_scrapy.crawl.passages import Passage
from denoise_scrapy.crawl.state import CrawlState
from denoise_scrapy.crawl.teacher import DOUBTED
from denoise_scrapy.page import Page
from denoise_scrapy.pipelines import COPY, ItemPipeline
from denoise_scrapy.settings import CONTAINS, NO_CONTENT, UPDATE, VARIANT, DenoiseSettings
from denoise_scrapy.support.shown import (
    MAX_LOGGED,
    beside,
    counted,
    drawn,
    figures_page,
    report,
    say,
    say_json,
)

# Items by default; and pages for each, as a spider that yields few items would crawl the whole site.
ITEMS, PAGES_PER_ITEM = 50, 4
# Pages on which the cost of a body is measured: their median differs by a tenth from that of all.
TIMED = 20
_TRIED = "_denoise_trial"  # attribute of a crawler
# Blocks of a page that are drawn, and characters of one: a list may have thousands.
MOST_BLOCKS, MOST_CHARS = 300, 2000
# Characters of two texts that are shown beside each other.
BESIDE = 700
WHY_NONE = {
    "several": "shares its page with other items: DENOISE_SHARED_BODY = True gives each the page's text",
    "elsewhere": "names a page that the spider has not fetched: yield it from that page's callback",
    "no_html": "comes from a response that is no HTML",
    "no_markup": "comes from a response that is no HTML, though its headers say so",
    "no_page": "comes from no HTML page",
    "opted_out": 'its request has meta["denoise"] = False',
}
#: Nouns of items that are similar, and kept.
_KEPT = {VARIANT: ("variant",), UPDATE: ("update",), CONTAINS: ("item that contains others", "items that do")}
_STYLE = """
:root { --kept: light-dark(#e6f4ea, #17341f); --out: light-dark(#777, #999); --bad: light-dark(#b3261e, #ff8a80); }
body { max-width: 90em; }
.two .kept { background: var(--kept); }
.two .out { color: var(--out); text-decoration: line-through; }
details { border-bottom: 1px solid light-dark(#ddd, #444); padding: .4em 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
small { color: var(--out); }
.bad { color: var(--bad); }
"""


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


@dataclass(frozen=True)
class TriedItem:
    """An item of a trial.

    Attributes:
        url: URL of its page, or its key.
        kind: Name of its class.
        lacks: Fields that its class does not have, of those that are filled.
        text: The text of its page.
        body: The body, with all blocks of the page; None if there is none.
        confidence: That of the body.
        reason: Why it has no text of its own (`denoise/body/…`), "" if it has.
        outcome: What becomes of it (`denoise/dedup/…`), "" if it is new.
        of: Key of the kept item that it is a copy, a variant or an update of.
        share: How sure that is, 0 to 1.
        key: Its own key.
    """

    url: str
    kind: str
    lacks: tuple[str, ...]
    text: str
    body: Body | None
    confidence: float
    reason: str
    outcome: str
    of: str
    share: float
    key: str


class Costs(NamedTuple):
    """What the crawl cost."""

    requests: int
    added: int  # of these, for comparison pages
    seconds: float  # of the crawl
    milliseconds: float  # of processor time for a body
    errors: int  # of callbacks
    losses: Mapping[str, int]  # items that the project's pipelines dropped or failed for, by the reason
    left_out: Sequence[str]  # pipelines of the project that did not run


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
        if len(self.items) % SHOWN == 1:
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
        return spider_named(name, settings)
    sys.path.insert(0, str(Path(name).absolute().parent))  # as `scrapy runspider` does
    try:
        module = import_module(Path(name).stem)
    except Exception as error:
        raise UsageError(f"{name} cannot be loaded: {type(error).__name__}: {error}") from error
    found = list(iter_spider_classes(module))
    if len(found) != 1:
        raise UsageError(f"{name} has {len(found)} spiders, not one")
    return found[0]


def lines_of(items: Sequence[TriedItem], costs: Costs) -> list[tuple[str, str]]:
    """Return the summary: a name and a sentence each."""
    bodies = [item for item in items if item.body is not None and item.text]
    lacking = Counter(WHY_NONE.get(item.reason, item.reason) for item in items if item not in bodies and item.reason)
    empty = sum(item.body is not None and not item.text for item in items)
    found = f"{len(bodies)} of {len(items)} items have one"
    if bodies:
        share = median(kept / max(whole, 1) for kept, whole in map(_words, bodies))
        found += f", in the median with {share:.0%} of the page's words: the rest is what the report strikes out"
    doubted = sum(item.confidence < DOUBTED for item in bodies)
    dropped = sum(item.outcome == COPY for item in items)
    others = Counter(item.outcome for item in items if item.outcome in _KEPT)
    kept = [f"{counted(count, *_KEPT[outcome])} kept" for outcome, count in others.items()]
    keeps = "; DENOISE_DEDUP = 'mark' keeps and marks what is dropped" if dropped else ""
    copies = f"{counted(dropped, 'item') if dropped else 'none'} would be dropped{keeps}"
    walls = sum(item.outcome == NO_CONTENT for item in items)
    classes = Counter((item.kind, ", ".join(map(repr, item.lacks))) for item in items if item.lacks)
    hint = "" if items else ": -L DEBUG shows why"
    lines = [
        ("items", f"{len(items)} from {counted(costs.requests, 'request')} in {costs.seconds:.0f} s{hint}"),
        ("bodies", found),
        *(("no text", f"{counted(count, 'item')}: each {why}") for why, count in lacking.most_common()),
        ("empty", empty and f"{counted(empty, 'page')} with no content"),
        ("doubtful", doubted and f"{counted(doubted, 'body', 'bodies')} with a confidence below {DOUBTED}"),
        ("duplicates", "; ".join([copies, *kept])),
        ("no content", walls and f"{counted(walls, 'item')} from walls or error pages, kept and marked"),
        *(
            ("fields", f"{kind} has no field {lacks}: declare it, else {counted(count, 'item')} lack it")
            for (kind, lacks), count in classes.items()
        ),
        ("cost", f"{costs.added} of the requests are ours; {costs.milliseconds:.1f} ms of processor a body"),
        ("errors", costs.errors and f"{costs.errors} in callbacks; -L ERROR shows them"),
        *(("lost", f"{counted(count, 'item')} in your pipelines: {why}") for why, count in costs.losses.items()),
        ("pipelines", costs.left_out and f"not run, --pipelines runs them: {', '.join(costs.left_out)}"),
    ]
    return [(name, str(said)) for name, said in lines if said]


def report_of(name: str, items: Sequence[TriedItem], costs: Costs) -> str:
    """Return the report as an HTML page: the summary, what would be dropped, and each page before and after."""
    summary = "".join(f"<tr><td><b>{what}</b><td>{drawn(said)}" for what, said in lines_of(items, costs))
    parts = [f"<table>{summary}</table>"]
    kept = {item.key: item for item in reversed(items) if item.key}
    dropped = [item for item in items if item.outcome == COPY]
    if dropped:
        parts.append("<h2>What would be dropped, beside what is kept</h2>")
        parts += [_copy(item, kept.get(item.of)) for item in dropped]
    parts.append("<h2>Each page, before and after</h2>")
    order = sorted(items, key=lambda item: item.body is not None and item.confidence)  # the doubtful ones first
    parts += [_item(item) for item in order]
    return figures_page(f"Trial of {name}", parts, style=_STYLE)


def _copy(item: TriedItem, kept: TriedItem | None) -> str:
    """Return the texts of a copy and of the kept item beside each other, with what only one of them has."""
    new, old = item.text, "" if kept is None else kept.text
    sure = f"<small>sure to {item.share:.0%}</small>" if 0 < item.share < 1 else ""
    return (
        f"<div class='two pair'><div><h3>dropped: {drawn(item.url)} {sure}</h3>{beside(new, old, BESIDE)}</div>"
        f"<div><h3>kept: {drawn(item.of)}</h3>{beside(old, new, BESIDE)}</div></div>"
    )


def _item(item: TriedItem) -> str:
    kept, whole = _words(item)
    said = [f"{kept:,} of {whole:,} words", f"confidence {item.confidence:.2f}"] if item.body is not None else []
    said += [WHY_NONE.get(item.reason, item.reason)] if item.reason else []
    said += [item.outcome.replace("_", " ")] if item.outcome else []
    bad = ' class="bad"' if item.reason or item.confidence < DOUBTED else ""
    head = f"<summary>{drawn(item.url)} <small{bad}>{drawn(', '.join(said))}</small></summary>"
    if item.body is None:
        return f"<details>{head}{_lines(item.text)}</details>"
    before = "".join(_blocks(item.body)) or "<p class=out>nothing"
    sides = f"<div><h3>the page</h3>{before}</div><div><h3>its body</h3>{_lines(item.text)}</div>"
    return f"<details>{head}<div class=two>{sides}</div></details>"


def _blocks(body: Body) -> Iterator[str]:
    for block in body.blocks[:MOST_BLOCKS]:
        name = "kept" if block.kept else "out"
        yield f'<p class="{name}" title="{drawn(block.reason)}">{_cut(block.text)}'
    if len(body.blocks) > MOST_BLOCKS:
        yield f"<p>… and {len(body.blocks) - MOST_BLOCKS:,} more"


def _lines(text: str) -> str:
    return "".join(f"<p>{_cut(line)}" for line in text.splitlines()[:MOST_BLOCKS]) or "<p class=out>nothing"


def _words(item: TriedItem) -> tuple[int, int]:
    """Return the words of a body, and of its page; of Chinese, the runs between its signs."""
    whole = sum(len(block.text.split()) for block in item.body.blocks) if item.body is not None else 0
    return len(item.text.split()), whole


def _cut(text: str) -> str:
    return "<br>".join(map(drawn, text[:MOST_CHARS].split("\n"))) + "…" * (len(text) > MOST_CHARS)
