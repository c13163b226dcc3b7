"""Made threads: recorded pages whose story is replaced by a forum's posts, with all that forums say of who wrote them.

Recorded threads are few. Their truths agree that what people wrote is the content, and ranks, counts, signatures and
buttons are not; they do not agree on names, dates and quotations, which are left out of training.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from evaluation.corpora import Site
from training.made import MAX_CHARS, Original
from training.made_donors import Donor, donor, language
from training.made_parts import advert
from training.made_style import Style
from training.made_words import names

#: Pages of a site at most that become threads; sentences that a page's story needs, and posts of a thread at most.
PAGES, SENTENCES, POSTS = 8, 8, 20
#: Sentences of a post, fewest and most; members of a board and characters of a signature at most.
_SAID, _MEMBERS, _SIGNATURE = (1, 5), 16, 90
#: How a post is laid out.
_LAYOUTS = ("two cells", "two cells", "rows", "boxes", "boxes", "boxes", "list", "flat")
#: What a line of facts on the author may hold, and how often a board shows it.
_FACTS = {"rank": 0.65, "posts": 0.6, "joined": 0.5, "location": 0.3, "score": 0.15}
#: Marks of elements: what was written, and what truths disagree on.
_TEXT, _DOUBT = "text", "doubt"


@dataclass(frozen=True)
class MadeThread:
    """A thread in the frame of a recorded page.

    Attributes:
        html: The page.
        url: The recorded page's URL.
        gold: What was written, a line a block.
        share: 1 for each block that was written, NaN for those that truths disagree on, else 0; shape (blocks,).
    """

    html: str
    url: str
    gold: str
    share: npt.NDArray[np.float64]


def made_threads(site: Site, seed: int = 0) -> Iterator[MadeThread]:
    """Make a thread of each of a site's first pages, all of one board.

    Args:
        site: The recorded pages; a thread's text is its page's story.
        seed: The same for the same pages makes the same threads.

    Example:
        >>> story = " ".join(f"It rained all night for the {n}th time this year." for n in range(9))
        >>> from evaluation.corpora import RecordedPage
        >>> page = RecordedPage("u", f"<body><nav>Home</nav><div><p>{story}</p></div><p>All rights.</body>", story)
        >>> [thread] = made_threads([page])
        >>> "It rained all night for the 8th" in thread.gold, "Home" in thread.gold
        (True, False)
    """
    rng = random.Random(f"{seed} threads {site[0].site or site[0].url}")
    board = _Board(rng, language(site[0]), [donor(page) for page in site])
    for recorded in site[:PAGES]:
        told = donor(recorded)
        original = Original(recorded) if len(recorded.html) <= MAX_CHARS else None
        if original is None or not original.is_usable or len(told.sentences) < SENTENCES:
            continue
        html, page, marked = original.with_story(board.thread(told), _DOUBT)
        share = _shares(page, marked)
        if (share > 0).any():
            gold = "\n".join(page.block_texts[i] for i in np.flatnonzero(share > 0).tolist())
            yield MadeThread(html, recorded.url, gold, share)


def _shares(page: Page, marked: dict[str, npt.NDArray[np.int64]]) -> npt.NDArray[np.float64]:
    share = np.zeros(len(page.blocks))
    for mark, value in ((_TEXT, 1.0), (_DOUBT, np.nan)):  # a quotation stands inside what was written
        if mark in marked:
            share[page.elements.inside(marked[mark])[page.blocks.element]] = value
    return share


class _Board:
    """One forum: how its pages are written, and who writes on it."""

    def __init__(self, rng: random.Random, spoken: str, donors: Sequence[Donor]) -> None:
        self.rng, self.donors = rng, donors
        self.style = Style(rng, spoken, "thread", rng)
        self.facts = [fact for fact, chance in _FACTS.items() if rng.random() < chance]
        rng.shuffle(self.facts)
        self.layout = rng.choice(_LAYOUTS)
        self.between = rng.choice(("br", "div", "li", "span", "dd"))
        self.parted = rng.choice(("p", "p", "br", "div"))
        self.numbered, self.subject, self.avatar = rng.random() < 0.5, rng.random() < 0.25, rng.random() < 0.5
        self.liked, self.edited = rng.random() < 0.3, rng.random() < 0.15
        self.quoting, self.advert = rng.choice((0, 0, 0.2, 0.4)), rng.random() < 0.25
        self.buttons = [self.style.say("button") for _ in range(rng.choice((0, 1, 2, 2, 3)))]
        self.signing = rng.choice((0, 0.4, 0.7))
        self.line = rng.choice(("hr", "____________", "--", ""))
        lines = [one for each in donors for one in each.sentences if len(one) <= _SIGNATURE]
        known = names(spoken)
        self.members = [self._member(name, lines) for name in rng.sample(known, min(len(known), _MEMBERS))]

    def _member(self, name: str, lines: Sequence[str]) -> dict[str, str]:
        """Who writes: name, facts, signature."""
        rng, style = self.rng, self.style
        known = {fact: style.say(fact) for fact in self.facts}
        signature = rng.choice(lines) if lines and rng.random() < self.signing else ""
        return {"name": name.format(n=rng.randint(2, 99)), "signature": signature, **known}

    def thread(self, told: Donor) -> list[Any]:
        """The posts of a page, and what stands before and behind them."""
        rng, style = self.rng, self.style
        left, posts = list(told.sentences), list[Any]()
        said: list[tuple[str, str]] = []
        for number in count(1):
            if not left or number > POSTS:
                break
            size = rng.randint(*_SAID)
            own, left = left[:size], left[size:]
            member = rng.choice(self.members)
            quoted = rng.choice(said) if said and rng.random() < self.quoting else None
            posts.append(self._post(member, own, quoted, number, told.title))
            said.append((member["name"], own[0]))
            if number == 1 and self.advert:
                posts += advert(style, self.donors)
        around = style.make("div", "pages", style.say("pages"))
        if self.layout == "rows":
            made: list[Any] = [style.make("table", "box", *posts)]
        elif self.layout == "list":
            made = [style.make(rng.choice(("ul", "ol")), "box", *posts)]
        else:
            made = [style.make("div", "box", *posts)] if rng.random() < 0.6 else posts
        return [around, *made, *self._behind()]

    def _behind(self) -> Iterator[Any]:
        style = self.style
        if self.rng.random() < 0.4:
            yield style.make("p", "closed", style.say("closed"))
        others = [one for one in self.donors if one.title]
        if self.rng.random() < 0.5 and others:
            some = self.rng.sample(others, min(len(others), 5))
            links = [style.make("li", "other", style.link(one.page, one.title)) for one in some]
            yield style.make("div", "similar", style.heading(style.say("similar")), style.make("ul", "list", *links))

    def _post(
        self, member: dict[str, str], own: Sequence[str], quoted: tuple[str, str] | None, number: int, title: str
    ) -> Any:
        author, head, foot = self._author(member), self._head(number, title), self._foot(member)
        body = self._body(own, quoted)
        style = self.style
        if self.layout in ("two cells", "rows"):
            cells = [style.make("td", "author", author), style.make("td", "post", *head, body, *foot)]
            row = style.make("tr", "item", *cells)
            return row if self.layout == "rows" else style.make("table", "item", row)
        if self.layout == "flat":
            return style.make("div", "", author, *head, body, *foot)
        parts = [style.make("div", "author", author), style.make("div", "post", *head, body, *foot)]
        tag = "li" if self.layout == "list" else style.item_tag
        return style.make("div" if tag == "p" else tag, "item", *parts)

    def _author(self, member: dict[str, str]) -> Any:
        """Name and facts of an author, in lines of their own."""
        style = self.style
        name = style.make("b" if self.numbered else "a", "name", member["name"])
        parts: list[Any] = [style.make("img", "", src="/a.png", alt="")] if self.avatar else []
        parts.append(_doubt(style.make("div", "", name)))
        for fact in self.facts:
            tag = "div" if self.between == "br" else self.between
            parts.append(style.make(tag, "fact", member[fact]))
        holder = {"li": "ul", "dd": "dl"}.get(self.between, "div")
        return style.make(holder, "facts", *parts)

    def _head(self, number: int, title: str) -> list[Any]:
        style, rng = self.style, self.rng
        head: list[Any] = []
        if self.subject:
            head.append(_doubt(style.make("div", "subject", f"Re: {title}")))
        date = _doubt(style.make("div", "date", style.date(), f" {rng.randint(0, 23)}:{rng.randint(0, 59):02d}"))
        head.append(date)
        if self.numbered:
            head.append(style.make("div", "number", style.make("a", "", f"#{number}", href=f"#p{number}")))
        return head

    def _body(self, own: Sequence[str], quoted: tuple[str, str] | None) -> Any:
        style = self.style
        parts: list[Any] = []
        if quoted is not None:
            wrote = style.make("cite", "wrote", style.say("wrote", name=quoted[0]))
            parts.append(_doubt(style.make("blockquote", "quote", wrote, style.make("div", "", quoted[1]))))
        half = len(own) // 2 if len(own) > 2 else len(own)
        texts = [" ".join(some) for some in (own[:half], own[half:]) if some]
        for text in texts:
            if self.parted == "br":
                parts += [text, style.make("br", ""), style.make("br", "")]
            else:
                parts.append(style.make(self.parted, "line", text))
        body = style.make("div", "body", *parts)
        body.set(Original.MARK, _TEXT)
        return body

    def _foot(self, member: dict[str, str]) -> list[Any]:
        style, rng = self.style, self.rng
        foot: list[Any] = []
        if self.edited and rng.random() < 0.3:
            foot.append(style.make("div", "edited", style.say("edited", name=member["name"])))
        if member["signature"]:
            if self.line:
                foot.append(style.make("hr", "") if self.line == "hr" else style.make("div", "", self.line))
            foot.append(style.make("div", "signature", member["signature"]))
        if self.liked and rng.random() < 0.5:
            foot.append(style.make("div", "liked", style.say("liked")))
        if self.buttons:
            links = [style.make("a", "", button, href="#reply") for button in self.buttons]
            foot.append(style.make("div", "buttons", *[part for link in links for part in (link, " ")]))
        return foot


def _doubt(element: Any) -> Any:
    element.set(Original.MARK, _DOUBT)
    return element
