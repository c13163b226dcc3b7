"""LCS matching: the table split by depth against the source's full table; clusters and their points; real layouts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body.strategies.lcs import aggregate, match_trees, score_clusters
from denoise_scrapy.page import Boxes, FeatureTree, Page
from tests.html_strategies import SOUP, pages


def tree_of(html: str, seed: int | None = None) -> FeatureTree:
    """The tree of a page, with boxes by a seed."""
    page = Page.parse(html)
    if seed is not None:
        x, y, w, h = np.random.default_rng(seed).integers(0, 3, (4, len(page.elements))).astype(np.float32)
        x[::5] = np.nan
        page.boxes = Boxes(x, y, w, h, 1280, 2000)
    return FeatureTree(page)


def literal_similarity(x: FeatureTree, i: int, y: FeatureTree, j: int, ts: float) -> float:
    """The source's rules 1 to 7."""
    above, beside = int(x.parent[i]), int(y.parent[j])
    if x.tag[i] != y.tag[j]:  # rule 1
        return 0.0
    if above < 0 or beside < 0:  # rules 2 and 3: both are BODY, or one
        return float(above == beside)
    if literal_similarity(x, above, y, beside, ts) <= ts:  # rule 4
        return 0.0
    if x.is_content[i] or y.is_content[j]:  # rules 5 and 6
        return float(x.is_content[i] and y.is_content[j] and x.inner_hash[i] == y.inner_hash[j])
    features = [x.id[i] == y.id[j], x.class_[i] == y.class_[j], x.depth[i] == y.depth[j]]  # rule 7
    boxes = zip(x.boxes[i].tolist(), y.boxes[j].tolist(), strict=True)
    features += [round(a) == round(b) for a, b in boxes if a == a and b == b]  # NaN is unknown
    return sum(features) / len(features)


def literal_corner(x: FeatureTree, y: FeatureTree, ts: float) -> tuple[float, int]:
    """The corner of the source's table, breadth first, and the most pairs above ts of an alignment with that score."""
    table = [[(0.0, 0)] * (len(y) + 1) for _ in range(len(x) + 1)]
    for i in range(len(x)):
        for j in range(len(y)):
            s, (score, count) = literal_similarity(x, i, y, j, ts), table[i][j]
            table[i + 1][j + 1] = max((round(score + s, 9), count + (s > ts)), table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@settings(deadline=None)
@given(pages(3), pages(3), st.sampled_from([0.3, 0.5, 0.7]), st.none() | st.integers(0, 5))
def test_score_equals_the_literal_table(a, b, ts, seed):
    x, y = tree_of(a, seed), tree_of(b, seed)
    matched, score = match_trees(x, y, ts)
    expected, count = literal_corner(x, y, ts)
    assert score == pytest.approx(expected)
    assert seed is not None or int(matched.sum()) == count


@given(SOUP, SOUP)
def test_broken_markup_is_matched_too(a, b):
    x = tree_of(a)
    assert match_trees(x, tree_of(b))[0].shape == (len(x),)


def test_fourteen_attributes_by_hand():
    tree = tree_of("<body><div id=a class='b c'>Hi<p>One two<b>!</b></p><script>x()</script></div><p></p>")
    tags = [tree.page.tags()[element] for element in tree.element]
    assert tags == ["body", "div", "p", "p", "b"]  # level by level, the script is gone
    assert tree.parent.tolist() == [-1, 0, 0, 1, 3]
    assert tree.depth.tolist() == [0, 1, 1, 2, 3]
    assert tree.text_length.tolist() == [9, 9, 0, 7, 1]
    assert tree.text_rate.tolist() == pytest.approx([0, 2 / 9, 0, 6 / 7, 1])
    assert tree.is_content.tolist() == [False, False, True, True, True]
    assert tree.outer_length[4] == len("<b>!</b>")
    inner = "<p></p>" + "<script></script>" + "<b></b>"
    assert tree.outer_length[1] == len("<div id=xax class='b c'></div>" + inner) + 9
    assert np.isnan(tree.boxes).all()


def literal_clusters(tree: FeatureTree, candidates: set[int]) -> list[list[int]]:
    parent = tree.parent.tolist()

    def above(i: int) -> list[int]:
        return [] if parent[i] < 0 else [parent[i], *above(parent[i])]

    rest = [i for i in sorted(candidates) if candidates.isdisjoint(above(i))]
    clusters = []
    while rest:
        home = parent[rest[0]]
        clusters.append([i for i in rest if parent[i] == home or home in above(i)[:2]])
        rest = [i for i in rest if i not in clusters[-1]]
    return clusters


@given(pages(), st.randoms(use_true_random=False))
def test_aggregation_equals_the_literal_one(html, random):
    tree = tree_of(html)
    candidates = np.array([random.random() < 0.4 for _ in range(len(tree))], bool)
    fast = [cluster.tolist() for cluster in aggregate(tree, candidates)]
    assert fast == literal_clusters(tree, set(np.flatnonzero(candidates).tolist()))


PAGE = (
    "<body><div id=story><p>Four words of prose</p><p>and three more</p></div>"
    "<div id=links><p><a href=/a>One</a></p><p><a href=/b>Two</a></p></div></body>"
)


def test_points_by_hand():
    tree = tree_of(PAGE)
    page = tree.page
    story, links = clusters = aggregate(tree, np.arange(len(tree)) >= 3)
    assert (len(story), len(links)) == (2, 2)
    # text 28 against 6: +5, +3; content tags 2 and 2: +5 both; text in code 28/42 against 6/50: +5, +3;
    # link code 0 against 36/50: nothing, -5
    assert score_clusters(tree, clusters).tolist() == [15, 6]
    x, y, w, h = np.zeros((4, len(page.elements)), np.float32)
    paragraphs = page.elements.has_tag({"p"}).nonzero()[0]
    w[paragraphs], h[paragraphs] = 100, 50
    x[paragraphs[:2]] = 400  # the story stands in the middle, the links at the left edge
    page.boxes = Boxes(x, y, w, h, 1000, 1000)
    # area 10,000 each: +5 both; effective area 10,000 against 0: +5 for the story
    assert score_clusters(FeatureTree(page), clusters).tolist() == [25, 11]
