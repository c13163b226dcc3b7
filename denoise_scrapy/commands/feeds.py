"""Items of a feed export, one after the other, and the shape they give."""

from __future__ import annotations

import csv
import gzip
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from denoise_scrapy.crawl.shape.crawl_shape import CrawlShape
from denoise_scrapy.crawl.shape.host_shape import visible_chars

if TYPE_CHECKING:
    from denoise_scrapy.settings import DenoiseSettings

SUFFIXES = (".jsonl", ".jl", ".json", ".csv")
MAX_KINDS = 100  # a field that has more values is none of kinds, and would fill memory
MAX_CELL = 1 << 30  # of CSV; Python's own limit of 131,072 characters is shorter than some bodies

Item = Mapping[str, Any]


def shape_of_items(path: Path, settings: DenoiseSettings) -> tuple[CrawlShape, int]:
    """Count the items of a file.

    Args:
        path: A feed export; a further suffix `.gz` tells that it is compressed.
        settings: They name the fields; confidence and kind are looked for under these names where they name none.

    Returns:
        The shape, and how many lines are no items.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is of no known kind, or no item has the field of bodies.

    """
    shape, refused, bodies = CrawlShape(), 0, 0
    for item in _items(path):
        if item is None:
            refused += 1
            continue
        body, url = item.get(settings.body_field), item.get(settings.url_field)
        if not isinstance(body, str):
            continue
        bodies += 1
        confidence = _number(item.get(settings.fields.get("confidence") or "confidence"))
        shape.add(url if isinstance(url, str) else "", chars=visible_chars(body), confidence=confidence)
        kind = item.get(settings.fields.get("kind") or "kind")
        if isinstance(kind, str) and (kind in shape.kinds or len(shape.kinds) < MAX_KINDS):
            shape.kinds[kind] += 1
    if not bodies:
        raise ValueError(f"{path}: no item has text in {settings.body_field!r}; DENOISE_BODY_FIELD names the field")
    return shape, refused


def _items(path: Path) -> Iterator[Item | None]:
    """Yield the items, None for each line that is none."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    packed = suffixes[-1:] == [".gz"]
    kind = suffixes[-2 if packed else -1] if len(suffixes) > packed else ""
    if kind not in SUFFIXES:
        raise ValueError(f"{path}: no kind of feed that can be read; valid are {', '.join(SUFFIXES)}, also with .gz")
    with gzip.open(path, "rb") if packed else path.open("rb") as file:
        if kind == ".json":
            yield from _array(path, cast("IO[bytes]", file))
        elif kind == ".csv":
            csv.field_size_limit(MAX_CELL)
            lines = (line.decode("utf-8-sig", "replace") for line in cast("IO[bytes]", file))
            yield from csv.DictReader(lines)
        else:
            yield from map(_item, cast("IO[bytes]", file))


def _array(path: Path, file: IO[bytes]) -> Iterator[Item | None]:
    try:
        found = json.load(file)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from None
    if not isinstance(found, list):
        raise ValueError(f"{path}: it is no array of items")
    yield from (one if isinstance(one, dict) else None for one in found)


def _item(line: bytes) -> Item | None:
    if not line.strip():
        return {}
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _number(value: object) -> float | None:
    """A confidence; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return min(1.0, max(0.0, number)) if math.isfinite(number) else None
