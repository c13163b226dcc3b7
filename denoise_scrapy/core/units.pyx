# cython: language_level=3
"""Units of a text in Markdown that we wrote, which chunks are made of: sentences, items, rows, parts of code."""

cimport cython

from denoise_scrapy.core.lines import (
    ABBREVIATION, CLASS, END, FUNCTION, GOES_ON, LEADING, LEADS, NAME, PROMPT, QUOTES, RULE,
)

#: Levels of indentation at which code is split into parts.
MOST_LEVELS = 8
#: Quotes and items within others that are cut: no body of ours has more, feeds of others may.
MOST_WITHIN = 64
#: A sentence, row or function of more tokens is cut, if it does not fit: models that embed texts read no more of it.
LONGEST = 2_000
#: A chunk smaller than this part of the most goes on into a section that does not fit: an introduction of a sentence.
#: Without, `dragnet` has 1,154 chunks instead of 1,143, and 94 questions answered by LSA instead of 95; others as many
#: (`python -m benchmarks.retrieval`).
SMALL = 4


@cython.no_gc
cdef class Unit:
    """A unit that is never cut: a sentence, a list item, code or a quote that fits, a row of a table, a function.

    `before` separates it from the previous unit in the same chunk; `starts` precedes it if it begins a line, as the
    bullet of an item does. `opens` and `closes` enclose its units in each chunk: the head of a table, the fences of
    code; units `joined` to the previous one share them. One that `leads` stays with the next: a term, a label.
    """

    cdef:
        str text, before, opens, closes, starts
        bint joined, leads
        tuple headings
        object tokens  # of its text and what precedes that, by `pieces_of`

    def __init__(self, str text not None, str before not None="\n\n", str opens not None="", str closes not None="",
                 str starts not None="", bint joined=False, bint leads=False, tuple headings not None=()):
        self.text, self.before, self.opens, self.closes, self.starts = text, before, opens, closes, starts
        self.joined, self.leads, self.headings = joined, leads, headings


cdef class Room:
    """What a chunk can hold, below its headings, and within items and quotes."""

    cdef object _count, _most
    cdef str _above, _margin

    def __init__(self, count, most, str above="", str margin=""):
        self._count, self._most, self._above, self._margin = count, most, above, margin

    cdef Room below(self, tuple headings):
        return Room(self._count, self._most, "\n\n".join((*self.fitting(headings), "")))

    cdef Room inside(self, str margin):
        return Room(self._count, self._most, self._above, self._margin + margin)

    cdef bint fits(self, str text) except -1:
        return self._count(self._above + self._margin + below(text, self._margin)) <= self._most

    cdef bint fits_in_half(self, str text) except -1:
        """Return whether a text fits into half of a chunk, without its headings."""
        return self._count(self._margin + below(text, self._margin)) <= self._most // 2

    cdef tuple fitting(self, tuple headings):
        """Return the innermost headings that take at most half of a chunk."""
        cdef Py_ssize_t place
        left = self._most // 2
        for place in range(len(headings) - 1, -1, -1):
            left -= self._count(headings[place] + "\n\n")
            if left < 0:
                return headings[place + 1:]
        return headings

    cdef object cost(self, Unit unit, Unit last):
        """Count the tokens that a unit adds to a chunk after another one, if there is one."""
        cost = unit.tokens
        if (unit.opens or unit.closes) and (last is None or not unit.joined):
            cost += self._count(unit.opens + unit.closes)
        for heading in self.fitting(unit.headings) if last is None else new_headings(last, unit):
            cost += self._count(heading + "\n\n")
        return cost

    cdef object cost_of(self, list units):
        cdef Unit unit, last = None
        cost = 0
        for unit in units:
            cost += self.cost(unit, last)
            last = unit
        return cost

    cdef list tail(self, list held, tuple headings, overlap):
        """Return the last units of a chunk, but not all, with these headings and at most `overlap` tokens."""
        cdef Unit unit
        cdef Py_ssize_t first = len(held)
        while first > 1:
            unit = held[first - 1]
            overlap -= self._count(unit.before + unit.starts + unit.opens + unit.text + unit.closes)
            if overlap < 0 or unit.headings != headings:
                break
            first -= 1
        return held[first:]


def packed(str markdown not None, count, most, overlap):
    """Yield the headings and the text of each chunk: of units that fit in together, and of one that does not fit.

    Args:
        markdown: The text.
        count: Function that counts the tokens of a text.
        most: Tokens of a chunk; headings take at most half of it.
        overlap: Tokens that are repeated from the previous chunk.

    Example:
        >>> list(packed("## A\\n\\nTides. Ebb.", len, 12, 0))
        [(('## A',), 'Tides.'), (('## A',), 'Ebb.')]
    """
    cdef:
        Room room = Room(count, most)
        list held = [], units = list(_units_of(markdown, room))
        list below = tokens_below(units)
        Unit unit, first, last = None
        Py_ssize_t leading, place
        bint is_apart
    tokens = 0  # each unit is counted once: recounting all held units would take quadratic time
    for place in range(len(units)):
        unit, last = units[place], held[-1] if held else None
        whole = tokens + room.cost(unit, last)
        # a section that does not fit begins a chunk: so this is cited by its own heading, and stays when others change
        is_apart = last is not None and unit.headings != last.headings and tokens * SMALL >= most
        if held and (whole > most or (is_apart and whole - unit.tokens + below[place] > most)):
            leading = len(held)
            while leading and (<Unit>held[leading - 1]).leads:
                leading -= 1
            if not 0 < leading < len(held) or room.cost_of([*held[leading:], unit]) > most:
                leading = len(held)
            first = held[0]
            yield room.fitting(first.headings), joined(held[:leading])
            held = held[leading:] or room.tail(held, unit.headings, overlap)
            whole = room.cost_of([*held, unit])
            if whole > most:
                held, whole = [], room.cost(unit, None)
        tokens = whole
        held.append(unit)
    if held:
        first = held[0]
        yield room.fitting(first.headings), joined(held)


cdef list tokens_below(list units):
    """Return the tokens of each unit and of those that follow it below the same headings."""
    cdef Unit unit, following = None
    cdef list found = [0] * len(units)
    cdef Py_ssize_t place
    for place in range(len(units) - 1, -1, -1):
        unit, tokens = units[place], 0
        if following is not None and following.headings == unit.headings:
            tokens = found[place + 1]
        found[place] = unit.tokens + tokens
        following = unit
    return found


def _units_of(str markdown, Room room):
    """Yield each unit of a text with the headings above it. A heading with nothing below is a unit."""
    cdef:
        tuple above = ()
        bint waiting = False  # a heading not yet followed by a unit
        list block, following, blocks = blocks_of(markdown.split("\n"))
        Unit unit
        str before
        Py_ssize_t i, level
    for i in range(len(blocks)):
        before, block = blocks[i]
        level = level_of(block[0])
        if not level:
            waiting = False
            following = blocks[i + 1][1] if i + 1 < len(blocks) else [""]
            names = len(block) == 1 and fence_of(following[0]) and NAME.fullmatch(block[0]) is not None
            for unit in units_of_block(block, before, room, 0):
                unit.headings, unit.leads = above, unit.leads or names
                yield from pieces_of(unit, room)
            continue
        kept = [each for each in above if len(each) - len(each.lstrip("#")) < level]
        if waiting and len(kept) < len(above):
            yield from pieces_of(Unit(above[-1], headings=above[:-1]), room)
        above, waiting = (*kept, block[0]), True
        room = room.below(above)
    if waiting:
        yield from pieces_of(Unit(above[-1], headings=above[:-1]), room)


cdef list pieces_of(Unit unit, Room room):
    """Return a unit, or if it is far too long its pieces: each some lines or words that fill a chunk."""
    cdef:
        list pieces = []
        Unit piece
        str gap, text = unit.text, before = unit.before, starts = unit.starts
        bint joined = unit.joined
        Py_ssize_t size, last, end, start = 0
    unit.tokens = room._count(before + starts + text)
    if unit.tokens <= max(LONGEST, room._most):
        return [unit]
    size = max(1, len(text) * room._most // unit.tokens)
    while start < len(text):
        last = start + size
        end = len(text)
        if end > last:
            end = max(text.rfind("\n", start + 1, last), text.rfind(" ", start + size // 2, last))
            end = end if end > start else last
        piece = Unit(text[start:end], before, unit.opens, unit.closes, starts, joined, unit.leads, unit.headings)
        piece.tokens = room._count(before + starts + piece.text)
        pieces.append(piece)
        gap = text[end : end + 1] if text[end : end + 1].isspace() else ""
        before, starts, joined = gap, "", True
        start = end + len(gap)
    return pieces


cdef list blocks_of(list lines):
    """Return blocks of lines, each with its separator from the previous one."""
    cdef:
        list found = []
        Py_ssize_t end, place = 0
        str line
    while place < len(lines):
        line = lines[place]
        end = place + 1
        if line.strip():
            end = end_of_block(lines, place)
            line = lines[place - 1] if place else ""
            found.append(("\n" if line.strip() else "\n\n", lines[place:end]))
        place = end
    return found


cdef Py_ssize_t end_of_block(list lines, Py_ssize_t start) except -1:
    """Return the line after a block."""
    cdef str margin, line, fence, first = lines[start]
    cdef Py_ssize_t end = start + 1, place
    if not begins(first, ">"):
        for place in range(start + 1, len(lines)):
            line = lines[place]
            if not line.strip() or begins(line, first):
                return place
        return len(lines)
    fence = fence_of(first)
    if fence:
        for place in range(start + 1, len(lines)):
            if ends_code(lines[place], fence):
                return place + 1
        return len(lines)
    if level_of(first):
        return start + 1
    margin = " " * item_end(first)
    for place in range(start + 1, len(lines)):
        line = lines[place]
        if line.strip():  # it continues the previous line, unless that is empty
            if not line.startswith(margin) and (end < place or begins(line, "")):
                break
            end = place + 1
    return end


cdef str fence_of(str line):
    """Return the fence of the code that a line begins, "" for none."""
    return line[:len(line) - len(line.lstrip(line[0]))] if line.startswith(("```", "~~~")) else ""


cdef bint ends_code(str line, str fence) except -1:
    """Return whether a line ends the code in a fence."""
    return line.startswith(fence) and not line.strip().strip(fence[0])


cdef bint begins(str line, str first) except -1:
    """Return whether a line begins a block even after a line of text; the next line of a quote does not."""
    if line.startswith(">"):
        return not first.startswith(">")
    return item_end(line) > 0 or level_of(line) > 0 or fence_of(line) != ""


cdef Py_ssize_t level_of(str line):
    """Return the level of a heading, 0 for another line."""
    cdef Py_ssize_t level = len(line) - len(line.lstrip("#"))
    return level if 0 < level <= 6 and line[level:level + 1] == " " else 0


cdef inline bint is_digit(Py_UCS4 char):
    return c"0" <= char <= c"9" or (char > 127 and chr(char).isdecimal())


cdef Py_ssize_t item_end(str line):
    """Return the end of an item's bullet or number and of the blanks after it, 0 for another line.

    Of more than four blanks only one belongs to it, as the others are those of code.
    """
    cdef Py_ssize_t size = len(line), start = 0, at, end
    while start < size and start < 3 and line[start] == " ":
        start += 1
    at = start
    while at < size and is_digit(line[at]):
        at += 1
    if at == size or line[at] not in (".)" if at > start else "-*+"):
        return 0
    at += 1
    end = at
    while end < size and line[end] == " ":
        end += 1
    if end < size and end > at + 4:
        return at + 1
    return end if end > at or end == size else 0


cdef list units_of_block(list block, str before, Room room, int level):
    """Return the units of a block; a table whose head would take too much of each chunk is one unit."""
    cdef list found
    cdef str first = block[0], whole = "\n".join(block), text, sentence, opens
    if len(block) > 1 and RULE.fullmatch(block[1].strip()):
        opens = f"{first}\n{block[1]}\n"
        if not room.fits_in_half(opens):
            return [Unit(whole, before)]
        return [
            Unit(row, "\n" if number else before, opens, "", "", number > 0)
            for number, row in enumerate(block[2:] or [""])
        ]
    if fence_of(first):
        return units_of_code(block, before, room)
    if level < MOST_WITHIN and (first.startswith(">") or item_end(first)):
        return [Unit(whole, before)] if room.fits(whole) else units_inside(block, before, room, level)
    if first.startswith("$$"):
        return [Unit(whole, before)]
    found = []
    for sentence in sentences_of(whole):
        text = sentence.strip()
        leads = text.endswith((":", "：")) or (text.startswith("**") and LEADING.fullmatch(text) is not None)
        apart = sentence[: len(sentence) - len(sentence.lstrip())] if found else before
        found.append(Unit(text, apart, "", "", "", len(found) > 0, leads))
    return found


cdef list units_inside(list block, str before, Room room, int level):
    """Return the units inside an item or quote, with the prefixes of their lines."""
    cdef:
        str line, starts, margin, apart, head, end, start, first = block[0]
        str opens = "", framed = "", closes = ""
        list lines, blocks, found = [], inner = []
        Unit unit
        Py_ssize_t item = item_end(first)
    starts, margin = (first[:item], " " * item) if item else ("> ", "> ")
    for line in block:
        if item and not inner:
            inner.append(line[len(starts):])
        elif line.startswith(margin):
            inner.append(line[len(margin):])
        else:
            bare = line.lstrip(" ")
            is_quote = not item and bare.startswith(">") and len(line) - len(bare) <= 3
            inner.append(bare[1:].removeprefix(" ") if is_quote else bare)
    room = room.inside(margin)
    blocks = blocks_of(inner)
    is_term = len(inner) > 1 and item_end(inner[1]) > 0
    for apart, lines in blocks:
        for unit in units_of_block(lines, apart, room, level + 1):
            if unit.opens and unit.opens is not opens:  # all in a frame share it
                opens = unit.opens
                head, end, start = opens.rpartition("\n")  # the latter precedes the first line inside
                framed = below(head, margin) + end + (margin + start if end else start)
                closes = below(unit.closes, margin)
            if unit.opens:
                unit.opens, unit.closes = framed, closes
            if not before and "\n" in unit.before:
                gap = unit.before.split("\n")
                gap[1:-1] = [(margin + line).rstrip() for line in gap[1:-1]]
                unit.before = "\n".join(gap)
            unit.before, unit.starts = before or unit.before, starts + unit.starts
            unit.text, unit.leads = below(unit.text, margin), unit.leads or is_term
            found.append(unit)
            before, starts = "", margin
        is_term = False
    return found


cdef str below(str text, str margin):
    """Put a margin before each line of a text except the first."""
    cdef:
        list lines
        str line
        Py_ssize_t place
    if not margin or "\n" not in text:
        return text
    lines = text.split("\n")
    for place in range(1, len(lines)):
        line = lines[place]
        lines[place] = margin + line if line and not line.isspace() else margin.rstrip()
    return "\n".join(lines)


cdef list units_of_code(list block, str before, Room room):
    """Return code as one unit, or if it does not fit its parts, each between the fences."""
    cdef str first = block[0], whole = "\n".join(block), opens, closes
    cdef list code
    closed = len(block) > 1 and ends_code(block[-1], fence_of(first))
    opens, closes = f"{first}\n", "\n" + (block[-1] if closed else "`" * 3)
    code = block[1 : len(block) - closed]
    if code and not code[0]:  # active code stays below an empty line
        opens += "\n"
    if room.fits(whole) or not room.fits_in_half(opens + closes):
        return [Unit(whole, before)]
    return [
        Unit(part, "\n" * (blanks + 1) if number else before, opens, closes, "", number > 0)
        for number, (blanks, part) in enumerate(parts_of(code, room, opens, closes, 0))
    ]


cdef list parts_of(list code, Room room, str opens, str closes, int level):
    """Return parts of code that are not cut, each with the number of empty lines before it."""
    cdef:
        list lines, parts, found = []
        str text
        Py_ssize_t head, end
    for blanks, lines in _statements_of(code):
        text = "\n".join(lines)
        if len(lines) == 1 or room.fits(opens + text + closes) or level == MOST_LEVELS:
            found.append((blanks, text))
            continue
        head = head_of(lines)
        if len(lines) == head or (FUNCTION.search(lines[head - 1]) and not CLASS.search(lines[head - 1])):
            found.append((blanks, text))
            continue
        end = len(lines)  # end of the members of a class, or the entries of data
        while end > head + 1 and indent(lines[end - 1]) <= indent(lines[head - 1]):
            end -= 1
        parts = parts_of(lines[head:end], room, opens, closes, level + 1) or [(0, "")]
        gap, first = parts[0]
        parts[0] = blanks, "\n".join([*lines[:head], *[""] * gap, first])
        parts[-1] = parts[-1][0], "\n".join([parts[-1][1], *lines[end:]])
        found += parts
    return found


def _statements_of(list code):
    """Yield unindented lines, each with the comments above and the indented lines below it."""
    cdef:
        bint is_transcript = any(map(PROMPT.match, code)), leads = False, starts
        list found = []
        str line
        Py_ssize_t least = min([indent(line) for line in code if line.strip()], default=0), above = 0, blanks = 0
    for line in code:
        if not line.strip():
            blanks += 1
            continue
        starts = PROMPT.match(line) is not None if is_transcript else indent(line) == least and not GOES_ON.match(line, least)
        if found and starts and (blanks or not leads):
            yield above, found
            found, above = [line], blanks
        else:
            found += [*[""] * (blanks if found else 0), line]
        leads = LEADS.match(line, least) is not None if starts else leads
        blanks = 0
    if found:
        yield above, found


cdef Py_ssize_t indent(str line):
    return len(line) - len(line.lstrip())


cdef Py_ssize_t head_of(list lines) except -1:
    """Count the lines up to and including the one that names the statement."""
    cdef Py_ssize_t number, least = indent(lines[0])
    cdef str line
    for number, line in enumerate(lines, 1):
        if line.strip() and not LEADS.match(line, least):
            return number
    return len(lines)


cdef list sentences_of(str text):
    """Return the sentences of a paragraph, each with the preceding blanks; unclear boundaries are not cut."""
    cdef:
        list sentences = []
        Py_ssize_t start = 0
        str end
    if not has_stop(text):
        return [text]
    for found in END.finditer(text):
        end = found["end"]
        if not end or (end[0] == "." and is_abbreviated(text, found.start() + 1)):
            continue
        sentences.append(text[start : found.end()])
        start = found.end()
    if start < len(text):
        sentences.append(text[start:])
    return sentences


cdef bint is_abbreviated(str text, Py_ssize_t end) except -1:
    """Return whether the word with a full stop before a position of a text is an abbreviation."""
    cdef Py_ssize_t start = end
    while start > 0 and not (text[start - 1].isspace() or text[start - 1] in "([*_"):
        start -= 1
    return ABBREVIATION.fullmatch(text, start, end) is not None


cdef bint has_stop(str text):
    """Return whether a text has a sign at which a sentence may end."""
    cdef Py_UCS4 char
    for char in text:
        if char in ".!?…؟।。！？":
            return True
    return False


cdef tuple new_headings(Unit last, Unit unit):
    """Return the headings of a unit that the previous one is not below."""
    if last.headings == unit.headings:
        return ()
    shared = [one == other for one, other in zip(last.headings, unit.headings)]
    new = unit.headings[[*shared, False].index(False) :]
    return new[1:] if new and last.text == new[0] else new  # a heading with nothing else below it


cdef str joined(list units):
    """Join units as Markdown, with each frame once around its consecutive units."""
    cdef Unit unit, last = units[0]
    cdef list written = [last.starts, last.opens, last.text]
    for unit in units[1:]:
        new = new_headings(last, unit)
        if not unit.joined:
            written.append(last.closes)
        written.append("\n\n".join(("", *new, "")) if new else unit.before)
        if unit.before.endswith("\n"):
            written.append(unit.starts)
        if not unit.joined:
            written.append(unit.opens)
        written.append(unit.text)
        last = unit
    return without_margin("".join([*written, last.closes]))


cdef str without_margin(str text):
    """Remove the margin of a text that begins in a list item, as far as the item or its list extends."""
    cdef:
        list lines = text.split("\n")
        str quote = QUOTES.match(text)[0], line, inner
        Py_ssize_t number, margin = indent(lines[0][len(quote):])
    for number, line in enumerate(lines):
        if not margin or not line.startswith(quote.rstrip()):
            break
        inner = line[len(quote):]
        if inner.strip():
            margin = min(margin, indent(inner))
            lines[number] = quote + inner[margin:]
    return "\n".join(lines)
