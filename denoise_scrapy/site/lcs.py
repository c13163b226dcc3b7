"""Maximum similarity matching of two feature trees by longest common subsequence, split by depth.

Source: Song, Zhi, Zhou, Luo and An, Web page noise removal by LCS-based maximum similarity matching of
feature trees (2011), section 3. By rule 4 only nodes with similar parents are similar, up to BODY, so only
nodes of equal depth ever match: the source's table falls into one table a level, with the same total score.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import FeatureTree

#: Two nodes more similar than this are matched. The source gives no value; .5 asks, without geometry, for
#: the tag and one of id and class (measured best of .34, .5 and .67 on five corpora).
SIMILAR = 0.5
#: Weight of "one more pair above SIMILAR" among matchings of equal score; too small to outweigh any score:
#: scores are sums of fractions with denominators 3 to 7, which differ by 1/420 at least.
_PREFER = 1e-9
#: A level with a larger table (nodes times nodes; 16 MB of scores) is matched by equality alone.
MAX_CELLS = 2_000_000

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Matching:
    """How a page's tree matches that of a comparison page.

    Attributes:
        matched: Whether each node of the target has a similar partner, shape (nodes,).
        score: Sum of the similarities of the aligned pairs: the corner of the source's table.
    """

    matched: BoolArray
    score: float


def table_cells(target: FeatureTree, comparison: FeatureTree) -> int:
    """Cells of the tables that matching two trees fills: of a large page a thousand times its nodes.

    Example:
        >>> from denoise_scrapy.page import Page
        >>> table_cells(*[FeatureTree(Page.parse("<body><p>One<p>Two"))] * 2)  # html is no node
        5
    """
    cells = [a * b for a, b in zip(*(np.diff(tree.levels).tolist() for tree in (target, comparison)), strict=False)]
    return sum(number for number in cells if number <= MAX_CELLS)


def match_trees(target: FeatureTree, comparison: FeatureTree, similar: float = SIMILAR) -> Matching:
    """Match two trees level by level.

    Args:
        target: The page that is cleaned.
        comparison: A page of the same template.
        similar: Ts of the source, a similarity between 0 and 1.

    Example:
        >>> from denoise_scrapy.page import Page
        >>> trees = [FeatureTree(Page.parse(f"<body><p>Menu</p><p>{text}</p>")) for text in ("One", "Two")]
        >>> matching = match_trees(*trees)
        >>> matching.matched.tolist(), matching.score
        ([True, True, False], 2.0)
    """
    if not len(target) or not len(comparison):
        return Matching(np.zeros(len(target), bool), 0.0)
    matched = np.zeros(len(target), bool)
    score = 0.0
    above: BoolArray | None = None  # which nodes of the level above are similar; None: not tabulated
    for level in range(min(len(target.levels), len(comparison.levels)) - 1):
        a = slice(int(target.levels[level]), int(target.levels[level + 1]))
        b = slice(int(comparison.levels[level]), int(comparison.levels[level + 1]))
        if (a.stop - a.start) * (b.stop - b.start) > MAX_CELLS:
            matched[a] = _equal(target, a, comparison, b)
            score += float(matched[a].sum())
            above = None
            continue
        similarity = _similarities(target, a, comparison, b, above, level)
        if not similarity.any():
            break
        above = similarity > similar
        rows, columns = _align(similarity, above)
        matched[a.start + rows] = above[rows, columns]
        score += float(similarity[rows, columns].sum())
    return Matching(matched, score)


def _similarities(
    x: FeatureTree, a: slice, y: FeatureTree, b: slice, above: BoolArray | None, level: int
) -> FloatArray:
    """Sim of every pair of one level, rules 1 to 7 of the source, shape (nodes of x, nodes of y)."""
    if level == 0:
        # rules 2 and 3: BODY is similar to BODY alone; what hangs beside it has no parent to be like
        return np.asarray((x.tag[a][:, None] == y.tag[b]), float)
    parents = x.parent[a], y.parent[b]
    if above is None:
        alike = x.token[parents[0]][:, None] == y.token[parents[1]]
    else:
        first = x.levels[level - 1], y.levels[level - 1]
        alike = above[parents[0] - first[0]][:, parents[1] - first[1]]  # rule 4
    alike = alike & (x.tag[a][:, None] == y.tag[b])  # rule 1
    content = x.is_content[a][:, None], y.is_content[b]
    same_inner = x.inner_hash[a][:, None] == y.inner_hash[b]  # rule 5
    structure = _equal_features(x, a, y, b)  # rule 7
    both_structure = ~content[0] & ~content[1]
    return np.asarray(alike * np.where(both_structure, structure, content[0] & content[1] & same_inner))


def _equal_features(x: FeatureTree, a: slice, y: FeatureTree, b: slice) -> FloatArray:
    """Share of equal features among id, class, depth and, where both pages know them, the four of the box."""
    equal = 1.0 + (x.id[a][:, None] == y.id[b]) + (x.class_[a][:, None] == y.class_[b])  # depth is equal
    if x.page.boxes is None or y.page.boxes is None:
        return np.asarray(equal / 3)
    left, right = np.round(x.boxes[a])[:, None], np.round(y.boxes[b])
    known = ~(np.isnan(left) | np.isnan(right))
    return np.asarray((equal + (left == right).sum(axis=2)) / (3 + known.sum(axis=2)))


def _align(similarity: FloatArray, similar: BoolArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows and columns of the pairs that a best alignment puts on its diagonal, and that score above 0."""
    rows = np.flatnonzero(similarity.any(axis=1))  # lines of zeros cannot change the score
    columns = np.flatnonzero(similarity.any(axis=0))
    gain = (similarity + _PREFER * similar)[np.ix_(rows, columns)]
    n, m = gain.shape
    table = np.zeros((n + 1, m + 1))
    diagonal = np.empty(m)
    for i in range(n):
        np.add(table[i, :-1], gain[i], out=diagonal)
        np.maximum(table[i, 1:], diagonal, out=diagonal)
        np.maximum.accumulate(diagonal, out=table[i + 1, 1:])
    pairs = _walk_back(table.tolist(), gain.tolist())
    return rows[[i for i, _ in pairs]], columns[[j for _, j in pairs]]


def _walk_back(table: list[list[float]], gain: list[list[float]]) -> list[tuple[int, int]]:
    """From the corner: diagonal before up before left."""
    i, j = len(table) - 1, len(table[0]) - 1
    pairs = []
    while i and j:
        here = table[i][j]
        if gain[i - 1][j - 1] > 0 and here == table[i - 1][j - 1] + gain[i - 1][j - 1]:
            i, j = i - 1, j - 1
            pairs.append((i, j))
        elif here == table[i - 1][j]:
            i -= 1
        else:
            j -= 1
    return pairs[::-1]


def _equal(x: FeatureTree, a: slice, y: FeatureTree, b: slice) -> BoolArray:
    """Matching of a level too large for a table: equal content, or an equal tag, class and id, anywhere in it."""
    content = np.isin(x.inner_hash[a], y.inner_hash[b][y.is_content[b]])
    structure = np.isin(x.token[a], y.token[b][~y.is_content[b]])
    return np.where(x.is_content[a], content, structure)
