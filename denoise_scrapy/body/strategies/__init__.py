"""The strategies by name. Each is a file of its own behind one interface (`base.Strategy`)."""

from collections.abc import Mapping
from types import MappingProxyType

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.body.strategies.lcs import LcsStrategy
from denoise_scrapy.body.strategies.repetition import RepetitionStrategy

_ALL: tuple[Strategy, ...] = (RepetitionStrategy(), LcsStrategy())

#: Strategies that `DENOISE_STRATEGY` and `extract(..., strategy=)` take.
STRATEGIES: Mapping[str, Strategy] = MappingProxyType({strategy.name: strategy for strategy in _ALL})
DEFAULT_STRATEGY = "repetition"

__all__ = ["DEFAULT_STRATEGY", "STRATEGIES", "Decision", "Strategy"]
