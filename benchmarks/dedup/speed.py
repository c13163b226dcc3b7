"""Speed of the index beside datasketch, in one run: `python -m benchmarks.dedup.speed [--texts 12000] [--write]`.

Each text is compared with all earlier ones and added. datasketch's MinHashLSH has shingles of three words, 128
permutations and a threshold of .8; its signatures are made shingle by shingle, as its documentation does, or at once by
`update_batch`. It stores what it is given, and decides on signatures alone; ours reads the texts again.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from random import Random

from datasketch import MinHash, MinHashLSH

from benchmarks.dedup.texts import portal_bases
from benchmarks.measuring import seconds
from denoise_scrapy import DuplicateIndex
from evaluation import figures

#: Words of a text: those of a news story.
WORDS = 286


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.dedup.speed", description=__doc__)
    ap.add_argument("--texts", type=int, default=12_000, help="texts, all different, of words of the example portal")
    ap.add_argument("--write", action="store_true", help=f"write the table into {figures.PAGE}")
    args = ap.parse_args()
    words = [word for base in portal_bases() for word in base.text.split()]
    rng = Random(0)
    texts = [" ".join(rng.choices(words, k=WORDS)) for _ in range(args.texts)]
    ways: dict[str, Callable[[Sequence[str]], None]] = {
        "datasketch, `update`": partial(_datasketch, _by_shingle),
        "datasketch, `update_batch`": partial(_datasketch, MinHash.update_batch),
        "`DuplicateIndex`": _ours,
    }
    speeds = {name: len(texts) / seconds(partial(way, texts)) for name, way in ways.items()}
    first = next(iter(speeds.values()))
    rows = [[name, f"{speed:,.0f}", f"{speed / first:.1f}"] for name, speed in speeds.items()]
    table = figures.table(["index", "texts a second of processor time", "of the first"], rows)
    print(table)
    if args.write:
        figures.write("dedup speed", f"{len(texts):,} texts of {WORDS} words.\n\n{table}")


def _ours(texts: Sequence[str]) -> None:
    with DuplicateIndex() as index:
        for number, text in enumerate(texts):
            index.check_and_add(str(number), text)


def _datasketch(update: Callable[[MinHash, list[bytes]], object], texts: Sequence[str]) -> None:
    index = MinHashLSH(threshold=0.8, num_perm=128)
    for number, text in enumerate(texts):
        words, signature = text.split(), MinHash(num_perm=128)
        update(signature, [" ".join(words[first : first + 3]).encode() for first in range(len(words) - 2)])
        index.query(signature)
        index.insert(str(number), signature)


def _by_shingle(signature: MinHash, shingles: list[bytes]) -> None:
    for shingle in shingles:
        signature.update(shingle)


if __name__ == "__main__":
    main()
