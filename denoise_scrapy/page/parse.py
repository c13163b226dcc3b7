"""From HTML to path ids and one marked string."""

from __future__ import annotations

from collections.abc import Sequence

from denoise_scrapy.native import library
from denoise_scrapy.page.events import Event, feed, read_events
from denoise_scrapy.page.native_reader import NativeReader
from denoise_scrapy.page.parsed import ParsedMarkup
from denoise_scrapy.page.paths import PathTable
from denoise_scrapy.page.reader import END, LINE_BREAK, START, Reader
from denoise_scrapy.page.selectors import Selector, match_selectors
from denoise_scrapy.page.utf8 import to_utf8

__all__ = ["END", "LINE_BREAK", "START", "Event", "ParsedMarkup", "parse_markup", "read_events", "to_utf8"]


def parse_markup(body: bytes, table: PathTable, selectors: Sequence[Selector] = ()) -> ParsedMarkup:
    """Parse UTF-8 HTML into path ids of `table` and a marked string.

    Text inside `noscript` is read only where it is the page's better half: forums exist that serve the
    whole thread there.

    Args:
        body: The page.
        table: Gets the paths that are new to it.
        selectors: What to find on the page besides.

    Raises:
        ValueError: A selector cannot be evaluated.
    """
    parsed, marks_fit = _read(body, table)
    # twice the text that shows, and at least some 20 words of 5 letters more (measured rule)
    if parsed.noscript_chars > 100 and parsed.noscript_chars > _visible(parsed) + 100:
        parsed, marks_fit = _read(body, table, keep_noscript=True)
    if not marks_fit:  # some are of &#1; or &#2;
        parsed, _ = _read(body, table, keep_noscript=parsed.noscript_read, clean=True)
    parsed.declared.note_rest(body, parsed.declaring)
    parsed.declaring = []
    if selectors:
        parsed.matches = match_selectors(read_events(body), selectors, keep_noscript=parsed.noscript_read)
    return parsed


def _read(
    body: bytes, table: PathTable, *, keep_noscript: bool = False, clean: bool = False
) -> tuple[ParsedMarkup, bool]:
    """The page, and whether its marks are ours alone."""
    native = None if clean else library()
    reader = (
        Reader(table, keep_noscript=keep_noscript, clean=clean)
        if native is None
        else NativeReader(native, table, keep_noscript=keep_noscript)
    )
    feed(body, reader.target())
    return reader.finish()


def _visible(parsed: ParsedMarkup) -> int:
    text = parsed.text.slice(0, len(parsed.text.codes))
    return sum(map(len, text.replace(START, "").replace(END, "").split()))
