"""Layout geometry: where a rendered page shows each element."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Boxes:
    """Boxes of a page's n elements in document order, in CSS pixels from the page's own origin.

    Attributes:
        x: Left edge, shape (n,); NaN where unknown, as in all of them.
        y: Top edge, shape (n,).
        width: Shape (n,).
        height: Shape (n,).
        page_width: Width of the whole page.
        page_height: Height of the whole page.
    """

    x: npt.NDArray[np.float32]
    y: npt.NDArray[np.float32]
    width: npt.NDArray[np.float32]
    height: npt.NDArray[np.float32]
    page_width: float
    page_height: float

    def __post_init__(self) -> None:
        lengths = {len(self.x), len(self.y), len(self.width), len(self.height)}
        if len(lengths) != 1:
            raise ValueError(f"x, y, width and height must have one length, got {sorted(lengths)}")

    def __len__(self) -> int:
        return len(self.x)
