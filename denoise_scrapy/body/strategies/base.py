"""The interface of strategies: from a page and its site to a decision for each block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.choice import select_by_expected_f1
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.columns import BoolArray, FloatArray
from denoise_scrapy.site import SiteStatistics

Values = npt.NDArray[np.float32]

#: Probabilities of the yes and the no of a rule: no rule is always right.
RULE_YES, RULE_NO = 0.9, 0.1


@dataclass(frozen=True)
class Decision:
    """A strategy's decision on a page of m blocks.

    Attributes:
        kept: Whether each block belongs to the body, shape (m,).
        probability: Probability that it does, 0 to 1, shape (m,).
        confidence: Expected token F1 of the choice, 0 to 1.
        reasons: The main reason for each block, in words; m of them.
        is_rule: Whether the strategy only decides yes or no, from which the probabilities follow.
        first: The first judgement that it is based on (`combined.first_judgement`), None for other strategies.
    """

    kept: BoolArray
    probability: FloatArray
    confidence: float
    reasons: Sequence[str]
    is_rule: bool = False
    first: tuple[Values, Values] | None = None

    @classmethod
    def of_rule(cls, page: Page, kept: BoolArray, reasons: Sequence[str]) -> Decision:
        """Return the decision of a yes-or-no rule from its kept blocks, shape (m,), and m reasons."""
        probability = np.where(kept, RULE_YES, RULE_NO)
        confidence = select_by_expected_f1(probability, page.blocks.tokens)[1]
        return cls(kept, probability, confidence, reasons, is_rule=True)

    @classmethod
    def of_method(
        cls, page: Page, chosen: BoolArray, yes: float, reason: str, other: str | npt.NDArray[np.str_]
    ) -> Decision:
        """Return the decision of a method without estimates: its chosen blocks, shape (m,), less hidden ones.

        If all of them are hidden, they stay: some pages stream their content into hidden elements.
        """
        shown = chosen & ~page.blocks.has(Flag.HIDDEN)
        kept = shown if shown.any() else chosen
        reasons = np.where(kept, reason, np.where(chosen, "hidden", other))
        confidence = 0.5 if kept.any() else 0.0
        return cls(kept, np.where(kept, yes, RULE_NO), confidence, reasons.tolist(), is_rule=True)

    def revised(self, kept: BoolArray, reasons: npt.NDArray[Any], confidence: float | None = None) -> Decision:
        """Return the decision with other blocks kept; a new reason of "" keeps the old one, shape (m,)."""
        both = LazyReasons(lambda: [new or old for new, old in zip(reasons.tolist(), self.reasons, strict=True)])
        return replace(self, kept=kept, reasons=both, confidence=self.confidence if confidence is None else confidence)


class LazyReasons(Sequence[str]):
    """Reasons that are computed when first read."""

    def __init__(self, make: Callable[[], Sequence[str]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Sequence[str]:
        return self._make()

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, index: Any) -> Any:
        return self._made[index]


class Strategy(Protocol):
    """A way to separate content from noise: a pure function of the page and its comparison pages."""

    #: Name in settings: the usual term for the method.
    name: str
    #: Maximum number of comparison pages it uses; 0 if none.
    comparison_pages: int
    #: Whether it reads the elements of comparison pages, or only their facts (`PageFacts`).
    needs_elements: bool

    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        """Decide which blocks of `page` belong to its body.

        Args:
            page: The target; it has at least one block.
            site: Comparison pages without the page itself and its copies, most similar template first; may be empty.

        Raises:
            TooLargeError: Deciding would take too long; the caller keeps the page's whole text.
        """
        ...
