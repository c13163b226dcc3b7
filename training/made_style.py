"""How a made box is written: its tags, class names, headings, dates."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from lxml import html

from evaluation.corpora import RecordedPage
from example_project.portal.model import tokens
from training.made_donors import clean, donor
from training.made_words import names, products, words

#: Class names as templates of any site may have them: by what they stand for, and those that stand for nothing.
CLASSES = {
    "story": "article post story entry content text artikel noticia news-item article-body post-content next-story",
    "teasers": "related more latest teaser-list most-read weitere lire-aussi relacionadas read-more recommended "
    "popular",
    "gallery": "gallery slideshow slides fotos bilder galerie carousel photo-list media",
    "biography": "author author-bio bio autor about-author writer profile auteur",
    "appeal": "newsletter support donate signup subscribe appeal promo cta hinweis",
    "comments": "comments comment-list kommentare komentarze thread responses reactions replies opinions respond "
    "pinglun",
    "advert": "ad advert promo sponsored banner anzeige reklama publicidad partner werbung",
    "thread": "thread topic posts postlist viewtopic messages message-list forum board beitraege sujet tema",
    "item": "item entry card row li-item element post media comment teaser",
    "plain": "box module content block wrap inner col row section widget container text main area panel group part",
}


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
        return self.make("a", "link", *content, href=clean(address))

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
