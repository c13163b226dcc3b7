"""Repetition and link density: keep what only this page says, in prose, outside the page's frame.

The hand rule under the learned strategies. What stands on the comparison pages too is template; what is
mostly links leads elsewhere; what stands in navigation, header, footer or aside frames the content. Class
words are weaker evidence, counted in points: prose outweighs one of them, as a word never decides alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.container import in_best_container, link_density_around
from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.site import SiteStatistics

# Thresholds and points were chosen by the mean token F1 on 1,641 recorded pages of eight corpora. The comment
# words matter most (dragnet .871 to .901), any other family by less than .01.
#: A text on at least this share of up to five comparison pages is template.
REPEATED_SHARE = 0.2
#: A block with this share of its characters in links is a list of links.
LINK_DENSITY = 0.5
#: Evidence that covers more than this share of the page's text frames nothing: it is ignored …
FRAME_SHARE = 0.5
#: … and so is hiddenness above this share: pages exist that stream their content into hidden elements.
HIDDEN_SHARE = 0.7

#: Points of a block of prose, and of any block.
PROSE_POINTS, BLOCK_POINTS = 2, 1
#: Points of a block outside the element that holds the page's own prose best …
OUTSIDE_POINTS = -1
#: … and of one in surroundings (two levels up) of more than this share of links: a list of teasers. Together
#: they bring zh68 .03, cleanportal and zh .017, and cost wcxb .016.
TEASER_POINTS, TEASER_LINK_DENSITY, TEASER_LEVELS = -1, 0.3, 2
#: A page that would keep fewer tokens than these, and less than this share of its own text outside the frame,
#: is one of links or of scattered notes: all of that text is kept (single +.012, wcxb +.007, no other loses).
SPARSE_TOKENS, SPARSE_SHARE = 100, 0.2
#: Points of a block in a slot of which more than this share is repeated on other pages, as in a box of teasers
#: (cleanportal +.007, the example portal +.015; from .3 to .7 no other corpus moves by more than .004). In
#: other slots a repeated text is no template: it happens to stand on two pages.
SLOT_POINTS, SLOT_SHARE = -1, 0.3
#: Points of a heading that the page's title holds: it names the content (big9, dragnet and cleanportal +.004).
TITLE_POINTS = 2

#: Points for each word or tag family that the block or an ancestor of it has. Kept where the sum is above 0.
FLAG_POINTS = {
    Flag.NAV: -3,
    Flag.HEADER: -3,
    Flag.FOOTER: -3,
    Flag.ASIDE: -3,
    Flag.COMMENT_WORD: -2,
    Flag.NAV_WORD: -1,
    Flag.HEADER_WORD: -1,
    Flag.FOOTER_WORD: -1,
    Flag.SIDE_WORD: -1,
    Flag.AD_WORD: -1,
    Flag.RELATED_WORD: -1,
    Flag.CONSENT_WORD: -1,
    Flag.CAPTION_WORD: -1,
    Flag.CONTROL: -1,
    Flag.ARTICLE: 1,
}

_FLAGS = np.array(list(FLAG_POINTS), np.int64)
_POINTS = np.array(list(FLAG_POINTS.values()), np.int64)

BoolArray = npt.NDArray[np.bool_]


class RepetitionStrategy:
    """Not repeated, link density below .5, not in the page's frame."""

    name = "repetition"
    comparison_pages = 5
    needs_elements = False

    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        """See `Strategy.decide`."""
        evidence = _evidence(page, site, find_titles(page))
        kept, _ = _judge(page, evidence)
        reasons: npt.NDArray[np.object_] = np.full(len(kept), "the page has little but such text", object)
        reasons[evidence.points > 0] = "only on this page"
        against = {
            "outside the page's prose, or among teasers": evidence.points <= 0,
            "in the page's frame, by tags or class words": evidence.frame <= 0,
            "mostly links": evidence.linked,
            "hidden": evidence.hidden,
            "repeated on comparison pages": evidence.repeated,
        }
        for reason, hits in against.items():
            reasons[hits & ~kept] = reason
        return Decision.of_rule(page, kept, reasons.tolist())


@dataclass(frozen=True)
class _Evidence:
    """What speaks for and against each block; arrays of shape (blocks,)."""

    repeated: BoolArray
    hidden: BoolArray
    linked: BoolArray
    frame: npt.NDArray[np.int64]
    points: npt.NDArray[np.int64]


def hand_rule(page: Page, site: SiteStatistics, titles: BoolArray) -> tuple[BoolArray, npt.NDArray[np.int64]]:
    """Which blocks the rule keeps, and their points, shape (blocks,) each; titles as of `find_titles`."""
    return _judge(page, _evidence(page, site, titles))


def _evidence(page: Page, site: SiteStatistics, titles: BoolArray) -> _Evidence:
    in_template_slot = site.repeated_slot_share(page) > SLOT_SHARE
    # a heading that other pages have too ("Limits") stands among headings of which most are a page's own
    repeated = _repeated(page, site, titles) & in_template_slot
    hidden = _hidden(page)
    linked = page.blocks.link_density >= LINK_DENSITY
    frame = frame_points(page)
    place = place_points(page, ~(linked | hidden | repeated))
    points = frame + place + TITLE_POINTS * titles + SLOT_POINTS * in_template_slot
    return _Evidence(repeated, hidden, linked, frame, points)


def _judge(page: Page, evidence: _Evidence) -> tuple[BoolArray, npt.NDArray[np.int64]]:
    tokens = page.blocks.tokens
    own = ~(evidence.repeated | evidence.hidden) & (evidence.frame > 0)
    kept = own & ~evidence.linked & (evidence.points > 0)
    if int(kept @ tokens) < min(SPARSE_TOKENS, SPARSE_SHARE * int(own @ tokens)):
        kept = kept | own
    return kept, evidence.points


def _hidden(page: Page) -> BoolArray:
    """Hidden blocks; none where most of the page is hidden, and shown by a script."""
    tokens = page.blocks.tokens
    hidden = (page.blocks.flags & Flag.HIDDEN) != 0
    return np.asarray(hidden & (hidden @ tokens <= HIDDEN_SHARE * tokens.sum()))


def frame_points(page: Page) -> npt.NDArray[np.int64]:
    """Points of each block for being prose and against being part of the page's frame, shape (blocks,)."""
    blocks = page.blocks
    points = np.where(blocks.paragraph_tokens > 0, PROSE_POINTS, BLOCK_POINTS)
    has = (blocks.flags & _FLAGS[:, None]) != 0  # shape (flags, blocks)
    covered = has @ blocks.tokens
    counts = (_POINTS > 0) | (covered <= FRAME_SHARE * blocks.tokens.sum())
    return np.asarray(points + (_POINTS * counts) @ has)


def place_points(page: Page, own: BoolArray) -> npt.NDArray[np.int64]:
    """Points of each block by where it stands, shape (blocks,).

    Args:
        page: The page.
        own: Blocks that are neither template, nor links, nor hidden: where they are prose, content is near.
    """
    outside = ~in_best_container(page, np.where(own, page.blocks.paragraph_tokens, 0))
    teasers = link_density_around(page, TEASER_LEVELS) > TEASER_LINK_DENSITY
    return np.asarray(OUTSIDE_POINTS * outside + TEASER_POINTS * teasers)


def find_titles(page: Page) -> BoolArray:
    """Headings whose text is part of the page's title."""
    found = np.zeros(len(page.blocks), bool)
    if page.title:
        title = "".join(page.title.lower().split())
        likely = ((page.blocks.own_flags & Flag.HEADING) != 0) & (page.blocks.chars <= len(title))
        for i in likely.nonzero()[0].tolist():
            found[i] = "".join(page.block_text(i).lower().split()) in title
    return found


def _repeated(page: Page, site: SiteStatistics, titles: BoolArray) -> BoolArray:
    """Blocks whose text the comparison pages carry; a title only where they carry it in its place.

    Other pages link to this one by its title, which does not make it template.
    """
    if not site.pages:
        return np.zeros(len(page.blocks), bool)
    repeated = site.repeated_share(page) >= REPEATED_SHARE
    in_place = site.repeated_in_place_share(page) >= REPEATED_SHARE
    return np.asarray(np.where(titles, in_place, repeated))
