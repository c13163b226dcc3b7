"""The storage interface of an index.

Several indexes, even in several processes, may use one store. An index has read the records in order of id, and keeps a
text only if it was judged against everything kept before, which `put` checks. This is the only synchronisation: no lock
is held between judging and keeping.
"""

from __future__ import annotations

import os
import secrets
import socket
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from typing_extensions import Self

from denoise_scrapy.dedup.rules import Fingerprint

# Records read or removed at a time: a megabyte, and about 10 ms in a file, .1 s on a server.
BATCH = 512
# Maximum texts that a new one is compared with: of those that one band finds the earliest, as a sentence on every page
# of a site is no evidence; of all the most similar, as thousands of pages may be forms of one kind, each as similar to
# all others as a copy, and a copy is most similar to its original; and newer ones that a server examines meanwhile.
MOST_FOUND = 256
# Seconds within which a text seen again is not recorded again. Expiry counts days, and a write costs as much as a
# check.
SEEN_STEP = 3600.0
# Seconds without a beat after which an owner is considered dead. It beats three times as often, so that a pause of some
# seconds, from a slow page or a busy machine, costs no claim. Copies wait for a dead owner no longer than this.
CLAIM_SECONDS = 15.0


class Name(NamedTuple):
    """An item's key, scope, group and site, as given by the caller, and the key that its text is a variant of."""

    key: str
    scope: str = ""
    group: str = ""
    site: str = ""
    variant_of: str = ""


class Record(NamedTuple):
    """A kept text."""

    id: int
    name: Name
    fingerprint: Fingerprint
    owner: str = ""  # the index that has claimed it; "" if settled, and in `records`
    version: bytes = b""  # version of its item (`Version.pack`), b"" if unknown; opaque to stores


class Found(NamedTuple):
    """The result of `Store.find`: ids, and records."""

    same_name: int = 0  # with the same key; 0 for none
    alike: Sequence[int] = ()  # with a common band, those with the most first
    newer: Sequence[Record] = ()


class Store(ABC):
    """Keeps records.

    A claimed text is visible to all indexes, and removed if its owner dies before settling it. An owner is an index,
    identified by its name from `new_owner`.

    Attributes:
        nbytes: Bytes that it takes in memory, for stats.
    """

    nbytes = 0

    @abstractmethod
    def open(self, constants: Mapping[str, str]) -> None:
        """Open the store, once, before anything else. Texts claimed by dead owners are removed.

        Args:
            constants: The constants of this version's fingerprints.

        Raises:
            StoreMismatch: The store has fingerprints with other constants, or was written by another program.
        """

    def open_to_read(self, constants: Mapping[str, str]) -> None:
        """Open it as `open` does, but only to read, so that it may be read-only."""
        self.open(constants)

    def newer(self, after: int) -> Iterator[Sequence[Record]]:
        """Yield the records with ids above `after`, without owners, in order of id, at most `BATCH` at a time.

        Raises:
            ValueError: A record is damaged (`checked`).
        """
        while batch := self.find(Name(""), seen=after).newer:
            yield batch
            after = batch[-1].id

    @abstractmethod
    def find(self, name: Name, bands: bytes = b"", seen: int | None = None) -> Found:
        """Find the record of a key and scope, and those with any of some bands, of each the earliest `MOST_FOUND`.

        With `seen`, also return the records with higher ids, as `newer` does, but only the first `BATCH`.
        """

    @abstractmethod
    def get(self, numbers: Sequence[int]) -> list[Record]:
        """Return the records of these ids that are still there, in order of id; errors as for `newer`."""

    @abstractmethod
    def put(
        self, name: Name, fingerprint: Fingerprint, seen: int, replaced: int = 0, owner: str = "", version: bytes = b""
    ) -> int:
        """Keep a text, replacing any of the same key and scope, even if another owner claimed it.

        The check for newer records, the keeping and the claim are one atomic step. A store may keep the text despite
        newer records if all are of other scopes.

        Args:
            name: The item's name.
            fingerprint: Its fingerprint.
            seen: The highest id the caller has judged the text against.
            replaced: Id of the record of this key and scope; 0 if the caller has seen none.
            owner: Owner of the claim, which counts as its beat; "" to settle the text at once.
            version: Stored in its record.

        Returns:
            The new id; 0 if the text must be judged against newer records first.
        """

    @abstractmethod
    def remove(self, number: int) -> bool:
        """Forget a text, even if claimed; return whether it was there."""

    @abstractmethod
    def settle(self, number: int, owner: str) -> bool:
        """Make a claim of an owner final; return whether there was one. A removed text is not restored."""

    @abstractmethod
    def release(self, owner: str, number: int = 0) -> list[int]:
        """Forget, in one step, one claimed text of an owner, or the owner and all its claims; return the ids."""

    @abstractmethod
    def beat(self, owner: str) -> None:
        """Record that an owner is alive."""

    @abstractmethod
    def lives(self, owner: str) -> bool:
        """Return whether an owner had a beat in the last `CLAIM_SECONDS` and its process is not known to have ended."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def close(self) -> None:
        """Close files and connections. A second call does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def checked(self, record: Record) -> Record:
        """Return a record as read, which other programs may have written; raise `ValueError` if it is damaged."""
        if not record.fingerprint.is_sound:
            raise ValueError(f"text {record.id} is damaged")
        return record

    # The methods below are optional: a store without them still finds duplicates.

    def note(self, number: int) -> None:  # noqa: B027
        """Record that a text, if it is still there, was seen again, unless its time is less than `SEEN_STEP` old."""

    def last_seen(self, numbers: Sequence[int]) -> dict[int, float]:
        """Return when texts were last kept or seen again, in seconds since the epoch, by id; omit unknown ids."""
        return {}

    def set_last_seen(self, times: Mapping[int, float]) -> None:  # noqa: B027
        """Set these times, for texts copied from another store."""

    def expire(self, before: float, most: int) -> list[int]:
        """Forget up to `most` settled texts last kept or seen again before a time, and return their ids.

        The default forgets nothing: `DENOISE_DEDUP_DAYS` needs a store that does.
        """
        return []

    def records(self) -> Iterator[Record]:
        """Yield all records in order of id, claimed or not."""
        for batch in self.newer(0):
            yield from batch


def new_owner() -> str:
    """Return a name for an index of this process: `host:process:random`."""
    return f"{_host()}:{_process(os.getpid())}:{secrets.token_hex(4)}"


def is_dead(owner: str, silent: float) -> bool:
    """Return whether an owner's last beat is too long ago, or it was a process of this machine that has ended."""
    return silent >= CLAIM_SECONDS or has_ended(owner)


def has_ended(owner: str) -> bool:
    """Return whether an owner was a process of this machine that has ended; False if this cannot be seen from here."""
    host, process, *_ = (*owner.split(":"), "", "")
    pid = process.partition("-")[0]
    if os.name != "posix" or host != _host() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # a process of another user
        return False
    now = _process(int(pid))
    return not now or ("-" in now and "-" in process and now != process)


def _process(pid: int) -> str:
    """Return the id of a process with its start time, if available, since ids are reused; "" if it has ended."""
    try:
        state, *more = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except (OSError, ValueError):
        return str(pid)
    return "" if state in "ZXx" else f"{pid}-{more[18]}"


@cache
def _host() -> str:
    """Identify this machine by boot and process namespace: cloned machines share a name."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}-{Path('/proc/self/ns/pid').stat().st_ino}"
    except OSError:
        return f"{socket.gethostname().replace(':', '-')}-{uuid.getnode()}"
