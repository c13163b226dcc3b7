"""How a made box is written: its tags, class names, words, dates."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import html

from benchmarks.corpora import RecordedPage
from example_project.portal.model import tokens
from training.made_donors import clean, donor

#: Words of boxes by language, names of people by script, names of products that do not exist, and class names as any
#: site's templates have them. `{n}` is a number in them, `{name}` a person's name, `{product}` a product's.
DATA: Mapping[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))


@dataclass
class Style:
    """How one box is written: drawn once, so that its items are alike.

    Attributes:
        rng: Where all chances come from.
        language: Language of the page, in ISO 639-1.
        kind: The kind of box, whose class names it may have.
        stock: Where the words of an advertisement come from: the same on all pages of a site.
        names: Names of people and of readers.
        people: Those of people.
    """

    rng: random.Random
    language: str
    kind: str
    stock: random.Random
    _naming: str = ""
    _names: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names: list[str] = DATA["names"].get(self.language, DATA["names"]["latin"])
        self.people = [name for name in self.names if "{" not in name]
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
        return str(self.rng.choice(DATA["classes"][what or "plain"]))

    def words(self, what: str) -> list[str]:
        """The alternatives for something in the style's language, in English where it has none.

        Example:
            >>> style = Style(random.Random(0), "tr", "plain", random.Random(0))
            >>> style.words("latest")[0], style.words("about")[0]
            ('Son haberler', 'About the author')
        """
        words = DATA["words"]
        return list(words.get(self.language, {}).get(what) or words["en"][what])

    def say(self, what: str, **known: str) -> str:
        """One of the alternatives for something, filled in."""
        return self.fill(self.rng.choice(self.words(what)), **known)

    def fill(self, text: str, **known: str) -> str:
        """A text with its names and numbers filled in."""
        values = {"n": str(self.rng.randint(2, 90)), "product": self.rng.choice(DATA["products"]), **known}
        if "{name}" in text and "name" not in values:
            values["name"] = self.rng.choice(self.people)
        return text.format(**values)

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
