"""Retry with back-off: when to use a store again that failed."""

from __future__ import annotations

import time
from collections.abc import Callable

# Seconds without a store after it failed, doubled with each further failure. A server that restarts is back after one
# or two; a full disk stays so for long, and each try may cost a time-out.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
# An answer that takes more seconds than this is slow, and the store rests for so many times as long: the crawl waits
# for it for a tenth of its time at most. Usual are .001 to .01.
SLOW_SECONDS, REST = 0.2, 9.0


class BackOff:
    """When a store may be used.

    Args:
        clock: Returns seconds; another one in tests.

    Example:
        >>> now = [0.0]
        >>> store = BackOff(clock=lambda: now[0])
        >>> store.failed()
        >>> store.ready, store.pause
        (False, 1.0)
        >>> now[0] = 1.0
        >>> store.ready
        True
        >>> store.failed()
        >>> store.pause
        2.0
        >>> store.worked()
        >>> store.ready
        True
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = -float("inf")
        self.pause = 0.0

    @property
    def ready(self) -> bool:
        """Whether the store may be used now."""
        return self._clock() >= self._until

    def failed(self) -> None:
        """Note a failure."""
        self.pause = min(max(2 * self.pause, FIRST_PAUSE), LONGEST_PAUSE)
        self._until = self._clock() + self.pause

    def worked(self, seconds: float = 0.0) -> None:
        """Note an answer.

        Args:
            seconds: What it took, where the crawl stood still meanwhile.
        """
        self.pause = 0.0
        self._until = self._clock() + (REST * seconds if seconds > SLOW_SECONDS else 0.0)
