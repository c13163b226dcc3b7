"""Blocks that readers keep for their words, and a block model takes for frames: a price, notes of corrections.

Next to no recorded story has such a note, and to the model a price looks like a button.
"""

from __future__ import annotations

import re

import numpy as np

from denoise_scrapy.core.wording import amounts_below_headline
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import HALF, FloatArray
from denoise_scrapy.page.currencies import is_price

#: A price stands among so many blocks below the headline, has at most so many visible characters, and is no link. Of
#: 69 such blocks on read pages readers kept 67; of those within 40 blocks 104 of 130.
BELOW, MOST_CHARS = 10, 24
#: Log odds that it is content: of 67 to 2.
PRICE_ODDS = 3.5


def block_of_price(page: Page) -> int | None:
    """Return the block with the price of what a page offers, None if there is none.

    Example:
        >>> block_of_price(Page.parse("<h1>Kettle</h1><p>New</p><p>189,00 kr</p><p>Holds a litre.</p>"))
        2
        >>> block_of_price(Page.parse("<h1>Kettles</h1><p>2 litres</p>")) is None
        True
    """
    for block in amounts_below_headline(page.tree, BELOW, MOST_CHARS):
        if is_price(page.block_text(block)):
            return block
    return None


#: A note has so many tokens, and at least this chance by the model: what has less is unseen, or on all pages.
FEWEST_TOKENS, MOST_TOKENS, LEAST_CHANCE = 6, 120, 0.05
#: Log odds that it is content: a chance of .1 becomes .7.
NOTE_ODDS = 3.0
#: What notes begin with, in the languages of most pages; a date may follow. What asks, or has an address, is an
#: invitation to report errors.
_BEGIN = re.compile(
    r"[^\w\n]*(?:(?:this|an earlier version of this) (?:article|story|post|page|report)"
    r" (?:was|has been) (?:amended|corrected)(?:\s[^:：.。–—]{0,40})?"
    r"|(?:corrections?|clarifications?|editor['’]?s['’]? note|errat(?:um|a(?: corrige)?)|korrektur|berichtigung"
    r"|(?:anmerkung|hinweis) der redaktion|rectificatif|correctif|précisions?|note de la rédaction|corrección"
    r"|rectificación|aclaración|fe de err(?:atas|ores)|nota de (?:la )?redacción|correção|retificação|nota da redação"
    r"|rettifica|correzione|precisazione|nota della redazione|correctie|rectificatie|rättelse|rettelse|oikaisu"
    r"|sprostowanie|korekta|oprava|helyesbítés|düzeltme|koreksi|ralat|đính chính|исправление|поправка|уточнение"
    r"|виправлення|διόρθωση|संपादक की टिप्पणी|更正|勘[误誤]|訂正|정정|바로잡습니다|تصحيح|תיקון)"
    r"(?:\s?\([^()\n]{0,40}\)|(?:\s[–—])?(?:\s[^\W\d]{1,12}){0,2}\s\d[^:：。\n]{0,15})?)\s?[:：.–—](?!.*[?？@])",
    re.IGNORECASE,
)


def notes_of_corrections(page: Page, probability: FloatArray) -> list[int]:
    """Return the blocks that are notes of corrections, given the probability that a block is content.

    Example:
        >>> page = Page.parse("<p>Tide</p><p>Rectificatif : le phare compte neuf gardiens, et non onze.</p>")
        >>> notes_of_corrections(page, np.array([0.1, 0.1]))
        [1]
    """
    tokens, links = page.blocks.tokens, page.blocks.link_density
    may_be = (probability >= LEAST_CHANCE) & (tokens >= FEWEST_TOKENS) & (tokens <= MOST_TOKENS) & (links < HALF)
    if not any(map(_BEGIN.match, page.text_of(may_be).split("\n"))):  # one call, of a page without notes
        return []
    return [block for block in np.flatnonzero(may_be).tolist() if _BEGIN.match(page.block_text(block))]
