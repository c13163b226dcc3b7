"""`scrapy denoise explain`: draw which parts of a page are kept, and why, as one HTML file."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from scrapy import Request, Spider
from scrapy.settings import Settings
from scrapy.spiderloader import get_spider_loader

from denoise_scrapy.body import find_strategy
from denoise_scrapy.body.example_files import examples_of, file_name_of
from denoise_scrapy.body.explanation import STYLES_LEFT_OUT, Explanation, explain_page
from denoise_scrapy.body.extraction import NO_MARKUP, PAGES_A_SITE, SET_ASIDE
from denoise_scrapy.commands import SHOWN, STANDARD, UsageError
from denoise_scrapy.commands.fetch_pages import spider_named
from denoise_scrapy.commands.inputs import add_page_arguments, pages_of, settle_page
from denoise_scrapy.crawl.sites import PLACES, sites_place
from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import PageMemory, facts_store, site_key
from denoise_scrapy.support.shown import report, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_page_arguments(parser)
    parser.add_argument("--alone", action="store_true", help="do not compare the page with others")
    parser.add_argument("--spider", metavar="NAME", help="spider whose settings apply; default: the site's")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="file, or - for standard output; default: NAME-explained.html"
    )
    parser.epilog = (
        "Without --compare and --alone, the page at a URL is compared with the pages of its site in the site memory "
        f"of the settings. {parser.epilog}"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Write the file, and print the comparison pages and the number of blocks of each class."""
    settle_page(args)
    if args.alone and args.compare:
        raise UsageError("--alone and --compare do not go together")
    spider = spider_of(args.page, args.spider, settings)
    if spider is not None:
        settings = settings.copy()
        spider.update_settings(settings)
    read = DenoiseSettings.from_settings(settings, spider)
    (page, url, _), *others = pages_of([args.page, *args.compare], settings, args.output)
    strategy = args.strategy or read.strategy
    compared = KeptPages(
        "pages" if args.compare else "",
        [(at or name, html) for name, (html, at, _) in zip(args.compare, others, strict=True)],
    )
    if not args.compare and not args.alone:
        compared = kept_pages(page, url, strategy, read, settings.get("JOBDIR"))
    explanation = explain_page(
        page,
        url,
        compared.pages,
        name=args.page,
        strategy=strategy,
        taste=read.taste,
        keep=read.keep,
        remove=read.remove,
        examples=examples_of(read.examples, url or ""),
    )
    data = explanation.html.encode()
    if args.output == STANDARD:
        sys.stdout.buffer.write(data)
        return 0
    address = re.sub(r"^[^/]*@", "", args.page.partition("://")[2])  # without a password
    name = file_name_of(address or Path(args.page).stem)
    target = Path(args.output or f"{name}-explained.html")
    target.write_bytes(data)
    settings_of = f", settings of the spider {spider.name!r}" if spider else ""
    say(*_table(explanation, compared, settings_of), f"written to {target}")
    return 0


class KeptPages(NamedTuple):
    """Comparison pages, the most similar first."""

    of: str  # description of the pages, or why there are none
    pages: Sequence[tuple[str, str | bytes | PageFacts]] = ()  # name or URL, and page


def kept_pages(
    page: str | bytes, url: str | None, strategy: str, read: DenoiseSettings, directory: str | None
) -> KeptPages:
    """Return the pages that a crawl with these settings would choose from its site memory."""
    place = sites_place(read, directory)
    if url is None:
        return KeptPages("a page without a URL belongs to no site")
    if place is None:
        return KeptPages(f"the settings name no site memory ({PLACES}); --compare PAGE names pages to compare with")
    store, memory = facts_store(place), PageMemory(read.memory_bytes, PAGES_A_SITE)
    if find_strategy(strategy).needs_elements:
        return KeptPages(f"the site memory {store.place} has only facts of pages, but the strategy needs whole pages")
    try:
        for facts in store.load(site_key(url)) if store.exists() else ():
            memory.remember(facts)
    finally:
        store.close()
    found = memory.comparison_pages(Page.parse(page, url=url), read.comparison_pages)
    if not found:
        return KeptPages(f"the site memory {store.place} has no other page of {site_key(url)}")
    return KeptPages(f"pages from the site memory {store.place}", [(one.url, one.facts) for one in found])


def spider_of(page: str, name: str | None, settings: Settings) -> type[Spider] | None:
    """Return the spider with a name, else the only one that crawls the site of a URL; None if there is none."""
    if name is not None:
        return spider_named(name, settings)
    if "://" not in page:
        return None
    loader = get_spider_loader(settings)
    names = sorted(loader.find_by_request(Request(page)))
    if len(names) > 1:
        some = ", ".join(names[:SHOWN]) + ", …" * (len(names) > SHOWN)
        report(f"{len(names)} spiders crawl this site ({some}); --spider selects one")
    return loader.load(names[0]) if len(names) == 1 else None


def _table(explanation: Explanation, compared: KeptPages, settings_of: str) -> Iterator[str]:
    body = explanation.body
    if body.fallback == NO_MARKUP:
        yield f"{explanation.name}: no page but {body.evidence}, which has no body"
        return
    yield f"{explanation.name}: strategy {body.strategy}, expected F1 {body.confidence:.2f}{settings_of}"
    if body.example == SET_ASIDE:
        yield "examples set aside: the page is like none of them, as after a redesign"
    elif body.example:
        yield f"an example knows the places of {body.example_likeness:.0%} of its words"
    if explanation.drawn.lacks_styles:
        yield STYLES_LEFT_OUT
    if compared.pages:
        yield f"compared with {explanation.used} of {len(compared.pages)} {compared.of}"
    else:
        yield f"judged alone{': ' * bool(compared.of)}{compared.of}"
    for (name, lack), (_, other) in zip(explanation.comparison, compared.pages, strict=True):
        if not lack or not isinstance(other, PageFacts):  # omit other pages of a site memory
            yield f"  {name}{': ' * bool(lack)}{lack}"
    yield f"{'':<10}{'blocks':>8}{'words':>8}"
    for name, (blocks, words) in explanation.counts.items():
        yield f"{name:<10}{blocks:>8,}{words:>8,}"
