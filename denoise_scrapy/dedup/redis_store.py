"""A store in Redis: shared by processes on any number of machines."""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from typing_extensions import override

from denoise_scrapy.dedup.rules import Fingerprint
from denoise_scrapy.dedup.store import BATCH, MOST_FOUND, SEEN_STEP, Found, Name, Record, Store, is_dead
from denoise_scrapy.exceptions import StoreMismatch
from denoise_scrapy.support.storage import RedisLink, check_opened, opening

# Increase with any change of the keys, their use in the scripts, or a record's bytes, which a script reads.
FORMAT = "7"
TIMEOUT = 2.0  # seconds to wait for a response, which usually takes a millisecond; a few retries follow

_LOST = "The server has lost records in use: make sure that it evicts none, and start with a new index."
# n, t, limit, bytes of s1, s2, rare, title, values, bands, scope, group, site, variant_of; digest
_HEAD = struct.Struct("<IIQ10I16s")

_LAST = b":"  # after all digits of an id in a member of the set of bands
_NAMES = ("meta", "last", "log", "keys", "claims", "owners", "seen", "bands")

# Common beginning of all Lua scripts, which run atomically inside the server. Ids are formatted with `%d`, since Lua
# would write large numbers as 1e+14. A claim is the digest of a name, followed by an owner.
_COMMON = """
local meta, last, log, keys, claims, owners, seen, bands = unpack(KEYS)
local call, time = redis.call, redis.call('TIME')  -- one clock for all owners
local second, now = tonumber(time[1]), string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))

local function read(data)  -- the head that `_pack` writes
  local _, _, _, s1, s2, rare, title, values, sizes, scope, _, _, _, _, at =
    struct.unpack('<I4I4I8I4I4I4I4I4I4I4I4I4I4c16', data)
  local names = at + s1 + s2 + rare + title + values + sizes
  return {bands = data:sub(names - sizes, names - 1), scope = data:sub(names, names + scope - 1)}
end

local function members(id, text)  -- of the set of bands
  local found = {}
  for i = 1, #text.bands, 4 do found[#found + 1] = text.bands:sub(i, i + 3) .. string.format('%016d', id) end
  return found
end

local function remove(id)
  for _, entry in ipairs(call('XRANGE', log, id .. '-0', id .. '-0')) do
    for _, member in ipairs(members(id, read(entry[2][2]))) do call('ZREM', bands, member) end
  end
  return call('XDEL', log, id .. '-0')
end

local function forget(id, digest)
  call('HDEL', claims, id)
  if call('HGET', keys, digest) == id then call('HDEL', keys, digest) end
  call('ZREM', seen, id)
  return remove(id)
end
"""

_PUT = """
-- ARGV: seen, record, digest of its name, most to look at, owner or '', version.
-- Gives the new id or 0, and the last id before; -1 where that is gone.
local new, most = read(ARGV[2]), tonumber(ARGV[4])

local before = tonumber(call('GET', last) or '-1')
if before < tonumber(ARGV[1]) then return {0, before} end

local found = call('XRANGE', log, string.format('%d-0', ARGV[1] + 1), '+', 'COUNT', most + 1)
local keep = #found <= most
for i = 1, math.min(#found, most) do keep = keep and read(found[i][2][2]).scope ~= new.scope end
if not keep then return {0, before} end

local old, id = call('HGET', keys, ARGV[3]), string.format('%d', before + 1)
-- first, for it is refused where memory is full, with nothing changed
call('XADD', log, id .. '-0', 'r', ARGV[2], 'v', ARGV[6])
for _, member in ipairs(members(id, new)) do call('ZADD', bands, 0, member) end
call('SET', last, id)
call('HSET', keys, ARGV[3], id)
if old then
  remove(old)
  call('HDEL', claims, old)
  call('ZREM', seen, old)
end
call('ZADD', seen, second, id)
if ARGV[5] ~= '' then
  call('HSET', claims, id, ARGV[3] .. ARGV[5])
  call('HSET', owners, ARGV[5], now)
end
return {before + 1, before}
"""

_REMOVE = """
-- ARGV: ids, each with the digest of its name. Gives the number of records removed.
local count = 0
for i = 1, #ARGV, 2 do count = count + forget(ARGV[i], ARGV[i + 1]) end
return count
"""

_END = """
-- ARGV: owner; id of one of its claims, '' for all and the owner itself; 1 to settle the texts, 0 to forget them.
-- Gives the ids.
local gone, found = {}, {ARGV[2], call('HGET', claims, ARGV[2])}
if ARGV[2] == '' then
  found = call('HGETALL', claims)
  call('HDEL', owners, ARGV[1])
end
for i = 1, #found, 2 do
  local id, claim = found[i], found[i + 1]
  if claim and claim:sub(17) == ARGV[1] then
    if ARGV[3] == '1' then call('HDEL', claims, id) else forget(id, claim:sub(1, 16)) end
    gone[#gone + 1] = tonumber(id)
  end
end
return gone
"""

_NOTE = """
-- ARGV: id, seconds for which a time is good.
local before = tonumber(call('ZSCORE', seen, ARGV[1]))
if before and (second - before >= tonumber(ARGV[2]) or before > second) then call('ZADD', seen, second, ARGV[1]) end
"""

_TIMES = """
-- ARGV: ids. Gives when each was last kept or seen again; nothing for those that are unknown.
local found = {}
for i = 1, #ARGV do found[i] = call('ZSCORE', seen, ARGV[i]) end
return found
"""

_BEAT = """
-- ARGV: owner.
return call('HSET', owners, ARGV[1], now)
"""

_SILENT = """
-- ARGV: owner. Gives the milliseconds since its last beat; nothing if it is unknown.
local beat = call('HGET', owners, ARGV[1])
if not beat then return false end
if tonumber(beat) > tonumber(now) then call('HSET', owners, ARGV[1], now) end  -- the clock was set back
return math.max(0, now - beat)
"""


class RedisStore(Store):
    """Records in a stream, found by id; one script, atomic in the server, decides what is kept.

    An index has six keys, with braces so that a cluster keeps them in one slot: `{name}:meta`, a hash of the
    constants; `{name}:log`, a stream with one entry per record, whose id "7-0" means record 7; `{name}:last`, the
    last id assigned; `{name}:keys`, a hash from a 16-byte digest of scope and key to the id; `{name}:seen`, a sorted
    set of ids by the time they were last kept or seen again, in seconds of the server's clock; `{name}:bands`, a sorted
    set of bands, each followed by an id. An entry of the stream has two fields: "r" with the bytes of `_pack`, and "v"
    with the bytes of its version, which older entries lack.
    While texts are claimed there are two more keys: `{name}:claims`, a hash from the id to this digest and the owner,
    and `{name}:owners`, a hash from the owner to the server's time of its last beat, in milliseconds.

    `put` examines records newer than those the caller has judged. If all are of other scopes, the text is kept at once,
    in the same round trip. Otherwise, or if there are more than 256, nothing is kept: the caller reads and judges the
    new records and retries with a higher `seen`. A request whose response was lost is repeated, and finds the record
    already stored under the same key.

    The server must keep what it acknowledges: `appendonly yes` with `appendfsync always` loses nothing, `everysec`
    loses up to a second in a power cut, and any `maxmemory-policy` but `noeviction` may evict whole keys.

    Args:
        url: `redis://host:6379/0`, `rediss://...` or `unix:///path`, as redis-py reads it.
        name: Name of the index, a prefix of its keys, without braces. By default what follows "#" in the URL, else
            "denoise".
        timeout: Seconds to wait for a response, above 0. A few retries follow, then an error.

    Raises:
        ImportError: redis-py is not installed.
        ValueError: The URL is invalid, or an argument is out of range.

    Example:
        >>> store = RedisStore("redis://localhost:6379/0", name="news")  # connects when an index opens it
    """

    def __init__(self, url: str, *, name: str | None = None, timeout: float = TIMEOUT) -> None:
        self._link = RedisLink(url, name, timeout)
        self._where = f"{self._link.place}, keys {{{self._link.name}}}:*"
        self._all = [f"{{{self._link.name}}}:{key}" for key in _NAMES]
        self._meta, self._last, self._log, self._keys, self._claims, self._owners, self._seen, self._bands = self._all
        scripts = (_PUT, _REMOVE, _END, _NOTE, _TIMES, _BEAT, _SILENT)
        self._scripts = {script: self._link.client.register_script(_COMMON + script) for script in scripts}
        self._opened = False

    @override
    def open(self, constants: Mapping[str, str]) -> None:
        ours = {"layout": FORMAT, **constants}
        with self._link.named() as client:
            response = client.eval(*opening(self._all[:4], ours, start="0"))
            check_opened(response, ours, "an index of denoise_scrapy", self._where)
            known, claims = client.pipeline().hkeys(self._owners).hvals(self._claims).execute()
        self._opened = True
        for owner in {one.decode() for one in known}.union(map(_owner, claims)):
            if not self.lives(owner):
                self.release(owner)

    def exists(self) -> bool:
        """Return whether there is an index of this name."""
        with self._link.named() as client:
            return bool(client.exists(self._meta))

    @override
    def expire(self, before: float, most: int) -> list[int]:
        with self._client as client:
            old = [int(one) for one in client.zrangebyscore(self._seen, "-inf", f"({before}", start=0, num=most)]
        gone = [one for one in self.get(old) if not one.owner]
        self._forget(gone)
        return [record.id for record in gone]

    @override
    def find(self, name: Name, bands: bytes = b"", seen: int | None = None) -> Found:
        with self._client as client:
            pipeline = client.pipeline(transaction=False).hget(self._keys, _digest(name))
            for start in range(0, len(bands), 4):
                band = bands[start : start + 4]
                pipeline.zrangebylex(self._bands, b"[" + band, b"[" + band + _LAST, start=0, num=MOST_FOUND)
            if seen is not None:
                pipeline.xrange(self._log, f"{seen + 1}-0", count=BATCH)
            named, *alike = pipeline.execute()
        newer = [] if seen is None else [self._record(*one) for one in alike.pop()]
        shared = Counter(int(member[4:]) for found in alike for member in found)
        return Found(int(named or 0), [number for number, _ in shared.most_common()], newer)

    @override
    def get(self, numbers: Sequence[int]) -> list[Record]:
        asked = sorted(numbers)
        if not asked:
            return []
        with self._client as client:
            pipeline = client.pipeline(transaction=False).hmget(self._claims, asked)
            for number in asked:
                pipeline.xrange(self._log, f"{number}-0", f"{number}-0")
            claims, *found = pipeline.execute()
        records = zip(claims, found, strict=True)
        return [self._record(entry, row, _owner(claim)) for claim, part in records for entry, row in part]

    @override
    def put(
        self, name: Name, fingerprint: Fingerprint, seen: int, replaced: int = 0, owner: str = "", version: bytes = b""
    ) -> int:
        args = (seen, _pack(name, fingerprint), _digest(name), MOST_FOUND, owner, version)
        number, last = self._run(_PUT, *args)
        if last < seen:
            raise StoreMismatch("last id", str(last), str(seen), self._where, _LOST)
        return int(number)

    @override
    def remove(self, number: int) -> bool:
        return self._forget(self.get([number])) > 0

    @override
    def settle(self, number: int, owner: str) -> bool:
        return bool(self._run(_END, owner, number, 1))

    @override
    def release(self, owner: str, number: int = 0) -> list[int]:
        return list(self._run(_END, owner, number or "", 0))

    @override
    def note(self, number: int) -> None:
        self._run(_NOTE, number, round(SEEN_STEP))

    @override
    def last_seen(self, numbers: Sequence[int]) -> dict[int, float]:
        times = zip(numbers, self._run(_TIMES, *numbers), strict=True)
        return {number: float(time) for number, time in times if time}

    @override
    def set_last_seen(self, times: Mapping[int, float]) -> None:
        if times:
            with self._client as client:
                client.zadd(self._seen, {number: int(time) for number, time in times.items()}, xx=True)

    @override
    def beat(self, owner: str) -> None:
        self._run(_BEAT, owner)

    @override
    def lives(self, owner: str) -> bool:
        silent = self._run(_SILENT, owner)
        return silent is not None and not is_dead(owner, silent / 1000)

    def __len__(self) -> int:
        with self._client as client:
            return int(client.xlen(self._log))

    @override
    def close(self) -> None:
        self._opened = False
        self._link.client.close()

    def _forget(self, records: Sequence[Record]) -> int:
        """Remove records; return how many were there. Each script blocks the server for up to 20 ms."""
        count = 0
        for start in range(0, len(records), BATCH):
            portion = records[start : start + BATCH]
            count += self._run(_REMOVE, *(part for one in portion for part in (one.id, _digest(one.name))))
        return count

    def _record(self, entry: bytes, fields: Mapping[bytes, bytes], owner: str = "") -> Record:
        """Read an entry of the stream, whose version may be missing."""
        number = int(entry.partition(b"-")[0])
        try:
            return self.checked(Record(number, *_unpack(fields.get(b"r", b"")), owner, fields.get(b"v", b"")))
        except ValueError as error:
            raise ValueError(f"{self._where}, record {number}: {error}") from None

    def _run(self, script: str, *args: object) -> Any:
        with self._client:
            return self._scripts[script](self._all, args)

    @property
    def _client(self) -> AbstractContextManager[Any]:
        if not self._opened:
            raise ValueError(f"store {self._where} is not open")
        return self._link.named()


def _digest(name: Name) -> bytes:
    """Return the field of a name in the hash of keys."""
    full = f"{len(name.scope)} {name.scope} {name.key}"
    return hashlib.blake2b(full.encode(), digest_size=16).digest()


def _owner(claim: bytes | None) -> str:
    """Read an entry of the hash of claims."""
    return (claim or b"")[16:].decode()


def _pack(name: Name, fingerprint: Fingerprint) -> bytes:
    """Encode a record as some 700 to 2,500 bytes."""
    f = fingerprint
    parts = [f.s1, f.s2, f.rare, f.title, f.values, f.bands, *(one.encode() for one in name[1:])]
    head = _HEAD.pack(f.n, f.t, f.limit, *map(len, parts), f.digest)
    return b"".join((head, *parts, name.key.encode()))


def _unpack(data: bytes) -> tuple[Name, Fingerprint]:
    """Decode a record; raise `ValueError` if the bytes are damaged."""
    try:
        n, t, limit, *sizes, digest = _HEAD.unpack_from(data)
    except struct.error as error:
        raise ValueError(f"no record: {error}") from None
    parts, start = [], _HEAD.size
    for size in sizes:
        parts.append(data[start : start + size])
        start += size
    if start > len(data):
        raise ValueError(f"no record: {len(data)} bytes instead of at least {start}")
    s1, s2, rare, title, values, bands, *names = parts
    fingerprint = Fingerprint(n, t, s1, s2, limit, digest, bands, rare, title, values)
    return Name(data[start:].decode(), *(one.decode() for one in names)), fingerprint
