"""Bodies and near-duplicates of the pages of an archive, as functions of rows, in bounded memory."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body import DEFAULT_STRATEGY, extract_pages
from denoise_scrapy.core.feature_strings import BANDS, FeatureStrings
from denoise_scrapy.dedup import Fingerprint
from denoise_scrapy.dedup.fingerprint import is_too_short, threshold_for
from denoise_scrapy.dedup.rules import Comparison, PartRule
from denoise_scrapy.dedup.store import Name, Record
from denoise_scrapy.dedup.variants import (
    MOST_ALIGNED,
    Item,
    Like,
    hash_title,
    is_same_site,
    is_view,
    likest,
    site_of,
    units_of,
    why_variant,
)
from denoise_scrapy.formats import FORMS_BESIDE_TEXT
from denoise_scrapy.metadata import Metadata

VERSION = version("denoise-scrapy")
#: Most pages of a cell. Of a site cut in cells bodies are as good as uncut, F1 .9743 and .9742; a cell of recorded
#: pages takes half a minute, which is what a task that fails costs.
CELL = 4096
#: Optional parts of a body's row.
FIELDS = (*FORMS_BESIDE_TEXT, "meta")
#: Columns of forms; html is the page.
COLUMNS: Mapping[str, str] = {form: "body_html" if form == "html" else form for form in FORMS_BESIDE_TEXT}
#: Columns of "meta" (`Metadata`), with their types.
META: Mapping[str, type] = {
    name: list if name in {"authors", "tags"} else str for name in Metadata.__dataclass_fields__ if name != "title"
}


def bodies(
    pages: Iterable[Mapping[str, Any]], *, strategy: str = DEFAULT_STRATEGY, fields: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the bodies of pages, each compared with others of its site, or of its cell of a large site.

    A body depends on the pages of its site and cell alone, in their order: where they are always the same, as sorted by
    URL, so is the body. Some pages are read ahead; 32 of a site are remembered.

    Args:
        pages: Rows with `site`, `url` and `html`, str or bytes, and `cell` where a site is cut. Those of one site and
            cell stand together, sorted by `url`.
        strategy: A name in `STRATEGIES`.
        fields: Columns to add, of `FIELDS`: the body as Markdown; as HTML, in `body_html`; authors, dates, language and
            more of the page (`META`), which need the extra `meta`.

    Returns:
        The rows in their order, without `html`, and with `text`, `title`, `confidence`, `evidence`, `fallback` as of
        `Body`; `version`, that of this package; `fingerprint`, for `verify`, as a dict; and the fields.

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
    unknown = [name for name in fields if name not in FIELDS]
    if unknown:
        raise ValueError(f"fields are {', '.join(FIELDS)}, not {', '.join(unknown)}")
    for _, group in groupby(pages, lambda page: (page["site"], page.get("cell"))):
        yield from _of_group(group, strategy, fields)


def _of_group(group: Iterable[Mapping[str, Any]], strategy: str, fields: Sequence[str]) -> Iterator[dict[str, Any]]:
    waiting: deque[dict[str, Any]] = deque()  # rows of pages that are read ahead

    def read() -> Iterator[tuple[str, str | bytes]]:
        for page in group:
            waiting.append({name: value for name, value in page.items() if name != "html"})
            yield page["url"], page["html"]

    for _, body in extract_pages(read(), strategy=strategy):
        row = waiting.popleft()
        row |= {
            "text": body.text,
            "title": body.title,
            "confidence": body.confidence,
            "evidence": body.evidence,
            "fallback": body.fallback,
            "version": VERSION,
            "fingerprint": _columns(replace(Fingerprint.of(body.text), title=hash_title(body.title))),
        }
        for name in fields:
            if name == "meta":
                row |= {each: kind(getattr(body.meta, each)) for each, kind in META.items()}
            else:
                row[COLUMNS[name]] = getattr(body, name)
        yield row


def _columns(fingerprint: Fingerprint) -> dict[str, Any]:
    """A fingerprint as a dict of numbers and bytes; `Fingerprint(**columns)` is the same again."""
    return {name: getattr(fingerprint, name) for name in Fingerprint.__slots__}


#: Texts above which keys join two bands. 32 bands of 2 values give 3.8e8 false pairs at 1e7 texts, and a hundred times
#: as many with ten times the texts; 64 keys of 4 values keep 5.8 in 100 of these. Of true pairs they keep 99.4 in 100
#: where these are copies, 86 of 8,666 among 20,000 pages with edits, many of which are a part of another.
MOST_SINGLE = 30_000_000
#: Texts of a key, the earliest, that others with the key are compared with. A sentence in each page of a site has as
#: many as there are pages, and says nothing; copies have ten keys in common and more, and the earliest of them is kept
#: as a rule. With 256, as many as an index looks at, 100,000 pages of one template would make 800 million pairs.
MOST_CANDIDATES = 32

#: Within what texts are compared.
SCOPES = ("all", "site")

_FIRST = np.concatenate([np.arange(BANDS), np.arange(BANDS)])
_SECOND = np.concatenate([(np.arange(BANDS) + step) % BANDS for step in (1, 2)])
_FACTOR, _STEP = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)  # odd: different ones stay different
_PAGE = 16  # bits of a number within a page of `_Bits`

Edge = TypeVar("Edge", bound=Sequence[object])


def keys_of(bands: Sequence[bytes], *, joined: bool = False) -> npt.NDArray[np.int64]:
    """The keys of some texts, of which candidates share one.

    Args:
        bands: `Fingerprint.bands` of each, none of them empty.
        joined: Whether keys join two bands each: for more texts than `MOST_SINGLE`.

    Returns:
        int64, (n, 32), or (n, 64) where joined.

    Example:
        >>> text = "Swifts sleep on the wing, high over the sea, and come down to breed. " * 2
        >>> keys_of([Fingerprint.of(text).bands], joined=True).shape
        (1, 64)
    """
    values = np.frombuffer(b"".join(bands), "<u4").reshape(-1, BANDS).astype(np.uint64)
    if not joined:
        return np.asarray(values | np.arange(BANDS, dtype=np.uint64) << np.uint64(32)).view(np.int64)
    keys = (values[:, _FIRST] << np.uint64(32) | values[:, _SECOND]) * _FACTOR
    return np.asarray(keys + np.arange(len(_FIRST), dtype=np.uint64) * _STEP).view(np.int64)


def candidate_pairs(keyed: Iterable[tuple[Hashable, int]], most: int = MOST_CANDIDATES) -> Iterator[tuple[int, int]]:
    """Pairs of texts with a key in common.

    Args:
        keyed: Pairs of key and text, sorted.
        most: Texts of a key, the earliest, that later ones are paired with.

    Returns:
        Pairs of a text and an earlier one; a pair comes once for each key.

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
    """The index's decision on a text and all earlier ones that it may be like: by the rule "part", at its thresholds.

    A fingerprint cannot be cut again at another's frequency threshold: so the new text is needed itself.

    Args:
        row: The text: `url`, `text` and `fingerprint`, as `bodies` returns them.
        earlier: The others by their numbers; without `text`.

    Returns:
        Numbers of those that it is like, in the order in which `resolve` is to look at them: first what it is a
        duplicate of, then what it is a variant of, which is no duplicate.

    Example:
        >>> text = "Swifts sleep on the wing, high over the sea, and come down to breed under old roofs in May. "
        >>> text += "In August they leave for the south, and stay in the air until they come back to the same roof."
        >>> texts = [text, "None", "As we said. " + text, text.replace("August", "March")]
        >>> prints = [{name: getattr(Fingerprint.of(one), name) for name in Fingerprint.__slots__} for one in texts]
        >>> rows = [{"url": "http://a.example", "text": t, "fingerprint": f} for t, f in zip(texts, prints)]
        >>> [(number, one.duplicate) for row in rows[2:] for number, one in verify(row, dict(enumerate(rows[:2])))]
        [(0, True), (0, False)]
    """
    new = FeatureStrings(row["text"])
    if is_too_short(new.n, len(new.main_units(threshold_for(new)))):
        return []
    this = _record(0, row)
    item = Item(this.name, new, this.fingerprint)
    records = [_record(number, earlier[number]) for number in sorted(earlier)]
    judged = zip(records, PartRule().judge(new, [one.fingerprint for one in records]), strict=True)
    alike = [(one, proof) for one, proof in judged if proof.duplicate]
    siblings = _siblings([one for one, _ in alike])
    likes = [
        Like(one, proof, is_same_site(item.name.site, one.name.site), some)
        for (one, proof), some in zip(alike, siblings, strict=True)
    ]
    same = [like for like in likes if like.record.fingerprint.digest == new.digest]
    others = [like for like in likes if not like.in_a_form]
    aligned = likest(item, (like for like in likes if like.in_a_form))
    copies = {like.record.id: like.proof for like in (*same, *others, *aligned) if not why_variant(item, like)}
    variants = [(one.id, replace(proof, duplicate=False)) for one, proof in alike if one.id not in copies]
    return [*copies.items(), *variants[:MOST_ALIGNED]]


def _record(number: int, row: Mapping[str, Any]) -> Record:
    return Record(number, Name(row["url"], site=site_of(row["url"])), Fingerprint(**row["fingerprint"]))


def _siblings(records: Sequence[Record]) -> Iterator[list[Fingerprint]]:
    """For each of some like texts those of its site that each have units which the other has not."""
    units = [frozenset(units_of(one.fingerprint)[0].tolist()) for one in records]
    for one, mine in zip(records, units, strict=True):
        found = (
            other.fingerprint
            for other, theirs in zip(records[:MOST_CANDIDATES], units, strict=False)
            if is_same_site(one.name.site, other.name.site)
            and not (mine <= theirs or theirs <= mine or is_view(one.name.key, other.name.key))
        )
        yield list(islice(found, MOST_ALIGNED))


def resolve(edges: Iterable[Edge]) -> Iterator[Edge]:
    """Resolve which texts are dropped and which are variants: each by the first text it is like that is kept.

    Args:
        edges: Sequences that begin with a text, an earlier one that it is like, and whether it is a duplicate of that
            one, not a variant; in order of the texts, those of a text as `verify` returns them.

    Returns:
        The edge of each dropped text, and of each variant.

    Example:
        >>> list(resolve([(1, 0, True), (2, 1, True), (2, 0, False), (3, 1, True), (3, 2, True)]))
        [(1, 0, True), (2, 0, False), (3, 2, True)]
    """
    dropped = _Bits()
    for _, group in groupby(edges, itemgetter(0)):
        for edge in islice((one for one in group if one[1] not in dropped), 1):
            if edge[2]:
                dropped.add(edge[0])
            yield edge


class _Bits:
    """A set of numbers in a bit each, in pages of 8 KB: a thousand million of them that follow each other in 125 MB."""

    def __init__(self) -> None:
        self._pages: defaultdict[int, bytearray] = defaultdict(lambda: bytearray(1 << _PAGE - 3))

    def add(self, number: object) -> None:
        assert isinstance(number, int)
        place = number & (1 << _PAGE) - 1
        self._pages[number >> _PAGE][place >> 3] |= 1 << (place & 7)

    def __contains__(self, number: object) -> bool:
        assert isinstance(number, int)
        place = number & (1 << _PAGE) - 1
        page = self._pages.get(number >> _PAGE)
        return page is not None and bool(page[place >> 3] >> (place & 7) & 1)
