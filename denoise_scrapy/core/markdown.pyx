# cython: language_level=3
"""Tokens of a rendering as Markdown (CommonMark, with tables, strike-throughs, footnotes and task boxes of GitHub's).

Written here instead of using a library: for 19 of the 27 pages in `tests/readers/cases.py`, readers find HTML or
scripts in the output of markdownify 1.2, and of html-to-markdown 3.20; html2text is under the GPL.
"""

cimport cython

import re

from denoise_scrapy.core.tokens cimport Token, text_token

# read for each token: names of C
cdef dict FORMULAS, INLINES
cdef frozenset HEADING_TAGS, LEAVES
from denoise_scrapy.core.characters import letters
from denoise_scrapy.core.escaping import (
    ADDRESS, can_mark, code_block, code_span, destination, entity, escape_inside, escape_line, escape_text, formula,
)
from denoise_scrapy.core.markup import HEADING_TAGS
from denoise_scrapy.core.written import FORMULAS, INLINES, LEAVES, LINES

cdef dict EMPHASIS = {"b": "**", "strong": "**", "i": "*", "em": "*", "cite": "*", "s": "~~", "del": "~~"}
#: Markdown has no marks for sub and sup, but allows HTML. Other inline elements become text.
cdef dict PAIRS = {"sub": ("<sub>", "</sub>"), "sup": ("<sup>", "</sup>"), "q": ("“", "”")}
PAIRS |= {tag: (mark, mark) for tag, mark in EMPHASIS.items()}
cdef set MARKS = {"", *EMPHASIS.values()}  # "" is one that was left out
cdef str LINE_BREAK = "\\\n"
cdef Token BREAK = Token("void", "br")


cdef inline bint is_plain(str text):
    """Return whether a text has no character that may be markup within a line."""
    cdef Py_UCS4 char
    for char in text:
        if char in "\\`*[]<~{_&":
            return False
    return True


@cython.no_gc
cdef class Line:
    """A line: the text and inline elements between two block boundaries."""

    cdef:
        list _pieces
        list _open      # start and end of open elements, and their piece, -1 for none
        list _marked    # pieces of the two marks of an emphasis, inner ones first
        list _code
        int _code_depth
        dict _spans     # by piece of code: its texts, and whether it is in a link
        bint _in_link, _in_cell
        list _tex       # text of the open formula

    def __init__(self, bint in_cell=False):
        self._pieces, self._open, self._marked, self._code, self._spans = [], [], [], [], {}
        self._in_cell = in_cell

    cdef add(self, Token token):
        """Add a text, an image, a line break, or the start or the end of an inline element."""
        cdef str kind = token.kind, value = token.value
        cdef bint starts = kind == "start"
        if kind == "text":
            if self._tex is not None:
                self._tex.append(value)
            elif self._code_depth:
                self._code.append(value)
            elif self._in_link:
                self._pieces.append(escape_inside(value))
            else:
                self._pieces.append(value if is_plain(value) else escape_text(value))
        elif kind == "void" and (value == "br" or value == "reference" or not self._code_depth):
            self._end_code()
            self._pieces.append(void(token))
        elif kind == "void":
            self._code.append(" ")
        elif value == "a":  # code around it is split: a link in code is not a link
            self._end_code()
            self._in_link = starts
            if starts:
                self._start("[", f"]({destination(dict(token.attributes)['href'])})")
            else:
                self._end()
        elif value in FORMULAS and not self._code_depth:
            self._end_code()
            if self._tex is not None:
                self._pieces.append(formula("".join(self._tex), "$$" if value == "display" else "$"))
            self._tex = [] if starts else None
        elif value == "code" or value == "kbd":
            self._code_depth += 1 if starts else -1
            if not self._code_depth:
                self._end_code()
        elif value in PAIRS and not self._code_depth:
            if starts:
                start, end = PAIRS[value]
                self._start(start, end)
            else:
                self._end()

    cdef bint is_empty(self):
        return not self._pieces and not self._code

    cdef str finish(self):
        cdef:
            list written, pieces
            str piece
            int index, text
        self._end_code()
        pieces = self._pieces
        if len(pieces) < 2 and not self._spans:  # true of most lines, which are empty again then
            return pieces.pop() if pieces else ""
        for start, end in self._marked:
            if not self._is_read(start, end):
                is_struck = pieces[start] == "~~"  # what is no longer valid must not read as if it were
                pieces[start], pieces[end] = ("<del>", "</del>") if is_struck else ("", "")
        self._part_stars()
        written = [""]
        text = 0  # start of the text since the last link, image or code
        for index, piece in enumerate(pieces):
            if index in self._spans:
                texts, in_link = self._spans[index]
                apart = not written[-1].endswith("`")
                written[text:] = ["", before_tag("".join(written[text:]), piece)]
                written.append(code_span("".join(texts), apart=apart, in_cell=self._in_cell, in_link=in_link))
                text = len(written)
            elif piece.startswith(("[", "![", "](")):
                if piece[0] != "]":
                    written[text:] = ["", before_tag("".join(written[text:]), piece)]
                written.append(piece)
                text = len(written)
            elif piece:
                written.append(piece)
        return "".join(written)

    cdef _end_code(self):
        if not self._code:
            return
        cdef str text = "".join(self._code)
        self._code.clear()
        if text and len(self._pieces) - 1 not in self._spans:  # adjacent backticks would merge into one fence
            self._spans[len(self._pieces)] = ([], self._in_link)
            self._pieces.append("`")
        if text:
            self._spans[len(self._pieces) - 1][0].append(text)

    cdef _start(self, str start, str end):
        cdef int place = len(self._pieces)
        if start == end and any([start == outer for outer, _, _ in self._open]):  # inside its own kind
            place = -1
        elif self._marked and self._pieces[-1] == start and self._marked[-1][1] == place - 1:
            self._pieces.pop()  # the outer one continues
            place = self._marked.pop()[0]
        else:
            self._pieces.append(start)
        self._open.append((start, end, place))

    cdef _end(self):
        start, end, place = self._open.pop()
        if place == len(self._pieces) - 1:  # around an image or a sign that is left out
            self._pieces.pop()
        elif start == "<sup>" and self._pieces[place + 1].startswith("[^"):  # a reference needs no sup
            self._pieces[place] = ""
        elif place >= 0:
            if start == end:
                self._marked.append((place, len(self._pieces)))
            self._pieces.append(end)

    cdef _part_stars(self):
        """Leave out each emphasis that begins directly after the mark of another, unless they end together too.

        The meaning of three or more consecutive stars depends on everything that follows (CommonMark 0.31, rules 9 and
        10).
        """
        cdef dict pairs = {index: pair for pair in self._marked if self._pieces[pair[0]][:1] == "*" for index in pair}
        cdef int index, behind = -1  # the mark of stars directly before a piece
        for index, piece in enumerate(self._pieces):
            if index not in pairs:
                behind = -1 if piece else behind
            elif piece and behind >= 0 and index == pairs[index][0]:
                start, end = pairs[index]
                outer, outer_end = pairs[behind]
                if behind == outer and not any(self._pieces[end + 1 : outer_end]):
                    behind = index
                else:
                    self._pieces[start] = self._pieces[end] = ""
            elif piece:
                behind = index

    cdef bint _is_read(self, int start, int end) except -1:
        """Return whether two marks are valid emphasis, regardless of the adjacent marks."""
        (before, _), (first, first_mark) = self._beside(start, -1), self._beside(start, 1)
        (last, last_mark), (after, _) = self._beside(end, -1), self._beside(end, 1)
        if not can_mark(before, first, last, after):
            return False
        return not (first_mark or last_mark) or can_mark(before, first_mark or first, last_mark or last, after)

    cdef tuple _beside(self, int index, int step):
        """Return the next character of the text, and of the next mark, on one side of a mark; stars are one run."""
        cdef:
            list pieces = self._pieces
            str piece, mark = ""
            int other = index + step
        while 0 <= other < len(pieces):
            piece = pieces[other]
            if piece not in MARKS:
                return piece[:1] if step > 0 else piece[-1:], mark
            mark = mark or piece.strip(pieces[index][0])[:1]
            other += step
        return "", mark


cdef str before_tag(str text, str piece):
    """Escape the end of a text before a link, image or code: a mark of its tag, or an address that would go on."""
    if piece == "[" and text.endswith("!"):
        text = f"{text[:-1]}\\!"
    word = "" if text[-1:].isspace() else "".join(text.rsplit(None, 1)[-1:])
    return text[: len(text) - len(word)] + ADDRESS.sub(entity, word)


cdef str void(Token token):
    if token.value == "br":
        return LINE_BREAK
    given = dict(token.attributes)
    if token.value == "reference":
        return f"[^{given['value']}]"
    return f"![{escape_inside(given['alt'])}]({destination(given['src'])})"


#: Places in a table for each of its cells, up to which spans are written as empty cells. If a page has two cells a row
#: with spans of a hundred columns and rows each, they are not.
cdef int PLACES_A_CELL = 4
cdef tuple CELL_TAGS = ("td", "th", "caption")


cdef list in_columns(list rows):
    """Return the texts of each row, with empty ones for continued cells; without them if there were too many.

    A cell is a text, and the number of columns and of rows that it takes.
    """
    cdef:
        Py_ssize_t left = PLACES_A_CELL * sum(map(len, rows))
        list texts, filled = []
        dict above, going_on = {}  # remaining rows of a cell in this column
    for row in rows:
        texts = []
        above, going_on = going_on, {column: more - 1 for column, more in going_on.items() if more > 1}
        for text, columns, height in row:
            while len(texts) in above:
                texts.append("")
            if height > 1:
                going_on.update([(len(texts) + i, height - 1) for i in range(columns)])
            texts.append(text)
            if columns > 1:
                texts += [""] * (columns - 1)
            if len(texts) > left:
                return [[cell[0] for cell in row] for row in rows]
        if above:
            texts += [""] * (1 + max(above) - len(texts))
        left -= len(texts)
        filled.append(texts)
    return filled


cdef frozenset BLOCK_TAGS = LINES.union(["div", "note", "box"])
cdef tuple LISTS = ("ul", "ol", "dl"), ITEMS = ("li", "dt", "dd")
#: CommonMark reads no larger item number.
cdef int MAX_ITEM_NUMBER = 999_999_999
#: Maximum indentation of nested lists and quotes. Deeper ones are written as paragraphs.
cdef int MAX_MARGIN = 24
cdef dict MARGINS = {"blockquote": 2, "ul": 2, "dl": 4}


@cython.no_gc
cdef class Frame:
    """An open container, with its blocks so far."""

    cdef:
        str tag
        object number   # of a list's next item
        int margin      # width of an item's indentation
        str mark        # of a list: its bullet, or the text after its number
        str alert       # of a quote: the kind of its admonition
        str kind        # of an admonition: its title, if that is only its kind
        # the mark of a list, "line" of a bare line, "note" of a footnote, or "", and the text of each
        list blocks

    def __init__(self, str tag, number=1, int margin=0, str mark="", str alert="", str kind=""):
        self.tag, self.number, self.margin = tag, number, margin
        self.mark, self.alert, self.kind, self.blocks = mark, alert, kind, []


#: Treatment of links and of images: kept, only their texts, or dropped.
LINKS, IMAGES = ("keep", "text"), ("keep", "text", "drop")


def to_markdown(tokens, str links not None="keep", str images not None="keep") -> str:
    """Return the rendering as Markdown: blocks separated by empty lines, "" for no tokens.

    Text that looks like markup is escaped, including HTML: no reader runs anything of the page. Links and images are
    treated as in `Body.to_markdown`; of an image that is written as data, only the alternative text.
    """
    for name, value, valid in (("links", links, LINKS), ("images", images, IMAGES)):
        if value not in valid:
            raise ValueError(f"{name} must be {' | '.join(valid)}, got {value!r}")
    return joined(Reader(chosen(list(tokens), links, images)).read(Frame("")).blocks)


cdef list chosen(list tokens, str links, str images):
    """Return the tokens to write, with each footnote as two marks: a reference in the text, and its start."""
    cdef:
        set notes = footnotes(tokens)
        list found = []
        Token token
        str kind, value, dropped = "a" if links == "text" else ""
        int left_out = 0  # inline elements around the part left out
    for token in tokens:
        kind, value = token.kind, token.value
        if not left_out and not token.attributes and (kind == "text" or (value != "reference" and value != dropped)):
            found.append(token)
            continue
        given = dict(token.attributes)
        if left_out:
            left_out += (kind == "start") - (kind == "end")
        elif kind == "start" and (given.get("reference") in notes or given.get("back") in notes):
            left_out = 1
            if "reference" in given:
                found.append(Token("void", "reference", (("value", given["reference"]),)))
        elif kind == "text":
            if given.get("sign") not in notes:
                found.append(token)
        elif value == "img" and (images == "text" or given["src"].startswith("data:")) and images != "drop":
            if given["alt"]:
                found.append(text_token(given["alt"], token.block))
        elif value == "note":
            if given["value"] in notes:
                found.append(token)
        elif not (value == "img" and images == "drop") and value != "reference" and value != dropped:
            found.append(token)
    return found


cdef set footnotes(list tokens):
    """Return the labels of complete footnotes: a reference, and a note outside cells."""
    cdef:
        set references = set(), notes = set()
        int codes = 0, tables = 0  # that are open
        Token token
        str kind, value
    for token in tokens:
        kind, value = token.kind, token.value
        if kind == "text":
            continue
        if value == "pre":
            codes += 1 if kind == "start" else -1
        elif value == "table":
            tables += 1 if kind == "start" else -1
        elif kind == "start":
            if token.attributes and not codes:
                references.update([label for name, label in token.attributes if name == "reference"])
        elif value == "note" and kind == "void" and not tables:
            notes.add(token.attributes[0][1])
    return references & notes


#: A note that readers without footnotes would treat as a link's address: a word, or a word and a title.
cdef object ONE_WORD = re.compile(r"""\S*(?:\s+["'(].*)?""", re.DOTALL)


cdef class Reader:
    """Reads tokens, those of each container up to its end tag."""

    cdef:
        list _tokens
        Py_ssize_t _at
        Line _line
        Token _mark  # a footnote or a check box at the start of the next line

    def __init__(self, list tokens):
        self._tokens, self._line = tokens, Line()

    cdef Token _next(self):
        """Return the next token, None at the end."""
        if self._at == len(self._tokens):
            return None
        self._at += 1
        return self._tokens[self._at - 1]

    cdef Frame read(self, Frame frame):
        """Fill a frame with the blocks up to the end tag of its container."""
        cdef:
            Token token
            str kind, tag
            bint starts
        while (token := self._next()) is not None:
            kind, tag = token.kind, token.value
            if kind == "text" or tag not in BLOCK_TAGS:
                self._line.add(token)
                continue
            starts = kind == "start"
            if not starts and tag in HEADING_TAGS:
                line = self._take_line().replace(LINE_BREAK, " ")
                text = line.rstrip("#")  # final `#` are not an end mark
                end = f"\\{line[len(text) :]}" if text != line else ""
                frame.blocks.append(("", f"{'#' * int(tag[1])} {text}{end}"))
                continue
            self._end_line(frame, "" if not starts and tag in LEAVES else "line")
            if tag == "note" or tag == "box":
                self._mark = token
            elif tag == "table":
                frame.blocks.append(("", self._table()))
            elif tag == "pre":
                frame.blocks.append(("", code_block(*self._code(), frame.margin)))
            elif tag not in LEAVES:
                if not starts:
                    return frame
                self._end_container(self.read(opened(token, frame)), frame)
        self._end_line(frame, "line")
        return frame

    cdef str _table(self):
        """Return the table whose start tag was the last token, below its caption."""
        cdef:
            list rows = []
            Line line = Line()
            Token token
            str kind, tag, text, caption = ""
            bint starts, in_head = False
            int columns = 1, height = 1
            set first_tags = set()  # tags of the first row: its cells, and its parent
        while (token := self._next()) is not None:
            kind, tag = token.kind, token.value
            starts = kind == "start"
            if kind == "text" or tag in INLINES or tag in FORMULAS:
                line.add(token)
            elif tag == "table":  # tables are not nested
                break
            elif tag in CELL_TAGS and starts:
                given = dict(token.attributes)
                line = Line(True)
                columns, height = int(given.get("colspan", "1")), int(given.get("rowspan", "1"))
            elif tag in CELL_TAGS:
                lines = filter(None, [" ".join(one.split()) for one in line.finish().split(LINE_BREAK)])
                line = Line()
                if tag == "caption":
                    caption = " ".join(lines)
                    continue
                text = "<br>".join(lines).replace("|", "\\|")
                if len(rows) == 1 and (text or rows[0]):  # the first one may be an empty corner
                    first_tags.add("thead" if in_head else tag)
                rows[-1].append((text, columns, height))
            elif tag == "tr" and starts:
                rows.append([])
            elif tag == "thead":
                in_head = starts
            elif tag == "pre" and starts:
                self._add_code(line)
            elif kind == "void" and tag != "box":
                line.add(token)
            else:  # blocks in a cell become lines
                line.add(BREAK)
        texts = in_columns(rows)
        width = max(map(len, texts), default=0)
        head = texts.pop(0) if "thead" in first_tags or first_tags == {"th"} else []
        head += [""] * (width - len(head))  # GitHub cuts longer rows, and pads shorter ones
        written = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * width, *texts)]
        return f"{escape_line(caption)}\n\n" * bool(caption) + "\n".join(written)

    cdef tuple _code(self):
        """Return the code up to the end tag of its `pre`, and its language, "" if unknown."""
        cdef list code = []
        cdef Token token
        language = ""
        while (token := self._next()) is not None:
            if token.kind == "text":
                code.append(token.value)
            elif token.value == "code" and token.attributes:
                language = token.attributes[0][1].partition("-")[2]
            elif token.value == "pre":
                break
        return "".join(code), language

    cdef _add_code(self, Line line):
        """Add code up to its end tag to the line of a cell, each of its lines between backticks."""
        for text in self._code()[0].split("\n"):
            line.add(BREAK)
            for token in (Token("start", "code"), text_token(text, -1), Token("end", "code")) if text.strip() else ():
                line.add(token)
        line.add(BREAK)

    cdef _end_container(self, Frame frame, Frame above):
        cdef list blocks = frame.blocks
        if not blocks:  # of a footnote with only a sign
            return
        if frame.tag in LISTS:
            loose = any([kind == "note" or "\n\n" in item for kind, item in blocks])
            above.blocks.append((frame.mark, ("\n\n" if loose else "\n").join([item for _, item in blocks])))
        elif frame.tag in ITEMS:
            above.blocks.append(("note" if blocks[0][0] == "note" else "", item_of(frame, above)))
        elif frame.tag == "blockquote":
            is_title = frame.kind != "" and len(blocks) > 1 and letters(blocks[0][1]) == frame.kind
            text = joined(blocks[is_title:])
            lines = f"[!{frame.alert}]\n{text}".split("\n") if frame.alert else text.split("\n")
            above.blocks.append(("", "\n".join([f"> {line}".rstrip() for line in lines])))
        else:
            above.blocks.extend(blocks)

    cdef str _take_line(self):
        cdef str text = self._line.finish()
        if not self._line.is_empty():
            self._line = Line()
        return text

    cdef _end_line(self, Frame frame, str kind):
        """End a paragraph, or a line directly in a container."""
        cdef str text
        cdef Token mark
        if self._line.is_empty():
            return
        text, mark, self._mark = self._take_line().strip(" "), self._mark, None
        text = "\n".join(map(escape_line, text.split("\n"))) if "\n" in text else escape_line(text)
        if mark is not None and mark.value == "note":
            text, kind = text.replace(LINE_BREAK, " "), "note"
            text = f"[^{mark.attributes[0][1]}]: {text}{' &#8288;' if ONE_WORD.fullmatch(text) else ''}"
        elif mark is not None and frame.tag == "li" and not frame.blocks:
            text = f"&#40;{text[1:]}" if text[:1] == "(" else text  # otherwise a link in showdown
            text = f"[{mark.attributes[0][1]}] {text}"
        if text:
            frame.blocks.append((kind, text))


cdef Frame opened(Token token, Frame above):
    """Return the frame of a container inside another."""
    cdef:
        str tag = token.value
        dict given = dict(token.attributes)
        int margin = above.margin
    number = max(0, int(given["start"])) if "start" in given else 1
    if "value" in given:  # of an item
        above.number = max(0, int(given["value"]))
    if tag not in ITEMS:
        margin += len(f"{number}. ") if tag == "ol" else MARGINS.get(tag, 0)
    if margin > MAX_MARGIN or (tag in ITEMS and above.tag not in LISTS):
        return Frame("", 1, above.margin)
    before = above.blocks[-1][0] if above.blocks else ""
    usual, other = (".", ")") if tag == "ol" else ("-", "*")
    mark = other if before == usual else usual  # adjacent lists with one mark would merge
    return Frame(tag, number, margin, mark, given.get("alert", ""), given.get("kind", ""))


cdef str item_of(Frame frame, Frame above):
    """Return an item of the list above. A definition is an item in a list below its term."""
    number = f"{min(above.number, MAX_ITEM_NUMBER)}" if above.tag == "ol" else ""
    above.number += 1
    text = joined(frame.blocks)
    if frame.blocks[0][0] == "note":
        return text
    bullet = f"{number}{above.mark} "
    margin = "  " if frame.tag == "dd" and above.blocks else ""
    if "\n" not in text:
        return f"{margin}{bullet}{text}"
    text = text.replace("\n", "\n" + margin + " " * len(bullet))
    return "\n".join([line.rstrip(" ") if line.isspace() else line for line in f"{margin}{bullet}{text}".split("\n")])


cdef str joined(list blocks):
    """Join blocks vertically. A list is directly below the bare line of its item."""
    cdef list pieces = []
    cdef str mark, text, before = ""
    if len(blocks) == 1:
        return blocks[0][1]
    for mark, text in blocks:
        tight = before == "line" and mark and text.startswith(("- ", "* ", "1. ", "1) "))  # others need a blank line
        pieces.append("\n" if tight else "\n\n")
        pieces.append(text)
        before = mark
    return "".join(pieces[1:])
