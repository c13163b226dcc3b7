"""What a compiled selector is: how it finds elements, and what that takes; and how relations are climbed once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measures:
    """What the time of a selector depends on.

    Attributes:
        elements: Elements of the tree.
        depth: Levels above an element, on average.
        siblings: Children of an element's parent, on average over elements.
        chars: Characters of text.
    """

    elements: int
    depth: float
    siblings: float
    chars: int


@dataclass(frozen=True)
class Find:
    """A compiled selector.

    Attributes:
        run: From a tree's root to the elements found.
        visits: About how many nodes it looks at on a tree of these measures.
    """

    run: Callable[[Any], Iterable[Any]]
    visits: Callable[[Measures], float]

    def __call__(self, root: Any) -> Iterable[Any]:
        """The elements found."""
        return self.run(root)

    def then(self, other: Find, relate: Callable[[set[Any], Iterable[Any]], set[Any]]) -> Find:
        """What another one finds, as far as it is related to what this one does.

        Args:
            other: The other one.
            relate: From what both find to those of the other that are related.
        """
        return Find(
            lambda root: relate(set(self(root)), other(root)),
            lambda tree: self.visits(tree) + other.visits(tree) + tree.elements,
        )


def all_of(finds: Iterable[Find]) -> Find:
    """What any of them finds."""
    known = tuple(finds)
    return Find(
        lambda root: {element for find in known for element in find(root)},
        lambda tree: sum(find.visits(tree) for find in known),
    )


def parent(element: Any) -> Any:
    """The element above, None for none."""
    return element.getparent()


def reach(step: Callable[[Any], Any], first: set[Any], second: Iterable[Any]) -> set[Any]:
    """Elements of `second` that one or more steps lead to one of `first`; each is climbed from once.

    Args:
        step: From an element to the next one, None for none.
        first: Where to arrive.
        second: Where to begin.
    """
    reaches: dict[Any, bool] = {None: False}
    found = set()
    for element in second:
        way, at = [element], step(element)
        while at not in reaches and at not in first:
            way.append(at)
            at = step(at)
        hit = at in first or reaches[at]
        reaches.update((passed, hit) for passed in way)
        if hit:
            found.add(element)
    return found
