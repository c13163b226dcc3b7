"""Comparison pages and learned template of a model as one file, so that a body can be made again."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path

from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.rows import (
    FACTS_ARRAYS,
    TEMPLATE_ARRAYS,
    checksum,
    constants,
    facts_arrays,
    from_bytes,
    pack,
    read_facts,
    read_template,
    template_arrays,
    template_text,
    to_bytes,
    unpack,
)
from denoise_scrapy.site.statistics import SiteStatistics

#: Bytes of a model, before it is compressed: some 20 a block of its pages, thousands of pages.
MAX_BYTES = 1 << 28


def save_model(statistics: SiteStatistics, pinned: LearnedRule | None, path: Path) -> None:
    """Write a model as a compressed file of JSON and arrays, without pickles.

    Of comparison pages their facts are kept: strategies that read no more (`combined`, `repetition`, and those that
    read the page alone) make the very same body from the loaded model. `lcs`, `style-tree` and `cluster` read the
    elements of comparison pages, and find none in it.

    Args:
        statistics: Comparison pages and learned template.
        pinned: The pinned rule, None for none.
        path: The file, replaced where it is there.

    Raises:
        OSError: The file cannot be written.
        ValueError: The model has more than `MAX_BYTES`.
    """
    learned = statistics.learned
    told = {
        "constants": constants(),
        "urls": [page.url for page in statistics.pages],
        "learned": None if learned is None else template_text(learned),
        "pinned": None if pinned is None else pinned.as_dict(),
    }
    blobs = [blob for page in statistics.pages for blob in to_bytes(facts_arrays(page.facts), FACTS_ARRAYS)]
    if learned is not None:
        blobs += to_bytes(template_arrays(learned), TEMPLATE_ARRAYS)
    content = struct.pack("<I", len(blobs)) + pack(blobs, json.dumps(told))
    if len(content) > MAX_BYTES:
        raise ValueError(
            f"{path}: the model has {len(content):,} bytes, and {MAX_BYTES:,} can be loaded: fit fewer pages"
        )
    path.write_bytes(zlib.compress(content))


def load_model(path: Path) -> tuple[SiteStatistics, LearnedRule | None]:
    """Comparison pages with learned template, and pinned rule, of a file that `save_model` wrote.

    Args:
        path: The file.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no such file, or one of another version.
    """
    try:
        with path.open("rb") as file:
            return _read(_inflated(file.read(MAX_BYTES)))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, zlib.error) as error:
        advice = "Fit the model anew, and save it."
        raise ValueError(f"{path}: no model of denoise_scrapy that can be read: {error}. {advice}") from error


def _inflated(data: bytes) -> bytes:
    stream = zlib.decompressobj()
    content = stream.decompress(data, MAX_BYTES)
    if not stream.eof:
        raise ValueError(f"cut short, or of more than {MAX_BYTES:,} bytes")
    return content


def _read(content: bytes) -> tuple[SiteStatistics, LearnedRule | None]:
    (count,) = struct.unpack("<I", content[:4].ljust(4, b"\0"))
    text, crc, blobs = unpack(content[4:], count)
    if checksum(blobs, text) != crc:
        raise ValueError("damaged")
    told = json.loads(text)
    if told["constants"] != constants():
        raise ValueError(f"of another version: {told['constants']} there and {constants()} here")
    each, urls = len(FACTS_ARRAYS), [_text(url) for url in told["urls"]]
    pages = tuple(
        read_facts(from_bytes(blobs[each * number : each * (number + 1)], FACTS_ARRAYS), url)
        for number, url in enumerate(urls)
    )
    rest = from_bytes(blobs[each * len(urls) :], TEMPLATE_ARRAYS) if told["learned"] else {}
    learned = read_template(rest, told["learned"]) if told["learned"] else None
    pinned = LearnedRule.from_dict(told["pinned"]) if told["pinned"] else None
    return SiteStatistics(pages, learned), pinned


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("an URL that is no text")
    return value
