"""What the model sees of a block: some eighty numbers, each named, computed and put into words in one place.

A feature is a row of a float32 matrix of shape (features, blocks); `NAMES` names the rows. A value that is not known
(what other pages have, where there is none) is NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.class_words import ROWS as CLASS_WORDS
from denoise_scrapy.body.class_words import ClassWords
from denoise_scrapy.body.cohesion import ROWS as COHESION
from denoise_scrapy.body.cohesion import cohesion
from denoise_scrapy.body.hand_rule import in_best_container
from denoise_scrapy.body.text_words import ROWS as TEXT_WORDS
from denoise_scrapy.body.text_words import PageWords, TextWords
from denoise_scrapy.body.title import find_titles
from denoise_scrapy.body.words import COMMENTS_BIT, META_BIT, Words, read_words
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.columns import capped, distinct
from denoise_scrapy.page.marked_text import CJK, DIGIT, STOP, UPPER
from denoise_scrapy.page.paths import name_code
from denoise_scrapy.site import SiteStatistics

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Found = Sequence[npt.NDArray[np.generic] | float] | npt.NDArray[np.generic]
Rows = Mapping[str, npt.NDArray[np.float32]]

#: Distances in blocks and in levels are cut here: beyond it they say nothing.
FAR = 20
#: Comparison pages that most features are of, the likest ones: more say no more. `stock` is of all of them: of a text
#: that any has too, the share of its place's text that two pages have.
MODEL_PAGES = 5
#: Rows of counts that are summed over boxes: tokens, those of prose, characters, those in links, tokens times the share
#: of comparison pages that carry them, tokens of the site's own (`SharedBlocks.own_tokens`).
TOKENS, PROSE, CHARS, LINKS, COPIES, OWN = range(6)
COUNTS = 6


class Vocabulary(NamedTuple):
    """What is known of words: in class names and ids, and in texts."""

    class_words: ClassWords
    text_words: TextWords


NO_WORDS = Vocabulary(ClassWords({}), TextWords())


class View:
    """A page of m blocks and n elements, with the sums that several features take.

    Args:
        page: A page with at least one block.
        site: Its comparison pages, without the page itself and its copies; maybe none.
        vocabulary: What is known of words.
    """

    def __init__(self, page: Page, site: SiteStatistics, vocabulary: Vocabulary = NO_WORDS) -> None:
        self.vocabulary = vocabulary
        self.page, self.blocks, self.elements = page, page.blocks, page.elements
        first = site.first(MODEL_PAGES)
        self.pages, self.shared = len(first.pages), first.shared_with(page)
        whole = site.shared_with(page)
        self.place = whole.slot_share
        self.stock = np.where(whole.text_share > 0, self.place, 0)

    @cached_property
    def words(self) -> Words:
        """What the words of its short blocks announce."""
        return read_words(self.page)

    @cached_property
    def titles(self) -> BoolArray:
        """Blocks that are the headline, shape (m,)."""
        return find_titles(self.page)

    @cached_property
    def counts(self) -> FloatArray:
        """TOKENS to OWN of each block, shape (COUNTS, m)."""
        blocks, rows = self.blocks, np.zeros((COUNTS, len(self.blocks)))
        rows[TOKENS], rows[PROSE] = blocks.tokens, blocks.paragraph_tokens
        rows[CHARS], rows[LINKS] = blocks.chars, blocks.link_chars
        if self.pages:
            np.multiply(blocks.tokens, self.shared.text_share, out=rows[COPIES])
            np.divide(self.shared.own_tokens, np.bincount(blocks.slots).take(blocks.slots), out=rows[OWN])
        return rows

    @cached_property
    def whole(self) -> float:
        """Tokens of the page, 1 at least."""
        return max(float(self.counts[TOKENS].sum()), 1.0)

    @cached_property
    def under(self) -> FloatArray:
        """The counts summed over the subtree of each element, shape (COUNTS, n)."""
        n, running = len(self.elements), np.zeros((COUNTS, len(self.elements) + 1))
        cells = self.blocks.element + n * np.arange(COUNTS)[:, None]
        own = np.bincount(cells.ravel(), self.counts.ravel(), COUNTS * n).reshape(COUNTS, n)
        own.cumsum(axis=1, out=running[:, 1:])
        return np.asarray(running.take(self.elements.end, axis=1) - running[:, :-1])

    @cached_property
    def above(self) -> FloatArray:
        """The same of the elements 1 and 3 levels above each block, shape (COUNTS, 2, m)."""
        return self.under.take(self.blocks.above[1:4:2], axis=1)

    @cached_property
    def story(self) -> tuple[BoolArray, int, int]:
        """Blocks of the box that holds most of the page's own prose, shape (m,); its first paragraph, and its last."""
        container = in_best_container(self.page, self.counts[PROSE] * (1 - self.shared.text_share))
        paragraphs = (container & (self.counts[PROSE] > 0)).nonzero()[0]
        return container, *((int(paragraphs[0]), int(paragraphs[-1])) if len(paragraphs) else (0, len(container) - 1))

    @cached_property
    def tags(self) -> npt.NDArray[np.generic]:
        """Code of each block's own tag, shape (m,)."""
        return self.elements.column("tag").take(self.blocks.element)

    @cached_property
    def pictures(self) -> BoolArray:
        """Elements that are pictures, shape (n,)."""
        return self.elements.has_tag({"img"})

    @cached_property
    def said(self) -> PageWords:
        """The words of its texts."""
        return PageWords.of(self.page)

    @cached_property
    def headings(self) -> IntArray:
        """Level of the heading that each block is, 0 for none, shape (m,)."""
        return np.asarray(_LEVELS @ (self.tags == _HEADING_CODES))

    @cached_property
    def sections(self) -> IntArray:
        """Number of the heading at or above each block, from 1 on; 0 where there is none, shape (m,)."""
        return np.asarray((self.headings > 0).cumsum())

    def of_heading(self, rows: npt.NDArray[np.generic]) -> FloatArray:
        """Values of the heading at or above each block, 0 where there is none; from rows of shape (r, m)."""
        heads = self.headings.nonzero()[0]
        values = np.zeros((len(rows), len(heads) + 1))
        values[:, 1:] = rows.take(heads, axis=1)
        return values.take(self.sections, axis=1)

    def levels_to(self, block: int) -> tuple[IntArray, IntArray]:
        """Levels from each block up to the first element that holds another one too, and that element; (m,) each."""
        ancestors = [int(self.blocks.element[block])]
        while (parent := int(self.elements.parent[ancestors[-1]])) >= 0:
            ancestors.append(parent)
        way, element = np.array(ancestors[::-1]), self.blocks.element
        common = ((way[:, None] <= element) & (element < self.elements.end.take(way)[:, None])).sum(axis=0)
        return self.elements.depth.take(element) - common, way.take(np.maximum(common - 1, 0))


_HEADING_CODES = np.array([name_code(f"h{level}") for level in range(1, 7)], np.uint32)[:, None]
_LEVELS = np.arange(1, 7)


class Family(NamedTuple):
    """Features of one kind.

    Attributes:
        names: Their names.
        find: Computes them: rows of shape (m,), or numbers that hold for the whole page.
        say: What they say of a block, in words; from all rows by name and the block's number.
    """

    names: tuple[str, ...]
    find: Callable[[View], Found]
    say: Callable[[Rows, int], str]


#: Shares above which words say "most".
MOSTLY = 0.5
FAMILIES: dict[str, Family] = {}


Find = Callable[[View], Found]


def _family(names: str, say: Callable[[Rows, int], str]) -> Callable[[Find], Find]:
    """Declare a family, named after its function."""

    def declare(find: Find) -> Find:
        FAMILIES[find.__name__] = Family(tuple(names.split()), find, say)
        return find

    return declare


def _words_of(rows: Rows, block: int) -> str:
    return f"its length and punctuation: {np.expm1(rows['tokens'][block]):.0f} words"


@_family("tokens word_length stops digits capitals cjk ends_in_stop", _words_of)
def text(view: View) -> Found:
    """Length, and what kinds of characters."""
    chars = np.maximum(view.counts[CHARS], 1)
    kinds = view.blocks.counts.T[[STOP, DIGIT, UPPER, CJK]] / chars
    tokens = view.counts[TOKENS]
    return [np.log1p(tokens), chars / np.maximum(tokens, 1), *kinds, view.blocks.ends_in_stop]


def _say_links(rows: Rows, block: int) -> str:
    share, around = float(rows["ld"][block]), float(rows["ld_up1"][block])
    if share > MOSTLY:
        return "a list of links"
    return "some of it is links" if share > 0 else "among links" if around > MOSTLY else "no links"


@_family("ld ld_up1 ld_up3", _say_links)
def links(view: View) -> Found:
    """Link density of the block, and 1 and 3 levels up."""
    return [view.blocks.link_density, *(view.above[LINKS] / np.maximum(view.above[CHARS], 1))]


#: What a block may stand in, by tag or role. Odds of class names (below) speak of all other tags.
INSIDE = (Flag.HIDDEN, Flag.ARTICLE, Flag.CONTROL)
_BITS = np.array(INSIDE, np.int64)[:, None]
_INSIDE_NAMES = tuple(f"in_{str(flag.name).lower()}" for flag in INSIDE)
_DIV = name_code("div")


def _say_tags(rows: Rows, block: int) -> str:
    inside = [name[3:].replace("_", " ") for name in _INSIDE_NAMES if rows[name][block] > 0]
    return f"in {', '.join(inside)}" if inside else "its tags are plain"


@_family(" ".join(["heading", "tag_div", *_INSIDE_NAMES]), _say_tags)
def tags(view: View) -> Found:
    """Tag of the block, and what it stands in."""
    return [view.headings, view.tags == _DIV, *((view.blocks.flags & _BITS) != 0)]


def _say_class_names(rows: Rows, block: int) -> str:
    odds = float(rows["class_sum"][block])
    return f"class names of {'content' if odds > 0 else 'frames'} around it"


@_family(" ".join(CLASS_WORDS), _say_class_names)
def class_names(view: View) -> Found:
    """What class names and ids around the block say."""
    return view.vocabulary.class_words.rows(view.page)


def _say_words(rows: Rows, block: int) -> str:
    if rows["after_comments"][block] > 0:
        return "after a heading of comments"
    if not rows["since_dated"][block]:
        return "a name or a date"
    dated = int(rows["dated_before"][block])
    return f"after {dated} names or dates" if dated > 0 else "no words of comments around"


#: Share of the long blocks' tokens that must stand before a heading of comments: above the story it is a link.
LONG, LATE = 14, 0.03


@_family("after_comments since_dated dated_before", _say_words)
def announcements(view: View) -> Found:
    """What words announce: comments, names and dates; how many of these since the headline."""
    comments, dated = ((view.words.bits & bit) != 0 for bit in (COMMENTS_BIT, META_BIT))
    tokens, index = view.counts[TOKENS], np.arange(len(view.blocks))
    long = np.cumsum(tokens * (tokens >= LONG))
    late = comments & (long > LATE * long[-1])
    last = np.maximum.accumulate(np.where(dated, index, -FAR))
    dates = dated.cumsum()
    return [
        np.logical_or.accumulate(late),
        np.minimum(index - last, FAR),
        capped(dates - dates[view.titles.argmax()], FAR),
    ]


@_family(
    "prose_up1 prose_up3 share_up1 share_up3 tokens_up1 pictures_up2 path_count path_share",
    lambda rows, i: "among full sentences" if rows["prose_up1"][i] > MOSTLY else "few full sentences around it",
)
def surroundings(view: View) -> Found:
    """Prose, text and pictures in the boxes around, and the blocks of the same path."""
    above, slots = view.above, view.blocks.slots
    pictures = view.elements.subtree_sums(view.pictures.astype(np.int64))
    return [
        *(above[PROSE] / np.maximum(above[TOKENS], 1)),
        *(above[TOKENS] / view.whole),
        np.log1p(above[TOKENS, 0]),
        np.log1p(pictures.take(view.blocks.above[2])),
        np.log1p(np.bincount(slots)).take(slots),
        (np.bincount(slots, view.counts[TOKENS]) / view.whole).take(slots),
    ]


@_family(
    "in_container from_first from_last prose_before position levels_to_prose",
    lambda rows, i: (
        ("inside" if rows["in_container"][i] > 0 else "outside") + " the part of the page that holds most text"
    ),
)
def place(view: View) -> Found:
    """Where the block stands towards the page's own prose."""
    counts, m = view.counts, len(view.blocks)
    container, first, last = view.story
    index = np.arange(m)
    before = counts[:2].cumsum(axis=1)
    return [
        container,
        capped(index - first, FAR),
        capped(index - last, FAR),
        (before[PROSE] - counts[PROSE]) / max(before[PROSE, -1], 1),
        before[TOKENS] / view.whole,
        np.minimum(view.levels_to(int(counts[PROSE].argmax()))[0], FAR),
    ]


@_family(
    " ".join(COHESION),
    lambda rows, i: (
        "words of the page's beginning"
        if rows["words_of_beginning"][i] > MOSTLY
        else "words that the page has " + ("elsewhere, too" if rows["words_elsewhere"][i] > MOSTLY else "nowhere else")
    ),
)
def wording(view: View) -> Found:
    """Which of its words the page has used before."""
    return cohesion(view.page, view.said, view.story[1])


def _say_text_words(rows: Rows, block: int) -> str:
    whose, name = ("its", "word_mean") if rows["word_mean"][block] else ("the heading's", "heading_word_mean")
    return f"{whose} words are those of {'content' if rows[name][block] > 0 else 'frames'}"


@_family(" ".join([*TEXT_WORDS, *(f"heading_{name}" for name in TEXT_WORDS)]), _say_text_words)
def text_words(view: View) -> Found:
    """What the words of the block say, and those of the heading above."""
    rows = view.vocabulary.text_words.rows(view.said, len(view.blocks))
    return [*rows, *view.of_heading(rows)]


def _say_title(rows: Rows, block: int) -> str:
    share, distance = float(rows["title_share"][block]), float(rows["from_title"][block])
    if share > 0:
        return "says what the page's title says" if share > MOSTLY else "shares words with the page's title"
    if np.isnan(distance):
        return "the page has no headline"
    return "above the headline" if distance < 0 else "near the headline" if distance < 5 else "far from the headline"


@_family("title_share from_title levels_to_title share_with_title titles_before", _say_title)
def headline(view: View) -> Found:
    """Where it stands towards the headline, and how many headings like it stand between."""
    named = view.titles.nonzero()[0]
    if not len(named):
        return [view.words.title_share, *[np.nan] * 4]
    title = int(named[0])
    levels, shared = view.levels_to(title)
    alike = (view.blocks.slots == view.blocks.slots[title]).cumsum()
    return [
        view.words.title_share,
        capped(np.arange(len(alike)) - title, FAR),
        np.minimum(levels, FAR),
        view.under[TOKENS].take(shared) / view.whole,
        np.minimum(alike - alike[title], FAR),
    ]


def _say_section(rows: Rows, block: int) -> str:
    if rows["section_linked"][block] > MOSTLY and not rows["heading"][block]:
        return "below a heading that leads to another page"
    return f"its section has {np.expm1(rows['section_tokens'][block]):.0f} words"


@_family("section_tokens section_level section_linked", _say_section)
def section(view: View) -> Found:
    """The heading above, whether it leads elsewhere, and the text up to the next one."""
    tokens = np.bincount(view.sections, view.counts[TOKENS] * (view.headings == 0))
    return [np.log1p(tokens).take(view.sections), *view.of_heading(np.array([view.headings, view.blocks.link_density]))]


def _say_site(rows: Rows, block: int) -> str:
    if np.isnan(rows["repeated"][block]):
        return "no other page to compare with"
    pages = round(float(rows["k"][block]))
    found = round(float(rows["repeated"][block]) * pages)
    if not found:
        return "its text is on no other page"
    whole = "the other page" if pages == 1 else "both other pages" if pages == 2 else f"all {pages} other pages"
    return f"repeats on {whole if found == pages else f'{found} of {pages} other pages'}"


#: Share of the site's own text that the smallest box around it must hold; and the tokens a page from on which a site
#: says where its own text stands.
HALF_OWN, LEAST_OWN = 0.5, 20
_SITE_NAMES = "repeated repeated_in_place repeated_slot repeated_up3 own_here own_up1 in_own_half stock k same_as_all"


@_family(_SITE_NAMES, _say_site)
def site(view: View) -> Found:
    """What other pages repeat of the block and of the boxes around; where they have text that is theirs alone."""
    if not view.pages:
        return [*[np.nan] * 8, 0.0, np.nan]
    shared, counts, above, own = view.shared, view.counts, view.above, view.under[OWN]
    total = float(own.max())
    inside = view.blocks.inside(_smallest(view, own >= HALF_OWN * total)) if total >= LEAST_OWN else np.nan
    return [
        *(shared.text_share, shared.placed_share, shared.slot_share),
        above[COPIES, 1] / np.maximum(above[TOKENS, 1], 1),
        np.log1p(counts[OWN]),
        above[OWN, 0] / max(total, 1e-9),
        inside,
        view.stock,
        float(view.pages),
        float(counts[COPIES].sum() / view.whole),
    ]


def _smallest(view: View, wanted: BoolArray) -> int:
    """The smallest of the wanted elements."""
    among = wanted.nonzero()[0]
    return int(among[(view.elements.end.take(among) - among).argmin()])


#: Siblings of one tag and class make a list of records from this many on, with so many elements and tokens each on
#: average.
RECORDS, RECORD_ELEMENTS, RECORD_TOKENS = 3, 3, 2
#: Parents' numbers times this odd constant (2**64 over the golden ratio) fall on no tag's hash but by chance.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def _say_records(rows: Rows, block: int) -> str:
    count = float(np.expm1(rows["record_outer_count"][block]))
    return f"in a list of {count:.0f} boxes alike" if count else "in no list of boxes alike"


@_family("record_outer_count record_outer_share record_outer_prose record_inner_count record_inner_share", _say_records)
def records(view: View) -> Found:
    """The list of records with the most text, and the innermost one, that hold the block."""
    elements, tokens = view.elements, view.under[TOKENS]
    held = tokens.nonzero()[0]  # siblings without text are no records
    alike = elements.column("token").take(held) + (elements.parent.take(held) + 1).view(np.uint64) * _SPREAD
    number = distinct(alike)[1]
    count = np.bincount(number)
    size = np.bincount(number, elements.end.take(held) - held)
    tokens, prose = (np.bincount(number, row.take(held)) for row in view.under[:2])
    listed = (count >= RECORDS) & (size >= RECORD_ELEMENTS * count) & (tokens >= RECORD_TOKENS * count)
    table = np.zeros((3, len(count) + 1))  # the last column for what is in no list
    table[:, :-1] = np.log1p(count), tokens / view.whole, prose / np.maximum(tokens, 1)
    table[:, :-1] *= listed
    group = np.full(len(elements), len(count))
    group[held] = number
    groups = group.take(np.maximum(view.blocks.above, 0))  # (levels, m)
    block = np.arange(groups.shape[1])
    outer = groups[table[1].take(groups).argmax(axis=0), block]
    inner = groups[(table[0].take(groups) > 0).argmax(axis=0), block]
    return [*table.take(outer, axis=1), *table[:2].take(inner, axis=1)]


#: A page that declares one of these is a thread: what people answer is its content.
FORUM_TYPES = frozenset(["qapage", "question", "discussionforumposting"])
ARTICLE_TYPES = frozenset(["article", "newsarticle", "blogposting", "reportagenewsarticle", "report", "og:article"])


#: What the share of a page's text in them says of the page.
PAGE_INSIDE = (Flag.COMMENT_WORD, Flag.LIST_ITEM, Flag.ARTICLE)
_PAGE_BITS = np.array(PAGE_INSIDE, np.int64)[:, None]
_PAGE_NAMES = (
    "page_tokens page_blocks page_longest page_prose page_ld page_headings page_pictures page_declares_article "
    f"page_declares_forum {' '.join(f'page_in_{str(flag.name).lower()}' for flag in PAGE_INSIDE)}"
)


@_family(_PAGE_NAMES, lambda rows, i: f"on a page of {np.expm1(rows['page_tokens'][i]):,.0f} words")
def whole_page(view: View) -> Found:
    """The same for all blocks of a page."""
    declared, counts = view.page.declared_types, view.counts
    return [
        float(np.log1p(view.whole)),
        float(np.log1p(len(view.blocks))),
        float(np.log1p(counts[TOKENS].max())),
        float(counts[PROSE].sum() / view.whole),
        float(counts[LINKS].sum() / max(counts[CHARS].sum(), 1)),
        float(np.log1p(np.count_nonzero(view.headings))),
        float(np.log1p(np.count_nonzero(view.pictures))),
        float(not declared.isdisjoint(ARTICLE_TYPES)),
        float(not declared.isdisjoint(FORUM_TYPES)),
        *(((view.blocks.flags & _PAGE_BITS) != 0) @ view.blocks.tokens / view.whole).tolist(),
    ]


#: Names of the rows.
NAMES = tuple(name for family in FAMILIES.values() for name in family.names)
_EDGES = tuple(accumulate((len(family.names) for family in FAMILIES.values()), initial=0))


def block_features(page: Page, site: SiteStatistics, vocabulary: Vocabulary = NO_WORDS) -> npt.NDArray[np.float32]:
    """All features of a page's m blocks, shape (features, m), rows as in `NAMES`.

    Args:
        page: A page with at least one block.
        site: Its comparison pages, without the page itself and its copies; maybe none.
        vocabulary: What is known of words.

    Example:
        >>> features = block_features(Page.parse("<h2>One two three.</h2>"), SiteStatistics())
        >>> features.shape == (len(NAMES), 1), float(features[NAMES.index("heading"), 0])
        (True, 2.0)
    """
    return features_of(View(page, site, vocabulary))


def features_of(view: View) -> npt.NDArray[np.float32]:
    """`block_features` of a page that is viewed already."""
    matrix = np.empty((len(NAMES), len(view.blocks)), np.float32)
    for start, family in zip(_EDGES, FAMILIES.values(), strict=False):
        for row, values in enumerate(family.find(view), start):
            matrix[row] = values
    return matrix
