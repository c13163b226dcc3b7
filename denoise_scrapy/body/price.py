"""The price of what a page offers: readers keep it, and to a block model it looks like a button."""

from __future__ import annotations

from denoise_scrapy.core.wording import amounts_below_headline
from denoise_scrapy.page import Page
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
