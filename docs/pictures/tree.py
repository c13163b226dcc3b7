"""An edit-distance tree of main feature strings, and the nodes that a look-up reads."""

from __future__ import annotations

from typing import NamedTuple

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
    levels = _levels()
    svg = Svg(880, 110 + 110 * len(levels), "A tree of sets, its edges labelled with distances")
    svg.text(20, 22, f"new text: {QUERY}; a kept one must have {NEED} of these words", "b")
    nodes = [one for level in levels for one in level]
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
    end = 36 + 110 * len(levels)
    svg.text(
        20,
        end,
        "D = larger set − words in common. All sets below an edge labelled D are at distance D from the set above it.",
    )
    svg.text(20, end + 20, "Dashed: not read. D plus what the new text has in common with the set above is less than")
    svg.text(20, end + 40, "it needs.")
    return svg


def _levels() -> list[list[Node]]:
    """Return the nodes by depth, and which of them a look-up reads, as `core/distance_tree.pyx` goes through them."""
    sets, query = [line.split() for line in TEXTS], {*QUERY.split()}
    depths, parents, distances, read = [0], [0], [0], [True]
    for row in range(1, len(sets)):
        at = 0
        while True:
            distance = max(len(sets[row]), len(sets[at])) - len({*sets[row]} & {*sets[at]})
            below = [i for i in range(1, len(parents)) if parents[i] == at and distances[i] == distance]
            if not below:
                break
            at = below[0]
        depths.append(depths[at] + 1)
        parents.append(at)
        distances.append(distance)
        read.append(read[at] and len({*sets[at]} & query) + distance >= NEED)
    levels: list[list[Node]] = []
    made: dict[int, Node] = {}
    for depth in range(max(depths) + 1):
        rows = [row for row in range(len(sets)) if depths[row] == depth]
        step = 860 / len(rows)
        for place, row in enumerate(rows):
            parent = made[parents[row]] if row else None
            x = 10 + step * (place + 0.5) - WIDTH / 2
            made[row] = Node(x, 40 + 110 * depth, parent, distances[row], sets[row], read[row])
        levels.append([made[row] for row in rows])
    return levels
