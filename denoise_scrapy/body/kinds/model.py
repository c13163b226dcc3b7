"""Features of a whole page, and the model of kinds: one linear score a kind, made probabilities.

Everything is counted from columns that the features of blocks need as well, by path where that is enough: a page has
many elements and few paths. Prices, lists of records and lines of meta data were tried and add nothing to these.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.kinds.lists import CLASS_WORDS, DECLARED, PHRASES, TITLE_WORDS, URL_WORDS
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.marked_text import COMMA, DIGIT, OTHER, STOP, UPPER
from denoise_scrapy.page.paths import name_code

Value = tuple[str, float]

#: Blocks of fewer tokens are labels, buttons and headings: phrases are looked for in these alone. 6 to 14 do alike;
#: in Chinese a button has up to 7.
LABEL_TOKENS = 8
#: Titles and class names longer than this are cut before words are looked for: time is bounded.
_MAX_LENGTH = 400
#: Each phrase with its first word; "" where the phrase is in another script than ours and may stand within a word.
_PHRASES = {
    name: [(phrase.split()[0] if phrase.isascii() else "", phrase) for phrase in phrases.split("|")]
    for name, phrases in PHRASES.items()
}
_TITLE = {name: words.split("|") for name, words in TITLE_WORDS.items()}
_CLASS_PATTERN = re.compile("|".join(rf"(?P<{name}>{words})" for name, words in CLASS_WORDS.items()))
_CLASS_BIT = {name: 1 << i for i, name in enumerate(CLASS_WORDS)}
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_WORD = re.compile(r"\w+")
_YEAR = re.compile(r"\b20[12]\d\b")
_COUNTED = re.compile(r"(?:^|\s)\d{1,2}\s+\w")
_TITLE_PARTS = re.compile(r"\s[-|–—:»·]\s")


@lru_cache(maxsize=16_384)
def _word_bit(word: str) -> int:
    match = _CLASS_PATTERN.match(word.lower())
    return _CLASS_BIT[str(match.lastgroup)] if match else 0


@lru_cache(maxsize=16_384)
def class_bits(step: str) -> int:
    """Which of `CLASS_WORDS` an element's class and id hold, a bit each.

    Args:
        step: The element as `PathTable.step` has it.

    Example:
        >>> class_bits("div#main.threadTitle.post-list") == _CLASS_BIT["forum"], class_bits("article")
        (True, 0)
    """
    if "." not in step and "#" not in step:
        return 0
    bits = 0
    for word in _NAME_WORD.findall(step[:_MAX_LENGTH])[1:]:  # the first is the tag's
        bits |= _word_bit(word)
    return bits


def declared_features(types: frozenset[str]) -> Iterator[Value]:
    """Which groups of types the page declares."""
    for name, some in DECLARED.items():
        yield f"declares_{name}", float(not some.isdisjoint(types))
    yield "declares", np.log1p(len(types))


def title_features(title: str) -> Iterator[Value]:
    """Words, length and form of the page's title."""
    title = title[:_MAX_LENGTH].lower()
    for name, words in _TITLE.items():
        yield f"title_{name}", float(any(word in title for word in words))
    yield "title_length", np.log1p(len(title))
    yield "title_question", float("?" in title or "？" in title)
    yield "title_parts", float(len(_TITLE_PARTS.split(title)))
    yield "title_year", float(bool(_YEAR.search(title)))
    yield "title_counts", float(bool(_COUNTED.search(title)))


def phrase_features(page: Page) -> Iterator[Value]:
    """How many of each list's phrases the page's labels hold.

    Example:
        >>> dict(phrase_features(Page.parse("<p>In stock: 3<p>Add <b>to</b> cart!")))["says_buy"]
        2.0
    """
    words = _label_words(page)
    text, known = " ".join(words), frozenset(words)
    ascii_only = text.isascii()
    for name, phrases in _PHRASES.items():
        found = 0
        for first, phrase in phrases:  # of a space-separated script, the first word alone refuses nearly all
            if first in known if first else not ascii_only:
                found += first == phrase or phrase in text
        yield f"says_{name}", float(found)


def _label_words(page: Page) -> list[str]:
    """The words of all short blocks, in lower case."""
    blocks, text = page.blocks, page.elements.text
    short = blocks.tokens < LABEL_TOKENS
    starts, lengths = blocks.start[short], (blocks.end - blocks.start)[short] + 1  # the mark after it parts words
    offset = np.cumsum(lengths) - lengths
    places = np.repeat(starts - offset, lengths) + np.arange(int(lengths.sum()))
    codes = text.codes[np.minimum(places, len(text.codes) - 1)]
    letters = codes.tobytes().decode("utf-16-le", "replace") if text.wide else codes.tobytes().decode("latin-1")
    return _WORD.findall(letters.lower())


#: A longer URL is cut: time is bounded.
_MAX_URL = 2000
#: Words of a segment ("forum" in "old-forum") are looked for from this length on: shorter ones mean anything.
_MIN_PIECE = 4
_MANY_HYPHENS = 12  # a title in the URL has as many; more tell no more
_NOT_A_LETTER = re.compile(r"[\W_\d]+")
_LONG_NUMBER = re.compile(r"\d{4}")
_DATE = re.compile(r"/(?:19|20)\d\d[/-]\d?\d\b")
_FILE = re.compile(r"\.(?:s?html?|php|aspx?|cfm|jsp)$")


def url_features(url: str) -> Iterator[Value]:
    """Form and words of a URL; all NaN where it is none, for then nothing is known.

    Example:
        >>> found = dict(url_features("http://forum.a.example/t/what-is-it/1234"))
        >>> found["url_forum"], found["url_forum_host"], found["url_depth"], found["url_product"]
        (1.0, 1.0, 3.0, 0.0)
        >>> all(np.isnan(value) for _, value in url_features(""))
        True
    """
    try:
        parts = urlsplit(url[:_MAX_URL])
    except ValueError:
        parts = urlsplit("")
    known = parts.scheme in ("http", "https")
    for name, value in _url_values(parts):
        yield f"url_{name}", value if known else float("nan")


def _url_values(parts: SplitResult) -> Iterator[Value]:
    path, query = parts.path.lower(), parts.query.lower()
    segments = [piece for piece in path.split("/") if piece]
    last = segments[-1] if segments else ""
    names = {piece.rpartition(".")[0] or piece for piece in segments}
    labels = set(parts.netloc.lower().split("."))
    pieces = set(_NOT_A_LETTER.split(path + " " + query))
    for name, words in URL_WORDS.items():
        yield name, float(bool(words & names))
        yield f"{name}_host", float(bool(words & labels))
        yield f"{name}_piece", float(any(len(piece) >= _MIN_PIECE for piece in words & pieces))
    yield "depth", float(len(segments))
    yield "length", np.log1p(len(path))
    yield "last_length", np.log1p(len(last))
    yield "hyphens", float(min(last.count("-") + last.count("_"), _MANY_HYPHENS))
    yield "root", float(not segments)
    yield "last_digits", float(any(char.isdigit() for char in last))
    yield "long_number", float(bool(_LONG_NUMBER.search(path)))
    yield "date", float(bool(_DATE.search(path)))
    yield "query", float(bool(query))
    yield "file", float(bool(_FILE.search(path)))
    yield "slash", float(path.endswith("/"))
    yield "paging", float("page" in path or "page" in query or "start=" in query or "offset" in query)


#: Elements that are counted.
TAGS = (
    "form input button label img article section h1 h2 h3 h4 table tr th ul ol li dl dt pre code figure select "
    "textarea video iframe time blockquote nav aside p a span hr em kbd summary details svg picture"
).split()
#: Blocks of fewer tokens are labels, of more than the second number whole paragraphs.
SHORT, LONG = 5, 40
#: Blocks of more links are links.
LINKED = 0.6


def count(values: npt.ArrayLike) -> float:
    """How many are not zero, as a logarithm."""
    return math.log1p(np.count_nonzero(values))


def shape_features(page: Page) -> Iterator[Value]:
    """All of them."""
    yield from _element_features(page)
    yield from _text_features(page)
    yield from _block_features(page)


def _element_features(page: Page) -> Iterator[Value]:
    """Counts of tags and of class words, and the share of text below class words."""
    elements, blocks, table = page.elements, page.blocks, page.path_table
    times = np.bincount(elements.paths, minlength=len(table))
    paths = np.flatnonzero(times)
    times = times[paths]
    codes, inverse = np.unique(table.columns["tag"][paths], return_inverse=True)
    tags = dict(zip(codes.tolist(), np.bincount(inverse, times).tolist(), strict=True))
    for tag, code in _tag_codes():
        yield f"tag_{tag}", math.log1p(tags.get(code, 0))
    yield "elements", math.log1p(len(elements))
    own = np.array([class_bits(table.step(path)) for path in paths.tolist()], np.int64)
    inherited = _with_ancestors(own, np.searchsorted(paths, table.columns["parent"][paths]))
    tokens = np.bincount(elements.paths[blocks.element], blocks.tokens, len(table))[paths]
    bits = 1 << np.arange(len(CLASS_WORDS))[:, None]
    held, below = ((own & bits) != 0) @ times, ((inherited & bits) != 0) @ tokens / max(tokens.sum(), 1)
    for name, many, share in zip(CLASS_WORDS, held.tolist(), below.tolist(), strict=True):
        yield f"class_{name}", math.log1p(many)
        yield f"in_class_{name}", share


@cache
def _tag_codes() -> tuple[tuple[str, int], ...]:
    return tuple((tag, name_code(tag)) for tag in TAGS)


def _with_ancestors(bits: npt.NDArray[np.int64], parent: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The bits of each path and of all above it.

    Args:
        bits: Bits of each path, shape (paths,).
        parent: Index of its parent among them, shape (paths,); a root's is any root.

    Example:
        >>> _with_ancestors(np.array([1, 0, 0, 2]), np.array([0, 0, 1, 2])).tolist()
        [1, 1, 1, 3]
    """
    while True:  # doubles the distance: log2(depth) rounds
        bits = bits | bits[parent]
        further = parent[parent]
        if np.array_equal(further, parent):
            return bits
        parent = further


def _text_features(page: Page) -> Iterator[Value]:
    """Amount, punctuation and links of all text; prose."""
    blocks = page.blocks
    total, chars = max(float(blocks.tokens.sum()), 1.0), max(float(blocks.chars.sum()), 1.0)
    yield "tokens", math.log1p(total)
    yield "blocks", math.log1p(len(blocks))
    yield "mean", math.log1p(total / max(len(blocks), 1))
    yield "ld", float(blocks.link_chars.sum()) / chars
    yield "word_length", chars / total
    shares = blocks.counts.sum(axis=0) / chars
    for name, kind in (("stops", STOP), ("commas", COMMA), ("digits", DIGIT), ("capitals", UPPER), ("signs", OTHER)):
        yield name, float(shares[kind])
    prose = blocks.paragraph_tokens
    yield "prose", float(prose.sum()) / total
    yield "paragraphs", count(prose)
    yield "paragraph_share", np.count_nonzero(prose) / max(len(blocks), 1)
    yield "longest", math.log1p(prose.max(initial=0))
    yield "paragraph_mean", math.log1p(prose.sum() / max(int(np.count_nonzero(prose)), 1))


def _block_features(page: Page) -> Iterator[Value]:
    """Shares of the text by what its blocks are."""
    blocks = page.blocks
    tokens = blocks.tokens
    total = float(max(tokens.sum(), 1))
    flags = np.array(list(Flag.__members__.values()), np.int64)
    inside = tokens @ ((blocks.flags[:, None] & flags) != 0)
    for name, text in zip(Flag.__members__, inside.tolist(), strict=True):
        yield f"in_{name.lower()}", text / total
    linked, long, short = blocks.link_density > LINKED, tokens >= LONG, tokens < SHORT
    heading = (blocks.flags & Flag.HEADING) != 0
    for name, some in (("linked", linked), ("long", long), ("short", short), ("titles", linked & ~short)):
        yield f"{name}_text", float(some @ tokens / total)
        yield f"{name}_share", np.count_nonzero(some) / max(len(some), 1)
    yield "long_count", count(long)
    yield "title_count", count(linked & ~short)
    yield "headings", count(heading)
    yield "heading_links", np.count_nonzero(heading & linked) / max(int(np.count_nonzero(heading)), 1)
    yield "tokens_a_heading", math.log1p(total / (1 + int(np.count_nonzero(heading))))
    share = tokens / total
    yield "entropy", float(-(share * np.log(np.maximum(share, 1e-9))).sum())
    yield "largest", float(share.max(initial=0))


#: What a page may be: a text (news, post, essay), a thread of posts or questions and answers, one thing for sale, a
#: list of texts or entries (index, archive, search result, videos), many things for sale, a manual or reference, what
#: an organisation offers (home pages, landing pages).
KINDS = ("article", "forum", "product", "listing", "collection", "documentation", "service")
#: Standardised values are cut here: no page is so odd that one feature may decide.
CUT = 4.0


def _all(page: Page) -> Iterator[Value]:
    yield from declared_features(page.declared_types)
    yield from title_features(page.title)
    yield from url_features(page.url)
    yield from phrase_features(page)
    yield from shape_features(page)


def kind_features(page: Page) -> npt.NDArray[np.float64]:
    """Features of a page, shape (n,), named by `FEATURES`; NaN where unknown.

    Example:
        >>> features = kind_features(Page.parse("<table><tr><td>One</td></tr></table>"))
        >>> features.shape == (len(FEATURES),), bool(features[FEATURES.index("tag_tr")] > 0)
        (True, True)
    """
    return np.array([value for _, value in _all(page)], np.float64)


FEATURES: tuple[str, ...] = tuple(name for name, _ in _all(Page.parse("<p>One two three.</p>")))


@dataclass(frozen=True, eq=False)
class KindModel:
    """Probability of each of k kinds from n features of a page.

    Attributes:
        kinds: Names of the kinds.
        names: Names of the features, in the order of the array that is asked about.
        center: Mean of each feature, shape (n,).
        scale: Its standard deviation, shape (n,).
        weights: Log odds that a standardised feature adds to each kind, shape (k, n).
        bias: Log odds without any, shape (k,).
        provenance: What the weights were fitted on, and how well.
    """

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    center: npt.NDArray[np.float32]
    scale: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    provenance: dict[str, Any]

    def probability(self, features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Probability of each kind.

        Args:
            features: Shape (n,) of one page, or (pages, n). What is not known counts as usual.

        Returns:
            Shape (k,) or (pages, k); each page's sum to 1.
        """
        odds = standardise(features, self.center, self.scale) @ self.weights.T + self.bias
        odds = np.exp(odds - odds.max(axis=-1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=-1, keepdims=True))

    def kinds_of(self, page: Page) -> dict[str, float]:
        """Probability of each kind of a page, by name."""
        return dict(zip(self.kinds, self.probability(kind_features(page)).tolist(), strict=True))

    def save(self, path: Path) -> None:
        """Write the model to a file, without pickles."""
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                kinds=np.array(self.kinds),
                names=np.array(self.names),
                center=self.center,
                scale=self.scale,
                weights=self.weights,
                bias=self.bias,
                provenance=np.array(json.dumps(self.provenance, sort_keys=True)),
            )

    @classmethod
    def load(cls, path: Path) -> KindModel:
        """Read a file that `save` wrote."""
        with np.load(path, allow_pickle=False) as data:
            return cls(
                kinds=tuple(data["kinds"].tolist()),
                names=tuple(data["names"].tolist()),
                center=data["center"],
                scale=data["scale"],
                weights=data["weights"],
                bias=data["bias"],
                provenance=json.loads(str(data["provenance"])),
            )


def standardise(
    features: npt.NDArray[np.float64], center: npt.NDArray[np.floating], scale: npt.NDArray[np.floating]
) -> npt.NDArray[np.float64]:
    """Features by mean and standard deviation, cut at CUT; 0 where unknown.

    Example:
        >>> standardise(np.array([3.0, np.nan, 99.0]), np.array([1.0, 1.0, 1.0]), np.array([2.0, 2.0, 2.0])).tolist()
        [1.0, 0.0, 4.0]
    """
    return np.asarray(np.clip(np.nan_to_num((features - center) / scale), -CUT, CUT))


@cache
def kind_model() -> KindModel:
    """The model that comes with the package."""
    with as_file(files("denoise_scrapy.body") / "models" / "kinds.npz") as path:
        return KindModel.load(path)
