"""Faults that only the crawl's own process can have; extensions for `Project.start(fault=…)`."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import Any

from scrapy import signals

FIRST, LAST = 15, 40  # items after which the fault begins and ends


class ReadOnly:
    """Lets SQLite refuse to write for a while, as it does when its file system was mounted anew after a fault."""

    def __init__(self, crawler: Any):
        self._links: list[sqlite3.Connection] = []
        self._items = 0
        self._connect = sqlite3.connect
        sqlite3.connect = self._remembering  # type: ignore[assignment]
        for end in (signals.item_scraped, signals.item_dropped):
            crawler.signals.connect(self._item_ended, end)

    @classmethod
    def from_crawler(cls, crawler: Any) -> ReadOnly:
        return cls(crawler)

    def _remembering(self, *args: Any, **more: Any) -> sqlite3.Connection:
        link: sqlite3.Connection = self._connect(*args, **more)
        self._links.append(link)
        self._set(link)
        return link

    def _set(self, link: sqlite3.Connection) -> None:
        link.execute(f"PRAGMA query_only = {int(FIRST <= self._items < LAST)}")

    def _item_ended(self) -> None:
        self._items += 1
        if self._items in (FIRST, LAST):
            for link in self._links:
                with suppress(sqlite3.ProgrammingError):  # it was closed
                    self._set(link)
