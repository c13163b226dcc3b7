"""Names of a template's most important paths: a path itself is kept as a hash, which tells a person nothing."""

from __future__ import annotations

from collections.abc import Mapping

from denoise_scrapy.page import Page
from denoise_scrapy.site.path_sums import PathSums

#: Paths that keep a name: those with the most text. Ten have nine tenths of the text of a usual template.
MAX_NAMES = 32
#: Characters of a name; of a longer one the end is kept, which says more than the beginning.
MAX_CHARS = 200


def with_names(names: Mapping[int, str], sums: PathSums, page: Page) -> Mapping[int, str]:
    """The names of the paths with the most text, as far as they are known.

    Args:
        names: Those known so far, by path key.
        sums: What was learned, this page included.
        page: The page.

    Example:
        >>> import numpy as np
        >>> page = Page.parse("<div id=main><p>One story.<p>Goes on.</div>")
        >>> sums = PathSums().add(page.blocks.path_keys, np.ones(2), page.blocks.tokens)
        >>> list(with_names({}, sums, page).values())
        ['html/body/div#main/p']
    """
    most = _most_text(sums)
    missing = [key for key in most if key not in names]
    if not missing:
        return names
    keys, paths = page.blocks.path_keys[::-1], page.elements.paths[page.blocks.element[::-1]]
    path_of = dict(zip(keys.tolist(), paths.tolist(), strict=True))  # of the first block, as it comes last
    new = {key: _name(page, path_of[key]) for key in missing if key in path_of}
    if not new:
        return names
    wanted = set(most)
    return {key: name for key, name in {**names, **new}.items() if key in wanted}


def names_of_both(theirs: Mapping[int, str], ours: Mapping[int, str], sums: PathSums) -> Mapping[int, str]:
    """The names that two memories have for the paths with the most text.

    Args:
        theirs: Those of one, by path key.
        ours: Those of the other.
        sums: What both have learned.
    """
    wanted = set(_most_text(sums))
    return {key: name for key, name in {**theirs, **ours}.items() if key in wanted}


def _most_text(sums: PathSums) -> list[int]:
    most: list[int] = sums.keys[(-sums.tokens).argsort(kind="stable")[:MAX_NAMES]].tolist()
    return most


def _name(page: Page, path: int) -> str:
    name = page.path_table.describe(path)
    return name if len(name) <= MAX_CHARS else f"…{name[-MAX_CHARS:]}"
