"""The strategies by name. Each is a file of its own behind one interface (`base.Strategy`)."""

from collections.abc import Mapping
from types import MappingProxyType

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.body.strategies.block_filter import BlockFilterStrategy
from denoise_scrapy.body.strategies.cluster import ClusterStrategy
from denoise_scrapy.body.strategies.combined import CombinedStrategy
from denoise_scrapy.body.strategies.framework import FrameworkStrategy
from denoise_scrapy.body.strategies.lcs import LcsStrategy
from denoise_scrapy.body.strategies.repetition import RepetitionStrategy
from denoise_scrapy.body.strategies.style_tree import StyleTreeStrategy

_ALL: tuple[Strategy, ...] = (
    CombinedStrategy(),
    RepetitionStrategy(),
    LcsStrategy(),
    StyleTreeStrategy(),
    ClusterStrategy(),
    FrameworkStrategy(),
    BlockFilterStrategy(),
)

#: Strategies that `DENOISE_STRATEGY` and `extract(..., strategy=)` take.
STRATEGIES: Mapping[str, Strategy] = MappingProxyType({strategy.name: strategy for strategy in _ALL})
DEFAULT_STRATEGY = "combined"

__all__ = ["DEFAULT_STRATEGY", "STRATEGIES", "Decision", "Strategy"]
