"""Writes the figures of `benchmarks/output/report.json` into the documentation: `python -m benchmarks.cost_page`.

The notes on how to read them stand here; the figures are those of the last `make bench`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks import crawl, growth, peers, report, stages, turns

PAGE = Path("docs/methods/cost.md")
#: Sections of the report that the page is made of.
SECTIONS = ("stages", "turns", "worst", "growth", "peers", "crawl")

HEAD = """# What a body costs

Cost of the default strategy `combined`, HTML to text, as multiples of P: lxml's plain parse of the same page,
`etree.fromstring(bytes, etree.HTMLParser(encoding="utf-8"))`. `make cost` measures it and writes this page, `make
bench` measures only. `numpy` is without the accelerator in C, `native` with it. Figures are medians over pages, and
from the 10th to the 90th percentile.

Read with care:

- **Ratios, on a shared and noisy machine.** Other processes ran at the same time. Each time is the best of two or
  three by processor time; P is timed just before the body. Medians of the same code differed by up to 15% between runs
  of a few dozen pages.
- **One thread** (`OPENBLAS_NUM_THREADS=1`): with two, on a busy machine of two cores, a body took 2.3 times the
  processor time and 2 to 3 times as long: products of matrices are small here, and threads wait for each other.
- **In turn, as a crawl does it**: sites one after the other, each with a path table that starts empty, each page once;
  caches are emptied before each repetition. A loop over one page flatters (3.2 P in place of 3.9, in a trial): its
  paths, its short texts and the processor's caches are warm.
- **Each site in a thread of its own**: in one thread P of the same pages grew by 15 to 30% over 500 to 1,600 others,
  presumably with lxml's dictionary of names, which a thread's parsers share. Late in a long crawl P is dearer, and our
  multiples are lower, than here.
- **Comparison pages** cost nothing here but their comparison: in a crawl they are pages that have bodies of their own.
"""

TURNS = """
## Pages of a site in turn

Up to ten pages of each recorded site with eight or more. A whole site is the sum of its bodies by the sum of its
parses: what a crawl pays, first page and fits included. Goals: 6 for the first page; of later pages of 300 to 700
elements 4.5 with numpy and 2 with the accelerator, 3 with numpy above 1,500.

"""

WORST = f"""
The worst of all recorded pages (k = {turns.USUAL}), whatever their size; the goal is 50:

"""

GROWTH = f"""
## Growth

One page's body repeated within one page, warm, k = {growth.USUAL}. Repeated texts flatter, the sizes compare. The
last row is the goal: at most {growth.GOAL}.

"""

PEERS = f"""
## Other extractors

The same pages in the same run, page by page in turn; up to {peers.PAGES} of a corpus. The others read each page alone,
we as in a crawl (k = {turns.USUAL}, first pages included; in `single` every page is the first of its site). F1 is of
these pages; `combined` was fitted on them, the portal apart: [combined.md](combined.md) has its scores on publishers
left out. × n: we took an n-th of the time, on the median page (in all). resiliparse has a parser of its own. Goal: × 4
over trafilatura on every corpus.

"""

CRAWL = """
## A crawl

`python -m benchmarks.crawl`: {pages} made pages of 500 elements, of {hosts} hosts, on two cores that the server shares;
medians of {rounds} rounds, in brackets the least and the most. `bare` is the same crawl without us, `addon` compares no
texts, `addon+dedup` marks near-duplicates, `default` drops them.

"""

STAGES = """
## Stage by stage

Each page after four others of its site. The stages of a page add up to its body, the medians do not quite. A column
that several families of features ask for counts with the first of them; where one call in C makes several, they count
with the stage that calls it. **Pages near 10,000 elements are made** where none is recorded: bodies of a site's pages,
repeated, so that texts and paths repeat.

"""


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.cost_page", description=__doc__)
    ap.add_argument("--report", type=Path, default=report.OUTPUT)
    ap.add_argument("--page", type=Path, default=PAGE)
    args = ap.parse_args()
    found = report.read(args.report)
    missing = [section for section in SECTIONS if section not in found]
    if missing:
        ap.error(f"{args.report} has no {', '.join(missing)}: run `make bench` first")
    args.page.write_text(cost_page(found), "utf-8")


def cost_page(found: Mapping[str, Any]) -> str:
    """The page, of a report with all `SECTIONS`."""
    rows = {section: found[section]["rows"] for section in SECTIONS}
    parts = [
        HEAD + measured_with(found),
        TURNS + turns.turns_table(rows["turns"], compared=(0, turns.USUAL)) + "\n\n",
        turns.k_table(rows["turns"]) + "\n",
        WORST + turns.worst_table(rows["worst"]) + "\n",
        GROWTH + growth.growth_table(rows["growth"]) + "\n",
        PEERS + peers.peers_table(rows["peers"]) + "\n",
        CRAWL.format(**rows["crawl"]) + "\n\n".join(map(crawl.table, rows["crawl"]["delays"])) + "\n",
        STAGES + "\n\n".join(_stages(rows["stages"])) + "\n",
    ]
    return "".join(parts)


def measured_with(found: Mapping[str, Any]) -> str:
    """Versions, one sentence; and a warning where a run was quick."""
    told = dict(found["turns"]["with"])
    native = told.pop("native", "")
    versions = ", ".join(f"{name} {version}" for name, version in told.items())
    line = f"\nMeasured with {versions}; accelerator: {native}.\n"
    quick = [section for section in SECTIONS if found[section]["quick"]]
    return line + (f"**A quick run, rough figures:** {', '.join(quick)}.\n" if quick else "")


def _stages(rows: Sequence[report.Row]) -> Iterator[str]:
    for size in dict.fromkeys(row["elements"] for row in rows):
        yield stages.stage_table([row for row in rows if row["elements"] == size], compared=(0, 1, turns.USUAL))


if __name__ == "__main__":
    main()
