"""The strategies by name. Each is a file with the same interface (`base.Strategy`)."""

import difflib
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.body.strategies.cluster import ClusterStrategy
from denoise_scrapy.body.strategies.combined import CombinedStrategy
from denoise_scrapy.body.strategies.layout import BlockFilterStrategy, FrameworkStrategy
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

#: Valid values of `DENOISE_STRATEGY` and `extract(..., strategy=)`.
STRATEGIES: Mapping[str, Strategy] = MappingProxyType({strategy.name: strategy for strategy in _ALL})
DEFAULT_STRATEGY = "combined"

__all__ = ["DEFAULT_STRATEGY", "STRATEGIES", "Decision", "Strategy", "find_strategy"]

#: Attributes of a strategy: see `Strategy`.
PARTS = ("name", "comparison_pages", "needs_elements", "decide")


def find_strategy(name: str) -> Strategy:
    """Return the strategy with a name in `STRATEGIES`, or of a class path, such as `myproject.strategies.LongBlocks`.

    Raises:
        ValueError: There is none; the message suggests the nearest, or lists what the class lacks.

    Example:
        >>> find_strategy("lcs").comparison_pages
        2
        >>> find_strategy("lsc")
        Traceback (most recent call last):
        ValueError: unknown strategy 'lsc': did you mean 'lcs'? Choose from combined, ...
    """
    known = STRATEGIES.get(name)
    if known is not None:
        return known
    if "." in name:
        return _made(name)
    near = difflib.get_close_matches(name, STRATEGIES, 1, 0)
    raise ValueError(f"unknown strategy {name!r}: did you mean {near[0]!r}? Choose from {', '.join(STRATEGIES)}")


@cache
def _made(path: str) -> Strategy:
    module, _, name = path.rpartition(".")
    try:
        made: Strategy = getattr(import_module(module), name)()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"no strategy {path!r}: {error}") from error
    lacking = [part for part in PARTS if not hasattr(made, part)]
    if lacking:
        raise ValueError(f"{path!r} is not a strategy: it has no {', '.join(lacking)}")
    return made
