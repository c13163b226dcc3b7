"""Rules: the names by which a block is found again on other pages of its template, and as text.

Source: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018), definition 10.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page, PathTable
from denoise_scrapy.page.paths import name_code

#: Block nodes. The source takes div and table. The sectioning tags of today bring wcxb .018, and td, for the times
#: when layout was tables, brings big9 .034; form, lists, aside and center bring nothing (five corpora, ALPHA .005).
BLOCK_NODES = frozenset(["div", "table", "td", "section", "article", "main"])
#: Steps from which on paths are compared in another way, which takes longer a step: recorded pages have 93 at most.
DEEP = 100
_BLOCK_NODE_CODES = np.array([name_code(tag) for tag in sorted(BLOCK_NODES)], np.uint32)[:, None]

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Rule:
    """Where a cluster's content stands: the names of its block, "" where there is none.

    Attributes:
        id: The block's id, digits left out, as everywhere in path tables.
        class_: Its class names, joined by spaces.
        path: Its tags from the root down: `html/body/div/div`.

    Example:
        >>> rule = Rule(class_="story main", path="html/body/div")
        >>> str(rule), str(Rule(id="main", class_="story")), str(Rule(path="html/body/div/div"))
        ('.story.main', '#main', 'html/body/div/div')
        >>> Rule.parse(".story.main")
        Rule(id='', class_='story main', path='')
        >>> rule.find(Page.parse("<div>Menu</div><div class='story main'>Text</div>"))
        3
    """

    id: str = ""
    class_: str = ""
    path: str = ""

    def __str__(self) -> str:
        if self.id:
            return f"#{self.id}"
        return "." + ".".join(self.class_.split()) if self.class_ else self.path

    @classmethod
    def parse(cls, text: str) -> Rule:
        """The rule that a text like `#main`, `.story` or `html/body/div` stands for; digits of names do not count."""
        names = re.sub(r"\d+", "", text[1:])
        if text.startswith("#"):
            return cls(id=names)
        return cls(class_=" ".join(names.split("."))) if text.startswith(".") else cls(path=text)

    def find(self, page: Page, among: BoolArray | None = None) -> int:
        """Index of the page's block by id, else class, else path, the first of which just one has; -1 for none.

        Args:
            page: The page.
            among: Elements that count, shape (elements,); its block nodes where None is given.
        """
        nodes = (is_block_node(page) if among is None else among).nonzero()[0]
        columns, paths = page.path_table.columns, page.elements.paths.take(nodes)
        for column, name in (("id", self.id), ("class_", self.class_)):
            if name:
                found = nodes[columns[column].take(paths) == _code(name)]
                if len(found) == 1:
                    return int(found[0])
        found = self._at_path(page, nodes[page.elements.depth.take(nodes) == self.path.count("/") + 1])
        return int(found[0]) if len(found) == 1 else -1

    def candidates(self, page: Page) -> tuple[BoolArray, BoolArray, BoolArray]:
        """Blocks that have the id, the class, the path, shape (elements,) each."""
        elements, blocks = page.elements, is_block_node(page)
        by_id = blocks & (elements.column("id") == _code(self.id)) & bool(self.id)
        by_class = blocks & (elements.column("class_") == _code(self.class_)) & bool(self.class_)
        by_path = np.zeros_like(blocks)
        by_path[self._at_path(page, np.flatnonzero(blocks & (elements.depth == self.path.count("/") + 1)))] = True
        return by_id, by_class, by_path

    def _at_path(self, page: Page, likely: IntArray) -> IntArray:
        """Those of some elements, all of the path's depth, that have its tags; all climb together."""
        columns, at = page.path_table.columns, page.elements.paths[likely].astype(np.int64)
        tags = self.path.split("/")
        if len(tags) > DEEP:
            return likely[_have_tags(page.path_table, at, tags)]
        for tag in reversed(tags):
            same = columns["tag"][at] == _code(tag)
            likely, at = likely[same], np.asarray(columns["parent"][at[same]], np.int64)
            if not len(likely):
                break
        return likely


def _have_tags(table: PathTable, paths: IntArray, tags: Sequence[str]) -> BoolArray:
    """Which of some paths have these tags from the root down, shape (paths,); those that meet go on as one.

    A page has as many paths as elements, but each of them may have as many steps.
    """
    alike, ways = list[BoolArray](), list[IntArray]()
    for tag in reversed(tags):
        paths, way = np.unique(paths, return_inverse=True)
        ways.append(way)
        alike.append(np.asarray(table.columns["tag"][paths] == _code(tag)))
        paths = np.asarray(table.columns["parent"][paths], np.int64)
    same = np.ones(len(paths), bool)
    for own, way in zip(reversed(alike), reversed(ways), strict=True):
        same = (same & own)[way]
    return same


def is_block_node(page: Page) -> BoolArray:
    """Which of the page's elements are block nodes, shape (elements,)."""
    # all at once: 3 µs at 580 elements in place of 8 for one tag after the other
    return np.asarray((page.elements.column("tag") == _BLOCK_NODE_CODES).any(axis=0))


def names_of(page: Page, element: int) -> Rule:
    """The names of an element, as a rule."""
    table, path = page.path_table, int(page.elements.paths[element])
    above = table.describe(table.parent[path])
    names = table.describe(path)[len(above) + bool(above) + len(table.tags[path]) :]  # "#main.story.wide"
    codes = int(table.columns["id"][path]), int(table.columns["class_"][path])
    id_, classes = "", names
    if codes[0]:  # an id may hold dots
        ends = [i for i, char in enumerate(names) if char == "."] + [len(names)]
        id_ = next((names[1:end] for end in ends if crc32(names[1:end].encode("utf-8", "replace")) == codes[0]), "")
        classes = names[len(id_) + 1 :]
    class_ = " ".join(classes.split("."))[1:]
    # a class name that holds a dot cannot be read back: then it is none
    return Rule(id_, class_ if _code(class_) == codes[1] else "", tag_path(table, path))


def tag_path(table: PathTable, path: int) -> str:
    """The tags of a path: `html/body/div/div`. Without positions, which advertisements shift."""
    tags = []
    while path:
        tags.append(table.tags[path])
        path = table.parent[path]
    return "/".join(reversed(tags))


def _code(name: str) -> int:
    """The value of a name in a path table's columns."""
    return crc32(name.encode("utf-8", "replace"))
