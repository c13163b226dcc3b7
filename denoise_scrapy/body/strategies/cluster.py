"""Rules of template clusters: where the pages of one template have their content.

Source: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018), section 5 and definition 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.core.tree import name_code
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.columns import HALF, FloatArray, IntArray
from denoise_scrapy.site import SiteStatistics, template_similarity
from denoise_scrapy.site.memory import SAME_TEMPLATE
from denoise_scrapy.support.shown import MAX_CELL

# Block nodes. The source uses div and table. The modern sectioning tags gain wcxb .018, and td, for pages laid out with
# tables, gains big9 .034; form, lists, aside and center gain nothing (five corpora, alpha .005).
BLOCK_NODES = frozenset(["div", "table", "td", "section", "article", "main"])
_BLOCK_NODE_CODES = np.array([name_code(tag) for tag in sorted(BLOCK_NODES)], np.uint32)[:, None]
# Alpha, the cost of one more element in a block, is this / the page's elements. The source has one small value for all
# pages, but from .003 to .02 dragnet gains .03 and wcxb, whose pages have four times the elements, loses .10. At 1, 2,
# 3, 4, 5, 6 dragnet has .875, .877, .886, .890, .889, .900, and 265 pages of all kinds, each alone, .826, .815, .801,
# .786, .775, .765: articles among comments prefer it high, lists and shops low.
SHARE_COST = 4.0
_LINK_TAG = np.uint32(name_code("a"))


@dataclass(frozen=True)
class TemplateRule:
    """The location of a cluster's content: its block's id without digits, class names, and path of tags."""

    id: str = ""
    class_: str = ""
    path: str = ""

    def __str__(self) -> str:
        if self.id:
            return f"#{self.id}"
        return "." + ".".join(self.class_.split()) if self.class_ else self.path

    def find(self, page: Page) -> int:
        """Return the page's only block with the id, else with the class, else with the path; -1 if there is none."""
        return next((int(found[0]) for found in self.candidates(page) if len(found) == 1), -1)

    def candidates(self, page: Page) -> Iterator[IntArray]:
        """Yield the blocks with the id, those with the class, those with the path."""
        elements, nodes = page.elements, block_nodes(page)
        for column, name in (("id", self.id), ("class_", self.class_)):
            yield nodes[elements.column(column).take(nodes) == name_code(name)] if name else nodes[:0]
        path = self.path.split("/")
        found = up = nodes[elements.depth.take(nodes) == len(path)]
        for tag in reversed(path):
            same = elements.column("tag")[up] == name_code(tag)
            found, up = found[same], elements.parent[up[same]]
        yield found


def block_nodes(page: Page) -> IntArray:
    """Return the page's block nodes, in document order."""
    # all at once: 3 µs for 580 elements instead of 8 tag by tag
    return np.flatnonzero((page.elements.column("tag") == _BLOCK_NODE_CODES).any(axis=0))


def names_of(page: Page, element: int) -> TemplateRule:
    """Return the names of an element as a rule."""
    _, id_, class_, _ = page.tree.name_of(int(page.elements.token[element]))
    tags = []  # without positions, which advertisements shift
    while element >= 0:
        tags.append(page.tree.name_of(int(page.elements.token[element]))[0])
        element = int(page.elements.parent[element])
    path = "/".join(reversed(tags))
    return TemplateRule(id_, "" if "." in class_ else class_, path)  # `str` writes classes with dots


def node_densities(page: Page, alpha: float) -> tuple[IntArray, FloatArray]:
    """Return the page's block nodes in document order, and H(b) of each; an element in a block costs alpha.

    H = p_text · (1 - p_link) · p_textl / (1 + size · alpha), where p_text = T_n / (1 + T) is the block's share of the
    page's text outside links, p_link = links_n / (1 + links) its share of the links, p_textl = T_n / (1 + all text_n)
    the share of its own text outside links, and size the number of its elements. Lengths are visible characters.
    """
    elements, nodes = page.elements, block_nodes(page)
    linked = elements.has(Flag.LINK)
    outside, is_link = elements.own_chars * ~linked, elements.column("tag") == _LINK_TAG
    columns = (outside, elements.own_chars, is_link)
    text, all_text, links = (elements.subtree_sums(column).take(nodes) for column in columns)
    p_text = text / (1 + outside.sum())
    p_link = links / (1 + is_link.sum())
    p_textl = text / (1 + all_text)
    return nodes, p_text * (1 - p_link) * p_textl / (1 + (elements.end.take(nodes) - nodes) * alpha)


def best_block(page: Page) -> tuple[int, float]:
    """Return the block with the highest H, the first of equals, and its H; (-1, 0) if no block has text."""
    nodes, densities = node_densities(page, SHARE_COST / max(len(page.elements), 1))
    best = int(densities.argmax()) if len(densities) else -1
    return (int(nodes[best]), float(densities[best])) if best >= 0 and densities[best] > 0 else (-1, 0.0)


def learn_rule(pages: Sequence[Page]) -> TemplateRule | None:
    """Return the rule of a cluster: the names with the largest sum of H over its pages' best blocks; None without text.

    Names that are ambiguous on a page of the cluster are omitted, as long as the path remains.
    """
    sums: dict[TemplateRule, float] = {}
    for page in pages:
        best, density = best_block(page)
        if best >= 0:
            rule = names_of(page, best)
            sums[rule] = sums.get(rule, 0.0) + density
    if not sums:
        return None
    rule = max(sums, key=lambda rule: sums[rule])
    by_id, by_class, _ = (max(map(len, found)) for found in zip(*map(rule.candidates, pages), strict=True))
    return TemplateRule(rule.id if by_id == 1 else "", rule.class_ if by_class == 1 else "", rule.path)


class ClusterStrategy(Strategy):
    """The rule with the highest sum of H over the page's cluster; without one, the page's block with the highest H."""

    name = "cluster"
    comparison_pages = 9  # with its template; the source requires more than five pages in all
    needs_elements = True

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        others = site.whole_pages[: self.comparison_pages]
        alike = (other for other in others if template_similarity(page, other) > SAME_TEMPLATE)
        rule = learn_rule([page, *alike])
        block = rule.find(page) if rule is not None else -1
        # cut, as it is said for each block: tags of 70 KB have a path of a megabyte
        reason = f"in the cluster's block {str(rule)[:MAX_CELL]}"
        if block < 0:
            block, reason = best_block(page)[0], "in the page's block of highest H"
        inside = page.elements.inside(np.array([block] if block >= 0 else [], np.int64))
        chosen = page.blocks.share_owned_by(inside) >= HALF  # most of the text block is in the chosen one
        return Decision.of_method(page, chosen, 0.9, reason, "outside the content's block")
