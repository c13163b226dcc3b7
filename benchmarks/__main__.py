"""Quality of the bodies: `python -m benchmarks [--corpora DIR] [--names big9,zh] [--gate | --set-baseline]`.

`python -m benchmarks.bench` runs this and all benchmarks of cost.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import figures, gate, report
from benchmarks.corpora import add_corpora_argument, load
from benchmarks.peers import peers
from benchmarks.quality import Row, measure, measure_peer, measure_site_peer
from benchmarks.site_peers import site_peers
from benchmarks.table import PEERS, SHORT, scores_table
from denoise_scrapy.body import STRATEGIES

HEAD = "corpus       strategy      k pages     F1 ± s.e.  F1<.5 empty      ms × parse"


def main() -> int:
    args = _arguments()
    rows: list[tuple[Row, str]] = []
    others: list[Row] = []
    print(HEAD, flush=True)
    for name, sites in load(args.corpora, tuple(filter(None, args.names.split(",")))):
        digest = gate.corpus_hash(sites)
        for strategy in args.strategies.split(","):
            rows += [(_show(measure(name, sites, strategy, k)), digest) for k in args.k]
        for peer, extract in peers().items() if args.peers else ():
            others.append(_show(measure_peer(name, sites, peer, extract)))
        for peer, extract_site in site_peers().items() if args.peers else ():
            others.append(_show(measure_site_peer(name, sites, peer, extract_site)))
    if not (args.gate or args.set_baseline):  # those are of fewer rows
        report.merge("quality", [row.as_dict() for row in [*(row for row, _ in rows), *others]], quick=args.quick)
    if args.scores:
        known = [*(row for row, _ in rows), *others]
        figures.write("scores", scores_table(known))
        figures.write("scores", scores_table(known, SHORT, PEERS), figures.README)
    if args.set_baseline:
        gate.write(rows)
    wrong = gate.failures(rows) if args.gate else []
    print("\n".join(wrong) if wrong else f"{len(rows)} rows" + (", none below its floor" if args.gate else ""))
    return bool(wrong)


def _show(row: Row) -> Row:
    print(
        f"{row.corpus:12s} {row.strategy:12s} {row.comparison_pages:2d} {row.pages:5d} {row.f1:6.3f} {row.error:6.3f} "
        f"{row.failed:6.3f} {row.empty:5d} {row.ms:7.2f} {row.parses:7.1f}",
        flush=True,
    )
    return row


def _arguments() -> argparse.Namespace:
    ap = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add_corpora_argument(ap)
    ap.add_argument("--names", default="", help="corpora to run, comma-separated; all where none is named")
    ap.add_argument("--strategies", default=",".join(STRATEGIES), help="comma-separated")
    ap.add_argument("--k", type=int, nargs="+", default=[5], help="comparison pages at most; several for a row each")
    ap.add_argument("--peers", action="store_true", help="also measure the installed single-page extractors")
    ap.add_argument("--quick", action="store_true", help="say in the report that this is not all")
    ap.add_argument("--scores", action="store_true", help="write the scores into the documentation (with --peers)")
    ap.add_argument("--gate", action="store_true", help="fail where a row is below its floor in baseline.json")
    ap.add_argument("--set-baseline", action="store_true", help="write the floors")
    return ap.parse_args()


if __name__ == "__main__":
    sys.exit(main())
