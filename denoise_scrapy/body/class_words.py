"""What class names and ids say of the text inside: log odds of their words, learned over many publishers.

Source: Peters and Lecocq, *Content Extraction Using Diverse Feature Sets* (2013): words of class and id as features.
Theirs are chosen words of the block's own element; here each word has odds, as in naive Bayes, and those of all the
elements around the block are summed up.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page, PathTable
from denoise_scrapy.page.markup import split_name
from denoise_scrapy.page.paths import ROOT_TAGS, name_code

#: Rows of what is known of a path: the sum of all elements' odds, the least and the greatest of one word, and those of
#: the innermost elements, each level up half as much.
ROWS = ("class_sum", "class_least", "class_most", "class_near")
#: Characters of a word that count; shorter ones are too many things.
SHORTEST, LONGEST = 2, 32
UP = 0.5


class ClassWords:
    """Log odds of the words in class names and ids.

    Args:
        odds: Log odds by code (`words_of`); a word that it does not have says nothing.

    Example:
        >>> page = Page.parse('<div class="storyBody"><p>It rained.</div><div class=menu>Home</div>')
        >>> words = ClassWords({name_code("body"): 1.5, name_code("menu"): -2.0})
        >>> words.rows(page).tolist()
        [[1.5, -2.0], [0.0, -2.0], [1.5, 0.0], [0.75, -2.0]]
    """

    def __init__(self, odds: Mapping[int, float]) -> None:
        self.odds = odds
        self._tables: WeakKeyDictionary[PathTable, npt.NDArray[np.float32]] = WeakKeyDictionary()

    def rows(self, page: Page) -> npt.NDArray[np.float32]:
        """What is known of the paths of a page's m blocks, shape (len(ROWS), m)."""
        table = page.path_table
        known = self._tables.get(table, _NOTHING)
        if len(known) < len(table):
            known = self._tables[table] = np.concatenate([known, self._learned(table, known)])
        return np.asarray(known.take(page.elements.paths.take(page.blocks.element), axis=0).T)

    def _learned(self, table: PathTable, known: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The rows of those paths of a table that are not known, shape (paths, len(ROWS))."""
        start, rows = len(known), list[tuple[float, ...]]()
        for path in range(start, len(table)):
            parent = table.parent[path]
            whole, least, most, near = rows[parent - start] if parent >= start else known[parent].tolist()
            low, high = _told(self, table.tags[path], *table.names(path))
            own = low + high
            rows.append((whole + own, low if low < least else least, high if high > most else most, own + UP * near))
        return np.array(rows, np.float32)


@lru_cache(maxsize=16_384)
def _told(words: ClassWords, tag: str, id_: str, class_: str) -> tuple[float, float]:
    """Least and greatest odds of an element's words, 0 where none is below or above."""
    said = [0.0, *(words.odds.get(word, 0.0) for word in words_of(tag, id_, class_))]
    return min(said), max(said)


#: The rows of the root of all paths, which no element has.
_NOTHING = np.zeros((1, len(ROWS)), np.float32)


def words_of(tag: str, id_: str, class_: str) -> frozenset[int]:
    """Codes of the words in an element's names, of each name of several words, and of the tag.

    Example:
        >>> words = ("<div", "story", "body", "story body")
        >>> words_of("div", "", "storyBody") == {name_code(word) for word in words}
        True
    """
    if tag in ROOT_TAGS:  # its names are of the page, or of the whole site
        return frozenset()
    found = {f"<{tag}"}
    for name in f"{class_} {id_}".split():
        words = [word for word in split_name(name).split() if len(word) >= SHORTEST]
        found.update(words)
        if len(words) > 1:
            found.add(" ".join(words))
    return frozenset([name_code(word[:LONGEST]) for word in found])
