"""Damaged and made-up pages through all of the core: `python -m tests.hostile.fuzz [--seconds N] [--seed N]`.

Each round takes a page of the example portal (of recorded ones too, where DENOISE_CORPORA names a folder), damages it,
and asks for everything that can be made of it (`checks`): no exception, nothing that runs, no text but the page's,
memory in bounds that grow with its size. What is wrong ends the run with the round's seed and an exception.
`--seed N --rounds 1` makes a round again.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
import tracemalloc
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import strategies as st

from denoise_scrapy import Page, SiteModel, extract
from denoise_scrapy.body import STRATEGIES
from denoise_scrapy.body.explanation import explain_page
from evaluation.corpora import Site, load
from tests.body.rendered import MARKUP
from tests.hostile.checks import URL, check_page, over_bounds
from tests.hostile.mutations import ACTIVE, round_of
from tests.html_strategies import SOUP, pages

#: Bytes that all that is made of a page takes at most, for each of its bytes and each of its elements, and at all:
#: elements `<p>word here</p>` were measured with 5,700 each (numpy 6,900), most of it what `explain` draws; a text
#: with 27 a byte, one of a single word with 35.
BYTES_A_BYTE, BYTES_AN_ELEMENT, FIXED_BYTES = 100, 10_000, 8_000_000
#: Rounds from one to the next in which memory is measured.
MEASURED = 10
SELECTORS = ("p", "div > p", "//div//p[1]", "li:nth-child(2)", "//p[.//a]", "[onclick]", "//*[contains(., 'a')]")
CHARSETS = ("utf-8", "latin1", "utf-16", "gb18030", "hex", "punycode", "klingon")
MADE = st.one_of(
    SOUP, MARKUP, pages(), st.lists(st.sampled_from([*ACTIVE, "<p>", "</p>", "one ", "<", "\0"])).map("".join)
)


@dataclass(frozen=True)
class Round:
    """A page, those it is compared with, and how all is made of it."""

    html: str
    others: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ("combined",)
    is_too_large: bool = False
    charsets: tuple[str, str] | None = None
    selectors: tuple[str, str] | None = None


def round_from(seed: int, sites: Sequence[Site]) -> Round:
    """The round of a seed."""
    html, others = round_of(seed, sites)
    rng = random.Random(f"round {seed}")
    return Round(
        html,
        tuple(others),
        tuple(rng.sample(sorted(STRATEGIES), 2)),
        rng.random() < 0.1,
        (rng.choice(CHARSETS[:4]), rng.choice(CHARSETS)) if rng.random() < 0.2 else None,
        (rng.choice(SELECTORS), rng.choice(SELECTORS)) if rng.random() < 0.2 else None,
    )


def check(told: Round) -> None:
    """Everything of a round."""
    written, declared = told.charsets or (None, None)
    page = told.html.encode(written, "replace") if written else told.html
    with over_bounds() if told.is_too_large else nullcontext():
        check_page(page, told.others, strategies=told.strategies, encoding=declared)
        if told.selectors is not None:
            keep, remove = told.selectors
            body = extract(page, URL, told.others, keep=keep, remove=remove)
            assert body.text or body.fallback, "an empty body, and no reason"


def everything(html: str) -> object:
    """All that is made of a page, unchecked."""
    body = SiteModel.fit().extract(Page.parse(html, url=URL))
    return body, body.html, body.markdown, body.blocks, explain_page(html, URL).html


def check_memory(html: str) -> None:
    """What is allocated at a time grows with the page."""
    everything(html)  # tables and caches are made
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        made = everything(html)
        most = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    del made
    elements, size = len(Page.parse(html).tags()), len(html.encode("utf-8", "replace"))
    allowed = FIXED_BYTES + BYTES_A_BYTE * size + BYTES_AN_ELEMENT * elements
    assert most <= allowed, f"{most:,} bytes for {size:,} with {elements:,} elements"


def known_sites() -> list[Site]:
    """Those of the example portal, and recorded ones where DENOISE_CORPORA names a folder."""
    folder = os.environ.get("DENOISE_CORPORA")
    return [site for _, corpus in load(Path(folder) if folder else None) for site in corpus]


def main() -> int:
    """Run rounds until the time is over, or one fails; the default is a new seed each second."""
    ap = argparse.ArgumentParser(prog="python -m tests.hostile.fuzz", description=__doc__)
    ap.add_argument("--seconds", type=float, default=60)
    ap.add_argument("--rounds", type=int, default=sys.maxsize)
    ap.add_argument("--seed", type=int, default=int(time.time()))
    args = ap.parse_args()
    sites, end, done = known_sites(), time.monotonic() + args.seconds, 0
    print(f"seed {args.seed}, pages of {len(sites)} sites", flush=True)
    while done < args.rounds and time.monotonic() < end:
        told = round_from(args.seed + done, sites)
        try:
            check(told)
            if done % MEASURED == 0:
                check_memory(told.html)
        except Exception:
            print(f"round {args.seed + done}: {replace(told, html='', others=())}", flush=True)
            raise
        done += 1
    print(f"{done} rounds, all holds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
