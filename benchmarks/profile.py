"""Where the time of a body goes, by function: `python -m benchmarks.profile --corpora DIR [--names big9] [--top 10]`.

The functions that take most time themselves, calls into C included where Python calls them by name. The profiler
makes calls dearer and leaves work in arrays as it is: shares of many small calls are too high.
"""

from __future__ import annotations

import argparse
import cProfile
from pathlib import Path
from types import CodeType

from benchmarks import sample
from benchmarks.clock import forget_caches, make_body, ways
from benchmarks.markdown import table
from benchmarks.turns import USUAL, Facts, facts_of
from denoise_scrapy.page import PathTable

#: Sites in a quick run.
QUICK_SITES = 5


def main() -> None:
    """Profile and print."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=__doc__)
    ap.add_argument("--top", type=int, default=10, help="functions to tell")
    ap.add_argument("--k", type=int, default=USUAL, help="comparison pages")
    args = sample.arguments(ap, "big9")
    found = sample.sites(args)
    sites = sample.large_sites(found) or found
    if args.quick:
        sites = sample.evenly(sites, QUICK_SITES)
    facts = facts_of(sites)
    for way in ways():
        print(f"\n{profile_table(way, sites, facts, args.k, args.top)}", flush=True)


def profile_table(way: str, sites: list[sample.SampledSite], facts: Facts, k: int, top: int) -> str:
    """The functions of the most own time, over the pages of sites in turn."""
    forget_caches()
    profiler, pages = cProfile.Profile(), sum(len(site.pages) for site in sites)
    with ways()[way]():
        for site, known in zip(sites, facts, strict=True):
            paths = PathTable()
            for n, recorded in enumerate(site.pages):
                others = [fact for i, fact in enumerate(known[: k + 1]) if i != n][:k]
                profiler.enable()
                make_body(recorded, others, paths)
                profiler.disable()
    return _table(profiler, way, pages, top)


def _table(profiler: cProfile.Profile, way: str, pages: int, top: int) -> str:
    functions = sorted(profiler.getstats(), key=lambda told: -told.inlinetime)
    total = sum(told.inlinetime for told in functions)
    lines = [
        [
            _name(told.code),
            f"{100 * told.inlinetime / total:.1f}%",
            f"{1e6 * told.inlinetime / pages:.0f}",
            f"{told.callcount / pages:.1f}",
        ]
        for told in functions[:top]
    ]
    return table([f"{way}, {pages} pages, {1e3 * total / pages:.2f} ms a page", "own", "µs", "calls a page"], lines)


def _name(code: CodeType | str) -> str:
    """A function, with its file and line where it is written in Python."""
    if isinstance(code, str):
        return f"`{code}`"
    path = Path(code.co_filename).parts
    file = "/".join(path[-2:]) if "denoise_scrapy" in path else path[-1]
    return f"`{getattr(code, 'co_qualname', code.co_name)}` {file}:{code.co_firstlineno}"


if __name__ == "__main__":
    main()
