"""Pieces of a body for a language model: of bounded size, with the headings above them, cut between sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

__all__ = ["Chunk", "chunk_markdown", "estimate_tokens"]

_HEADING = re.compile(r"(#{1,6}) +(.*)")
_ITEM = re.compile(r" *(?:[-*+]|\d+[.)]) ")
_RULE = re.compile(r"\|(?: *:?-+:? *\|)+")
_FENCE = re.compile(r"`{3,}|~{3,}")
# A sentence ends before a blank and what may begin another: no small letter and no digit, which follow "e.g." and
# "approx.". A row of signs is tried once, not from each of them.
_END = re.compile(r"(?<![.!?…؟।])[.!?…؟।]+[\"'”’»)\]*_]*(?=\s+[^\s\da-zа-яßà-öø-ÿ])|[。！？]+[”’」』）]*(?=\S)")
_SIGNS = ".!?…؟।。！？"  # a text without any is not searched for ends
# No end: an initial, an abbreviation such as "Mr.", "Prof." and "No.", a number before its unit.
_ABBREVIATION = re.compile(r"(?:^|[\s(\[*_])(?:[^\W\d_]\.)*(?:[A-Z][a-z]{0,3}|[^\W\d_]|\d+)\.$")
_WIDE = re.compile(r"[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]")


@dataclass(frozen=True)
class Chunk:
    """A piece of a body.

    Attributes:
        text: Its Markdown.
        headings: Markdown of the headings that stand above it, the page's first.
        tokens: Tokens of both, `str(chunk)`.
    """

    text: str
    headings: tuple[str, ...]
    tokens: int

    def __str__(self) -> str:
        return "\n\n".join((*self.headings, self.text))


@dataclass(frozen=True)
class _Unit:
    """What is never cut: a sentence, an item of a list, a row of a table, a line of code.

    `before` separates it from the unit before it, where both are in one chunk. `opens` and `closes` stand around its
    units in each chunk: the head of a table, the fences of code.
    """

    text: str
    before: str = "\n\n"
    opens: str = ""
    closes: str = ""
    headings: tuple[str, ...] = ()


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a language model makes of `text`, rather too many than too few.

    Four characters of ASCII are a token, as are two of other alphabets and one ideograph; tokenizers differ by a
    third, so that one's own counts where the limit is hard.

    Example:
        >>> estimate_tokens("The storm came at night."), estimate_tokens("暴风雨")
        (6, 3)
    """
    if text.isascii():
        return -(-len(text) // 4)
    plain, wide = len(text.encode("ascii", "ignore")), len(_WIDE.findall(text))
    return -(-(plain + 2 * (len(text) - plain - wide) + 4 * wide) // 4)


def chunk_markdown(
    markdown: str, max_tokens: int = 400, overlap: int = 0, count: Callable[[str], int] | None = None
) -> list[Chunk]:
    r"""Cut Markdown into chunks that a language model can take.

    A chunk ends between sentences, items of a list, rows of a table or lines of code; the head of a table is repeated
    in each chunk that holds rows of it. What is longer than `max_tokens` by itself, or a table with a head of more than
    half of it, is a chunk of its own: nothing is lost, and no sentence is cut. Headings above a chunk take at most half
    of it; beyond that the outer ones are left out. Arguments are those of `Body.chunks`.

    Raises:
        ValueError: `max_tokens` is less than 1, or `overlap` is not between 0 and `max_tokens`.

    Example:
        >>> text = "# Storm\n\nIt rained. Rivers rose.\n\n## Roads\n\n- The A1 is closed.\n- The A2 is open."
        >>> [(chunk.headings, chunk.text) for chunk in chunk_markdown(text, 12)][1]
        (('# Storm', '## Roads'), '- The A1 is closed.')
    """
    if max_tokens < 1 or not 0 <= overlap < max_tokens:
        raise ValueError(f"max_tokens is 1 or more and overlap less than it, not {max_tokens} and {overlap}")
    count = count or estimate_tokens
    chunks: list[Chunk] = []
    held: list[_Unit] = []
    tokens = 0  # each unit counted once: counting all that is held again would take time by its square

    def fitting(headings: tuple[str, ...]) -> tuple[str, ...]:
        """The innermost headings that take at most half of a chunk."""
        left = max_tokens // 2
        for place in reversed(range(len(headings))):
            left -= count(headings[place] + "\n\n")
            if left < 0:
                return headings[place + 1 :]
        return headings

    def cost(units: list[_Unit]) -> int:
        """Tokens that the last of some units adds to a chunk of them."""
        unit, last = units[-1], units[-2] if len(units) > 1 else None
        above = fitting(unit.headings) if last is None else _new_headings(last, unit)
        own = count(unit.before + unit.text) + sum(count(heading + "\n\n") for heading in above)
        framed = last is not None and _continues(last, unit)
        return own if framed else own + count(unit.opens + unit.closes)

    def chunk(units: list[_Unit]) -> Chunk:
        whole = Chunk(_joined(units), fitting(units[0].headings), 0)
        return replace(whole, tokens=count(str(whole)))

    for unit in _units(markdown, lambda frame: count(frame) <= max_tokens // 2):
        if held and tokens + cost([held[-1], unit]) > max_tokens:
            chunks.append(chunk(held))
            held = _tail(held, overlap, count) if unit.headings == held[-1].headings else []
            tokens = sum(cost(held[: n + 1][-2:]) for n in range(len(held)))
            if held and tokens + cost([held[-1], unit]) > max_tokens:
                held, tokens = [], 0
        held.append(unit)
        tokens += cost(held[-2:])
    return [*chunks, chunk(held)] if held else chunks


def _continues(last: _Unit, unit: _Unit) -> bool:
    """Whether a unit is of the paragraph, list, table or code of the one before it."""
    return unit.before != "\n\n" and unit.opens == last.opens


def _new_headings(last: _Unit, unit: _Unit) -> tuple[str, ...]:
    """The headings of a unit that the one before it does not stand below."""
    same = 0
    while last.headings[same : same + 1] == unit.headings[same : same + 1] != ():
        same += 1
    if unit.headings[same:] and last.text == unit.headings[same]:  # a heading with nothing else below it
        same += 1
    return unit.headings[same:]


def _tail(held: list[_Unit], overlap: int, count: Callable[[str], int]) -> list[_Unit]:
    """The last units of a chunk, not all of them, that have no more than `overlap` tokens."""
    tail: list[_Unit] = []
    for unit in reversed(held[1:]):
        overlap -= count(unit.before + unit.opens + unit.text + unit.closes)
        if overlap < 0 or unit.headings != held[-1].headings:
            break
        tail.insert(0, unit)
    return tail


def _joined(units: list[_Unit]) -> str:
    """The units as Markdown, each frame written once around all of its units that follow each other."""
    written: list[str] = []
    last: _Unit | None = None
    for unit in units:
        new = () if last is None else _new_headings(last, unit)
        starts = last is None or not _continues(last, unit)
        if last is not None:
            written.append(last.closes if starts else "")
            written.append("\n\n".join(("", *new, "")) if starts else unit.before)
        written.append(unit.opens + unit.text if starts else unit.text)
        last = unit
    return "".join(written) + (last.closes if last else "")


def _units(markdown: str, fits: Callable[[str], bool]) -> Iterator[_Unit]:
    """Each unit of a text, with the headings above it. A heading with nothing below is a unit of its own."""
    above: list[str] = []
    waiting = False  # a heading that no unit has followed
    for block in _blocks(markdown.split("\n")):
        heading = _HEADING.match(block[0])
        if heading is None:
            waiting = False
            for unit in _units_of(block, fits):
                yield replace(unit, headings=tuple(above))
            continue
        level = len(heading[1])
        kept = [each for each in above if len(each) - len(each.lstrip("#")) < level]
        if waiting and len(kept) < len(above):
            yield _Unit(above[-1], headings=tuple(above[:-1]))
        above, waiting = [*kept, block[0]], True
    if waiting:
        yield _Unit(above[-1], headings=tuple(above[:-1]))


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Runs of lines without an empty one between them; code is one run."""
    block: list[str] = []
    fence = ""
    for line in lines:
        opened = _FENCE.match(line) if line.startswith(("`", "~")) else None
        if fence:
            block.append(line)
            if opened and line.startswith(fence) and not line.strip(fence[0]):
                yield block
                block, fence = [], ""
            continue
        is_heading = line.startswith("#") and _HEADING.match(line) is not None
        is_empty = not line or line.isspace()
        if block and (is_empty or opened or is_heading):
            yield block
            block = []
        if opened:
            fence = opened[0]
        if not is_empty:
            block.append(line)
        if is_heading:
            yield block
            block = []
    if block:
        yield block


def _units_of(block: list[str], fits: Callable[[str], bool]) -> Iterator[_Unit]:
    """Yield the units of a block; code and tables whose frame would take too much of each chunk are one."""
    first = block[0]
    if frame := _frame_of(block):
        opens, rows, closes = frame
        if fits(opens + closes):
            for n, row in enumerate(rows or [""]):
                yield _Unit(row, "\n" if n else "\n\n", opens, closes)
        else:
            yield _Unit("\n".join(block))
    elif _ITEM.match(first):
        item: list[str] = []
        before = "\n\n"
        for line in [*block, ""]:
            if item and (not line or _ITEM.match(line)):
                yield _Unit("\n".join(item), before)
                item, before = [], "\n"
            item.append(line)
    elif first.startswith(">"):
        for n, line in enumerate(block):
            yield _Unit(line, "\n" if n else "\n\n")
    else:
        for n, sentence in enumerate(_sentences("\n".join(block))):
            yield _Unit(sentence.strip(), "\n\n" if not n else sentence[: len(sentence) - len(sentence.lstrip())])


def _frame_of(block: list[str]) -> tuple[str, list[str], str] | None:
    """What stands around the lines of code or the rows of a table, and these; None of other blocks."""
    first = block[0]
    if _FENCE.match(first):
        fence = block[-1] if len(block) > 1 and _FENCE.match(block[-1]) else ""
        return f"{first}\n", block[1 : len(block) - bool(fence)], f"\n{fence or first}"
    if len(block) > 1 and _RULE.fullmatch(block[1].strip()):
        return f"{first}\n{block[1]}\n", block[2:], ""
    return None


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a paragraph, each with the blanks before it. In doubt two of them are one."""
    start = 0
    for end in _END.finditer(text) if any(sign in text for sign in _SIGNS) else ():
        if end[0][0] == "." and _ABBREVIATION.search(text, max(start, end.start() - 40), end.start() + 1):
            continue
        yield text[start : end.end()]
        start = end.end()
    if start < len(text):
        yield text[start:]
