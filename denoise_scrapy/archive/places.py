"""Files of archives and of results, on disk or, by pyarrow, under a URL: s3a://, gs://, hdfs://."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatch
from glob import glob, has_magic
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from urllib.parse import quote, urljoin

from denoise_scrapy.archive.records import page_format
from denoise_scrapy.storage import replacing


def files_of(patterns: list[str]) -> list[str]:
    """Return the files that paths, folders and patterns name, sorted; `ValueError` for none, or another format."""
    found = set()
    for pattern in patterns:
        names = _listed(pattern) if "://" in pattern else _local(pattern)
        if not names:
            raise ValueError(f"{pattern}: there is no such file")
        for name in names:
            page_format(name)
        found |= set(names)
    return sorted(found)


def addresses_of(patterns: list[str], url: str) -> dict[str, str]:
    """Return the addresses of local pages of HTML: their places in the folder that lies at a URL.

    The folder is one that is named, or else the innermost that all files of a pattern are in; a file that is named has
    the very URL.
    """
    found: dict[str, str] = {}
    for pattern in patterns if url else ():
        names = [name for name in _local(pattern) if page_format(name) == "html"]
        if names == [str(Path(pattern).absolute())]:
            found[names[0]] = url
            continue
        folder = pattern if Path(pattern).is_dir() else os.path.commonpath([Path(name).parent for name in names or "."])
        base = url if url.endswith("/") else f"{url}/"
        for name in names:
            place = Path(name).relative_to(Path(folder).absolute()).as_posix()
            found[name] = urljoin(base, quote(place, safe="/@!$&'()*+,;=~"))
    return found


def _local(pattern: str) -> list[str]:
    path = Path(pattern)
    names = [str(one) for one in path.rglob("*")] if path.is_dir() else glob(pattern, recursive=True)  # noqa: PTH207 - absolute, too
    if not names and path.exists():  # a name with a bracket in it
        names = [pattern]
    found = [str(Path(name).absolute()) for name in names if Path(name).is_file()]
    return _readable(found) if path.is_dir() else found


def _listed(pattern: str) -> list[str]:
    from pyarrow.fs import FileSelector, FileType  # noqa: PLC0415 - an extra

    system, path = _system(pattern)
    start = pattern[: len(pattern) - len(path)]
    info = system.get_file_info(path)
    if info.type == FileType.File:
        return [pattern]
    parts = PurePosixPath(path).parts
    fixed = next((number for number, part in enumerate(parts) if has_magic(part)), len(parts))
    selected = system.get_file_info(
        FileSelector(str(PurePosixPath(*parts[:fixed])), recursive=True, allow_not_found=True)
    )
    names = [one.path for one in selected if one.type == FileType.File]
    if fixed == len(parts):
        return [start + name for name in _readable(names)]
    return [start + name for name in names if fnmatch(name, path) and len(PurePosixPath(name).parts) == len(parts)]


def _readable(names: list[str]) -> list[str]:
    """The archives of a folder; the pages of HTML where it has none."""
    kinds: dict[str, list[str]] = {"html": [], "": []}
    for name in names:
        with suppress(ValueError):
            kinds["html" if page_format(name) == "html" else ""].append(name)
    return kinds[""] or kinds["html"]


def _system(place: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it; pyarrow has s3 for Hadoop's s3a."""
    from pyarrow.fs import FileSystem  # noqa: PLC0415 - an extra

    system, path = FileSystem.from_uri(place.replace("s3a://", "s3://", 1))
    return system, path


@contextmanager
def opened(place: str) -> Iterator[BinaryIO]:
    """Open a file that can be sought in."""
    if "://" not in place:
        with Path(place).open("rb") as file:
            yield file
        return
    system, path = _system(place)
    with system.open_input_file(path) as raw, io.BufferedReader(raw, 1 << 20) as file:
        yield file


def exists(place: str) -> bool:
    """Return whether there is a file or a folder."""
    if "://" not in place:
        return Path(place).exists()
    from pyarrow.fs import FileType  # noqa: PLC0415 - an extra

    system, path = _system(place)
    return bool(system.get_file_info(path).type != FileType.NotFound)


def read_text(place: str) -> str:
    """Return the text of a file."""
    with opened(place) as file:
        return file.read().decode()


def write_text(place: str, text: str) -> None:
    """Write a file as a whole."""
    if "://" in place:
        system, path = _system(place)
        with system.open_output_stream(path) as file:
            file.write(text.encode())
        return
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    with replacing(Path(place)) as beside:
        beside.write_text(text, "utf-8")


def remove_folder(place: str) -> None:
    """Delete a folder with all that is in it, where there is one."""
    from pyarrow.fs import FileSystem, FileType  # noqa: PLC0415 - an extra

    system, path = _system(place) if "://" in place else FileSystem.from_uri(str(Path(place).absolute()))
    if system.get_file_info(path).type == FileType.Directory:
        system.delete_dir(path)
