"""The pages of one article: links whose addresses differ from the page's own in a page number alone."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar
from urllib.parse import urldefrag

from denoise_scrapy.metadata.annotations import MAX_ADDRESS, MOST_LISTED
from denoise_scrapy.page.attributes import host_of

#: Numbers in an address that are read.
MOST_NUMBERS = 4
#: Words before a number that is a page's for sure, in some languages.
_WORDS = "page|pagina?|seite|sivu|sida|side|stran[aiy]|strona|oldal|sayfa|halaman|trang|hlm|pg|p"
#: A page number with what leads to it: `/2`, `-2`, `_2`, `,2`, `-p2`, `/page/2`, `/seite-2`, `?page=2`, `&my_page=2`.
_NUMBERED = re.compile(
    rf"[/_,.\-?&;](?P<word>[a-z_\[\]]{{1,20}}[/=\-_,]|{_WORDS})?(?P<number>\d{{1,2}})(?=[/_,.\-?&;]|$)", re.IGNORECASE
)
_DIGIT = re.compile(r"\d")
_PAGE_WORD = re.compile(rf"(?:{_WORDS})[/=\-_,]?\{{\}}", re.IGNORECASE)
#: The suffix of a file in an address, which that of its second page may lack: `8.html`, `8/2`.
_SUFFIX = re.compile(r"\.[a-z]{2,5}$", re.IGNORECASE)
#: Numbers of something else: comments, and what is searched, sorted or dated.
_OTHERS = re.compile(r"comment|kommentar|repl|month|year|day|sort|lang|size|limit|tab|id=|cat", re.IGNORECASE)
#: The text of a link to a page: "2", "Seite 2", "[2]", "第2页", but not "Chapter 2", which may be a text of its own;
#: and of a pager: "Page 2 of 3", "2/3".
_TOLD = re.compile(
    rf"\W*(?:(?:{_WORDS}|página|seiten|страница|стр|сторінка|σελίδα|صفحة|หน้า|第)\W*)?(\d{{1,2}})\W*"
    r"(?:页|頁|ページ|페이지|쪽)?\W*",
    re.IGNORECASE,
)
_OF = re.compile(r"(?<!\d)(\d{1,2})\s*(?:[^\W\d]{1,5}|[/|／])\s*(\d{1,2})(?!\d)")


Value = TypeVar("Value")


class Link(NamedTuple):
    """A link: absolute address, text, what it says of its target ("next", "prev"), and the text around it."""

    url: str
    text: str = ""
    rel: str = ""
    around: str = ""


#: The links of one row, with their numbers; None for the address without a number.
_Row = dict[Link, "int | None"]


class _Numbered(NamedTuple):
    """A reading of an address: what it is without its number, with a place for the number, and the number."""

    stem: str
    template: str
    number: int


def pages_in(url: str, links: Iterable[Link]) -> list[str]:
    """Return the addresses of an article's pages in order, with this one; none if it has only one.

    A link counts if its text is its number, if it leads to the next or the previous page, or if it stands beside
    "2 of 3". Pages between linked ones are listed too: "1 2 … 9".

    Args:
        url: Address of the page.
        links: Its links.

    Example:
        >>> links = [Link("http://a.example/bridge-3.html", "3"), Link("http://a.example/tower-4.html", "4")]
        >>> pages_in("http://a.example/bridge.html", links)
        ['http://a.example/bridge.html', 'http://a.example/bridge-2.html', 'http://a.example/bridge-3.html']
    """
    own, host = _plain(url), host_of(url).removeprefix("www.")
    own_readings, firsts = list(_readings(own)), {own, _SUFFIX.sub("", own)}
    own_numbers = {one.template: one.number for one in own_readings}
    rows = defaultdict[str, _Row](dict)
    for link in links:
        other = _plain(link.url)
        if len(link.url) > MAX_ADDRESS or not host or host_of(link.url).removeprefix("www.") != host or other == own:
            continue
        for one in _readings(other):
            if one.template in own_numbers or one.stem in firsts:
                rows[one.template][link] = one.number
        for one in own_readings:
            if one.stem in {other, _SUFFIX.sub("", other)}:
                rows[one.template][link] = None
    found = (_pages_of(row, url, template, own_numbers.get(template)) for template, row in rows.items())
    return max(found, key=len, default=[])


def page_links(url: str, hrefs: Iterable[tuple[str, Value]]) -> Iterator[tuple[str, Value]]:
    """Yield those of some references, each with something, that may lead to a page: most need not be read at all."""
    ends = {one.stem.rpartition("/")[2] for one in _readings(_plain(url))}
    for href, value in hrefs:
        name = href.rstrip("/").rpartition("/")[2]
        if _DIGIT.search(href) or name in ends or _SUFFIX.sub("", name) in ends:
            yield href, value


def _pages_of(row: _Row, url: str, template: str, own: int | None) -> list[str]:
    """Return the pages of a row; none without enough evidence that they are pages."""
    told = [number - _told(link) for link, number in row.items() if number is not None and _told(link)]
    # in some frameworks "?page=1" is the second page
    from_zero = (
        -1 in told
        if told
        else own in {None, 0} and any(number == 1 and "next" in link.rel for link, number in row.items())
    )
    here, last = _page(own, from_zero), 0
    found: dict[int, str] = {}
    for link, number in row.items():
        page = _page(number, from_zero)
        of = _OF.search(link.around)
        total = (
            int(of[2]) if of and int(of[1]) == here <= int(of[2]) and page in {1, here - 1, here + 1, int(of[2])} else 0
        )
        way = ("next" in link.rel) - ("prev" in link.rel)
        if _told(link) == page or total or (way and page - here == way):
            found.setdefault(page, urldefrag(link.url).url)
            last = max(last, page, total)
    last = max(last, here)
    # what follows story 12 may be story 13, and what precedes version 18 version 17: a row has its first page, or
    # names pages
    is_row = found and (here == 1 or 1 in found or last > max(here, *found) or _PAGE_WORD.search(template))
    if not is_row or min(here, *found) < 1 or last > MOST_LISTED:
        return []
    found[here] = urldefrag(url).url
    return [found.get(page) or template.replace("{}", str(page - from_zero)) for page in range(1, last + 1)]


def _page(number: int | None, from_zero: bool) -> int:
    return 1 if number is None else number + from_zero


def _told(link: Link) -> int:
    match = _TOLD.fullmatch(link.text)
    return int(match[1]) if match else 0


def _plain(url: str) -> str:
    """Return an address without fragment, final slash, and the sign that templates have."""
    return urldefrag(url[: MAX_ADDRESS + 1]).url.replace("{}", "%7B%7D").rstrip("/")


def _readings(url: str) -> Iterator[_Numbered]:
    """Yield what an address may be if one of its last numbers is that of a page, with a word before it or without."""
    start = url.find("/", len("https://"))
    for match in list(_NUMBERED.finditer(url, start) if start > 0 else ())[-MOST_NUMBERS:]:
        number, word, end = match.start("number"), match["word"] or "", match.end()
        for begin in {match.start(), number - 1} if not _OTHERS.search(word) else ():
            if url[begin] == "=":
                continue
            is_first = url[begin] == "?" and url[end : end + 1] == "&"
            rest = "?" + url[end + 1 :] if is_first else url[end:]
            yield _Numbered((url[:begin] + rest).rstrip("/"), f"{url[:number]}{{}}{url[end:]}", int(match["number"]))
