"""Finding duplicates among the rows of a list, table or file, with a choice of which row to keep."""

from __future__ import annotations

import pickle
import tempfile
from array import array
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from denoise_scrapy.dedup.index import DuplicateIndex, Verdict
from denoise_scrapy.dedup.rules import MOST_NEW, PartRule
from denoise_scrapy.dedup.variants import site_of

KEEPS = ("first", "longest", "newest")  # which of several similar rows is kept
SCOPES = ("site", "global")  # which rows are compared

# A row as a caller gives it: key and text, a date, and a title.
Given = tuple[str, str] | tuple[str, str, Any] | tuple[str, str, Any, str]


class Row(NamedTuple):
    """A row: its key and text, a sortable date, and its title if known."""

    key: str
    text: str
    date: Any = 0.0
    title: str = ""


class Batch:
    """Judges rows with an index, each against the kept rows.

    Among rows of equal length or date, the first is kept. With `numbered`, rows with the same key are separate items.
    Otherwise the index is shared, and items are looked up by key: a row then replaces the kept text of its key, as in a
    crawl, and is a duplicate only if the batch already contained the same key with the same text.
    """

    def __init__(self, index: DuplicateIndex, *, keep: str, scope: str = SCOPES[0], numbered: bool = True) -> None:
        for name, given, valid in (("keep", keep, KEEPS), ("scope", scope, SCOPES)):
            if given not in valid:
                raise ValueError(f"{name} must be one of {', '.join(valid)}, got {given!r}")
        self.keep = keep
        self._scope = scope
        self._index = index
        self._numbered = numbered
        self._count = 0
        self._done: set[int] = set()  # hashes of keys, if the index is shared

    def judge(self, row: Row) -> Verdict:
        """Judge the next row, and keep it unless it is a duplicate."""
        name = f"{self._count} {row.key}" if self._numbered else row.key
        site = site_of(row.key)
        scope = site if self._scope == "site" else ""
        verdict = self._index.check_and_add(name, row.text, scope=scope, site=site, title=row.title)
        if not self._numbered:
            same = hash(row.key)
            if same in self._done and not verdict.duplicate and not verdict.updated:
                verdict = replace(verdict, duplicate=True, of=row.key, score=1.0, c1=1.0)
            self._done.add(same)
        self._count += 1
        return _plain(verdict) if self._numbered else verdict

    def judge_all(self, rows: Iterable[Row]) -> Iterator[Verdict]:
        """Judge rows and yield their verdicts in row order.

        To keep the longest or newest, all rows are read first: 150 bytes per row stay in memory, texts go to a file.
        """
        if self.keep == "first":
            yield from map(self.judge, rows)
            return
        with tempfile.TemporaryFile(prefix="denoise-") as file:
            starts, ranks = array("q"), []
            for row in rows:
                starts.append(file.tell())
                ranks.append(row.date if self.keep == "newest" else len(row.text))
                pickle.dump(tuple(row._replace(date=None)), file, protocol=pickle.HIGHEST_PROTOCOL)
            verdicts: dict[int, Verdict] = {}
            for number in sorted(range(len(ranks)), key=ranks.__getitem__, reverse=True):
                file.seek(starts[number])
                verdict = self.judge(Row(*pickle.load(file)))
                if verdict != _NEW:
                    verdicts[number] = verdict
        yield from (verdicts.get(number, _NEW) for number in range(len(ranks)))


_NEW = Verdict()


def deduplicate(
    rows: Iterable[Given],
    *,
    threshold: float | None = None,
    rule: str = PartRule.name,
    most_new: float = MOST_NEW,
    keep: str = KEEPS[0],
    scope: str = SCOPES[0],
) -> Iterator[tuple[str, Verdict]]:
    """Find the near-duplicates among texts.

    Every row is a separate item, even if keys repeat. A key that is a URL determines the site of its row: similar rows
    of one site with different titles or different details filled in are variants, which are kept. With `keep="first"`,
    rows are judged as they are consumed, and may come from an endless generator; otherwise all are read first, and
    texts go to a temporary file. The index takes about 2 KB of memory per kept row.

    Args:
        rows: Tuples of key and text; of key, text and date for `keep="newest"`; or of key, text, date or None, and
            title. Dates are any sortable values: numbers, `datetime` objects, ISO dates in one format.
        threshold: As for `DuplicateIndex`.
        rule: As for `DuplicateIndex`.
        most_new: As for `DuplicateIndex`.
        keep: Which of several similar rows to keep: "first", "longest" (in characters) or "newest".
        scope: "site": compare the rows of each site, as a crawl does; rows without a URL are of one. "global": all.

    Returns:
        An iterator over keys and verdicts, in row order. `of`, `variant_of`, `update_of` and `contains` are keys of
        kept rows.

    Raises:
        ValueError: An argument is out of range or, during iteration, a row is invalid.

    Example:
        >>> news = "The ferry to the islands sails again on Monday, after three weeks in the dock at Oban. "
        >>> news += "Passengers who had booked for the days without a boat get their money back by post."
        >>> rows = [("/a", news), ("/b", "By our reporter. " + news), ("/c", "Rain all day.")]
        >>> [(key, verdict.of) for key, verdict in deduplicate(rows)]
        [('/a', None), ('/b', '/a'), ('/c', None)]
        >>> [key for key, verdict in deduplicate(rows, keep="longest") if not verdict.duplicate]
        ['/b', '/c']
    """
    index = DuplicateIndex(threshold, rule=rule, most_new=most_new)
    return _deduplicated(index, Batch(index, keep=keep, scope=scope), rows)


def _deduplicated(index: DuplicateIndex, batch: Batch, rows: Iterable[Given]) -> Iterator[tuple[str, Verdict]]:
    keys: deque[str] = deque()  # of rows read but not yet judged

    def read() -> Iterator[Row]:
        for row in map(_row, rows):
            if batch.keep == "newest" and row.date is None:
                raise ValueError(f'keep="newest" needs rows of key, text and date, got no date for {row.key!r}')
            keys.append(row.key)
            yield row

    with index:
        for verdict in batch.judge_all(read()):
            yield keys.popleft(), verdict


def _plain(verdict: Verdict) -> Verdict:
    """Return a verdict with the keys of kept rows in place of their names, which have a number before it."""
    names, reason = (verdict.of, verdict.variant_of, verdict.update_of), verdict.reason
    for name in filter(None, (*names, *verdict.contains)):
        reason = reason.replace(name, _key(name), 1)
    of, variant_of, update_of = (name and _key(name) for name in names)
    contains = tuple(map(_key, verdict.contains))
    return replace(verdict, of=of, variant_of=variant_of, update_of=update_of, contains=contains, reason=reason)


def _key(name: str) -> str:
    return name.partition(" ")[2]


def _row(given: Any) -> Row:
    if not isinstance(given, (tuple, list)) or not 2 <= len(given) <= 4:
        raise ValueError(f"a row must be (key, text), (key, text, date) or (key, text, date, title), got {given!r:.80}")
    values: list[Any] = [*given, *(None, "")[len(given) - 2 :]]
    key, text, date, title = values
    for what, value in (("a key", key), (f"the text of {key!r:.80}", text), (f"the title of {key!r:.80}", title)):
        if not isinstance(value, str):
            raise ValueError(f"{what} must be a string, got {type(value).__name__}")
    return Row(key, text, date, title)
