"""The site style tree as the source writes it: objects, dictionaries and plain recursion, over small pages."""

from __future__ import annotations

from collections import Counter
from math import log

from denoise_scrapy.page import Page
from tests.page.literal_reader import words_of


class Element:
    """An element node: the pages that have it, and its style nodes by their sequences of (tag, class)."""

    def __init__(self):
        self.pages = 0
        self.styles: dict[tuple, Style] = {}


class Style:
    """A style node: its element nodes, the number of its pages, and on each of these what the element itself says."""

    def __init__(self, length: int):
        self.n = 0
        self.elements = [Element() for _ in range(length)]
        self.contents: list[Counter] = []


class Source:
    """A page as a plain tree: names, children and own content of each element that shows something."""

    def __init__(self, page: Page):
        elements, tag = page.elements, page.tags()
        class_ = elements.column("class_").tolist()
        self.names = [(t, None if t in ("html", "body") else c) for t, c in zip(tag, class_, strict=True)]
        self.content = [Counter() for _ in tag]
        edges = zip(elements.marks.tolist(), elements.text_ends.tolist(), strict=True)
        for owner, (mark, end) in zip(elements.text_owner.tolist(), edges, strict=True):
            if owner >= 0:
                self.content[owner].update(words_of(page.tree.slice(mark + 1, end)))
        for element, url in page.references:
            self.content[element][("url", url)] += 1
        self.children: list[list[int]] = [[] for _ in tag]
        self.roots = []
        for i, parent in enumerate(elements.parent.tolist()):
            is_empty = elements.column("skipped")[i] and elements.end[i] == i + 1 and not elements.own_chars[i]
            if not is_empty:
                (self.children[parent] if parent >= 0 else self.roots).append(i)


class LiteralTree:
    def __init__(self, gamma: float, lone: float):
        self.gamma, self.lone = gamma, lone
        self.roots: dict[int, Element] = {}

    def add(self, page: Page) -> None:
        source = Source(page)
        for position, root in enumerate(source.roots):
            self._merge(self.roots.setdefault(position, Element()), source, root)

    def _merge(self, node: Element, source: Source, element: int) -> None:
        node.pages += 1
        children = source.children[element]
        style = node.styles.setdefault(tuple(source.names[c] for c in children), Style(len(children)))
        style.n += 1
        style.contents.append(source.content[element])
        for below, child in zip(style.elements, children, strict=True):
            self._merge(below, source, child)

    def node_importance(self, node: Element) -> float:
        m = node.pages
        return -sum(s.n / m * log(s.n / m, m) for s in node.styles.values()) if m > 1 else self.lone

    def content_importance(self, style: Style) -> float | None:
        """1 - mean entropy of the features; None where there is none."""
        features = set().union(*style.contents)
        if not features:
            return None
        m, total = style.n, 0.0
        for feature in features:
            counts = [content[feature] for content in style.contents if content[feature]]
            shares = [count / sum(counts) for count in counts]
            total -= sum(p * log(p, m) for p in shares) if m > 1 else 0
        return 1 - total / len(features)

    def composite(self, node: Element) -> float:
        sequences = list(node.styles)
        if sequences == [()]:
            return self.content_importance(node.styles[()]) or 0.0
        damping = self.gamma ** len(sequences)
        below = sum(s.n / node.pages * self.style_composite(s) for s in node.styles.values())
        return (1 - damping) * self.node_importance(node) + damping * below

    def style_composite(self, style: Style) -> float:
        values = [self.composite(element) for element in style.elements]
        content = self.content_importance(style)
        values += [] if content is None else [content]  # own text is one more leaf
        return sum(values) / len(values) if values else 0.0

    def highest(self, node: Element) -> float:
        below = [self.highest(element) for style in node.styles.values() for element in style.elements]
        contents = [self.content_importance(style) or 0.0 for style in node.styles.values()]
        return max([self.composite(node), *below, *contents])

    def table(self, page: Page) -> dict[int, tuple[float, float, float]]:
        """Composite, highest and content importance of each element of a page that was added."""
        source, found = Source(page), {}

        def walk(node: Element, element: int) -> None:
            children = source.children[element]
            style = node.styles[tuple(source.names[c] for c in children)]
            found[element] = self.composite(node), self.highest(node), self.content_importance(style) or 0.0
            for below, child in zip(style.elements, children, strict=True):
                walk(below, child)

        for position, root in enumerate(source.roots):
            walk(self.roots[position], root)
        return found
