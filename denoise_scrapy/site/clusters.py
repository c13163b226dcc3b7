"""Rules of template clusters: where the pages of one template keep their content.

Source: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018), section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Flag, Page, PathTable

#: Block nodes. The source takes div and table; the sectioning tags of today bring wcxb .017, and td, in which
#: tables held whole articles, brings big9 .03.
BLOCK_NODES = frozenset(["div", "table", "td", "section", "article", "main"])
#: What an element more in a block costs. The source says "small": .01 is best for dragnet (+.01 over .003),
#: and costs wcxb .06, whose pages are large; .005 lies between on all five corpora.
ALPHA = 0.005

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


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
        """The rule that a text like `#main`, `.story` or `html/body/div` stands for."""
        if text.startswith("#"):
            return cls(id=text[1:])
        return cls(class_=" ".join(text[1:].split("."))) if text.startswith(".") else cls(path=text)

    def find(self, page: Page) -> int:
        """Index of the page's block by id, else class, else path, the first of which just one has; -1 for none."""
        for marked in self.candidates(page):
            found = np.flatnonzero(marked)
            if len(found) == 1:
                return int(found[0])
        return -1

    def candidates(self, page: Page) -> tuple[BoolArray, BoolArray, BoolArray]:
        """Blocks that have the id, the class, the path, shape (elements,) each."""
        elements, blocks = page.elements, is_block_node(page)
        by_id = blocks & (elements.column("id") == _code(self.id)) & bool(self.id)
        by_class = blocks & (elements.column("class_") == _code(self.class_)) & bool(self.class_)
        by_path = blocks & (elements.depth == self.path.count("/") + 1) & bool(self.path)
        at = elements.paths
        for tag in reversed(self.path.split("/")):  # all likely elements climb together
            if not by_path.any():
                break
            by_path &= page.path_table.columns["tag"][at] == _code(tag)
            at = page.path_table.columns["parent"][at]
        return by_id, by_class, by_path


def is_block_node(page: Page) -> BoolArray:
    """Which of the page's elements are block nodes, shape (elements,)."""
    table = page.path_table
    return np.array([tag in BLOCK_NODES for tag in table.tags], bool)[page.elements.paths]


def content_densities(page: Page, alpha: float = ALPHA) -> FloatArray:
    r"""H(b) of each block node, 0 of every other element, shape (elements,).

    H = p_text · (1 - p_link) · p_textl / (1 + size · alpha), where p_text = T_n / (1 + T) is the block's share of the
    page's text outside links, p_link = links_n / (1 + links) its share of the links, p_textl = T_n / (1 + all text_n)
    the share of its own text outside links, and size the number of its elements. Lengths are visible characters.

    Args:
        page: The page.
        alpha: What each element in the block costs.

    Example:
        >>> page = Page.parse("<div>Nine char.s</div><div><a href=/>Link</a></div>")
        >>> content_densities(page, alpha=0).round(3).tolist()  # html, body, div, div, a: 10/11 · 1 · 10/11
        [0.0, 0.0, 0.826, 0.0, 0.0]
    """
    elements = page.elements
    in_link = (np.asarray(elements.column("flags"), np.int64) & Flag.LINK) != 0
    is_link = np.array([tag == "a" for tag in page.path_table.tags], np.int64)[elements.paths]
    plain = np.where(in_link, 0, elements.own_chars)
    text, all_text, links = (
        np.asarray(elements.subtree_sums(values), np.float64) for values in (plain, elements.own_chars, is_link)
    )
    p_text = text / (1 + plain.sum())
    p_link = links / (1 + is_link.sum())
    p_textl = text / (1 + all_text)
    size = elements.end - np.arange(len(elements))
    return np.where(is_block_node(page), p_text * (1 - p_link) * p_textl / (1 + size * alpha), 0.0)


def best_block(page: Page, alpha: float = ALPHA) -> tuple[int, float]:
    """Index of the block with the highest H, the first of equals, and its H; (-1, 0) where no block has text."""
    densities = content_densities(page, alpha)
    best = int(np.argmax(densities)) if len(densities) else -1
    return (best, float(densities[best])) if best >= 0 and densities[best] > 0 else (-1, 0.0)


def learn_rule(pages: Sequence[Page], alpha: float = ALPHA) -> Rule | None:
    """The rule of a cluster: the names with the largest sum of H over the pages' best blocks.

    Names that are ambiguous on a page of the cluster are left out of it, as long as the path remains.

    Args:
        pages: The pages of one cluster.
        alpha: What each element in a block costs.

    Returns:
        The rule, None where no page has a block with text.

    Example:
        >>> frame = "<div><a href=/>Home</a></div><div id=main>{}</div>"
        >>> str(learn_rule([Page.parse(frame.format(text)) for text in ("The first story.", "Another one.")]))
        '#main'
    """
    sums: dict[Rule, float] = {}
    for page in pages:
        best, density = best_block(page, alpha)
        if best >= 0:
            rule = names_of(page, best)
            sums[rule] = sums.get(rule, 0.0) + density
    if not sums:
        return None
    return _unambiguous(max(sums, key=lambda rule: sums[rule]), pages)


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


def _unambiguous(rule: Rule, pages: Sequence[Page]) -> Rule:
    candidates = [rule.candidates(page) for page in pages]
    by_id, by_class = (max(int(marked[i].sum()) for marked in candidates) for i in range(2))
    return Rule(rule.id if by_id == 1 else "", rule.class_ if by_class == 1 else "", rule.path)
