"""From what a user calls an index to an open store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from scrapy.exceptions import UsageError

from denoise_scrapy.crawl.duplicates.index import INDEX_FILE
from denoise_scrapy.dedup import RULES, RedisStore, SQLiteStore, Store, StoreMismatch
from denoise_scrapy.settings import DenoiseSettings, is_class_path
from denoise_scrapy.storage.redis_link import SCHEMES, RedisLink

if TYPE_CHECKING:
    from scrapy.settings import Settings

    from denoise_scrapy.dedup.rule import Rule

SERVER_NAME = "denoise"  # of an index on a server whose URL names none

_NO_STORE = "no STORE is given, and the settings name none: DENOISE_DEDUP_STORE or JOBDIR"


class Opened(NamedTuple):
    """An index.

    Attributes:
        store: Open; to be closed.
        rule: One that reads it: "part" also where it was "near-copy", for they keep the same.
        path: Its file; None on a server.

    """

    store: Store
    rule: Rule
    path: Path | None


def named_in(settings: Settings) -> str:
    """Give what a project's settings call the index.

    Raises:
        UsageError: They name none.
        ConfigurationError: They are wrong.

    """
    read = DenoiseSettings.from_settings(settings)
    directory = settings.get("JOBDIR")  # as it is: Scrapy's own function makes the folder
    if is_class_path(read.dedup_store):
        raise UsageError(f"DENOISE_DEDUP_STORE = {read.dedup_store!r}: these commands open files and servers only")
    if read.dedup_store not in {"auto", "memory"}:
        return read.dedup_store
    if read.dedup_store == "memory" or not directory:
        raise UsageError(_NO_STORE)
    return str(Path(directory, INDEX_FILE))


def open_store(name: str, *, damaged: bool = False) -> Opened:
    """Open an index that is there.

    Args:
        name: Path of a file or a job directory, or URL of a server with "#" and the name of the index.
        damaged: Whether to open it also where texts are damaged.

    Returns:
        The index.

    Raises:
        StoreMismatch: It is of another version, or none of ours.
        OSError: It is not there. SQLite and redis-py have errors of their own.

    """
    _refuse_missing(name)
    mismatch: StoreMismatch | None = None
    for rule in RULES.values():
        try:
            return open_with(name, rule, damaged=damaged)
        except StoreMismatch as error:  # rules differ in their constants: the default's is the one to tell
            mismatch = mismatch or error
    assert mismatch is not None
    raise mismatch


def open_with(name: str, rule: Rule, *, damaged: bool = False) -> Opened:
    """Open an index of a rule, make it where there is none.

    Raises:
        StoreMismatch: It is of another rule or version, or none of ours.

    """
    store = open_or_make(name)
    if isinstance(store, SQLiteStore):
        store.opens_damaged = damaged
    try:
        store.open(rule.constants)
    except BaseException:
        store.close()
        raise
    return Opened(store, rule, path_of(name))


def open_or_make(name: str) -> Store:
    """Give a store, for an index to open; it is made where there is none.

    Raises:
        ValueError: It is another kind of URL.

    """
    path = path_of(name)
    return _server_store(name) if path is None else SQLiteStore(path)


def path_of(name: str) -> Path | None:
    """Give the file of an index; None for one on a server.

    Raises:
        ValueError: It is another kind of URL.

    """
    if name.startswith(SCHEMES):
        return None
    if "://" in name:
        raise ValueError(f"{name}: no such kind of store; there are files and {', '.join(SCHEMES)}")
    return Path(name, INDEX_FILE) if Path(name).is_dir() else Path(name)


def refuse_missing_file(path: Path) -> None:
    """See that there is a file to open, for SQLite would make one.

    Raises:
        OSError: There is none, or it is empty.

    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    if not path.is_file():
        raise OSError(f"{path}: this is no file")
    if not path.stat().st_size:
        raise OSError(f"{path}: the file is empty")


def _refuse_missing(name: str) -> None:
    path = path_of(name)
    if path is None:
        _refuse_missing_on_server(name)
    else:
        refuse_missing_file(path)


def _refuse_missing_on_server(name: str) -> None:
    url, key = _server_name(name)
    link = RedisLink(url)
    with link.named() as client:
        try:
            if not client.exists(f"{{{key}}}:meta"):
                raise FileNotFoundError(f"{link.place}: there is no index named {key!r}")
        finally:
            client.close()


def _server_store(name: str) -> Store:
    url, key = _server_name(name)
    return RedisStore(url, name=key)


def _server_name(name: str) -> tuple[str, str]:
    """Split an URL into that of the server and the name of the index."""
    url, _, key = name.partition("#")
    return url, unquote(key) or SERVER_NAME
