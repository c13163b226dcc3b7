"""Which pages of a host come next: a queue for each host, with its limit of pages and depth."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

WINDOW = 64  # requests of a host under way at most, so that the queue waits here and not in Scrapy


def host_of(url: str) -> str:
    """Return the host of an http or https URL, the same for both and with or without www; else "".

    >>> host_of("https://www.Saltmere.example/news/"), host_of("http://a.example:8080/")
    ('saltmere.example', 'a.example:8080')
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return ""
    host = parts.hostname.removeprefix("www.")
    return host if port in (None, 80, 443) else f"{host}:{port}"


def _key(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path or '/'}?{parts.query}"


@dataclass
class Host:
    """A host's pages: waiting, under way, and done; `limit` 0 is none."""

    limit: int = 0
    waiting: deque[tuple[str, int]] = field(default_factory=deque)
    seen: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    under_way: int = 0

    def offer(self, url: str, depth: int) -> None:
        """Queue a URL unless it was queued before."""
        key = _key(url)
        if key not in self.seen:
            self.seen.add(key)
            self.waiting.append((url, depth))

    def take(self, url: str) -> bool:
        """Count a page that has arrived; False if it was counted before or the limit is reached."""
        key = _key(url)
        if key in self.taken or (self.limit and len(self.taken) >= self.limit):
            return False
        self.seen.add(key)
        self.taken.add(key)
        return True

    def release(self) -> Iterator[tuple[str, int]]:
        """Yield what may be asked for now, with its depth.

        No more is under way than the limit still allows, so no page is fetched in vain; a request
        that fails or brings no page gives its place to the next.
        """
        room = min(WINDOW, self.limit - len(self.taken)) if self.limit else WINDOW
        while self.waiting and self.under_way < room:
            self.under_way += 1
            yield self.waiting.popleft()
