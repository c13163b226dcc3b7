"""A store in Redis: shared by processes on any number of machines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

from denoise_scrapy.dedup import owners
from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.packed import FORMAT, pack, unpack
from denoise_scrapy.dedup.redis_scripts import BEAT, LIVES, NOTE, OPEN, PUT, RELEASE, REMOVE, SETTLE
from denoise_scrapy.dedup.store import BATCH, SEEN_STEP, Copy, Listing, Name, Put, Record, Store, StoreMismatch
from denoise_scrapy.storage.redis_link import TIMEOUT, RedisLink

LAYOUT = "2"
"""Raise with any change of the keys, or of what the scripts make of them."""

MOST_NEWER = 256
"""Newer records that one `put` looks at, a quarter of a megabyte: the server does nothing else meanwhile."""

_FOREIGN = "Give another name, or delete these keys; they have not been touched."
_OTHER = "Delete these keys to start a new index, give another name, or use the version that wrote them."
_LOST = "The server has lost records while they were in use: see that it evicts none, and start the index anew."


class RedisStore(Store):
    """Records in a stream, found by id; what is kept is agreed on by one script, which is atomic in the server.

    An index has five keys, with braces so that a cluster keeps them in one slot: `{name}:meta`, a hash of the
    constants; `{name}:log`, a stream with a record an entry, whose id "7-0" is the record's id 7; `{name}:last`, the
    last id given; `{name}:keys`, a hash from 16 bytes of a digest of scope and key to the id; `{name}:seen`, a sorted
    set of ids by the second of the server's clock in which they were last kept or seen again. An entry of the stream
    has one field, "r", with the bytes of `packed.pack`. While texts are claimed there are two keys more:
    `{name}:claims`, a hash from the id to those 16 bytes and the owner, and `{name}:owners`, one from the owner to the
    server's time of its last beat, in milliseconds. Dropped keys are in two sorted sets, `{name}:copies` by the id of
    the kept text and `{name}:copy-times` by the microsecond in which they were dropped, some 270 bytes a key.

    `put` looks at what is newer than the caller has judged. Where none of it can be a duplicate (another key, other
    words, no common band) the text is kept at once, in the same round trip. Else nothing is kept: the caller judges
    what has come and asks again with a higher `seen`. More than 256 newer ones come in portions. A request whose
    answer was lost is sent again, and finds the record of the first as one of the same key.

    What the server acknowledges it must keep: `appendonly yes` with `appendfsync always` loses nothing, `everysec`
    loses up to a second in a power cut, and any `maxmemory-policy` but `noeviction` may take whole keys.

    Args:
        url: `redis://host:6379/0`, `rediss://...` or `unix:///path`, as redis-py reads it.
        name: Name of the index, which its keys begin with. No braces.
        timeout: Seconds to wait for an answer, above 0. A few retries follow, so that nothing waits forever.

    Raises:
        ImportError: redis-py is not installed.
        ValueError: The URL is none, or an argument is out of range.

    Example:
        >>> store = RedisStore("redis://localhost:6379/0", name="news")  # connects when an index opens it

    """

    remote = True

    def __init__(self, url: str, *, name: str = "denoise", timeout: float = TIMEOUT) -> None:
        if not isinstance(name, str) or not name or "{" in name or "}" in name:
            raise ValueError(f"name must be a string without braces, not empty, got {name!r}")
        self._link = RedisLink(url, timeout)
        self._where = f"{self._link.place}, keys {{{name}}}:*"
        self._meta, self._last, self._log, self._keys, self._claims, self._owners = (
            f"{{{name}}}:{key}" for key in ("meta", "last", "log", "keys", "claims", "owners")
        )
        self._seen, self._copies, self._copy_times = (f"{{{name}}}:{key}" for key in ("seen", "copies", "copy-times"))
        self._beside = (self._seen, self._copies, self._copy_times)
        self._open, self._put, self._remove, self._settle, self._release, self._beat, self._lives, self._note = map(
            self._link.client.register_script, (OPEN, PUT, REMOVE, SETTLE, RELEASE, BEAT, LIVES, NOTE)
        )
        self._opened = False

    def open(self, constants: Mapping[str, str]) -> None:
        """See `Store.open`."""
        ours = {"layout": LAYOUT, "format": FORMAT, **constants}
        with self._link.named():
            args = [part for item in ours.items() for part in item]
            parts = [part.decode() for part in self._open((self._meta, self._last, self._log, self._keys), args)]
        stored = dict(zip(parts[::2], parts[1::2], strict=True))
        if "layout" not in stored:
            raise StoreMismatch("keys", "another program's", "an index of denoise_scrapy", self._where, _FOREIGN)
        for constant, value in ours.items():
            if stored.get(constant) != value:
                raise StoreMismatch(constant, str(stored.get(constant)), value, self._where, _OTHER)
        self._opened = True
        self._release_dead()

    def newer(self, after: int) -> Iterator[Sequence[Listing]]:
        """See `Store.newer`."""
        for batch in self._batches(after):
            yield [self._record(*one).listing for one in batch]

    def records(self) -> Iterator[Record]:
        """See `Store.records`."""
        for batch in self._batches(0):
            yield from (self._record(*one) for one in batch)

    def get(self, numbers: Sequence[int]) -> list[Record]:
        """See `Store.get`. One round trip, claims first: a text without one never has one later."""
        asked = sorted(one for one in numbers if one > 0)
        if not asked:
            return []
        with self._ready.named() as client:
            pipeline = client.pipeline(transaction=False).hmget(self._claims, asked)
            for number in asked:
                pipeline.xrange(self._log, f"{number}-0", f"{number}-0")
            claims, *found = pipeline.execute()
        records = zip(claims, found, strict=True)
        return [self._record(*_entry(*one))._replace(owner=_owner(claim)) for claim, part in records for one in part]

    def put(self, name: Name, fingerprint: Fingerprint, seen: int, replaced: int = 0, owner: str = "") -> Put:
        """See `Store.put`. It replaces what the key stands for in the server, so that `replaced` is not needed.

        Raises:
            StoreMismatch: The server holds less than the caller has seen.

        """
        args = (seen, pack(name, fingerprint), _digest(name), int(self.every_newer), MOST_NEWER, owner, _full(name))
        with self._ready.named():
            keys = (self._last, self._log, self._keys, self._claims, self._owners, *self._beside)
            number, newer, last = self._put(keys, args)
        if last < seen:
            raise StoreMismatch("last id", str(last), str(seen), self._where, _LOST)
        return Put(number, [self._record(_number(entry), data).listing for entry, data in newer])

    def remove(self, number: int) -> bool:
        """See `Store.remove`. Two round trips: a script cannot make our digest, and a record never changes."""
        removed = False
        for record in self.get([number]):
            with self._ready.named():
                keys = (self._log, self._keys, self._claims, *self._beside)
                removed = bool(self._remove(keys, (number, _digest(record.name))))
        return removed

    def settle(self, number: int, owner: str) -> bool:
        """See `Store.settle`. One round trip, as all of these."""
        with self._ready.named():
            return bool(self._settle((self._claims,), (number, owner)))

    def withdraw(self, number: int, owner: str) -> bool:
        """See `Store.withdraw`."""
        with self._ready.named():
            return bool(self._release(self._released, (owner, number)))

    def release(self, owner: str) -> list[int]:
        """See `Store.release`."""
        with self._ready.named():
            return list(self._release(self._released, (owner, "")))

    def note(self, number: int, copy: Name | None = None, most: int = 0) -> None:
        """See `Store.note`. One round trip."""
        name = "" if copy is None or most <= 0 else _full(copy)
        with self._ready.named():
            self._note(self._beside, (number, round(SEEN_STEP), name, most))

    def copies(self, kept: Name | None = None) -> Iterator[Copy]:
        """See `Store.copies`."""
        with self._ready.named() as client:
            times = dict(client.zrange(self._copy_times, 0, -1, withscores=True))
            if kept is None:
                numbers = dict(client.zrange(self._copies, 0, -1, withscores=True))
            else:
                number = int(client.hget(self._keys, _digest(kept)) or 0)
                numbers = dict.fromkeys(client.zrangebyscore(self._copies, number, number), number)
        by_id = {int(one): "" for one in numbers.values()}
        ordered = sorted(by_id)
        for start in range(0, len(ordered), BATCH):
            by_id |= {one.id: one.name.key for one in self.get(ordered[start : start + BATCH])}
        for name in sorted(numbers, key=lambda one: times.get(one, 0.0)):
            scope, key = _parts(name)
            if by_id[int(numbers[name])]:  # its text may have gone meanwhile
                yield Copy(key, scope, by_id[int(numbers[name])], times.get(name, 0.0) / 1e6)

    def copy_named(self, name: Name) -> Copy | None:
        """See `Store.copy_named`."""
        with self._ready.named() as client:
            pipeline = client.pipeline().zscore(self._copies, _full(name)).zscore(self._copy_times, _full(name))
            number, time = pipeline.execute()
        found = self.get([int(number or 0)])
        return Copy(name.key, name.scope, found[0].name.key, (time or 0.0) / 1e6) if found else None

    def remove_copy(self, name: Name) -> bool:
        """See `Store.remove_copy`."""
        with self._ready.named() as client:
            pipeline = client.pipeline().zrem(self._copies, _full(name)).zrem(self._copy_times, _full(name))
            return bool(pipeline.execute()[0])

    def last_seen(self, numbers: Sequence[int]) -> dict[int, float]:
        """See `Store.last_seen`."""
        with self._ready.named() as client:
            pipeline = client.pipeline(transaction=False)
            for number in numbers:
                pipeline.zscore(self._seen, number)
            times = pipeline.execute()
        return {one: time for one, time in zip(numbers, times, strict=True) if time is not None}

    def set_last_seen(self, times: Mapping[int, float]) -> None:
        """See `Store.set_last_seen`."""
        if times:
            with self._ready.named() as client:
                client.zadd(self._seen, {number: int(time) for number, time in times.items()}, xx=True)

    def beat(self, owner: str) -> None:
        """See `Store.beat`."""
        with self._ready.named():
            self._beat((self._owners,), (owner,))

    def lives(self, owner: str) -> bool:
        """See `Store.lives`. The age is told by the server's clock."""
        if owners.has_ended(owner):
            return False
        with self._ready.named():
            return bool(self._lives((self._owners,), (owner, round(owners.CLAIM_SECONDS * 1000))))

    def problems(self) -> list[str]:
        """See `Store.problems`. Others may write meanwhile: what is wrong is looked at twice."""
        found = self._look()
        again = set(self._look()) if found else set()
        return [line for line in found if line in again]

    def __len__(self) -> int:
        with self._ready.named() as client:
            return int(client.xlen(self._log))

    def close(self) -> None:
        """See `Store.close`."""
        self._opened = False
        self._link.client.close()

    def _look(self) -> list[str]:
        """Hold log, keys and last id against each other."""
        with self._ready.named() as client:
            last, keys, claims = client.pipeline().get(self._last).hgetall(self._keys).hkeys(self._claims).execute()
        claimed = {int(number) for number in claims}
        found = [] if last else ["the last id is gone"]
        for number, data in (one for batch in self._batches(0) for one in batch):
            claimed.discard(number)
            try:
                name, _ = unpack(data)
            except ValueError as error:
                found.append(f"record {number}: {error}")
                continue
            if number > int(last or number):
                found.append(f"record {number} is above the last id, {int(last)}")
            if int(keys.pop(_digest(name), 0)) != number:
                found.append(f"record {number} is not the one that its key {name.key!r} stands for")
        found += [f"a key stands for record {int(number)}, which cannot be found" for number in keys.values()]
        return found + [f"a claim on record {number}, which cannot be found" for number in sorted(claimed)]

    def _release_dead(self) -> None:
        """Forget what dead owners have claimed."""
        with self._ready.named() as client:
            known, claims = client.pipeline().hkeys(self._owners).hvals(self._claims).execute()
        for owner in {one.decode() for one in known}.union(map(_owner, claims)):
            if not self.lives(owner):
                self.release(owner)

    def _batches(self, after: int) -> Iterator[list[tuple[int, bytes]]]:
        while True:
            with self._ready.named() as client:
                batch = [_entry(*one) for one in client.xrange(self._log, f"{after + 1}-0", count=BATCH)]
            if not batch:
                return
            yield batch
            after = batch[-1][0]

    def _record(self, number: int, data: bytes) -> Record:
        try:
            return Record(number, *unpack(data))
        except ValueError as error:
            raise ValueError(f"{self._where}, record {number}: {error}") from None

    @property
    def _released(self) -> tuple[str, ...]:
        return (self._log, self._keys, self._claims, self._owners, *self._beside)

    @property
    def _ready(self) -> RedisLink:
        if not self._opened:
            raise ValueError(f"store {self._where} is not open")
        return self._link


def _digest(name: Name) -> bytes:
    """Give the field of a name in the hash of keys."""
    return hashlib.blake2b(_full(name).encode(), digest_size=16).digest()


def _full(name: Name) -> str:
    """Write a name as a member of the sorted sets of copies."""
    return f"{len(name.scope)} {name.scope} {name.key}"


def _parts(member: bytes) -> tuple[str, str]:
    """Read scope and key of a member of these."""
    size, _, rest = member.decode().partition(" ")
    return rest[: int(size)], rest[int(size) + 1 :]


def _owner(claim: bytes | None) -> str:
    """Read an entry of the hash of claims."""
    return (claim or b"")[16:].decode()


def _number(entry: bytes) -> int:
    return int(entry.partition(b"-")[0])


def _entry(number: bytes, fields: Mapping[bytes, bytes]) -> tuple[int, bytes]:
    """Read an entry of the stream; one without a record gives no bytes."""
    return _number(number), fields.get(b"r", b"")
