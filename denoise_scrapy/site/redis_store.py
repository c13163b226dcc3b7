"""A site memory in Redis: shared by processes on any number of machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from denoise_scrapy.site import store
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.merging import merge
from denoise_scrapy.site.redis_fields import Change, Fields, Head, change_of, facts_in, template_in
from denoise_scrapy.site.redis_scripts import OPEN, PIN, READ, WRITE
from denoise_scrapy.site.rows import constants
from denoise_scrapy.site.site_tables import pins_of, plain, text_of_pins
from denoise_scrapy.site.store import TRIES, Facts, SiteStore
from denoise_scrapy.site.stored_site import Merged, StoredSite, Unsaved, site_of
from denoise_scrapy.storage import StoreMismatch
from denoise_scrapy.storage.redis_link import RedisLink

#: Raise with any change of the keys, or of what the scripts make of them.
LAYOUT = "1"
#: Seconds to wait for an answer, once. One takes a millisecond, and the crawl stands still meanwhile.
TIMEOUT = 1.0
#: Sites that are read or written at a time: some 2 MB.
BATCH = 32

_FOREIGN = "Give another name, or delete these keys; they have not been touched."
_OTHER = "Delete these keys to learn the sites anew, give another name, or use the version that wrote them."


class RedisSiteStore(SiteStore):
    """What outlives a crawl, on a server; see `redis_fields` for a site's key.

    The keys begin with the name in braces, so that a cluster keeps them in one slot: `{name}:site:meta`, a hash of the
    constants and the bytes of all sites; `{name}:site:saved`, a sorted set of when sites were saved;
    `{name}:site:sizes`, a hash of their bytes; `{name}:site:pins`, a hash of pinned rules; `{name}:site:of:` and the
    site's name for each. A save reads many sites in one round trip and writes them in another; what another process has
    written in between is read again.

    Nothing is tried twice: a request that fails costs one timeout, and whoever asks decides about the next.

    Args:
        url: `redis://host:6379/0`, `rediss://...` or `unix:///path`, as redis-py reads it.
        name: What the keys begin with; that of an index of texts may be the same. No braces.
        timeout: Seconds to wait for an answer, above 0.

    Raises:
        ImportError: redis-py is not installed.
        ValueError: The URL is none, or an argument is out of range.

    Example:
        >>> store = RedisSiteStore("redis://localhost:6379/0", name="news")  # connects when it is opened
        >>> store.place
        'redis://localhost:6379/0, keys {news}:site:*'
    """

    def __init__(self, url: str, *, name: str = "denoise", timeout: float = TIMEOUT) -> None:
        if not isinstance(name, str) or not name or "{" in name or "}" in name:
            raise ValueError(f"name must be a string without braces, not empty, got {name!r}")
        self._link = RedisLink(url, timeout, retries=0)
        super().__init__(f"{self._link.place}, keys {{{name}}}:site:*")
        self._meta, self._saved, self._sizes, self._pins, self._of = (
            f"{{{name}}}:site:{key}" for key in ("meta", "saved", "sizes", "pins", "of:")
        )

    def open(self) -> None:
        """See `SiteStore.open`."""
        with self._pipeline() as pipe:
            self._execute(pipe)

    def close(self) -> None:
        """See `SiteStore.close`."""
        self._link.client.close()

    def exists(self) -> bool:
        """Whether anything was ever kept there."""
        with self._named() as client:
            return bool(client.exists(self._meta))

    def sites(self) -> list[str]:
        """See `SiteStore.sites`."""
        with self._pipeline() as pipe:
            saved, pins = self._execute(pipe.zrange(self._saved, 0, -1).hkeys(self._pins))
        with self._pipeline() as pipe:
            for site in saved:
                pipe.hget(self._of.encode() + site, "head")
            heads = self._execute(pipe)
        learned = {site for site, head in zip(saved, heads, strict=True) if self._head(head).order}
        return sorted(site.decode("utf-8", "replace") for site in learned | set(pins))

    def pinned(self) -> dict[str, list[LearnedRule]]:
        """See `SiteStore.pinned`."""
        with self._pipeline() as pipe:
            (pins,) = self._execute(pipe.hgetall(self._pins))
        found = {}
        for site in sorted(pins):
            with self._skipping():
                found[site.decode()] = pins_of(pins[site])
        return found

    def pin(self, site: str, change: Callable[[list[LearnedRule]], Sequence[LearnedRule]]) -> None:
        """See `SiteStore.pin`."""
        for _ in range(TRIES):
            with self._pipeline() as pipe:
                (old,) = self._execute(pipe.hget(self._pins, plain(site)))
            rules: list[LearnedRule] = []
            with self._skipping():
                rules = pins_of(old) if old else []
            with self._pipeline() as pipe:
                pipe.eval(PIN, 1, self._pins, plain(site), old or "", text_of_pins(change(rules)))
                if self._execute(pipe)[0]:
                    return
        raise OSError(f"{self.place}: others change the rules of {site} all the time")

    def read(self, site: str) -> tuple[StoredSite, Facts]:
        """See `SiteStore.read`. One round trip."""
        with self._pipeline() as pipe:
            (fields,) = self._execute(pipe.hgetall(self._key(site)))
        head = self._head(fields.get(b"head"))
        facts: Facts = []
        for digest, name in head.facts.items():
            with self._skipping():
                facts.append(facts_in(fields, digest, name))
        return self._stored(fields.get(b"version", b""), head, fields), facts

    def save(self, sites: Mapping[str, Unsaved]) -> Iterator[tuple[str, Merged]]:
        """See `SiteStore.save`. Two round trips for `BATCH` sites."""
        left = iter(sites.items())
        while some := dict(islice(left, BATCH)):
            for _ in range(TRIES):
                for site, merged in self._save(some):
                    del some[site]
                    yield site, merged
                if not some:
                    break

    def names(self, site: str) -> set[str]:
        """See `SiteStore.names`."""
        with self._pipeline() as pipe:
            fields, text = self._execute(pipe.hkeys(self._key(site)).hget(self._key(site), "head"))
        names = {field[2:].decode("utf-8", "replace") for field in fields if field.startswith(b"t:")}
        return names | set(self._head(text).facts.values())

    def _save(self, sites: Mapping[str, Unsaved]) -> list[tuple[str, Merged]]:
        """Save sites; those to which others have saved meanwhile are missing."""
        with self._pipeline() as pipe:
            for site, ours in sites.items():
                pipe.eval(READ, 1, self._key(site), ours.base.version)
            found = self._execute(pipe)
        merged = {}
        with self._pipeline() as pipe:
            for (site, ours), (version, text, rows) in zip(sites.items(), found, strict=True):
                head = self._head(text)
                same = version and version == ours.base.version.encode()
                fields = dict(zip(rows[::2], rows[1::2], strict=True))
                merged[site] = merge(ours, ours.base if same else self._stored(version, head, fields))
                self._write(pipe, site, version, change_of(head, merged[site]))
                ours.sent = True
            written = self._execute(pipe)
        self.counts["evicted/saved_sites"] += sum(left for _, left in written)
        return [(site, merged[site]) for site, (done, _) in zip(sites, written, strict=True) if done]

    def _write(self, pipe: Any, site: str, version: bytes, change: Change) -> None:
        """Ask for a site to be written, if its version is still the one given."""
        keys = (self._key(site), self._meta, self._saved, self._sizes)
        gone = change.gone
        pipe.eval(WRITE, 4, *keys, plain(site), version, store.MAX_BYTES, self._of, len(gone), *gone, *change.put)

    def _head(self, text: bytes | None) -> Head:
        with self._skipping():
            return Head.of(text)
        return Head()

    def _stored(self, version: bytes, head: Head, fields: Fields) -> StoredSite:
        templates: list[LearnedTemplate] = []
        for name in head.order:
            with self._skipping():
                templates.append(template_in(fields, name))
        with self._skipping():
            return site_of(tuple(templates), version.decode(), head.text)
        return StoredSite(tuple(templates), version.decode("utf-8", "replace"))

    def _key(self, site: str) -> str:
        return self._of + plain(site)

    @contextmanager
    def _pipeline(self) -> Iterator[Any]:
        """Requests of one round trip; the first sees that the keys are ours, or makes them."""
        with self._named() as client:
            pipe = client.pipeline(transaction=False)
            ours = [part for item in {"layout": LAYOUT, **constants()}.items() for part in item]
            pipe.eval(OPEN, 4, self._meta, self._saved, self._sizes, self._pins, *ours)
            yield pipe

    def _execute(self, pipe: Any) -> list[Any]:
        answers: list[Any] = pipe.execute()
        parts = answers.pop(0)
        stored = {name.decode(): value.decode() for name, value in zip(parts[::2], parts[1::2], strict=True)}
        if "layout" not in stored:
            raise StoreMismatch("keys", "another program's", "a site memory of denoise_scrapy", self.place, _FOREIGN)
        for name, value in {"layout": LAYOUT, **constants()}.items():
            if stored.get(name) != value:
                raise StoreMismatch(name, str(stored.get(name)), value, self.place, _OTHER)
        return answers

    @contextmanager
    def _named(self) -> Iterator[Any]:
        """Give the client; whatever it fails with becomes an `OSError` that names the server."""
        try:
            with self._link.named() as client:
                yield client
        except self._link.errors as error:
            named = str(error) if str(error).startswith(self._link.place) else f"{self._link.place}: {error}"
            raise ConnectionError(named) from error
