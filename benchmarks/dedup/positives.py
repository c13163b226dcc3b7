"""Edits after which a person would call a text the same again; each gives (new text, kept text), or None."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random

from benchmarks.dedup.bases import Base
from benchmarks.dedup.dress import heading, other_form, share_buttons, traditional_punctuation
from benchmarks.dedup.pieces import excerpt, first, pieces, sentences, size, split, words
from benchmarks.dedup.pool import Pool

Texts = tuple[str, str]
Edit = Callable[[Base, Pool, Random], "Texts | None"]

_SHORT = (22, 45)  # units of a short text: below 20 nothing is judged by likeness
_CUT = (0.02, 0.3)  # share of the text that a cut paragraph may be
_FOREIGN = 0.2  # of a page with a tenth of its sentences replaced no more is others' text


def byline(base: Base, pool: Pool, rng: Random) -> Texts:
    """Another byline and date above, and a caption amid."""
    caption = pool.run(base, rng.randint(4, 8), rng)
    above, below = split(base.text, rng.randint(base.units // 3, base.units))
    kept = f"{heading(base.group, pool.run(base, 3, rng), rng)}\n{base.text}"
    return f"{heading(base.group, pool.run(base, 3, rng), rng)}\n{above}\n{caption}\n{below}", kept


def shared(base: Base, pool: Pool, rng: Random) -> Texts:
    """Share buttons around, and headlines of others below: up to a sixth of the text."""
    headlines = [pool.run(base, rng.randint(5, 9), rng) for _ in range(min(6, base.units // 50))]
    return "\n".join([share_buttons(base.group, rng), base.text, *headlines]), base.text


def paragraph_cut(base: Base, _: Pool, rng: Random) -> Texts | None:
    """A paragraph left out; a sentence where the text has no paragraphs."""
    for parts in (base.text.splitlines(keepends=True), list(sentences(base.text))):
        low, high = _CUT[0] * base.units, _CUT[1] * base.units
        fit = [i for i, part in enumerate(parts) if low <= size(part) <= high]
        if fit and len(parts) > 3:
            left_out = rng.choice(fit)
            return "".join(part for i, part in enumerate(parts) if i != left_out), base.text
    return None


def words_changed(base: Base, pool: Pool, rng: Random, share: float) -> Texts:
    """A share of the words are others' words."""
    return _change(base.text, round(share * base.units), base, pool, rng), base.text


def short_word(base: Base, pool: Pool, rng: Random) -> Texts:
    """A short text with one word changed."""
    kept = excerpt(base.text, rng.randint(*_SHORT), rng)
    return _change(kept, 1, base, pool, rng), kept


def sentences_replaced(base: Base, pool: Pool, rng: Random) -> Texts | None:
    """A tenth of the sentences are others', and no more than a fifth of the text."""
    parts = sentences(base.text)
    full = [i for i, part in enumerate(parts) if size(part)]
    for _ in range(5 if len(full) >= 10 else 0):
        new, foreign = list(parts), 0
        for i in rng.sample(full, len(full) // 10):
            new[i] = " " + pool.sentence(base, rng)
            foreign += max(size(new[i]), size(parts[i]))
        if foreign <= _FOREIGN * base.units:
            return "".join(new), base.text
    return None


def appended(base: Base, pool: Pool, rng: Random) -> Texts:
    """A tenth of other text at the end."""
    return f"{base.text}\n{pool.run(base, base.units // 10, rng)}", base.text


def beginning(base: Base, _: Pool, rng: Random, share: float) -> Texts:
    """The first part of the text, not shorter than `share` of its units."""
    return first(base.text, share), base.text


def embedded(base: Base, pool: Pool, rng: Random) -> Texts:
    """The whole inside a page of which 15% to 25% is other text."""
    share = rng.uniform(0.15, 0.25)
    other = int(base.units * share / (1 - share))
    above = rng.randint(0, other)
    return f"{pool.run(base, above, rng)}\n{base.text}\n{pool.run(base, other - above, rng)}", base.text


def reformed(base: Base, _: Pool, rng: Random) -> Texts:
    """The words in order; white space, punctuation, case, full-width forms differ."""
    return other_form(base.text, base.group, rng), base.text


def twice(base: Base, _: Pool, rng: Random) -> Texts:
    """The text repeated."""
    return f"{base.text}\n{base.text}", base.text


def once(base: Base, _: Pool, rng: Random) -> Texts:
    """The text, where it was kept repeated."""
    return base.text, f"{base.text}\n{base.text}"


def traditional(base: Base, _: Pool, rng: Random) -> Texts | None:
    """Chinese with the quotation marks of Taiwan and Hong Kong, where it quotes at all."""
    new = traditional_punctuation(base.text)
    return (new, base.text) if base.group == "chinese" and new != base.text else None


def _change(text: str, count: int, base: Base, pool: Pool, rng: Random) -> str:
    parts = list(pieces(text))
    places = words(parts)
    for i in rng.sample(places, min(max(1, count), len(places))):
        parts[i] = pool.word(base, rng)
    return "".join(parts)


POSITIVES: dict[str, Edit] = {
    "byline": byline,
    "share buttons": shared,
    "paragraph cut": paragraph_cut,
    "1% of words": partial(words_changed, share=0.01),
    "4% of words": partial(words_changed, share=0.04),
    "short, one word": short_word,
    "10% of sentences": sentences_replaced,
    "tenth appended": appended,
    "first 30%": partial(beginning, share=0.3),
    "first 50%": partial(beginning, share=0.5),
    "first 70%": partial(beginning, share=0.7),
    "embedded": embedded,
    "repeated": twice,
    "kept one repeated": once,
    "other form": reformed,
    "traditional marks": traditional,
}
