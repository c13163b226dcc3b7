"""An edit-distance tree of main feature strings, and the nodes that a look-up reads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from denoise_scrapy.dedup.tree import SetTree, Units, ones, sign
from docs.pictures.svg import Svg

TEXTS = """storm ferry harbour captain roof coast
storm ferry harbour captain mast coast
lynx station dawn police trap hill
storm coast wind rain flood night
captain ferry harbour ticket price queue
lynx station dawn hunter trap hill
bridge flood river night storm closed
ticket price train summer strike queue""".splitlines()
QUERY, NEED = "storm ferry harbour captain roof tower", 4
WIDTH, HEIGHT = 118, 56


class Node(NamedTuple):
    """A node of the tree: its place, that of its parent (none of the first), the distance, whether it is read."""

    x: float
    y: int
    parent: Node | None
    distance: int
    words: list[str]
    read: bool


def draw() -> Svg:
    """The picture."""
    words = sorted({word for line in [*TEXTS, QUERY] for word in line.split()})
    query = _units(QUERY, words)
    tree = SetTree()
    for number, line in enumerate(TEXTS):
        tree.add(number, _units(line, words), 100)
    svg = Svg(880, 110 + 110 * len(tree.levels), "A tree of sets, its edges labelled with distances")
    svg.text(20, 22, f"new text: {QUERY}; a kept one must have {NEED} of these words", "b")
    nodes = _nodes(tree, query)
    for one in nodes:
        if one.parent is not None:
            x, y = one.parent.x, one.parent.y + HEIGHT
            svg.path(f"M{x + WIDTH / 2} {y}L{one.x + WIDTH / 2} {one.y}", "line" if one.read else "line dash")
            svg.text((x + one.x + WIDTH) / 2 + 5, (y + one.y) / 2 + 4, f"D={one.distance}", "s")
    for one in nodes:
        common = len({*one.words} & {*QUERY.split()})
        kind = ("good" if common >= NEED else "box") if one.read else "off dash"
        svg.box(one.x, one.y, WIDTH, HEIGHT, kind=kind)
        svg.text(one.x + WIDTH / 2, one.y + 15, " ".join(one.words[:3]), "m s")
        svg.text(one.x + WIDTH / 2, one.y + 30, " ".join(one.words[3:]), "m s")
        svg.text(one.x + WIDTH / 2, one.y + 47, f"{common} in common" if one.read else "not read", "m s b")
    end = 36 + 110 * len(tree.levels)
    svg.text(
        20,
        end,
        "D = larger set − words in common. All sets below an edge labelled D are at distance D from the set above it.",
    )
    svg.text(20, end + 20, "Dashed: not read. D plus what the new text has in common with the set above is less than")
    svg.text(20, end + 40, "it needs.")
    return svg


def _units(line: str, words: list[str]) -> Units:
    """Units are hashes of 16 bits, well spread."""
    return np.sort(np.array([words.index(word) * 40_503 % 65_536 for word in line.split()], np.uint16))


def _nodes(tree: SetTree, query: Units) -> list[Node]:
    """The nodes, and which of them a look-up reads, as `SetTree.search` goes down; a level a row."""
    above: list[tuple[Node | None, int]] = [(None, len(query))]
    nodes: list[Node] = []
    for depth, level in enumerate(tree.levels):
        step = 860 / len(level.sets)
        here: list[tuple[Node | None, int]] = []
        for row in range(len(level.sets)):
            place, distance, number, _ = level.table[row].tolist()
            common_at_most = len(query) - ones(
                sign(query) & ~np.frombuffer(level.signatures, np.uint64).reshape(-1, 16)
            )
            own = int(common_at_most[row])
            parent, common = above[place]
            read = (parent is None or parent.read) and common + distance >= NEED
            x = 10 + step * (row + 0.5) - WIDTH / 2
            here.append((Node(x, 40 + 110 * depth, parent, distance, TEXTS[number].split(), read), own))
        above = here
        nodes += [node for node, _ in here if node is not None]
    return nodes
