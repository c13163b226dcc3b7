"""Annotations of a page: metas, JSON-LD, marked elements; its lines with their elements; and addresses in texts."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from html import unescape
from importlib import import_module
from importlib.util import find_spec
from math import isfinite
from typing import Any

from lxml import etree

from denoise_scrapy.core.characters import fold, letters, without_unseen
from denoise_scrapy.core.markup import BLOCK_TAGS
from denoise_scrapy.page.attributes import host_of, image_attributes, safe_url
from denoise_scrapy.page.parse import NOT_WRITTEN, to_utf8

#: Characters of a text, of a name and of an address that are read.
MAX_CHARS, MAX_NAME, MAX_ADDRESS = 1_000, 60, 2_000
#: What a template left unfilled is no value.
_PLACEHOLDER = re.compile(r"\{\{|\$\{|<%|\{%|^%\w{1,60}%$")
#: Characters of a line that is a byline or a date, or is around a link to another page of the article; and of a meta
#: element's names, of which some have several.
LINE_CHARS = 150
#: Tags of a page, pages of an article and rows of posts, at most. Longer rows of pages are those of archives.
MOST_LISTED = 50

_TAGS = re.compile(r"<[^<>]{0,200}>")
_NEVER = rf"{re.escape(''.join(map(chr, NOT_WRITTEN)))}\ud800-\udfff"
_UNWRITABLE = re.compile(rf"[{_NEVER}]")
_UNWRITTEN = re.compile(rf"[{_NEVER}\t\n\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


def is_said(headline: str, title: str) -> bool:
    """Return whether one of two strings of letters contains the other, and that is long enough."""
    return bool(headline and title) and (
        headline == title or (min(len(headline), len(title)) > 9 and (headline in title or title in headline))
    )


def clean(given: str) -> str:
    """Return a text of markup as a reader would see it."""
    return " ".join(_UNWRITTEN.sub(" ", without_unseen(_TAGS.sub(" ", unescape(unescape(given[:MAX_CHARS]))))).split())


def same_address(address: str) -> str:
    """Return an address without the parts in which addresses of one page differ."""
    return re.sub(r"^https?://(?:www\.)?|[?#].*$|/$", "", address.strip()[:MAX_ADDRESS])


def joined(base: str, given: str) -> str:
    """Return an absolute web address, "" if it is invalid."""
    found = safe_url(base, given)
    return found if found.lower().startswith("http") and host_of(found) else ""


#: Libraries of the extra `meta`.
LIBRARIES = ("dateparser", "py3langid")
_MISSING = "metadata needs {}, which is not installed: pip install denoise-scrapy[meta]"


def load(name: str) -> Any:
    """Import a library of the extra.

    Raises:
        ImportError: It is not installed; the message names the extra.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(_MISSING.format(name)) from error


def find_libraries() -> None:
    """Raise the same for a missing one, without importing any, which takes half a second."""
    for name in LIBRARIES:
        found = None
        with suppress(ImportError, ValueError):  # of other code that imports
            found = find_spec(name)
        if found is None:
            raise ImportError(_MISSING.format(name))


#: Bytes of a page that are read. The largest of 360 recorded pages has 1.5 MB.
MAX_HTML = 2_000_000
#: Characters of JSON-LD that are parsed, and elements that are looked at for microdata; values of either that are read,
#: and links: most pages have a few hundred.
MAX_JSON, MAX_VALUES = 500_000, 5_000
#: Maximum elements kept of each kind, nesting of open ones, texts of each, and texts before one that may be its label.
#: Of texts that may be dates as many are parsed: one takes .1 to 20 ms.
MAX_ELEMENTS, MAX_OPEN, MAX_TEXTS = 2_000, 12, 24
_OPEN_GRAPH = re.compile(r"https?://ogp\.me/ns/?(\w*)#")
_SMALL = re.compile(r"\s*(?:\d{1,2}|1[0-4]\d)(?:px)?\s*$")

UNSEEN_TAGS = frozenset("script style template svg iframe textarea select title rt rp".split())
AUTHOR_CLASS = re.compile(r"author(?!_notes)|personname|byline|by-line|writer|\bautor|\buser-?name|\bposter\b")
DATE_CLASS = re.compile(r"date|time|publish|posted|fecha|datum|meta")
#: Seconds since 1970, of which dates are read in milliseconds.
_SECONDS = re.compile(r"^1\d{9}$")
#: Attributes that may say when.
_SAYS_WHEN = re.compile(r"^title$|^aria-label$|^data-.*(?:date|time|publish|posted)")
#: Elements whose title says what they lead to or show, not when.
_LEADING = frozenset("a button input iframe audio video".split())
#: What may be a date, in full where the text says only how long ago that was.
_DATED = re.compile(r"(?=.*\d\D+\d).{0,30}\b20[0-4]\d\b.{0,30}|1\d{9}(?:\d{3})?")
# elements of one kind repeat their classes
_marked_class = lru_cache(1_000)(re.compile(f"{AUTHOR_CLASS.pattern}|{DATE_CLASS.pattern}").search)


@dataclass
class Mark:
    """An element that may contain an author, a date, a tag or an image: its line's number, and its text so far.

    `label` has the words before it in its line, after the last number.
    """

    tag: str
    prop: str
    rel: str
    kind: str
    given: str
    line: int
    label: str
    texts: list[str] = field(default_factory=list)
    is_inner: bool = True

    @property
    def text(self) -> str:
        """Value of the element: an attribute, or its text."""
        return self.given or " ".join("".join(self.texts).split())[:MAX_CHARS]


#: Mark of a line break by an element: no page contains it (`to_utf8`).
_BREAK = "\x01"


class PageAnnotations:
    """A page's metas, links, JSON-LD, lines, and marked elements with their line; made in one pass."""

    def __init__(self, html: str | bytes, body: str, *, read_noscript: bool = False, unseen: Collection[str]) -> None:
        self.metas: defaultdict[str, list[str]] = defaultdict(list)
        self.links: dict[str, str] = {}
        self.scripts: list[str] = []
        self.lines: list[str] = []
        self.kept: list[bool] = []
        self.marks: list[Mark] = []
        self.title = self.base = self.language = ""
        self._body = {fold(line) for line in body.split("\n")}
        self._json_left, self._metas_left = MAX_JSON, MAX_ELEMENTS
        self._line: list[str] = []
        self._pending: list[str] = []  # of the text that is not over
        self.data = self._pending.append
        self._hidden = unseen
        self._has_title = False
        self._elements: list[Mark | None] = []
        self._open: list[Mark] = []
        self._unseen: list[str] = []
        self._skipped = UNSEEN_TAGS | {"button"} if read_noscript else UNSEEN_TAGS | {"button", "noscript"}
        # as events: even a page too large for a tree has metadata
        parser = etree.HTMLParser(target=self, encoding="utf-8", huge_tree=True)
        with suppress(etree.LxmlError, ValueError, TypeError):  # what was read before stays
            etree.fromstring(to_utf8(html)[:MAX_HTML], parser)
        self._end_text()
        self._end_line()

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Read the start of an element; called by the parser, as are the following."""
        if self._pending:
            self._end_text()
        if tag in BLOCK_TAGS and self._line:
            self._end_line()
        elif tag == "br":
            self._line.append(_BREAK)
        mark = None
        if tag in self._skipped:
            self._unseen.append(tag)
            if tag == "script" and "ld+json" in attributes.get("type", "").lower():
                self._unseen[-1] = "json"
        elif tag == "meta" and (not self.lines or "itemprop" not in attributes):
            self._meta(attributes)
        elif tag == "link":
            for word in attributes.get("rel", "").lower().split()[:4]:
                self.links.setdefault(word, attributes.get("href", ""))
        elif tag == "base":
            self.base = self.base or attributes.get("href", "")
        elif tag == "html":
            self.language = self.language or attributes.get("lang", "")
        elif (attributes or tag == "span") and len(self.marks) < MAX_ELEMENTS:
            if tag not in BLOCK_TAGS:
                self._line.append(" ")
            self._add_to_open(" ")  # names in separate elements are separate
            mark = self._mark(tag, attributes)
        self._elements.append(mark)

    def end(self, tag: str) -> None:
        """End an element."""
        if self._pending:
            self._end_text()
        if self._unseen and self._unseen[-1] in (tag, "json" if tag == "script" else tag):
            self._unseen.pop()
        if tag in BLOCK_TAGS and self._line:
            self._end_line()
        self._has_title |= tag == "title" and bool(self.title)
        mark = self._elements.pop() if self._elements else None
        if mark and self._open and self._open[-1] is mark:
            self._open.pop()

    def close(self) -> None:
        """End the page; there is nothing to return."""

    def _end_text(self) -> None:
        text = "".join(self._pending)
        self._pending.clear()
        if not self._unseen:
            is_hidden = bool(self._hidden) and " ".join(without_unseen(text).split()) in self._hidden
            if not is_hidden:
                self._line.append(text)
            self._add_to_open(text[:MAX_CHARS], is_hidden)
        elif self._unseen[-1] == "json":
            self.scripts.append(text[: self._json_left])
            self._json_left -= min(len(text), self._json_left)
        elif self._unseen == ["title"] and not self._has_title and len(self.title) < MAX_CHARS:
            self.title += text[:MAX_CHARS]

    def _add_to_open(self, text: str, is_hidden: bool = False) -> None:
        for mark in self._open:
            if len(mark.texts) < MAX_TEXTS and (mark.prop or not is_hidden):
                mark.texts.append(text)

    def _end_line(self) -> None:
        text = "".join(self._line)
        self._line.clear()
        if not text.strip():
            return
        text = without_unseen(text)
        folded = [part for part in map(fold, text.split(_BREAK)) if part]
        if folded:
            self.lines.append(" ".join(text.replace(_BREAK, " | ").split())[:MAX_CHARS])
            self.kept.append(any(part in self._body for part in folded))

    def _meta(self, attributes: Mapping[str, str]) -> None:
        content = attributes.get("content", "")[: MAX_ADDRESS + 1].strip()
        self._metas_left -= 1
        if self._metas_left > 0 and content and not _PLACEHOLDER.search(content):
            keys = ("name", "property", "itemprop", "http-equiv")
            names = " ".join(attributes.get(key, "")[:LINE_CHARS] for key in keys)
            for name in {*names.lower().split()}:
                full = _OPEN_GRAPH.match(name)
                self.metas[f"{full[1] or 'og'}:{name[full.end() :]}" if full else name].append(content)

    def _mark(self, tag: str, attributes: Mapping[str, str]) -> Mark | None:
        prop = attributes.get("itemprop", "").lower()[:MAX_NAME]
        rel = attributes.get("rel", "").lower()[:MAX_NAME]
        kind = f"{attributes.get('class', '')} {attributes.get('id', '')}"[:200].lower()
        given = attributes.get("datetime") or attributes.get("content", "")
        spoken = [attributes[name].strip() for name in attributes if _SAYS_WHEN.search(name)]
        may_say = spoken and not given and (tag not in _LEADING or DATE_CLASS.search(kind))
        if may_say and (dated := next(filter(_DATED.fullmatch, spoken), "")):
            given, kind = dated, f"{kind} date"
        if tag == "img":
            given = image_attributes(attributes).get("src") or attributes.get("src", "")
            if any(_SMALL.match(attributes.get(side, "")) for side in ("width", "height")):
                return None
        elif not (prop or tag == "time" or "author" in rel or "tag" in rel or _marked_class(kind)):
            return None
        label = re.split(r"\d", "".join(self._line[-MAX_TEXTS:])[-LINE_CHARS:])[-1]
        given = _SECONDS.sub(r"\g<0>000", given[: MAX_ADDRESS + 1])
        mark = Mark(tag, prop, rel, kind, given, len(self.lines), label)
        self.marks.append(mark)
        if len(self._open) < MAX_OPEN:
            for outer in self._open:
                outer.is_inner = outer.is_inner and not AUTHOR_CLASS.search(kind)
            self._open.append(mark)
        return mark


#: Lines of a page that are read. The longest of 4,600 recorded pages has a third of them.
MAX_LINES = 30_000
_NOT_READ = UNSEEN_TAGS | {"noscript", "head"}
_ACTIONS = {"a", "button", "input"}


@dataclass
class Line:
    """A line: its element, its text, the links and buttons in it, and whether the body has it."""

    element: Any
    text: str
    actions: list[Any] = field(default_factory=list)
    is_kept: bool = False


def lines_of(root: Any, body: str) -> list[Line]:
    """Return the lines of lxml's tree of a page, of which a body has some."""
    kept = {fold(line) for line in body.split("\n")} - {""}
    found: list[Line] = []
    for element, text, actions in _parted(root):
        written = " ".join(text.split())
        if written or actions:
            found.append(Line(element, written, actions, fold(written) in kept))
        if len(found) >= MAX_LINES:
            break
    return found


def _parted(root: Any) -> Iterator[tuple[Any, str, list[Any]]]:
    parts: list[str] = []
    actions: list[Any] = []
    owner = root
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        tag = element.tag
        if tag in BLOCK_TAGS or tag == "br":
            yield owner, "".join(parts), actions
            parts, actions = [], []
            if tag != "br":
                owner = element if event == "start" else element.getparent()
        if event == "start":
            if tag in _NOT_READ:
                walk.skip_subtree()
            else:
                parts.append(element.text or "")
                if tag in _ACTIONS:
                    actions.append(element)
        else:
            parts.append(element.tail or "")
    yield owner, "".join(parts), actions


Node = dict[str, Any]
_WORK = re.compile(r"article|posting|report$|recipe|howto$|story|episode")
_PAGE = re.compile(r"page$|product$|event$|book$|movie$|course$|application$|question$|videoobject$")


class JsonLd:
    """The items of a page's JSON-LD: the one that the page is about, the page, and the site."""

    def __init__(self, scripts: Iterable[str], title: str, addresses: set[str]) -> None:
        self._by_id: dict[str, Node] = {}
        self._names: dict[int, str] = {}  # of nodes, by their ids in memory: none is made or freed while it is read
        items = list(self._items(scripts))
        self.work, self.page = (
            self._about([item for item in items if any(map(of.search, _kinds(item)))], title, addresses)
            for of in (_WORK, _PAGE)
        )
        # an author's employer, or an organization that the text is about, is not the site
        inner = {
            id(one)
            for item in items
            for key, value in item.items()
            if key not in {"publisher", "isPartOf", "@graph"}
            for one in (value if isinstance(value, list) else [value])
        }
        self.site = next(
            (
                item
                for kind in ("website", "organization")
                for item in items
                if kind in _kinds(item) and "person" not in _kinds(item)  # some are said to be an organization too
                if id(item) not in inner
            ),
            Node(),
        )
        self.live = next((item for item in items if "liveblogposting" in _kinds(item)), Node())

    def _items(self, scripts: Iterable[str]) -> Iterator[Node]:
        left = MAX_VALUES
        for script in scripts:
            todo = [loosely_loaded(script, parse_int=str, parse_float=str)]
            while todo and left > 0:
                value = todo.pop()
                left -= 1
                if isinstance(value, dict):
                    if len(value) > 1 and (name := string_of(value.get("@id"))):
                        self._by_id.setdefault(name, value)
                    if "@type" in value:
                        yield value
                    value = list(value.values())
                if isinstance(value, list):
                    todo.extend(reversed(value[:MAX_VALUES]))

    def _about(self, items: list[Node], title: str, addresses: set[str]) -> Node:
        """Return the item that has the page's headline or address; else the only one."""
        headlines = [letters(self.string(item, "headline", "name")) for item in items]
        for item, headline in zip(items, headlines, strict=True):
            given = {same_address(self.string(item, key)) for key in ("url", "@id", "mainEntityOfPage")}
            if given & addresses or is_said(headline, title):
                return item
        if len(set(headlines)) != 1:
            return {}
        hosts = {one.partition("/")[0] for one in addresses}
        named = (self.string(items[0], key) for key in ("url", "mainEntityOfPage"))
        places = (same_address(one).partition("/") for one in named if one.startswith("http"))
        is_other = any(host in hosts and path for host, _, path in places)  # a story of the site, but not this one
        return {} if is_other and headlines[0] and title else items[0]

    def values(self, item: Node, *keys: str, most: int = MAX_OPEN) -> list[Any]:
        """Return the values of the first of these properties that an item has, with references resolved."""
        value: Any = next((item[key] for key in keys if item.get(key)), [])
        found = value[:most] if isinstance(value, list) else [value]
        return [self._by_id.get(string_of(one.get("@id")), one) if isinstance(one, dict) else one for one in found]

    def string(self, item: Node, *keys: str) -> str:
        """Return the first text among these properties, or among their names and addresses."""
        found = (value for key in keys for value in self.values(item, key))
        texts = (self._name(value) if isinstance(value, dict) else value for value in found)
        return next(filter(None, map(string_of, texts)), "")

    def _name(self, node: Node) -> str:
        """Return the name or address of a node, read once: nodes may refer to each other in any number of ways."""
        if id(node) not in self._names:
            self._names[id(node)] = ""  # where it refers to itself
            self._names[id(node)] = self.string(node, "name", "url", "@value")
        return self._names[id(node)]


_NEEDLESS = re.compile(r",(?=\s*[\]}])|(?:^[ \t]*//)?(?:<!\[CDATA\[|\]\]>)|^[ \t]*//.*$", re.MULTILINE)
_OPENING = re.compile(r"[\[{]")
#: Strings, and the name of the author.
_PROPERTY = re.compile(
    r'"(@type|headline|url|datePublished|dateModified|author)"\s{0,9}:\s{0,9}'
    r'(?:[\[{\s]{1,9}(?:"@type"\s{0,9}:\s{0,9}"\w{1,20}"\s{0,9},\s{0,9})?"name"\s{0,9}:\s{0,9})?"([^"\n]{1,300})"'
)


def loosely_loaded(script: str, **options: Any) -> Any:
    """Return the values of JSON, also of JSON with a comma too many; of worse JSON main properties of its article."""
    # NaN, Infinity and 1e999 are no JSON, which others read again
    options = {"parse_constant": lambda _: None, "parse_float": _finite} | options
    reader, text = json.JSONDecoder(strict=False, **options), script
    for repaired in (str, partial(_NEEDLESS.sub, ""), unescape):
        text, values, end = repaired(text), list[Any](), 0
        with suppress(ValueError, RecursionError):
            while start := _OPENING.search(text, end):
                value, end = reader.raw_decode(text, start.start())
                values.append(writable(value) if "\\" in text else value)
        if values:
            return values if len(values) > 1 else values[0]
    found = _PROPERTY.findall(script)
    types = [value for name, value in found if name == "@type" and _WORK.search(value.lower())]
    # of several articles none is this page's for sure
    return {**dict(reversed(found)), "@type": types[0]} if len(types) == 1 else None


def writable(value: Any) -> Any:
    """Return a text, or a value of JSON, with spaces for what no page may have and escapes may stand for."""
    if isinstance(value, dict):
        return {writable(name): writable(each) for name, each in value.items()}
    if isinstance(value, list):
        return [writable(each) for each in value]
    return _UNWRITABLE.sub(" ", value) if isinstance(value, str) else value


def _finite(number: str) -> float | None:
    return found if isfinite(found := float(number)) else None


def _kinds(item: Node) -> list[str]:
    kinds = item.get("@type")
    given = kinds[:MAX_OPEN] if isinstance(kinds, list) else [kinds]
    return [string_of(kind).lower().rpartition("/")[2] for kind in given]


def string_of(value: Any) -> str:
    """Return a value if it is a text that is filled in, else ""."""
    text = value[: MAX_ADDRESS + 1] if isinstance(value, str) else ""
    return "" if _PLACEHOLDER.search(text) else text
