"""Song's aggregation and scoring on examples worked by hand, and against a plain version."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body import SiteModel
from denoise_scrapy.body.strategies.lcs import aggregate, score_clusters
from denoise_scrapy.page import Boxes, FeatureTree, Page
from tests.html_strategies import pages


def tree_of(html: str) -> FeatureTree:
    return FeatureTree(Page.parse(html))


def literal_clusters(tree: FeatureTree, candidates: set[int]) -> list[list[int]]:
    def ancestors(i):
        while (i := int(tree.parent[i])) >= 0:
            yield i

    rest = [i for i in sorted(candidates) if not any(a in candidates for a in ancestors(i))]
    clusters = []
    while rest:
        home = int(tree.parent[rest[0]])
        cluster = []
        for i in rest:
            parent = int(tree.parent[i])
            grandparent = int(tree.parent[parent]) if parent >= 0 else None
            if parent == home or (home >= 0 and grandparent == home):
                cluster.append(i)
        clusters.append(cluster)
        rest = [i for i in rest if i not in cluster]
    return clusters


@given(pages(), st.randoms(use_true_random=False))
def test_aggregation_equals_the_literal_one(html, random):
    tree = tree_of(html)
    candidates = np.array([random.random() < 0.4 for _ in range(len(tree))], bool)
    fast = [cluster.tolist() for cluster in aggregate(tree, candidates)]
    assert fast == literal_clusters(tree, set(np.flatnonzero(candidates).tolist()))


PAGE = (
    "<body>"
    "<div id=story><p>Four words of prose</p><p>and three more</p></div>"
    "<div id=links><p><a href=/a>One</a></p><p><a href=/b>Two</a></p></div>"
    "</body>"
)


def test_points_by_hand():
    tree = tree_of(PAGE)
    story, links = clusters = aggregate(tree, np.arange(len(tree)) >= 3)
    # text 28 against 6: +5, +3; content tags 2 and 2: +5 both; text in code 28/42 against 6/50: +5, +3;
    # link code 0 against 36/50: nothing, -5
    assert (len(story), len(links)) == (2, 2)
    assert score_clusters(tree, clusters).tolist() == [15, 6]


def test_area_counts_where_boxes_are_known():
    page = Page.parse(PAGE)
    n = len(page.elements)
    x, y, w, h = (np.zeros(n, np.float32) for _ in range(4))
    tags = page.tags()
    paragraphs = [i for i, tag in enumerate(tags) if tag == "p"]
    w[paragraphs], h[paragraphs] = 100, 50
    x[paragraphs[:2]] = 400  # the story stands in the middle, the links at the left edge
    page.boxes = Boxes(x, y, w, h, 1000, 1000)
    tree = FeatureTree(page)
    # area 10,000 each: +5 both; effective area 10,000 against 0: +5 for the story
    assert score_clusters(tree, aggregate(tree, np.arange(len(tree)) >= 3)).tolist() == [25, 11]


def test_where_no_cluster_leads_all_candidates_are_kept_but_links():
    # each post is a cluster of its own, in a frame that is matched; the first holds the most, and a fifth of all
    post = "<div class=post><div class=frame><div class=text><p>{} says {} {}</p></div></div></div>"
    link = "<div class=post><div class=frame><div class=text><p><a href=/>{} {} {}</a></p></div></div></div>"
    words = (
        "alpha beta gamma delta",
        "one two three four",
        "red green blue white",
        "ash oak elm pine",
        "up down in out",
    )

    def thread(name: str) -> Page:
        posts = "".join(post.format(name, i, text) for i, text in enumerate(words))
        return Page.parse(f"<body><div id=menu>Home</div>{posts}{link.format('More', 'of', name)}</body>")

    page = thread("Ann")
    body = SiteModel.fit([thread("Bob"), thread("Cyd")]).extract(page, strategy="lcs")
    assert body.text.split("\n") == [f"Ann says {i} {text}" for i, text in enumerate(words)]
    assert {block.reason for block in body.blocks if block.kept} == {"no cluster leads"}
