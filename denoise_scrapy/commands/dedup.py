"""`scrapy denoise dedup …`: an index of texts, and near-duplicates in a file of rows (`dedup_run`)."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from w3lib.url import canonicalize_url

from denoise_scrapy.commands import Given, UsageError, add_command, dedup_run, show
from denoise_scrapy.crawl.duplicates import MEMORY, index_place
from denoise_scrapy.dedup import RULES, RedisStore, SQLiteStore, Store, StoreMismatch
from denoise_scrapy.dedup.versions import Version
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import site_key
from denoise_scrapy.support.shown import counted, json_line, report, say
from denoise_scrapy.support.storage import without_password

STORE = (
    "a SQLite file, a job directory, or redis://HOST:PORT/DB#NAME (without a name: #denoise), which may contain user "
    "and password"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True)
    commands: dict[str, tuple[str, Callable[[argparse.Namespace, Given], int], str]] = {
        "run": ("find the near-duplicates in a file of rows", dedup_run.run, "items.jsonl -o kept.jsonl"),
        "stats": ("show the contents of an index", stats, "crawls/news"),
        "chunks": ("list the chunks of the pages in an index", chunks, "crawls/news"),
        "forget": ("remove texts by key or by age", forget, "texts.sqlite --older-than 30d --dry-run"),
    }
    made = {}
    for name, (meaning, run_it, example) in commands.items():
        made[name] = one = add_command(subparsers, name, meaning, f"dedup {name} {example}")
        one.set_defaults(run=run_it)
        if name != "run":
            one.add_argument("store", metavar="STORE", help=STORE, nargs="?" if name == "stats" else None)
    dedup_run.add_arguments(made["run"])
    made["stats"].epilog = "Default: the index that the project's settings name."
    made["stats"].add_argument("--json", action="store_true", help="print JSON")
    made["chunks"].epilog = "One JSON object per line: the index has them if a feed has the format chunk-changes."
    one = made["forget"]
    one.add_argument("keys", metavar="KEY", nargs="*", help="key of an item, or a URL in any spelling")
    age = "only texts not seen since: 12h, 30d, 2w, or a date such as 2026-01-31"
    one.add_argument("--older-than", metavar="AGE", type=moment, help=age)
    one.add_argument("--dry-run", action="store_true", help="list the texts without removing them")
    one.epilog = "Copies of a removed text then count as new."


def open_index(place: str) -> tuple[Store, Mapping[str, str]]:
    """Open an existing index, or that of a job directory; return its store, to be closed, and its constants."""
    mismatch: StoreMismatch | None = None
    for rule in RULES.values():
        store = dedup_run.store_at(place)  # a store is opened only once
        if isinstance(store, SQLiteStore):
            path = store.path
            if not (path.is_file() and path.stat().st_size):  # SQLite would create one
                raise FileNotFoundError(f"{path}: {'not an index' if path.exists() else 'there is no such file'}")
        elif isinstance(store, RedisStore) and not store.exists():
            raise FileNotFoundError(f"{without_password(place)}: there is no such index")
        try:
            store.open(rule.constants)
            return store, rule.constants
        except StoreMismatch as error:  # rules differ in their constants: report the first, the default's
            store.close()
            mismatch = mismatch or error
    assert mismatch is not None
    raise mismatch


def stats(args: argparse.Namespace, settings: Given) -> int:
    # JOBDIR unchanged: Scrapy's own function creates the folder
    args.store = args.store or index_place(DenoiseSettings.from_settings(settings), settings.get("JOBDIR"))
    if args.store == MEMORY:
        raise UsageError("no STORE given, and the settings DENOISE_DEDUP_STORE and JOBDIR name none")
    opened, constants = open_index(args.store)
    with opened as store:
        texts = len(store)
        nbytes = None
        if isinstance(store, SQLiteStore):  # with its write-ahead log
            files = store.path, store.path.with_name(f"{store.path.name}-wal")
            nbytes = sum(one.stat().st_size for one in files if one.exists())
    size = "" if nbytes is None else f", {nbytes:,} bytes"
    lines = [
        f"{without_password(args.store)}: {counted(texts, 'text')}{size}",
        "constants:",
        *(f"    {key}: {value}" for key, value in constants.items()),
    ]
    show(args, {"texts": texts, "bytes": nbytes, "constants": {**constants}}, lines)
    return 0


def forget(args: argparse.Namespace, settings: Given) -> int:
    """Remove texts; raise `UsageError` without a selection."""
    if not args.keys and args.older_than is None:
        raise UsageError("give a KEY or --older-than")
    wanted = {spelling for key in args.keys for spelling in _spellings(key)}
    limit = args.older_than
    with open_index(args.store)[0] as store:
        texts = list[tuple[int, str, str]]()
        for batch in store.newer(0):
            meant = [(one.id, *one.name[:2]) for one in batch if not wanted or one.name.key in wanted]
            if limit is not None:
                times = store.last_seen([number for number, *_ in meant])
                meant = [one for one in meant if times.get(one[0], limit) < limit]
            texts += meant
        if args.dry_run:
            say(*(f"{where or 'all'}  {key}" for _, key, where in texts))
        else:
            texts = [one for one in texts if store.remove(one[0])]
    say(f"{'would be ' if args.dry_run else ''}forgotten: {len(texts):,}")
    gone = {key for _, key, _ in texts}
    for key in args.keys:
        if gone.isdisjoint(_spellings(key)):
            report(f"not found{'' if limit is None else ', or not that old'}: {key}")
    return 0


def moment(text: str) -> float:
    """Parse an age (12h, 30d, 2w) or a local date; return the time in seconds since the epoch."""
    try:
        unit = {"h": "hours", "d": "days", "w": "weeks"}.get(text[-1:])
        if unit:
            return (datetime.now() - timedelta(**{unit: float(text[:-1])})).timestamp()
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an age like 12h, 30d, 2w or a date like 2026-01-31"
        ) from None


def chunks(args: argparse.Namespace, settings: Given) -> int:
    """Print the key and the ids of chunks of each item, as the feeds `chunk-changes` have left them in a store."""
    with open_index(args.store)[0] as store:
        for record in store.records():
            version = Version.unpack(record.version)
            for name in () if version is None else version.chunk_ids:
                say(json_line({"url": record.name.key, "id": name}))
    return 0


def _spellings(key: str) -> set[str]:
    """Return a key as given, and, if it is a URL, also as a crawl writes it."""
    return {key, canonicalize_url(key)} if site_key(key) else {key}
