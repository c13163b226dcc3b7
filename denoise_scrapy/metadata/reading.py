"""What a page says in its markup, in places: metas, JSON-LD, and elements that may tell an author or a date."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from denoise_scrapy.metadata.texts import MAX_ADDRESS, MAX_NAME, MAX_TOLD, fold, is_said, letters, same_address
from denoise_scrapy.page.markup import BLOCK_TAGS
from denoise_scrapy.page.parse import feed, to_utf8
from denoise_scrapy.page.reader import Target

#: Bytes of a page that are read. Of 360 recorded pages the largest has 1.5 MB.
MAX_HTML = 2_000_000
#: Characters of JSON-LD that are parsed, and values that are looked at in them.
MAX_JSON, MAX_VALUES = 500_000, 5_000
#: Elements that are kept of each kind, how many may be open at once, and texts of each.
MAX_ELEMENTS, MAX_OPEN, MAX_TEXTS = 2_000, 12, 24
_OPEN_GRAPH = re.compile(r"https?://ogp\.me/ns/?(\w*)#")
_SMALL = re.compile(r"\s*(?:\d{1,2}|1[0-4]\d)(?:px)?\s*$")

_UNSEEN = frozenset("script style noscript template svg iframe textarea select title".split())
AUTHOR_CLASS = re.compile(r"author|byline|by-line|writer|\bautor")
DATE_CLASS = re.compile(r"date|time|publish|posted|fecha|datum|meta")
TELLING_CLASS = re.compile(f"{AUTHOR_CLASS.pattern}|{DATE_CLASS.pattern}")


@dataclass
class Mark:
    """An element that may tell an author, a date, a tag or an image: its line's number, and its text so far."""

    tag: str
    prop: str
    rel: str
    kind: str
    told: str
    line: int
    texts: list[str] = field(default_factory=list)
    is_inner: bool = True

    @property
    def text(self) -> str:
        """What it tells: an attribute, or its text."""
        return self.told or " ".join("".join(self.texts).split())[:MAX_TOLD]


#: Where an element breaks a line: no page has it (`to_utf8`).
_BREAK = "\x01"


class PageReading:
    """A page's metas, links, JSON-LD, lines, and marked elements with the line they stand in; made in one pass."""

    def __init__(self, html: str | bytes, body: str) -> None:
        self.metas: defaultdict[str, list[str]] = defaultdict(list)
        self.links: dict[str, str] = {}
        self.scripts: list[list[str]] = []
        self.lines: list[str] = []
        self.kept: list[bool] = []
        self.marks: list[Mark] = []
        self.title = self.base = self.language = ""
        self._body = {fold(line) for line in body.split("\n")}
        self._json_left, self._metas_left = MAX_JSON, MAX_ELEMENTS
        self._line: list[str] = []
        self._elements: list[Mark | None] = []
        self._open: list[Mark] = []
        self._unseen: list[str] = []
        feed(to_utf8(html)[:MAX_HTML], Target(self._start, self._end, self._data))
        self._end_line()

    def _start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in BLOCK_TAGS:
            self._end_line()
        elif tag == "br":
            self._line.append(_BREAK)
        mark = None
        if tag in _UNSEEN:
            self._unseen.append(tag)
            if tag == "script" and "ld+json" in attributes.get("type", "").lower():
                self._unseen[-1] = "json"
                self.scripts.append([])
        elif tag == "meta" and (not self.lines or "itemprop" not in attributes):
            self._meta(attributes)
        elif tag == "link":
            for word in attributes.get("rel", "").lower().split()[:4]:
                self.links.setdefault(word, attributes.get("href", ""))
        elif tag == "base":
            self.base = self.base or attributes.get("href", "")
        elif tag == "html":
            self.language = self.language or attributes.get("lang", "")
        elif attributes and len(self.marks) < MAX_ELEMENTS:
            self._tell_open(" ")  # names in elements of their own stand apart
            mark = self._mark(tag, attributes)
        self._elements.append(mark)

    def _end(self, tag: str) -> None:
        if self._unseen and self._unseen[-1] in (tag, "json" if tag == "script" else tag):
            self._unseen.pop()
        if tag in BLOCK_TAGS:
            self._end_line()
        mark = self._elements.pop() if self._elements else None
        if mark and self._open and self._open[-1] is mark:
            self._open.pop()

    def _data(self, text: str) -> None:
        if not self._unseen:
            self._line.append(text)
            self._tell_open(text[:MAX_TOLD])
        elif self._unseen[-1] == "json":
            self.scripts[-1].append(text[: self._json_left])
            self._json_left -= min(len(text), self._json_left)
        elif self._unseen == ["title"] and len(self.title) < MAX_TOLD:
            self.title += text[:MAX_TOLD]

    def _tell_open(self, text: str) -> None:
        for mark in self._open:
            if len(mark.texts) < MAX_TEXTS:
                mark.texts.append(text)

    def _end_line(self) -> None:
        """Note the text since the last boundary of blocks, if there is one."""
        text = "".join(self._line)
        self._line.clear()
        folded = [part for part in map(fold, text.split(_BREAK)) if part]
        if folded:
            self.lines.append(" ".join(text[:MAX_TOLD].replace(_BREAK, " ").split()))
            self.kept.append(any(part in self._body for part in folded))

    def _meta(self, attributes: Mapping[str, str]) -> None:
        content = attributes.get("content", "")[: MAX_ADDRESS + 1].strip()
        self._metas_left -= 1
        if self._metas_left > 0 and content:
            names = (attributes.get(key, "") for key in ("name", "property", "itemprop", "http-equiv"))
            for name in {name.strip().lower()[:MAX_NAME] for name in names} - {""}:
                full = _OPEN_GRAPH.match(name)
                self.metas[f"{full[1] or 'og'}:{name[full.end() :]}" if full else name].append(content)

    def _mark(self, tag: str, attributes: Mapping[str, str]) -> Mark | None:
        prop, rel = attributes.get("itemprop", "").lower()[:MAX_NAME], attributes.get("rel", "").lower()[:MAX_NAME]
        kind = f"{attributes.get('class', '')} {attributes.get('id', '')}"[:200].lower()
        told = attributes.get("datetime") or attributes.get("content") or ""
        if tag == "img":
            told = attributes.get("data-src") or attributes.get("data-original") or attributes.get("src", "")
            if any(_SMALL.match(attributes.get(side, "")) for side in ("width", "height")):
                return None
        elif not (prop or tag == "time" or "author" in rel or "tag" in rel or TELLING_CLASS.search(kind)):
            return None
        mark = Mark(tag, prop, rel, kind, told[: MAX_ADDRESS + 1], len(self.lines))
        self.marks.append(mark)
        if len(self._open) < MAX_OPEN:
            for outer in self._open:
                outer.is_inner = outer.is_inner and not AUTHOR_CLASS.search(kind)
            self._open.append(mark)
        return mark


Node = dict[str, Any]
_WORK = re.compile(r"article|posting|report$|recipe|howto$|story|episode")
_PAGE = re.compile(r"page$|product$|event$|book$|movie$|course$|application$|question$|videoobject$")


class JsonLd:
    """The items of a page's JSON-LD: the one that the page is about, the page, and the site."""

    def __init__(self, scripts: Iterable[str], title: str, addresses: set[str]) -> None:
        self._by_id: dict[str, Node] = {}
        items = list(self._items(scripts))
        self.work = self._about([item for item in items if _WORK.search(_kind(item))], title, addresses)
        self.page = self._about([item for item in items if _PAGE.search(_kind(item))], title, addresses)
        self.sites = [item for kind in ("website", "organization") for item in items if _kind(item) == kind]

    def _items(self, scripts: Iterable[str]) -> Iterator[Node]:
        left = MAX_VALUES
        for script in scripts:
            try:
                todo = [json.loads(script.strip().strip(";"), strict=False, parse_int=str, parse_float=str)]
            except (ValueError, RecursionError):
                continue
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
        """The item that has the page's headline or address; else the only one."""
        headlines = [letters(self.string(item, "headline", "name")) for item in items]
        for item, headline in zip(items, headlines, strict=True):
            told = {same_address(self.string(item, key)) for key in ("url", "@id", "mainEntityOfPage")}
            if told & addresses or is_said(headline, title):
                return item
        return items[0] if len(set(headlines)) == 1 else {}

    def values(self, item: Node, *keys: str) -> list[Any]:
        """Values of the first of these properties that an item has, with what they refer to."""
        value: Any = next((item[key] for key in keys if item.get(key)), [])
        found = value[:MAX_OPEN] if isinstance(value, list) else [value]
        return [self._by_id.get(string_of(one.get("@id")), one) if isinstance(one, dict) else one for one in found]

    def string(self, item: Node, *keys: str) -> str:
        """The first text among these properties, or among names and addresses of what they are."""
        found = (value for key in keys for value in self.values(item, key))
        texts = (self.string(value, "name", "url", "@value") if isinstance(value, dict) else value for value in found)
        return next(filter(None, map(string_of, texts)), "")


def _kind(item: Node) -> str:
    kind = item.get("@type")
    return string_of(kind[0] if isinstance(kind, list) and kind else kind).lower().rpartition("/")[2]


def string_of(value: Any) -> str:
    """A value that is a text; "" for others."""
    return value[: MAX_ADDRESS + 1] if isinstance(value, str) else ""
