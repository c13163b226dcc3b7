"""LCS matching: the nodes that match no comparison page are grouped and ranked, and the best are kept.

Source: Song, Zhi, Zhou, Luo and An, Web page noise removal by LCS-based maximum similarity matching of feature trees
(2011), sections 3 to 5. By rule 4 of its section 3 only nodes with similar parents are similar, up to BODY, so only
nodes of equal depth ever match: the source's table splits into one table per level, with the same total score.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.exceptions import TooLargeError
from denoise_scrapy.page import FeatureTree, Flag, Page
from denoise_scrapy.page.columns import HALF, BoolArray, FloatArray, IntArray
from denoise_scrapy.site import SiteStatistics

#: Weight of "one more similar pair" among matchings of equal score; too small to outweigh any score: scores are
#: sums of fractions with denominators 3 to 7, which differ by 1/420 at least.
_PREFER = 1e-9
#: Maximum cells in the table of a level (nodes times nodes; 16 MB of scores, and 10 ms). One of 1,032 recorded pages,
#: compared with itself, has a larger one.
MAX_CELLS = 2_000_000
#: Points for the top three clusters of an indicator (the source's values); the link rate's are subtracted.
POINTS = (5, 3, 1)
#: Clusters with at least this share of the top score are "close" to it. From .6 to .8 big9 goes from .946 to .953, zh
#: from .965 to .979, the portal from .879 to .894, the others change by .002 at most; .9 and 1 cost world .012 and
#: .016.
CLOSE = 0.8
#: If the close clusters hold less than this share of the candidates' text outside links, all candidates are kept: posts
#: of a forum, rows of a list, parts of a shop's page are a cluster each, and only three get points. Without this wcxb
#: has .535; .25, .3, .35, .4, .5 have .664, .669, .678, .699, .718, and dragnet .886 to .880.
LEADING_SHARE = 0.4
#: … less the blocks that are mostly links: .34 to .67 are equivalent, keeping them costs wcxb .006.
#: The main visual area: this middle share of the page's width, and this top share of its height.
VISUAL_WIDTH, VISUAL_HEIGHT = 0.6, 0.8


def match_trees(target: FeatureTree, comparison: FeatureTree, similar: float = HALF) -> tuple[BoolArray, float]:
    """Match the tree of the page to be cleaned with that of a page with its template, level by level.

    Two nodes more similar than `similar` are partners: .5 requires, without geometry, the tag and one of id and class
    (best of .34, .5 and .67 on five corpora). Return whether each node of the target has one, shape (nodes,), and the
    sum of the similarities of the aligned pairs: the corner of the source's table.
    """
    matched = np.zeros(len(target), bool)
    score = 0.0
    above = np.zeros((0, 0), bool)  # which nodes of the level above are similar
    for level in range(min(len(target.levels), len(comparison.levels)) - 1):
        a = slice(int(target.levels[level]), int(target.levels[level + 1]))
        b = slice(int(comparison.levels[level]), int(comparison.levels[level + 1]))
        similarity = _similarities(target, a, comparison, b, above, level)
        if not similarity.any():
            break
        above = similarity > similar
        rows, columns = _align(similarity, above)
        matched[a.start + rows] = above[rows, columns]
        score += float(similarity[rows, columns].sum())
    return matched, score


def _similarities(x: FeatureTree, a: slice, y: FeatureTree, b: slice, above: BoolArray, level: int) -> FloatArray:
    """Compute Sim of every pair of a level, rules 1 to 7 of the source, shape (nodes of x, nodes of y)."""
    if level == 0:
        # rules 2 and 3: BODY is similar only to BODY; its siblings have no parent that could be similar
        return np.asarray((x.tag[a][:, None] == y.tag[b]), float)
    parents = x.parent[a], y.parent[b]
    first = x.levels[level - 1], y.levels[level - 1]
    alike = above[parents[0] - first[0]][:, parents[1] - first[1]]  # rule 4
    alike = alike & (x.tag[a][:, None] == y.tag[b])  # rule 1
    content = x.is_content[a][:, None], y.is_content[b]
    same_inner = x.inner_hash[a][:, None] == y.inner_hash[b]  # rule 5
    # rule 7: the share of equal features among id, class, depth and, where both pages have them, the four of the box
    equal = 1.0 + (x.id[a][:, None] == y.id[b]) + (x.class_[a][:, None] == y.class_[b])  # depth is equal
    structure = equal / 3
    if x.page.boxes is not None and y.page.boxes is not None:
        left, right = np.round(x.boxes[a])[:, None], np.round(y.boxes[b])
        known = ~(np.isnan(left) | np.isnan(right))
        structure = (equal + (left == right).sum(axis=2)) / (3 + known.sum(axis=2))
    both_structure = ~content[0] & ~content[1]
    return np.asarray(alike * np.where(both_structure, structure, content[0] & content[1] & same_inner))


def _align(similarity: FloatArray, similar: BoolArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return rows and columns of the pairs on the diagonal of a best alignment that score above 0."""
    rows, columns = (np.flatnonzero(similarity.any(axis=axis)) for axis in (1, 0))  # zeros cannot change the score
    gain = (similarity + _PREFER * similar)[np.ix_(rows, columns)]
    n, m = gain.shape
    table = np.zeros((n + 1, m + 1))
    diagonal = np.empty(m)
    for i in range(n):
        np.add(table[i, :-1], gain[i], out=diagonal)
        np.maximum(table[i, 1:], diagonal, out=diagonal)
        np.maximum.accumulate(diagonal, out=table[i + 1, 1:])
    best, gains = table.tolist(), gain.tolist()
    pairs = []
    while n and m:  # from the corner, preferring diagonal, then up, then left
        here, gained = best[n][m], gains[n - 1][m - 1]
        if gained > 0 and here == best[n - 1][m - 1] + gained:
            n, m = n - 1, m - 1
            pairs.append((n, m))
        elif here == best[n - 1][m]:
            n -= 1
        else:
            m -= 1
    return rows[[i for i, _ in pairs[::-1]]], columns[[j for _, j in pairs[::-1]]]


class LcsStrategy(Strategy):
    """Maximum similarity matching against comparison pages."""

    name = "lcs"
    comparison_pages = 2
    needs_elements = True

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        # without a comparison page every node is a candidate
        tree = FeatureTree(page)
        others = [FeatureTree(other) for other in site.whole_pages[: self.comparison_pages]]
        sizes, *of_others = (np.diff(each.levels).tolist() for each in (tree, *others))
        if any(a * b > MAX_CELLS for other in of_others for a, b in zip(sizes, other, strict=False)):
            raise TooLargeError("a level has too many nodes to match")
        matched = [match_trees(tree, other)[0] for other in others]
        candidates = np.mean(matched, axis=0) < HALF if matched else np.arange(len(tree)) > 0
        clusters = aggregate(tree, candidates)
        scores = score_clusters(tree, clusters)
        top = scores.max(initial=0.0)
        close = [c for c, s in zip(clusters, scores, strict=True) if s >= CLOSE * top and top > 0]
        candidate, lead = (_blocks_of(tree, some) for some in (clusters, close))
        chosen, reason = lead, "in the cluster that leads"
        own = (page.blocks.chars - page.blocks.link_chars) * ~page.blocks.has(Flag.HIDDEN)
        if own[lead].sum() < LEADING_SHARE * own[candidate].sum():
            chosen = lead | (candidate & (page.blocks.link_density < HALF))
            reason = "no cluster leads"
        dropped = np.where(candidate, "in a cluster that trails", "matched on comparison pages")
        return Decision.of_method(page, chosen, 0.8, reason, dropped)


def _blocks_of(tree: FeatureTree, clusters: list[IntArray]) -> BoolArray:
    """Return the blocks with most of their visible characters in clusters, shape (blocks,)."""
    nodes = np.concatenate([*clusters, np.zeros(0, np.int64)])
    return tree.page.blocks.share_owned_by(tree.page.elements.inside(tree.element[nodes])) >= HALF


def aggregate(tree: FeatureTree, candidates: BoolArray) -> list[IntArray]:
    """Group nodes: siblings, and children of siblings, of the first candidate; then of the next, and so on.

    Candidates below a candidate are omitted: it includes them.
    """
    below = np.zeros(len(tree), bool)
    for first, end in zip(tree.levels[1:-1], tree.levels[2:], strict=True):
        parents = tree.parent[first:end]
        below[first:end] = below[parents] | candidates[parents]
    parents = tree.parent.tolist()
    # a node leads a cluster, of candidates among its children and grandchildren, unless its parent leads them
    leads: set[int] = set()
    clusters: dict[int, list[int]] = {}  # in order of their first members
    for node in np.flatnonzero(candidates & ~below).tolist():
        above = parents[node]
        further = parents[above] if above >= 0 else above
        if above >= 0 and further not in leads:
            leads.add(above)
        clusters.setdefault(further if further in leads else above, []).append(node)
    return [np.array(nodes) for nodes in clusters.values()]


def score_clusters(tree: FeatureTree, clusters: list[IntArray]) -> FloatArray:
    """Return the points of each cluster over the source's indicators, shape (clusters,).

    Text length, content tags and the share of text in code add points, the share of link code (`a` elements, including
    descendants) subtracts them; area and effective area (in the main visual area) add some if boxes are known.
    """
    if not clusters:
        return np.zeros(0)
    elements = tree.page.elements
    tags = elements.subtree_sums(elements.column("content"))
    links = elements.subtree_sums(tree.code_lengths * elements.has_tag({"a"}))
    text = _sums(tree.text_length, clusters)
    code = np.maximum(_sums(tree.outer_length, clusters), 1)
    indicators = [text, _sums(tags[tree.element], clusters), text / code]
    if (boxes := tree.page.boxes) is not None:  # in square CSS pixels, 0 where unknown
        left, top, width, height = np.nan_to_num(tree.boxes).T
        margin = boxes.page_width * (1 - VISUAL_WIDTH) / 2
        across = np.minimum(left + width, boxes.page_width - margin) - np.maximum(left, margin)
        down = np.minimum(top + height, boxes.page_height * VISUAL_HEIGHT) - np.maximum(top, 0)
        indicators += [_sums(width * height, clusters)]
        indicators += [_sums(np.maximum(across, 0) * np.maximum(down, 0), clusters)]
    points = np.sum([_rank_points(indicator) for indicator in indicators], axis=0)
    return np.asarray(points - _rank_points(_sums(links[tree.element], clusters) / code))


def _sums(values: npt.NDArray[np.generic], clusters: list[IntArray]) -> FloatArray:
    return np.array([values[cluster].sum() for cluster in clusters], float)


def _rank_points(indicator: FloatArray) -> FloatArray:
    """Give +5, +3, +1 to the three largest; equal values share the better rank, zeros get nothing."""
    points = np.zeros(len(indicator))
    for rank, value in enumerate(sorted(set(indicator[indicator > 0].tolist()), reverse=True)[: len(POINTS)]):
        points[indicator == value] = POINTS[rank]
    return points
