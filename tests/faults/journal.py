"""What a crawl did, as its witnesses wrote it down, and as it stands in the feed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

JOURNAL, FEED = "journal.jsonl", "items.jsonl"
_BEGIN = '{"url": '  # of an item's line


class Journal:
    """Appends lines to the journal of the current folder; no buffer, so that a kill loses none."""

    def __init__(self) -> None:
        self._file = os.open(JOURNAL, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write(self, what: str, url: str = "", **more: Any) -> None:
        line = {"run": os.environ.get("STORIES_RUN", ""), "what": what, "url": url, **more}
        os.write(self._file, json.dumps(line).encode() + b"\n")


class Feed(NamedTuple):
    """The items of a feed.

    Attributes:
        items: Those that can be read, in order.
        torn: Lines that a kill has cut off; the next run goes on in the same line.
    """

    items: list[dict[str, Any]]
    torn: int

    @property
    def urls(self) -> list[str]:
        return [item["url"] for item in self.items]


def read_journal(folder: Path) -> list[dict[str, Any]]:
    """Its lines, but for one that is being written: a reader may see half of it."""
    path = folder / JOURNAL
    whole = path.read_text("utf-8").rpartition("\n")[0] if path.exists() else ""
    return [json.loads(line) for line in whole.splitlines()]


def read_feed(folder: Path) -> Feed:
    """Read a feed whose writers were killed, as a careful user does."""
    path = folder / FEED
    items, torn = [], 0
    for line in path.read_text("utf-8", "replace").splitlines() if path.exists() else ():
        head, *parts = line.split(_BEGIN)
        torn += bool(head)
        for part in parts:
            try:
                items.append(json.loads(_BEGIN + part))
            except ValueError:
                torn += 1
    return Feed(items, torn)


def settled_urls(folder: Path) -> set[str]:
    """URLs of items of which it is known what became of them: in the feed, dropped, or failed."""
    ended = {"dropped", "failed", "duplicate"}
    return set(read_feed(folder).urls) | {line["url"] for line in read_journal(folder) if line["what"] in ended}
