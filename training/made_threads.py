"""Made threads: recorded pages whose story is replaced by a forum's posts, with facts about their authors.

Recorded threads are few. Their truths agree that posts are content, and that ranks, counts, signatures and buttons are
not; they disagree on names, dates and quotations, which are left out of training.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from evaluation.corpora import Site
from training.made import MARK, MARKS, SEED, Original, read_marked
from training.made_boxes import Donor, Style, advert, donor

#: Most pages of a site that become threads; sentences that a page's story needs; most posts of a thread.
PAGES, SENTENCES, POSTS = 8, 8, 20
#: Fewest and most sentences of a post; most members of a board and characters of a signature.
_SAID, _MEMBERS, _SIGNATURE = (1, 5), 16, 90
#: Layouts of a post.
_LAYOUTS = ("two cells", "two cells", "rows", "boxes", "boxes", "boxes", "list", "flat")
#: Facts about the author that a line may hold, and how often a board shows each.
_FACTS = {"rank": 0.65, "posts": 0.6, "joined": 0.5, "location": 0.3, "score": 0.15}
#: The mark of parts on which truths disagree.
_DOUBT = {MARK: "doubt"}


def made_threads(site: Site) -> Iterator[tuple[Page, npt.NDArray[np.float64]]]:
    """Yield the first pages of a site as threads of one board, each story in the page's frame.

    With each come its labels, shape (blocks,): 1 for a post's text, NaN where truths disagree, else 0.
    """
    rng = random.Random(f"{SEED} threads {site[0].site or site[0].url}")
    board = _Board(rng, donor(site[0]).language, [donor(page) for page in site])
    for recorded in site[:PAGES]:
        told, original = donor(recorded), Original.of(recorded)
        if original is None or len(told.sentences) < SENTENCES:
            continue
        original.replace_story(board.thread(told), keep_rest=True)
        page, marks = read_marked(original.markup(), MARKS, recorded.url)
        if "put" in marks:
            yield page, np.array([{"put": 1.0, "doubt": np.nan}.get(mark, 0.0) for mark in marks])


class _Board(Style):
    """One forum: the style of its pages, and its members."""

    def __init__(self, rng: random.Random, spoken: str, donors: Sequence[Donor]) -> None:
        super().__init__(rng, spoken, "thread", rng)
        self.donors = donors
        self.facts = [fact for fact, chance in _FACTS.items() if rng.random() < chance]
        rng.shuffle(self.facts)
        self.layout = rng.choice(_LAYOUTS)
        self.fact_tag = rng.choice(("div", "div", "li", "span", "dd"))
        self.parted = rng.choice(("p", "p", "br", "div"))
        self.numbered, self.subject, self.avatar = rng.random() < 0.5, rng.random() < 0.25, rng.random() < 0.5
        self.liked, self.edited = rng.random() < 0.3, rng.random() < 0.15
        self.quoting, self.advert = rng.choice((0, 0, 0.2, 0.4)), rng.random() < 0.25
        self.buttons = [self.say("button") for _ in range(rng.choice((0, 1, 2, 2, 3)))]
        self.signing = rng.choice((0, 0.4, 0.7))
        self.line = rng.choice(("hr", "____________", "--", ""))
        lines = [one for each in donors for one in each.sentences if len(one) <= _SIGNATURE]
        known = rng.sample(self.names, min(len(self.names), _MEMBERS))
        self.members = [self._member(name, lines) for name in known]

    def _member(self, name: str, lines: Sequence[str]) -> dict[str, str]:
        known = {fact: self.say(fact) for fact in self.facts}
        signature = self.rng.choice(lines) if lines and self.rng.random() < self.signing else ""
        return {"name": name.format(n=self.rng.randint(2, 99)), "signature": signature, **known}

    def thread(self, told: Donor) -> list[Any]:
        """Return the posts of a page, and the lines before and after them."""
        rng, left, posts = self.rng, told.sentences, list[Any]()
        said: list[tuple[str, str]] = []
        while left and len(said) < POSTS:
            size = rng.randint(*_SAID)
            own, left = left[:size], left[size:]
            member = rng.choice(self.members)
            quoted = rng.choice(said) if said and rng.random() < self.quoting else None
            said.append((member["name"], own[0]))
            author, head, foot = self._author(member), [*self._head(len(said), told.title)], [*self._foot(member)]
            posts.append(self._post(author, [*head, self._body(own, quoted), *foot]))
            if len(said) == 1 and self.advert:
                posts += advert(self, self.donors)
        before = self.make("div", "pages", self.say("pages"))
        if self.layout == "rows":
            posts = [self.make("table", "box", *posts)]
        elif self.layout == "list":
            posts = [self.make(rng.choice(("ul", "ol")), "box", *posts)]
        elif rng.random() < 0.6:
            posts = [self.make("div", "box", *posts)]
        if rng.random() < 0.4:
            posts.append(self.make("p", "closed", self.say("closed")))
        others = [one for one in self.donors if one.title]
        if rng.random() < 0.5 and others:
            links = [self.make("li", "other", self.link(one)) for one in rng.sample(others, min(len(others), 5))]
            similar = self.heading(self.say("similar")), self.make("ul", "list", *links)
            posts.append(self.make("div", "similar", *similar))
        return [before, *posts]

    def _post(self, author: Any, content: Sequence[Any]) -> Any:
        if self.layout == "flat":
            return self.make("div", "", author, *content)
        tabular = self.layout in ("two cells", "rows")
        cell, tag = ("td", "tr") if tabular else ("div", "li" if self.layout == "list" else self.item_tag)
        post = self.make(tag, "item", self.make(cell, "author", author), self.make(cell, "post", *content))
        return self.make("table", "item", post) if self.layout == "two cells" else post

    def _author(self, member: dict[str, str]) -> Any:
        name = self.make("b" if self.numbered else "a", "name", member["name"])
        parts = [self.make("img", "", src="/a.png", alt="")] if self.avatar else []
        parts.append(self.make("div", "", name, **_DOUBT))
        parts += [self.make(self.fact_tag, "fact", member[fact]) for fact in self.facts]
        return self.make({"li": "ul", "dd": "dl"}.get(self.fact_tag, "div"), "facts", *parts)

    def _head(self, number: int, title: str) -> Iterator[Any]:
        if self.subject:
            yield self.make("div", "subject", f"Re: {title}", **_DOUBT)
        day, time = self.date(), f" {self.rng.randint(0, 23)}:{self.rng.randint(0, 59):02d}"
        yield self.make("div", "date", day, time, **_DOUBT)
        if self.numbered:
            yield self.make("div", "number", self.make("a", "", f"#{number}", href=f"#p{number}"))

    def _body(self, own: Sequence[str], quoted: tuple[str, str] | None) -> Any:
        """Return the text of a post in a paragraph or two, after a quotation if any."""
        parts: list[Any] = []
        if quoted is not None:
            wrote = self.make("cite", "wrote", self.say("wrote", name=quoted[0]))
            parts.append(self.make("blockquote", "quote", wrote, self.make("div", "", quoted[1]), **_DOUBT))
        half = len(own) // 2 if len(own) > 2 else len(own)
        for text in [" ".join(some) for some in (own[:half], own[half:]) if some]:
            if self.parted == "br":
                parts += [text, self.make("br", ""), self.make("br", "")]
            else:
                parts.append(self.make(self.parted, "line", text))
        return self.make("div", "body", *parts, **{MARK: "put"})

    def _foot(self, member: dict[str, str]) -> Iterator[Any]:
        if self.edited and self.rng.random() < 0.3:
            yield self.make("div", "edited", self.say("edited", name=member["name"]))
        if member["signature"]:
            if self.line:
                yield self.make("hr", "") if self.line == "hr" else self.make("div", "", self.line)
            yield self.make("div", "signature", member["signature"])
        if self.liked and self.rng.random() < 0.5:
            yield self.make("div", "liked", self.say("liked"))
        if self.buttons:
            links = [self.make("a", "", button, href="#reply") for button in self.buttons]
            yield self.make("div", "buttons", *[part for link in links for part in (link, " ")])
