"""What a page says of itself: title, authors, dates, site, image and the like. It needs the extra `meta`.

Markup is read in one pass, in places: a date or a byline counts that stands in the body or next to the headline, not
one of a dropped block. Dates are parsed by htmldate and dateparser, languages are told apart by py3langid. JSON-LD and
microdata are read here: extruct gives values without their places, and imports an RDF library to do so.

Example:
    >>> from denoise_scrapy import extract
    >>> page = '''<title>Bridge closed - The Herald</title><meta property="og:site_name" content="The Herald">
    ... <h1>Bridge closed</h1><p class=byline>By Ann Reed, 12 March 2024</p>
    ... <p>The river rose again on Tuesday, and by noon the council had closed the old bridge to all but walkers.</p>
    ... <div><a href=/x>Bridge opened</a> <time datetime=1998-11-05>5 Nov</time></div>'''
    >>> meta = extract(page, "http://a.example/").meta
    >>> meta.title, meta.authors, meta.published, meta.site_name, meta.language
    ('Bridge closed', ('Ann Reed',), '2024-03-12', 'The Herald', 'en')
"""

from __future__ import annotations

import json
import logging
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from html import unescape
from importlib import import_module
from typing import Any, Protocol
from urllib.parse import urljoin, urlsplit

from lxml import etree

from denoise_scrapy.page.events import Target, feed
from denoise_scrapy.page.markup import BLOCK_TAGS
from denoise_scrapy.page.utf8 import to_utf8
from denoise_scrapy.shown import logger_of

__all__ = ["Metadata", "language_of", "metadata_of"]

logger = logger_of(__name__)

#: Fewer letters are too few to tell a language by: the page's own word for it counts.
MIN_LETTERS = 50
#: Characters of a text that are looked at; more tell nothing new, and take a millisecond a thousand.
MAX_TEXT = 5_000
#: Bytes of a page that are read. Of 360 recorded pages the largest has 1.5 MB.
MAX_HTML = 2_000_000
#: Characters of JSON-LD that are parsed, and values that are looked at in them.
MAX_JSON, MAX_VALUES = 500_000, 5_000
#: Elements that are kept of each kind (meta, marked, img), and how many may be open at once.
MAX_ELEMENTS, MAX_OPEN = 2_000, 12
#: Characters of a text that is told, of a name, and of an address.
MAX_TOLD, MAX_NAME, MAX_ADDRESS = 1_000, 60, 2_000
#: Lines before and behind the headline that are next to it; bylines stand among share links and captions.
BEFORE, BEHIND = 3, 8
#: A longer line is no byline.
BYLINE_CHARS = 150
#: Texts that are parsed as dates at most; one takes .1 to 20 ms.
MAX_DATES = 12
#: Pictures of fewer pixels in a direction lead nothing.
MIN_PIXELS = 150


class HasBody(Protocol):
    """What is asked of a body: `denoise_scrapy.Body` has it."""

    @property
    def text(self) -> str:
        """The kept blocks, a line each."""

    @property
    def title(self) -> str:
        """The page's title without the name of its site."""


@dataclass(frozen=True)
class Metadata:
    """What a page says of itself. What it does not say is "", or ().

    Attributes:
        title: Its title without the name of its site: that of its body.
        authors: Who wrote it; the site itself is no author.
        description: What it says for search results.
        site_name: The name of its site.
        tags: Its keywords.
        language: That of its body as a code of ISO 639-1, "en".
        published: ISO 8601: a day, or with time and offset where the page tells them.
        modified: The same of its last change.
        image: Absolute address of the picture that leads it.
        canonical: Absolute address that it wants to be known by.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    description: str = ""
    site_name: str = ""
    tags: tuple[str, ...] = ()
    language: str = ""
    published: str = ""
    modified: str = ""
    image: str = ""
    canonical: str = ""


def metadata_of(html: str | bytes, url: str | None, body: HasBody) -> Metadata:
    """Return what a page says of itself.

    Args:
        html: The page. Its first `MAX_HTML` bytes are read.
        url: Where it came from.
        body: Its body: what it dropped does not count, unless it stands next to the headline.

    Raises:
        ImportError: A library of the extra `meta` is not installed.
    """
    for name in ("htmldate", "dateparser", "py3langid"):
        load(name)
    read = _Read(body)
    feed(to_utf8(html)[:MAX_HTML], Target(read.start, read.end, read.data))
    read.end_line()
    language = language_of(body.text, read.language)
    try:
        return _Teller(read, url or "", body.title, language).metadata()
    except Exception as error:  # metadata is not worth a page, whatever it holds
        logger.debug("No metadata of %s: %r", url, error)
        return Metadata(title=body.title, language=language)


def load(name: str) -> Any:
    """Import a library of the extra.

    Raises:
        ImportError: It is not installed; the message names the extra.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"needs {name}, which is not installed: pip install denoise-scrapy[meta]") from error


def language_of(text: str, declared: str = "") -> str:
    """Return the language that a text is written in, as its code in ISO 639-1.

    Args:
        text: The text. One with fewer than `MIN_LETTERS` letters is not judged.
        declared: What its page says, as "pt-BR": it counts for such a text.

    Returns:
        "en", "de", "zh" …, "" where nothing tells.

    Raises:
        ImportError: py3langid is not installed.

    Example:
        >>> language_of("OK", "pt-BR"), language_of("OK")
        ('pt', '')
    """
    classify = load("py3langid").classify
    start = text[:MAX_TEXT]
    if sum(map(str.isalpha, start)) >= MIN_LETTERS:
        return str(classify(start)[0])
    code = re.match(r"\s*([a-z]{2,3})(?![a-z])", declared.lower())
    return code[1] if code else ""


# -- Reading -----------------------------------------------------------------------------------------------------------

_UNSEEN = frozenset("script style noscript template svg iframe textarea select title".split())
_TELLING_CLASS = re.compile(r"author|byline|by-line|dateline|writer|date|time|publish|posted|meta|autor|fecha|datum", re.I)


@dataclass
class _Mark:
    """An element that may tell an author, a date or a tag.

    Attributes:
        names: Its tag, `itemprop`, `rel` and `class`, as words.
        told: What an attribute says in place of its text.
        line: Number of the line it begins in.
        texts: Its text so far.
        item: Whether it is a schema.org item of its own, as the author of an article.
    """

    tag: str
    prop: str
    rel: str
    kind: str
    told: str
    line: int
    parent: _Mark | None
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())[:MAX_TOLD]


class _Read:
    """A page's metas, links, JSON-LD, lines, and marked elements with the line they stand in; made in one pass."""

    def __init__(self, body: HasBody) -> None:
        self.metas: defaultdict[str, list[str]] = defaultdict(list)
        self.links: dict[str, str] = {}
        self.json: list[list[str]] = []
        self.lines: list[str] = []
        self.kept: list[bool] = []
        self.marks: list[_Mark] = []
        self.images: list[tuple[int, Mapping[str, str]]] = []
        self.title = self.base = self.language = ""
        self._body = {_fold(line) for line in body.text.split("\n")}
        self._left = MAX_JSON
        self._metas = 0
        self._line: list[str] = []
        self._stack: list[_Mark | None] = []
        self._open: list[_Mark] = []
        self._unseen: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in BLOCK_TAGS:
            self.end_line()
        mark = None
        if tag in _UNSEEN:
            is_json = tag == "script" and "ld+json" in attributes.get("type", "").lower()
            self._unseen.append("json" if is_json else tag)
            if is_json:
                self.json.append([])
        elif tag == "meta" and "itemprop" not in attributes:
            self._meta(attributes)
        elif tag == "link" and "itemprop" not in attributes:
            for word in attributes.get("rel", "").lower().split()[:4]:
                self.links.setdefault(word, attributes.get("href", ""))
        elif tag == "base":
            self.base = self.base or attributes.get("href", "")
        elif tag == "html":
            self.language = self.language or attributes.get("lang", attributes.get("xml:lang", ""))
        elif tag == "img":
            if len(self.images) < MAX_ELEMENTS:
                self.images.append((len(self.lines), attributes))
        elif attributes and len(self.marks) < MAX_ELEMENTS:
            mark = self._mark(tag, attributes)
        self._stack.append(mark)
        if mark and len(self._open) < MAX_OPEN:
            self._open.append(mark)

    def end(self, tag: str) -> None:
        if self._unseen and (self._unseen[-1] == tag or (tag, self._unseen[-1]) == ("script", "json")):
            self._unseen.pop()
        if tag in BLOCK_TAGS:
            self.end_line()
        mark = self._stack.pop() if self._stack else None
        if mark and self._open and self._open[-1] is mark:
            self._open.pop()

    def data(self, text: str) -> None:
        if not self._unseen:
            self._line.append(text)
            for mark in self._open:
                if len(mark.texts) < MAX_OPEN:
                    mark.texts.append(text[:MAX_TOLD])
        elif self._unseen[-1] == "json":
            self.json[-1].append(text[: self._left])
            self._left -= min(len(text), self._left)
        elif self._unseen[-1] == "title" and len(self.title) < MAX_TOLD and "svg" not in self._unseen:
            self.title += text[:MAX_TOLD]

    def end_line(self) -> None:
        """Note the text since the last boundary of blocks, if there is one."""
        text = "".join(self._line)
        folded = _fold(text)
        if folded:
            self.lines.append(" ".join(text[:MAX_TOLD].split()))
            self.kept.append(folded in self._body)
        self._line.clear()

    def _meta(self, attributes: Mapping[str, str]) -> None:
        self._metas += 1
        content = attributes.get("content", "")[:MAX_TOLD]
        if self._metas < MAX_ELEMENTS and content.strip():
            names = {attributes.get(name, "").strip().lower()[:MAX_NAME] for name in ("name", "property", "http-equiv")}
            for name in names - {""}:
                self.metas[name].append(content)

    def _mark(self, tag: str, attributes: Mapping[str, str]) -> _Mark | None:
        prop, rel = attributes.get("itemprop", "").lower()[:MAX_NAME], attributes.get("rel", "").lower()[:MAX_NAME]
        kind = f"{attributes.get('class', '')} {attributes.get('id', '')}"[:200]
        if not (prop or tag == "time" or "author" in rel or "tag" in rel or _TELLING_CLASS.search(kind)):
            return None
        told = attributes.get("datetime") or attributes.get("content") or ""
        if not told and tag == "abbr":
            told = attributes.get("title", "")
        parent = self._open[-1] if self._open else None
        made = _Mark(tag, prop, rel, kind.lower(), told[:MAX_TOLD], len(self.lines), parent)
        self.marks.append(made)
        return made


# -- JSON-LD -----------------------------------------------------------------------------------------------------------

Node = dict[str, Any]
_WORK = re.compile(r"article|posting|report$|recipe|reportage|techarticle|howto$|blogpost|newsstory|podcastepisode")
_PAGE = re.compile(r"page$|product$|event$|book$|movie$|course$|softwareapplication|question$|videoobject$")


class _JsonLd:
    """The items of a page's JSON-LD: the one that the page is about, and those it names."""

    def __init__(self, scripts: Iterable[str], title: str, addresses: set[str]) -> None:
        self._by_id: dict[str, Node] = {}
        items = list(self._items(scripts))
        works = [item for item in items if _WORK.search(_kind(item))]
        pages = [item for item in items if _PAGE.search(_kind(item))]
        self.main = self._about(works, title, addresses) or {}
        self.page = self._about(pages, title, addresses) or {}
        self.site = next((item for item in items if _kind(item) == "website"), {})

    def _items(self, scripts: Iterable[str]) -> Iterator[Node]:
        left = MAX_VALUES
        for script in scripts:
            try:
                found = json.loads(script.strip().strip(";"), strict=False, parse_int=str, parse_float=str)
            except (ValueError, RecursionError):
                continue
            todo = [found]
            while todo and left > 0:
                value = todo.pop()
                left -= 1
                if isinstance(value, dict):
                    if isinstance(value.get("@id"), str) and len(value) > 1:
                        self._by_id.setdefault(value["@id"], value)
                    if "@type" in value:
                        yield value
                    todo.extend(reversed(list(value.values())[:MAX_VALUES]))
                elif isinstance(value, list):
                    todo.extend(reversed(value[:MAX_VALUES]))

    def _about(self, items: list[Node], title: str, addresses: set[str]) -> Node | None:
        """The item that has the page's headline or address; else the only one."""
        for item in items:
            headline = _fold(_string(item.get("headline") or item.get("name")))
            if headline and title and (headline == title or (min(len(headline), len(title)) > 9 and (headline in title or title in headline))):
                return item
        for item in items:
            told = [item.get(key) for key in ("url", "@id", "mainEntityOfPage")]
            told = [one.get("@id") if isinstance(one, dict) else one for one in told]
            if any(isinstance(one, str) and _same(one) in addresses for one in told):
                return item
        headlines = {_fold(_string(item.get("headline") or item.get("name"))) for item in items}
        return items[0] if len(headlines) == 1 else None

    def values(self, item: Node, *keys: str) -> list[Any]:
        """Values of the first of these properties that an item has, with what they refer to."""
        for key in keys:
            value = item.get(key)
            if value:
                found = value[:50] if isinstance(value, list) else [value]
                return [self._by_id.get(_string(one.get("@id")), one) if isinstance(one, dict) else one for one in found]
        return []

    def string(self, item: Node, *keys: str) -> str:
        """The first text among these properties."""
        for key in keys:
            for value in self.values(item, key):
                if text := _string(value.get("name") or value.get("url") if isinstance(value, dict) else value):
                    return text
        return ""


def _kind(item: Node) -> str:
    kind = item.get("@type")
    return _string(kind[0] if isinstance(kind, list) and kind else kind).lower().rpartition("/")[2]


def _string(value: Any) -> str:
    return value[:MAX_TOLD] if isinstance(value, str) else ""


# -- Texts -------------------------------------------------------------------------------------------------------------

_TAGS = re.compile(r"<[^<>]{0,200}>")
_UNWRITTEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060\ufeff]+")
_BY = re.compile(
    r"^\W*(?:(?:written|posted|published|reported|story|article|words|text|review|created|submitted) by|by|von|par|por|di|door"
    r"|af|av|autor(?:in|ka|ul)?|auteur|autore|author|text|автор|текст|από|του|γράφει ο|γράφει η|作者|记者|記者|撰文|文)\b\s*[:：/／|]?\s*",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"(?:^|[|•·–—\]\)-] ?|\d\W+)(?:(?:[Ww]ritten|[Pp]osted|[Pp]ublished|[Rr]eported) by|[Bb]y|BY|[Vv]on|[Pp]ar|[Pp]or|Di|di|[Aa]utor|[Aa]uthor|"
    r"Автор|作者|文／)\b\s?[:：]?\s*(?P<name>[^\d|•·–—(\[<>:;@]{3,80})"
)
_NAME_ENDS = re.compile(r"\s+(?:on|in|at|am|le|el|um|vom|in|for|is|with|updated|published|posted|follow|view|more|the)\b.*|\s*[|•·<>(\[\d@].*|\s+[-–—]\s.*|\s{2,}.*", re.I | re.S)
_ROLES = re.compile(r"editor|writer|correspondent|reporter|staff|author|journalist|contributor|associate|columnist|redakt|chief|ph\.?d|m\.?d\.?$|press$", re.I)
_NO_NAMES = frozenset("admin administrator administrador webmaster editor staff author redaktion redaction unknown guest root user none null anonymous default".split())
_JOINED = re.compile(r"\s*(?:[,;、/&+]|\s(?:and|und|et|y|e|og|och|en|и|και)\s)\s*")


def _fold(text: str) -> str:
    return "".join(text.split()).lower()


def _clean(value: str) -> str:
    """A text that markup tells, as a reader would see it."""
    return " ".join(_UNWRITTEN.sub(" ", _TAGS.sub(" ", unescape(unescape(value[:MAX_TOLD])))).split())


def _same(address: str) -> str:
    """An address without what does not tell pages apart."""
    return re.sub(r"^https?://(?:www\.)?|[?#].*$|/$", "", address.strip()[:MAX_ADDRESS])


def _names(told: str) -> list[str]:
    """Names of people in what stands for an author."""
    told = _BY.sub("", _clean(told), count=1)
    if not told or "://" in told or told.startswith("www."):
        return []
    parts = [part for part in _JOINED.split(told) if part]
    if any(" " not in part.strip() and part.isascii() for part in parts[1:]) and not any(_ROLES.search(p) for p in parts):
        parts = [" ".join(reversed(parts))] if len(parts) == 2 and "," in told and " " not in parts[0] else parts
    found = [_NAME_ENDS.sub("", part).strip(" .,;:-–—'\"") for part in parts]
    return [name for name in dict.fromkeys(found) if _is_name(name)]


def _is_name(name: str) -> bool:
    return (
        1 < len(name) <= MAX_NAME
        and len(name.split()) <= 6
        and any(map(str.isalpha, name))
        and name.lower() not in _NO_NAMES
        and not _ROLES.search(name)
    )


# -- Dates -------------------------------------------------------------------------------------------------------------

#: Nothing on the web is older.
FIRST_DAY = "1995-01-01"
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:(?:[T ]|\s?T\s?)(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?\s?(Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)?)?"
)
_ASIAN = re.compile(r"((?:19|20)\d\d)\s?[年년./-]\s?([01]?\d)\s?[月월./-]\s?([0-3]?\d)(?!\d)")
_AMERICAN = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/((?:19|20)\d\d)(?!\d)")
_YEAR = re.compile(r"(?<!\d)(?:19[89]|20[0-4])\d(?!\d{5})")
_NAMED_MONTH = re.compile(
    r"\d{1,2}(?:st|nd|rd|th|er|\.|º|ης|η)?,?\s(?:de\s|of\s|ta'\s)?[^\W\d_]{3,14}\.?,?\s(?:de\s|del\s)?(?:19|20)\d\d(?!\d)"
    r"|[^\W\d_]{3,14}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s(?:19|20)\d\d(?!\d)"
)


def _date(told: str, language: str, american: bool = False) -> str:
    """The first date in a text, as ISO 8601: with its time where the text is nothing else than that; "" without one."""
    told = _clean(told)[:BYLINE_CHARS]
    if match := _ISO.fullmatch(told):
        return _iso(match)
    if not _YEAR.search(told):
        return ""
    if match := _ASIAN.search(told):
        return _day(*match.groups())
    if american and (match := _AMERICAN.search(told)) and int(match[1]) <= 12:
        return _day(match[3], match[1], match[2])
    return _by_htmldate(told) or _by_dateparser(told, language)


def _iso(match: re.Match[str]) -> str:
    year, month, day, hour, minute, second, zone = match.groups()
    found = _day(year, month, day)
    if not found or hour is None or int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59:
        return found
    if zone:
        digits = zone.replace(":", "")
        zone = "+00:00" if digits[0] not in "+-" else f"{digits[:3]}:{digits[3:5] or '00'}"
    return f"{found}T{hour}:{minute}:{second or '00'}{zone or ''}"


def _day(year: str, month: str, day: str) -> str:
    """A day that is one, not before the web and not after tomorrow."""
    with suppress(ValueError):
        found = f"{datetime(int(year), int(month), int(day)):%Y-%m-%d}"
        if FIRST_DAY <= found <= f"{datetime.now() + timedelta(days=1):%Y-%m-%d}":
            return found
    return ""


@lru_cache(maxsize=512)
def _by_htmldate(told: str, url: str | None = None) -> str:
    """The day that htmldate reads in a text, or in an address."""
    tree = etree.Element("html")
    etree.SubElement(tree, "meta", {"property": "article:published_time", "content": told})
    with _silent("htmldate"), suppress(Exception):
        return load("htmldate").find_date(tree, extensive_search=False, original_date=True, url=url) or ""
    return ""


@lru_cache(maxsize=512)
def _by_dateparser(told: str, language: str) -> str:
    """The day that dateparser reads in a month's name of a language."""
    match = _NAMED_MONTH.search(told)
    parser = _parser(language or "en")
    found = None
    with suppress(Exception):
        found = match and parser and parser.get_date_data(match[0]).date_obj
    return _day(str(found.year), str(found.month), str(found.day)) if found else ""


@lru_cache(maxsize=8)
def _parser(language: str) -> Any:
    try:
        return load("dateparser.date").DateDataParser(languages=[language], settings={"STRICT_PARSING": True})
    except ValueError:  # a language that it does not read
        return None


@contextmanager
def _silent(name: str) -> Iterator[None]:
    """Without what a library logs: of pages that hold nonsense there is nothing to be said."""
    theirs = logging.getLogger(name)
    level = theirs.level
    theirs.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        theirs.setLevel(level)


# -- What counts -------------------------------------------------------------------------------------------------------

#: Names of meta elements that tell when a page was published, surest first; and those that tell something else.
_PUBLISHED = (
    re.compile(r"article:published_time$|^og:published_time$"),
    re.compile(r"publish|pub_?date|issue|posted|sailthru\.date|parsely-pub|article[.:_]date|first.?release"),
    re.compile(r"^dc\w*[.:]date|creat|^date$|display_?date|ptime|release_?date"),
)
_MODIFIED = (
    re.compile(r"article:modified_time$"),
    re.compile(r"modif|updated|^revised|last-?mod|lastdate"),
)
_OTHER_DATES = re.compile(r"modif|update|expir|valid|revis|publisher|creator|event|start|last|publication$|issue_?n")
_AUTHOR_METAS = (
    "author",
    "article:author",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
    "sailthru.author",
    "byl",
    "article.author",
    "citation_author",
    "cxenseparse:author",
)
_AUTHOR_CLASS = re.compile(r"author|byline|by-line|writer|\bautor")
_DATE_CLASS = re.compile(r"date|time|publish|posted|fecha|datum|meta")
_PARTS = re.compile(r"\s+[-–—|·•»«›‹/~:]+\s+|\s*[|_｜»]+\s*|:\s+")
_NO_LEAD = re.compile(
    r"(?:^|[-_.])(?:logos?|favicon|default|placeholder|blank|spacer|pixel|avatar|icons?|sprite|fallback|gravatar|noimage|"
    r"no-image|facebook|fb|twitter|opengraph|og|social|share|sharing|badge|banner|button)(?:[-_.\d]|$)|logo\.",
    re.IGNORECASE,
)
_AMERICAN_ENDS = ("com", "org", "net", "us", "gov", "edu", "mil", "info", "tv", "biz", "")


class _Teller:
    """Decides what of all that a page says is told."""

    def __init__(self, read: _Read, url: str, title: str, language: str) -> None:
        self.read, self.url, self.title, self.language = read, url, title, language
        self.base = _joined(url, read.base) or url
        self.canonical = self._address(read.links.get("canonical", "")) or self._address(self._meta("og:url"))
        addresses = {_same(url), _same(self.canonical)} - {""}
        self.ld = _JsonLd(map("".join, read.json), _fold(title), addresses)
        with suppress(ValueError):
            host = urlsplit(url).hostname or ""
            self.american = language == "en" and host.rpartition(".")[2] in _AMERICAN_ENDS
        self.first = next((i for i, line in enumerate(read.lines) if read.kept[i] and len(line) > 80), -1)
        self.headline = self._headline()

    def metadata(self) -> Metadata:
        site = self._site_name()
        published = self._published()
        modified = self._modified()
        return Metadata(
            title=self.title,
            authors=self._authors(site),
            description=self._description(),
            site_name=site,
            tags=self._tags(),
            language=self.language,
            published=published,
            modified=modified if modified[:10] >= published[:10] else "",
            image=self._image(),
            canonical=self.canonical,
        )

    def _headline(self) -> int:
        """Line of the page's headline, -1 where there is none: the last before the text, else the first."""
        title = _fold(self.title)
        lines = [i for i, line in enumerate(self.read.lines) if title and _fold(line) == title]
        before = [i for i in lines if i <= self.first]
        return before[-1] if before else lines[0] if lines else -1

    def _is_near(self, line: int) -> bool:
        """Whether a line stands next to the headline or to the beginning of the text."""
        near_text = self.first >= 0 and self.first - BEFORE <= line <= self.first + 1
        return near_text or (self.headline >= 0 and self.headline - BEFORE <= line <= self.headline + BEHIND)

    def _counts(self, line: int) -> bool:
        return self._is_near(line) or (line < len(self.read.kept) and self.read.kept[line])

    def _nearest(self, marks: Iterable[_Mark]) -> list[_Mark]:
        """Those marks that count, nearest to the headline first."""
        anchor = self.headline if self.headline >= 0 else max(self.first, 0)
        return sorted((mark for mark in marks if self._counts(mark.line)), key=lambda mark: abs(mark.line - anchor))

    def _near_lines(self) -> list[str]:
        """Short lines next to the headline, those behind it first."""
        found = [i for i, line in enumerate(self.read.lines) if len(line) <= BYLINE_CHARS and self._is_near(i)]
        return [self.read.lines[i] for i in sorted(found, key=lambda i: (i < self.headline, i)) if i != self.headline]

    def _meta(self, *names: str) -> str:
        return next((text for name in names for told in self.read.metas.get(name, ()) if (text := _clean(told))), "")

    def _address(self, told: str) -> str:
        return _joined(self.base, told)

    # -- names ---------------------------------------------------------------------------------------------------------

    def _site_name(self) -> str:
        ld = self.ld
        publisher = ld.string(ld.main, "publisher") or ld.string(ld.page, "publisher")
        told = (self._meta("og:site_name"), _clean(ld.string(ld.site, "name")), _clean(publisher), self._title_rest())
        more = (self._meta("application-name", "apple-mobile-web-app-title", "dc.publisher", "publisher", "copyright"),)
        fits = (name for name in (*told, *more) if name and len(name) <= MAX_NAME and _fold(name) != _fold(self.title))
        return next((name for name in fits if "://" not in name), "")

    def _title_rest(self) -> str:
        """What the title element says beside the title."""
        whole = _clean(self.read.title)
        before, found, behind = whole.partition(self.title)
        parts = [part.strip() for part in _PARTS.split(f"{before} | {behind}") if part.strip()] if found and self.title else []
        return parts[-1].strip(" -–—|:·•»") if parts else ""

    def _authors(self, site: str) -> tuple[str, ...]:
        for find in (self._ld_authors, self._marked_authors, self._meta_authors, self._signed):
            names = [name for name in find() if _fold(name) != _fold(site)]
            if names:
                return tuple(names[:20])
        return ()

    def _ld_authors(self) -> list[str]:
        found: list[str] = []
        for value in self.ld.values(self.ld.main, "author", "creator"):
            told = value.get("name") if isinstance(value, dict) else value
            for one in told[:20] if isinstance(told, list) else [told]:
                found += _names(_string(one))
        return list(dict.fromkeys(found))

    def _marked_authors(self) -> list[str]:
        """Names in what is marked as an author by microdata, a link, or a class, next to the headline first."""
        marks = self.read.marks
        ways: tuple[Callable[[_Mark], bool], ...] = (
            lambda mark: mark.prop in ("author", "creator") or (mark.prop == "name" and _in_author(mark)),
            lambda mark: "author" in mark.rel.split(),
            lambda mark: bool(_AUTHOR_CLASS.search(mark.kind)) and self._is_near(mark.line),
        )
        for way in ways:
            found: list[str] = []
            last = None
            for mark in self._nearest(filter(way, marks)):
                told = mark.told or mark.text
                if last is not None and abs(mark.line - last) > 1:
                    break
                if len(told) <= BYLINE_CHARS and (names := _names(told)):
                    last = mark.line
                    found += names
            if found:
                return [name for name in dict.fromkeys(found) if not any(name != one and name in one and False for one in found)]
        return []

    def _meta_authors(self) -> list[str]:
        for name in _AUTHOR_METAS:
            told = [one for value in self.read.metas.get(name, ()) for one in _names(value)]
            if told:
                return list(dict.fromkeys(told))
        return []

    def _signed(self) -> list[str]:
        """Names in a line next to the headline that says who wrote it."""
        for line in self._near_lines():
            match = _SIGNED.search(line)
            names = _names(match["name"]) if match else []
            if names and all(name[:1].upper() == name[:1] for name in names):
                return names
        return []

    # -- dates ---------------------------------------------------------------------------------------------------------

    def _read_date(self, told: str) -> str:
        return _date(told, self.language, self.american)

    def _meta_dates(self, kinds: Iterable[re.Pattern[str]], but: re.Pattern[str] | None = None) -> Iterator[str]:
        for kind in kinds:
            for name, told in self.read.metas.items():
                if kind.search(name) and not (but and but.search(name)):
                    yield told[0]

    def _published(self) -> str:
        ld = self.ld
        return self._first_date(self._published_dates()) or _by_address(self.url) or self._read_date(
            ld.string(ld.page, "datePublished")
        )

    def _published_dates(self) -> Iterator[str]:
        ld = self.ld
        yield ld.string(ld.main, "datePublished", "dateCreated", "uploadDate")
        yield from self._meta_dates(_PUBLISHED, _OTHER_DATES)
        marks = [mark for mark in self.read.marks if "modif" not in mark.prop and "updat" not in mark.kind]
        for mark in self._nearest(mark for mark in marks if mark.prop in ("datepublished", "datecreated")):
            yield mark.told or mark.text
        for mark in self._nearest(mark for mark in marks if mark.tag == "time" or _DATE_CLASS.search(mark.kind)):
            if len(mark.text) <= BYLINE_CHARS:
                yield mark.told
                yield mark.text
        yield from self._near_lines()

    def _modified(self) -> str:
        return self._first_date(self._modified_dates())

    def _modified_dates(self) -> Iterator[str]:
        yield self.ld.string(self.ld.main, "dateModified")
        yield from self._meta_dates(_MODIFIED)
        for mark in self._nearest(mark for mark in self.read.marks if mark.prop == "datemodified"):
            yield mark.told or mark.text
        yield self.ld.string(self.ld.page, "dateModified")

    def _first_date(self, told: Iterable[str]) -> str:
        tried = 0
        for one in told:
            if _YEAR.search(one[:MAX_TOLD]):
                tried += 1
                if found := self._read_date(one):
                    return found
            if tried >= MAX_DATES:
                break
        return ""

    # -- the rest ------------------------------------------------------------------------------------------------------

    def _description(self) -> str:
        told = self._meta("description", "og:description", "twitter:description", "dc.description")
        return told or _clean(self.ld.string(self.ld.main, "description"))

    def _tags(self) -> tuple[str, ...]:
        ways: tuple[Callable[[], Iterable[str]], ...] = (
            lambda: self.read.metas.get("article:tag", ()),
            lambda: map(_string, self.ld.values(self.ld.main, "keywords")),
            lambda: self.read.metas.get("news_keywords", ()),
            lambda: (mark.text for mark in self.read.marks if "tag" in mark.rel.split() and self._counts(mark.line)),
            lambda: self.read.metas.get("keywords", ()),
        )
        for way in ways:
            tags = [part.strip(" #") for told in way() for part in re.split(r"[,;、，]", _clean(told))]
            if tags := [tag for tag in dict.fromkeys(tags) if tag and len(tag) <= MAX_NAME]:
                return tuple(tags[:50])
        return ()

    def _image(self) -> str:
        return next((found for told in self._images() if (found := self._address(told)) and not _is_generic(found)), "")

    def _images(self) -> Iterator[str]:
        for name in ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"):
            yield from self.read.metas.get(name, ())
        for value in self.ld.values(self.ld.main, "image", "thumbnailUrl"):
            yield _string(value.get("url") or value.get("contentUrl") if isinstance(value, dict) else value)
        yield self.read.links.get("image_src", "")
        for mark in self._nearest(mark for mark in self.read.marks if mark.prop == "image"):
            yield mark.told
        for line, attributes in self.read.images:
            if self._is_inside(line) and not any(0 < _pixels(attributes, side) < MIN_PIXELS for side in ("width", "height")):
                yield attributes.get("data-src") or attributes.get("data-original") or attributes.get("src", "")

    def _is_inside(self, line: int) -> bool:
        """Whether what stands before a line stands in the body, or between its headline and it."""
        kept = self.read.kept
        between = 0 <= self.headline < line <= self.first
        return between or (0 < line < len(kept) and kept[line] and kept[line - 1])


def _in_author(mark: _Mark) -> bool:
    return mark.parent is not None and mark.parent.prop in ("author", "creator")


def _is_generic(address: str) -> bool:
    return bool(_NO_LEAD.search(urlsplit(address).path.rpartition("/")[2]))


def _pixels(attributes: Mapping[str, str], side: str) -> int:
    told = re.match(r"\d{1,5}", attributes.get(side, "").strip())
    return int(told[0]) if told else 0


def _joined(base: str, told: str) -> str:
    """An absolute address of the web, "" for what is none."""
    told = told.strip()
    if not told or len(told) > MAX_ADDRESS or _UNWRITTEN.search(told) or " " in told:
        return ""
    with suppress(ValueError):
        found = urljoin(base, told)
        parts = urlsplit(found)
        if parts.scheme in ("http", "https") and parts.hostname:
            return found
    return ""


def _by_address(url: str) -> str:
    """The day that an address tells."""
    return _by_htmldate("", url) if url and len(url) <= MAX_ADDRESS and _YEAR.search(url) else ""
