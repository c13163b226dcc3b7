"""The matching as the source writes it: breadth-first sequences, one full table, rules 1 to 7 word by word."""

from __future__ import annotations

from denoise_scrapy.page import FeatureTree


def nodes(tree: FeatureTree) -> list[dict]:
    """A dictionary of attributes a node, breadth first."""
    order = []
    for i in range(len(tree)):
        parent = order[tree.parent[i]] if tree.parent[i] >= 0 else None
        order.append(
            {
                "tag": int(tree.tag[i]),
                "id": int(tree.id[i]),
                "class": int(tree.class_[i]),
                "inner": int(tree.inner_hash[i]),
                "content": bool(tree.is_content[i]),
                "depth": int(tree.depth[i]),
                "box": tree.boxes[i].tolist(),
                "parent": parent,
            }
        )
    return order


def sim(a: dict, b: dict, ts: float) -> float:
    if a["tag"] != b["tag"]:  # rule 1
        return 0.0
    roots = (a["parent"] is None, b["parent"] is None)
    if all(roots):  # rule 2: both are BODY
        return 1.0
    if any(roots):  # rule 3
        return 0.0
    if sim(a["parent"], b["parent"], ts) <= ts:  # rule 4
        return 0.0
    if a["content"] and b["content"]:  # rule 5
        return float(a["inner"] == b["inner"])
    if a["content"] or b["content"]:  # rule 6
        return 0.0
    features = [(a[key], b[key]) for key in ("id", "class", "depth")]  # rule 7
    boxes = zip(a["box"], b["box"], strict=True)
    features += [(round(x), round(y)) for x, y in boxes if x == x and y == y]  # NaN is unknown
    return sum(x == y for x, y in features) / len(features)


def literal_score(x: FeatureTree, y: FeatureTree, ts: float) -> float:
    """The corner of the source's table."""
    first, second = nodes(x), nodes(y)
    table = [[0.0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, a in enumerate(first, 1):
        for j, b in enumerate(second, 1):
            table[i][j] = max(table[i - 1][j - 1] + sim(a, b, ts), table[i - 1][j], table[i][j - 1])
    return table[-1][-1]


def literal_best_count(x: FeatureTree, y: FeatureTree, ts: float) -> int:
    """The most pairs above ts that an alignment of the best score can have."""
    first, second = nodes(x), nodes(y)
    table = [[(0.0, 0)] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i, a in enumerate(first, 1):
        for j, b in enumerate(second, 1):
            s = sim(a, b, ts)
            score, count = table[i - 1][j - 1]
            table[i][j] = max((round(score + s, 9), count + (s > ts)), table[i - 1][j], table[i][j - 1])
    return table[-1][-1][1]
