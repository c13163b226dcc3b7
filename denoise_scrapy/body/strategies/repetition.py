"""Repetition and link density: keep prose that is only on this page, outside its frame, by points.

Text repeated on the comparison pages is template; text mostly in links leads elsewhere; navigation, header, footer and
aside frame the content. Class words are weaker evidence, counted in points: prose outweighs one of them, so a word
never decides alone.
"""

from __future__ import annotations

import numpy as np
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.columns import HALF
from denoise_scrapy.site import SiteStatistics

# Thresholds and points were chosen by the mean token F1 on 1,641 recorded pages of eight corpora. The comment words
# matter most (dragnet .871 to .901), any other family less than .01.
#: A text on at least this share of up to five comparison pages is template.
REPEATED_SHARE = 0.2
#: Hiddenness of more than this share of the page's text is ignored: some pages stream content into hidden elements.
HIDDEN_SHARE = 0.7

#: Points of a block of prose, and of any block.
PROSE_POINTS, BLOCK_POINTS = 2, 1
#: Points of a block outside the element that best holds the page's own prose …
OUTSIDE_POINTS = -1
#: … and of one in surroundings (two levels up) with more than this share of links. Together they gain zh68 .03,
#: cleanportal and zh .017, and cost wcxb .016.
TEASER_POINTS, TEASER_LINK_DENSITY, TEASER_LEVELS = -1, 0.3, 2
#: A page that would keep fewer tokens than these, and less than this share of its own text outside the frame, consists
#: of links or scattered notes: all of that text is kept (single +.012, wcxb +.007, no other loses).
SPARSE_TOKENS, SPARSE_SHARE = 100, 0.2
#: Points of a block in a slot with more than this share repeated on other pages (cleanportal +.007, the example portal
#: +.015). In other slots a repeated text is not template, but on two pages by coincidence.
SLOT_POINTS, SLOT_SHARE = -1, 0.3
#: Points of a heading that is part of the page's title: it names the content (big9, dragnet and cleanportal +.004).
TITLE_POINTS = 2

#: Points for each word or tag family that the block or an ancestor has. Kept if the sum is above 0.
FLAG_POINTS = {
    **dict.fromkeys([Flag.NAV, Flag.HEADER, Flag.FOOTER, Flag.ASIDE], -3),
    Flag.COMMENT_WORD: -2,
    **dict.fromkeys([Flag.NAV_WORD, Flag.HEADER_WORD, Flag.FOOTER_WORD, Flag.SIDE_WORD, Flag.AD_WORD], -1),
    **dict.fromkeys([Flag.RELATED_WORD, Flag.CONSENT_WORD, Flag.CAPTION_WORD, Flag.CONTROL], -1),
    Flag.ARTICLE: 1,
}

#: The points of all flags, by bit, and the bits.
_POINTS = np.array([FLAG_POINTS.get(flag, 0) for flag in Flag])  # whole numbers: no threads of OpenBLAS
_BITS = np.array(list(Flag), np.int64)[:, None]
_HIDDEN = list(Flag).index(Flag.HIDDEN)


class RepetitionStrategy(Strategy):
    """Not repeated, link density below .5, not in the page's frame."""

    name = "repetition"
    comparison_pages = 5
    needs_elements = False

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        blocks, titles = page.blocks, page.words.titles
        inside = (blocks.flags & _BITS) != 0
        covered = inside @ blocks.tokens  # tokens of the page in elements with each flag
        total = int(blocks.tokens.sum())
        repeated = in_template_slot = np.zeros(len(blocks), bool)
        if site.pages:
            shared = site.shared_with(page)
            in_template_slot = shared.slot_share > SLOT_SHARE
            # Other pages link to this one by its title, which does not make it template. A heading that others have too
            # ("Limits") is among headings that are mostly the page's own.
            share = np.where(titles, shared.placed_share, shared.text_share)
            repeated = in_template_slot & (share >= REPEATED_SHARE)
        hidden = inside[_HIDDEN] & (covered[_HIDDEN] <= HIDDEN_SHARE * total)
        linked = blocks.link_density >= HALF
        # prose that is neither template, nor links, nor hidden: content is near
        own = blocks.paragraph_tokens * ~(repeated | hidden | linked)
        counts = (_POINTS > 0) | (covered <= HALF * total)  # what covers most of a page does not frame it
        prose = blocks.paragraph_tokens > 0
        frame = (_POINTS * counts) @ inside + BLOCK_POINTS + (PROSE_POINTS - BLOCK_POINTS) * prose
        around, up = blocks.element, page.elements.parent_or_self
        for _ in range(TEASER_LEVELS):
            around = up.take(around)
        links, chars = (blocks.subtree_sums(column).take(around) for column in (blocks.link_chars, blocks.chars))
        points = frame + OUTSIDE_POINTS * ~blocks.in_best_box(own)
        points += TEASER_POINTS * (links / np.maximum(chars, 1) > TEASER_LINK_DENSITY)
        points += TITLE_POINTS * titles + SLOT_POINTS * in_template_slot
        own_text = ~(repeated | hidden) & (frame > 0)
        kept = own_text & ~linked & (points > 0)
        if kept @ blocks.tokens < min(SPARSE_TOKENS, SPARSE_SHARE * (own_text @ blocks.tokens)):
            kept = kept | own_text
        reasons = np.full(len(kept), "the page has little but such text", object)
        reasons[points > 0] = "only on this page"
        against = {
            "outside the page's prose, or among teasers": points <= 0,
            "in the page's frame, by tags or class words": frame <= 0,
            "mostly links": linked,
            "hidden": hidden,
            "repeated on comparison pages": repeated,
        }
        for reason, hits in against.items():
            reasons[hits & ~kept] = reason
        return Decision.of_rule(page, kept, reasons.tolist())
