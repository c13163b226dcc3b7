"""Boxes of foreign content: further stories, teasers, galleries, biographies, appeals, comments, advertisements."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import lru_cache
from html import unescape
from typing import Any

import numpy as np
from lxml import html

from benchmarks.corpora import RecordedPage
from denoise_scrapy.page import Page
from denoise_scrapy.page.markup import SKIPPED_TAGS
from denoise_scrapy.page.parse import to_utf8
from denoise_scrapy.page.selectors import _numbered_tree
from example_project.portal.model import tokens
from training.labels import block_tokens, gold_share
from training.made_words import CLASSES, names, products, words

#: What no document may hold.
_REFUSED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SENTENCE = re.compile(r"[^.!?。！？…]+(?:[.!?…]+(?=\s|$)|[。！？]+|[.!?…]+|$)")
#: Paragraphs and characters of markup of a further story at most: a made page stays of a page's size.
MAX_PARAGRAPHS, MAX_STORY = 40, 150_000
#: An element stands for a story where it holds so much of its text, and so little else.
_HOLDS, _ELSE = 0.85, 0.35
#: Tags that cannot stand wherever a box can.
_NOT_FREE = frozenset("html body main tr td th tbody thead tfoot table li dd dt center form".split())


@dataclass(frozen=True)
class Donor:
    """What a recorded page gives to others.

    Attributes:
        page: The page.
        title: Its headline.
        paragraphs: Lines of its gold text.
        sentences: Sentences of them, 4 to 60 tokens long.
    """

    page: RecordedPage
    title: str
    paragraphs: tuple[str, ...]
    sentences: tuple[str, ...]


@lru_cache(maxsize=4096)
def donor(page: RecordedPage) -> Donor:
    """Take a page's gold text apart.

    Example:
        >>> gold = "It did not stop. Why? It just did not."
        >>> page = RecordedPage("", "<title>It rained all night | Post</title>", gold)
        >>> donor(page).title, donor(page).sentences
        ('It rained all night', ('It did not stop.', 'It just did not.'))
    """
    gold = _REFUSED.sub("", unescape(re.sub(r"</?[a-z][^<>]*>", " ", page.gold)))
    lines = tuple(line for line in (" ".join(line.split()) for line in gold.splitlines()) if line)[:400]
    found = re.search(r"<title[^>]*>([^<]{1,300})", page.html, re.IGNORECASE)
    title = _REFUSED.sub("", " ".join(unescape(found[1]).split())) if found else ""
    title = re.sub(r"(.{15,}?)\s+[|»·–—-]\s.*", r"\1", title)
    if len(tokens(title)) < 3:
        title = lines[0][:120] if lines else ""
    sentences = (one.strip() for line in lines for one in _SENTENCE.findall(line))
    return Donor(page, title, lines, tuple(one for one in sentences if 4 <= len(tokens(one)) <= 60)[:300])


@lru_cache(maxsize=64)
def story_element(page: RecordedPage) -> Any:
    """The smallest element that holds most of a page's gold text and little else, cleaned; None where there is none."""
    parsed = Page.parse(page.html, url=page.url)
    if not len(parsed.blocks) or parsed.is_too_large:
        return None
    words_ = block_tokens(parsed)
    lengths = np.array([len(block) for block in words_], float)
    gold = np.where(gold_share(words_, page.gold) > 0.5, lengths, 0)
    held, all_ = parsed.blocks.subtree_sums(gold), parsed.blocks.subtree_sums(lengths)
    if gold.sum() < 30:
        return None
    best = int(np.flatnonzero(held >= _HOLDS * gold.sum())[-1])
    if all_[best] - held[best] > _ELSE * all_[best]:
        return None
    numbers = _numbered_tree(to_utf8(page.html), keep_noscript=parsed.noscript_read)
    found = deepcopy(next(element for element, number in numbers.items() if number == best))
    found.tail = None
    for skipped in list(found.iter(*SKIPPED_TAGS)):
        skipped.drop_tree()
    if found.tag in _NOT_FREE:
        found.tag = "div"
    return found if len(html.tostring(found)) <= MAX_STORY else None


@dataclass
class Style:
    """How one box is written: drawn once, so that its items are alike.

    Attributes:
        rng: Where all chances come from.
        language: Language of the page, in ISO 639-1.
        kind: The kind of box, whose class names it may have.
        stock: Where the words of an advertisement come from: the same on all pages of a site.
    """

    rng: random.Random
    language: str
    kind: str
    stock: random.Random
    _naming: str = ""
    _names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # names that say what a box is are the easy case; a third of the boxes has them
        self._naming = self.rng.choice(("none", "none", "random", "plain", "plain", "telling", "telling"))
        self.item_tag = self.rng.choice(("div", "div", "article", "section", "p"))
        self.text_tag = self.rng.choice(("p", "p", "p", "div", "span"))
        self.heading_tag = self.rng.choice(("h2", "h2", "h3", "h3", "h4", "h5", "div", "p", "strong"))
        self.date_form = self.rng.choice(("ago", "%d-%02d-%02d", "%d/%02d/%02d", "%d.%02d.%02d", "%d年%d月%d日"))

    def make(self, tag: str, role: str, *content: Any, **attributes: str) -> Any:
        """An element with strings and elements in it, named as the style names this role."""
        made = html.Element(tag, **attributes)
        if role not in self._names:
            self._names[role] = self._name(role)
        if self._names[role]:
            made.set("class", self._names[role])
        for one in content:
            if not isinstance(one, str):
                made.append(one)
            elif len(made):
                made[-1].tail = (made[-1].tail or "") + one
            else:
                made.text = (made.text or "") + one
        return made

    def _name(self, role: str) -> str:
        if self._naming == "none":
            return ""
        if self._naming == "random":
            return f"{self.rng.choice(('css-', '_', 'sc-', 'x'))}{self.rng.getrandbits(32):x}"
        what = {"box": self.kind, "item": "item"}.get(role, "") if self._naming == "telling" else "plain"
        if role != "box" and self.rng.random() < 0.5:
            return ""
        return self.rng.choice(CLASSES[what or "plain"].split())

    def say(self, what: str, rng: random.Random | None = None, **known: str) -> str:
        """One of the alternatives for something, filled in."""
        rng = rng or self.rng
        return fill(rng.choice(words(self.language, what)), rng, self.language, known)

    def name(self) -> str:
        """A person's name."""
        return fill(self.rng.choice(names(self.language)), self.rng, self.language, {})

    def date(self) -> str:
        """A date or how long ago it was."""
        if self.date_form == "ago" or ("年" in self.date_form and self.language not in ("zh", "ja")):
            return self.say("ago")
        rng = self.rng
        day = (rng.randint(2005, 2025), rng.randint(1, 12), rng.randint(1, 28))
        text = self.date_form % (day if self.date_form[2] in "-年" else day[::-1])
        return text + (f" {rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}" if rng.random() < 0.4 else "")

    def heading(self, *content: Any) -> Any:
        """A heading of the style's level."""
        tag = self.heading_tag
        return (
            self.make("p", "head", self.make(tag, "", *content))
            if tag == "strong"
            else self.make(tag, "head", *content)
        )

    def link(self, page: RecordedPage, *content: Any) -> Any:
        """A link to a page."""
        slug = "-".join(tokens(donor(page).title)[:8])
        address = page.url if page.url.startswith("http") else f"/{slug[:80]}.html"
        return self.make("a", "link", *content, href=_REFUSED.sub("", address))

    def box(self, items: Sequence[Any], heading: Any = None) -> Any:
        """The items in a container, with a heading in it, in containers of its own now and then."""
        tag = self.rng.choice(("div", "div", "div", "section", "aside", "ul", "ol", "article"))
        if tag in ("ul", "ol"):
            for item in items:
                item.tag = "li"
            listed = self.make(tag, "list", *items)
            held = [heading, listed] if heading is not None else [listed]
            box = held[0] if len(held) == 1 else self.make("div", "box", *held)
        else:
            box = self.make(tag, "box", *([] if heading is None else [heading]), *items)
        for _ in range(self.rng.choice((0, 0, 0, 1, 2))):
            box = self.make("div", "outer", box)
        return box


def fill(text: str, rng: random.Random, language: str, known: dict[str, str]) -> str:
    """A template with its names and numbers filled in."""
    values = {"n": str(rng.randint(2, 90)), "product": rng.choice(products()), **known}
    if "{name}" in text and "name" not in values:
        values["name"] = rng.choice([name for name in names(language) if "{" not in name])
    return text.format(**values)


def story(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """One or two further stories whole: headline, byline, date, paragraphs."""
    rng, made = style.rng, []
    for one in donors[: rng.choice((1, 1, 2))]:
        whole = story_element(one.page) if rng.random() < 0.6 else None
        title = one.title if rng.random() < 0.3 else style.link(one.page, one.title)
        head: list[Any] = [style.heading(title)]
        if rng.random() < 0.7:
            head.append(style.make(rng.choice(("p", "div", "span")), "by", style.say("by"), " ", style.date()))
        if whole is not None:
            text = [deepcopy(whole)]
        else:
            text = [style.make("p", "", line) for line in one.paragraphs[:MAX_PARAGRAPHS]]
        made.append(style.make(rng.choice(("div", "article", "article", "section")), "box", *head, *text))
    return made


def teasers(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """A list of linked headlines with a sentence or two."""
    rng = style.rng
    image, date, leads = rng.random() < 0.4, rng.random() < 0.4, rng.choice((1, 1, 2))
    items = []
    for one in donors[: rng.randint(3, 12)]:
        title = style.link(one.page, one.title)
        parts = [style.make("img", "", src=f"/i/{rng.getrandbits(20)}.jpg", alt="")] if image else []
        parts.append(title if rng.random() < 0.2 else style.make(style.heading_tag, "title", title))
        if date:
            parts.append(style.make("span", "date", style.date()))
        start = rng.randrange(max(len(one.sentences) - leads, 1))
        lead = " ".join(one.sentences[start : start + leads])
        parts.append(style.make(style.text_tag, "lead", lead))
        items.append(style.make("div" if style.item_tag == "p" else style.item_tag, "item", *parts))
    return [style.box(items, style.heading(style.say("latest")) if rng.random() < 0.75 else None)]


def gallery(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """Captions of another story's pictures with counters, all of them some times."""
    rng, shown = style.rng, []
    one = donors[0]
    some = [sentence for each in donors[:3] for sentence in each.sentences[:12]]
    captions = rng.sample(some, min(len(some), rng.randint(3, 10)))
    for _ in range(rng.randint(2, 6)):
        for i, caption in enumerate(captions):
            counter = style.make("span", "counter", f"{i + 1}{rng.choice(('/', ' / '))}{len(captions)}")
            text = style.make(rng.choice((style.text_tag, "figcaption")), "caption", caption, " ", style.say("photo"))
            parts = [style.make("img", "", src=f"/g/{rng.getrandbits(20)}.jpg"), counter, text]
            shown.append(style.make("figure" if style.item_tag == "article" else "div", "item", *parts))
    return [style.box(shown, style.heading(one.title) if rng.random() < 0.7 else None)]


def biography(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """A few sentences about an author."""
    name = style.rng.choice([name for name in names(style.language) if "{" not in name])
    return _sentences(style, "biography", style.heading(style.say("about")), name)


def appeal(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """An appeal for donations, a newsletter, a notice of a reprint."""
    return _sentences(style, "appeal", style.heading(style.say("about")), "")


def _sentences(style: Style, what: str, heading: Any, name: str) -> list[Any]:
    rng, known = style.rng, {"name": name} if name else {}
    some = words(style.language, what)
    chosen = [fill(text, rng, style.language, known) for text in rng.sample(some, min(len(some), rng.randint(1, 4)))]
    between = "" if style.language in ("zh", "ja") else " "
    lines = chosen if rng.random() < 0.4 else [between.join(chosen)]
    items = [style.make(style.text_tag if rng.random() < 0.9 else "em", "lead", line) for line in lines]
    if rng.random() < 0.25 and len(items) == 1:
        return [style.make("p", "box", style.make(rng.choice(("em", "i", "small")), "", lines[0]))]
    return [style.box(items, heading if rng.random() < 0.5 else None)]


def comments(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """A thread of comments: names, dates, links to reply, sentences of other pages."""
    rng = style.rng
    some = [sentence for one in donors for sentence in one.sentences]
    reply, date, depth = rng.random() < 0.6, rng.random() < 0.8, rng.random() < 0.3
    table = rng.random() < 0.1
    items: list[Any] = []
    for _ in range(min(rng.randint(2, 30), len(some))):
        start, said = rng.randrange(len(some)), rng.choice((1, 1, 2, 3))
        body = " ".join(some[start : start + said])
        head = style.make(rng.choice(("div", "span", "b")), "name", style.name())
        parts = [head, style.make("span", "date", style.date())] if date else [head]
        parts.append(style.make(style.text_tag, "body", body))
        if reply:
            parts.append(style.make("a", "reply", style.say("reply"), href="#reply"))
        if table:
            items.append(style.make("tr", "item", style.make("td", "", *parts[:-1]), style.make("td", "", parts[-1])))
            continue
        item = style.make("div" if style.item_tag == "p" else style.item_tag, "item", *parts)
        if depth and items and rng.random() < 0.4:
            items[-1].append(item)
        else:
            items.append(item)
    heading = style.heading(style.say("comments")) if rng.random() < 0.7 else None
    if table:
        rows = style.make("table", "box", *items)
        return [rows] if heading is None else [heading, rows]
    return [style.box(items, heading)]


def advert(style: Style, donors: Sequence[Donor]) -> list[Any]:
    """An advertisement: a product's promises, the words the same on all pages of the site."""
    rng, stock = style.rng, style.stock
    product = stock.choice(products())
    some = words(style.language, "promise")
    chosen = stock.sample(some, min(len(some), stock.randint(1, 4)))
    label = style.say("label", stock) if stock.random() < 0.6 else ""
    told = [fill(text, stock, style.language, {"product": product}) for text in chosen]
    headed = stock.random() < 0.3
    items = [style.make("div" if rng.random() < 0.5 else "span", "label", label)] if label else []
    text = (" " if style.language not in ("zh", "ja") else "").join(told)
    items.append(
        style.make(style.text_tag, "lead", style.make("a", "", text, href="/go") if rng.random() < 0.3 else text)
    )
    return [style.box(items, style.heading(product) if headed else None)]


#: What makes the boxes of each kind.
MAKERS: dict[str, Callable[[Style, Sequence[Donor]], list[Any]]] = {
    "story": story,
    "teasers": teasers,
    "gallery": gallery,
    "biography": biography,
    "appeal": appeal,
    "comments": comments,
    "advert": advert,
}
