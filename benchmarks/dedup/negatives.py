"""Texts that have much in common and are two texts; each gives (new text, kept text), or None."""

from __future__ import annotations

from random import Random

from benchmarks.dedup.bases import Base
from benchmarks.dedup.pieces import excerpt, pieces, size, split
from benchmarks.dedup.pool import Pool
from benchmarks.dedup.positives import Edit, Texts

FOOTER = 40
_SHORT = (30, 90)  # units of a short text above that footer, which then is a third to over half of the page
_PART = (25, 60)


def same_topic(base: Base, pool: Pool, rng: Random) -> Texts | None:
    """The nearest other text by TF-IDF."""
    near = pool.near.get(base.name)
    return (base.text, near.text) if near else None


def same_footer(base: Base, pool: Pool, rng: Random) -> Texts:
    """Two short texts above one footer, which is a part of a third."""
    footer = pool.run(base, FOOTER, rng)
    some, others = excerpt(base.text, rng.randint(*_SHORT), rng), pool.run(base, rng.randint(*_SHORT), rng)
    return f"{some}\n{footer}", f"{others}\n{footer}"


def adjacent(base: Base, _: Pool, rng: Random) -> Texts | None:
    """Two short parts of one text, the new one begins where the kept one ends."""
    units = rng.randint(*_PART)
    kept, new = split(excerpt(base.text, 2 * units, rng), units)
    return (new, kept) if size(new) >= _PART[0] else None


def quoting(base: Base, pool: Pool, rng: Random) -> Texts:
    """Another text as long as the kept one, a quarter of it a quotation of a quarter of that."""
    quotation = excerpt(base.text, base.units // 4, rng)
    other = pool.run(base, base.units - base.units // 4, rng)
    above, below = split(other, rng.randint(0, size(other)))
    return f"{above}\n{quotation}\n{below}", base.text


def extends(base: Base, pool: Pool, rng: Random) -> Texts:
    """The kept text and as much again."""
    return f"{base.text}\n{pool.run(base, base.units, rng)}", base.text


def shuffled(base: Base, _: Pool, rng: Random) -> Texts:
    """A list of the same words in another order."""
    parts = [part for part in pieces(base.text) if size(part)]
    rng.shuffle(parts)
    return " ".join(parts), base.text


NEGATIVES: dict[str, Edit] = {
    "same topic": same_topic,
    "same footer": same_footer,
    "adjacent parts": adjacent,
    "quotes a quarter": quoting,
    "extends": extends,
    "another order": shuffled,
}
