"""The strategies by name. Each is a file with the same interface (`base.Strategy`)."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.support.shown import nearest_hint

#: Valid values of `DENOISE_STRATEGY` and `extract(..., strategy=)`, and the class of each, which is imported when it is
#: used.
STRATEGIES: Mapping[str, str] = {
    name: f"{__name__}.{path}"
    for name, path in {
        "combined": "combined.CombinedStrategy",
        "repetition": "repetition.RepetitionStrategy",
        "lcs": "lcs.LcsStrategy",
        "style-tree": "style_tree.StyleTreeStrategy",
        "cluster": "cluster.ClusterStrategy",
        "framework": "layout.FrameworkStrategy",
        "block-filter": "layout.BlockFilterStrategy",
    }.items()
}
DEFAULT_STRATEGY = "combined"

__all__ = ["DEFAULT_STRATEGY", "STRATEGIES", "Decision", "Strategy", "find_strategy"]

#: Attributes of a strategy: see `Strategy`.
PARTS = ("name", "comparison_pages", "needs_elements", "decide")


@cache
def find_strategy(name: str) -> Strategy:
    """Return the strategy with a name in `STRATEGIES`, or of a class path, such as `myproject.strategies.LongBlocks`.

    Raises:
        ValueError: There is none; the message suggests the nearest, or lists what the class lacks.

    Example:
        >>> find_strategy("lcs").comparison_pages
        2
        >>> find_strategy("lsc")
        Traceback (most recent call last):
        ValueError: no strategy 'lsc': valid is combined | ...; did you mean lcs?
    """
    path = STRATEGIES.get(name, name)
    module, _, kind = path.rpartition(".")
    if not module:
        raise ValueError(f"no strategy {name!r}: valid is {' | '.join(STRATEGIES)}{nearest_hint(name, STRATEGIES)}")
    try:
        made: Strategy = getattr(import_module(module), kind)()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"no strategy {path!r}: {error}") from error
    lacking = [part for part in PARTS if not hasattr(made, part)]
    if lacking:
        raise ValueError(f"{path!r} is not a strategy: it has no {', '.join(lacking)}")
    return made
