"""Blind reading: a person says which of two texts of a page is better, without knowing which extractor made it.

`python -m benchmarks.blind write OUT --corpora DIR [DIR …] [--pages 100] [--peers trafilatura readability]` takes pages
where the default strategy and a peer differ, one per site, each with one peer: a text in two pairs would be recognised
as ours. `OUT/pairs/` has a file per pair, for the reader; `OUT/key.json` names the extractors. The reader fills in
`OUT/verdicts.jsonl`: verdict A, B or equal; how: clearly or slightly; error: the fault of the loser, one of `ERRORS`.
A line with an empty verdict has not been read yet. `python -m benchmarks.blind score OUT` then counts.

Line breaks, spaces between inline elements and marks of lists give an extractor away: lines are broken where the page
breaks them, and marks of lists and tables are left out, in both texts alike.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from benchmarks.ways import body, parsed, peers
from denoise_scrapy.body import DEFAULT_STRATEGY, find_strategy
from evaluation.corpora import Site, add_folders_argument, recorded
from evaluation.figures import table
from example_project.portal.model import TOKEN, tokens
from example_project.scoring import f1

#: Faults of the worse text.
ERRORS = (
    *("missing text", "boilerplate", "other story", "teasers", "comments", "advertisement", "caption", "biography"),
    *("headline missing", "order/duplicates", "other"),
)
#: Values of a verdict that is not "equal".
ALLOWED = {"verdict": ("A", "B", "equal"), "how": ("clearly", "slightly"), "error": ERRORS}
#: Most comparison pages: as many as the default strategy uses.
PAGES = find_strategy(DEFAULT_STRATEGY).comparison_pages
#: Least difference between the two texts of a pair: 1 - token F1.
DIFFER = 0.1
#: Characters of a run that only one text has: some ten lines, enough to recognise the kind of text.
RUN = 1200
#: Characters quoted from each end of a run that both texts have: some ten words.
QUOTED = 60
#: Tokens used to recognise the end or the start of a line.
EDGE = 3
_MARKS = re.compile(r"\\?\||^(?:[-*#>•·] )+|(?: [-*#>•·])+$")  # of tables and lists

Peers = Mapping[str, Callable[[str], str]]


class Pair(NamedTuple):
    """Two texts of a page, ours and a peer's, and all lines of the page."""

    corpus: str
    peer: str
    url: str
    title: str
    ours: str
    theirs: str
    lines: Sequence[str]


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.blind", description=__doc__)
    commands = ap.add_subparsers(dest="do", required=True)
    commands.add_parser("score").add_argument("out", type=Path, help="folder of the pairs, the key and the verdicts")
    ap_write = commands.add_parser("write")
    ap_write.add_argument("out", type=Path, help="a new folder")
    add_folders_argument(ap_write)
    ap_write.add_argument("--pages", type=int, default=100, help="pairs in all, as even over the corpora as they allow")
    ap_write.add_argument("--peers", nargs="+", default=["trafilatura", "readability"], choices=peers(), help="in turn")
    ap_write.add_argument("--seed", type=int, default=0, help="of the choice of pages and of the order of A and B")
    args = ap.parse_args()
    try:
        if args.do == "score":
            print(score(args.out))
            return
        extractors = {name: peers()[name] for name in args.peers}
        found = list(of_corpora(list(recorded(args.corpora)), args.pages, extractors, args.seed))
        write(args.out, found, args.seed)
    except (ValueError, OSError) as error:
        sys.exit(f"{ap.prog}: {error}")
    print(f"{len(found)} pairs in {args.out / 'pairs'}; errors of the loser: {', '.join(ERRORS)}")


def of_corpora(corpora: Sequence[tuple[str, list[Site]]], wanted: int, extractors: Peers, seed: int) -> Iterator[Pair]:
    """Yield pairs of all corpora; larger ones make up for those with few sites. No site is in two pairs."""
    seen = set[str]()
    smallest_first = sorted(corpora, key=lambda corpus: len(corpus[1]))
    for left, (name, sites) in zip(range(len(corpora), 0, -1), smallest_first, strict=True):
        new = [site for site in sites if site[0].site not in seen]
        seen |= {site[0].site for site in sites}
        found = list(pairs(name, new, round(wanted / left), extractors, seed))
        wanted -= len(found)
        print(f"{name}: {len(found)} pairs", flush=True)
        yield from found


def pairs(corpus: str, sites: Sequence[Site], wanted: int, extractors: Peers, seed: int) -> Iterator[Pair]:
    """Yield up to a number of pairs of a corpus, from random pages, at most one per site, peers in turn."""
    rng, count, names = Random(f"{seed} {corpus}"), 0, list(extractors)
    for site in rng.sample(sites, len(sites)):
        if count >= wanted:
            return
        peer = names[count % len(names)]
        some = rng.sample(site, min(len(site), PAGES + 1))
        if pair := _first_pair(corpus, some, peer, extractors[peer]):
            count += 1
            yield pair


def _first_pair(corpus: str, site: Site, peer: str, extract: Callable[[str], str]) -> Pair | None:
    pages = parsed(site)
    for i, page in enumerate(site):
        ours, theirs = body(pages, i, PAGES), extract(page.html)
        if f1(ours.text, theirs) < 1 - DIFFER:
            host = (urlsplit(page.url).hostname or "").removeprefix("www.")
            title = re.sub(re.escape(host), "…", ours.title, flags=re.IGNORECASE) if host else ours.title
            lines = pages[i].text_of(np.ones(len(pages[i].blocks), bool)).splitlines()
            return Pair(corpus, peer, page.url, " ".join(title.split()), ours.text, theirs, lines)
    return None


def write(out: Path, found: Sequence[Pair], seed: int) -> None:
    """Write pairs in random order, ours as A in half of each peer's, with the key and a file for the verdicts.

    Raises:
        ValueError: The folder already contains verdicts.
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
        known = {"corpus": pair.corpus, "peer": pair.peer, "url": pair.url}
        key.append({"number": number, "ours": "A" if first[number] else "B", **known})
    (out / "key.json").write_text(json.dumps(key, indent=1) + "\n", "utf-8")
    empty = [json.dumps({"number": row["number"], "verdict": "", "how": "", "error": ""}) + "\n" for row in key]
    (out / "verdicts.jsonl").write_text("".join(empty), "utf-8")


def score(out: Path) -> str:
    """Return our wins and losses, and the faults of the losing texts, as tables.

    Raises:
        ValueError: The verdicts do not fit the key, or a value is not allowed.
        OSError: A file cannot be read.
    """
    key = {row["number"]: row for row in json.loads((out / "key.json").read_text("utf-8"))}
    rows = list(map(json.loads, (out / "verdicts.jsonl").read_text("utf-8").splitlines()))
    if sorted(row.get("number", 0) for row in rows) != list(key):
        raise ValueError("verdicts.jsonl: not each number of the key once")
    read = [key[row["number"]] | row for row in rows if row.get("verdict")]
    for row in read:
        for name, allowed in ALLOWED.items() if row["verdict"] != "equal" else ():
            if row.get(name) not in allowed:
                raise ValueError(f"number {row['number']}: {name} {row.get(name)!r} is none of {', '.join(allowed)}")
    won, lost = ([row for row in read if (row["verdict"] == row["ours"]) is one] for one in (True, False))
    lost = [row for row in lost if row["verdict"] != "equal"]
    peers_read, corpora_read = (sorted({row[name] for row in read}) for name in ("peer", "corpus"))
    results = []
    for name in ("all", *peers_read, *corpora_read):
        counts = [[row["how"] for row in some if name in ("all", row["peer"], row["corpus"])] for some in (won, lost)]
        number = sum(name in ("all", row["peer"], row["corpus"]) for row in read)
        cells = [number, *(count for some in counts for count in (len(some), some.count("clearly")))]
        results.append([name, *map(str, [*cells, number - sum(map(len, counts))])])
    losers = {"ours": lost} | {peer: [row for row in won if row["peer"] == peer] for peer in peers_read}
    kinds = [[kind, *(str(sum(row["error"] == kind for row in some)) for some in losers.values())] for kind in ERRORS]
    left = f"{len(key) - len(read)} of {len(key)} pairs are not read yet"
    head = ["ours against", "read", "wins", "clear wins", "losses", "clear losses", "ties"]
    return "\n\n".join([left, table(head, results), table(["error of the loser", *losers], kinds)])


def difference(a: str, b: str, page_lines: Sequence[str]) -> str:
    """Return the sizes of two texts of a page, the runs that only one has, and size and ends of common runs."""
    of = {"A": _lines(a, page_lines), "B": _lines(b, page_lines)}
    keys = {name: ["".join(tokens(line)) for line in found] for name, found in of.items()}
    parts = [f"{name}: {_count(found)}" for name, found in of.items()]
    for tag, i, j, k, m in SequenceMatcher(None, keys["A"], keys["B"], autojunk=False).get_opcodes():
        if tag == "equal":
            text = " / ".join(of["A"][i:j])
            ends = text if len(text) <= 3 * QUOTED else f"{text[:QUOTED]} […] {text[-QUOTED:]}"
            parts.append(f"*Both* ({_count(of['A'][i:j])}): {ends}")
            continue
        for name, other, start, end in (("A", "B", i, j), ("B", "A", k, m)):
            here = zip(of[name][start:end], keys[name][start:end], strict=True)
            run = [f"{line} [{other} has this elsewhere]" if mark in keys[other] else line for line, mark in here]
            parts += [f"**Only {name}** ({_count(of[name][start:end])}):\n\n{_cut(run)}"] if run else []
    return "\n\n".join(parts)


def _lines(text: str, page_lines: Iterable[str]) -> list[str]:
    """Return the lines of a text, broken where the page breaks them."""
    known = [tuple(tokens(line)) for line in page_lines]
    ends, starts = {line[-EDGE:] for line in known}, {line[:EDGE] for line in known}
    found = list(TOKEN.finditer(text))
    words, cuts = [token.group().lower() for token in found], [0]
    for i in range(1, len(words)):
        sizes = range(1, EDGE + 1)
        if any(tuple(words[max(i - n, 0) : i]) in ends for n in sizes) and any(
            tuple(words[i : i + n]) in starts for n in sizes
        ):
            opening = re.search(r"\s(\S*)$", text[found[i - 1].end() : found[i].start()])
            cuts.append(found[i].start() - (len(opening[1]) if opening else 0))
    parts = (_MARKS.sub(" ", " ".join(text[i:j].split())) for i, j in zip(cuts, [*cuts[1:], len(text)], strict=True))
    lines = (re.sub(r" ([,.;:!?)])", r"\1", " ".join(part.split())) for part in parts)
    return [line for line in lines if line]


def _count(lines: Sequence[str]) -> str:
    return f"{len(lines)} lines, {sum(len(tokens(line)) for line in lines):,} words"


def _cut(lines: Sequence[str]) -> str:
    text = "\n".join(lines)
    if len(text) > RUN:
        text = f"{text[: RUN // 2]} […]\n[{len(text) - RUN:,} characters cut]\n[…] {text[-RUN // 2 :]}"
    return "  \n".join(f"> {line}" for line in text.splitlines())


if __name__ == "__main__":
    main()
