"""Chunks of a body for a language model: of bounded size, with the headings above them, cut between sentences."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise
from numbers import Real
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from denoise_scrapy.core.characters import letters

_HEADING = re.compile(r"(#{1,6}) +(.*)")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d+[.)])(?: {1,4}(?! )| *$| )")
_QUOTES = re.compile(r"(?:> )*")
_RULE = re.compile(r"\|(?: *:?-+:? *\|)+")
_FENCE = re.compile(r"`{3,}|~{3,}")
_BEGINS = re.compile("|".join(of.pattern for of in (_HEADING, _ITEM, _FENCE)))
# A sentence ends before a blank and a possible beginning: not a lower-case letter or a digit, which follow "e.g." and
# "approx."; and not in code, a link or a formula. A run of signs is tried once, not from each of them.
_END = re.compile(
    r"`[^`]+`|\[[^\[\]]*\]\([^()\s]*\)|\$\$?[^$\n]{1,300}\$"
    r"|(?P<end>(?<![.!?…؟।])[.!?…؟।]+[\"'”’»)\]*_]*(?=\s+[^\s\da-zа-яßà-öø-ÿ])|[。！？]+[”’」』）]*(?=\S))"
)
# Not an end: an initial, an abbreviation such as "Mr.", "Prof." and "No.", a number before its unit.
_ABBREVIATION = re.compile(r"(?:^|[\s(\[*_])(?:[^\W\d_]\.)*(?:[A-Z][a-z]{0,3}|[^\W\d_]|\d+)\.$")
_WIDE = re.compile(r"[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]")

# Markup in a line we wrote, where everything else is escaped.
_INLINE = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`)(?P<pad> ?)(?P<code>.{1,500}?)(?P=pad)(?<!`)(?P=ticks)(?!`)"
    r"|\\(?P<sign>[!-/:-@\[-`{-~])|(?P<entity>&#?\w+;)"
    r"|!\[[^\[\]]*\]\([^()\s]*\)|\[|\]\([^()\s]*\)|<[^<>]*>|\*+|~~"
)

# Code: lines that continue the previous one; lines that belong to the next one; prompts in a transcript.
_GOES_ON = re.compile(
    r"[})\]{]|</|\"\"\"|'''|\.\.\.(?:\s|$)"
    r"|(?:end|else|elif|elsif|except|rescue|ensure|finally|catch|fi|done|esac|then|do|begin)\b"
)
_LEADS = re.compile(r"@|#|//|/\*|\*|--|<!--|template\b")
_PROMPT = re.compile(r">>> |\$ ")
# A part of code is a function, and never cut, unless it is a class or similar, or has no parentheses: a list of data.
_FUNCTION = re.compile(r"\)|=>|\b(?:def|func|function|fn|sub|proc|fun)\b")
_CLASS = re.compile(
    r"\b(?:class|interface|struct|impl|trait|namespace|module|object|extension|mod|enum|package)\s+[\w.:]+\s*"
    r"(?:[({:<]|$|(?:extends|implements|for|where)\b)"
)
MOST_LEVELS = 8  # of indentation at which code is split into parts
MOST_WITHIN = 64  # quotes and items within others that are cut: no body of ours has more, feeds of others may
# A sentence, row or function of more tokens is cut, if it does not fit: models that embed texts read no more of it.
LONGEST = 2_000
# Text that leads to the next: a label such as the name of a tab, or "as follows:".
_LEADING = re.compile(r"\*\*[^*\n]{1,100}\*\*")
# The line above code that names it: a file, a command.
_NAME = re.compile(r".{1,80}(?<![.!?…。！？])")
# Tests whether a text fits into a chunk below its headings, or with `half` into half of one.
_Fits = Callable[..., bool]


@dataclass(frozen=True)
class Chunk:
    """A piece of a body. `str(chunk)` is the input for a model: the headings above, then the text.

    Attributes:
        text: Markdown of the chunk.
        headings: The headings above the chunk as plain text, outermost first.
        tokens: Tokens of `str(chunk)`.
        position: Its index among the chunks of its page, from 0.
        id: A UUID made from the page's URL and `str(chunk)`: an unchanged chunk keeps it in the next crawl.
        title: Title of its page.
        url: URL of its page.
        anchor: The place of its innermost heading, if a link of the page leads there, as permalinks and tables of
            contents do, else "": `f"{url}#{anchor}"` is its address.
        above: Markdown of `headings`.
    """

    text: str
    headings: tuple[str, ...]
    tokens: int
    position: int = 0
    id: str = ""
    title: str = ""
    url: str = ""
    anchor: str = ""
    above: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"{self.above}\n\n{self.text}" if self.above else self.text

    @property
    def row(self) -> dict[str, Any]:
        """Return the values for a feed, a table or a vector index."""
        values = {name: value for name, value in vars(self).items() if name != "above"}
        return values | {"headings": list(self.headings)}


@dataclass(slots=True)
class _Unit:
    """A unit that is never cut: a sentence, a list item, code or a quote that fits, a row of a table, a function.

    `before` separates it from the previous unit in the same chunk; `starts` precedes it if it begins a line, as the
    bullet of an item does. `opens` and `closes` enclose its units in each chunk: the head of a table, the fences of
    code; units `joined` to the previous one share them. One that `leads` stays with the next: a term, a label.
    """

    text: str
    before: str = "\n\n"
    opens: str = ""
    closes: str = ""
    starts: str = ""
    joined: bool = False
    leads: bool = False
    headings: tuple[str, ...] = ()


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens in `text`, erring on the high side.

    Four ASCII characters count as a token, as do two of other alphabets or one ideograph. Tokenizers differ by a third,
    so use your own count if the limit is hard.

    Example:
        >>> estimate_tokens("The storm came at night."), estimate_tokens("暴风雨")
        (6, 3)
    """
    if text.isascii():
        return -(-len(text) // 4)
    plain, wide = len(text.encode("ascii", "ignore")), len(_WIDE.findall(text))
    return -(-(plain + 2 * (len(text) - plain - wide) + 4 * wide) // 4)


def chunk_markdown(
    markdown: str,
    max_tokens: int = 400,
    overlap: int = 0,
    count: Callable[[str], int] | None = None,
    *,
    url: str = "",
    title: str = "",
    anchors: Sequence[tuple[str, str]] = (),
) -> list[Chunk]:
    r"""Cut Markdown that we wrote into chunks for a language model, as `Body.chunks` does.

    The head of a table is repeated in each chunk with its rows. Text that does not fit is cut: an item between its
    blocks and sentences, code between functions and other unindented statements. A sentence, row or function longer
    than `max_tokens`, or a table whose head takes more than half of it, is a chunk of its own; of more than `LONGEST`
    tokens, it is cut between lines or words. A term stays with its definition. Headings above a chunk take at most
    half of it; beyond that the outer ones are left out. `anchors` has the letters of headings and their places on the
    page, in its order.

    Example:
        >>> text = "# *Storm*\n\nIt rained. Rivers rose.\n\n## Roads\n\n- The A1 is closed.\n- The A2 is open."
        >>> chunk = chunk_markdown(text, 12)[1]
        >>> chunk.headings, chunk.text, chunk.position
        (('Storm', 'Roads'), '- The A1 is closed.', 1)
    """
    if not (isinstance(max_tokens, Real) and isinstance(overlap, Real) and 0 <= overlap < max_tokens >= 1):
        raise ValueError(f"max_tokens must be >= 1 and overlap less than it, got {max_tokens!r} and {overlap!r}")
    count = count or estimate_tokens
    chunks: list[Chunk] = []
    same: Counter[str] = Counter()
    place_of = _Places(anchors)
    held: list[_Unit] = []
    tokens = 0  # each unit is counted once: recounting all held units would take quadratic time

    def fitting(headings: tuple[str, ...]) -> tuple[str, ...]:
        """Return the innermost headings that take at most half of a chunk."""
        left = max_tokens // 2
        for place in reversed(range(len(headings))):
            left -= count(headings[place] + "\n\n")
            if left < 0:
                return headings[place + 1 :]
        return headings

    def fits_below(headings: tuple[str, ...]) -> _Fits:
        above = "\n\n".join((*fitting(headings), ""))

        def fits(text: str, *, half: bool = False) -> bool:
            return count(text) <= max_tokens // 2 if half else count(above + text) <= max_tokens

        return fits

    def cost(unit: _Unit, last: list[_Unit]) -> int:
        """Count the tokens that a unit adds to a chunk after another one, if there is one."""
        above = _new_headings(last[0], unit) if last else fitting(unit.headings)
        frame = 0 if last and unit.joined else count(unit.opens + unit.closes)
        return frame + count(unit.before + unit.starts + unit.text) + sum(count(heading + "\n\n") for heading in above)

    def chunk(units: list[_Unit]) -> Chunk:
        above, text = fitting(units[0].headings), _joined(units)
        said = "\n\n".join((*above, text))
        same[said] += 1
        name = uuid5(NAMESPACE_URL, "\n".join((url, str(same[said]), said)).encode("utf-8", "replace").decode())
        headings = tuple(map(_plain, above))
        anchor = place_of(headings)
        return Chunk(text, headings, count(said), len(chunks), str(name), title, url, anchor, "\n\n".join(above))

    def cost_of(units: list[_Unit]) -> int:
        return sum(cost(one, units[n - 1 : n]) for n, one in enumerate(units))

    units = _units(markdown, fits_below)
    for unit in chain.from_iterable(_pieces(one, max_tokens, count) for one in units):
        whole = tokens + cost(unit, held[-1:])
        if held and whole > max_tokens:
            leading = len(held) - next((n for n, one in enumerate(reversed(held)) if not one.leads), len(held))
            if not 0 < leading < len(held) or cost_of([*held[leading:], unit]) > max_tokens:
                leading = len(held)
            chunks.append(chunk(held[:leading]))
            held = held[leading:] or _tail(held, unit.headings, overlap, count)
            whole = cost_of(held) + cost(unit, held[-1:])
            if whole > max_tokens:
                held, whole = [], cost(unit, [])
        tokens = whole
        held.append(unit)
    return [*chunks, chunk(held)] if held else chunks


class _Places:
    """Finds the place of the innermost of some headings, for chunks in the order of the page."""

    def __init__(self, anchors: Sequence[tuple[str, str]]) -> None:
        self._anchors, self._at, self._is_known = anchors, -1, False
        self._last: tuple[str, ...] = ()
        self._places = defaultdict[str, list[int]](list)  # by the letters of a heading
        for place, (heading, _) in enumerate(anchors):
            self._places[heading].append(place)

    def __call__(self, headings: tuple[str, ...]) -> str:
        if headings != self._last:
            said, self._last = letters(headings[-1]) if headings else "", headings
            found = self._places[said]
            self._is_known = bool(found)
            if found:  # of headings that say the same, the next
                self._at = found[bisect_right(found, self._at) % len(found)]
        return self._anchors[self._at][1] if self._is_known else ""


def _pieces(unit: _Unit, max_tokens: int, count: Callable[[str], int]) -> Iterator[_Unit]:
    """Yield a unit, or if it is far too long its pieces: each some lines or words that fill a chunk."""
    text, tokens = unit.text, count(unit.text)
    if tokens <= max(LONGEST, max_tokens):
        yield unit
        return
    size, start = max(1, len(text) * max_tokens // tokens), 0
    while start < len(text):
        last = start + size
        end = len(text)
        if end > last:
            end = max(text.rfind("\n", start + 1, last), text.rfind(" ", start + size // 2, last))
            end = end if end > start else last
        yield replace(unit, text=text[start:end])
        gap = text[end : end + 1] if text[end : end + 1].isspace() else ""
        start = end + len(gap)
        unit = replace(unit, before=gap, joined=True, starts="")


def _plain(heading: str) -> str:
    """Return the text of a heading, without its markup."""

    def shown(found: re.Match[str]) -> str:
        return found["code"] or found["sign"] or html.unescape(found["entity"] or "")

    return " ".join(_INLINE.sub(shown, heading.lstrip("#")).split())


def _new_headings(last: _Unit, unit: _Unit) -> tuple[str, ...]:
    """Return the headings of a unit that the previous one is not below."""
    if last.headings == unit.headings:
        return ()
    shared = [one == other for one, other in zip(last.headings, unit.headings, strict=False)]
    new = unit.headings[[*shared, False].index(False) :]
    return new[1:] if new and last.text == new[0] else new  # a heading with nothing else below it


def _tail(held: list[_Unit], headings: tuple[str, ...], overlap: int, count: Callable[[str], int]) -> list[_Unit]:
    """Return the last units of a chunk, but not all, with these headings and at most `overlap` tokens."""
    tail: list[_Unit] = []
    for unit in reversed(held[1:]):
        overlap -= count(unit.before + unit.starts + unit.opens + unit.text + unit.closes)
        if overlap < 0 or unit.headings != headings:
            break
        tail.insert(0, unit)
    return tail


def _joined(units: list[_Unit]) -> str:
    """Join units as Markdown, with each frame once around its consecutive units."""
    written = [units[0].starts, units[0].opens, units[0].text]
    for last, unit in pairwise(units):
        new = _new_headings(last, unit)
        written += [] if unit.joined else [last.closes]
        written.append("\n\n".join(("", *new, "")) if new else unit.before)
        written += [unit.starts] if unit.before.endswith("\n") else []
        written += [unit.text] if unit.joined else [unit.opens, unit.text]
    return _without_margin("".join([*written, units[-1].closes]))


def _without_margin(text: str) -> str:
    """Remove the margin of a text that begins in a list item, as far as the item or its list extends."""
    lines = text.split("\n")
    quoted = _QUOTES.match(text)
    quote = quoted[0] if quoted else ""
    margin = _indent(lines[0][len(quote) :])
    for number, line in enumerate(lines):
        if not margin or not line.startswith(quote.rstrip()):
            break
        inner = line[len(quote) :]
        if inner.strip():
            margin = min(margin, _indent(inner))
            lines[number] = quote + inner[margin:]
    return "\n".join(lines)


def _units(markdown: str, fits_below: Callable[[tuple[str, ...]], _Fits]) -> Iterator[_Unit]:
    """Yield each unit of a text with the headings above it. A heading with nothing below is a unit."""
    above: tuple[str, ...] = ()
    fits = fits_below(above)
    waiting = False  # a heading not yet followed by a unit
    blocks = [*_blocks(markdown.split("\n"))]
    for (before, block), (_, following) in zip(blocks, [*blocks[1:], ("", [""])], strict=False):
        heading = _HEADING.match(block[0])
        if heading is None:
            waiting = False
            names = _code_end(following[0]) is not None and _NAME.fullmatch(block[-1]) is not None and len(block) == 1
            for unit in _units_of(block, before, fits):
                unit.headings, unit.leads = above, unit.leads or names
                yield unit
            continue
        level = len(heading[1])
        kept = [each for each in above if len(each) - len(each.lstrip("#")) < level]
        if waiting and len(kept) < len(above):
            yield _Unit(above[-1], headings=above[:-1])
        above, waiting = (*kept, block[0]), True
        fits = fits_below(above)
    if waiting:
        yield _Unit(above[-1], headings=above[:-1])


def _blocks(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield blocks of lines, each with its separator from the previous one."""
    end = 0
    for place, line in enumerate(lines):
        if place >= end and line.strip():
            end = _end_of_block(lines, place)
            yield "\n\n" if not place or not lines[place - 1].strip() else "\n", lines[place:end]


def _end_of_block(lines: list[str], start: int) -> int:
    """Return the line after a block."""
    first, behind = lines[start], range(start + 1, len(lines))
    if _BEGINS.match(first) is None:
        ends = (place for place in behind if not lines[place].strip() or _begins(lines[place], first))
        return next(ends, len(lines))
    if is_code := _code_end(first):
        return next((place for place in behind if is_code(lines[place])), len(lines) - 1) + 1
    if _HEADING.match(first):
        return start + 1
    item = _ITEM.match(first)
    end, margin = start + 1, " " * item.end() if item else ""
    for place in behind:
        if lines[place].strip():  # it continues the previous line, unless that is empty
            if not lines[place].startswith(margin) and (end < place or _begins(lines[place])):
                break
            end = place + 1
    return end


def _code_end(first: str) -> Callable[[str], object] | None:
    """Return a test for the last line of the code that a line begins; None if it begins none."""
    fence = _FENCE.match(first)
    return fence and (lambda line: line.startswith(fence[0]) and not line.strip().strip(fence[0][0]))


def _begins(line: str, first: str = "") -> bool:
    """Return whether a line begins a block even after a line of text; the next line of a quote does not."""
    is_quote = line.startswith(">") and not first.startswith(">")
    return is_quote or _BEGINS.match(line) is not None


def _units_of(block: list[str], before: str, fits: _Fits, level: int = 0) -> Iterator[_Unit]:
    """Yield the units of a block; a table whose head would take too much of each chunk is one unit."""
    first, whole = block[0], "\n".join(block)
    if len(block) > 1 and _RULE.fullmatch(block[1].strip()):
        opens = f"{first}\n{block[1]}\n"
        if fits(opens, half=True):
            for number, row in enumerate(block[2:] or [""]):
                yield _Unit(row, "\n" if number else before, opens, joined=number > 0)
        else:
            yield _Unit(whole, before)
    elif _code_end(first):
        yield from _units_of_code(block, before, fits)
    elif level < MOST_WITHIN and (_ITEM.match(first) or first.startswith(">")):
        yield from [_Unit(whole, before)] if fits(whole) else _units_inside(block, before, fits, level)
    elif first.startswith("$$"):
        yield _Unit(whole, before)
    else:
        for number, sentence in enumerate(_sentences(whole)):
            text = sentence.strip()
            apart = sentence[: len(sentence) - len(sentence.lstrip())]
            leads = text.endswith((":", "：")) or _LEADING.fullmatch(text) is not None
            yield _Unit(text, apart if number else before, joined=number > 0, leads=leads)


def _units_inside(block: list[str], before: str, fits: _Fits, level: int) -> Iterator[_Unit]:
    """Yield the units inside an item or quote, with the prefixes of their lines."""
    item = _ITEM.match(block[0])
    starts, margin = (item[0], " " * item.end()) if item else ("> ", "> ")
    strip = re.compile(margin if item else " {0,3}> ?")
    inner = [block[0][len(starts) :] if item else strip.sub("", block[0], count=1)]
    inner += [strip.sub("", line, count=1) if strip.match(line) else line.lstrip(" ") for line in block[1:]]

    def fits_inside(text: str, *, half: bool = False) -> bool:
        return fits(margin + _below(text, margin), half=half)

    for place, (apart, lines) in enumerate(_blocks(inner)):
        is_term = not place and len(inner) > 1 and _ITEM.match(inner[1]) is not None
        for unit in _units_of(lines, apart, fits_inside, level + 1):
            if unit.opens:
                head, end, start = unit.opens.rpartition("\n")  # the latter precedes the first line inside
                unit.opens = _below(head, margin) + end + (margin + start if end else start)
                unit.closes = _below(unit.closes, margin)
            if not before and "\n" in unit.before:
                gap = unit.before.split("\n")
                gap[1:-1] = [(margin + line).rstrip() for line in gap[1:-1]]
                unit.before = "\n".join(gap)
            unit.before, unit.starts = before or unit.before, starts + unit.starts
            unit.text, unit.leads = _below(unit.text, margin), unit.leads or is_term
            yield unit
            before, starts = "", margin


def _below(text: str, margin: str) -> str:
    """Put a margin before each line of a text except the first."""
    if "\n" not in text:
        return text
    below = text.replace("\n", "\n" + margin)
    return re.sub(rf"(?<=\n){margin}[^\S\n]*$", margin.rstrip(), below, flags=re.MULTILINE)


def _units_of_code(block: list[str], before: str, fits: _Fits) -> Iterator[_Unit]:
    """Yield code as one unit, or if it does not fit its parts, each between the fences."""
    first, whole, is_end = block[0], "\n".join(block), _code_end(block[0])
    closed = len(block) > 1 and is_end is not None and is_end(block[-1])
    opens, closes = f"{first}\n", "\n" + (block[-1] if closed else "`" * 3)
    code = block[1 : len(block) - bool(closed)]
    if code and not code[0]:  # active code stays below an empty line
        opens += "\n"
    if fits(whole) or not fits(opens + closes, half=True):
        yield _Unit(whole, before)
        return
    for number, (blanks, part) in enumerate(_parts(code, lambda text: fits(opens + text + closes))):
        yield _Unit(part, "\n" * (blanks + 1) if number else before, opens, closes, joined=number > 0)


def _parts(code: list[str], fits: Callable[[str], bool], level: int = 0) -> Iterator[tuple[int, str]]:
    """Yield parts of code that are not cut, each with the number of empty lines before it."""
    for blanks, lines in _statements(code):
        text = "\n".join(lines)
        if len(lines) == 1 or fits(text) or level == MOST_LEVELS:
            yield blanks, text
            continue
        head = _head(lines)
        if len(lines) == head or (_FUNCTION.search(lines[head - 1]) and not _CLASS.search(lines[head - 1])):
            yield blanks, text
            continue
        end = len(lines)  # end of the members of a class, or the entries of data
        while end > head + 1 and _indent(lines[end - 1]) <= _indent(lines[head - 1]):
            end -= 1
        parts = list(_parts(lines[head:end], fits, level + 1)) or [(0, "")]
        gap, first = parts[0]
        parts[0] = blanks, "\n".join([*lines[:head], *[""] * gap, first])
        parts[-1] = parts[-1][0], "\n".join([parts[-1][1], *lines[end:]])
        yield from parts


def _statements(code: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield unindented lines, each with the comments above and the indented lines below it."""
    is_transcript = any(map(_PROMPT.match, code))
    least = min((_indent(line) for line in code if line.strip()), default=0)
    found: list[str] = []
    above = blanks = 0
    leads = False
    for line in code:
        if not line.strip():
            blanks += 1
            continue
        is_first = _indent(line) == least and not _GOES_ON.match(line, least)
        starts = bool(_PROMPT.match(line)) if is_transcript else is_first
        if found and starts and (blanks or not leads):
            yield above, found
            found, above = [line], blanks
        else:
            found += [*[""] * (blanks if found else 0), line]
        leads = bool(_LEADS.match(line, least)) if starts else leads
        blanks = 0
    if found:
        yield above, found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _head(lines: list[str]) -> int:
    """Count the lines up to and including the one that names the statement."""
    least = _indent(lines[0])
    return next((n for n, line in enumerate(lines, 1) if line.strip() and not _LEADS.match(line, least)), len(lines))


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a paragraph, each with the preceding blanks; unclear boundaries are not cut."""
    start = 0
    for found in _END.finditer(text):
        end = found["end"]
        if not end or (end[0] == "." and _ABBREVIATION.search(text, max(start, found.start() - 40), found.start() + 1)):
            continue
        yield text[start : found.end()]
        start = found.end()
    if start < len(text):
        yield text[start:]
