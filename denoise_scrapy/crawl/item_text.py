"""The text of an item that is compared with others, its key, and its other fields."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from denoise_scrapy.crawl.item_pages import ItemPage, ItemText
from denoise_scrapy.dedup.variants import site_of
from denoise_scrapy.items import all_values, get_field, is_markup, own_values, url_in
from denoise_scrapy.site import page_identity, site_key
from denoise_scrapy.site.urls import canonical

if TYPE_CHECKING:
    pass

# Pages of which it is remembered under what address the crawl met them first: 10 MB. Of one that is forgotten another
# address passes as the same item.
MOST_SPELLINGS = 100_000
# Kept items counted at a time: a megabyte of keys. When there are more, the half with the fewest copies is forgotten.
MOST_COUNTED = 10_000
# Titles of its copies that are remembered of each, so many that it is said that they may be none; characters of these.
MOST_TITLES, MOST_TITLE = 5, 100

# Logged of the first item that is not compared for the reason of a stat (`denoise/dedup/…`); others are only counted.
SAID = {
    "not_ours": "Texts that the spider itself puts into the body field are not compared; DENOISE_DEDUP_FIELDS names a "
    "field to compare whoever fills it. (Further such items: denoise/dedup/not_ours)",
    "html": "The field to compare (DENOISE_DEDUP_FIELDS) holds HTML, of which a site's pages share most: it is not "
    "compared. (Further such items: denoise/dedup/html)",
}
# Keys of DENOISE_FIELDS whose values change with the pages that a page is compared with, and show no change of it.
AMOUNTS = "(prices and tables)"  # of the page, among the fields of an item that show a change
OF_COMPARISON = ("body", "title", "html", "markdown", "confidence", "comparison", "blocks")


class Spellings:
    """Keys of pages: what tells a page from others, whatever its address is this time.

    Another address at which a crawl meets the same page again is a key of its own, as it is a copy and no update.

    Attributes:
        evicted: Pages of which it was forgotten how they were met first.

    Example:
        >>> met = Spellings()
        >>> [met.key(f"http://a.example/7{more}") for more in ("?PHPSESSID=1f", "?PHPSESSID=2f", "/", "#!/8", "#top")]
        ['http://a.example/7', 'http://a.example/7?PHPSESSID=2f', 'http://a.example/7/', 'http://a.example/7#!/8', \
'http://a.example/7#']
    """

    def __init__(self) -> None:
        self.evicted = 0
        self._first: dict[int, int] = {}  # hashes: of a page, of its address

    def key(self, url: str) -> str:
        """Return the key of a URL."""
        page, _, route = canonical(url, keep_fragment=True).partition("#")
        end = "#" + route if route.startswith(("!", "/")) else ""  # by which scripts tell pages apart
        spelling, identity = page + end, page_identity(page) + end
        if self._first.setdefault(hash(identity), hash(spelling)) == hash(spelling):
            if len(self._first) > MOST_SPELLINGS:
                del self._first[next(iter(self._first))]
                self.evicted += 1
            return identity
        return spelling if spelling != identity else spelling + "#"


def item_text(item: Any, whose: ItemPage, spellings: Spellings) -> ItemText:
    """Return what of an item is compared with others: its own text, which may be none.

    It is the text that we have put into the body field, or that of a field which the settings name; never HTML.

    The key is the item's key field, of a URL the page that it names, or else the page that the item was made from.
    Further items of one response with the same key get "#2", "#3" … added: they are different items, not updates.
    """
    settings = whose.settings
    fields = settings.compared_fields
    field = fields.text or settings.body_field
    text = get_field(item, field)
    if not isinstance(text, str) or not text.strip():
        return ItemText(obstacle="no_text")
    key = _key(item, whose)
    gave = whose.gave(field, text)
    obstacle = _obstacle(ItemText(key, text), field, whose, named=bool(fields.text))
    if obstacle:
        return ItemText(obstacle=obstacle)
    site = site_key(whose.url or key) if settings.dedup_scope == "site" else ""
    if site_key(key):
        key = spellings.key(key)
    if whose.siblings is not None:
        key = whose.siblings.numbered(key)
    own = whose.own_page
    made = None if own is None else own.text
    skipped = {field, settings.url_field, settings.dedup_key_field, settings.mark_field, *fields.ignored}
    skipped |= {settings.variant_field, settings.seen_field}
    values = own_values(item, {*skipped, *settings.item_fields.values()})
    title = str(values.pop("title", "" if made is None else made.title))
    made_so = {name for what, name in settings.item_fields.items() if what in OF_COMPARISON}
    shown = all_values(item, skipped | made_so)
    if made is not None and made.amounts:
        shown[AMOUNTS] = made.amounts
    return ItemText(
        key,
        text,
        fields.scope(item, site),
        fields.group(item),
        site=site_of(whose.url or key),
        title=title,
        values={} if fields.decide else values,
        fields=shown,
        source=made.source if made is not None and gave and field == settings.body_field else "",
        is_alone=settings.dedup == "off",
    )


def _obstacle(found: ItemText, field: str, whose: ItemPage, *, named: bool) -> str:
    """Why the text in a field is not compared, "" if it is."""
    gave = whose.gave(field, found.text)
    if gave and whose.reason:
        return "shared"
    if not (gave or named):
        return "not_ours"
    if not (gave and field == whose.settings.body_field) and is_markup(found.text):
        return "html"
    if not found.key:
        return "no_key"
    return "" if found.writable else "unwritable"


def _key(item: Any, whose: ItemPage) -> str:
    key = get_field(item, whose.settings.dedup_key_field)
    if isinstance(key, int) and not isinstance(key, bool):
        return str(key)
    if not isinstance(key, str) or not key.strip():
        key = url_in(item, whose.settings.dedup_key_field) or whose.url
    return key.strip()


class CopyCounts:
    """Counts near-duplicates by the item they are copies of, in bounded memory.

    Attributes:
        items: Items of which it is known whether they repeat another; others may be waiting.
        dropped: Those of them that were dropped.
        in_a_row: How many of these without another between.
        most: Key of the item with the most copies, "" before the first.
        most_copies: How many it has.
        titles: Different titles of the copies of the item counted last, five at the most.
        examples: Keys of three of these copies, as far as there are so many.
        evicted: Items of which it was forgotten how many copies they have.

    Example:
        >>> counts = CopyCounts()
        >>> for key, copy, title in (("a", "/1", "Fox"), ("b", "/2", "Owl"), ("a", "/3", "Elk")):
        ...     counts.count(key, copy, title)
        >>> counts.most, counts.most_copies, counts.titles, counts.examples
        ('a', 2, 2, ['/1', '/3'])
    """

    def __init__(self) -> None:
        self.items = self.dropped = self.in_a_row = 0
        self.most = ""
        self.most_copies = 0
        self.evicted = self.titles = 0
        self.examples: list[str] = []
        self._counts: Counter[str] = Counter()
        self._titles: dict[str, dict[str, str]] = {}  # by kept item: titles of its copies, each with one's key

    def decided(self, *, dropped: bool) -> None:
        """Count an item that was dropped or passes."""
        self.items += 1
        self.dropped += dropped
        self.in_a_row = self.in_a_row + 1 if dropped else 0

    def count(self, key: str | None, copy: str = "", title: str = "") -> None:
        """Count a copy of an item."""
        if key is None:
            return
        self._counts[key] += 1
        titles = self._titles.setdefault(key, {})
        if title and len(titles) < MOST_TITLES:
            titles.setdefault(title[:MOST_TITLE], copy)
        self.titles, self.examples = len(titles), list(titles.values())[:3]
        if self._counts[key] > self.most_copies:
            self.most, self.most_copies = key, self._counts[key]
        if len(self._counts) > MOST_COUNTED:
            self.evicted += len(self._counts) - MOST_COUNTED // 2
            self._counts = Counter(dict(self._counts.most_common(MOST_COUNTED // 2)))
            self._titles = {key: titles for key, titles in self._titles.items() if key in self._counts}
