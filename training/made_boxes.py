"""Boxes of foreign content: texts of recorded pages, the style of a box, and the content of each kind."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from lxml import etree, html
from lxml.html.builder import E

from denoise_scrapy.core.markup import SKIPPED_TAGS
from denoise_scrapy.core.tree import tree_of
from denoise_scrapy.metadata import language_of
from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import to_utf8
from evaluation.corpora import RecordedPage
from example_project.portal.model import tokens
from training.labels import block_tokens, story_tokens

#: Words of boxes by language, names of people by script, names of invented products, and class names that are common in
#: templates. `{n}` is a number in them, `{name}` a person's name, `{product}` a product's.
DATA: Mapping[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))
#: Most paragraphs of a further story that is assembled from paragraphs.
MAX_PARAGRAPHS = 40
#: Gold tokens below which a page has no story to reuse, and most characters of its markup, so that a made page stays
#: the size of a page.
_SHORT, MAX_STORY = 30, 150_000
#: An element stands for a story if it holds at least this share of its text, and at most this share of other text.
_HOLDS, _ELSE = 0.85, 0.35
#: Tags that are not allowed everywhere a box is.
_NOT_FREE = frozenset("html body main tr td th tbody thead tfoot table li dd dt center form".split())
#: Characters that no document may contain.
_REFUSED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SENTENCE = re.compile(r"[^.!?。！？…]+(?:[.!?…]+(?=\s|$)|[。！？]+|[.!?…]+|$)")


@dataclass(frozen=True)
class Donor:
    """Texts of a recorded page to use on others: headline, lines of its gold text, and sentences of 4 to 60 tokens.

    The language is the gold text's, in ISO 639-1, else English.
    """

    page: RecordedPage
    language: str
    title: str
    paragraphs: tuple[str, ...]
    sentences: tuple[str, ...]


@lru_cache(maxsize=4096)
def donor(page: RecordedPage) -> Donor:
    """Split a page's gold text."""
    gold = _REFUSED.sub("", unescape(re.sub(r"</?[a-z][^<>]*>", " ", page.gold)))
    lines = tuple(line for line in (" ".join(line.split()) for line in gold.splitlines()) if line)[:400]
    found = re.search(r"<title[^>]*>([^<]{1,300})", page.html, re.IGNORECASE)
    title = _REFUSED.sub("", " ".join(unescape(found[1]).split())) if found else ""
    title = re.sub(r"(.{15,}?)\s+[|»·–—-]\s.*", r"\1", title)
    if len(tokens(title)) < 3:
        title = lines[0][:120] if lines else ""
    told = [one for line in lines for one in sentences(line) if 4 <= len(tokens(one)) <= 60]
    return Donor(page, language_of(page.gold[:3000]) or "en", title, lines, tuple(told[:300]))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, in any script."""
    return [sentence for found in _SENTENCE.findall(text) if (sentence := found.strip())]


@lru_cache(maxsize=64)
def story_element(recorded: RecordedPage) -> Any:
    """Return the smallest element with most of a page's gold text and little else, cleaned; None without one."""
    page = Page.parse(recorded.html, url=recorded.url)
    lengths, gold = story_tokens(block_tokens(page), recorded.gold)
    if page.is_too_large or gold.sum() < _SHORT:
        return None
    holder = holder_of(page, gold, _HOLDS)
    inside = page.blocks.inside(holder)
    if (lengths - gold)[inside].sum() > _ELSE * lengths[inside].sum():
        return None
    found = deepcopy(numbered_tree(recorded.html)[1][holder])
    found.tail = None
    for skipped in list(found.iterdescendants(*SKIPPED_TAGS)):
        skipped.drop_tree()
    if found.tag in _NOT_FREE | SKIPPED_TAGS:
        found.tag = "div"
    return found if len(html.tostring(found)) <= MAX_STORY else None


def holder_of(page: Page, gold: npt.NDArray[np.int64], share: float) -> int:
    """Return the number of the smallest element that holds a share of the tokens of gold."""
    return int(np.flatnonzero(page.blocks.subtree_sums(gold) >= share * gold.sum())[-1])


def numbered_tree(source: str) -> tuple[Any, dict[int, Any]]:
    """Return a page's root as an lxml tree to change, and its elements by their numbers on the parsed page."""
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(to_utf8(source), parser)
    elements = list(root.iter(etree.Element))
    numbers = tree_of(root, keep_nodes=True).numbers_of(elements)
    return root, {number: element for number, element in zip(numbers, elements, strict=True) if number >= 0}


class Style:
    """The style of a box, drawn once, so that its items are alike.

    Args:
        rng: Source of all randomness.
        language: Language of the page, in ISO 639-1.
        kind: The kind of box, whose class names may be used.
        stock: Source of the words of an advertisement: the same on all pages of a site.
    """

    def __init__(self, rng: random.Random, language: str, kind: str, stock: random.Random) -> None:
        self.rng, self.language, self.kind, self.stock = rng, language, kind, stock
        self.names: list[str] = DATA["names"].get(language, DATA["names"]["latin"])
        self.people = [name for name in self.names if "{" not in name]
        self.space = "" if language in ("zh", "ja") else " "
        self._classes: dict[str, str] = {}
        # class names that reveal the kind of box are the easy case; two in seven boxes have them
        self._naming = rng.choice(("none", "none", "random", "plain", "plain", "telling", "telling"))
        self.item_tag = rng.choice(("div", "div", "article", "section", "div"))
        self.text_tag = rng.choice(("p", "p", "p", "div", "span"))
        self.heading_tag = rng.choice(("h2", "h2", "h3", "h3", "h4", "h5", "div", "p", "strong"))
        self.date_form = rng.choice(("ago", "%d-%02d-%02d", "%d/%02d/%02d", "%d.%02d.%02d", "%d年%d月%d日"))

    def make(self, tag: str, role: str, *content: Any, **attributes: str) -> Any:
        """Return an element that contains strings and elements, named as the style names this role."""
        made = E(tag, *content, **attributes)
        if role not in self._classes:
            self._classes[role] = self._class(role)
        if self._classes[role]:
            made.set("class", self._classes[role])
        return made

    def _class(self, role: str) -> str:
        if self._naming == "none":
            return ""
        if self._naming == "random":
            return f"{self.rng.choice(('css-', '_', 'sc-', 'x'))}{self.rng.getrandbits(32):x}"
        if role != "box" and self.rng.random() < 0.5:
            return ""
        told = {"box": self.kind, "item": "item"} if self._naming == "telling" else {}
        return str(self.rng.choice(DATA["classes"][told.get(role, "plain")]))

    def words(self, what: str) -> list[str]:
        """Return the alternatives for something in the style's language, in English if it has none."""
        words = DATA["words"]
        return list(words.get(self.language, {}).get(what) or words["en"][what])

    def say(self, what: str, **known: str) -> str:
        """Return one of the alternatives for something, filled in."""
        return self.fill(self.rng.choice(self.words(what)), **known)

    def fill(self, text: str, **known: str) -> str:
        """Fill in the names and numbers of a text."""
        values = {"n": str(self.rng.randint(2, 90)), "product": self.rng.choice(DATA["products"]), **known}
        if "{name}" in text and "name" not in values:
            values["name"] = self.rng.choice(self.people)
        return text.format(**values)

    def date(self) -> str:
        """Return a date, or how long ago it was."""
        if self.date_form == "ago" or ("年" in self.date_form and self.space):
            return self.say("ago")
        rng = self.rng
        day = (rng.randint(2005, 2025), rng.randint(1, 12), rng.randint(1, 28))
        text = self.date_form % (day if self.date_form[2] in "-年" else day[::-1])
        return text + (f" {rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}" if rng.random() < 0.4 else "")

    def heading(self, content: Any) -> Any:
        """Return a heading of the style's level."""
        if self.heading_tag == "strong":
            return self.make("p", "head", self.make("strong", "", content))
        return self.make(self.heading_tag, "head", content)

    def link(self, one: Donor) -> Any:
        """Return a linked headline."""
        slug = "-".join(tokens(one.title)[:8])
        address = one.page.url if one.page.url.startswith("http") else f"/{slug[:80]}.html"
        return self.make("a", "link", one.title, href=_REFUSED.sub("", address))

    def box(self, head: Sequence[Any], items: Sequence[Any]) -> Any:
        """Return the items in a container, after a heading if any, sometimes in further containers."""
        tag = self.rng.choice(("div", "div", "div", "section", "aside", "ul", "ol", "article"))
        if tag in ("ul", "ol"):
            for item in items:
                item.tag = "li"
            box = self.make(tag, "list", *items)
            box = self.make("div", "box", *head, box) if head else box
        else:
            box = self.make(tag, "box", *head, *items)
        for _ in range(self.rng.choice((0, 0, 0, 1, 2))):
            box = self.make("div", "outer", box)
        return box


def story(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """One or two further stories in full: headline, byline, date, paragraphs."""
    rng, made = style.rng, []
    for one in donors[: rng.choice((1, 1, 2))]:
        whole = story_element(one.page) if rng.random() < 0.6 else None
        head = [style.heading(one.title if rng.random() < 0.3 else style.link(one))]
        if rng.random() < 0.7:
            head.append(style.make(rng.choice(("p", "div", "span")), "by", style.say("by"), " ", style.date()))
        lines = one.paragraphs[:MAX_PARAGRAPHS]
        text = [style.make("p", "", line) for line in lines] if whole is None else [deepcopy(whole)]
        made.append(style.make(rng.choice(("div", "article", "article", "section")), "box", *head, *text))
    return made


def teasers(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """A list of linked headlines with a sentence or two."""
    rng = style.rng
    image, date, leads = rng.random() < 0.4, rng.random() < 0.4, rng.choice((1, 1, 2))
    items = []
    for one in donors[: rng.randint(3, 12)]:
        title = style.link(one)
        parts = [style.make("img", "", src=f"/i/{rng.getrandbits(20)}.jpg", alt="")] if image else []
        parts.append(title if rng.random() < 0.2 else style.make(style.heading_tag, "title", title))
        if date:
            parts.append(style.make("span", "date", style.date()))
        start = rng.randrange(max(len(one.sentences) - leads, 1))
        lead = " ".join(one.sentences[start : start + leads])
        parts.append(style.make(style.text_tag, "lead", lead))
        items.append(style.make(style.item_tag, "item", *parts))
    return [style.box([style.heading(style.say("latest"))] if rng.random() < 0.75 else [], items)]


def gallery(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """Captions of another story's pictures with counters, sometimes all of them."""
    rng, shown = style.rng, []
    some = [sentence for one in donors[:3] for sentence in one.sentences[:12]]
    captions = rng.sample(some, min(len(some), rng.randint(3, 10)))
    of, tag = rng.choice(("/", " / ")), rng.choice((style.text_tag, "figcaption"))
    for _ in range(rng.randint(2, 6)):
        for i, caption in enumerate(captions):
            counter = style.make("span", "counter", f"{i + 1}{of}{len(captions)}")
            text = style.make(tag, "caption", caption, " ", style.say("photo"))
            parts = [style.make("img", "", src=f"/g/{rng.getrandbits(20)}.jpg"), counter, text]
            shown.append(style.make("figure" if style.item_tag == "article" else "div", "item", *parts))
    return [style.box([style.heading(donors[0].title)] if rng.random() < 0.7 else [], shown)]


def appeal(style: Style, donors: Sequence[Donor], **known: str) -> list[Any]:
    """A few sentences: an appeal for donations, a newsletter, a notice of a reprint."""
    rng, some, heading = style.rng, style.words(style.kind), style.heading(style.say("about"))
    lines = [style.fill(text, **known) for text in rng.sample(some, min(len(some), rng.randint(1, 4)))]
    if rng.random() >= 0.4:
        lines = [style.space.join(lines)]
    items = [style.make(style.text_tag if rng.random() < 0.9 else "em", "lead", line) for line in lines]
    if rng.random() < 0.25 and len(items) == 1:
        return [style.make("p", "box", style.make(rng.choice(("em", "i", "small")), "", lines[0]))]
    return [style.box([heading] if rng.random() < 0.5 else [], items)]


def biography(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """A few sentences about an author."""
    return appeal(style, donors, name=style.rng.choice(style.people))


def comments(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """A thread of comments: names, dates, reply links, sentences from other pages."""
    rng = style.rng
    some = [sentence for one in donors for sentence in one.sentences]
    reply, date, depth = rng.random() < 0.6, rng.random() < 0.8, rng.random() < 0.3
    table, name_tag = rng.random() < 0.1, rng.choice(("div", "span", "b"))
    items: list[Any] = []
    for _ in range(min(rng.randint(2, 30), len(some))):
        start, said = rng.randrange(len(some)), rng.choice((1, 1, 2, 3))
        parts = [style.make(name_tag, "name", style.fill(rng.choice(style.names)))]
        if date:
            parts.append(style.make("span", "date", style.date()))
        parts.append(style.make(style.text_tag, "body", " ".join(some[start : start + said])))
        if reply:
            parts.append(style.make("a", "reply", style.say("reply"), href="#reply"))
        if table:
            parts = [style.make("td", "", *parts[:-1]), style.make("td", "", parts[-1])]
        item = style.make("tr" if table else style.item_tag, "item", *parts)
        is_answer = depth and items and not table and rng.random() < 0.4
        (items[-1] if is_answer else items).append(item)
    head = [style.heading(style.say("comments"))] if rng.random() < 0.7 else []
    return [*head, style.make("table", "box", *items)] if table else [style.box(head, items)]


def advert(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """An advertisement: a product's promises, the words the same on all pages of the site."""
    rng, same = style.rng, copy(style)
    same.rng = stock = style.stock
    product, some = stock.choice(DATA["products"]), style.words("promise")
    chosen = stock.sample(some, min(len(some), stock.randint(1, 4)))
    label = same.say("label") if stock.random() < 0.6 else ""
    text = style.space.join([same.fill(promise, product=product) for promise in chosen])
    headed = stock.random() < 0.3
    items = [style.make("div" if rng.random() < 0.5 else "span", "label", label)] if label else []
    linked = style.make("a", "", text, href="/go") if rng.random() < 0.3 else text
    items.append(style.make(style.text_tag, "lead", linked))
    return [style.box([style.heading(product)] if headed else [], items)]


#: The function that makes the boxes of each kind.
MAKERS: dict[str, Callable[[Style, Sequence[Donor]], list[Any]]] = {
    maker.__name__: maker for maker in (story, teasers, gallery, biography, appeal, comments, advert)
}
