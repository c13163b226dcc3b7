"""Notes of corrections: readers keep them, and to a block model they look like frames, as many stories have one."""

from __future__ import annotations

import re

import numpy as np

from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import HALF, FloatArray

#: A note has so many tokens, and at least this chance by the model: what has less is unseen, or on all pages.
FEWEST, MOST, LEAST = 6, 120, 0.05
#: Log odds that it is content: a chance of .1 becomes .7.
NOTE_ODDS = 3.0
#: What notes begin with, in the languages of most pages; a date may follow. What asks, or has an address, is an
#: invitation to report errors.
_BEGIN = re.compile(
    r"^[^\w\n]*(?:(?:this|an earlier version of this) (?:article|story|post|page|report)"
    r" (?:was|has been) (?:amended|corrected)"
    r"|corrections?|clarifications?|editor['’]?s['’]? note|errat(?:um|a(?: corrige)?)|korrektur|berichtigung"
    r"|(?:anmerkung|hinweis) der redaktion|rectificatif|correctif|précisions?|note de la rédaction|corrección"
    r"|rectificación|aclaración|fe de err(?:atas|ores)|nota de (?:la )?redacción|correção|retificação|nota da redação"
    r"|rettifica|correzione|precisazione|nota della redazione|correctie|rectificatie|rättelse|rettelse|oikaisu"
    r"|sprostowanie|korekta|oprava|helyesbítés|düzeltme|koreksi|ralat|đính chính|исправление|поправка|уточнение"
    r"|виправлення|διόρθωση|संपादक की टिप्पणी|更正|勘[误誤]|訂正|정정|바로잡습니다|تصحيح|תיקון)"
    r"(?:[\s(][^:：.。–—]{0,40})?\s?[:：.–—](?!.*[?？@])",
    re.IGNORECASE | re.MULTILINE,
)


def notes_of_corrections(page: Page, probability: FloatArray) -> list[int]:
    """Return the blocks that are notes of corrections, given the probability that a block is content.

    Example:
        >>> page = Page.parse("<p>Tide</p><p>Rectificatif : le phare compte neuf gardiens, et non onze.</p>")
        >>> notes_of_corrections(page, np.array([0.1, 0.1]))
        [1]
    """
    tokens = page.blocks.tokens
    may_be = (probability >= LEAST) & (tokens >= FEWEST) & (tokens <= MOST) & (page.blocks.link_density < HALF)
    if _BEGIN.search(page.text_of(may_be)) is None:  # one call, of a page without notes
        return []
    return [block for block in np.flatnonzero(may_be).tolist() if _BEGIN.match(page.block_text(block))]
