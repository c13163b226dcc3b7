"""LCS matching: what the comparison pages' feature trees do not match, grouped, ranked, the best kept.

Source: Song, Zhi, Zhou, Luo and An, Web page noise removal by LCS-based maximum similarity matching of
feature trees (2011), sections 4 and 5.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.page import FeatureTree, Page
from denoise_scrapy.site import SiteStatistics
from denoise_scrapy.site.lcs import match_trees

#: A node matched on at least this share of the comparison pages is template.
MATCHED_SHARE = 0.5
#: Points for the three clusters that lead an indicator (the source's values); the link rate's count against.
POINTS = (5, 3, 1)
#: Clusters with at least this share of the top score are "close" to it (measured).
CLOSE = 0.6
#: The main visual area: this middle share of the page's width, from the top to this share of its height.
VISUAL_WIDTH, VISUAL_HEIGHT = 0.6, 0.8

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class LcsStrategy:
    """Maximum similarity matching against comparison pages."""

    name = "lcs"
    comparison_pages = 2
    needs_elements = True

    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        """See `Strategy.decide`. Without a comparison page every node is a candidate."""
        tree = FeatureTree(page)
        others = [FeatureTree(other) for other in site.whole_pages[: self.comparison_pages]]
        matched = [match_trees(tree, other).matched for other in others]
        candidates = np.mean(matched, axis=0) < MATCHED_SHARE if matched else np.arange(len(tree)) > 0
        clusters = aggregate(tree, candidates)
        scores = score_clusters(tree, clusters)
        top = scores.max(initial=0.0)
        chosen = [c for c, s in zip(clusters, scores, strict=True) if s >= CLOSE * top and top > 0]
        share_of_candidates = _block_share(page, tree, np.concatenate([*clusters, np.zeros(0, np.int64)]))
        share_of_chosen = _block_share(page, tree, np.concatenate([*chosen, np.zeros(0, np.int64)]))
        kept = share_of_chosen >= 0.5  # most of the block's text lies in chosen nodes
        reasons = np.where(
            kept,
            "in the cluster that leads",
            np.where(
                share_of_candidates >= 0.5,
                "in a cluster that trails",
                "matched on comparison pages",
            ),
        )
        return Decision(kept, np.where(kept, 0.8, 0.1), 0.5 if kept.any() else 0.0, reasons.tolist(), is_rule=True)


def aggregate(tree: FeatureTree, candidates: BoolArray) -> list[IntArray]:
    """Clusters of candidates: siblings, and children of a sibling, of a first one; then of the next, and so on.

    Args:
        tree: The target's n nodes.
        candidates: Which of them no comparison page matches, shape (n,).

    Returns:
        Node indices of each cluster. Candidates below a candidate are left out: they come with it.
    """
    below = np.zeros(len(tree), bool)
    for first, end in zip(tree.levels[1:-1], tree.levels[2:], strict=True):
        parents = tree.parent[first:end]
        below[first:end] = below[parents] | candidates[parents]
    rest = np.flatnonzero(candidates & ~below)
    grandparent = np.where(tree.parent >= 0, tree.parent[tree.parent], -1)
    clusters = []
    while len(rest):
        home = tree.parent[rest[0]]
        here = (tree.parent[rest] == home) | ((grandparent[rest] == home) & (home >= 0))
        clusters.append(rest[here])
        rest = rest[~here]
    return clusters


def score_clusters(tree: FeatureTree, clusters: list[IntArray]) -> FloatArray:
    """Points of each cluster over the source's indicators, shape (clusters,).

    Text length, content tags and the share of text in code count for a cluster, the share of link code
    against it; area and effective area (in the main visual area) count where boxes are known.
    """
    if not clusters:
        return np.zeros(0)
    text = _sums(tree.text_length, clusters)
    code = np.maximum(_sums(tree.outer_length, clusters), 1)
    indicators = [text, _sums(_content_tags(tree), clusters), text / code]
    if tree.page.boxes is not None:
        indicators += [_sums(area, clusters) for area in _areas(tree)]
    points = np.sum([_rank_points(indicator) for indicator in indicators], axis=0)
    return np.asarray(points - _rank_points(_sums(_link_code(tree), clusters) / code))


def _sums(values: npt.NDArray[np.generic], clusters: list[IntArray]) -> FloatArray:
    return np.array([values[cluster].sum() for cluster in clusters], float)


def _rank_points(indicator: FloatArray) -> FloatArray:
    """+5, +3, +1 to the three largest; equal values share the better rank, zeros get nothing."""
    points = np.zeros(len(indicator))
    for rank, value in enumerate(sorted(set(indicator[indicator > 0].tolist()), reverse=True)[: len(POINTS)]):
        points[indicator == value] = POINTS[rank]
    return points


def _content_tags(tree: FeatureTree) -> IntArray:
    """Content tags in each node's subtree, shape (n,)."""
    elements = tree.page.elements
    is_content = np.asarray(elements.column("content"), np.int64)
    return np.asarray(elements.subtree_sums(is_content))[tree.element]


def _link_code(tree: FeatureTree) -> IntArray:
    """Characters of link code (`a` elements, descendants included) in each node's subtree, shape (n,)."""
    elements = tree.page.elements
    is_link = elements.has_tag({"a"})
    return np.asarray(elements.subtree_sums(np.where(is_link, tree.page.code_lengths, 0)))[tree.element]


def _areas(tree: FeatureTree) -> tuple[FloatArray, FloatArray]:
    """Area and effective area of each node in square CSS pixels, 0 where unknown, shape (n,) each."""
    boxes = tree.page.boxes
    left, top, width, height = np.nan_to_num(tree.boxes).T
    if boxes is None:
        return np.zeros(len(tree)), np.zeros(len(tree))
    margin = boxes.page_width * (1 - VISUAL_WIDTH) / 2
    across = np.minimum(left + width, boxes.page_width - margin) - np.maximum(left, margin)
    down = np.minimum(top + height, boxes.page_height * VISUAL_HEIGHT) - np.maximum(top, 0)
    return width * height, np.maximum(across, 0) * np.maximum(down, 0)


def _block_share(page: Page, tree: FeatureTree, nodes: IntArray) -> FloatArray:
    """Share of each block's visible characters that lie under the nodes, shape (blocks,)."""
    return page.blocks.share_owned_by(page.elements.inside(tree.element[nodes]))
