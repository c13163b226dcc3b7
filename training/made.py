"""Made pages: recorded pages with foreign content put in, whose truth stays as it was.

What fails on rare pages (a further story behind the story, lists of teasers, galleries, biographies, threads of
comments) becomes frequent so, to train and to measure on.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
import numpy.typing as npt
from lxml import etree, html

from denoise_scrapy.body.features import FORUM_TYPES
from denoise_scrapy.core.markup import BLOCK_TAGS, SKIPPED_TAGS
from denoise_scrapy.page import Page
from evaluation.corpora import RecordedPage, Site
from training.labels import block_tokens, story_tokens
from training.made_donors import Donor, donor, language, numbered_tree, sentences
from training.made_parts import MAKERS
from training.made_style import Style

KINDS = tuple(MAKERS)
#: Kinds of pages that are made others of. What is foreign on a list, a product's page or a manual is a matter of taste:
#: with made ones of them documentation lost .028, lists .016; articles lost nothing.
ARTICLES = ("article", "")
#: Share of lists that are of a paragraph's sentences rather than of whole ones; and of items without their class names.
SENTENCES, BARE = 0.6, 0.7
#: Characters that each sentence has at least: marks and initials part others.
SHORT_LINE = 12
#: Blocks of its story that a shortened page keeps, fewest and most; share of the boxes without story that go.
SHORT_STORY, SHORT_AWAY = (1, 8), 0.8
#: Pages that text is taken from at most, and how many each kind needs.
DONORS, _NEEDS = 12, {"story": 1, "teasers": 3, "gallery": 1, "comments": 1}
#: Of the site's other pages, the share that gives text: what it takes is not compared with.
_OWN_SHARE = 0.5
#: Other sites' pages that are looked at for one of the same language and kind.
_TRIED = 60
#: Tokens of gold below which a page has no story to put something beside.
_SHORT = 20
#: Characters of a page at most, places tried on it: a page of the corpora's largest takes seconds.
MAX_CHARS, _PLACES = 1_500_000, 4
#: An element holds the story that holds so much of the gold.
_HOLDS = 0.9
#: Elements that a box may be put into.
_HOLDERS = frozenset("body div section article main aside td center form".split())
#: Where boxes are put, and how often of all: what stands behind a story on recorded pages is not put into its middle.
ANY_WAY = {"behind": 3, "inside": 3, "middle": 4, "beside": 1, "end": 1}
_BEHIND = {"behind": 4, "inside": 2, "end": 1}
WAYS = {"story": _BEHIND, "comments": _BEHIND, "biography": {"behind": 4, "inside": 4, "middle": 1, "beside": 1}}


@dataclass(frozen=True)
class MadePage:
    """A recorded page with foreign content.

    Attributes:
        kind: What was put in, one of `KINDS`.
        html: The page.
        url: The recorded page's URL.
        gold: Its gold text, which is the made page's.
        index: Number of the recorded page in its site.
        donors: Numbers of the pages of its site that text was taken from: no pages to compare with.
        foreign: Text of the blocks that were put in, a line each.
        elements: Numbers of the elements that were put in, as `Elements` has them.
    """

    kind: str
    html: str
    url: str
    gold: str
    index: int
    donors: frozenset[int]
    foreign: str
    elements: tuple[int, ...]

    def foreign_blocks(self, page: Page) -> npt.NDArray[np.bool_]:
        """Whether each of the made page's blocks was put in, shape (blocks,)."""
        return np.asarray(page.elements.inside(np.array(self.elements, np.int64))[page.blocks.element])


def made_pages(
    site: Site, others: Sequence[Site] = (), kinds: Sequence[str] = KINDS, seed: int = 0
) -> Iterator[MadePage]:
    """Make a page of each kind of each page of a site, if it is an article.

    Args:
        site: The recorded pages. Text comes from those of them, and where they are few, from other sites.
        others: Other sites that may give text: of the same corpus and, to train, of the same fold.
        kinds: What to put in.
        seed: The same for the same pages makes the same pages.

    Yields:
        Pages whose blocks are those of the recorded page, in their order, and the foreign ones. Where no place is
        found for foreign content, or no text, there is none.

    Example:
        >>> lines = "It rained all night long in the town.", "Nobody had seen as much rain in any of the last years."
        >>> story = "".join(f"<p>{line}</p>" for line in lines)
        >>> pages = [RecordedPage("u", f"<body><nav>Home</nav><div>{story}</div></body>", " ".join(lines))]
        >>> [made.kind for made in made_pages(pages, kinds=("appeal", "advert"))]
        ['appeal', 'advert']
    """
    for i in range(len(site)):
        yield from made_of(site, i, others, kinds, seed)


def made_of(
    site: Site, i: int, others: Sequence[Site] = (), kinds: Sequence[str] = KINDS, seed: int = 0
) -> Iterator[MadePage]:
    """Make a page of each kind of one page of a site; arguments and pages as those of `made_pages`."""
    recorded = site[i]
    original = _original(recorded) if recorded.kind in ARTICLES else None
    if original is None or original.page.declared_types & FORUM_TYPES:
        return
    for kind in kinds:
        made = _made(site, i, original, others, kind, seed)
        if made is not None:
            yield made


def shortened(recorded: RecordedPage, seed: int = 0) -> str | None:
    """A recorded page with few blocks left, some of its story and some of what stands around; None where that fails.

    No recorded page is as short as those of demos, errors and tests.

    Example:
        >>> lines = [f"It rained all night long, and for the {n}th time this year." for n in range(20)]
        >>> html = f"<body><nav>Home</nav><div>{''.join(f'<p>{line}</p>' for line in lines)}</div></body>"
        >>> 0 < shortened(RecordedPage("u", html, " ".join(lines))).count("rained") < 9
        True
    """
    original = _original(recorded)
    return (
        None
        if original is None
        else original.shortened(random.Random(f"{seed} short {recorded.url} {recorded.gold[:50]}"))
    )


def listed(recorded: RecordedPage, seed: int = 0) -> str | None:
    """An article with a part of its story as a list; None where no paragraph can be one, and for other pages.

    Lists of other pages' texts are put in often, and without this one all lists in a story look foreign: of sixteen
    texts that readers liked less than another extractor's, four lacked one.

    Example:
        >>> lines = [f"It rained all night long, and for the {n}th time this year." for n in range(20)]
        >>> story = "".join(f"<p>{line}</p>" for line in lines)
        >>> page = RecordedPage("u", f"<body><nav>Home</nav><div>{story}</div></body>", " ".join(lines))
        >>> "<li>It rained" in listed(page)
        True
    """
    original = _original(recorded) if recorded.kind in ARTICLES else None
    return (
        None if original is None else original.listed(random.Random(f"{seed} list {recorded.url} {recorded.gold[:50]}"))
    )


def _original(recorded: RecordedPage) -> Original | None:
    """The page as what others are made of, None where it is too long or no story is found in it."""
    original = Original(recorded) if len(recorded.html) <= MAX_CHARS else None
    return original if original and original.is_usable else None


def _made(site: Site, i: int, original: Original, others: Sequence[Site], kind: str, seed: int) -> MadePage | None:
    """One made page."""
    recorded = site[i]
    rng = random.Random(f"{seed} {kind} {recorded.url} {recorded.gold[:50]}")
    donors, own = _donors(site, i, others, rng)
    if len(donors) < _NEEDS.get(kind, 0):
        return None
    stock = random.Random(f"{seed} {recorded.site or recorded.url}")
    boxes = MAKERS[kind](Style(rng, language(recorded), kind, stock), donors)
    for parent, index in islice(original.places(rng, WAYS.get(kind, ANY_WAY)), _PLACES):
        found = original.with_boxes(boxes, parent, index)
        if found is not None:
            text, page, elements = found
            made = MadePage(kind, text, recorded.url, recorded.gold, i, own, "", elements)
            foreign = "\n".join(page.block_texts[b] for b in np.flatnonzero(made.foreign_blocks(page)).tolist())
            return MadePage(kind, text, recorded.url, recorded.gold, i, own, foreign, elements)
    return None


def _donors(site: Site, i: int, others: Sequence[Site], rng: random.Random) -> tuple[list[Donor], frozenset[int]]:
    """Pages that give text, and the numbers of those of the same site."""
    rest = [j for j in range(len(site)) if j != i and site[j].gold != site[i].gold]
    own = rng.sample(rest, min(int(len(rest) * _OWN_SHARE), DONORS))
    found = [donor(site[j]) for j in own]
    flat = [page for other in others if other is not site for page in other]
    own_language = language(site[i])
    for page in rng.sample(flat, min(len(flat), _TRIED)):
        if len(found) >= max(len(own), 3) and (len(own) or len(found) >= DONORS):
            break
        if page.kind == site[i].kind and language(page) == own_language and page.gold != site[i].gold:
            found.append(donor(page))
    return [one for one in found if one.title and one.sentences], frozenset(own)


class Original:
    """A recorded page as a tree that boxes are put into.

    Attributes:
        page: The page.
        is_usable: Whether it can be read, and has a story in an element of its own.
    """

    MARK = "data-made"

    def __init__(self, recorded: RecordedPage) -> None:
        self.page = page = Page.parse(recorded.html, url=recorded.url)
        _, gold = story_tokens(block_tokens(page), recorded.gold)
        self.is_usable = False
        if page.is_too_large or gold.sum() < _SHORT:
            return
        self._root, elements = numbered_tree(recorded.html)
        held = page.blocks.subtree_sums(gold)
        self._story: Any = elements.get(int(np.flatnonzero(held >= _HOLDS * gold.sum())[-1]))
        self._kept = [elements.get(e) for e in page.blocks.element[gold > 0].tolist()]
        self.is_usable = self._story is not None

    def shortened(self, rng: random.Random) -> str:
        """The page with some blocks of the story, and one in five of the boxes without any."""
        story = dict.fromkeys(element for element in self._kept if element is not None)
        first = set(list(story)[: rng.randint(*SHORT_STORY)])
        holding = {above for element in first for above in (element, *element.iterancestors())}
        for element in list(self._root.iter(etree.Element)):
            parent = element.getparent()
            if parent is None or element in holding or parent not in holding or element.tag in ("head", "body"):
                continue
            if any(one in story for one in element.iter()) or rng.random() < SHORT_AWAY:
                _remove(element)
        return str(html.tostring(self._root, encoding="unicode"))

    def listed(self, rng: random.Random) -> str | None:
        """The page with a run of paragraphs, or the sentences of one, as a list; None where there are none."""
        story = dict.fromkeys(one for one in self._kept if one is not None and one.tag == "p" and not _tail(one))
        runs = [run for run in (_run(one, story, rng.randint(2, 8)) for one in story) if len(run) > 1]
        told = [(one, sentences(one.text or "")) for one in story if not len(one)]
        plain = [(one, lines) for one, lines in told if len(lines) > 2 and len(min(lines, key=len)) >= SHORT_LINE]
        if plain and (not runs or rng.random() < SENTENCES):
            place, lines = rng.choice(plain)
            items = [html.Element("li") for _ in lines]
            for item, line in zip(items, lines, strict=True):
                item.text = line
        elif runs:
            items = rng.choice(runs)
            place = items[0]
        else:
            return None
        box = html.Element(rng.choice(("ul", "ul", "ol")))
        place.addprevious(box)
        if place not in items:
            place.getparent().remove(place)
        for item in items:
            item.tag = "li"
            if rng.random() < BARE:
                item.attrib.clear()
            box.append(item)
        return str(html.tostring(self._root, encoding="unicode"))

    def places(self, rng: random.Random, ways: Mapping[str, int]) -> Iterator[tuple[Any, int]]:
        """(parent, index) of places for a box, in an order by chance, the ways with more weight first more often."""
        order = sorted(ways, key=lambda way: rng.random() ** (1 / ways[way]), reverse=True)
        yield from chain.from_iterable(self._ways(way, rng) for way in order)

    def _ways(self, way: str, rng: random.Random) -> Iterator[tuple[Any, int]]:
        story = self._story
        if way == "behind":
            yield from _around(story, 1)
        elif way == "beside":
            up = story
            for _ in range(rng.randint(0, 2)):
                up = up.getparent() if up.getparent() is not None else up
            yield from _around(up, rng.randint(0, 1))
        elif way == "inside" and _free(story, len(story)):
            yield story, len(story)
        elif way == "middle":
            found = self._between()
            yield from rng.sample(found, min(len(found), 2))
        elif way == "end":
            body = next(self._root.iter("body"), None)
            if body is not None and _free(body, len(body)):
                yield body, len(body)

    def _between(self) -> list[tuple[Any, int]]:
        """Places between two paragraphs of the story."""
        found = dict[tuple[Any, int], None]()
        inside = set(self._story.iter())
        for element in self._kept[:-1]:
            up = element
            while up is not None and up in inside and up is not self._story:
                parent = up.getparent()
                if parent is not None and parent in inside and parent.tag in _HOLDERS:
                    place = parent, parent.index(up) + 1
                    if place[1] < len(parent) and _free(*place):
                        found[place] = None
                    break
                up = parent
        if not found and self._story.tag in _HOLDERS:  # paragraphs parted by breaks
            found = {(self._story, i): None for i in range(1, len(self._story)) if _at_breaks(self._story, i)}
        return list(found)

    def with_story(self, boxes: Sequence[Any], doubt: str) -> tuple[str, Page, dict[str, npt.NDArray[np.int64]]]:
        """The page with boxes in place of its story: markup, parsed, numbers of elements by their `MARK`.

        What else was of its gold gets the mark `doubt`. The page declares no type any more. This is for good.
        """
        for element in list(self._root.iter(etree.Element)):
            element.attrib.pop("itemtype", None)
            if element.get("property") == "og:type" or element.get("type") == "application/ld+json":
                _remove(element)
        for element in self._kept:
            if element is not None:
                element.set(self.MARK, doubt)
        story = self._story
        for child in list(story):
            story.remove(child)
        story.text = None
        story.extend(boxes)
        marked = html.tostring(self._root, encoding="unicode")
        marks = {
            element.attrib.pop(self.MARK) for element in self._root.iter(etree.Element) if self.MARK in element.attrib
        }
        text = str(html.tostring(self._root, encoding="unicode"))
        page = Page.parse(text, url=self.page.url)
        found = Page.parse(marked, keep=[f"[{self.MARK}={mark}]" for mark in sorted(marks)]).kept_by_user
        return text, page, {mark: one.elements for mark, one in zip(sorted(marks), found, strict=True)}

    def with_boxes(self, boxes: Sequence[Any], parent: Any, index: int) -> tuple[str, Page, tuple[int, ...]] | None:
        """The page with boxes: markup, parsed, numbers of the boxes; None where its own blocks are not the same."""
        for offset, box in enumerate(boxes):
            box.set(self.MARK, "")
            parent.insert(index + offset, box)
        marked = html.tostring(self._root, encoding="unicode")
        for box in boxes:
            del box.attrib[self.MARK]
        text = html.tostring(self._root, encoding="unicode")
        for box in boxes:
            parent.remove(box)
        page = Page.parse(text, url=self.page.url)
        if page.is_too_large or page.noscript_read != self.page.noscript_read:
            return None
        numbers = Page.parse(marked, keep=f"[{self.MARK}]").kept_by_user[0].elements
        if not len(numbers):
            return None
        foreign = page.elements.inside(numbers)[page.blocks.element]
        own = [text for text, is_foreign in zip(page.block_texts, foreign.tolist(), strict=True) if not is_foreign]
        if not foreign.any() or own != self.page.block_texts:
            return None
        return text, page, tuple(numbers.tolist())


def _tail(element: Any) -> str:
    return (element.tail or "").strip()


def _run(first: Any, among: Mapping[Any, Any], most: int) -> list[Any]:
    """An element and those that follow it directly, so many at most."""
    run = [first]
    while len(run) < most and (after := run[-1].getnext()) is not None and after in among:
        run.append(after)
    return run


def _remove(element: Any) -> None:
    """Remove an element, but not the text behind it."""
    parent, before = element.getparent(), element.getprevious()
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _around(element: Any, after: int) -> Iterator[tuple[Any, int]]:
    """Places right behind an element, or before it, and the same of what it stands in."""
    while element is not None:
        parent = element.getparent()
        if parent is not None and parent.tag in _HOLDERS:
            index = parent.index(element) + after
            if _free(parent, index):
                yield parent, index
        element = parent


def _free(parent: Any, index: int) -> bool:
    """Whether a block of text ends at a place anyway."""
    if parent.tag not in _HOLDERS:
        return False
    before, after = parent[index - 1] if index else None, parent[index] if index < len(parent) else None
    if after is None or after.tag in BLOCK_TAGS or _at_breaks(parent, index):
        return True
    if before is None:
        return False
    return (before.tag in BLOCK_TAGS or before.tag in SKIPPED_TAGS) and not (before.tail or "").strip()


def _at_breaks(parent: Any, index: int) -> bool:
    """Whether a place is between two breaks with nothing else between."""
    if not 0 < index < len(parent):
        return False
    before, after = parent[index - 1], parent[index]
    return before.tag == "br" == after.tag and not (before.tail or "").strip()
