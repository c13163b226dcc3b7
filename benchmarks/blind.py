"""Blind reading: a person says which of two texts of a page is better, without knowing which extractor made it.

`python -m benchmarks.blind write OUT --corpora DIR [DIR …] [--pages 100] [--peers trafilatura readability]` takes pages
where the default strategy and a peer differ, one a site, each with one peer: the text that stood in two pairs would be
ours. `OUT/pairs/` has a file a pair, for the reader; `OUT/key.json` says which text is whose. The reader fills in
`OUT/verdicts.jsonl`: verdict A, B or equal; how: clearly or slightly; error: what is wrong with the loser, of `ERRORS`.
A line with an empty verdict is not read yet. `python -m benchmarks.blind score OUT` then counts.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from benchmarks.blind_text import difference
from benchmarks.corpora import RecordedPage, Site, load
from benchmarks.markdown import table
from benchmarks.peers import peers
from denoise_scrapy.body import DEFAULT_STRATEGY, SiteModel, find_strategy
from denoise_scrapy.page import Page
from denoise_scrapy.site import likest_first
from example_project.scoring import f1

#: What may be wrong with the worse text.
ERRORS = (
    *("missing text", "boilerplate", "other story", "teasers", "comments", "advertisement", "caption", "biography"),
    *("headline missing", "order/duplicates", "other"),
)
VERDICTS, HOW = ("A", "B", "equal"), ("clearly", "slightly")
#: Comparison pages at most: as many as the default strategy uses.
PAGES = find_strategy(DEFAULT_STRATEGY).comparison_pages


class Pair(NamedTuple):
    """Two texts of a page: ours and a peer's, their F1, and all lines of the page."""

    corpus: str
    peer: str
    url: str
    title: str
    ours: str
    theirs: str
    ours_f1: float
    theirs_f1: float
    lines: Sequence[str]


class Verdict(NamedTuple):
    """A pair that was read. `opposite`: the loser has the higher F1."""

    corpus: str
    peer: str
    result: str
    clear: bool
    error: str
    opposite: bool


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.blind", description=__doc__)
    ap.add_argument("do", choices=("write", "score"))
    ap.add_argument("out", type=Path, help="folder of the pairs, the key and the verdicts")
    ap.add_argument("--corpora", type=Path, nargs="+", default=[], help="folders of *.jsonl.gz")
    ap.add_argument("--pages", type=int, default=100, help="pairs in all, as even over the corpora as they allow")
    ap.add_argument("--peers", nargs="+", default=["trafilatura", "readability"], help="they take pages in turn")
    ap.add_argument("--differ", type=float, default=0.1, help="least difference: 1 - token F1 of the two texts")
    ap.add_argument("--seed", type=int, default=0, help="of the choice of pages and of the order of A and B")
    args = ap.parse_args()
    try:
        if args.do == "score":
            print(score(args.out))
            return
        if unknown := [name for name in args.peers if name not in peers()]:
            raise ValueError(f"no peer {unknown[0]}: installed are {', '.join(peers()) or 'none'}")
        extractors = {name: peers()[name] for name in args.peers}
        found = list(_of_corpora(args.corpora, args.pages, extractors, args.differ, args.seed))
        write(args.out, found, args.seed)
    except (ValueError, OSError) as error:
        sys.exit(f"{ap.prog}: {error}")
    print(f"{len(found)} pairs in {args.out / 'pairs'}; errors of the loser: {', '.join(ERRORS)}")


def _of_corpora(
    folders: Sequence[Path], wanted: int, extractors: Mapping[str, Callable[[str], str]], differ: float, seed: int
) -> Iterator[Pair]:
    """Pairs of all corpora; what one with few sites lacks is taken of those with more. No site is in two."""
    sizes = [(len(sites), folder, name) for folder in folders for name, sites in load(folder) if name != "portal"]
    if not sizes:
        raise ValueError("write needs --corpora")
    seen = set[str]()
    for left, (_, folder, name) in zip(range(len(sizes), 0, -1), sorted(sizes), strict=True):
        [(_, sites)] = load(folder, (name,))
        new = [site for site in sites if site[0].site not in seen]
        seen |= {site[0].site for site in sites}
        found = list(pairs(name, new, round(wanted / left), extractors, differ, seed))
        wanted -= len(found)
        print(f"{name}: {len(found)} pairs", flush=True)
        yield from found


def pairs(
    corpus: str,
    sites: Iterable[Site],
    wanted: int,
    extractors: Mapping[str, Callable[[str], str]],
    differ: float,
    seed: int,
) -> Iterator[Pair]:
    """At most so many pairs of a corpus, one a site at most, peers in turn.

    Args:
        corpus: Its name.
        sites: Recorded pages of its sites.
        wanted: Pairs at most.
        extractors: Peers by name: HTML to text.
        differ: Pages where 1 - token F1 of the two texts is no more than this are passed over.
        seed: Of the order in which sites and pages are tried.
    """
    rng, count = Random(f"{seed} {corpus}"), 0
    sites, names = list(sites), list(extractors)
    for site in rng.sample(sites, len(sites)):
        if count >= wanted:
            return
        peer = names[count % len(names)]
        some = rng.sample(site, min(len(site), PAGES + 1))
        if pair := _first_pair(corpus, some, peer, extractors[peer], differ):
            count += 1
            yield pair


def _first_pair(corpus: str, site: Site, peer: str, extract: Callable[[str], str], differ: float) -> Pair | None:
    pages = [Page.parse(page.html, url=page.url) for page in site]
    for i, recorded in enumerate(site):
        others = likest_first(pages[i], [*pages[:i], *pages[i + 1 :]])[:PAGES]
        body, theirs = SiteModel.fit(others).extract(pages[i]), extract(recorded.html)
        if f1(body.text, theirs) < 1 - differ:
            lines = pages[i].text_of(np.ones(len(pages[i].blocks), bool)).splitlines()
            marks = f1(body.text, recorded.gold), f1(theirs, recorded.gold)
            return Pair(corpus, peer, recorded.url, _title(body.title, recorded), body.text, theirs, *marks, lines)
    return None


def _title(title: str, page: RecordedPage) -> str:
    """The title without the name of the host."""
    host = (urlsplit(page.url).hostname or "").removeprefix("www.")
    return " ".join(re.sub(re.escape(host), "…", title, flags=re.IGNORECASE).split()) if host else title


def write(out: Path, found: Sequence[Pair], seed: int) -> None:
    """Write pairs in random order, ours as A in half of each peer's, with the key and a file for the verdicts.

    Raises:
        ValueError: There are verdicts in that folder.
    """
    if (out / "verdicts.jsonl").exists():
        raise ValueError(f"{out} has verdicts already: give another folder")
    (out / "pairs").mkdir(parents=True, exist_ok=True)
    rng, key, first = Random(seed), list[dict[str, Any]](), dict[int, bool]()
    shuffled = rng.sample(list(found), len(found))
    for peer in dict.fromkeys(pair.peer for pair in found):
        of_peer = [number for number, pair in enumerate(shuffled, start=1) if pair.peer == peer]
        first |= {number: i % 2 == 0 for i, number in enumerate(rng.sample(of_peer, len(of_peer)))}
    for number, pair in enumerate(shuffled, start=1):
        a, b = (pair.ours, pair.theirs) if first[number] else (pair.theirs, pair.ours)
        shown = f"# {number}: {pair.title}\n\n{difference(a, b, pair.lines)}\n"
        (out / "pairs" / f"{number:03}.md").write_text(shown.encode("utf-8", "replace").decode(), "utf-8")
        known = {name: getattr(pair, name) for name in ("corpus", "peer", "url", "ours_f1", "theirs_f1")}
        key.append({"number": number, "ours": "A" if first[number] else "B", **known})
    (out / "key.json").write_text(json.dumps(key, indent=1) + "\n", "utf-8")
    empty = [json.dumps({"number": row["number"], "verdict": "", "how": "", "error": ""}) + "\n" for row in key]
    (out / "verdicts.jsonl").write_text("".join(empty), "utf-8")


def score(out: Path) -> str:
    """Wins and losses of ours as tables; in brackets, on how many the F1 of the recorded truth says the opposite.

    Raises:
        ValueError: The verdicts do not fit the key, or a value is none of those allowed.
        OSError: A file cannot be read.
    """
    key = json.loads((out / "key.json").read_text("utf-8"))
    read = list(_verdicts(out / "verdicts.jsonl", {row["number"]: row for row in key}))
    of_peers, of_corpora = (sorted({getattr(one, name) for one in read}) for name in ("peer", "corpus"))
    groups = {"all": read}
    groups |= {peer: [one for one in read if one.peer == peer] for peer in of_peers}
    groups |= {corpus: [one for one in read if one.corpus == corpus] for corpus in of_corpora}
    rows = [[name, str(len(some)), *_results(some)] for name, some in groups.items()]
    lost = {"ours": [one for one in read if one.result == "lost"]}
    lost |= {peer: [one for one in read if one.result == "won" and one.peer == peer] for peer in of_peers}
    kinds = [[kind, *(_cell(x for x in some if x.error == kind) for some in lost.values())] for kind in ERRORS]
    head = ["ours against", "read", "wins", "clear wins", "losses", "clear losses", "ties"]
    left = f"{len(key) - len(read)} of {len(key)} pairs are not read yet; (n): the truth's F1 says the opposite on n"
    return "\n\n".join([left, table(head, rows), table(["error of the loser", *lost], kinds)])


def _verdicts(path: Path, key: Mapping[int, Mapping[str, Any]]) -> Iterator[Verdict]:
    """What was read, joined with the key."""
    seen = set[int]()
    for place, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{path.name}, line {place}"
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("number"), int):
            raise ValueError(f"{where}: no JSON object with a number")
        number = row["number"]
        if number not in key or number in seen:
            raise ValueError(f"{where}: number {number} is {'there twice' if number in seen else 'not in the key'}")
        seen.add(number)
        if not row.get("verdict"):
            continue
        wanted = {"verdict": VERDICTS} | ({"how": HOW, "error": ERRORS} if row["verdict"] != "equal" else {})
        for name, allowed in wanted.items():
            if row.get(name) not in allowed:
                raise ValueError(f"{where}: {name} {row.get(name)!r} is none of {', '.join(allowed)}")
        yield _joined(row, key[number])
    if missing := sorted(set(key) - seen):
        raise ValueError(f"{path.name}: number {missing[0]} is missing")


def _joined(row: Mapping[str, Any], known: Mapping[str, Any]) -> Verdict:
    corpus, peer, lead = known["corpus"], known["peer"], known["ours_f1"] - known["theirs_f1"]
    if row["verdict"] == "equal":
        return Verdict(corpus, peer, "tie", False, "", False)
    won = row["verdict"] == known["ours"]
    opposite = lead < 0 if won else lead > 0
    return Verdict(corpus, peer, "won" if won else "lost", row["how"] == "clearly", row["error"], opposite)


def _results(some: Sequence[Verdict]) -> Iterator[str]:
    for result in ("won", "lost"):
        yield _cell(one for one in some if one.result == result)
        yield _cell(one for one in some if one.result == result and one.clear)
    yield str(sum(one.result == "tie" for one in some))


def _cell(some: Iterable[Verdict]) -> str:
    found = list(some)
    return f"{len(found)} ({sum(one.opposite for one in found)})" if found else "0"


if __name__ == "__main__":
    main()
