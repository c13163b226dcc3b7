"""Leftovers of a body: symbols that are not text, labels, table headers without rows; and its notes and titles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

import numpy as np

from denoise_scrapy.body.code import COPIES, code_frames
from denoise_scrapy.body.rendering import UNIT_NAMES, Manual, blocks_of_notes
from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.body.tables import CELL_TOKENS, cells_of
from denoise_scrapy.core.characters import DIGIT
from denoise_scrapy.core.markup import HEADING_TAGS
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.columns import BoolArray, IntArray

#: A heading at the end that is as likely as this stays: of such, readers of 2,229 pages drop 16 of 29, of others 96 of
#: 107.
LIKELY_HEADING = 0.6


def without_leftovers(page: Page, decision: Decision) -> tuple[Decision, IntArray]:
    r"""Drop leftovers from a decision, and add the footnotes that its text refers to.

    A header that the user keeps stays, and so do headers if there is nothing else. Also return the numbers of the
    elements to omit when its text is written.
    """
    signs = {"a link to its own heading": permalinks(page), "a link to its source, or up": _source_links(page)}
    signs["a link that edits a section"] = _edit_links(page)
    signs["a bullet beside that of its list"] = _bullets(page)
    if page.elements.holds_tag({"pre", "code"}):
        frames = code_frames(page)
        signs["a button beside code"] = [*_code_buttons(page), *frames.buttons]
        signs["a label of code"] = frames.labels
        signs["line numbers"] = [*_gutters(page), *_before_lines(page)]
    gone = np.array(list(chain.from_iterable(signs.values())), np.int64)
    e, blocks = page.elements, page.blocks
    notes = blocks_of_notes(page, decision.kept)
    if page.removed_by_user:
        notes &= blocks.share_owned_by(page.removed_elements) < 1
    has_units = page.tree.tokens_named(UNIT_NAMES) or page.elements.holds_tag({"details"})
    followed = Manual(page).follow(decision.kept) if has_units else decision.kept
    kept = followed | notes
    alone = _headers_alone(page, kept)
    # a heading that ends the text although the page goes on: of links, a form, comments
    last = kept.nonzero()[0][-1:]
    is_doubtful = (blocks.rows["heading"][last] > 1) & (decision.probability[last] < LIKELY_HEADING)
    alone[last] |= is_doubtful & (last + 1 < len(kept))
    if not (alone.any() or len(gone) or (kept != decision.kept).any()):
        return decision, gone
    reasons = np.full(len(blocks), "", object)
    for match in page.kept_by_user:
        alone &= ~e.inside(match.elements)[blocks.element]
    if (kept & ~alone).any():
        reasons[alone & kept] = "a heading of nothing that is kept"
    whole = blocks.share_owned_by(page.removed_elements | e.inside(gone)) == 1
    for what, elements in signs.items():
        in_signs = e.inside(np.array(elements, np.int64))
        empty = (blocks.share_owned_by(in_signs) > 0) & whole
        reasons[empty & kept] = what
    kept &= reasons == ""
    reasons[notes & kept] = "a note that the text refers to"
    reasons[(followed != decision.kept) & (followed == kept)] = "the title of a box, or a tab, as its text"
    return decision.revised(kept, reasons), gone


def _headers_alone(page: Page, kept: BoolArray) -> BoolArray:
    """Return the header blocks, shape (m,), of tables that have other rows with text, none of which is kept."""
    # a header is a row of only `th`, or in a `thead`; a cell of prose is not a header: its table lays out the page
    e, n = page.elements, len(page.elements)
    if not e.holds_tag({"th", "thead"}):  # as on most pages
        return np.zeros(len(kept), bool)
    is_th = e.has_tag({"th", "thead"})
    if not kept[e.nearest(is_th)[page.blocks.element] >= 0].any():
        return np.zeros(len(kept), bool)
    cells, row, table = cells_of(page)
    is_data = np.zeros(n, bool)
    is_data[row[cells[~is_th[cells]]]] = True
    is_data &= e.nearest(e.has_tag({"thead"})) < table
    tokens, kept_blocks = page.blocks.subtree_sums(page.blocks.tokens), page.blocks.subtree_sums(kept)
    rows_with_text, rows_kept = (np.bincount(table[is_data & (of > 0)], minlength=n) for of in (tokens, kept_blocks))
    lost = (rows_with_text > 0) & (rows_kept == 0)
    headers = cells[~is_data[row[cells]] & lost[table[cells]] & (tokens[cells] <= CELL_TOKENS)]
    return e.inside(headers)[page.blocks.element]


#: Symbols that manuals put beside a heading, in a link to its place; or one of an icon font: private characters, up to
#: two UTF-16 units.
_SIGN = re.compile("[¶#§🔗◆]|[\ue000-\uf8ff\U000f0000-\U000ffffd]{1,2}")


def permalinks(page: Page) -> list[int]:
    """Return the elements of links to a place on the page that contain only a symbol."""
    return [
        link
        for link, href, text in page.tree.short_links(2)  # one of the symbols has two UTF-16 units
        if _SIGN.fullmatch(text.strip()) and page.leads_here(href)
    ]


#: Part of an address that edits a section of a wiki.
_EDITS = re.compile(r"[?&](?:ve)?action=edit\b")


def _edit_links(page: Page) -> list[int]:
    """Return what is behind the text of a heading and holds a link that edits it, as the brackets around that."""
    if not page.tree.holds_text((b"[\1", b"[\2")):  # as on most pages
        return []
    e = page.elements
    start = e.rows["seen"]["start"]
    part = e.nearest(e.has_tag(HEADING_TAGS)[e.parent])  # of a heading
    parts = {part[link] for link, href in page.tree.values_of(b"href") if _EDITS.search(href)}
    return [one for one in parts if one > 0 and start[one] > start[e.parent[one]]]


_SOURCE = re.compile(r"\[?\s*(?:top|(?:view )?(?:source|src)(?: code)?)\s*\]?", re.IGNORECASE)

#: "[view source code]" has 16 visible characters.
MOST_SOURCE = 16


def _source_links(page: Page) -> list[int]:
    """Return links in, or right before or after, a heading or term that say only "source", or "top"."""
    found = [link for link, _, text in page.tree.short_links(MOST_SOURCE) if _SOURCE.fullmatch(text.strip())]
    if not found:
        return []
    e, blocks, links = page.elements, page.blocks, np.array(found, np.int64)
    sizes = e.rows["seen"]["end"] - e.rows["seen"]["start"]
    titles = e.nearest(e.has_tag(HEADING_TAGS | {"dt"}))
    is_title = np.pad(titles[blocks.element] >= 0, (1, 2))
    block = np.searchsorted(blocks.start, e.rows["marks"]["start"][links], "right")  # the one after the link's
    beside = (is_title[block - 1] | is_title[block + 1]) & (e.nearest(e.has_tag({"p"}))[links] < 0)
    return list(links[(titles[links] >= 0) & (sizes[titles[links]] > sizes[links]) | beside])


#: Bullets as UTF-8; not the middle dot, which most pages have between other texts.
_BULLETS = tuple(map(str.encode, "•◦‣⁃▪▫●○■□▢➤►▸▶"))


def _bullets(page: Page) -> list[int]:
    """Return the elements at the start of list items that hold only a bullet, as their list has one."""
    if not page.tree.holds_text(_BULLETS):
        return []
    e, seen = page.elements, page.elements.rows["seen"]
    starts, ends, item = seen["start"], seen["end"], e.nearest(e.has_tag({"li"}))
    begins = np.flatnonzero((starts == starts[item]) & (ends == starts + 1) & (ends < ends[item])).tolist()
    return [one for one in begins if page.tree.text_in(one).strip().encode() in _BULLETS]


#: The button of a code block has a word or two: "Copy", "Try it yourself".
BUTTON_TOKENS = 3


def _code_buttons(page: Page) -> list[int]:
    """Return buttons with few words that copy code, or stand alone right before or after it."""
    e, blocks = page.elements, page.blocks
    if not e.holds_tag({"button"}):
        return []
    is_button = e.has_tag({"button"})
    # one in a heading is the heading; one that the user keeps stays
    wanted = (
        is_button & (blocks.subtree_sums(blocks.tokens) <= BUTTON_TOKENS) & (e.nearest(e.has_tag(HEADING_TAGS)) < 0)
    )
    for match in page.kept_by_user:
        wanted &= ~e.inside(match.elements)
    copies = [one for one in np.flatnonzero(wanted).tolist() if COPIES.match(page.tree.text_in(one).strip())]
    # several together may be tabs
    lone = wanted & (np.bincount(e.parent[is_button], minlength=len(e)) == 1)[e.parent]
    code = np.pad(blocks.has(Flag.PREFORMATTED), 1)
    beside = e.nearest(lone)[blocks.element[code[:-2] | code[2:]]]
    return [*copies, *np.unique(beside[beside >= 0]).tolist()]


_NUMBER = re.compile(r"\s*(\d{1,6})(?!\d)", re.ASCII)
_NUMBER_ALONE = re.compile(r"\s*\d{1,6}\s*", re.ASCII)
#: Maximum empty lines at the ends of code beside a gutter, where nobody sees them.
EMPTY = 5
#: Numbers before lines are line numbers if this share of those lines has more text.
MIN_CODE = 0.5


def _gutters(page: Page) -> list[int]:
    """Return the largest elements with only consecutive numbers, right before or after as many lines of code."""
    e, blocks = page.elements, page.blocks
    is_number = (blocks.counts[:, DIGIT] == blocks.chars) & (blocks.chars > 0)
    digits, others = (blocks.subtree_sums(of) > 0 for of in (is_number, ~is_number))
    alone = digits & ~others
    is_code, is_pre = (e.subtree_sums(e.has_tag(tags)) for tags in ({"pre", "code"}, {"pre"}))
    found = []
    for element in np.flatnonzero(alone & ~alone[e.parent_or_self]).tolist():
        beside = int(e.end[element])
        if beside >= int(e.end[e.parent[element]]) or not is_code[beside]:
            continue
        numbers = page.tree.text_in(element, " ").split()
        first, last = np.searchsorted(blocks.start, e.rows["marks"][beside].tolist()).tolist()
        if last - first > len(numbers) or not _go_on(numbers):
            continue
        lines = sum(page.block_text(block).count("\n") + 1 for block in range(first, last))
        # if each line is an element, empty ones are not blocks
        if lines <= len(numbers) <= 2 * lines + EMPTY and (len(numbers) > 1 or (is_pre[element] and is_pre[beside])):
            found.append(element)
    return found


def _before_lines(page: Page) -> list[int]:
    """Return the elements of one kind with the line numbers of preformatted text that has one at each line start."""
    e, blocks = page.elements, page.blocks
    found, pre = list[int](), e.nearest(e.has_tag({"pre"}))
    for block in np.flatnonzero(pre[blocks.element] >= 0).tolist():
        lines = page.block_text(block).split("\n")
        numbers = [number[1] for line in lines if (number := _NUMBER.match(line))]
        if len(numbers) < max(2, len(lines)) or not _go_on(numbers):
            continue
        if sum(_NUMBER_ALONE.fullmatch(line) is None for line in lines) >= MIN_CODE * len(lines):
            first = int(pre[blocks.element[block]]) + 1
            kinds = e.token[first : int(e.end[first - 1])]
            for kind in np.flatnonzero(np.bincount(kinds) == len(numbers)):
                some = (first + np.flatnonzero(kinds == kind)).tolist()
                if [page.tree.text_in(one).strip() for one in some] == numbers:
                    found += some
    return found


def _go_on(numbers: Sequence[str]) -> bool:
    """Return whether each number is the previous one plus one."""
    if not all(number.isascii() and number.isdigit() and len(number) < 7 for number in numbers):
        return False
    values = list(map(int, numbers))
    return bool(values) and values == list(range(values[0], values[0] + len(values)))
