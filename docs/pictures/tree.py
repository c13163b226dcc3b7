"""An edit-distance tree of main feature strings, and what a look-up in it reads."""

from __future__ import annotations

import numpy as np

from denoise_scrapy.dedup.sets import ones, sign
from denoise_scrapy.dedup.tree import EMPTY, Layout, build
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


def draw() -> Svg:
    """The picture."""
    words = sorted({word for line in [*TEXTS, QUERY] for word in line.split()})
    sets = [np.sort(np.array([_hash(words.index(w)) for w in line.split()], "<u2")) for line in TEXTS]
    query = np.sort(np.array([_hash(words.index(w)) for w in QUERY.split()], np.uint16))
    tree, _ = build(EMPTY, np.arange(len(sets)), [units.tobytes() for units in sets], [100] * len(sets))
    common = [len(np.intersect1d(query, sets[item])) for item in tree.item.tolist()]
    read = _read(tree, query)
    svg = Svg(880, 110 + 110 * int(tree.depth.max() + 1), "A tree of sets, its edges labelled with distances")
    svg.text(20, 22, f"new text: {QUERY}; a kept one must have {NEED} of these words", "b")
    places = _places(tree)
    for node, (x, y) in enumerate(places):
        if node:
            up = places[int(tree.parent[node])]
            svg.path(
                f"M{up[0] + WIDTH / 2} {up[1] + HEIGHT}L{x + WIDTH / 2} {y}", "line" if node in read else "line dash"
            )
            svg.text((up[0] + x + WIDTH) / 2 + 5, (up[1] + HEIGHT + y) / 2 + 4, f"D={tree.distance[node]}", "s")
    for node, (x, y) in enumerate(places):
        listed = TEXTS[int(tree.item[node])].split()
        kind = ("good" if common[node] >= NEED else "box") if node in read else "off dash"
        svg.box(x, y, WIDTH, HEIGHT, kind=kind)
        svg.text(x + WIDTH / 2, y + 15, " ".join(listed[:3]), "m s")
        svg.text(x + WIDTH / 2, y + 30, " ".join(listed[3:]), "m s")
        svg.text(x + WIDTH / 2, y + 47, f"{common[node]} in common" if node in read else "not read", "m s b")
    end = 36 + 110 * int(tree.depth.max() + 1)
    svg.text(
        20,
        end,
        "D = larger set − words in common. All sets below an edge labelled D are at distance D from the set above it.",
    )
    svg.text(
        20,
        end + 20,
        "Dashed: not read. The union of all words below an edge, kept as 1,024 bits, has too few of the new text's;",
    )
    svg.text(20, end + 40, "or D plus what the new text has in common with the set above is less than it needs.")
    return svg


def _hash(number: int) -> int:
    """Units are hashes of 16 bits, well spread."""
    return number * 40_503 % 65_536


def _read(tree: Layout, query: np.ndarray) -> set[int]:
    """Nodes that a look-up reads, as `SetTree` goes down."""
    mark = sign(query, np.array([len(query)]))
    read, front = {0}, [0]
    for node in front:
        bound = len(query) - int(ones(mark & ~tree.own[node : node + 1])[0])
        for child in range(int(tree.first[node]), int(tree.first[node + 1])):
            below = len(query) - int(ones(mark & ~tree.below[child : child + 1])[0])
            if tree.distance[child] + bound >= NEED and below >= NEED:
                read.add(child)
                front.append(child)
    return read


def _places(tree: Layout) -> list[tuple[float, int]]:
    """Corner of each node, a level a row."""
    places: list[tuple[float, int]] = []
    for node in range(len(tree.item)):
        level = np.flatnonzero(tree.depth == tree.depth[node])
        step = 860 / len(level)
        places.append((10 + step * (node - level[0] + 0.5) - WIDTH / 2, 40 + 110 * int(tree.depth[node])))
    return places
