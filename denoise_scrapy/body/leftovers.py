"""Leftovers of a body: symbols, links and labels that are no text."""

from __future__ import annotations

import re
from itertools import chain

import numpy as np

from denoise_scrapy.body.code import LINK_CHARS, code_frames, line_numbers
from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.core.markup import HEADING_TAGS
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import IntArray


def without_leftovers(page: Page, decision: Decision) -> tuple[Decision, IntArray]:
    r"""Drop leftovers from a decision.

    Also return the numbers of the elements to omit when its text is written.
    """
    signs = dict[str, list[int]]()
    if links := page.tree.short_links_here(LINK_CHARS):
        sources = [link for link, _, text in links if _SOURCE.fullmatch(text.strip())]
        signs = {
            "a link to its own heading": permalinks(page),
            "a link to its source, or up": _title_links(page, sources) if sources else [],
        }
    if page.elements.holds_tag({"pre", "code"}):
        frames = code_frames(page)
        signs |= {"a button beside code": frames.buttons, "a label of code": frames.labels}
        signs["numbers of the lines of code"] = line_numbers(page)
    gone = np.array(list(chain.from_iterable(signs.values())), np.int64)
    e, blocks, kept = page.elements, page.blocks, decision.kept
    if not len(gone):
        return decision, gone
    reasons = np.full(len(blocks), "", object)
    whole = blocks.share_owned_by(page.removed_elements | e.inside(gone)) == 1
    for what, elements in signs.items():
        in_signs = e.inside(np.array(elements, np.int64))
        empty = (blocks.share_owned_by(in_signs) > 0) & whole
        reasons[empty & kept] = what
    return decision.revised(kept & (reasons == ""), reasons), gone


#: Symbols that manuals put beside a heading, in a link to its place, or that lead back from a note; or one of an icon
#: font: private characters, up to two UTF-16 units.
_SIGN = re.compile("[¶#§🔗◆↩↑⤴^]\ufe0e?|[\ue000-\uf8ff\U000f0000-\U000ffffd]{1,2}")


def permalinks(page: Page) -> list[int]:
    """Return the elements of links to a place on the page that contain only a symbol."""
    return [
        link
        for link, href, text in page.tree.short_links_here(2)  # one of the symbols has two UTF-16 units
        if _SIGN.fullmatch(text.strip()) and page.leads_here(href)
    ]


_SOURCE = re.compile(r"\[?\s*(?:top|(?:view )?(?:source|src)(?: code)?)\s*\]?", re.IGNORECASE)


def _title_links(page: Page, found: list[int]) -> list[int]:
    """Return those of some links, which say only "source" or "top", in or right before or after a heading or term.

    Of those in one, what is behind its text and holds the link, as the brackets around that.
    """
    e, blocks, links = page.elements, page.blocks, np.array(found, np.int64)
    is_title, start = e.has_tag(HEADING_TAGS | {"dt"}), e.rows["seen"]["start"]
    part = e.nearest(is_title[e.parent_or_self] & ~is_title)[links]
    behind = part[part >= 0]
    in_title = np.pad(e.nearest(is_title)[blocks.element] >= 0, (1, 2))
    block = np.searchsorted(blocks.start, e.rows["marks"]["start"][links], "right")  # the one after the link's
    beside = (in_title[block - 1] | in_title[block + 1]) & (e.nearest(e.has_tag({"p"}))[links] < 0) & (part < 0)
    return [*behind[start[behind] > start[e.parent[behind]]].tolist(), *links[beside].tolist()]
