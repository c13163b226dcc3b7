"""What the add-on costs a crawl: `python -m benchmarks.crawl` crawls a made site with and without it.

A round is a crawl in each way, each in a process of its own, one after the other; within a round the machine is about
as busy with other work, so that ratios within rounds are told: their median, and the least and the largest. The
server has a process too, so that two cores are needed. Pages a second and CPU time count from when the first
pages have warmed the crawl up.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks.crawled.crawl import WAYS
from benchmarks.crawled.server import serving
from benchmarks.report import merge

HOSTS, PAGES, ROUNDS = 8, 150, 5
#: Seconds before the server answers; and what part of the bare crawl's pages a second is to be reached at least.
TARGETS = {0.0: 0.60, 0.05: 0.90}
NATIVE, NUMPY = "native", "numpy"

Figures = dict[str, Any]


def main() -> None:
    """Measure, print, and write the section `crawl` of the report."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.crawl", description=__doc__)
    ap.add_argument("--hosts", type=int, default=HOSTS)
    ap.add_argument("--pages", type=int, default=PAGES, help="pages of a host")
    ap.add_argument("--rounds", type=int, default=ROUNDS)
    ap.add_argument("--delays", type=float, nargs="+", default=list(TARGETS), help="seconds before each answer")
    args = ap.parse_args()
    sections = []
    for delay in args.delays:
        runs = rounds(args.hosts, args.pages, delay, args.rounds)
        sections.append(summary(delay, runs))
        print(f"\n{table(sections[-1])}", flush=True)
    merge("crawl", {"hosts": args.hosts, "pages": args.hosts * args.pages, "rounds": args.rounds, "delays": sections})


def rounds(hosts: int, pages: int, delay: float, count: int) -> list[dict[str, Figures]]:
    """Figures by way, of each round."""
    with serving(hosts, pages, delay) as port:

        def run(way: str, accelerator: str) -> Figures:
            return one_crawl(way, port, hosts, pages, accelerator)

        return [one_round(run) for _ in range(count)]


def one_round(run: Callable[[str, str], Figures]) -> dict[str, Figures]:
    """A crawl in each way; all but the bare one with the accelerator and without."""
    figures = {"bare": run("bare", NATIVE)}
    for way in WAYS:
        for accelerator in (NATIVE, NUMPY) if way != "bare" else ():
            figures[f"{way}, {accelerator}"] = run(way, accelerator)
    return figures


def one_crawl(way: str, port: int, hosts: int, pages: int, accelerator: str = NATIVE, *more: str) -> Figures:
    """A crawl in a process of its own.

    Raises:
        RuntimeError: It failed; the message is what it said.
    """
    command = [sys.executable, "-m", "benchmarks.crawled.crawl", way, str(port), str(hosts), str(pages), *more]
    env = {**os.environ, "DENOISE_NATIVE": "0" if accelerator == NUMPY else "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def summary(delay: float, runs: list[dict[str, Figures]]) -> Figures:
    """Medians over the rounds, ratios to the bare crawl of the same round."""
    ways = {}
    for way in runs[0]:
        ratios = [run[way]["pages_per_second"] / run["bare"]["pages_per_second"] for run in runs]
        stats = [run[way]["stats"] for run in runs]
        ways[way] = {
            "pages_per_second": median(run[way]["pages_per_second"] for run in runs),
            "cpu_ms_per_page": median(run[way]["cpu_ms_per_page"] for run in runs),
            "of_bare": median(ratios),
            "of_bare_least": min(ratios),
            "of_bare_most": max(ratios),
            "accelerator": stats[0].get("denoise/accelerator", ""),
            "comparison_requests": median(one.get("denoise/comparison/requests", 0) for one in stats),
            "errors": max(one.get("denoise/errors", 0) for one in stats),
        }
    return {"delay": delay, "target": TARGETS.get(delay), "ways": ways}


def table(section: Figures) -> str:
    """A section as a Markdown table."""
    target = "" if section["target"] is None else f", target {section['target']:.0%}"
    head = f"answers after {1000 * section['delay']:.0f} ms{target}"
    lines = [
        f"| {head} | pages/s | of bare | CPU ms/page | extra requests |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for way, one in section["ways"].items():
        spread = f"{one['of_bare']:.0%} ({one['of_bare_least']:.0%}–{one['of_bare_most']:.0%})"
        lines.append(
            f"| {way} | {one['pages_per_second']:.0f} | {spread} | {one['cpu_ms_per_page']:.2f} | "
            f"{one['comparison_requests']:.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
