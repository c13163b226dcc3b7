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

#: What a stage is called in reports, by the functions, methods and computed columns that belong to it. Where one is
#: renamed its time counts with what calls it; a test holds that all are there.
SEAMS: dict[str, str] = {
    "denoise_scrapy.page.page:Page.parse": "parse",
    "denoise_scrapy.page.page:Page.elements": "columns, block counts, hashes",
    "denoise_scrapy.page.page:Page.blocks": "columns, block counts, hashes",
    "denoise_scrapy.page.page:Page.facts": "columns, block counts, hashes",
    "denoise_scrapy.page.page:Page.marked_texts": "texts of the blocks",
    "denoise_scrapy.page.page:Page.block_texts": "texts of the blocks",
    "denoise_scrapy.body.model:SiteModel.fit": "fit",
    "denoise_scrapy.site.statistics:SiteStatistics.for_page": "comparison",
    "denoise_scrapy.body.strategies.combined:block_features": "features: the rest",
    "denoise_scrapy.body.block_model:BlockModel.probability": "networks",
    "denoise_scrapy.body.forest:Forest.probability": "trees",
    "denoise_scrapy.body.network:BlockNetwork.probability": "networks",
    "denoise_scrapy.body.context:Context.of": "networks",
    "denoise_scrapy.body.strategies.combined:CombinedStrategy.judge": "adjustments, selection",
    "denoise_scrapy.body.model:SiteModel.extract": "text, taste",
}
#: Computes the features family by family in numpy, and yields the name of each when it is done.
FAMILIES = "denoise_scrapy.body.features.matrix:_filled"
#: All that is in no other stage.
OUTSIDE = "the rest"
#: Features of a family that is known when they are made.
_UNKNOWN = "features"


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
        undo = [undo for seam, stage in SEAMS.items() if (undo := self._set(seam, self._timed(stage)))]
        undo += [undo for undo in [self._set(FAMILIES, self._timed_families)] if undo]
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

    def _timed_families(self, function: Callable[..., Iterator[str]]) -> Callable[..., Iterator[str]]:
        @wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Iterator[str]:
            found = function(*args, **kwargs)
            while True:
                self.enter(_UNKNOWN)
                name = next(found, None)
                self.leave()
                self.seconds[f"features: {name or 'the rest'}"] += self.seconds.pop(_UNKNOWN)
                if name is None:
                    return
                yield name

        return timed
