"""Layout geometry: where a rendered page shows each element."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Boxes:
    """Boxes of a page's n elements in document order, in CSS pixels from the page's own origin.

    What is unknown of an element is NaN, and it counts as visible: nothing is dropped for want of a box.

    Attributes:
        x: Left edge, shape (n,); NaN where unknown, as in all of them.
        y: Top edge, shape (n,).
        width: Shape (n,).
        height: Shape (n,).
        page_width: Width of the whole page.
        page_height: Height of the whole page.
        visible: Whether it shows, shape (n,); all, where not given.
        font_size: Shape (n,); NaN, where not given.
        pinned: Whether it, or what it stands in, keeps its place on the screen (fixed, sticky), shape (n,).
        viewport_width: Width of the browser's window; NaN where unknown.
        viewport_height: Its height.
    """

    x: Floats
    y: Floats
    width: Floats
    height: Floats
    page_width: float
    page_height: float
    visible: Bools = field(default_factory=lambda: np.empty(0, np.bool_))
    font_size: Floats = field(default_factory=lambda: np.empty(0, np.float32))
    pinned: Bools = field(default_factory=lambda: np.empty(0, np.bool_))
    viewport_width: float = math.nan
    viewport_height: float = math.nan

    def __post_init__(self) -> None:
        n = len(self.x)
        defaults = {"visible": np.ones(n, np.bool_), "font_size": np.full(n, np.nan, np.float32)}
        for name, column in {**defaults, "pinned": np.zeros(n, np.bool_)}.items():
            if not len(getattr(self, name)):
                object.__setattr__(self, name, column)  # the way of frozen dataclasses
        lengths = {len(column) for column in self._columns()}
        if len(lengths) != 1:
            raise ValueError(f"all columns must have one length, got {sorted(lengths)}")

    def __len__(self) -> int:
        return len(self.x)

    @property
    def nbytes(self) -> int:
        """Bytes of the columns."""
        return sum(column.nbytes for column in self._columns())

    def taken(self, numbers: npt.NDArray[np.intp]) -> Boxes:
        """Return the boxes of these numbers in this order; -1 stands for an element of which nothing is known.

        Example:
            >>> one = np.ones(1, np.float32)
            >>> boxes = Boxes(one, one, one, one, 100, 200, np.zeros(1, np.bool_)).taken(np.array([-1, 0]))
            >>> boxes.x.tolist(), boxes.visible.tolist()
            ([nan, 1.0], [True, False])
        """
        floats = (self.x, self.y, self.width, self.height, self.font_size)
        x, y, width, height, font_size = (np.append(column, np.float32(np.nan))[numbers] for column in floats)
        visible, pinned = np.append(self.visible, True)[numbers], np.append(self.pinned, False)[numbers]
        page, viewport = (self.page_width, self.page_height), (self.viewport_width, self.viewport_height)
        return Boxes(x, y, width, height, *page, visible, font_size, pinned, *viewport)

    def _columns(self) -> tuple[Floats | Bools, ...]:
        return self.x, self.y, self.width, self.height, self.visible, self.font_size, self.pinned
