"""The prices and tables of a page, be they part of its body or not: what readers come back for.

A body may lack them: of a short table or a lone price it is not sure. Whether a page has changed must not hang on that.
"""

from __future__ import annotations

import re

import numpy as np

from denoise_scrapy.body.tables import data_tables
from denoise_scrapy.page import Flag, Page

# Prices that count, from the page's first heading on: the thing's own, a former one, one by weight. Further ones are of
# other things, which a shop shows beside it, and changes.
MOST_PRICES = 3
# Tokens of a block that is a price with its label; longer ones are sentences.
MOST_TOKENS = 12

_FRAME = (
    *(Flag.LINK, Flag.HIDDEN, Flag.NAV, Flag.FOOTER, Flag.ASIDE),
    *(Flag.NAV_WORD, Flag.FOOTER_WORD, Flag.SIDE_WORD, Flag.AD_WORD, Flag.COMMENT_WORD),
)
_MONEY = (
    r"(?:[$€£¥₹₽₩₺₫฿₴₪₱元円원]|zł|Kč|kr|Fr\.?|Ft|lei|руб|грн|Rs|"
    r"USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|SEK|NOK|DKK|PLN|CZK|HUF|RON|RUB|BRL|CAD|AUD|MXN|ZAR|TRY|KRW|SGD|HKD|NZD)"
)
_PRICE = re.compile(rf"{_MONEY}\s?\d|\d(?:[.,]-)?\s?{_MONEY}(?!\w)", re.IGNORECASE)


def amounts_of(page: Page) -> str:
    """Return the texts of a page's tables of data, and its first prices, a line each; the frame's are left out.

    Example:
        >>> page = Page.parse("<h1>Kettle</h1><div>Only 9.50 €</div><table><tr><th>Size<th>Left<tr><td>S<td>3</table>")
        >>> amounts_of(page).splitlines()
        ['Only 9.50 €', 'Size', 'Left', 'S', '3']
    """
    blocks, e = page.blocks, page.elements
    own = (blocks.flags & np.bitwise_or.reduce(np.array(_FRAME, np.int64))) == 0
    inside = np.zeros(len(blocks), np.bool_)
    for table in np.flatnonzero(data_tables(page)):
        inside |= blocks.inside(int(table))
    headings = np.flatnonzero(e.has_tag({"h1"}))
    begins = blocks.element >= headings[0] if len(headings) else np.ones(len(blocks), np.bool_)
    short = np.flatnonzero(own & ~inside & begins & (blocks.tokens <= MOST_TOKENS) & (blocks.link_chars == 0))
    prices = (int(block) for block in short if _PRICE.search(page.block_text(int(block))))
    wanted = own & inside
    wanted[[block for _, block in zip(range(MOST_PRICES), prices, strict=False)]] = True
    return page.text_of(wanted)
