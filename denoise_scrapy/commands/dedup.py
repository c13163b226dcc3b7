"""`scrapy denoise dedup …`: what is done with an index of texts, and with a file of rows."""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scrapy.exceptions import UsageError
from w3lib.url import canonicalize_url

from denoise_scrapy.commands import dedup_run, dedup_transfer, failures
from denoise_scrapy.commands.indexes import Opened, flaws, named_in, open_store
from denoise_scrapy.crawl.duplicates.index import place_shown
from denoise_scrapy.crawl.text_table import counted
from denoise_scrapy.dedup import Store
from denoise_scrapy.dedup.groups import all_groups
from denoise_scrapy.dedup.store import Copy, Name, Record
from denoise_scrapy.shown import say
from denoise_scrapy.site import site_key

if TYPE_CHECKING:
    from scrapy.settings import Settings

SCOPES_SHOWN = 10
PERCENTS = (5, 50, 95)
COPIES_SHOWN = 10  # of a group among others
PROBLEMS_SHOWN = 100  # more say nothing new
STORE = (
    "a SQLite file, a job directory, or redis://HOST:PORT/DB#NAME (#denoise where no name is given); "
    "user and password may stand in the URL"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    subparsers = parser.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True)
    for name, meaning, add, run_it in (
        ("run", "find the near-duplicates in a file of rows", dedup_run.add_arguments, dedup_run.run),
        ("stats", "say what an index holds", _add_stats_arguments, stats),
        ("groups", "list what was dropped, and for which text", _add_groups_arguments, groups),
        ("export", "write an index as JSON Lines", dedup_transfer.add_export_arguments, dedup_transfer.export),
        ("import", "add what was exported", dedup_transfer.add_import_arguments, dedup_transfer.import_),
        ("forget", "remove texts by key or by age", _add_forget_arguments, forget),
        ("check", "look for damage", None, check),
    ):
        one = subparsers.add_parser(name, help=meaning, description=meaning.capitalize() + ".")
        one.set_defaults(run=run_it)
        if name != "run":
            one.add_argument("store", metavar="STORE", help=STORE, nargs="?" if name == "stats" else None)
        if add is not None:
            add(one)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Run the subcommand of this subcommand."""
    code: int = args.run(args, settings)
    return code


def _add_stats_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.epilog = "Without STORE: the one that the project's settings name."


def stats(args: argparse.Namespace, settings: Settings) -> int:
    """Say what an index holds."""
    args.store = args.store or named_in(settings)
    opened = open_store(args.store)
    with opened.store:
        found = statistics(opened)
    lines = json.dumps(found, ensure_ascii=False, indent=2).split("\n") if args.json else _as_text(args.store, found)
    say(*lines)
    return 0


def statistics(opened: Opened) -> dict[str, Any]:
    """Read the whole index and count."""
    lengths, short, scopes = array("Q"), 0, Counter[str]()
    for record in opened.store.records():
        lengths.append(record.fingerprint.n)
        scopes[record.name.scope] += 1
        short += opened.rule.too_short(record.fingerprint)
    ranks = np.percentile(lengths, PERCENTS, method="nearest").tolist() if lengths else [0] * len(PERCENTS)
    return {
        "texts": len(lengths),
        "short": short,
        "units": {f"{percent}%": int(value) for percent, value in zip(PERCENTS, ranks, strict=True)},
        "scopes": len(scopes),
        "largest_scopes": dict(scopes.most_common(SCOPES_SHOWN)),
        "copies": sum(1 for _ in opened.store.copies()),
        "bytes": None if opened.path is None else _bytes(opened.path),
        "constants": dict(opened.rule.constants),
    }


def _bytes(path: Path) -> int:
    """Size of a SQLite file and of what has been written but not yet put into it."""
    files = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _as_text(name: str, found: dict[str, Any]) -> list[str]:
    units = found["units"]
    size = "" if found["bytes"] is None else f", {found['bytes']:,} bytes"
    return [
        f"{place_shown(name)}: {counted(found['texts'], 'text')}{size}",
        f"length in units: median {units['50%']:,}, 5% have {units['5%']:,} or fewer, 5% {units['95%']:,} or more",
        f"too short to be judged by similarity: {found['short']:,}",
        f"dropped keys remembered: {found['copies']:,}",
        f"scopes: {found['scopes']:,}",
        *(f"{count:>9,}  {scope or 'all'}" for scope, count in found["largest_scopes"].items()),
        "constants:",
        *(f"    {key}: {value}" for key, value in found["constants"].items()),
    ]


def _add_groups_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", metavar="KEY", nargs="?", help="only the group of this key, kept or dropped")
    parser.add_argument("--scope", metavar="S", help="only in this scope; 'all' for the one without a name")
    parser.add_argument("--json", action="store_true", help="a JSON object a line, with all keys")
    parser.epilog = f"The largest comes first; of each among others {COPIES_SHOWN} copies are shown."


def groups(args: argparse.Namespace, settings: Settings) -> int:
    """List groups."""
    meant = None if args.key is None else _spellings(args.key)
    scope = "" if args.scope == "all" else args.scope
    with open_store(args.store).store as store:
        found = [
            one
            for one in all_groups(store)
            if scope in {None, one.scope} and (meant is None or not meant.isdisjoint(one.members))
        ]
    for one in found:
        if args.json:
            say(json.dumps(asdict(one), ensure_ascii=False))
            continue
        some = one.copies if args.key is not None else one.copies[:COPIES_SHOWN]
        say(one.kept, *(f"   {copy}" for copy in some))
        if len(some) < len(one.copies):
            say(f"   … and {len(one.copies) - len(some):,} more")
    if args.key is not None and not found:
        say(f"{args.key}: not dropped for another text, and no other for it, as far as is remembered", file=sys.stderr)
        return 1
    dropped = counted(sum(len(one.copies) for one in found), "dropped key")
    say(f"{counted(len(found), 'group')}, {dropped}", file=sys.stderr)
    return 0


def _add_forget_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("keys", metavar="KEY", nargs="*", help="key of an item; an URL in any spelling")
    parser.add_argument("--pattern", metavar="REGEX", help="also keys in which this is found")
    parser.add_argument("--scope", metavar="S", help="only in this scope; 'all' for the one without a name")
    age = "only texts last kept or seen again before that: 12h, 30d, 2w, or a date as 2026-01-31"
    parser.add_argument("--older-than", metavar="AGE", type=moment, help=age)
    parser.add_argument("--dry-run", action="store_true", help="name them, and remove none")
    parser.epilog = "Copies of a forgotten text count as new from then on, and its group is forgotten with it."


def forget(args: argparse.Namespace, settings: Settings) -> int:
    """Remove texts, and what is remembered of dropped keys.

    Raises:
        UsageError: Nothing says which.

    """
    if not args.keys and args.pattern is None and args.older_than is None:
        raise UsageError("dedup forget: give a KEY, a --pattern or --older-than")
    is_meant = _matcher(args.keys, args.pattern)
    scope = "" if args.scope == "all" else args.scope
    with open_store(args.store).store as store:
        found = list[tuple[int, str, str]]()
        for batch in store.newer(0):
            meant = [(one.id, one.key, one.scope) for one in batch if scope in {None, one.scope} and is_meant(one.key)]
            found += meant if args.older_than is None else _older(store, meant, args.older_than)
        copies = [
            one
            for one in store.copies()
            if scope in {None, one.scope} and is_meant(one.key) and one.time < (args.older_than or float("inf"))
        ]
        if args.dry_run:
            for _, key, where in found:
                say(f"{where or 'all'}  {key}")
            for copy in copies:
                say(f"{copy.scope or 'all'}  {copy.key}, dropped for {copy.kept}")
            say(f"would be forgotten: {_forgotten(len(found), copies)}")
        else:
            copies = [one for one in copies if store.remove_copy(Name(one.key, one.scope))]
            say(f"forgotten: {_forgotten(sum(store.remove(number) for number, *_ in found), copies)}")
    there = {one[1] for one in found}.union(one.key for one in copies)
    for key in args.keys:
        if there.isdisjoint(_spellings(key)):
            say(f"not there{'' if args.older_than is None else ', or not that old'}: {key}", file=sys.stderr)
    return 0


def moment(text: str) -> float:
    """Read an age or a date of the command line.

    Args:
        text: Hours, days or weeks as 12h, 30d, 2w; or a date, or a date and a time, of here where it names no zone.

    Returns:
        The moment that is so long ago, in seconds since the epoch.

    Raises:
        ArgumentTypeError: It is neither.

    Example:
        >>> moment("1970-01-02T00:00:00+00:00")
        86400.0
        >>> moment("1d") - moment("2w") > 12 * 86400
        True

    """
    try:
        unit = {"h": "hours", "d": "days", "w": "weeks"}.get(text[-1:])
        if unit:
            return (datetime.now() - timedelta(**{unit: float(text[:-1])})).timestamp()
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r} is no age as 12h, 30d, 2w, and no date as 2026-01-31") from None


def _older(store: Store, found: list[tuple[int, str, str]], limit: float) -> list[tuple[int, str, str]]:
    times = store.last_seen([number for number, *_ in found])
    return [one for one in found if times.get(one[0], limit) < limit]


def _forgotten(texts: int, copies: list[Copy]) -> str:
    return f"{texts:,}" + (f", and {counted(len(copies), 'dropped key')}" if copies else "")


def _matcher(keys: list[str], pattern: str | None) -> Callable[[str], bool]:
    try:
        search = None if pattern is None else re.compile(pattern).search
    except re.error as error:
        raise UsageError(f"--pattern {pattern!r} is no regular expression: {error}") from None
    everything = not keys and pattern is None
    wanted = {spelling for key in keys for spelling in _spellings(key)}
    return lambda key: everything or key in wanted or (search is not None and search(key) is not None)


def _spellings(key: str) -> set[str]:
    """A key as given, and, of an URL, as a crawl writes it."""
    return {key, canonicalize_url(key)} if site_key(key) else {key}


def check(args: argparse.Namespace, settings: Settings) -> int:
    """Look for damage, and print what is wrong."""
    opened = open_store(args.store, damaged=True)
    found = 0
    with opened.store:
        for found, problem in enumerate(problems(opened), 1):
            if found <= PROBLEMS_SHOWN:
                say(problem)
        total = _count(opened.store)
    if not found:
        say(f"{total} texts, no problem")
        return 0
    say(f"{total} texts, problems: {found:,}", file=sys.stderr)
    return 1


def problems(opened: Opened) -> Iterator[str]:
    """Yield what is wrong with an index, a sentence each."""
    names, ids = array("Q"), array("Q")
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
