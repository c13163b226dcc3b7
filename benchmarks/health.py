"""Alarms about sites: `python -m benchmarks.health --corpora DIR [DIR …] [--write]`.

Each recorded site is crawled again: unchanged, other pages in another order, and with changes made to its pages. These
crawls make no requests: each page is compared with the others of the crawl and with the pages kept from the last one,
and `denoise_scrapy.site.crawl_history` evaluates the outcome.
"""

from __future__ import annotations

import argparse
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import lxml.html

from denoise_scrapy.body import SiteModel
from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site import PageMemory
from denoise_scrapy.site.crawl_history import PageReading, SiteCrawl, SiteTally, alarms
from evaluation import figures
from evaluation.corpora import RecordedPage, Site, add_folders_argument, recorded

#: Pages of a crawl; of a site with fewer, four in five pages are crawled.
PAGES = 20
#: Fewest pages of a site to be crawled, and most pages taken from a site.
LEAST, MOST = 10, 100
#: Unchanged crawls of a site that has more pages than one crawl takes.
AGAIN = 3
UNCHANGED = "unchanged"
PAGE = Path("docs/health.md")

WALL = (
    "<!doctype html><html><head><title>Your privacy</title></head><body class='cmp'><div id='cmp-wall'><div "
    "class='cmp-box'><h1>We value your privacy</h1><p>We and our 842 partners store and access information on a "
    "device, such as cookies, and process personal data, such as unique identifiers and standard information sent by a "
    "device, for personalised advertising and content, measurement of both, audience research and the development of "
    "services.</p><p>With your permission we and our partners may use precise geolocation data and identification "
    "through device scanning. You may click to consent to this processing. Alternatively you may refuse to consent, or "
    "look at more detailed information and change your preferences before consenting.</p><div class='cmp-row'><button>"
    "More options</button><button>Accept all</button></div></div></div></body></html>"
)
SHELL = (
    "<!doctype html><html><head><title>{title}</title><script src='/static/main.8f2c1.js' defer></script></head><body>"
    "<noscript>You need to enable JavaScript to run this app.</noscript><div id='root'></div></body></html>"
)
ERROR = (
    "<h1>Page not found</h1><p>Sorry, the page that you are looking for is not here any more. It may have been moved "
    "or deleted, or the address was mistyped. Try the search, or go back to the home page.</p>"
)
PROMOTIONS = (
    "Get our newsletter: the five stories of the day, in your inbox every morning at seven, free of charge.",
    "Support independent journalism: become a member today for less than a coffee a week.",
    "Download our app and never miss a story again, with alerts for the topics that you follow.",
    "Advertisement: winter sale, up to seventy percent off on all shoes, only until Sunday.",
)
FRAME = (
    "<!doctype html><html><head><title>{title}</title></head><body class='v2 theme-nova'><header class='nova-top'><a "
    "href='/'>Home</a><nav class='nova-nav'><ul><li><a href='/a'>News</a></li><li><a href='/b'>Sport</a></li><li><a "
    "href='/c'>Culture</a></li></ul></nav></header><main class='nova-grid'><section class='nova-story'><h1>{title}</h1>"
    "{story}</section><aside class='nova-rail'><h2>Most read</h2><ol><li><a href='/1'>One</a></li><li><a "
    "href='/2'>Two</a></li></ol></aside></main><footer class='nova-foot'><p>About us, contact, imprint</p></footer>"
    "</body></html>"
)


class CrawledSite(NamedTuple):
    """Pages of a recorded site, and other sites to take text and frames from."""

    pages: Site
    other_frame: Site
    other_language: Site


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.health", description=__doc__)
    add_folders_argument(parser)
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE}")
    args = parser.parse_args()
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    rng = Random(7)
    for site in sites_of(recorded(args.corpora)):
        size = min(PAGES, len(site.pages) * 4 // 5)
        for change, count, found in tried(site, rng):
            group = "half" if 0 < count < size else "20" if size == PAGES else "fewer"
            rows[change].update({f"{group} crawls": 1, f"{group} alarms": bool(found)})
    head = ["change", "20 pages", "alarms", "8 to 16 pages", "alarms", "half of the pages", "alarms"]
    names = [f"{group} {kind}" for group in ("20", "fewer", "half") for kind in ("crawls", "alarms")]
    text = figures.table(head, [[change, *(str(counts[name]) for name in names)] for change, counts in rows.items()])
    print(text)
    if args.write:
        figures.write("made changes", text, PAGE)


def sites_of(corpora: Iterable[tuple[str, list[Site]]]) -> Iterator[CrawledSite]:
    """Yield the recorded sites with enough pages, each with a site of another frame and one in another language."""
    found = [one[:MOST] for _, sites in corpora for one in sites if len(one) >= LEAST]
    is_latin = [sum(map(str.isascii, pages[0].gold[:2000])) > 0.9 * len(pages[0].gold[:2000]) for pages in found]
    for n, pages in enumerate(found):
        others = [other for other, latin in zip(found, is_latin, strict=True) if latin != is_latin[n]]
        yield CrawledSite(pages, found[(n + 7) % len(found)], others[n % len(others)])


def tried(site: CrawledSite, rng: Random) -> Iterator[tuple[str, int, list[str]]]:
    """Yield change, number of changed pages, and alarms for crawls of a site after an unchanged crawl."""
    size = min(PAGES, len(site.pages) * 4 // 5)
    first = rng.sample(site.pages, size)
    usual, kept = crawl(first, [page.html for page in first], [])
    for _ in range(AGAIN if len(site.pages) > PAGES else 1):
        pages = rng.sample(site.pages, size)
        now, _ = crawl(pages, [page.html for page in pages], kept)
        yield UNCHANGED, 0, alarms(now, [usual])
    for name, change in CHANGES.items():
        pages = rng.sample(site.pages, size)
        changed = [change(page, site) for page in pages]
        for count in (size, size // 2):
            htmls = [*changed[:count], *(page.html for page in pages[count:])]
            now, _ = crawl(pages, htmls, kept)
            yield name, count, alarms(now, [usual])


def crawl(
    pages: Sequence[RecordedPage], htmls: Sequence[str], kept: Sequence[PageFacts]
) -> tuple[SiteCrawl, list[PageFacts]]:
    """Crawl pages with their current HTML and facts of the last crawl; return the outcome and the facts to keep."""
    memory = PageMemory(100_000_000, 32)
    for facts in kept:
        memory.remember(facts)
    urls = [f"http://site.example/{zlib.crc32(page.url.encode())}" for page in pages]
    parsed = [Page.parse(html, url=url) for url, html in zip(urls, htmls, strict=True)]
    for page in parsed:
        memory.remember(page)
    tally = SiteTally(began=0.0)
    for page in parsed:
        body = SiteModel([one.facts for one in memory.comparison_pages(page, 20)]).extract(page)
        tally.counts.fetched += 1
        tally.counts.items += 1
        reading = PageReading.of(body.text, body.confidence, body.kind, page.facts)
        tally.add(page.url, reading.text, reading, is_empty=not body.text)
    return tally.crawl(), [page.facts for page in parsed]


def _tree(html: str) -> Any:
    return lxml.html.document_fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", html) or "<p>")


def _title(page: RecordedPage) -> str:
    return escape(" ".join((_tree(page.html).findtext(".//title") or "").split()))


def _story_element(tree: Any, gold: str) -> Any:
    """Return the smallest element with four fifths of the story's words."""
    wanted = Counter(re.findall(r"\w+", gold))

    def holds(child: Any) -> bool:
        words = Counter(re.findall(r"\w+", child.text_content())) if isinstance(child.tag, str) else Counter[str]()
        return (words & wanted).total() >= 0.8 * wanted.total()

    found = tree.body if tree.body is not None else tree
    while wanted and (held := next(filter(holds, found), None)) is not None:
        found = held
    return found


def _refilled(page: RecordedPage, html: str) -> str:
    """Return a page with some HTML in place of its story."""
    tree = _tree(page.html)
    element = _story_element(tree, page.gold)
    tail, attributes = element.tail, dict(element.attrib)
    element.clear()
    element.attrib.update(attributes)
    element.tail = tail
    element.append(lxml.html.fragment_fromstring(html, create_parent="div"))
    return str(lxml.html.tostring(tree, encoding="unicode"))


def _lines(page: RecordedPage) -> list[tuple[str, str]]:
    """Return the lines of a story, each with a promotion to put after it."""
    lines = [escape(line) for line in page.gold.split("\n") if line.strip()]
    return [(line, PROMOTIONS[n % len(PROMOTIONS)]) for n, line in enumerate(lines)]


def promotions(page: RecordedPage, site: CrawledSite) -> str:
    story = "".join(
        f"<div class='nova-par'><p>{line}</p></div><div class='nova-promo'><p>{promotion}</p></div>"
        for line, promotion in _lines(page)
    )
    return FRAME.format(title=_title(page), story=story)


def layout(page: RecordedPage, site: CrawledSite) -> str:
    """Put the story into another site's frame."""
    story = _story_element(_tree(page.html), page.gold)
    return _refilled(site.other_frame[0], lxml.html.tostring(story, encoding="unicode", with_tail=False))


def language(page: RecordedPage, site: CrawledSite) -> str:
    """Replace the story's texts by texts of about the same length from a site in another language."""
    tree = _tree(page.html)
    given = " ".join(site.other_language[zlib.crc32(page.url.encode()) % len(site.other_language)].gold.split()) + " "
    at = 0
    for element in _story_element(tree, page.gold).iter():
        for name in ("text", "tail"):
            text = getattr(element, name)
            if isinstance(element.tag, str) and text and len(text.strip()) > 1:
                size = len(text.strip())
                setattr(element, name, (given * (2 + size // len(given)))[at : at + size] + " ")
                at = (at + size) % len(given)
    return str(lxml.html.tostring(tree, encoding="unicode"))


CHANGES: dict[str, Callable[[RecordedPage, CrawledSite], str]] = {
    "consent wall": lambda page, site: WALL,
    "JavaScript shell": lambda page, site: SHELL.format(title=_title(page)),
    "new template, promotions": promotions,
    "old template, promotions": lambda page, site: _refilled(
        page, "".join(f"<p>{a}</p><p>{b}</p>" for a, b in _lines(page))
    ),
    "soft 404": lambda page, site: _refilled(page, ERROR),
    "layout of another site": layout,
    "another language": language,
}


if __name__ == "__main__":
    main()
