"""The trend of a sampled series, with its error: whether memory grows with the pages of a crawl."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.floating[Any]]
#: Quantile of the normal distribution for an interval of 95%.
Z = 1.96


class Trend(NamedTuple):
    """A slope and the bounds of its interval of 95%, in the units of the samples."""

    slope: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.slope:,.0f} ({self.low:,.0f} to {self.high:,.0f})"


def trend(x: Values, y: Values) -> Trend:
    """The slope, and between which bounds it lies.

    Bounds are those of Sen (1968). Samples that follow each other are alike, and tell less than as many strangers:
    their number is taken for n(1 - r)/(1 + r), r the correlation of each with the next, the trend taken out.

    Example:
        >>> x = np.arange(100.0)
        >>> flat = trend(x, np.where(x % 3 > 1, 7.0, 5.0))
        >>> flat.low <= 0 <= flat.high
        True
    """
    slopes, n = np.sort(_slopes(x, y)), len(x)
    middle = float(np.median(slopes))
    rest = y - middle * x
    rest = rest - rest.mean()
    power = float(rest @ rest)
    r = min(max(float(rest[1:] @ rest[:-1]) / power, 0.0), 0.95) if power else 0.0
    spread = Z * np.sqrt(n * (n - 1) * (2 * n + 5) / 18 * (1 + r) / (1 - r))
    low, high = ((len(slopes) - spread) / 2, (len(slopes) + spread) / 2)
    bounds = (slopes[int(np.clip(place, 0, len(slopes) - 1))] for place in (low, high))
    return Trend(middle, *map(float, bounds))


def _slopes(x: Values, y: Values) -> Values:
    first, second = np.triu_indices(len(x), 1)
    return np.asarray((y[second] - y[first]) / (x[second] - x[first]))
