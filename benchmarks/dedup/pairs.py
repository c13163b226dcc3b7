"""Labelled pairs: a new text, a kept one, and whether a person would call them the same.

The same bases and seed give the same pairs: every pair has a random generator of its own, named after the seed, its
kind and its base, so a further kind changes no other's pairs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from random import Random

import numpy as np

from benchmarks.dedup.forms import form_pairs
from benchmarks.dedup.scores import CHINESE, FALSE, RECALL, Score, Share
from benchmarks.dedup.texts import GROUPS, Base, excerpt, first, pieces, sentences, size, split, words
from denoise_scrapy.core.feature_strings import FeatureStrings, tokens
from denoise_scrapy.dedup import RULES, Fingerprint
from denoise_scrapy.dedup.prefilter import bands_of
from denoise_scrapy.dedup.rules import NewText

FORMS = 500  # pairs of one form; about a seventh of the negatives
MIN_UNITS = 20  # shorter texts are never judged by similarity
MIN_RATIO = 0.3  # a part shorter than this is an excerpt, without a promised verdict
_TURNS = {"latin": (4, 2), "chinese": (7, 3)}
"""Kinds of positives and negatives made of a base, in turn; all of them if a language group has few texts."""
_SITE_PAIRS = 3  # per base: otherwise one site of many pages would make up most negatives
_THIRDS = 3  # most texts taken from a page, one after the other
_SHORT = (22, 45)  # units of a short text that is copied
_CUT = (0.02, 0.3)  # share of the text that a cut paragraph may be
_FOREIGN = 0.2  # most of a page that is others' text, after a tenth of its sentences is replaced
_FOOTER = 40  # units of a footer that two texts share
_ABOVE_FOOTER = (30, 90)  # units of a short text above that footer, which then is a third to over half of the page
_PART = (25, 60)  # units of adjacent parts of a text

_CHINESE_NAMES = "王芳 李建国 张晓梅 刘洋 陈立 赵敏 黄海涛 周雪".split()
_CHINESE_SOURCES = "新华网 澎湃新闻 本站综合 南方日报 光明网 央视新闻".split()
_NAMES = "Ada Brandt, Miguel Ortega, Jane Whitlow, Tomasz Lis, Priya Nair, Luc Moreau, Sam O'Neill".split(", ")
_SHARES = {
    "chinese": ["分享到： 微信 微博 QQ空间", "点赞 收藏 分享 打印 字号 大 中 小", "扫一扫 手机阅读 分享朋友圈"],
    "latin": [
        "Share on Facebook Tweet Email Print",
        "Share this: X WhatsApp Reddit LinkedIn",
        "Save Share Print Copy link",
    ],
}
_TAIWAN_MARKS = str.maketrans({"“": "「", "”": "」", "‘": "『", "’": "』", "·": "‧", "—": "─"})
_ASCII_MARKS = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "..."})
_TABLES: dict[str, Mapping[int, int | str]] = {
    "full width": {code: code + 0xFEE0 for code in range(0x21, 0x7F)},
    "half width": {**str.maketrans("，。！？；：（）", ",.!?;:()")},
    "marks": {**_ASCII_MARKS},
}

Texts = tuple[str, str]
#: A rule: given a new text and a kept one, returns whether the new one is a duplicate.
Rule = Callable[[str, str], bool]


@dataclass(frozen=True)
class Pair:
    """Two texts and the truth about them.

    Attributes:
        kind: Name of the edit.
        duplicate: Whether a person would call the new text the kept one again.
        group: Language group, one of `texts.GROUPS`.
    """

    new: str
    kept: str
    kind: str
    duplicate: bool
    group: str


def _judge(name: str, new: str, kept: str) -> bool:
    return RULES[name].judge(_read(name, new)[0], _read(name, kept)[1]).duplicate


def _behind_prefilter(new: str, kept: str) -> bool:
    """Judge by the default rule if the prefilter passes the pair: a band in common."""
    mine, theirs = (np.frombuffer(_bands(text), "<u4") for text in (new, kept))
    return bool(np.isin(mine, theirs).any()) and _judge("part", new, kept)


@lru_cache(64)
def _bands(text: str) -> bytes:
    return bands_of(FeatureStrings(text))


@lru_cache(64)  # the pairs of a text are close together
def _read(name: str, text: str) -> tuple[NewText, Fingerprint]:
    new = RULES[name].read(text)
    return new, RULES[name].fingerprint(new)


#: The default of a crawl, with the tree, which misses nothing, and with the prefilter, held to floors; and other rules.
OWN: dict[str, Rule] = {"part": partial(_judge, "part"), "part behind MinHash": _behind_prefilter}
OTHERS: dict[str, Rule] = {name: partial(_judge, name) for name in ("near-copy", "patent")}


def make_pairs(bases: Sequence[Base], seed: int = 0, forms: int = FORMS) -> list[Pair]:
    """Return all pairs of some bases, of two pages at least, no two of which say the same; and so many of one form."""
    pool = Pool(bases)
    pairs = [
        *_edited(bases, pool, POSITIVES, True, seed),
        *_edited(bases, pool, NEGATIVES, False, seed),
        *_neighbours(bases),
        *(Pair(new, kept, "one form", False, group) for new, kept, group in form_pairs(forms, seed)),
    ]
    return [pair for pair in pairs if _is_fit(pair)]


def measure(name: str, rule: Rule, pairs: Sequence[Pair]) -> Score:
    """Judge all pairs."""
    judged = [(pair, rule(pair.new, pair.kept)) for pair in pairs]

    def share(**wanted: object) -> Share:
        return Share.of(called for pair, called in judged if all(getattr(pair, k) == v for k, v in wanted.items()))

    chinese = share(duplicate=True, group="chinese")
    return Score(
        rule=name,
        goals={
            RECALL: share(duplicate=True),
            **({CHINESE: chinese} if chinese.pairs else {}),
            FALSE: share(duplicate=False),
        },
        groups={(group, truth): share(group=group, duplicate=truth) for truth in (True, False) for group in GROUPS},
        kinds={
            (kind, truth): share(kind=kind, duplicate=truth)
            for kind, truth in dict.fromkeys((pair.kind, pair.duplicate) for pair in pairs)
        },
    )


def _edited(bases: Sequence[Base], pool: Pool, edits: Mapping[str, Edit], duplicate: bool, seed: int) -> Iterator[Pair]:
    kinds = list(edits)
    number: dict[str, int] = defaultdict(int)
    for base in bases:
        turns = _TURNS.get(base.group, (len(kinds), len(kinds)))[0 if duplicate else 1]
        for turn in range(turns):
            kind = kinds[(number[base.group] * turns + turn) % len(kinds)]
            texts = edits[kind](base, pool, Random(f"{seed} {kind} {base.name}"))
            if texts:
                yield Pair(*texts, kind, duplicate, base.group)
        number[base.group] += 1


def _neighbours(bases: Sequence[Base]) -> Iterator[Pair]:
    """Yield each text with the next texts of its site, and with the other thirds of its own page."""
    sites: dict[str, list[Base]] = defaultdict(list)
    for base in bases:
        sites[base.site or base.document].append(base)
    for site in sites.values():
        for i, base in enumerate(site):
            for j in range(1, min(_SITE_PAIRS, len(site) - 1) + 1):
                other = site[(i + j) % len(site)]
                kind = "other part" if base.document == other.document else "same site"
                yield Pair(base.text, other.text, kind, False, base.group)


def _is_fit(pair: Pair) -> bool:
    """Return whether it is long enough to be judged; of a duplicate, long enough beside the kept text."""
    new, kept = size(pair.new), size(pair.kept)
    return min(new, kept) >= MIN_UNITS and (not pair.duplicate or new >= MIN_RATIO * kept)


class Pool:
    """Other texts of the same language group, for the foreign parts of a pair; `near` is the nearest of each base."""

    def __init__(self, bases: Sequence[Base]) -> None:
        self.near = nearest(bases)
        self._groups: dict[str, list[Base]] = defaultdict(list)
        self.all = bases
        for base in bases:
            self._groups[base.group].append(base)

    def other(self, base: Base, rng: Random) -> Base:
        """Return a text of another page; of any language where its own group has none."""
        home: Sequence[Base] = self._groups[base.group]
        if len({one.document for one in home[: _THIRDS + 1]}) == 1:
            home = self.all
        while (found := rng.choice(home)).document == base.document:
            pass
        return found

    def run(self, base: Base, units: int, rng: Random) -> str:
        """Return a number of consecutive units of others' text, from as few texts as possible."""
        parts: list[str] = []
        while units > 0:
            parts.append(excerpt(self.other(base, rng).text, units, rng))
            units -= max(1, size(parts[-1]))
        return "\n".join(parts)

    def changed(self, text: str, count: int, base: Base, rng: Random) -> str:
        """Return a text with some words replaced by others'."""
        parts = list(pieces(text))
        places = words(parts)
        for i in rng.sample(places, min(max(1, count), len(places))):
            theirs = pieces(self.other(base, rng).text)
            while not size(word := rng.choice(theirs)):
                pass
            parts[i] = word
        return "".join(parts)


Edit = Callable[[Base, Pool, Random], "Texts | None"]


def nearest(bases: Sequence[Base]) -> dict[str, Base]:
    """Return {name of a base: the base nearest to it by TF-IDF, of another page}, within each language group."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 - two seconds that few need

    found: dict[str, Base] = {}
    for some in ([base for base in bases if base.group == group] for group in GROUPS):
        if len({base.document for base in some}) > 1:
            vectors = TfidfVectorizer(analyzer=_terms, sublinear_tf=True).fit_transform([base.text for base in some])
            likeness = (vectors @ vectors.T).toarray()
            documents = np.array([base.document for base in some])
            likeness[documents[:, None] == documents[None]] = -1
            found |= {base.name: some[int(i)] for base, i in zip(some, likeness.argmax(axis=1), strict=True)}
    return found


def _terms(text: str) -> list[str]:
    """Return words; of scripts without spaces also two characters, since one is not a term."""
    units = tokens(text)
    doubles = [a + b for a, b in pairwise(units) if len(a) == len(b) == 1]
    return [*(unit for unit in units if len(unit) > 1), *doubles]


# Edits after which a person would call a text the same again; each returns (new text, kept text), or None.


def byline(base: Base, pool: Pool, rng: Random) -> Texts:
    """Put another byline and date above, and a caption in the middle."""
    caption = pool.run(base, rng.randint(4, 8), rng)
    above, below = split(base.text, rng.randint(base.units // 3, base.units))
    kept = f"{_heading(base.group, pool.run(base, 3, rng), rng)}\n{base.text}"
    return f"{_heading(base.group, pool.run(base, 3, rng), rng)}\n{above}\n{caption}\n{below}", kept


def _heading(group: str, other_words: str, rng: Random) -> str:
    """Return a line with author, date and source."""
    year, month, day = rng.randint(2015, 2025), rng.randint(1, 12), rng.randint(1, 28)
    time = f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"
    if group == "chinese":
        source, name = rng.choice(_CHINESE_SOURCES), rng.choice(_CHINESE_NAMES)
        return f"{year}年{month}月{day}日 {time} 来源：{source} 记者 {name}"
    if group == "latin":
        return f"By {rng.choice(_NAMES)} | {year}-{month:02d}-{day:02d} {time}"
    return f"{other_words} {year}/{month}/{day} {time}"


def shared(base: Base, pool: Pool, rng: Random) -> Texts:
    """Put share buttons above, and headlines of others below: up to a sixth of the text."""
    headlines = [pool.run(base, rng.randint(5, 9), rng) for _ in range(min(6, base.units // 50))]
    return "\n".join([rng.choice(_SHARES.get(base.group, _SHARES["latin"])), base.text, *headlines]), base.text


def paragraph_cut(base: Base, _: Pool, rng: Random) -> Texts | None:
    """Leave out a paragraph; a sentence if the text has no paragraphs."""
    for parts in (base.text.splitlines(keepends=True), list(sentences(base.text))):
        low, high = _CUT[0] * base.units, _CUT[1] * base.units
        fit = [i for i, part in enumerate(parts) if low <= size(part) <= high]
        if fit and len(parts) > 3:
            left_out = rng.choice(fit)
            return "".join(part for i, part in enumerate(parts) if i != left_out), base.text
    return None


def short_word(base: Base, pool: Pool, rng: Random) -> Texts:
    """Change one word of a short text."""
    kept = excerpt(base.text, rng.randint(*_SHORT), rng)
    return pool.changed(kept, 1, base, rng), kept


def sentences_replaced(base: Base, pool: Pool, rng: Random) -> Texts | None:
    """Replace a tenth of the sentences by others', and no more than a fifth of the text."""
    parts = sentences(base.text)
    full = [i for i, part in enumerate(parts) if size(part)]
    for _ in range(5 if len(full) >= 10 else 0):
        new, foreign = list(parts), 0
        for i in rng.sample(full, len(full) // 10):
            theirs = sentences(pool.other(base, rng).text)
            new[i] = " " + rng.choice([part for part in theirs if size(part)])
            foreign += max(size(new[i]), size(parts[i]))
        if foreign <= _FOREIGN * base.units:
            return "".join(new), base.text
    return None


def embedded(base: Base, pool: Pool, rng: Random) -> Texts:
    """Put the whole inside a page of which 15% to 25% is other text."""
    share = rng.uniform(0.15, 0.25)
    other = int(base.units * share / (1 - share))
    above = rng.randint(0, other)
    return f"{pool.run(base, above, rng)}\n{base.text}\n{pool.run(base, other - above, rng)}", base.text


def reformed(base: Base, _: Pool, rng: Random) -> Texts:
    """Typeset the same words differently: two of the ways that suit the script."""
    text, of_script = base.text, ["full width", "half width"] if base.group == "chinese" else ["upper", "lower"]
    for way in rng.sample(["lines", "spaces", "marks", *of_script], 2):
        if way == "lines":
            text = re.sub(r"\s*\n\s*", " ", text)
        elif way == "spaces":
            text = re.sub(r"([,.;:，。；：])(?!\w)", r"\1  ", text).replace(" ", "\u00a0")
        elif way in _TABLES:
            text = text.translate(_TABLES[way])
        else:
            text = text.upper() if way == "upper" else text.lower()
    return text, base.text


def traditional(base: Base, _: Pool, rng: Random) -> Texts | None:
    """Give Chinese the quotation marks of Taiwan and Hong Kong, if it has any."""
    new = base.text.translate(_TAIWAN_MARKS)
    return (new, base.text) if base.group == "chinese" and new != base.text else None


POSITIVES: dict[str, Edit] = {
    "byline": byline,
    "share buttons": shared,
    "paragraph cut": paragraph_cut,
    "1% of words": lambda base, pool, rng: (pool.changed(base.text, round(0.01 * base.units), base, rng), base.text),
    "4% of words": lambda base, pool, rng: (pool.changed(base.text, round(0.04 * base.units), base, rng), base.text),
    "short, one word": short_word,
    "10% of sentences": sentences_replaced,
    "tenth appended": lambda base, pool, rng: (f"{base.text}\n{pool.run(base, base.units // 10, rng)}", base.text),
    "first 30%": lambda base, pool, rng: (first(base.text, 0.3), base.text),
    "first 50%": lambda base, pool, rng: (first(base.text, 0.5), base.text),
    "first 70%": lambda base, pool, rng: (first(base.text, 0.7), base.text),
    "embedded": embedded,
    "repeated": lambda base, pool, rng: (f"{base.text}\n{base.text}", base.text),
    "kept one repeated": lambda base, pool, rng: (base.text, f"{base.text}\n{base.text}"),
    "other form": reformed,
    "traditional marks": traditional,
}

# Different texts that have much in common; each function returns (new text, kept text), or None.


def same_footer(base: Base, pool: Pool, rng: Random) -> Texts:
    """Put two short texts above one footer, a third or more of each."""
    footer = pool.run(base, _FOOTER, rng)
    some = excerpt(base.text, rng.randint(*_ABOVE_FOOTER), rng)
    others = pool.run(base, rng.randint(*_ABOVE_FOOTER), rng)
    return f"{some}\n{footer}", f"{others}\n{footer}"


def adjacent(base: Base, _: Pool, rng: Random) -> Texts | None:
    """Take two short parts of one text, the new one from where the kept one ends."""
    units = rng.randint(*_PART)
    kept, new = split(excerpt(base.text, 2 * units, rng), units)
    return (new, kept) if size(new) >= _PART[0] else None


def quoting(base: Base, pool: Pool, rng: Random) -> Texts:
    """Take another text as long as the kept one, a quarter of it a quotation of a quarter of that."""
    quotation = excerpt(base.text, base.units // 4, rng)
    other = pool.run(base, base.units - base.units // 4, rng)
    above, below = split(other, rng.randint(0, size(other)))
    return f"{above}\n{quotation}\n{below}", base.text


def shuffled(base: Base, _: Pool, rng: Random) -> Texts:
    """List the same words in another order."""
    parts = [part for part in pieces(base.text) if size(part)]
    rng.shuffle(parts)
    return " ".join(parts), base.text


NEGATIVES: dict[str, Edit] = {
    "same topic": lambda base, pool, rng: (base.text, pool.near[base.name].text) if base.name in pool.near else None,
    "same footer": same_footer,
    "adjacent parts": adjacent,
    "quotes a quarter": quoting,
    "extends": lambda base, pool, rng: (f"{base.text}\n{pool.run(base, base.units, rng)}", base.text),
    "another order": shuffled,
}
