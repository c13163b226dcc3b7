"""What an index asks of the place that keeps its fingerprints."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from denoise_scrapy.dedup.closing import Closing
from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.storage import StoreMismatch

__all__ = ["Record", "Store", "StoreMismatch"]


@dataclass(frozen=True, slots=True)
class Record:
    """One kept text.

    Attributes:
        id: Number given by the store: later texts have greater ones, none is given twice.
        key: The item's key, as the caller gave it.
        scope: The scope it was checked in.
        fingerprint: Its fingerprint.

    """

    id: int
    key: str
    scope: str
    fingerprint: Fingerprint


class Store(Closing):
    """Keeps records. Several indexes, also in several processes, may use one store.

    The index calls every method but `open` and `close` inside a `transaction`.
    """

    @abstractmethod
    def open(self, constants: Mapping[str, str]) -> None:
        """Make the store ready, once, before anything else.

        Args:
            constants: What the fingerprints of this version are made with.

        Raises:
            StoreMismatch: The store holds fingerprints made otherwise, or is none of ours.

        """

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]:
        """Hold the store alone: what happens inside happens wholly or not at all."""

    @abstractmethod
    def newer(self, after: int) -> Iterator[Record]:
        """Yield the records with ids above `after`, in order of id."""

    @abstractmethod
    def contains(self, number: int) -> bool:
        """Tell whether the record with this id is still there."""

    @abstractmethod
    def put(self, key: str, scope: str, fingerprint: Fingerprint) -> Record:
        """Keep a text, in place of the one of the same key and scope if there is one.

        Args:
            key: The item's key.
            scope: Its scope.
            fingerprint: Its fingerprint.

        Returns:
            The record, with a new id.

        """

    @abstractmethod
    def remove(self, key: str, scope: str) -> bool:
        """Forget a text; tell whether it was there."""

    @abstractmethod
    def __len__(self) -> int: ...
