"""Rounds of a fuzz: what its commands take, the sites whose pages it damages, and how long it goes on."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from evaluation.corpora import Site, load


def arguments(prog: str, description: str | None) -> argparse.ArgumentParser:
    """Time, rounds and seed; the default is a new seed each second."""
    ap = argparse.ArgumentParser(prog=prog, description=description)
    ap.add_argument("--seconds", type=float, default=60)
    ap.add_argument("--rounds", type=int, default=sys.maxsize)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    return ap


def known_sites() -> list[Site]:
    """Those of the example portal, and recorded ones where DENOISE_CORPORA names a folder."""
    folder = os.environ.get("DENOISE_CORPORA")
    return [site for _, corpus in load(Path(folder) if folder else None) for site in corpus]


def rounds_of(args: argparse.Namespace) -> Iterator[tuple[int, int]]:
    """Number and seed of each round, until the time is over."""
    end, number = time.monotonic() + args.seconds, 0
    while number < args.rounds and time.monotonic() < end:
        yield number, args.seed + number
        number += 1
