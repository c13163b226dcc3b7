"""What a store has is in agreement with itself."""

from denoise_scrapy.dedup import RedisStore, SQLiteStore, Store
from denoise_scrapy.dedup.redis_store import _digest, _unpack


def problems(store: Store) -> list[str]:
    """Return a sentence for each problem; a store on a server may change meanwhile, and is looked at twice."""
    if isinstance(store, SQLiteStore):
        found = [str(row[0]) for row in store._connection.execute("PRAGMA integrity_check")]
        return [] if found == ["ok"] else found
    assert isinstance(store, RedisStore)
    found = _contradictions(store)
    again = _contradictions(store) if found else []
    return [line for line in found if line in again]


def _contradictions(store: RedisStore) -> list[str]:
    """Contradictions between log, keys, claims and last id."""
    with store._client as client:
        last, keys, claims = client.pipeline().get(store._last).hgetall(store._keys).hkeys(store._claims).execute()
        log = [(int(entry.partition(b"-")[0]), fields.get(b"r", b"")) for entry, fields in client.xrange(store._log)]
    claimed = {int(number) for number in claims}
    found = [] if last else ["the last id is gone"]
    for number, data in log:
        claimed.discard(number)
        try:
            name, _ = _unpack(data)
        except ValueError as error:
            found.append(f"record {number}: {error}")
            continue
        if number > int(last or number):
            found.append(f"record {number} is above the last id, {int(last)}")
        if int(keys.pop(_digest(name), 0)) != number:
            found.append(f"record {number} is not the one that its key {name.key!r} refers to")
    found += [f"a key refers to record {int(number)}, which is missing" for number in keys.values()]
    return found + [f"a claim refers to record {number}, which is missing" for number in sorted(claimed)]
