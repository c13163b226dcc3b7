"""`scrapy denoise dedup check`: look for damage."""

from __future__ import annotations

import argparse
import hashlib
import sys
from array import array
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from denoise_scrapy.commands import failures
from denoise_scrapy.commands.opening import Opened, open_store
from denoise_scrapy.commands.records import flaws
from denoise_scrapy.dedup import Store
from denoise_scrapy.dedup.store import Name, Record

if TYPE_CHECKING:
    from scrapy.settings import Settings

PROBLEMS_SHOWN = 100  # more say nothing new


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Look, and print what is wrong."""
    opened = open_store(args.store)
    found = 0
    with opened.store:
        for found, problem in enumerate(problems(opened), 1):
            if found <= PROBLEMS_SHOWN:
                print(problem)
        total = _count(opened.store)
    if not found:
        print(f"{total} texts, no problem")
        return 0
    print(f"{total} texts, problems: {found:,}", file=sys.stderr)
    return 1


def problems(opened: Opened) -> Iterator[str]:
    """Yield what is wrong with an index, a sentence each."""
    names, ids = array("Q"), array("q")
    try:
        yield from opened.store.problems()
        for record in opened.store.records():
            names.append(_name_hash(record.name))
            ids.append(record.id)
            wrong = "; ".join(flaws(record.name, record.fingerprint, opened.rule))
            if wrong:
                yield f"record {record.id}, {record.name.key!r}: {wrong}"
        yield from _repeated(opened.store, names, ids)
    except failures() as error:
        yield f"reading ends after {len(ids):,} texts: {error}"


def _repeated(store: Store, names: array[int], ids: array[int]) -> Iterator[str]:
    """Yield names that are there more than once."""
    hashes = np.frombuffer(names, np.uint64)
    order = np.argsort(hashes, kind="stable")
    places = np.flatnonzero(hashes[order][1:] == hashes[order][:-1])
    for place in places.tolist():
        pair: list[Record] = store.get([ids[number] for number in order[place : place + 2].tolist()])
        if len({one.name[:2] for one in pair}) == 1 < len(pair):
            first, second = pair
            yield f"records {first.id} and {second.id} are both {first.name.key!r} of scope {first.name.scope!r}"


def _name_hash(name: Name) -> int:
    text = f"{name.scope!r} {name.key!r}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _count(store: Store) -> str:
    try:
        return f"{len(store):,}"
    except failures():
        return "an unknown number of"
