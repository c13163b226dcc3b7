"""Texts that markup tells, and what they hold: names, dates, addresses."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache
from html import unescape
from importlib import import_module
from typing import Any
from urllib.parse import urljoin, urlsplit

#: Characters of a text, of a name and of an address that are looked at.
MAX_TOLD, MAX_NAME, MAX_ADDRESS = 1_000, 60, 2_000
#: A longer line is no byline.
BYLINE_CHARS = 150

_TAGS = re.compile(r"<[^<>]{0,200}>")
_UNWRITTEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060\ufeff]+")
#: What stands before a name in a byline, and what behind it.
_BY = re.compile(
    r"(?:^|(?<=[\s|•·–—:.,)\]\d-]))(?:[Bb]y|BY|[Ss]tarted by|[Tt]hread starter|[Vv]on|[Pp]ar|[Pp]or|[Dd]i"
    r"|[Aa]ut(?:h?or|eur|ore|orka)|Автор|Текст|Από|Του|Επιμέλεια|作者|记者|記者|撰文)(?:\s?[:：]\s?|\s)(?!\d)"
)
_BEHIND = re.compile(
    r"\s+(?:[Oo]n|[Ii]n|[Aa]t|[Uu]m|[Vv]om|[Ff]or|[Ii]s|[Ww]ith|[Uu]pdated|[Pp]ublished|[Pp]osted|w dniu)\b.*"
    r"|\s*[|•·⋅»<>(\[{@].*|(?<!\w)\d.*|\s+[-–—]+\s.*|\s稿源.*",
    re.DOTALL,
)
_ROLES = re.compile(
    r"editor|writer|correspondent|reporter|staff|journalist|contributor|columnist|engineer|manager|director|redak|ceo"
    r"|professor|analyst|ph\.?d|founder|press\b",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"^(?:admin\w*|webmaster|editor|staff|author|redaktion|unknown|guest|root|user|none|null|anonymous|default|team|by"
    r"|posted|most read|email|contributor|view .*)$|[?{}]|\d{4}$|://|^www\.|\.[a-z]{2,4}$|\bz o\.?o"
    r"|\b(?:inc|ltd|gmbh|llc)\b|^\W|[:：]",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*[;、&+]\s*|\s(?:[Aa]nd|AND|und|et|y|och|og|и|και)\s")
_POSTED = frozenset(["", "posted", "written", "published", "reported", "story", "text", "words", "am", "pm", "staff"])
#: An editor's name, as Chinese pages have it at their end.
EDITOR = re.compile(r"(?:责编|编辑|选稿|編輯)\s?[：:]\s?(\w{2,4})")


def fold(text: str) -> str:
    """A text without its spaces and capitals."""
    return "".join(text.split()).lower()


def letters(text: str) -> str:
    """Letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text.lower()))


def is_said(headline: str, title: str) -> bool:
    """Whether one of two texts of letters says the other, which is not too short for that."""
    return bool(headline and title) and (
        headline == title or (min(len(headline), len(title)) > 9 and (headline in title or title in headline))
    )


def clean(told: str) -> str:
    """A text that markup tells, as a reader would see it."""
    return " ".join(_UNWRITTEN.sub(" ", _TAGS.sub(" ", unescape(unescape(told[:MAX_TOLD])))).split())


def same_address(address: str) -> str:
    """An address without what does not tell pages apart."""
    return re.sub(r"^https?://(?:www\.)?|[?#].*$|/$", "", address.strip()[:MAX_ADDRESS])


def host_of(url: str) -> str:
    """The host of an address, "" where it has none."""
    with suppress(ValueError):
        return urlsplit(url).hostname or ""
    return ""


def joined(base: str, told: str) -> str:
    """An absolute address of the web, "" for what is none."""
    told = told.strip()
    if told and len(told) <= MAX_ADDRESS and not _UNWRITTEN.search(told):
        with suppress(ValueError):
            found = urljoin(base, told)
            parts = urlsplit(found)
            if parts.scheme in ("http", "https") and parts.hostname and " " not in parts.netloc:
                return found.replace(" ", "%20")
    return ""


def names_in(told: str, is_byline: bool = False) -> list[str]:
    """Names of authors in a byline, behind its "by", or in what is nothing else; none where one of them is no name."""
    told = clean(told)
    by = _BY.search(told)
    if is_byline and not (by and _begins_byline(told[: by.start()])):
        return []
    told = told[by.end() :] if by else told
    parts = [_BEHIND.sub("", part) for part in _AND.split(told)]
    names = [name for part in parts for name in re.split(r"\s*,\s*", part)]
    names = [name.strip(" .,;-–—'\"") for name in names]
    if len(parts) == 1 and not all(" " in name or not name.isascii() for name in names):
        names = names[:1]  # a role, a place
    roles = (i for i, name in enumerate(names) if i and _ROLES.search(name))
    names = [name for name in names[: next(roles, len(names))] if name]
    if is_byline and not all(name[:1].upper() == name[:1] for name in names):
        return []
    fits = all(len(name) <= MAX_NAME and len(name.split()) <= 5 and not _NO_NAME.search(name) for name in names)
    return list(dict.fromkeys(names)) if fits and all(map(letters, names)) else []


def _begins_byline(before: str) -> bool:
    """Whether what stands before a "by" ends as bylines do: with nothing, a number, a time zone, or "posted"."""
    last = (re.findall(r"\w+", before) or [""])[-1]
    return last.lower() in _POSTED or any(map(str.isdigit, last)) or (last.isupper() and len(last) < 5)


#: Nothing on the web is older.
FIRST_DAY = "1995-01-01"
YEAR = re.compile(r"(?<!\d)(?:19[89]|20[0-4])\d(?!\d{5})|\d[./-]\d\d?[./-]\d\d(?!\d)")
_TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:(?:\s?T\s?|\s)(\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?"
)
_YEAR_FIRST = re.compile(r"((?:19|20)\d\d)\s?[年년./-]\s?([01]?\d)\s?[月월./-]\s?([0-3]?\d)(?!\d)")
_YEAR_LAST = re.compile(r"(?<![\d/.-])([0-3]?\d)([/.-])([0-3]?\d)\2((?:19|20)?\d\d)(?!\d)")
_IN_ADDRESS = re.compile(r"(?<!\d)((?:19|20)\d\d)([/_-])([01]?\d)\2([0-3]?\d)(?!\d)")
_MONTH_NAMED = re.compile(
    r"\d{1,2}(?:st|nd|rd|th|er|\.|º|ης|η)?,?\s(?:de\s|of\s)?[^\W\d_]{3,14}\.?,?\s(?:de\s|del\s)?(?:19|20)\d\d(?!\d)"
    r"|[^\W\d_]{3,14}\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s?(?:19|20)\d\d(?!\d)"
)


def date_in(told: str, language: str, american: bool = False) -> str:
    """The first date in a text, as ISO 8601: with its time where the text is nothing else; "" without one.

    Args:
        told: The text.
        language: Its language, for names of months.
        american: Whether 3/12/2024 is in March.
    """
    told = clean(told)[:BYLINE_CHARS]
    if match := _TIME.fullmatch(told):
        return _with_time(match)
    if not YEAR.search(told):
        return ""
    if match := _YEAR_FIRST.search(told):
        return _day(*match.groups())
    if match := _YEAR_LAST.search(told):
        day, _, month, year = match.groups()
        if int(month) > 12 or (american and int(day) <= 12):
            day, month = month, day
        return _day(year if len(year) == 4 else f"20{year}", month, day)
    return _by_dateparser(told, language)


def day_in_address(url: str) -> str:
    """The day that an address tells, "" for most."""
    match = _IN_ADDRESS.search(url)
    return _day(match[1], match[3], match[4]) if match else ""


def _with_time(match: re.Match[str]) -> str:
    year, month, day, hour, minute, second, zone = match.groups()
    found = _day(year, month, day)
    if not found or hour is None or int(hour) > 23 or int(minute) > 59 or int(second or 0) > 59:
        return found
    if zone:
        zone = f"{zone[:3]}:{zone[3:].lstrip(':') or '00'}" if zone[0] in "+-" else "+00:00"
    return f"{found}T{hour}:{minute}:{second or '00'}{zone or ''}"


def _day(year: str, month: str, day: str) -> str:
    """A day that is one, not before the web and not after tomorrow."""
    with suppress(ValueError):
        found = f"{datetime(int(year), int(month), int(day)):%Y-%m-%d}"
        if FIRST_DAY <= found <= f"{datetime.now() + timedelta(days=1):%Y-%m-%d}":
            return found
    return ""


def load(name: str) -> Any:
    """Import a library of the extra.

    Raises:
        ImportError: It is not installed; the message names the extra.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"needs {name}, which is not installed: pip install denoise-scrapy[meta]") from error


@lru_cache(maxsize=512)
def _by_dateparser(told: str, language: str) -> str:
    """The day that dateparser reads, which knows the names of months."""
    match = _MONTH_NAMED.search(told)
    with suppress(Exception):  # a language that it does not know, among others
        if match:
            found = _parser(language or "en").get_date_data(match[0].replace(",", " ")).date_obj
            return _day(str(found.year), str(found.month), str(found.day))
    return ""


@lru_cache(maxsize=8)
def _parser(language: str) -> Any:
    return load("dateparser.date").DateDataParser(languages=[language], settings={"STRICT_PARSING": True})
