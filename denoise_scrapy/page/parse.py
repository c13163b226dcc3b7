"""From HTML to path ids and one marked string."""

from __future__ import annotations

from collections.abc import Sequence

from denoise_scrapy.native import library
from denoise_scrapy.page.events import Event, Target, feed, read_events
from denoise_scrapy.page.native_reader import NativeReader
from denoise_scrapy.page.parsed import ParsedMarkup
from denoise_scrapy.page.paths import PathTable
from denoise_scrapy.page.pieces import Pieces
from denoise_scrapy.page.reader import END, LINE_BREAK, START, Reader
from denoise_scrapy.page.selectors import Selector, match_selectors, nothing
from denoise_scrapy.page.unread import text_of
from denoise_scrapy.page.utf8 import to_utf8
from denoise_scrapy.page.work import DEFAULT_WORK, Work

__all__ = ["END", "LINE_BREAK", "START", "Event", "ParsedMarkup", "parse_markup", "read_events", "to_utf8"]


def parse_markup(
    body: bytes, table: PathTable, selectors: Sequence[Selector] = (), limit: int = DEFAULT_WORK
) -> ParsedMarkup:
    """Parse UTF-8 HTML into path ids of `table` and a marked string.

    Text inside `noscript` is read only where it is the page's better half: forums exist that serve the
    whole thread there.

    Args:
        body: The page.
        table: Gets the paths that are new to it.
        selectors: What to find on the page besides; nothing is found where that would take more than is left.
        limit: Steps that it may take (`work`), 0 for any number. Where they are spent, the rest of the page is read as
            text of one last paragraph.

    Raises:
        ValueError: A selector cannot be evaluated.
    """
    parsed, marks_fit = _read(body, table, limit)
    # twice the text that shows, and at least some 20 words of 5 letters more (measured rule)
    if parsed.noscript_chars > 100 and parsed.noscript_chars > _visible(parsed) + 100:
        parsed, marks_fit = _read(body, table, limit, keep_noscript=True)
    if not marks_fit:  # some are of &#1; or &#2;
        parsed, _ = _read(body, table, limit, keep_noscript=parsed.noscript_read, clean=True)
    parsed.declared.note_rest(body, parsed.declaring)
    parsed.declaring = []
    if selectors:
        _match(parsed, body, selectors)
    return parsed


def _read(
    body: bytes, table: PathTable, limit: int, *, keep_noscript: bool = False, clean: bool = False
) -> tuple[ParsedMarkup, bool]:
    """The page, and whether its marks are ours alone."""
    native = None if clean else library()
    reader = (
        Reader(table, keep_noscript=keep_noscript, clean=clean)
        if native is None
        else NativeReader(native, table, keep_noscript=keep_noscript)
    )
    pieces, target = Pieces(body, limit, reader), reader.target()
    feed(pieces, target)
    if pieces.end < len(body):
        reader.close()
        _add_paragraph(target, text_of(body[pieces.end :], LINE_BREAK))
    work = Work(limit, pieces.spent)
    parsed, marks_fit = reader.finish()
    parsed.work = work
    return parsed, marks_fit


def _add_paragraph(target: Target, text: str) -> None:
    target.start("p", {})
    target.data(text)
    target.end("p")


def _match(parsed: ParsedMarkup, body: bytes, selectors: Sequence[Selector]) -> None:
    """Find what the user's selectors select, where there is work left for it."""
    if parsed.work.is_over:
        parsed.matches = nothing(selectors)
        return
    keeps = parsed.noscript_read
    parsed.matches, parsed.work = match_selectors(read_events(body), selectors, keep_noscript=keeps, work=parsed.work)


def _visible(parsed: ParsedMarkup) -> int:
    text = parsed.text.slice(0, len(parsed.text.codes))
    return sum(map(len, text.replace(START, "").replace(END, "").split()))
