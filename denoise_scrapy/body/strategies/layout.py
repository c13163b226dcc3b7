"""Strategies based on the position and size of a page's boxes: framework, and block filter.

`FrameworkStrategy`: among the frames that are wide enough, the one that holds the paragraphs. Source: Shi, Lin and
Yang, An approach to eliminate noise based on framework of web pages and rules, section 3 and figure 3.

`BlockFilterStrategy`: among the large, wide, visible blocks, the one with the least link text per character of other
text. Source: the patent on page de-duplication by character frequency, steps S210 to S240 (the content that is
fingerprinted there).
"""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.page import Elements, Flag, Page
from denoise_scrapy.page.columns import HALF, BoolArray, FloatArray, IntArray, weighted_median
from denoise_scrapy.site import SiteStatistics

# The source gives no values. Within the range given, none of these changes a corpus by more than .002.
#: delta 1, pixels: columns of links were 120 to 300 wide in table layouts (100 to 400).
MIN_WIDTH = 300.0
#: delta 2 and delta 3, percent of the frame's container (20 to 95).
MIN_WIDTH_PERCENT, MIN_HEIGHT_PERCENT = 40.0, 40.0
#: Long side / short side: a banner of 468 x 60 has 7.8, a skyscraper of 160 x 600 has 3.75 (1 to 10).
MAX_ASPECT_RATIO = 3.0


def passing(sizes: FrameSizes) -> BoolArray:
    """Return the elements that pass the rules on width and height (the source's figure 3), shape (elements,).

    In a rendered layout one rule is enough: a column of text is long by nature.
    """
    width, height = sizes.width, sizes.height
    compact = np.maximum(width, height) < MAX_ASPECT_RATIO * np.minimum(width, height)
    wide = sizes.width_percent > MIN_WIDTH_PERCENT
    tall = sizes.height_percent > MIN_HEIGHT_PERCENT
    has_width = ~np.isnan(width)
    if sizes.rendered:
        return np.asarray(wide | compact | ~has_width)
    # a width in percent counts without a height too, by rule ii; the source's cases omit this
    in_percent = ~np.isnan(sizes.width_percent)
    tall_in_percent = has_width & ~np.isnan(sizes.height_percent)
    cases = [in_percent, tall_in_percent, has_width & ~np.isnan(height), has_width]
    return np.select(cases, [wide, tall, compact, width > MIN_WIDTH], True)


#: The source's frame is the table; these lay out pages today.
FRAME_TAGS = frozenset(["table", "div", "section", "article", "main"])

#: Lines of paragraphs with fewer tokens do not count if there are longer ones: rows of a menu end with `br` too. Mean
#: F1 over eight corpora at 12, 14, 16, 18, 20, 24: .862, .864, .864, .869, .864, .863. Characters would not suit both
#: scripts: 80 instead of 60 gain big9 .016 and cost zh .147.
PARAGRAPH_TOKENS = 18
#: The topic's frame is the deepest with this share of the paragraphs. Mean F1 at .35, .4, .45, .5, .6: .866, .868,
#: .869, .867, .867. Pages with one column prefer it low, forums and lists high.
TOPIC_SHARE = 0.45


class FrameworkStrategy(Strategy):
    """Rules on width, height and paragraphs of a page's frames. Unknown values reject nothing."""

    name = "framework"
    comparison_pages = 0
    needs_elements = False

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        blocks, elements = page.blocks, page.elements
        shown = ~blocks.has(Flag.HIDDEN)
        frames, text_frames = find_frames(page)
        counts, is_line = paragraph_counts(page, text_frames)
        if not frames.any():  # rule iv
            kept = is_line[blocks.element] | ~is_line.any()
            return Decision.of_rule(page, kept & shown, np.where(kept, "a paragraph", "no paragraph").tolist())
        sizes = FrameSizes(page)
        rejected = frames & ~passing(sizes)
        if not counts[elements.nearest(rejected) < 0].any():
            rejected[:] = False
        counts = np.where(elements.nearest(rejected) < 0, counts, 0)
        if counts.any():
            topic = topic_frame(page, frames & ~rejected, counts)
            rejected |= frames & (elements.subtree_sums(counts) == 0)  # rule i, within the topic's frame
        else:
            topic = large_frame(page, frames & ~rejected, sizes)
        kept = blocks.inside(topic) if topic >= 0 else np.ones(len(blocks), bool)
        in_rejected = elements.nearest(rejected)[blocks.element] > topic
        reasons = np.where(kept, "in the frame of the paragraphs", "outside the frame of the paragraphs")
        reasons = np.where(kept & in_rejected, "in a frame that is narrow or has no paragraphs", reasons)
        return Decision.of_rule(page, kept & ~in_rejected & shown, reasons.tolist())


def find_frames(page: Page) -> tuple[BoolArray, BoolArray]:
    """Return the frames that lay out the page, and those with text but no block, like a paragraph, shape (n,)."""
    elements = page.elements
    block = elements.column("block")
    frames = elements.has_tag(FRAME_TAGS)
    holds_block = elements.subtree_sums(block) > block
    return frames & holds_block, frames & ~holds_block


def paragraph_counts(page: Page, text_frames: BoolArray) -> tuple[IntArray, BoolArray]:
    """Count the paragraphs directly in each element, and mark elements with any line of one, shape (n,) each.

    A paragraph is a line in a `p` or a text frame, or one that a `br` begins or ends.
    """
    lines, n = Lines(page.elements), len(page.elements)
    holds = page.elements.has_tag({"p"}) | text_frames
    is_paragraph = (holds[lines.element] | lines.at_break) & (lines.link_chars < HALF * lines.chars)
    long = is_paragraph & (lines.tokens >= PARAGRAPH_TOKENS)
    counted = long if long.any() else is_paragraph
    lines_of = np.bincount(lines.element[is_paragraph], minlength=n)
    return np.bincount(lines.element[counted], minlength=n), lines_of > 0


def topic_frame(page: Page, frames: BoolArray, counts: IntArray) -> int:
    """Return the deepest frame with enough paragraphs (rule iii), of several the one with the most; -1 for none."""
    inside = page.elements.subtree_sums(counts)
    enough = np.flatnonzero(frames & (inside >= TOPIC_SHARE * counts.sum()))
    if not len(enough):
        return -1
    depth = page.elements.depth[enough]
    deepest = enough[depth == depth.max()]
    return int(deepest[np.argmax(inside[deepest])])


def large_frame(page: Page, frames: BoolArray, sizes: FrameSizes) -> int:
    """Return the frame of a page without paragraphs: the deepest that is a large part of it, -1 for none."""
    # of its area, or of its text if that is unknown
    chars = page.elements.subtree_sums(page.elements.own_chars)
    area = sizes.width_percent * sizes.height_percent / 1e4
    share = np.where(np.isnan(area), chars / max(int(page.elements.own_chars.sum()), 1), area)
    large = np.flatnonzero(frames & (share > HALF))
    return int(large[np.argmax(page.elements.depth[large])]) if len(large) else -1


_SIZE = re.compile(r"\s*(\d{1,6}(?:\.\d*)?|\.\d+)\s*(%|px)?\s*(?:!important)?\s*", re.IGNORECASE | re.ASCII)
#: Assumed page width in CSS pixels if unknown: screens were 1,024 wide in the years of table layouts.
USUAL_PAGE_WIDTH = 1000.0


class FrameSizes:
    """Width and height of each of a page's n elements, in CSS pixels and in percent; NaN where unknown.

    A rendered page (`Page.boxes`) has both pixels and percent of the page; markup has one of them, in percent of the
    container.
    """

    def __init__(self, page: Page) -> None:
        boxes, sizes = page.boxes, np.full((4, len(page.elements)), np.nan)
        self.rendered = boxes is not None
        if boxes is not None:
            sizes[::2] = boxes.width, boxes.height
            sizes[1::2] = 100 * sizes[::2] / np.maximum([[boxes.page_width], [boxes.page_height]], 1)
        elif page.noted.sizes:
            index = [element for element, _, _ in page.noted.sizes]
            sizes[:, index] = np.transpose(
                [parse_size(width) + parse_size(height) for _, width, height in page.noted.sizes]
            )
        self.width, self.width_percent, self.height, self.height_percent = sizes


@lru_cache(maxsize=4096)
def parse_size(size: str) -> tuple[float, float]:
    """Return a width or height as (CSS pixels, percent), NaN if absent; other units are neither."""
    match = _SIZE.fullmatch(size)
    number = float(match[1]) if match else 0.0
    if not match or not number:  # browsers ignore a width of 0
        return np.nan, np.nan
    return (np.nan, number) if match[2] == "%" else (number, np.nan)


class Lines:
    """The nearest block-level element, visible characters, link characters, and tokens of each visible line of text.

    A `br` begins or ends lines that are `at_break`. Hidden text is excluded; a word that a tag splits counts twice.
    """

    def __init__(self, e: Elements) -> None:
        block = e.column("block")
        breaks = e.column("break")[e.mark_element] & e.is_start
        line = np.cumsum(block[e.mark_element] | breaks)  # of the text after each mark
        shown = np.flatnonzero((e.visible_after > 0) & (e.text_owner >= 0))
        shown = shown[~e.has(Flag.HIDDEN)[e.text_owner[shown]]]
        owner, chars, line_of = e.text_owner[shown], e.visible_after[shown], line[shown]
        found, first = np.unique(line_of, return_index=True)
        linked = e.has(Flag.LINK)[owner]
        size = int(line[-1]) + 2 if len(line) else 2
        tokens = e.tree.count_tokens(e.marks[shown] + 1, e.text_ends[shown])
        self.element: IntArray = e.nearest(block)[owner[first]]
        self.chars, self.link_chars, self.tokens = (
            np.bincount(line_of, values, size).astype(np.int64)[found] for values in (chars, chars * linked, tokens)
        )
        begins = np.zeros(size, bool)
        begins[line[breaks]] = True
        self.at_break: BoolArray = begins[found] | begins[found + 1]


#: The source's blocks ("such as TABLE, P, TR, DIV"), and modern ones: F1 on big9 is .929, with the source's four .918.
#: List items, headings and table sections too: .926, dragnet -.006.
BLOCK_TAGS = frozenset("table p tr div td section article main aside nav header footer form ul ol dl".split())
#: The source's threshold on width; the content's width is that in which most of the page's text is set.
WIDTH_SHARE = 0.8
#: The minimum of characters outside links, as a share of the page's: otherwise a few sentences without a link have the
#: smallest Topic. At fixed minima of 200, 500 and 800 characters the mean F1 over eight corpora is .683, .748, .765; at
#: shares of .25, .3, .35, .4, .5 it is .836, .852, .856, .857, .848.
MIN_SHARE = 0.35


class BlockFilterStrategy(Strategy):
    """The block with the smallest Topic: link text length / non-link text length.

    Among equal Topics the one with the most text is chosen, among equal texts the innermost.
    """

    name = "block-filter"
    comparison_pages = 0
    needs_elements = False

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        blocks = page.blocks
        link, word = text_lengths(page)
        index = np.flatnonzero(candidates(page, link, word))
        link, word = link[index], word[index]
        topic = np.full(len(index), np.inf)  # for blocks with only links
        np.divide(link, word, out=topic, where=word > 0)  # formula 1
        order = np.lexsort((-index, -(link + word), topic))
        chosen = int(index[order[0]]) if len(index) else -1
        shown = ~blocks.has(Flag.HIDDEN)
        kept = blocks.inside(chosen) & shown if chosen >= 0 else shown
        reasons = np.where(kept, "in the block with the least link text", "outside the block with the least link text")
        reasons = np.where(shown, reasons, "hidden")
        return Decision.of_rule(page, kept, reasons.tolist())


def text_lengths(page: Page) -> tuple[IntArray, IntArray]:
    """Return Link(A) and Word(A): visible characters of each element in links, and outside links (formulas 2 and 3)."""
    elements = page.elements
    linked = elements.has(Flag.LINK)
    shown = elements.own_chars * ~elements.has(Flag.HIDDEN)
    return elements.subtree_sums(shown * linked), elements.subtree_sums(shown * ~linked)


def candidates(page: Page, link: IntArray, word: IntArray) -> BoolArray:
    """Return the remaining candidate blocks, shape (elements,).

    Candidates are visible; inner (they contain no block), if there are such; not children of a block that all display
    alike; not narrow; and have enough characters.
    """
    elements = page.elements
    blocks = elements.has_tag(BLOCK_TAGS) & ~elements.has(Flag.HIDDEN) & (link + word > 0)
    outer = blocks & (elements.subtree_sums(blocks) > 1)
    left = merge_alike(page, outer) if outer.any() else blocks
    large = left & (word >= MIN_SHARE * word[elements.parent < 0].sum())
    wide = large & ~narrow(page)
    return np.asarray(wide if wide.any() else large)


def merge_alike(page: Page, blocks: BoolArray) -> BoolArray:
    """Return the blocks without those whose siblings all have their tag and class: their parent replaces them.

    Siblings are blocks with the same nearest block. One without siblings is kept (merging it too costs big9 .02).
    """
    elements = page.elements
    index = np.flatnonzero(blocks)
    above = elements.parent[index]
    parent = np.where(above >= 0, elements.nearest(blocks)[above], -1)
    index, parent = index[parent >= 0], parent[parent >= 0]
    tag, class_ = (np.asarray(elements.column(name), np.int64)[index] for name in ("tag", "class_"))
    _, display = np.unique(tag << 32 ^ class_, return_inverse=True)
    n = len(elements)
    displays = np.bincount(np.unique(parent * n + display) // n, minlength=n)  # distinct ones under each parent
    alike = (displays[parent] == 1) & (np.bincount(parent, minlength=n)[parent] > 1)
    left: BoolArray = blocks.copy()
    left[index[alike]] = False
    return left


def inherited_widths(page: Page) -> FloatArray:
    """Return the width of each element in CSS pixels, or of its nearest ancestor that has one, shape (elements,)."""
    e, sizes = page.elements, FrameSizes(page)
    known = ~(np.isnan(sizes.width) & np.isnan(sizes.width_percent))
    nearest = np.append(e.nearest(known), -1)  # the last value is for parent -1
    widths = np.append(sizes.width, np.nan)  # the last value is for none
    page_width = np.nanmax(sizes.width, initial=0.0) or USUAL_PAGE_WIDTH
    for element in np.flatnonzero(known & np.isnan(sizes.width)).tolist():  # parents come first
        around = nearest[e.parent[element]]
        of = widths[around] if around >= 0 else page_width
        widths[element] = sizes.width_percent[element] / 100 * of
    return np.asarray(widths[nearest[:-1]])


def narrow(page: Page) -> BoolArray:
    """Return elements narrower than the share of the content's width, that of the median character, shape (n,)."""
    widths = inherited_widths(page)
    return widths < WIDTH_SHARE * weighted_median(widths, page.elements.own_chars)
