"""The band table: which texts share a MinHash band with a new one.

One uint64 array, open addressing: a slot holds a band's 32-bit key and a text's number, and lies
within a window of its key's place. All bands of a text are looked up in one operation; a dict of
lists takes ten times the memory.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

WINDOW = 48  # slots searched from a key's place; at a load of .6 a full window means a common band
_MAX_LOAD = 0.6
_FEW, _STRIDE = 1024, 4  # of more entries than this, windows are tried 4 slots at a time
_FIRST_SLOTS = 1 << 12
_32 = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_STEPS = np.arange(WINDOW, dtype=np.uint64)

Slots = npt.NDArray[np.uint64]


class BandTable:
    """Numbers of texts by the keys of their bands.

    Example:
        >>> table = BandTable()
        >>> table.add(np.array([[11, 12], [11, 13]], np.uint32), np.array([0, 1]))
        >>> table.find(np.array([11, 99], np.uint32)).tolist()
        [0, 1]

    """

    def __init__(self) -> None:
        self._slots: Slots = np.zeros(_FIRST_SLOTS, np.uint64)
        self._used = 0
        self._crowded: dict[int, list[int]] = {}

    @property
    def nbytes(self) -> int:
        """Bytes of the table."""
        return self._slots.nbytes

    @property
    def crowded(self) -> int:
        """Number of keys so common that their windows are full."""
        return len(self._crowded)

    def add(self, keys: npt.NDArray[np.uint32], numbers: npt.NDArray[np.int64]) -> None:
        """Add texts.

        Args:
            keys: uint32 (k, bands).
            numbers: int64 (k,), the texts' numbers, from 0 to 2**32 - 2.

        """
        entries = (keys.astype(np.uint64) << _32) | (numbers.astype(np.uint64) + np.uint64(1))[:, None]
        entries = entries.ravel()
        if self._used + len(entries) > _MAX_LOAD * len(self._slots):
            self._grow(self._used + len(entries))
        self._place(entries)

    def find(self, keys: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
        """Find the texts that share a band.

        Args:
            keys: uint32 (bands,), the keys of one text.

        Returns:
            Sorted int64 numbers, each once.

        """
        wide = keys.astype(np.uint64)
        near = self._slots[self._window(wide)]
        hits = near[((near >> _32) == wide[:, None]) & (near != 0)]
        numbers = np.unique((hits & _LOW).astype(np.int64) - 1)
        if self._crowded:
            more = [n for key in keys.tolist() for n in self._crowded.get(key, ())]
            numbers = np.union1d(numbers, np.array(more, np.int64))
        return numbers

    def _window(self, keys: Slots, steps: Slots = _STEPS) -> npt.NDArray[np.int64]:
        mask = np.uint64(len(self._slots) - 1)
        return np.asarray((keys[:, None] + steps) & mask, np.int64)

    def _grow(self, entries: int) -> None:
        """Move to a larger table. A slot holds its whole key, so nothing else is needed."""
        kept = self._slots[self._slots != 0]
        size = len(self._slots)
        while entries > _MAX_LOAD * size:
            size *= 2
        self._slots, self._used = np.zeros(size, np.uint64), 0
        for start in range(0, len(kept), 1 << 16):
            self._place(kept[start : start + (1 << 16)])

    def _place(self, entries: Slots) -> None:
        """Put each entry into the first free slot of its window."""
        width = WINDOW if len(entries) <= _FEW else _STRIDE
        for start in range(0, WINDOW, width):
            entries = self._place_within(entries, _STEPS[start : start + width])
        for entry in entries.tolist():
            self._crowded.setdefault(entry >> 32, []).append((entry & 0xFFFFFFFF) - 1)

    def _place_within(self, entries: Slots, steps: Slots) -> Slots:
        """Place what finds room in a part of its window, return the rest. Two for a slot retry."""
        rest = []
        while len(entries):
            window = self._window(entries >> _32, steps)
            free = self._slots[window] == 0
            full = ~free.any(axis=1)
            rest.append(entries[full])
            slot = window[np.arange(len(entries)), free.argmax(axis=1)][~full]
            entries = entries[~full]
            taken, winner = np.unique(slot, return_index=True)
            self._slots[taken] = entries[winner]
            self._used += len(taken)
            left = np.ones(len(entries), np.bool_)
            left[winner] = False
            entries = entries[left]
        return np.concatenate(rest) if rest else entries
