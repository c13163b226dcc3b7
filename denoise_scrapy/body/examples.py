"""Examples: pages of a site with their right texts, which move the odds of the same places on its other pages.

A place is what a block's path has in common on pages of one template: tags and classes without numbers and ids, at
four widths. What the examples of a site that are like the page add to a block's log odds is how much likelier their
words in that place are in the right text than the model took them to be. The widest place that they know decides. What
a few words of examples say against many of a page counts less. A page that is like none is left as it was, and so is
one that would lose much more than the example, in places of which that has few words.

Source: ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.strategies import DEFAULT_STRATEGY, find_strategy
from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.core.feature_strings import tokens
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import HALF, BoolArray, FloatArray
from denoise_scrapy.page.selectors import PREFIXES, compile_all
from denoise_scrapy.site import SiteStatistics
from denoise_scrapy.support.shown import MOST_PAIRS

Keys = npt.NDArray[np.uint64]
#: Words in places of unknown odds that are added to those of examples, and how far from one half the moved probability
#: of a block must be if it is to change sides: with less of either, more pages get better and more get worse, by
#: `python -m benchmarks.teach`.
PRIOR, CLEAR = 0.5, 0.2
#: Words of a block above which it is in another place than a shorter one, by the same command.
LONG = 12
#: Words in a place, of examples and of a page, beside which what the first say against the second counts in full; and
#: how much may go of a page by what has gone of the example, of places of which it has few words; of all places, if
#: fewer words than the first are left. Without both, shops and lists lose, by the same command.
SLIGHT, LEAST_LEFT = 20.0, 0.5
#: Share of a page's words in places that an example knows by their last three steps, below which it is set aside: one
#: page in twenty of an example's own design has less, and four in five of a later one, by `python -m benchmarks.drift`.
FITS = 0.05
#: Bytes of an example's page, words of its text that are aligned, and examples of a site that are asked.
MOST_BYTES, MOST_WORDS, MOST_EXAMPLES = 10_000_000, 20_000, 10


@dataclass(frozen=True)
class Example:
    """A page with its right text.

    Attributes:
        html: The page, as it was downloaded.
        text: Its right text; each block counts by the share of its words that are in it, in order.
        keep: Or a selector (CSS, XPath) of the elements that hold the right text, or several; they become a tuple.
        url: Its address.
        date: When it was given, for `explain`: "2026-11-03".
        fields: Texts of the page by name, as {"price": "12.50 €"}, or selectors of them, as "css:.price" or "xpath://h1",
            which are found on other pages of the site (`Body.taught`).

    Raises:
        ValueError: It has no text, selectors or fields, a selector is invalid, or it is too large.
    """

    html: str | bytes = field(repr=False)
    text: str = field(default="", repr=False)
    keep: str | Sequence[str] = ()
    url: str = ""
    date: str = ""
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not self.text.strip() and not self.keep and not self.fields:
            raise ValueError("an example has a text or selectors of it, or fields")
        object.__setattr__(self, "keep", (self.keep,) if isinstance(self.keep, str) else tuple(self.keep))
        compile_all([*self.keep, *(one for one in self.fields.values() if one.startswith(PREFIXES))])
        if len(self.html) > MOST_BYTES:
            raise ValueError(f"the page of an example has at most {MOST_BYTES:,} bytes")


class Places(NamedTuple):
    """The n places that an example knows at one width, and how many words there are right, likely and at all."""

    keys: Keys  # in order, (n,)
    words: npt.NDArray[np.float32]  # (3, n)

    @classmethod
    def of(cls, keys: Keys, words: FloatArray, shares: FloatArray, probability: FloatArray) -> Places:
        """Sum up the blocks of an example, shape (m,) each, by their places."""
        known, place = np.unique(keys, return_inverse=True)
        sums = [np.bincount(place, words * of, len(known)) for of in (shares, probability, 1.0)]
        return cls(known, np.array(sums, np.float32))

    def find(self, keys: Keys) -> tuple[BoolArray, npt.NDArray[np.float32]]:
        """Return which of m places are known, shape (m,), and the words in them, shape (3, m), 0 in the others."""
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        known: BoolArray = self.keys[at] == keys
        return known, self.words[:, at] * known


class Lesson(NamedTuple):
    """What an example says of its places, the widest first; none for a page without blocks, or without the text."""

    widths: tuple[Places, ...]
    date: str
    left: float = 1.0  # its right words by those that the model alone keeps of it, at most 1


def places_of(page: Page) -> Keys:
    """Return the places of a page's m blocks at four widths, shape (4, m), equal on other pages; the widest first.

    They are the whole path with the same text, with as much of links and words, its last three steps, and two.
    """
    e, blocks = page.elements, page.blocks
    steps = e.column("tag").astype(np.uint64) << np.uint64(32) | e.column("class_").astype(np.uint64)
    steps = np.append(_mixed(steps), np.uint64(0))  # element -1 is around the root
    parents = np.append(e.parent, -1)
    one = blocks.element
    two = _mixed(steps[parents[one]]) + steps[one]
    three = _mixed(_mixed(steps[parents[parents[one]]]) + steps[parents[one]]) + steps[one]
    whole = _mixed(blocks.rows["path"].astype(np.uint64))
    kind = (2 * blocks.link_chars > blocks.chars) + 2 * (blocks.tokens > LONG).astype(np.uint64)
    return np.stack([whole + blocks.rows["text_hash"].astype(np.uint64), whole + kind, three, two])


def _mixed(keys: Keys) -> Keys:
    """Spread numbers over 64 bits (the multiplier of splitmix64)."""
    product: Keys = keys * np.uint64(0xBF58476D1CE4E5B9)
    spread: Keys = product ^ product >> np.uint64(29)
    return spread


def shares_of(page: Page, example: Example) -> FloatArray:
    """Return the share of each block's words that is in the right text of an example, shape (m,)."""
    if example.keep:
        inside = np.zeros(len(page.blocks), bool)
        for match in page.kept_by_user:
            inside |= page.blocks.share_owned_by(page.elements.inside(match.elements)) > 0
        return inside.astype(np.float64)
    said = [tokens(text) for text in page.block_texts]
    words = [word for block in said for word in block][:MOST_WORDS]
    owner = np.repeat(np.arange(len(said)), [len(block) for block in said])[:MOST_WORDS]
    wanted = tokens(example.text)[:MOST_WORDS]
    counts = Counter(words)
    # frequent words then begin no match: of pages that repeat one word the alignment is quadratic
    is_repetitive = sum(counts[word] for word in wanted) > MOST_PAIRS
    found = SequenceMatcher(None, words, wanted, autojunk=is_repetitive)
    right = np.zeros(len(words))
    for place, _, size in found.get_matching_blocks():
        right[place : place + size] = 1
    count = np.bincount(owner, minlength=len(said))
    return np.bincount(owner, right, minlength=len(said)) / np.maximum(count, 1)


@lru_cache(256)
def lesson_of(example: Example) -> Lesson:
    """Return what an example says of its places, beside what the default strategy makes of its page alone.

    Raises:
        ValueError: A selector is invalid.
    """
    page = Page.parse(example.html, url=example.url, keep=example.keep)
    if not len(page.blocks) or not (example.text.strip() or example.keep):
        return Lesson((), example.date)
    probability = find_strategy(DEFAULT_STRATEGY).decide(page, SiteStatistics(())).probability
    shares, words = shares_of(page, example), page.blocks.tokens.astype(np.float64)
    # with less of its words on its page, it is the text of another one, and says nothing
    if words @ shares < (HALF * len(tokens(example.text)[:MOST_WORDS]) or 1):
        return Lesson((), example.date)
    widths = tuple(Places.of(keys, words, shares, probability) for keys in places_of(page))
    right, taken = float(words @ shares), float(words @ (probability >= 0.5))
    return Lesson(widths, example.date, min(1.0, right / max(taken, 1.0)))


def taught(page: Page, decision: Decision, examples: Iterable[Example]) -> tuple[Decision, float | None]:
    """Return a decision on a page of m blocks, moved by examples of its site, and how much the page is like the likest.

    That is `likeness`; None without examples that say anything.

    Raises:
        ValueError: A selector of an example is invalid.
    """
    lessons = [lesson for lesson in map(lesson_of, list(examples)[:MOST_EXAMPLES]) if lesson.widths]
    if not lessons or not len(page.blocks):
        return decision, None
    places, words = places_of(page), page.blocks.tokens.astype(np.float64)
    likenesses = [(likeness(places, page, lesson), -number) for number, lesson in enumerate(lessons)]
    likest = max(likenesses)[0]
    lessons = [lessons[-number] for alike, number in sorted(likenesses, reverse=True) if alike >= FITS]
    if not lessons:
        return decision, likest
    moved, of, doubt = _moves(places, words, lessons)
    chances = np.clip(decision.probability, 0.01, 0.99)
    probability = 1 / (1 + np.exp(-(np.log(chances / (1 - chances)) + moved)))
    clear = np.where(decision.kept, 0.5 - CLEAR, 0.5 + CLEAR)
    kept = np.where(of >= 0, probability >= clear, decision.kept) & ~page.unseen_blocks
    whole, lost = words @ decision.kept, words * doubt @ (decision.kept & ~kept)
    left, least = words @ kept, LEAST_LEFT * lessons[0].left
    if not left or (left < SLIGHT and left < least * whole) or lost > (1 - least) * whole:
        return decision, likest
    reasons = np.full(len(kept), "", object)
    for block in np.flatnonzero(kept != decision.kept).tolist():
        date = lessons[of[block]].date if of[block] >= 0 else ""
        reasons[block] = f"as in your example{date and f' of {date}'}"
    return decision.revised(kept, reasons), likest


def _moves(
    places: Keys, words: FloatArray, lessons: Sequence[Lesson]
) -> tuple[FloatArray, npt.NDArray[np.intp], FloatArray]:
    """Return what is added to the log odds of m blocks, the first lesson that knows each place, else -1, and doubts.

    A doubt is the share of a page's words in a place that are more than the lessons have there.
    """
    moved, of, doubt = np.zeros(len(words)), np.full(len(words), -1), np.ones(len(words))
    for width, keys in enumerate(places):
        found = [lesson.widths[width].find(keys) for lesson in lessons]
        known = np.stack([one for one, _ in found])
        right, likely, whole = np.array([said for _, said in found], np.float64).sum(axis=0)
        told, taken = ((part + PRIOR / 2) / (whole + PRIOR) for part in (right, likely))
        odds = np.log(told / (1 - told)) - np.log(taken / (1 - taken))
        _, place = np.unique(keys, return_inverse=True)
        here = np.bincount(place, words)[place]
        enough = np.minimum(1, (whole + SLIGHT) / (here + SLIGHT))
        odds *= np.where(odds < 0, np.sqrt(enough), 1)
        new = (of < 0) & known.any(axis=0)
        moved[new], of[new], doubt[new] = odds[new], known.argmax(axis=0)[new], 1 - enough[new]
    return moved, of, doubt


def likeness(places: Keys, page: Page, lesson: Lesson) -> float:
    """Return the share of a page's words that is in places whose three last steps an example knows."""
    known = lesson.widths[2].find(places[2])[0] if lesson.widths else np.zeros(len(page.blocks), bool)
    return float((page.blocks.tokens * known).sum() / max(page.blocks.tokens.sum(), 1))
