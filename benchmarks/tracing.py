"""Tells the stages of a body apart while it is made: clocks around the seams between them.

The time of a stage is its own: what it calls that is a stage too counts there. So the stages add up to the body. A
column that several stages ask for counts with the first of them. A clock costs about half a microsecond.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, wraps
from importlib import import_module
from time import process_time
from typing import Any
from unittest.mock import patch

#: Stages as reports call them, in about the order of work, with the functions, methods and computed columns that belong
#: to them, as `package.module:name` below `denoise_scrapy`. Where one is renamed its time counts with what calls it; a
#: test holds that all are there. Features that C computes in one call are in one stage.
STAGES: dict[str, tuple[str, ...]] = {
    "parse": ("page.page:Page.parse",),
    "columns, block counts, hashes": tuple(f"page.page:Page.{name}" for name in ("elements", "blocks", "facts")),
    "texts of the blocks": ("page.page:Page.marked_texts", "page.page:Page.block_texts"),
    "fit": ("body.model:SiteModel.fit",),
    "comparison": ("site.template:SiteStatistics.for_page",),
    "features: words": ("body.features.matrix:read_words", "body.features.matrix:fill_words"),
    "features: own": ("body.features.blocks:fill_own",),
    "features: flags": ("body.features.blocks:fill_flags", "body.features.blocks:fill_parts"),
    "features: rule": ("body.features.matrix:HandRule", "body.features.matrix:_fill_rule"),
    "features: around": tuple(
        f"body.features.{name}"
        for name in (
            *("surroundings:fill_subtrees", "surroundings:fill_windows", "surroundings:fill_near"),
            *("surroundings:fill_paths", "surroundings:fill_place", "sections:fill_sections"),
        )
    ),
    "features: site": ("body.features.site:fill_site",),
    "features: records, goods": (
        *("body.features.records:fill_records", "body.features.goods:fill_goods"),
        *("body.features.goods:find_prices", "body.features.goods:count_pictures"),
    ),
    "features: in one call of C": ("body.features.matrix:fill_natively",),
    "features: the rest": ("body.strategies.combined:block_features",),
    "trees": ("body.forest:Forest.probability",),
    "networks": ("body.network:BlockNetwork.probability", "body.context:Context.of"),
    "trees and networks in one call of C": ("body.block_model:BlockModel.probability",),
    "adjustments, selection": ("body.strategies.combined:CombinedStrategy.judge",),
    "text, taste": ("body.model:SiteModel.extract",),
}
#: All that is in no other stage.
OUTSIDE = "the rest"


class Tracer:
    """Adds up the seconds of stages; `with tracer.seams(): …` sets the clocks.

    Attributes:
        seconds: Own time of each stage.
        missing: Seams that are not there.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.missing: list[str] = []
        self._stages = [OUTSIDE]
        self._since = process_time()

    def enter(self, stage: str) -> None:
        """A stage begins inside the present one."""
        self._count()
        self._stages.append(stage)

    def leave(self) -> None:
        """The present stage ends."""
        self._count()
        self._stages.pop()

    def take(self) -> dict[str, float]:
        """The seconds up to now; counting starts anew."""
        self._count()
        taken, self.seconds = self.seconds, defaultdict(float)
        return taken

    def _count(self) -> None:
        now = process_time()
        self.seconds[self._stages[-1]] += now - self._since
        self._since = process_time()

    @contextmanager
    def seams(self) -> Iterator[None]:
        """Set the clocks meanwhile."""
        seams = [(f"denoise_scrapy.{seam}", stage) for stage, found in STAGES.items() for seam in found]
        undo = [undo for seam, stage in seams if (undo := self._set(seam, self._timed(stage)))]
        try:
            yield
        finally:
            for restore in undo:
                restore()

    def _set(self, seam: str, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Callable[[], None] | None:
        """Put a clock around a function, method or computed column; how to take it away, None where it is missing."""
        module, _, path = seam.partition(":")
        *classes, name = path.split(".")
        try:
            owner: Any = import_module(module)
            for part in classes:
                owner = getattr(owner, part)
            found = vars(owner)[name]
        except (ImportError, AttributeError, KeyError):
            self.missing.append(seam)
            return None
        if isinstance(found, cached_property):
            kept = found.func
            found.func = wrap(kept)
            return lambda: setattr(found, "func", kept)
        inner = classmethod(wrap(found.__func__)) if isinstance(found, classmethod) else wrap(found)
        patched = patch.object(owner, name, inner)
        patched.start()
        return patched.stop

    def _timed(self, stage: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
            @wraps(function)
            def timed(*args: Any, **kwargs: Any) -> Any:
                self.enter(stage)
                try:
                    return function(*args, **kwargs)
                finally:
                    self.leave()

            return timed

        return wrap
