"""A queue in Redis whose entries are lent, not given: what a dead crawler held waits again."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from denoise_scrapy.dedup.owners import CLAIM_SECONDS, has_ended, new_owner
from denoise_scrapy.several.lease_scripts import BEAT, COUNT, JOIN, LEAVE, POP, PUSH

NUMBER_BYTES = 8
"""In front of each request's data: its number in the frontier, highest byte first, so that older ones sort first."""


class Lease(NamedTuple):
    """A request that was taken.

    Attributes:
        number: Its number in the frontier, 8 bytes.
        data: What was pushed.

    """

    number: bytes
    data: bytes


class PutBack(NamedTuple):
    """How many requests wait again.

    Attributes:
        dead: Those that others held, which are dead.
        unknown: Our own that we did not know of.

    """

    dead: int
    unknown: int


class Leases:
    """A frontier as one crawler sees it, which is an owner of what it has taken.

    Of a `key` "news:requests" there are five keys: itself, a sorted set of what waits, by score and then by age;
    `news:requests:leased`, a hash of what was taken, by owner and number; `news:requests:owners`, a sorted set of when
    each owner is dead unless it is heard of before; `news:requests:numbers`, the last number given; and the set of
    the dupefilter. In a cluster, `key` and `dupefilter` need a common part in braces.

    Args:
        client: A client of redis-py.
        key: Key of what waits.
        dupefilter: Key of the set of fingerprints that were seen.
        seconds: How long an owner may be silent. One of this machine is known to be dead at once.

    """

    def __init__(self, client: Any, key: str, dupefilter: str, seconds: float = CLAIM_SECONDS):
        self.owner = new_owner()
        self._client = client
        self._seconds = seconds
        self._keys = (key, f"{key}:leased", f"{key}:owners", f"{key}:numbers", dupefilter)
        scripts = (JOIN, PUSH, POP, COUNT, BEAT, LEAVE)
        self._join, self._push, self._pop, self._count, self._beat, self._leave = map(client.register_script, scripts)

    def join(self, delete: str = "") -> int:
        """Begin to be alive.

        Args:
            delete: "all" deletes the frontier where no other owner is alive, "done" only one in which nothing is left.

        Returns:
            How many other owners are alive.

        """
        return int(self._ask(self._join, (delete, *self._ended())))

    def push(self, data: bytes, score: float, fingerprint: str = "") -> bool:
        """Add a request, unless its fingerprint was seen before, and tell whether it was added.

        Args:
            data: The request.
            score: Its place: the lowest is taken first.
            fingerprint: What is noted as seen in the same step; "": it is added in any case.

        """
        return bool(self._push(self._keys, (score, data, fingerprint)))

    def pop(self, done: Iterable[bytes] = ()) -> tuple[Lease | None, int]:
        """Take a request; give up those of the numbers `done` for good.

        Returns:
            What was taken, None where nothing waits; and how many of `done` wait again or were taken by others, since
            this owner had been silent for too long.

        """
        gone, found = self._ask(self._pop, done)
        return (Lease(found[:NUMBER_BYTES], found[NUMBER_BYTES:]) if found else None), int(gone)

    def count(self, done: Iterable[bytes] = ()) -> tuple[int, int]:
        """Return how many requests wait or are held by anybody; and the second number of `pop`."""
        gone, left = self._ask(self._count, done)
        return int(left), int(gone)

    def beat(self, held: Collection[bytes]) -> PutBack:
        """Say that this owner lives and which numbers it holds; put back what nobody holds.

        To be called some times in the seconds after which an owner is dead.
        """
        ended = self._ended()
        return PutBack(*map(int, self._ask(self._beat, (str(len(ended)), *ended, *held))))

    def leave(self, *, clear: bool = False) -> int:
        """End as an owner, and return how many others are alive. What it holds waits again.

        Args:
            clear: Delete the frontier if there are none.

        """
        return int(self._ask(self._leave, ("clear" if clear else "",)))

    def _ended(self) -> list[bytes]:
        """Owners on this machine that have ended."""
        names: list[bytes] = self._client.zrange(self._keys[2], 0, -1)
        return [name for name in names if has_ended(name.decode())]

    def _ask(self, script: Any, args: Iterable[bytes | str]) -> Any:
        return script(self._keys, (self.owner, self._seconds, *args))
