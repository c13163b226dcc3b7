"""Bodies and near-duplicates of the pages of an archive, as functions of rows, in bounded memory."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy import __version__
from denoise_scrapy.body import DEFAULT_STRATEGY, Body, extract_pages
from denoise_scrapy.body.fields import FIELDS, META, columns_of, flat, values_of
from denoise_scrapy.core.feature_strings import FeatureStrings
from denoise_scrapy.dedup import Fingerprint
from denoise_scrapy.dedup.prefilter import BANDS, bands_of
from denoise_scrapy.dedup.rules import Comparison, PartRule
from denoise_scrapy.dedup.store import Name, Record
from denoise_scrapy.dedup.variants import (
    MOST_ALIGNED,
    Like,
    ReadText,
    hash_title,
    is_same_site,
    judged,
    likest,
    site_of,
)
from denoise_scrapy.dedup.verdicts import COPY, DIFFERENT

#: Maximum pages of a cell. Bodies are as good with sites cut into cells as without, F1 .9743 and .9742; a cell of
#: recorded pages takes half a minute, which is what a failed task costs.
CELL = 4096


def columns_with(fields: Sequence[str]) -> dict[str, str]:
    """Return the columns of bodies and of fields; each of the metadata has one.

    Raises:
        ValueError: There is no such field.
    """
    unknown = [name for name in fields if name not in FIELDS]
    if unknown:
        raise ValueError(f"fields are {', '.join(FIELDS)}, not {', '.join(unknown)}")
    each = [name for name, field in FIELDS.items() if field.wants == META != name]
    return columns_of("text", ["fallback", *(name for one in fields for name in (each if one == META else [one]))])


def bodies(
    pages: Iterable[Mapping[str, Any]], *, strategy: str = DEFAULT_STRATEGY, fields: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the bodies of pages, each compared with others of its site, or of its cell of a large site.

    A body depends only on the pages of its site and cell, and on their order.

    Args:
        pages: Rows with `site`, `url` and `html`, str or bytes, and `cell` if a site is cut. Rows of one site and cell
            are adjacent, sorted by `url`. Some are read ahead.
        strategy: A name in `STRATEGIES`.
        fields: Columns to add, as "markdown" (docs/how-it-works.md); "meta" adds one for each of the metadata, which
            need the extra `meta`. Dicts, and lists of dicts, are written as JSON.

    Returns:
        The rows in order, without `html`, but with `text`, `title`, `confidence`, `evidence`, `fallback` as in `Body`;
        `version`, of this package; `fingerprint`, a dict for `verify`; and the fields.

    Raises:
        ValueError: There is no such strategy or field.
        ImportError: The extra `meta` is not installed.

    Example:
        >>> frame = "<div>Site menu</div><p>{}</p><div>All rights reserved</div>"
        >>> stories = ["The bridge was closed because of the flood.", "A lynx was seen near the station at dawn."]
        >>> pages = [(f"http://a.example/{n}", frame.format(story)) for n, story in enumerate(stories)]
        >>> [row["text"] for row in bodies({"site": "a", "url": url, "html": html} for url, html in pages)] == stories
        True
    """
    columns = columns_with(fields)
    waiting: deque[dict[str, Any]] = deque()  # rows of pages read ahead

    def read(group: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str | bytes]]:
        for page in group:
            waiting.append({name: value for name, value in page.items() if name != "html"})
            yield page["url"], page["html"]

    for _, group in groupby(pages, lambda page: (page["site"], page.get("cell"))):
        for _, body in extract_pages(read(group), strategy=strategy):
            yield waiting.popleft() | _row(body, columns)


def _row(body: Body, columns: Mapping[str, str]) -> dict[str, Any]:
    text = FeatureStrings(body.text)
    made = Fingerprint.of(text)
    fingerprint = replace(made, title=hash_title(body.title), bands=b"" if made.too_short else bands_of(text))
    made_by = {
        "version": __version__,
        "fingerprint": {name: getattr(fingerprint, name) for name in Fingerprint.__slots__},
    }
    return flat(values_of(columns, body)) | made_by


#: Number of texts above which keys join two bands. 32 bands of 2 values give 3.8e8 false pairs with 1e7 texts, and a
#: hundred times as many with ten times the texts; 64 keys of 4 values retain 5.8% of these, 99.4% of true pairs of
#: copies, and 86% of those of edited pages, many of which are a part of another.
MOST_SINGLE = 30_000_000
#: Number of earliest texts per key that others with the key are compared with. Copies share ten keys or more, and
#: usually the earliest is kept. With 256, as for an index, 100,000 pages of one template give 800 million pairs.
MOST_CANDIDATES = 32

#: Ranges within which texts are compared.
SCOPES = ("all", "site")

_FIRST = np.concatenate([np.arange(BANDS), np.arange(BANDS)])
_SECOND = np.concatenate([(np.arange(BANDS) + step) % BANDS for step in (1, 2)])
# odd, so that different values stay different
_FACTOR, _STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_BITS = 1 << 16

Edge = TypeVar("Edge", bound=Sequence[Any])


def keys_of(bands: Sequence[bytes], *, joined: bool = False) -> npt.NDArray[np.int64]:
    """Return the keys of texts; candidates have one in common.

    Args:
        bands: `Fingerprint.bands` of each (`bands_of`), none of them empty.
        joined: Whether keys join two bands each: for more texts than `MOST_SINGLE`.

    Returns:
        int64, (n, 32), or (n, 64) if joined.

    Example:
        >>> text = "Swifts sleep on the wing, high over the sea, and come down to breed. " * 2
        >>> keys_of([bands_of(FeatureStrings(text))], joined=True).shape
        (1, 64)
    """
    values = np.frombuffer(b"".join(bands), "<u4").reshape(-1, BANDS).astype(np.uint64)
    if not joined:
        return np.asarray(values | np.arange(BANDS, dtype=np.uint64) << np.uint64(32)).view(np.int64)
    keys = (values[:, _FIRST] << np.uint64(32) | values[:, _SECOND]) * _FACTOR
    return np.asarray(keys + np.arange(len(_FIRST), dtype=np.uint64) * _STEP).view(np.int64)


def candidate_pairs(keyed: Iterable[tuple[Hashable, int]], most: int = MOST_CANDIDATES) -> Iterator[tuple[int, int]]:
    """Yield pairs of texts with a key in common.

    Args:
        keyed: Pairs of key and text, sorted.
        most: Number of earliest texts per key that later ones are paired with.

    Returns:
        Pairs of a text and an earlier one, once for each common key.

    Example:
        >>> list(candidate_pairs([("a", 1), ("a", 2), ("b", 0), ("b", 2), ("b", 3)]))
        [(2, 1), (2, 0), (3, 0), (3, 2)]
    """
    for _, group in groupby(keyed, itemgetter(0)):
        earlier: list[int] = []
        for _, text in group:
            for one in earlier:
                yield text, one
            if len(earlier) < most:
                earlier.append(text)


def verify(row: Mapping[str, Any], earlier: Mapping[int, Mapping[str, Any]]) -> list[tuple[int, Comparison]]:
    """Return the decision of an index about a text and similar earlier ones, by the rule "part".

    Args:
        row: The text: `url`, `text` and `fingerprint`, as `bodies` returns them.
        earlier: The others by their numbers; without `text`.

    Returns:
        Numbers and comparisons of texts that it resembles, in the order for `resolve`: first those it is a duplicate
        of, then those it is a variant of, whose comparisons are no duplicates.

    Example:
        >>> text = "Swifts sleep on the wing, high over the sea, and come down to breed under old roofs in May. "
        >>> text += "In August they leave for the south, and stay in the air until they come back to the same roof."
        >>> texts = [text, "None", "As we said. " + text, text.replace("August", "March")]
        >>> prints = [{name: getattr(Fingerprint.of(one), name) for name in Fingerprint.__slots__} for one in texts]
        >>> rows = [{"url": "http://a.example", "text": t, "fingerprint": f} for t, f in zip(texts, prints)]
        >>> [(number, one.duplicate) for row in rows[2:] for number, one in verify(row, dict(enumerate(rows[:2])))]
        [(0, True), (0, False)]
    """
    this = _record(0, row)
    if this.fingerprint.too_short:
        return []
    new = FeatureStrings(row["text"])
    item = ReadText(new, this.fingerprint, name=this.name)
    records = [_record(number, earlier[number]) for number in sorted(earlier)]
    compared = [(one, PartRule().judge(new, one.fingerprint)) for one in records]
    site, alike = item.name.site, [(one, proof) for one, proof in compared if proof.duplicate]
    likes = likest(item, (Like(one, proof, is_same_site(site, one.name.site)) for one, proof in alike))
    found = {like.record.id: (judged(item, like).kind, like.proof) for like in likes}
    copies = [(number, proof) for number, (kind, proof) in found.items() if kind == COPY]
    no_form = {number for number, (kind, _) in found.items() if kind in {COPY, DIFFERENT}}
    others = [(one.id, replace(proof, duplicate=False)) for one, proof in alike if one.id not in no_form]
    return [*copies, *others[:MOST_ALIGNED]]


def _record(number: int, row: Mapping[str, Any]) -> Record:
    return Record(number, Name(row["url"], site=site_of(row["url"])), Fingerprint(**row["fingerprint"]))


def resolve(edges: Iterable[Edge]) -> Iterator[Edge]:
    """Yield the dropped texts and the variants, each with the first similar text that is kept.

    Args:
        edges: Sequences that begin with a text, an earlier one that it resembles, and whether it is a duplicate of that
            one or a variant; in order of the texts, and for each text in the order of `verify`.

    Returns:
        The edge of each dropped text, and of each variant.

    Example:
        >>> list(resolve([(1, 0, True), (2, 1, True), (2, 0, False), (3, 1, True), (3, 2, True)]))
        [(1, 0, True), (2, 0, False), (3, 2, True)]
    """
    dropped = defaultdict[int, int](int)  # one bit per text, in integers of 8 KB: a billion texts take 125 MB
    for text, group in groupby(edges, itemgetter(0)):
        for edge in islice((one for one in group if not dropped[one[1] // _BITS] >> one[1] % _BITS & 1), 1):
            if edge[2]:
                dropped[text // _BITS] |= 1 << text % _BITS
            yield edge
