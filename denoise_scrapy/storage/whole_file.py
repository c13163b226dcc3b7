"""Writing a file so that it is never half there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Write a file beside another, which takes its place when the block ends, and is gone if it fails.

    Args:
        path: The file to replace or make.

    Yields:
        A text file, UTF-8, whose lines end as on Unix.

    Raises:
        OSError: It cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with replacing(Path(folder, "a.txt")) as file:
        ...         _ = file.write("whole")
        ...     [one.name for one in Path(folder).iterdir()]
        ['a.txt']
    """
    with replacing_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as file:
        yield file


@contextmanager
def replacing_path(path: Path) -> Iterator[Path]:
    """As `replacing`, for content that is no text.

    Yields:
        The path of the file to write, which is beside the other.

    Raises:
        OSError: It cannot be written.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
