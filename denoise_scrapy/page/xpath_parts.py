"""XPath expressions taken apart: alternatives, parts between `//`, and what an evaluation would take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from denoise_scrapy.page.found import Measures

_TOKEN = re.compile(
    r"""\s*("[^"]*"|'[^']*'|\d+(?:\.\d*)?|\.\d+|::|//|\.\.|[^\W\d][\w.-]*(?::(?!:)[^\W\d][\w.-]*)?|\S)""",
)
_NAME_TEST = re.compile(r"[^\W\d][\w.-]*|\*")
#: What a path stands after that begins at the document: it does not go on from the node before it.
_BEGINS = frozenset(["", "(", "[", ",", "|", "=", "<", ">", "+", "-", "and", "or", "div", "mod"])
#: Pairs of nodes that libxml2 compares in the time of a visit, where it merges what it found from each node: `//p//p`
#: on 20,000 nested elements compared 100 billion in 46 s.
PAIRS_A_VISIT = 20
#: Characters that it compares or copies in the time of a visit.
CHARS_A_VISIT = 10


class Token(NamedTuple):
    """A token of an expression, and where it stands there.

    Attributes:
        text: As written.
        start: Position of its first character.
        end: Position after its last.
        inside: Brackets that are open around it, the round ones too.
        conditions: Square ones alone.
    """

    text: str
    start: int
    end: int
    inside: int
    conditions: int


def tokens_of(expression: str) -> list[Token]:
    """The tokens of an expression. A bracket is outside of itself.

    Example:
        >>> [(token.text, token.inside) for token in tokens_of("//a[b != '//']")]
        [('//', 0), ('a', 0), ('[', 0), ('b', 1), ('!', 1), ('=', 1), ("'//'", 1), (']', 0)]
    """
    found, inside, conditions = [], 0, 0
    for match in _TOKEN.finditer(expression):
        text = match[1]
        inside -= text in (")", "]")
        conditions -= text == "]"
        found.append(Token(text, match.start(1), match.end(1), inside, conditions))
        inside += text in ("(", "[")
        conditions += text == "["
    return found


def alternatives(expression: str) -> list[str]:
    """The paths of a union.

    Example:
        >>> alternatives("//a | (//b|//c)/d")
        ['//a ', ' (//b|//c)/d']
    """
    bars = [token.start for token in tokens_of(expression) if token.text == "|" and not token.inside]
    return [expression[start:end] for start, end in zip([0, *(bar + 1 for bar in bars)], [*bars, None], strict=True)]


def parts_of_path(path: str) -> list[tuple[str, int]]:
    """The parts of a path that may be looked for one by one: each but the first is to be below what the last one found.

    Args:
        path: An expression without alternatives.

    Returns:
        Each part, and how many levels above what it finds the element is that is to be below. The path itself where
        it is none of names and conditions: a condition on a position counts children, so that it stays the same.

    Example:
        >>> parts_of_path("/html//div[a//b]/p[2]//b"), parts_of_path("//div//a/..")
        ([('/html', 0), ('//div[a//b]/p[2]', 1), ('//b', 0)], [('//div//a/..', 0)])
    """
    tokens = tokens_of(path)
    edges = [token.start for token in tokens[1:] if token.text == "//" and not token.inside]
    if not edges or tokens[0].text not in ("/", "//"):
        return [(path, 0)]
    if any(token.text == "(" and not token.inside for token in tokens):
        return [(path, 0)]
    parts = [path[start:end] for start, end in zip([0, *edges], [*edges, None], strict=True)]
    steps = [list(_steps(part)) for part in parts]
    if not all(len(step) == 1 and _NAME_TEST.fullmatch(step[0]) for part in steps[1:] for step in part):
        return [(path, 0)]
    return [(parts[0], 0), *((part, len(step) - 1) for part, step in zip(parts[1:], steps[1:], strict=True))]


def _steps(part: str) -> Iterator[list[str]]:
    """The tokens of each step, conditions left out."""
    step: list[str] = []
    for token in tokens_of(part)[1:]:
        if token.inside or token.text in ("[", "]"):
            continue
        if token.text == "/":
            yield step
            step = []
        else:
            step.append(token.text)
    yield step


def visits(path: str, tree: Measures) -> float:
    """About how many nodes an evaluation looks at: never much fewer, at times many more.

    Args:
        path: An expression.
        tree: What it is to be evaluated on.

    Example:
        >>> tree = Measures(elements=1000, depth=10, siblings=5, chars=0)
        >>> [visits(path, tree) for path in ("//p", "//p[.//a]", "//p[//a]", "//p[preceding-sibling::p]", "//p//a")]
        [1000.0, 10000.0, 1000000.0, 5000.0, 500000.0]
    """
    tokens = tokens_of(path)
    found, merging = float(tree.elements), max(1.0, tree.elements / PAIRS_A_VISIT)
    texts = ["", *(token.text for token in tokens), ""]
    for before, token, after in zip(texts[:-2], tokens, texts[2:], strict=True):
        reached = _reached(before, token, after, tree)
        if reached:
            merges = not token.conditions and before not in _BEGINS
            found *= max(1.0, reached) * (merging if merges else 1.0)
    conditions = any(token.conditions for token in tokens)
    return found + (tree.chars * max(1.0, tree.depth) / CHARS_A_VISIT if conditions else 0.0)


def _reached(before: str, token: Token, after: str, tree: Measures) -> float:
    """How many nodes are reached from one, 0 where that is one or its children."""
    absolute = before in _BEGINS
    if token.text == "//" or (after == "::" and token.text.startswith("descendant")):
        if token.text == "//" and absolute and token.conditions:
            return tree.elements
        return 0 if absolute and not token.conditions else tree.depth
    if after == "::" and token.text.startswith("ancestor"):
        return tree.depth
    if after == "::" and token.text.endswith("-sibling"):
        return tree.siblings
    if after == "::" and token.text in ("following", "preceding"):
        return tree.elements
    return float(token.text == ".." or (after == "::" and token.text == "parent") or token.text == "|")
