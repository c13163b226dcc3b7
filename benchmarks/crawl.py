"""What the add-on costs a crawl: `python -m benchmarks.crawl` crawls a made site without it and with all defaults.

A round is a crawl in each way, each in a process of its own, one after the other; within a round the machine is about
as busy with other work, so that ratios within rounds are told: their median, and the least and the largest. The
server has a process too, so that two cores are needed. Pages a second and processor time count from when the first
pages have warmed the crawl up.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from statistics import median
from typing import Any

from benchmarks.crawled.crawl import WAYS
from benchmarks.crawled.server import serving
from benchmarks.report import merge

HOSTS, PAGES, ROUNDS = 8, 150, 5
#: Seconds before the server answers; and what part of the bare crawl's pages a second is to be reached at least.
TARGETS = {0.0: 0.60, 0.05: 0.95}
#: Most processor time a page where answers come at once, in multiples of the bare crawl's.
MOST_CPU = 1.8

Figures = dict[str, Any]


def main() -> None:
    """Measure, print, and write the section `crawl` of the report."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.crawl", description=__doc__)
    ap.add_argument("--hosts", type=int, default=HOSTS)
    ap.add_argument("--pages", type=int, default=PAGES, help="pages of a host")
    ap.add_argument("--rounds", type=int, default=ROUNDS)
    ap.add_argument("--delays", type=float, nargs="+", default=list(TARGETS), help="seconds before each answer")
    ap.add_argument("--ways", nargs="+", choices=WAYS, default=["default"], help="to crawl beside the bare one")
    ap.add_argument("-s", action="append", default=[], metavar="NAME=VALUE", help="a further setting of these")
    args = ap.parse_args()
    more = [word for pair in args.s for word in ("-s", pair)]
    sections = []
    for delay in args.delays:
        with serving(args.hosts, args.pages, delay) as port:
            runs = [
                {
                    "bare": one_crawl("bare", port, args.hosts, args.pages),
                    **{way: one_crawl(way, port, args.hosts, args.pages, *more) for way in args.ways},
                }
                for _ in range(args.rounds)
            ]
        sections.append(summary(delay, runs))
        print(f"\n{table(sections[-1])}", flush=True)
    merge("crawl", {"hosts": args.hosts, "pages": args.hosts * args.pages, "rounds": args.rounds, "delays": sections})


def one_crawl(way: str, port: int, hosts: int, pages: int, *more: str) -> Figures:
    """A crawl in a process of its own.

    Raises:
        RuntimeError: It failed; the message is what it said.
    """
    command = [sys.executable, "-m", "benchmarks.crawled.crawl", way, str(port), str(hosts), str(pages), *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    figures: Figures = json.loads(done.stdout.splitlines()[-1])
    return figures


def summary(delay: float, runs: list[dict[str, Figures]]) -> Figures:
    """Medians over the rounds, ratios to the bare crawl of the same round."""
    ways = {}
    for way in runs[0]:
        speeds, costs = (
            [run[way][name] / run["bare"][name] for run in runs] for name in ("pages_per_second", "cpu_ms_per_page")
        )
        stats = [run[way]["stats"] for run in runs]
        ways[way] = {
            "pages_per_second": median(run[way]["pages_per_second"] for run in runs),
            "cpu_ms_per_page": median(run[way]["cpu_ms_per_page"] for run in runs),
            "of_bare": median(speeds),
            "of_bare_least": min(speeds),
            "of_bare_most": max(speeds),
            "cpu_of_bare": median(costs),
            "comparison_requests": median(one.get("denoise/comparison/requests", 0) for one in stats),
            "errors": max(one.get("denoise/errors", 0) for one in stats),
        }
    return {"delay": delay, "target": TARGETS.get(delay), "ways": ways}


def table(section: Figures) -> str:
    """A section as a Markdown table."""
    target = "" if section["target"] is None else f", target {section['target']:.0%}"
    most = "" if section["delay"] else f", target {MOST_CPU}"
    head = f"answers after {1000 * section['delay']:.0f} ms"
    lines = [
        f"| {head} | pages/s | of bare{target} | CPU ms/page | of bare{most} | extra requests |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for way, one in section["ways"].items():
        spread = f"{one['of_bare']:.0%} ({one['of_bare_least']:.0%}–{one['of_bare_most']:.0%})"
        lines.append(
            f"| {way} | {one['pages_per_second']:.0f} | {spread} | {one['cpu_ms_per_page']:.2f} | "
            f"{one['cpu_of_bare']:.2f} | {one['comparison_requests']:.0f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
