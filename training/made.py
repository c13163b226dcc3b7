"""Made pages: recorded pages with foreign content and unchanged truth; shortened pages, walls, stories alone.

They make content frequent that is rare on recorded pages: a second story after the story, lists of teasers, galleries,
biographies, threads of comments.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import compress, islice, pairwise, takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from lxml import etree, html
from lxml.html.builder import E

from denoise_scrapy.body.strategies.combined import FORUM_TYPES
from denoise_scrapy.core.markup import BLOCK_TAGS, SKIPPED_TAGS
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import BoolArray
from evaluation.corpora import RecordedPage, Site
from training.labels import block_tokens, story_tokens
from training.made_boxes import MAKERS, Donor, Style, donor, holder_of, numbered_tree, sentences
from training.truth import PARTS

KINDS = tuple(MAKERS)
#: Seed: another number makes different pages from the same recorded pages.
SEED = 0
#: Kinds of pages to make others from. In a list, a product page or a manual, the foreign parts are a matter of taste:
#: with pages made from them documentation lost .028, lists .016; articles lost nothing.
ARTICLES = ("article", "")
#: Share of lists made of a paragraph's sentences rather than whole paragraphs; and of items without class names.
SENTENCES, BARE = 0.6, 0.7
#: Fewest characters of each sentence: shorter ones come from splits at marks and initials.
SHORT_LINE = 12
#: Fewest and most story blocks that a shortened page keeps; share of the boxes without story that are removed.
SHORT_STORY, SHORT_AWAY = (1, 8), 0.8
#: Most pages to take text from, and the number that each kind needs.
DONORS, _NEEDS = 12, {"story": 1, "teasers": 3, "gallery": 1, "comments": 1}
#: Share of the site's other pages that text is taken from; they are not used for comparison.
_OWN_SHARE = 0.5
#: Pages of other sites searched for one of the same language and kind.
_TRIED = 60
#: Gold tokens below which a page has no story to put a box beside.
_SHORT = 20
#: Most characters of a page, and places tried on it: the largest pages of the corpora take seconds.
MAX_CHARS, _PLACES = 1_500_000, 4
#: Share of the gold that an element must hold to count as the story.
_HOLDS = 0.9
#: Elements that a box may be put into.
_HOLDERS = frozenset("body div section article main aside td center form".split())
#: An attribute that marks elements during insertion; if two marks meet, doubt wins.
MARK, MARKS = "data-made", ("put", "doubt")
#: Positions of boxes and their frequency: content found after the story on recorded pages is not put into its middle.
ANY_WAY = {"behind": 3, "inside": 3, "middle": 4, "beside": 1, "end": 1}
_BEHIND = {"behind": 4, "inside": 2, "end": 1}
WAYS = {"story": _BEHIND, "comments": _BEHIND, "biography": {"behind": 4, "inside": 4, "middle": 1, "beside": 1}}
#: Folds of whole publishers.
FOLDS = 4
#: Language -> kind -> texts, as many for each fold: a model is judged on wording that it was not trained on.
#: One per line: heading, sentences, and buttons after "> ".
TEXTS: Mapping[str, Mapping[str, list[str]]] = json.loads(Path(__file__).with_name("walls.json").read_text("utf-8"))
#: Short texts of content by language, as many for each fold: recorded ones are few in most languages.
CONTENT: Mapping[str, list[str]] = json.loads(Path(__file__).with_name("short_texts.json").read_text("utf-8"))
#: How often a wall stands alone, without the site's frame; in few parts of that frame, as stories that are shortened
#: do, or only these would; has its own title instead of the story's; and is in any language instead of the site's.
ALONE, IN_PARTS, TITLED, ANY_LANGUAGE = 0.4, 0.3, 0.6, 0.5
#: How many other pages of the site show the same wall, if any do.
SAME = 3
#: Fewest and most paragraphs of a story alone; how often it is in a box, and has each of its other parts.
PARAGRAPHS, BOXED = (1, 8), 0.5
WITH_HEADLINE, WITH_BYLINE, WITH_CAPTION, WITH_COMMENTS = 0.6, 0.4, 0.25, 0.25


class MadePage(NamedTuple):
    """A recorded page with foreign content of a kind, between its own blocks in their order.

    `donors` are the numbers of the pages of its site that text was taken from, which are not used for comparison.
    `foreign` is True for each foreign block, shape (blocks,).
    """

    kind: str
    donors: frozenset[int]
    page: Page
    foreign: BoolArray


def made_of(site: Site, i: int, others: Sequence[Site] = (), kinds: Sequence[str] = KINDS) -> Iterator[MadePage]:
    """Yield page `i` of a site with foreign content of each kind, if it is an article and there is room.

    Text comes from other pages of the site, or from other sites if there are too few.
    """
    recorded = site[i]
    original = Original.of(recorded) if recorded.kind in ARTICLES else None
    if original is None or original.page.declared_types & FORUM_TYPES:
        return
    for kind in kinds:
        rng = _chances(kind, recorded)
        donors, own = _donors(site, i, others, rng)
        if len(donors) < _NEEDS.get(kind, 0):
            continue
        stock = random.Random(f"{SEED} {recorded.site or recorded.url}")
        boxes = MAKERS[kind](Style(rng, donor(recorded).language, kind, stock), donors)
        for parent, index in islice(original.places(rng, WAYS.get(kind, ANY_WAY)), _PLACES):
            if (found := original.with_boxes(boxes, parent, index)) is not None:
                yield MadePage(kind, own, *found)
                break


def _chances(what: str, page: RecordedPage) -> random.Random:
    return random.Random(f"{SEED} {what} {page.url} {page.gold[:50]}")


def _donors(site: Site, i: int, others: Sequence[Site], rng: random.Random) -> tuple[list[Donor], frozenset[int]]:
    """Return pages to take text from, and the numbers of the pages of the same site among them."""
    rest = [j for j in range(len(site)) if site[j].gold != site[i].gold]
    own = rng.sample(rest, min(int(len(rest) * _OWN_SHARE), DONORS))
    found = [donor(site[j]) for j in own]
    wanted = max(len(own), 3) if own else DONORS
    flat = [page for other in others if other is not site for page in other]
    for page in rng.sample(flat, min(len(flat), _TRIED)):
        if len(found) >= wanted:
            break
        if page.kind == site[i].kind and donor(page).language == donor(site[i]).language and page.gold != site[i].gold:
            found.append(donor(page))
    return [one for one in found if one.title and one.sentences], frozenset(own)


def shortened(recorded: RecordedPage) -> str | None:
    """Return a page cut to a few blocks of its story and of its frame; None if that fails.

    No recorded page is as short as demo, error and test pages.
    """
    original = Original.of(recorded)
    if original is None:
        return None
    rng = _chances("short", recorded)
    story = dict.fromkeys(element for element in original.kept if element is not None)
    first = set(list(story)[: rng.randint(*SHORT_STORY)])
    holding = {above for element in first for above in (element, *element.iterancestors())}
    for element in list(original.root.iter(etree.Element)):
        if element in holding or element.getparent() not in holding or element.tag in ("head", "body"):
            continue
        if any(one in story for one in element.iter()) or rng.random() < SHORT_AWAY:
            element.drop_tree()
    return original.markup()


def listed(recorded: RecordedPage) -> str | None:
    """Return an article with part of its story as a list; None if no paragraph can be one, or for other pages.

    Lists of other pages' texts are inserted often; without this, all lists in a story would look foreign: of sixteen
    texts that readers liked less than another extractor's, four lacked a list.
    """
    original = Original.of(recorded) if recorded.kind in ARTICLES else None
    if original is None:
        return None
    rng = _chances("list", recorded)
    story = dict.fromkeys(one for one in original.kept if one is not None and one.tag == "p" and not _tail(one))
    followed = [(one, takewhile(story.__contains__, one.itersiblings())) for one in story]
    runs = [[one, *islice(after, rng.randint(1, 7))] for one, after in followed]
    runs = [run for run in runs if len(run) > 1]
    told = [(one, sentences(one.text or "")) for one in story if not len(one)]
    plain = [(one, lines) for one, lines in told if len(lines) > 2 and len(min(lines, key=len)) >= SHORT_LINE]
    box = E("ul")
    if plain and (not runs or rng.random() < SENTENCES):
        place, lines = rng.choice(plain)
        items = [E("li", line) for line in lines]
        place.getparent().replace(place, box)
    elif runs:
        items = rng.choice(runs)
        items[0].addprevious(box)
    else:
        return None
    box.tag = rng.choice(("ul", "ul", "ol"))
    for item in items:
        item.tag = "li"
        if rng.random() < BARE:
            item.attrib.clear()
        box.append(item)
    return original.markup()


def made_wall(site: Site, i: int, fold: int, rng: random.Random) -> list[Page]:
    """Return a page of a site as a wall in a fold's wording, and other pages with the same wall; none without a story.

    A wall is only a request, a refusal or an apology, without any content.
    """
    spoken = _language(site[i], rng)
    return _framed(
        site, i, spoken, rng.choice(TEXTS[spoken][rng.choice(sorted(TEXTS[spoken]))][fold % FOLDS :: FOLDS]), rng
    )


def made_note(site: Site, i: int, fold: int, rng: random.Random) -> list[Page]:
    """Return what `made_wall` does, with a short text of content in place of a wall."""
    spoken = _language(site[i], rng)
    return _framed(site, i, spoken, rng.choice(CONTENT[spoken][fold % FOLDS :: FOLDS]), rng)


def _language(page: RecordedPage, rng: random.Random) -> str:
    spoken = donor(page).language
    return rng.choice(sorted(TEXTS)) if rng.random() < ANY_LANGUAGE or spoken not in TEXTS else spoken


def _framed(site: Site, i: int, spoken: str, text: str, rng: random.Random) -> list[Page]:
    """Return a page of a site with a text in place of its story, and others with the same text."""
    heading, *lines = text.split("\n")
    style, frame, titled = Style(rng, spoken, "plain", rng), rng.random(), rng.random() < TITLED

    def page_of(recorded: RecordedPage) -> Page | None:
        if frame < ALONE:
            return Page.parse(_written(E("body", _text_box(style, heading, lines))), url=recorded.url)
        if frame < ALONE + IN_PARTS:
            recorded = replace(recorded, html=shortened(recorded) or recorded.html)
        if (original := Original.of(recorded)) is None:
            return None
        original.replace_story([_text_box(style, heading, lines)], keep_rest=False)
        markup = original.markup()
        if titled:
            markup = re.sub(r"(<title[^>]*>)[^<]*", lambda found: found[1] + escape(heading), markup, count=1)
        return Page.parse(markup, url=recorded.url)

    first = page_of(site[i])
    if first is None:
        return []
    rest = rng.sample([*site[:i], *site[i + 1 :]], min(len(site) - 1, SAME))
    return [first, *filter(None, map(page_of, rest if rng.random() < 0.5 else []))]


def _text_box(style: Style, heading: str, lines: Sequence[str]) -> Any:
    """Return a text's heading, sentences and buttons."""
    said = [line for line in lines if not line.startswith("> ")]
    buttons = [style.make(style.rng.choice(("a", "button")), "", line[2:]) for line in lines if line.startswith("> ")]
    parts = [style.heading(heading), *(style.make(style.text_tag, "", line) for line in said)]
    return style.make("div", "box", *parts, *([style.make("div", "", *buttons)] if buttons else []))


def made_alone(recorded: RecordedPage, rng: random.Random) -> tuple[Page, list[str]] | None:
    """Return a page of some paragraphs of a story alone, and the part of each block; None if it has none.

    It shows that few words without a frame are no sign of a wall, and that short pages have parts like long ones.
    """
    told = donor(recorded)
    style = Style(rng, told.language, "plain", rng)
    style.text_tag = "div" if style.text_tag == "div" else "p"  # spans would form a single block
    if not told.paragraphs:
        return None
    count, start = rng.randint(*PARAGRAPHS), rng.randrange(len(told.paragraphs))
    parts = [("T", style.make(style.text_tag, "", line)) for line in told.paragraphs[start : start + count]]
    if told.sentences and rng.random() < WITH_CAPTION:
        parts.insert(rng.randrange(len(parts)), ("C", _picture(style, rng.choice(told.sentences))))
    if rng.random() < WITH_BYLINE:
        by = style.make(rng.choice(("p", "div", "address")), "by", style.say("by"), " ", style.date())
        parts.insert(0, ("B", by))
    if told.title and rng.random() < WITH_HEADLINE:
        parts.insert(0, ("H", style.make("h1", "", told.title) if rng.random() < BOXED else style.heading(told.title)))
    if told.sentences and rng.random() < WITH_COMMENTS:
        said = Style(rng, told.language, "comments", rng)
        parts += [("M", box) for box in MAKERS["comments"](said, [told])]
    for letter, box in parts:
        box.set(MARK, letter)
    boxes = [box for _, box in parts]
    body = E("body", *(boxes if rng.random() < BOXED else [style.make("div", "box", *boxes)]))
    title = f"<title>{escape(told.title)}</title>" if rng.random() < TITLED else ""
    return read_marked(title + _written(body), PARTS, recorded.url)


def _picture(style: Style, caption: str) -> Any:
    """Return a picture with its caption and credit."""
    credit = [" ", style.say("photo")] if style.rng.random() < 0.5 else []
    picture = style.make("img", "", src=f"/i/{style.rng.getrandbits(20)}.jpg", alt="")
    if style.rng.random() < 0.6:
        return style.make("figure", "", picture, style.make("figcaption", "caption", caption, *credit))
    return style.make("div", "", picture, style.make(style.text_tag, "caption", caption, *credit))


def _written(root: Any) -> str:
    return str(html.tostring(root, encoding="unicode"))


def read_marked(source: str, marks: Sequence[str], url: str) -> tuple[Page, list[str]]:
    """Return a page without marks, and each block's mark: the last of `marks` if it has several, "" if none."""
    page = Page.parse(re.sub(f' {MARK}="({"|".join(marks)})"', "", source), url=url)
    of_blocks = np.full(len(page.blocks), "", object)
    found = Page.parse(source, keep=[f"[{MARK}={mark}]" for mark in marks]).kept_by_user
    for match, mark in zip(found, marks, strict=False):  # empty if the page is too large
        of_blocks[page.elements.inside(match.elements)[page.blocks.element]] = mark
    return page, of_blocks.tolist()


@dataclass(frozen=True)
class Original:
    """A recorded page as a tree to insert boxes into.

    `story` is the element of its story, `kept` the element of each gold block, None if the parser made none.
    """

    page: Page
    root: Any
    story: Any
    kept: list[Any]

    @classmethod
    def of(cls, recorded: RecordedPage) -> Original | None:
        """Return a page's tree; None if it is too long, or its story has no element of its own."""
        if len(recorded.html) > MAX_CHARS:
            return None
        page = Page.parse(recorded.html, url=recorded.url)
        _, gold = story_tokens(block_tokens(page), recorded.gold)
        if page.is_too_large or gold.sum() < _SHORT:
            return None
        root, elements = numbered_tree(recorded.html)
        story = elements.get(holder_of(page, gold, _HOLDS))
        kept = [elements.get(e) for e in page.blocks.element[gold > 0].tolist()]
        return None if story is None else cls(page, root, story, kept)

    def markup(self) -> str:
        """Return the tree in its current state."""
        return _written(self.root)

    def with_boxes(self, boxes: Sequence[Any], parent: Any, index: int) -> tuple[Page, BoolArray] | None:
        """Return the page with boxes, and whether each block is in a box; None if the page's own blocks changed."""
        for box in boxes:
            box.set(MARK, "put")
        parent[index:index] = boxes
        page, marks = read_marked(self.markup(), MARKS, self.page.url)
        for box in boxes:
            parent.remove(box)
        foreign = np.array([mark == "put" for mark in marks], bool)
        own = list(compress(page.block_texts, ~foreign))
        is_same = own == self.page.block_texts and page.tree.noscript_read == self.page.tree.noscript_read
        return (page, foreign) if is_same and foreign.any() else None

    def replace_story(self, boxes: Sequence[Any], *, keep_rest: bool) -> None:
        """Replace the story by boxes; mark other gold as in doubt or remove it, and remove a declared type."""
        for element in list(self.root.iter(etree.Element)):
            element.attrib.pop("itemtype", None)
            if element.get("property") == "og:type" or element.get("type") == "application/ld+json":
                element.drop_tree()
        for element in [one for one in self.kept if one is not None]:
            if keep_rest:
                element.set(MARK, "doubt")
            elif element.getparent() is not None and self.story not in element.iter():
                element.drop_tree()
        self.story[:] = boxes
        self.story.text = None

    def places(self, rng: random.Random, ways: Mapping[str, int]) -> Iterator[tuple[Any, int]]:
        """Yield places for a box as (parent, index), positions in random order weighted by frequency."""
        for way in sorted(ways, key=lambda way: rng.random() ** (1 / ways[way]), reverse=True):
            if way == "behind":
                yield from _around(self.story, 1)
            elif way == "beside":
                above = [self.story, *islice(self.story.iterancestors(), rng.randint(0, 2))]
                yield from _around(above[-1], rng.randint(0, 1))
            elif way == "middle":
                found = self._between()
                yield from rng.sample(found, min(len(found), 2))
            else:
                holders = [self.story] if way == "inside" else list(self.root.iter("body"))[:1]
                yield from ((holder, len(holder)) for holder in holders if holder.tag in _HOLDERS)

    def _between(self) -> list[tuple[Any, int]]:
        """Return the places between two paragraphs of the story."""
        found = dict[tuple[Any, int], None]()
        inside = set(self.story.iterdescendants())
        for element in self.kept[:-1]:
            up = element
            while up in inside and up.getparent().tag not in _HOLDERS:
                up = up.getparent()
            if up in inside:
                parent, index = up.getparent(), up.getparent().index(up) + 1
                if index < len(parent) and _free(parent, index):
                    found[parent, index] = None
        if not found and self.story.tag in _HOLDERS:  # paragraphs separated by breaks
            return [(self.story, i) for i in range(1, len(self.story)) if _at_breaks(self.story, i)]
        return list(found)


def _around(element: Any, after: int) -> Iterator[tuple[Any, int]]:
    """Yield the places right after or before an element, and after or before each element around it."""
    for inner, parent in pairwise((element, *element.iterancestors())):
        index = parent.index(inner) + after
        if _free(parent, index):
            yield parent, index


def _free(parent: Any, index: int) -> bool:
    """Return whether a block of text ends at a place anyway."""
    if parent.tag not in _HOLDERS:
        return False
    if index == len(parent) or parent[index].tag in BLOCK_TAGS or _at_breaks(parent, index):
        return True
    return index > 0 and parent[index - 1].tag in BLOCK_TAGS | SKIPPED_TAGS and not _tail(parent[index - 1])


def _at_breaks(parent: Any, index: int) -> bool:
    """Return whether a place is between two breaks with nothing else between them."""
    return index > 0 and parent[index - 1].tag == "br" == parent[index].tag and not _tail(parent[index - 1])


def _tail(element: Any) -> str:
    return (element.tail or "").strip()
