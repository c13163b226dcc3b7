"""What differs between two feeds of one spider, item by item: before and after a setting, a version or a redesign."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from denoise_scrapy.commands import SHOWN
from denoise_scrapy.dedup.versions import written
from denoise_scrapy.support.formats import ROW_FORMATS, format_of
from denoise_scrapy.support.row_files import as_text, named, row_file
from denoise_scrapy.support.shown import WORDS, beside, counted, drawn, figures_page, numbered, shared

KEY = "url"
# Changed items that are drawn on the page.
DRAWN = 200
# Words and characters of a text that are aligned: more take seconds.
ALIGNED, MOST_CHARS = 5000, 20_000


def is_feed(name: str) -> bool:
    """Return whether a file is a feed by its name: JSON, JSON lines, CSV or Parquet, compressed or not."""
    return bool(format_of(name, ROW_FORMATS))


@dataclass(frozen=True)
class FeedDifference:
    """What differs between two feeds.

    Attributes:
        before: Items of the first by key.
        after: Items of the second.
        changed: Names of the fields that differ, by key.
    """

    before: Mapping[str, Mapping[str, Any]]
    after: Mapping[str, Mapping[str, Any]]
    changed: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, before: Path, after: Path, key: str = KEY, fields: Collection[str] = ()) -> FeedDifference:
        """Read two feeds, and compare some fields or all.

        Raises:
            ValueError: One has no such key, no item has one of the fields, or one is no feed.
            OSError: One cannot be read.
        """
        one, other = (_items(path, key) for path in (before, after))
        kinds = {format_of(path.name) for path in (before, after)}
        text = _cell if "csv" in kinds else _column if "parquet" in kinds else _shape
        known = {name for item in (*one.values(), *other.values()) for name in item}
        for field in fields if known else ():
            if field not in known:
                raise ValueError(f"no item has a field {field!r}, only {', '.join(sorted(known))}")
        changed = dict[str, tuple[str, ...]]()
        for name in [name for name in one if name in other]:
            old, new = one[name], other[name]
            # what is empty is as if it were not there
            every = dict.fromkeys(fields or [*old, *new])
            both = [field for field in every if text(old.get(field)) != text(new.get(field))]
            changed |= {name: tuple(both)} if both else {}
        return cls(one, other, changed)

    @property
    def gone(self) -> list[str]:
        """Keys of the first feed alone."""
        return [name for name in self.before if name not in self.after]

    @property
    def new(self) -> list[str]:
        """Keys of the second feed alone."""
        return [name for name in self.after if name not in self.before]

    def lines(self) -> Iterator[str]:
        """Yield a summary, and what differs in some items."""
        same = len(self.before) - len(self.gone) - len(self.changed)
        yield f"{same:,} the same, {len(self.changed):,} changed, {len(self.gone):,} gone, {len(self.new):,} new"
        fields = Counter(field for changed in self.changed.values() for field in changed)
        if fields:
            yield "changed fields: " + ", ".join(f"{name} {count:,}" for name, count in fields.most_common())
        for name in [*self.changed][:SHOWN]:
            told = (self._said(name, field) for field in self.changed[name])
            yield f"{name}: {'; '.join(told)}"
        for what, names in (("gone", self.gone), ("new", self.new)):
            yield from (f"{what}: {name}" for name in names[:SHOWN])

    def page(self) -> str:
        """Return an HTML page with the changed items, before and after."""
        lines = list(self.lines())
        parts = [f"<p>{drawn(line)}" for line in lines[: 1 + bool(self.changed)]]
        for name in [*self.changed][:DRAWN]:
            rows = "".join(self._drawn(name, field) for field in self.changed[name])
            parts.append(f"<h2>{drawn(name)}</h2><div class='two pair'>{rows}</div>")
        for what, names in (("Gone", self.gone), ("New", self.new)):
            if names:
                listed = "".join(f"<li>{drawn(name)}" for name in names[:DRAWN])
                parts.append(f"<h2>{what}: {len(names):,}</h2><ul>{listed}</ul>")
        return figures_page("What differs between two feeds", parts)

    def _both(self, name: str, field: str) -> tuple[str, str]:
        return as_text(self.before[name].get(field)) or "", as_text(self.after[name].get(field)) or ""

    def _said(self, name: str, field: str) -> str:
        old, new = (WORDS.findall(text)[:ALIGNED] for text in self._both(name, field))
        gone, come = (
            [word for place, word in enumerate(words) if place not in same]
            for words, same in zip((old, new), shared(old, new), strict=True)
        )
        told = [f"{sign} {''.join(some[:SHOWN]).strip()!r}" for sign, some in (("-", gone), ("+", come)) if some]
        return f"{field} {counted(len(gone), 'word')} gone, {len(come):,} new: {' '.join(told)}"

    def _drawn(self, name: str, field: str) -> str:
        old, new = self._both(name, field)
        sides = ("before", beside(old, new, MOST_CHARS)), ("after", beside(new, old, MOST_CHARS))
        return "".join(f"<div><h3>{drawn(field)} {when}</h3>{text}</div>" for when, text in sides)


def _items(path: Path, key: str) -> dict[str, Mapping[str, Any]]:
    """Return the items of a feed by their keys; of several with one key, those after the first get a number."""
    found, met = dict[str, Mapping[str, Any]](), Counter[str]()
    for item in _rows(path):
        if key not in item:
            raise ValueError(
                f"{path}: an item has no field {key!r}, only {', '.join(item) or 'none'}; --key names another"
            )
        found[numbered(str(item[key]), met)] = item
    return found


def _rows(path: Path) -> Iterator[Mapping[str, Any]]:
    with named(path):
        for number, row in enumerate(row_file(format_of(path.name), lambda: path.open("rb")).rows(), 1):
            if row.fields is None:
                raise ValueError(f"row {number}: {row.problem}")
            yield row.fields


def _shape(value: Any) -> str:
    return written(value or None)


def _column(value: Any) -> str:
    return as_text(value or None) or ""


def _cell(value: Any) -> str:
    """Return a value as Scrapy writes it in a cell of CSV."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ",".join(value)
    return "" if value is None else str(value)
