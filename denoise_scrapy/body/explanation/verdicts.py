"""What became of each block of a page: one of four classes, and the numbers that speak for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from denoise_scrapy.body.features.hand_rule import REPEATED_SHARE, SLOT_SHARE
from denoise_scrapy.body.result import Block, Body
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.site import SiteStatistics

#: What a block can be, and what that means. The first that fits holds, in the order kept, hidden, template, low.
CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "kept": "in the extracted text",
        "template": "dropped: repeats on the other pages",
        "low": "dropped: its score is too low",
        "hidden": "dropped: the page hides it",
    }
)


@dataclass(frozen=True)
class Verdict:
    """What became of a block.

    Attributes:
        name: One of `CLASSES`.
        block: The block as the body has it.
        numbers: What was counted, a line each.
        preformatted: Whether its white space counts.
    """

    name: str
    block: Block
    numbers: tuple[str, ...]
    preformatted: bool = False

    @property
    def percent(self) -> int:
        """Probability that it is content, 0 to 100."""
        return round(100 * self.block.probability)


def judge(page: Page, body: Body, site: SiteStatistics) -> list[Verdict]:
    """The verdict on each block of a page.

    Args:
        page: The page.
        body: Its body.
        site: The comparison pages that the body's strategy saw.

    Example:
        >>> from denoise_scrapy.body.model import SiteModel
        >>> page = Page.parse("<p>It rained all night in the valley.</p><p hidden>Menu</p>")
        >>> [verdict.name for verdict in judge(page, SiteModel.fit().extract(page), SiteStatistics())]
        ['kept', 'hidden']
    """
    if not body.blocks:
        return []
    hidden = (page.blocks.flags & Flag.HIDDEN) != 0
    # at these shares the hand rule takes a text, and a slot, for template
    template = (site.repeated_share(page) >= REPEATED_SHARE) | (site.repeated_slot_share(page) > SLOT_SHARE)
    kept = np.array([block.kept for block in body.blocks], bool)
    names = np.select([kept, hidden, template], ["kept", "hidden", "template"], "low").tolist()
    preformatted = ((page.blocks.flags & Flag.PREFORMATTED) != 0).tolist()
    return [Verdict(*told) for told in zip(names, body.blocks, _numbers(page, site), preformatted, strict=True)]


def _numbers(page: Page, site: SiteStatistics) -> Iterator[tuple[str, ...]]:
    """What was counted of each block."""
    blocks, k = page.blocks, len(site.pages)
    shared = site.shared_with(page)
    columns = (blocks.tokens, blocks.link_density, shared.text_share, shared.placed_share, shared.slot_share)
    hidden = ((blocks.flags & Flag.HIDDEN) != 0).tolist()
    for i, (words, links, text, placed, slot) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        told = [f"{words:,} word{'s' * (words != 1)}", f"{links:.0%} of it in links"]
        if k:
            told.append(f"on {round(text * k)} of {k} other pages, on {round(placed * k)} in the same place")
            told.append(f"{slot:.0%} of what stands in such places repeats")
        if hidden[i]:
            told.append("hidden by the page's markup")
        yield tuple(told)
