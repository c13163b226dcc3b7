"""When a store that failed is asked again: a circuit breaker."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Seconds without a store after it failed, doubled each time it fails again, and at most. One that is restarted is
#: missed for a second; one that is gone costs a timeout a minute.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
#: A store that takes more seconds than this for a site is slow, and rests for so many times as long as it took: the
#: crawl stands still meanwhile, and must do so for a tenth of the time at most. Usual are .001 to .01.
SLOW_SECONDS, REST = 0.2, 9.0


class Pauses:
    """Tells when a store may be asked.

    Args:
        clock: Gives seconds; another one in tests.

    Example:
        >>> now = [0.0]
        >>> pauses = Pauses(clock=lambda: now[0])
        >>> pauses.failed()
        >>> pauses.over, pauses.seconds
        (False, 1.0)
        >>> now[0] = 1.0
        >>> pauses.over
        True
        >>> pauses.failed()
        >>> pauses.seconds
        2.0
        >>> pauses.worked(0.001)
        >>> pauses.over
        True
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until = -float("inf")
        self.seconds = 0.0

    @property
    def over(self) -> bool:
        """Whether the store may be asked now."""
        return self._clock() >= self._until

    def failed(self) -> None:
        """The store has failed."""
        self.seconds = min(max(2 * self.seconds, FIRST_PAUSE), LONGEST_PAUSE)
        self._until = self._clock() + self.seconds

    def worked(self, took: float, sites: int = 1) -> None:
        """The store has answered.

        Args:
            took: Seconds that it took.
            sites: How many sites it was asked for.
        """
        self.seconds = 0.0
        self._until = self._clock() + (REST * took if took > SLOW_SECONDS * sites else 0.0)
