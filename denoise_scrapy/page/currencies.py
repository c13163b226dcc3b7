"""Currencies as pages write them, and which texts have a price."""

from __future__ import annotations

import re
import unicodedata

#: Beside signs; those in capitals are words otherwise ("sek", "ft"), and some are words in capitals, too, and left out
#: ("TRY", "CAD", "PHP").
CURRENCIES = frozenset(
    """AED AUD BGN BRL CHF CLP CNY CZK DKK Ft GBP HKD HUF IDR ILS INR JPY KRW MXN NOK NZD PLN RM RMB RON RSD RUB SAR SEK
    SGD SR THB TL TWD UAH VND ZAR dirham eur grn kc kr kč lei lv rp rs usd zl zł đ đồng vnđ грн дин ден лв р руб тг
    сом ریال تومان درهم ريال جنيه دينار ر.س د.إ ש״ח บาท 元 円 圓 원 रुपये টাকা""".split()
)
_WORD = re.compile(r"[^\W\d_]+(?:[.״][^\W\d_]+)*")
_DIGIT = re.compile(r"\d")


def is_price(text: str) -> bool:
    """Return whether a text has an amount and a currency.

    Example:
        >>> is_price("189,00 kr"), is_price("£46.50"), is_price("2 litres"), is_price("from €")
        (True, True, False, False)
    """
    if not _DIGIT.search(text):
        return False
    words = _WORD.findall(f"{text} {text.lower()}")
    return not CURRENCIES.isdisjoint(words) or any(unicodedata.category(sign) == "Sc" for sign in text)
