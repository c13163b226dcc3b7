"""The health of a site: the results of a crawl, and which of them differ much from those of its last crawls.

A `SiteTally` counts during the crawl, a `SiteCrawl` holds the result, and `alarms` compares it with those of earlier
crawls. Beyond a random sample of pages only numbers are kept, so that a site takes some 30 KB during a crawl, and some
10 KB in its record.
"""

from __future__ import annotations

import json
import time
import zlib
from base64 import b64decode, b64encode
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import takewhile
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.feature_strings import read_units
from denoise_scrapy.core.sharing import share
from denoise_scrapy.page import PageFacts
from denoise_scrapy.page.columns import HALF
from denoise_scrapy.site.drift import MOVED, Places, counted, moved
from denoise_scrapy.site.memory import PAGES_A_SITE

Hashes = npt.NDArray[np.uint32]
Floats = npt.NDArray[np.float64]

# Lines of a body whose hashes are kept, those with the most characters; half of the recorded bodies have no more.
LINES = 24
# Characters of a body whose words are counted, some 300 words: a hundred show its language.
WORD_CHARS = 2_000
# Classes of words, by hash. With so many, the common words of a language seldom collide.
WORD_CLASSES = 256
# Hashes of layout containers kept per template, the smallest ones; two recorded pages in three have no more.
CONTAINERS = 48
# Common containers / containers of the page with more, above which two pages count as one template. Recorded pages with
# one template have .7 and more, those of two templates of one site .3 and less.
ALIKE = 0.5
# Templates counted per site and crawl, and those whose containers are kept for the next: few sites have more.
TEMPLATES, KEPT_TEMPLATES = 16, 6

# Number of last pages; a text that most of them have is a wall or an error page, rather than copies of one page.
LAST = 16

# A text is not the item's own if at least this many other pages, and most of the site, contain it; share of the page's
# words that these must have, since menus mark the current page.
SEVERAL, SAME = 3, 0.95

# Crawls kept per site; and the maximum bytes of their record, twice what they need.
KEPT_CRAWLS, MAX_RECORD = 8, 40_000
# Pages with a body that a crawl needs to be judged or compared with. With fewer, medians of an unchanged site differ.
ENOUGH = 8
# Consecutive crawls with alarms after which the site counts as permanently changed, and is compared with these.
SETTLED = 3

# Minimum change of a share: more than 20 pages of an unchanged site differ by.
MARGIN = 0.3
# Ratio of median lengths, and drop of the median confidence, that are a warning if both crawls hardly overlap.
LENGTHS, CONFIDENCES = 1.5, 0.1
# Correlation of the words of two crawls, below which the language differs. Recorded sites have .53 and more between
# halves of their pages, sites of two languages .3 and less.
SAME_WORDS = 0.4
# Common text as a share of the bodies, and its ratio to the maximum of earlier crawls, that together are an alarm.
COMMON, COMMON_TIMES = 0.05, 1.5

_NONE: npt.NDArray[Any] = np.array(())


class PageReading(NamedTuple):
    """Figures of a page in the sample of its site."""

    length: int  # characters of the body
    confidence: float
    kind: str  # of the page (`Body.kind`), "" if nobody asked for it
    path: int  # hash of the path of its URL
    text: int  # `plain_hash` of the body
    lines: npt.NDArray[np.int64]  # hashes of its `LINES` longest lines
    sizes: npt.NDArray[np.int64]  # their characters, summed over all occurrences
    words: npt.NDArray[np.float32]  # shares of the body's words by class, shape (`WORD_CLASSES`,)
    template: Hashes
    places: Mapping[str, str]  # of its parts (`drift.places_of`)

    @classmethod
    def of(
        cls, text: str, confidence: float, kind: str, facts: PageFacts, places: Mapping[str, str] | None = None
    ) -> PageReading:
        """Read a page: its body's text and confidence, its kind, its facts, and the places of its parts."""
        counted, whole = Counter[int](), _plain(text)
        for plain, line in zip(whole.split(b"\n"), text.split("\n"), strict=True):
            counted[zlib.crc32(plain)] += len(line)
        lines, sizes = np.array(counted.most_common(LINES), np.int64).T
        counts = np.bincount(read_units(text[:WORD_CHARS]).hashes % WORD_CLASSES, minlength=WORD_CLASSES)
        words = (counts / max(1, counts.sum())).astype(np.float32)
        path, template = path_hash(facts.url), containers_of(facts)
        return cls(len(text), confidence, kind, path, zlib.crc32(whole), lines, sizes, words, template, places or {})


def plain_hash(text: str) -> int:
    """Hash a text without its digits; the same in every process."""
    return zlib.crc32(_plain(text))


def _plain(text: str) -> bytes:
    """Return a text without its digits, which are visit counters and times of day."""
    return text.encode("utf-8", "surrogatepass").translate(None, b"0123456789")


def path_hash(url: str) -> int:
    """Hash the path of a URL."""
    return zlib.crc32(urlsplit(url).path.encode("utf-8", "surrogatepass"))


def containers_of(facts: PageFacts) -> Hashes:
    """Return the smallest hashes of a page's layout containers, at most `CONTAINERS`."""
    return np.asarray(facts.signature >> np.uint64(32), np.uint32)[:CONTAINERS]


def likeness(a: Hashes, b: Hashes) -> float:
    """Return common containers / containers of the template with more, 0 to 1, of sorted hashes.

    Only the smallest hashes are kept of a template with more than `CONTAINERS`: both are compared up to there.
    """
    last = min([*a[CONTAINERS - 1 :], *b[CONTAINERS - 1 :]], default=1 << 32)
    a, b = a[a <= last], b[b <= last]
    return len(np.intersect1d(a, b, assume_unique=True)) / max(len(a), len(b)) if len(a) or len(b) else 1.0


def fills_a_site(page: PageFacts, others: Sequence[PageFacts]) -> bool:
    """Return whether the text of a page, shared with another page, is from a wall or an error page.

    It is if most other pages of the site contain it; or if all pages of its template do, and the site has other
    templates. URLs with the same path are one page, whatever their query.
    """
    shared, own = share(page.data, [other.data for other in others]), urlsplit(page.url).path
    total, containers = page.tokens.sum(), len(page.signature)
    same: dict[str, bool] = {}
    mates: set[str] = set()
    for other, tokens, alike in zip(others, shared.carried[0], shared.likeness, strict=True):
        path = urlsplit(other.url).path
        if path != own:
            same[path] = tokens >= SAME * total
            # a wall has few containers, which most pages have too: so divide by those of the larger page
            sizes = containers, len(other.signature)
            mates |= {path} if alike * min(sizes) >= ALIKE * max(sizes) else set()
    if mates and all(same[path] for path in mates) and len(same) >= len(mates) + SEVERAL:
        return True
    return sum(same.values()) >= max(SEVERAL, len(same) / 2)


class Spread(NamedTuple):
    """Numbers of pages: the 5th, 50th and 95th percentile."""

    low: float = 0.0
    median: float = 0.0
    high: float = 0.0

    @classmethod
    def of(cls, numbers: Sequence[float]) -> Spread:
        """Return the spread of some numbers; zeros if there are none."""
        return cls(*np.quantile(numbers, (0.05, 0.5, 0.95)).round(4).tolist()) if numbers else cls()


NO_SPREAD = Spread()


@dataclass
class SiteCrawl:
    """Figures of a site in a crawl."""

    began: float  # when the crawl began, in seconds since 1970
    fetched: int = 0  # pages fetched for the spider
    items: int = 0  # number made from these pages
    pages: int = 0  # number extracted because their item has a field for it
    empty: int = 0  # extracted pages whose body has no text
    copies: int = 0  # items that were near-duplicates
    no_content: int = 0  # items with the text of a wall or an error page
    same: float = 0.0  # largest share of pages with one text in common, 0 to 1
    common: float = 0.0  # share of the bodies in lines that other bodies have too, 0 to 1
    length: Spread = NO_SPREAD  # characters of the bodies that have text
    confidence: Spread = NO_SPREAD  # of these bodies
    templates: int = 0  # number seen; `TEMPLATES` also means more
    shares: tuple[float, ...] = ()  # of the pages that have the most frequent templates, 0 to 1
    containers: tuple[str, ...] = ()  # of these templates, packed
    words: str = ""  # classes of words of the bodies, packed
    kinds: Mapping[str, float] = field(default_factory=dict)  # shares of the pages of each kind, 0 to 1
    places: Places = field(default_factory=dict)  # pages in the sample by the places of body, title, author and date
    alarms: tuple[str, ...] = ()  # problems, one per line
    ended: float = 0.0  # time of this count: concurrent crawls are not compared

    @property
    def is_enough(self) -> bool:
        """True if it has enough pages to be judged and compared with."""
        return self.pages >= ENOUGH


class SiteTally:
    """Counts a site's results during a crawl: `counts` has numbers only, `crawl` the figures of the sample too."""

    def __init__(self, began: float) -> None:
        self.counts = SiteCrawl(began)
        self._wanted = self._read = 0
        self._sample: list[PageReading] = []
        self._templates: list[Hashes] = []  # containers of the first page of each
        self._times: Counter[int] = Counter()  # pages with each of these
        self._words: Floats = np.zeros(WORD_CLASSES)
        # path and text of pages under their own URLs, and of those that redirects led to
        self._last: list[deque[tuple[int, int]]] = [deque(maxlen=LAST), deque(maxlen=LAST)]
        self._random = Random(0)  # so that the same crawl gets the same result

    @property
    def nbytes(self) -> int:
        """Approximate memory use in bytes."""
        return 5_000 + 1_000 * len(self._sample) + 400 * len(self._templates)

    def wants_reading(self) -> bool:
        """Return whether the next page belongs to the sample, in which each page is with the same probability."""
        self._wanted += 1
        return self._random.randrange(self._wanted) < PAGES_A_SITE

    def add(self, url: str, plain: int, reading: PageReading | None, *, is_empty: bool, origin: str = "") -> None:
        """Count an extracted page, given the hash of its body; with its figures if it belongs to the sample.

        `origin` is the URL that led to it by a redirect from another page.
        """
        self.counts.pages += 1
        self.counts.empty += is_empty
        self._last[bool(origin)].append((path_hash(origin or url), plain))
        if reading is None:
            return
        self._read += 1
        self._words += reading.words
        found = [(likeness(reading.template, first), number) for number, first in enumerate(self._templates)]
        best, number = max(found, default=(0.0, 0))
        if best >= ALIKE:
            self._times[number] += 1
        elif len(found) < TEMPLATES:
            self._times[len(found)] = 1
            self._templates.append(reading.template)
        held = reading._replace(words=_NONE, template=_NONE)  # they are already in the sums
        if len(self._sample) < PAGES_A_SITE:
            self._sample.append(held)
        else:
            self._sample[self._random.randrange(PAGES_A_SITE)] = held

    def is_repeated(self, url: str, plain: int, origin: str = "") -> bool:
        """Return whether a body with this hash is that of most of the last other pages, and of at least three.

        Addresses with one path are one page. Of pages that redirects led to, three are enough.
        """
        own = path_hash(origin or url)
        last = {path: text == plain for path, text in self._last[bool(origin)] if path != own}
        return sum(last.values()) >= max(SEVERAL, 0 if origin else len(last) / 2)

    def crawl(self) -> SiteCrawl:
        """Return the counts, and the figures of the sample."""
        texts = [page for page in self._sample if page.length]
        kept = self._times.most_common(KEPT_TEMPLATES)
        return replace(
            self.counts,
            same=_share_of_one_text(texts) * len(texts) / max(1, len(self._sample)),
            common=_common_share(texts),
            length=Spread.of([page.length for page in texts]),
            confidence=Spread.of([page.confidence for page in texts]),
            templates=len(self._templates),
            shares=tuple(round(times / self._read, 4) for _, times in kept),
            containers=tuple(_packed(self._templates[number].astype("<u4")) for number, _ in kept),
            words=_packed((self._words * 255 / self._words.max()).astype(np.uint8)) if self._words.any() else "",
            kinds={
                kind: round(times / len(self._sample), 4)
                for kind, times in Counter(page.kind for page in self._sample if page.kind).most_common()
            },
            places=counted([page.places for page in texts]),
        )


def _share_of_one_text(pages: Sequence[PageReading]) -> float:
    """Return the share of pages with the most frequent text; addresses that differ only after "?" are one page."""
    addresses = {(page.text, page.path) for page in pages}
    if len(addresses) < 2:
        return 0.0
    text, times = Counter(text for text, _ in addresses).most_common(1)[0]
    return sum(page.text == text for page in pages) / len(pages) if times > 1 else 0.0


def _common_share(pages: Sequence[PageReading]) -> float:
    """Return the mean share of a body in lines of others, each weighted by the share of other pages that have it."""
    on = Counter(line for page in pages for line in page.lines.tolist())
    others = max(1, len(pages) - 1)
    shares = [
        sum(size * (on[line] - 1) / others for line, size in zip(page.lines.tolist(), page.sizes.tolist(), strict=True))
        / page.length
        for page in pages
    ]
    return round(float(np.mean(shares)), 4) if shares else 0.0


def alarms(crawl: SiteCrawl, earlier: Sequence[SiteCrawl]) -> list[str]:
    """Return a site's problems in a crawl, in a few words each, by comparison with earlier crawls.

    Earlier crawls with alarms are ignored, unless the last three have them.
    """
    last = earlier[-SETTLED:]
    settled = len(last) == SETTLED and all(one.alarms for one in last)
    known = last if settled else [one for one in earlier if not one.alarms]
    usual = [one for one in known if one.is_enough]
    if crawl.fetched and not crawl.items and len(usual) >= SETTLED:
        return [f"no items from {crawl.fetched} pages"]
    if not crawl.is_enough:
        return []
    each = [crawl, *usual]
    found = [
        _raised([one.empty / one.pages for one in each], "of the bodies are empty"),
        _raised([one.same for one in each], "of the pages have one text in common"),
    ]
    is_plain = any(found)  # their consequences are left out
    if usual:  # a first crawl may consist of copies
        found.append(_raised([one.copies / max(1, one.items) for one in each], "of the items are near-duplicates"))
        found.append(_template(crawl, usual))
    if usual and crawl.words and not is_plain:
        found += [rule(crawl, usual) for rule in (_common, _words, _length, _confidence, _kinds)]
    if not is_plain:
        found += _moved(crawl, usual, earlier)
    return [one for one in found if one]


def _raised(shares: Sequence[float], words: str) -> str:
    """Compare the first share with the greatest other; without others, a share of most pages is too large."""
    now, *others = shares
    if not others:
        return f"{now:.0%} {words}" if now >= HALF else ""
    before = max(others)
    return f"{now:.0%} {words}, {before:.0%} before" if now >= before + MARGIN else ""


def _template(crawl: SiteCrawl, usual: Sequence[SiteCrawl]) -> str:
    known = [_hashes(one) for each in usual for one in each.containers]
    pairs = zip(crawl.shares, map(_hashes, crawl.containers), strict=True)
    new = sum(share for share, own in pairs if all(likeness(own, one) < ALIKE for one in known))
    # the expected share of new templates in the next crawl is that of pages alone with theirs (Good and Turing)
    expected = max(
        1 - sum(share for share in one.shares if share * min(one.pages, PAGES_A_SITE) > 1.5) for one in usual
    )
    return f"{new:.0%} of the pages have a new template" if new >= expected + MARGIN else ""


def _common(crawl: SiteCrawl, usual: Sequence[SiteCrawl]) -> str:
    now, before = crawl.common, max(one.common for one in usual)
    is_more = now >= COMMON + COMMON_TIMES * before
    return f"{now:.0%} of the text is repeated on other pages ({before:.0%} before)" if is_more else ""


def _words(crawl: SiteCrawl, usual: Sequence[SiteCrawl]) -> str:
    own = _classes(crawl.words)
    found = [float(np.corrcoef(own, _classes(one.words))[0, 1]) for one in usual if one.words]
    return "vocabulary changed: the site may have switched language" if found and max(found) < SAME_WORDS else ""


def _length(crawl: SiteCrawl, usual: Sequence[SiteCrawl]) -> str:
    now, before = crawl.length.median, float(np.median([one.length.median for one in usual]))
    outside = now < min(one.length.low for one in usual) or now > max(one.length.high for one in usual)
    far = max(now, before) >= LENGTHS * max(1.0, min(now, before))
    return f"median body length went from {before:,.0f} to {now:,.0f} characters" if outside and far else ""


def _confidence(crawl: SiteCrawl, usual: Sequence[SiteCrawl]) -> str:
    now = crawl.confidence.median
    before = float(np.median([one.confidence.median for one in usual]))
    low = min(one.confidence.low for one in usual)
    return f"confidence {now:.2f}, {before:.2f} before" if now < low and now <= before - CONFIDENCES else ""


def _kinds(crawl: SiteCrawl, usual: Sequence[SiteCrawl]) -> str:
    named = [one for one in usual if one.kinds]
    rises = (
        _raised([one.kinds.get(kind, 0.0) for one in (crawl, *named)], f"of the pages are of kind {kind}")
        for kind in crawl.kinds
    )
    return next(filter(None, rises), "") if named else ""


def _moved(crawl: SiteCrawl, usual: Sequence[SiteCrawl], earlier: Sequence[SiteCrawl]) -> list[str]:
    with_alarms = takewhile(lambda one: any(MOVED in alarm for alarm in one.alarms), reversed(earlier))
    first = min((one.began for one in with_alarms), default=crawl.began)
    since = time.strftime("%Y-%m-%d", time.localtime(first))
    return moved(crawl.places, [one.places for one in usual], since, MARGIN)


def record_of(crawls: Sequence[SiteCrawl]) -> bytes:
    """Return the record of a site's newest crawls; they are given oldest first."""
    return json.dumps([asdict(one) for one in crawls[-KEPT_CRAWLS:]]).encode()


def read_record(record: bytes) -> list[SiteCrawl]:
    """Read a record of `record_of`; b"" has no crawls; raise `ValueError` for a damaged one."""
    try:
        rows = json.loads(record[: MAX_RECORD + 1] or b"[]")
        return [_read(row) for row in rows[-KEPT_CRAWLS:]]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"a record of a site's health is damaged: {error}") from error


def _read(row: Mapping[str, Any]) -> SiteCrawl:
    tuples = {name: tuple(row[name]) for name in ("shares", "containers", "alarms")}
    spreads = {name: Spread._make(row[name]) for name in ("length", "confidence")}
    one = SiteCrawl(**{**row, **tuples, **spreads})
    plain = [getattr(one, each.name) for each in fields(one) if each.type in {"int", "float"}]
    counts = [times for some in one.places.values() for times in some.values()]
    numbers = *plain, *one.length, *one.confidence, *one.shares, *one.kinds.values(), *counts
    is_sound = (
        all(isinstance(each, (int, float)) and 0 <= each < float("inf") for each in numbers)
        and len(one.shares) == len(one.containers)
        and all(isinstance(each, str) for each in one.alarms)
        and all(len(_hashes(each)) <= CONTAINERS for each in one.containers)  # fails if they are not hashes
        and len(_classes(one.words)) in {0, WORD_CLASSES}
    )
    if not is_sound:
        raise ValueError("a value is invalid")
    return one


def _packed(numbers: npt.NDArray[Any]) -> str:
    return b64encode(numbers.tobytes()).decode()


def _hashes(packed: str) -> Hashes:
    return np.frombuffer(b64decode(packed), "<u4")


def _classes(packed: str) -> npt.NDArray[np.uint8]:
    return np.frombuffer(b64decode(packed), np.uint8)
