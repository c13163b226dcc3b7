"""Two small pages matched level by level by the code of the strategy `lcs`."""

from __future__ import annotations

import numpy as np

from denoise_scrapy.body.strategies.lcs import match_trees
from denoise_scrapy.page import FeatureTree, Page
from docs.pictures.svg import Svg

FRAME = (
    "<body><div class=nav><a href=/>Home</a></div><div class=story><h1>{}</h1><p>{}</p><p>{}</p></div>"
    "<div class=foot><p>All rights reserved</p></div></body>"
)
TARGET = FRAME.format("Ferry stays in port", "A storm hit the coast.", "It sails again on Monday.")
OTHER = FRAME.format("A lynx in town", "It was seen at dawn.", "Nobody was hurt.")
LEVEL, SIZE = 74, (66, 28)


def draw() -> Svg:
    """The picture."""
    target, other = (FeatureTree(Page.parse(html)) for html in (TARGET, OTHER))
    matched, _ = match_trees(target, other)
    svg = Svg(800, 300, "Two feature trees matched level by level; what only the target has are candidates")
    svg.text(20, 22, "target", "b")
    svg.text(430, 22, "comparison page", "b")
    left, right = _places(target, 20), _places(other, 430)
    _tree(svg, target, left, matched, "good")
    _tree(svg, other, right, match_trees(other, target)[0], "off")
    for node in np.flatnonzero(matched).tolist():  # frames of these pages differ in texts alone: same order
        (x, y), (to_x, to_y) = left[node], right[node]
        top = 12 + 5 * node
        svg.path(f"M{x + 33} {y}C{x + 90} {y - top} {to_x - 30} {to_y - top} {to_x + 33} {to_y}", "match")
    svg.text(20, 262, "Green: matched, level by level, and only below parents that are matched.")
    svg.text(20, 284, "Blue: on the target only. These are the candidates; clusters of them are scored.")
    return svg


def _places(tree: FeatureTree, x: int) -> list[tuple[int, int]]:
    """Corner of each node: leaves side by side, parents above the middle of their children."""
    across, leaf = [0.0] * len(tree), 0
    for node in _leaves_first(tree):
        below = [child for child in range(len(tree)) if tree.parent[child] == node]
        if below:
            across[node] = sum(across[child] for child in below) / len(below)
        else:
            across[node], leaf = float(leaf), leaf + 1
    return [(round(x + 72 * across[node]), 40 + LEVEL * int(tree.depth[node])) for node in range(len(tree))]


def _leaves_first(tree: FeatureTree, node: int = 0) -> list[int]:
    below = [child for child in range(len(tree)) if tree.parent[child] == node]
    return [*(deeper for child in below for deeper in _leaves_first(tree, child)), node]


def _tree(svg: Svg, tree: FeatureTree, places: list[tuple[int, int]], matched: np.ndarray, alone: str) -> None:
    for node, (x, y) in enumerate(places):
        up = int(tree.parent[node])
        if up >= 0:
            svg.path(f"M{places[up][0] + 33} {places[up][1] + SIZE[1]}L{x + 33} {y}")
    for node, (x, y) in enumerate(places):
        name = tree.page.elements.step(int(tree.element[node]))
        svg.box(x, y, *SIZE, name, kind="box" if matched[node] else alone)
