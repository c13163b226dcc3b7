"""The difference of two texts of a page, for a blind reader.

How an extractor breaks lines, spaces inline elements and marks lists shows which it is: lines are broken where the page
breaks them, and marks of lists and tables are left out, in both texts alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from example_project.portal.model import TOKEN, tokens

#: Characters of a run that only one text has: some ten lines, enough to see what kind of text it is.
RUN = 1200
#: Characters that quote each end of what both texts have: some ten words.
QUOTED = 60
#: Tokens that recognise the end or the start of a line.
EDGE = 3
#: Marks of tables and lists.
_MARKS = re.compile(r"\\?\||^(?:[-*#>•·] )+|(?: [-*#>•·])+$")


def difference(a: str, b: str, page_lines: Sequence[str]) -> str:
    r"""Sizes of two texts, and what only one of them has, in order; of what both have, the count and the ends.

    Args:
        a: One text of a page.
        b: Another.
        page_lines: All lines of the page.

    Example:
        >>> print(difference("Fox wins\nIt ran far.", "It ran far.\nImprint", ["Fox wins", "It ran far.", "Imprint"]))
        A: 2 lines, 5 words
        <BLANKLINE>
        B: 2 lines, 4 words
        <BLANKLINE>
        **Only A** (1 lines, 2 words):
        <BLANKLINE>
        > Fox wins
        <BLANKLINE>
        *Both* (1 lines, 3 words): It ran far.
        <BLANKLINE>
        **Only B** (1 lines, 1 words):
        <BLANKLINE>
        > Imprint
    """
    of = {"A": _lines(a, page_lines), "B": _lines(b, page_lines)}
    keys = {name: ["".join(tokens(line)) for line in found] for name, found in of.items()}
    parts = [f"{name}: {_count(found)}" for name, found in of.items()]
    for tag, i, j, k, m in SequenceMatcher(None, keys["A"], keys["B"], autojunk=False).get_opcodes():
        if tag == "equal":
            parts.append(_folded(of["A"][i:j]))
            continue
        for name, other, start, end in (("A", "B", i, j), ("B", "A", k, m)):
            here = zip(of[name][start:end], keys[name][start:end], strict=True)
            run = [f"{line} [{other} has this elsewhere]" if mark in keys[other] else line for line, mark in here]
            parts += [f"**Only {name}** ({_count(of[name][start:end])}):\n\n{_cut(run)}"] if run else []
    return "\n\n".join(parts)


def _lines(text: str, page_lines: Iterable[str]) -> list[str]:
    """Lines of a text, broken where the page breaks them."""
    known = [tuple(tokens(line)) for line in page_lines]
    ends, starts = {line[-EDGE:] for line in known}, {line[:EDGE] for line in known}
    found = list(TOKEN.finditer(text))
    words, cuts = [token.group().lower() for token in found], [0]
    for i in range(1, len(words)):
        sizes = range(1, EDGE + 1)
        if any(tuple(words[max(i - n, 0) : i]) in ends for n in sizes) and any(
            tuple(words[i : i + n]) in starts for n in sizes
        ):
            opening = re.search(r"\s(\S*)$", text[found[i - 1].end() : found[i].start()])
            cuts.append(found[i].start() - (len(opening[1]) if opening else 0))
    parts = (_MARKS.sub(" ", " ".join(text[i:j].split())) for i, j in zip(cuts, [*cuts[1:], len(text)], strict=True))
    lines = (re.sub(r" ([,.;:!?)])", r"\1", " ".join(part.split())) for part in parts)
    return [line for line in lines if line]


def _folded(lines: Sequence[str]) -> str:
    text = " / ".join(lines)
    ends = text if len(text) <= 3 * QUOTED else f"{text[:QUOTED]} […] {text[-QUOTED:]}"
    return f"*Both* ({_count(lines)}): {ends}"


def _count(lines: Sequence[str]) -> str:
    return f"{len(lines)} lines, {sum(len(tokens(line)) for line in lines):,} words"


def _cut(lines: Sequence[str]) -> str:
    text = "\n".join(lines)
    if len(text) > RUN:
        text = f"{text[: RUN // 2]} […]\n[{len(text) - RUN:,} characters cut]\n[…] {text[-RUN // 2 :]}"
    return "  \n".join(f"> {line}" for line in text.splitlines())
