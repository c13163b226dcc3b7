"""Learned templates and facts as plain bytes and text, for files.

Arrays are their bytes, little endian, of the types below; what is no array is JSON. A checksum tells rows that were
damaged from those that can be read.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site.familiarity import Familiarity
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.path_sums import PathSums
from denoise_scrapy.site.rule_votes import RuleVotes, Vote
from denoise_scrapy.site.rules import Rule

#: Arrays of a template: `LearnedTemplate.signature`, then those of `PathSums`.
TEMPLATE_ARRAYS = {"signature": "<u8", "keys": "<u8", "content": "<f8", "tokens": "<f8", "pages": "<f8"}
#: Arrays of a page's facts (`PageFacts`).
FACTS_ARRAYS = {"signature": "<u8", "text_hashes": "<u8", "path_keys": "<u8", "tokens": "<u4"}

#: Raise with any change of these rows.
FORMAT = "1"
_SAMPLE = "<div id=a class='b c'><h1>Über 1 title</h1><p>Some <b>words</b>, 漢字.<ul><li><a href=/x>x</a></ul></div>"

#: Above any count or sum.
MOST = 1e15

Arrays = dict[str, npt.NDArray[np.generic]]


def constants() -> dict[str, str]:
    """What rows of this version are made with: their format, and how paths and texts are hashed."""
    facts = Page.parse(_SAMPLE).facts
    return {"format": FORMAT, "hashes": f"{checksum(to_bytes(facts_arrays(facts), FACTS_ARRAYS), ''):08x}"}


def template_arrays(template: LearnedTemplate) -> Arrays:
    """The arrays of a template."""
    sums = template.sums
    signature = np.array(sorted(template.signature), np.uint64)
    return dict(
        zip(TEMPLATE_ARRAYS, (signature, sums.keys, sums.content, sums.tokens, sums.pages), strict=True),
    )


def template_text(template: LearnedTemplate) -> str:
    """What else a template is, as JSON."""
    known = template.familiarity
    return json.dumps(
        {
            "pages": template.pages,
            "example": template.example,
            "names": dict(template.names),
            "familiarity": [known.pages, known.usual, known.recent],
            "votes": [
                [rule.id, rule.class_, rule.path, vote.weight, vote.pages, vote.content, vote.tokens, dict(vote.cuts)]
                for rule, vote in template.votes.votes.items()
            ],
        }
    )


def read_template(arrays: Arrays, text: str) -> LearnedTemplate:
    """The template of `template_arrays` and `template_text`.

    Raises:
        ValueError: They do not fit together.
    """
    told = json.loads(text)
    _same_length(arrays, ("keys", "content", "tokens", "pages"))
    votes = {}
    for id_, class_, path, weight, pages, content, tokens, cuts in told["votes"]:
        _expect(str, id_, class_, path, *cuts.values())
        _expect(float, weight, pages, content, tokens)
        votes[Rule(id_, class_, path)] = Vote(weight, pages, content, tokens, {int(key): cuts[key] for key in cuts})
    sums = PathSums(*(np.asarray(arrays[name]) for name in ("keys", "content", "tokens", "pages")))  # type: ignore[arg-type]
    if not all(np.all((column >= 0) & (column < MOST)) for column in (sums.content, sums.tokens, sums.pages)):
        raise ValueError("a sum that cannot be")
    signature = frozenset(arrays["signature"].tolist())
    names = {int(key): str(name) for key, name in told.get("names", {}).items()}  # older files have none
    pages, usual, recent = told["familiarity"]
    _expect(int, told["pages"], pages)
    _expect(float, usual, recent)
    _expect(str, told["example"])
    known = Familiarity(pages, usual, recent)
    return LearnedTemplate(signature, told["pages"], sums, RuleVotes(votes), known, told["example"], names)


def _expect(kind: type, *values: Any) -> None:
    """See that values of JSON are texts, or counts and sums: anybody may have written them.

    Raises:
        ValueError: They are of another type, negative or out of all bounds.
    """
    for value in values:
        fits = isinstance(value, (int, float) if kind is float else kind)
        if not fits or (kind is not str and not 0 <= value < MOST):
            raise ValueError(f"no {kind.__name__}: {value!r:.100}")


def facts_arrays(facts: PageFacts) -> Arrays:
    """The arrays of a page's facts."""
    signature = np.array(sorted(facts.signature), np.uint64)
    return dict(zip(FACTS_ARRAYS, (signature, facts.text_hashes, facts.path_keys, facts.tokens), strict=True))


def read_facts(arrays: Arrays, url: str) -> PageFacts:
    """The facts of `facts_arrays`.

    Raises:
        ValueError: The arrays do not fit together.
    """
    _same_length(arrays, ("text_hashes", "path_keys", "tokens"))
    signature = frozenset(arrays["signature"].tolist())
    hashes, keys = (arrays[name].astype(np.uint64) for name in ("text_hashes", "path_keys"))
    return PageFacts(url, signature, hashes, keys, arrays["tokens"].astype(np.int64))


def to_bytes(arrays: Arrays, types: Mapping[str, str]) -> list[bytes]:
    """The bytes of arrays, in the order of `types`."""
    return [arrays[name].astype(dtype).tobytes() for name, dtype in types.items()]


def from_bytes(blobs: list[bytes], types: Mapping[str, str]) -> Arrays:
    """The arrays of `to_bytes`.

    Raises:
        ValueError: A length does not fit the type.
    """
    native = {name: np.dtype(dtype).newbyteorder("=") for name, dtype in types.items()}
    return {
        name: np.frombuffer(blob, types[name]).astype(native[name]) for name, blob in zip(types, blobs, strict=True)
    }


def pack(blobs: list[bytes], text: str) -> bytes:
    """A row as one piece: its checksum, the lengths of its parts, and these, the text first."""
    parts = [text.encode("utf-8", "surrogatepass"), *blobs]
    return struct.pack(f"<{len(parts) + 1}I", checksum(blobs, text), *map(len, parts)) + b"".join(parts)


def unpack(row: bytes, parts: int) -> tuple[str, int, list[bytes]]:
    """Text, checksum and blobs of `pack`.

    Args:
        row: The row.
        parts: How many blobs it has.

    Raises:
        ValueError: The row is damaged.

    Example:
        >>> unpack(pack([b"one", b""], "text"), 2)[::2]
        ('text', [b'one', b''])
    """
    head = struct.Struct(f"<{parts + 2}I")
    if len(row) < head.size:
        raise ValueError("damaged")
    crc, *lengths = head.unpack_from(row)
    ends = list(accumulate(lengths, initial=head.size))
    if ends[-1] != len(row):
        raise ValueError("damaged")
    text, *blobs = (row[begin:end] for begin, end in pairwise(ends))
    return text.decode("utf-8", "surrogatepass"), crc, blobs


def checksum(blobs: list[bytes], text: str) -> int:
    """A checksum of a row."""
    value = zlib.crc32(text.encode("utf-8", "surrogatepass"))
    for blob in blobs:
        value = zlib.crc32(blob, value)
    return value


def _same_length(arrays: Arrays, names: tuple[str, ...]) -> None:
    lengths: dict[str, Any] = {name: len(arrays[name]) for name in names}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns of one table differ in length: {lengths}")
