"""Tokens of a rendering as Markdown (CommonMark, with tables, strike-throughs, footnotes and task boxes of GitHub's).

Written here instead of using a library: for 19 of the 27 pages in `tests/readers/cases.py`, readers find HTML or
scripts in the output of markdownify 1.2, and of html-to-markdown 3.20; html2text is under the GPL.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote

from denoise_scrapy.body.rendering.html import CONTAINERS, FORMULAS, INLINES, LEAVES, Token
from denoise_scrapy.core.characters import letters
from denoise_scrapy.core.markup import HEADING_TAGS

#: Markup anywhere; an underscore only at a word's edge, an ampersand only before a possible entity (which may continue
#: in the next text).
_MARKUP = re.compile(r"[\\`*\[\]<~{]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w]|\Z)")
#: As entities, which all readers support: some ignore a backslash before `<`, and they differ on one before code or a
#: cell's border. So no `<` or backtick in our Markdown comes from a text.
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\\": "&#92;", "`": "&#96;"}
#: Markup for some reader in an alternative text, in a link's text or between tags of code, whatever precedes it: ends
#: of links and tags, its own marks, addresses and emoji names.
_INSIDE = re.compile(
    r"[\\`*\[\]<>~{^@]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w]|$)|=(?==)|\+(?=\+)|:(?=//|\d*[^\W\d][\w+-]*:)|(?<=[wW]{3})\."
)
#: Markup at the start of a line: headings, lists, quotes, underlines of headings, rules, tables.
_LINE_START = re.compile(r"#{1,6}(?=\s|$)|[-+](?=[\s|:-]|$)|=+(?=\s*$)|:(?=-)|\|")
_LIST_NUMBER = re.compile(r"(\d{1,9})([.)])(?=\s|$)", re.ASCII)
_ENTITY = re.compile(r"&(?=#?\w+;)")
_BACKTICKS = re.compile("`+")
#: Ends of an address, of its line, or the attribute to which some readers write it verbatim.
_ENDS = (*"()<>\"'`\\|*\u2028\u2029", *map(chr, range(33)), *map(chr, range(0x7F, 0xA0)))
_OF_ADDRESSES = str.maketrans({char: quote(char) for char in _ENDS})
#: Tags that do nothing, in whichever reader: of any element but two, with attributes that only name or describe, or
#: without values.
_IDLE_TAG = (
    r"</?(?!(?:script|style)\b)[a-z](?:[^=>]|(?<=[\s\"'}])(?:class|classname|id|type|name|value|title|for|lang|role|key|"
    r"(?:aria|data)-[\w-]{1,40})\s?=\s?(?:\"[^\"<>]*\"|'[^'<>]*')){0,300}>"
)
#: Code that would run, load or lead somewhere else in a reader without fences: other tags; links and definitions of
#: links with more than a path; attributes in braces (Python-Markdown has no fences in lists), blocks of pymdownx.
#: In 18 of 944 blocks of code on recorded pages.
_ACTIVE_CODE = re.compile(
    rf"<(?=[a-z/])(?!{_IDLE_TAG[1:]})|\]\s{{0,9}}[(:]\s{{0,9}}(?:<|//|\S{{0,99}}[:&])"
    r"|\{[^{}\n]{0,99}\b(?:on[a-z]{1,30}|src|href|style|action)\s?=|/// *html",
    re.IGNORECASE,
)
#: A bare address, to be broken: showdown includes a tag of ours that follows directly, marked a backtick.
_ADDRESS = re.compile(r":(?=//)|(?<=[wW]{3})\.")
#: Markup for some reader in code between backticks: an editor's suggestions (pymdownx), and in a link its end.
_SEEN, _SEEN_IN_LINK = re.compile(r"\{(?=[-+~=>])"), re.compile(r"\]\(|`")
#: Markup for remarkable in code in a cell, which it splits at a border with a backslash.
_SEEN_IN_PARTS = re.compile(r"[<`&]|\][(:\[]|://|www")


#: TeX in a text, between delimiters of MathJax and KaTeX: up to 1,000 characters without these delimiters.
_DELIMITED = re.compile(r"\\\(((?:[^\\]|\\[^()[\]]){1,1000})\\\)|\\\[((?:[^\\]|\\[^()[\]]){1,1000})\\\]")
#: Not a formula between such delimiters, as in texts about regular expressions: nothing, words.
_OF_TEX, _SHOWN, _WORD = re.compile(r"[\\^_=]"), re.compile(r"\w"), re.compile(r"[^\W\d]{2}")


def escape_text(text: str) -> str:
    """Escape a text within a line, except TeX between its own delimiters: that is a formula."""
    if "\\" not in text:
        return _escaped(text)
    pieces, at = [], 0
    for found in _DELIMITED.finditer(text):
        tex = (found[1] or found[2]).strip()
        if _OF_TEX.search(tex) or (_SHOWN.search(tex) and not _WORD.search(tex)):
            pieces += [_escaped(text[at : found.start()]), formula(tex, "$" if found[1] else "$$")]
            at = found.end()
    return "".join([*pieces, _escaped(text[at:])])


def _escaped(text: str) -> str:
    return _MARKUP.sub(lambda found: _ENTITIES.get(found[0], "\\" + found[0]), text)


def escape_inside(text: str) -> str:
    """Escape an alternative text, a link's text, or text between tags of code."""
    return _INSIDE.sub(_entity, text)


def _entity(found: re.Match[str]) -> str:
    return _ENTITIES.get(found[0], f"&#{ord(found[0])};")


def escape_line(line: str) -> str:
    """Escape the start of a line."""
    if line[:1].isalpha():
        return line
    if line.startswith((">", "///")):  # a backslash does not prevent a quote, or a block of pymdownx
        return ("&gt;" if line[0] == ">" else "&#47;") + line[1:]
    number = _LIST_NUMBER.match(line)
    if number:
        return f"{number[1]}\\{line[number.end(1) :]}"
    return f"\\{line}" if _LINE_START.match(line) else line


def destination(url: str) -> str:
    """Return an address for the parentheses of a link."""
    return _ENTITY.sub("&amp;", url).translate(_OF_ADDRESSES)


def code_span(text: str, *, apart: bool, in_cell: bool, in_link: bool) -> str:
    """Return text as inline code: between more backticks than it has in a row, or as escaped text in a tag.

    `apart`: no other code directly precedes it.
    """
    # in a cell some readers apply a backslash to the border
    seen_in_cell = in_cell and ("\\" in text or ("|" in text and _SEEN_IN_PARTS.search(text)))
    if not apart or seen_in_cell or _SEEN.search(text) or (in_link and _SEEN_IN_LINK.search(text)):
        return f"<code>{escape_inside(text)}</code>"
    fence = backticks(text, 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def code_block(text: str, language: str, margin: int = 0) -> str:
    """Return lines of code between fences longer than any backticks in them.

    32 of 37 readers find code there, whatever it is. Active code is indented below an empty line: the others take that
    for code, too. Some of them remove twice the margin of a list.
    """
    if _ACTIVE_CODE.search(text):
        indent = " " * (4 + margin)
        text = "\n".join(["", *(indent + line if line.strip() else "" for line in text.split("\n"))])
    fence = backticks(text, 3)
    return f"{fence}{language}\n{text}\n{fence}"


#: Characters that a reader without formulas would treat as markup, and those that end a formula.
_OF_FORMULAS = str.maketrans({char: f"&#{ord(char)};" for char in "`$|"} | {"&": "&amp;", "<": "&lt;"})
_OF_LINKS = re.compile(r"\](?=\s*[(\[:])|!(?=\[)")
#: Text in braces, and attributes in there for the preceding emphasis: `n=1` is not one.
_BRACES, _ATTRIBUTE = re.compile(r"\{[^}]*"), re.compile(r"""(?<![\\A-Za-z])[A-Za-z-]{2,}=|=["']""")


def formula(tex: str, mark: str) -> str:
    """Return a formula between dollar signs, two if it is displayed."""
    tex = _OF_LINKS.sub(_entity, tex.translate(_OF_FORMULAS))
    tex = _BRACES.sub(lambda part: part[0].replace("{", "&#123;") if _ATTRIBUTE.search(part[0]) else part[0], tex)
    return f"{mark}{tex}{mark}"


def backticks(text: str, least: int) -> str:
    """Return more backticks than the text has in a row, at least `least`."""
    return "`" * max(least, 1 + max(map(len, _BACKTICKS.findall(text)))) if "`" in text else "`" * least


def can_mark(before: str, first: str, last: str, after: str) -> bool:
    """Return whether emphasis that starts and ends between these characters is valid; "" is a line's end.

    A mark next to white space inside is not valid, nor one with punctuation inside and a letter outside (CommonMark
    0.31, left-flanking and right-flanking delimiter runs).
    """
    return all(
        inside
        and not inside.isspace()
        and (not _is_punctuation(inside) or not outside or outside.isspace() or _is_punctuation(outside))
        for outside, inside in ((before, first), (after, last))
    )


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


_EMPHASIS = {"b": "**", "strong": "**", "i": "*", "em": "*", "cite": "*", "s": "~~", "del": "~~"}
#: Markdown has no marks for sub and sup, but allows HTML. Other inline elements become text.
_PAIRS = {"sub": ("<sub>", "</sub>"), "sup": ("<sup>", "</sup>"), "q": ("“", "”")}
_PAIRS |= {tag: (mark, mark) for tag, mark in _EMPHASIS.items()}
_MARKS = {"", *_EMPHASIS.values()}  # "" is one that was left out
_CODE = {"code", "kbd"}
LINE_BREAK = "\\\n"


class _Line:
    """A line: the text and inline elements between two block boundaries."""

    def __init__(self, *, in_cell: bool = False) -> None:
        self._pieces: list[str] = []
        self._open: list[tuple[str, str, int]] = []  # start and end of open elements, and their piece, -1 for none
        self._marked: list[tuple[int, int]] = []  # pieces of the two marks of an emphasis, inner ones first
        self._code: list[str] = []
        self._code_depth = 0
        self._spans: dict[int, tuple[list[str], bool]] = {}  # by piece of code: its texts, and whether it is in a link
        self._in_link = False
        self._tex: list[str] | None = None  # text of the open formula
        self._in_cell = in_cell

    def add(self, token: Token) -> None:
        """Add a text, an image, a line break, or the start or the end of an inline element."""
        value, starts = token.value, token.kind == "start"
        if token.kind == "text" and self._tex is not None:
            self._tex.append(value)
        elif token.kind == "text":
            escape = escape_inside if self._in_link else escape_text
            self._code.append(value) if self._code_depth else self._pieces.append(escape(value))
        elif token.kind == "void" and (value in ("br", "reference") or not self._code_depth):
            self._end_code()
            self._pieces.append(_void(token))
        elif token.kind == "void":
            self._code.append(" ")
        elif value == "a":  # code around it is split: a link in code is not a link
            self._end_code()
            self._in_link = starts
            self._start("[", f"]({destination(dict(token.attributes)['href'])})") if starts else self._end()
        elif value in FORMULAS and not self._code_depth:
            self._end_code()
            if self._tex is not None:
                self._pieces.append(formula("".join(self._tex), "$$" if value == "display" else "$"))
            self._tex = [] if starts else None
        elif value in _CODE:
            self._code_depth += 1 if starts else -1
            if not self._code_depth:
                self._end_code()
        elif value in _PAIRS and not self._code_depth:
            self._start(*_PAIRS[value]) if starts else self._end()

    @property
    def is_empty(self) -> bool:
        return not self._pieces and not self._code

    def finish(self) -> str:
        self._end_code()
        if len(self._pieces) < 2 and not self._spans:  # true of most lines, which are empty again then
            return self._pieces.pop() if self._pieces else ""
        for start, end in self._marked:
            if not self._is_read(start, end):
                self._pieces[start] = self._pieces[end] = ""
        self._part_stars()
        written = [""]
        text = 0  # start of the text since the last link, image or code
        for index, piece in enumerate(self._pieces):
            if index in self._spans:
                texts, in_link = self._spans[index]
                apart = not written[-1].endswith("`")
                written[text:] = ["", _before_tag("".join(written[text:]), piece)]
                written.append(code_span("".join(texts), apart=apart, in_cell=self._in_cell, in_link=in_link))
                text = len(written)
            elif piece.startswith(("[", "![", "](")):
                if piece[0] != "]":
                    written[text:] = ["", _before_tag("".join(written[text:]), piece)]
                written.append(piece)
                text = len(written)
            elif piece:
                written.append(piece)
        return "".join(written)

    def _end_code(self) -> None:
        text = "".join(self._code)
        self._code.clear()
        if text and len(self._pieces) - 1 not in self._spans:  # adjacent backticks would merge into one fence
            self._spans[len(self._pieces)] = ([], self._in_link)
            self._pieces.append("`")
        if text:
            self._spans[len(self._pieces) - 1][0].append(text)

    def _start(self, start: str, end: str) -> None:
        place = len(self._pieces)
        if start == end and any(start == outer for outer, _, _ in self._open):  # inside its own kind
            place = -1
        elif self._marked and self._pieces[-1] == start and self._marked[-1][1] == place - 1:
            self._pieces.pop()  # the outer one continues
            place = self._marked.pop()[0]
        else:
            self._pieces.append(start)
        self._open.append((start, end, place))

    def _end(self) -> None:
        start, end, place = self._open.pop()
        if place == len(self._pieces) - 1:  # around an image or a sign that is left out
            self._pieces.pop()
        elif start == "<sup>" and self._pieces[place + 1].startswith("[^"):  # a reference needs no sup
            self._pieces[place] = ""
        elif place >= 0:
            if start == end:
                self._marked.append((place, len(self._pieces)))
            self._pieces.append(end)

    def _part_stars(self) -> None:
        """Leave out each emphasis that begins directly after the mark of another, unless they end together too.

        The meaning of three or more consecutive stars depends on everything that follows (CommonMark 0.31, rules 9 and
        10).
        """
        pairs = {index: pair for pair in self._marked if self._pieces[pair[0]][:1] == "*" for index in pair}
        behind = -1  # the mark of stars directly before a piece
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

    def _is_read(self, start: int, end: int) -> bool:
        """Return whether two marks are valid emphasis, regardless of the adjacent marks."""
        (before, _), (first, first_mark) = self._beside(start, -1), self._beside(start, 1)
        (last, last_mark), (after, _) = self._beside(end, -1), self._beside(end, 1)
        if not can_mark(before, first, last, after):
            return False
        return not (first_mark or last_mark) or can_mark(before, first_mark or first, last_mark or last, after)

    def _beside(self, index: int, step: int) -> tuple[str, str]:
        """Return the next character of the text, and of the next mark, on one side of a mark; stars are one run."""
        pieces, mark = self._pieces, ""
        end = len(pieces) if step > 0 else -1
        for other in range(index + step, end, step):
            piece = pieces[other]
            if piece not in _MARKS:
                return (piece[0] if step > 0 else piece[-1]), mark
            mark = mark or piece.strip(pieces[index][0])[:1]
        return "", mark


def _before_tag(text: str, piece: str) -> str:
    """Escape the end of a text before a link, image or code: a mark of its tag, or an address that would go on."""
    if piece == "[" and text.endswith("!"):
        text = f"{text[:-1]}\\!"
    word = "" if text[-1:].isspace() else "".join(text.rsplit(None, 1)[-1:])
    return text[: len(text) - len(word)] + _ADDRESS.sub(_entity, word)


def _void(token: Token) -> str:
    if token.value == "br":
        return LINE_BREAK
    given = dict(token.attributes)
    if token.value == "reference":
        return f"[^{given['value']}]"
    return f"![{escape_inside(given['alt'])}]({destination(given['src'])})"


#: Places in a table for each of its cells, up to which spans are written as empty cells. If a page has two cells a row
#: with spans of a hundred columns and rows each, they are not.
PLACES_A_CELL = 4
_CELL_TAGS = {"td", "th", "caption"}


class _Cell(NamedTuple):
    text: str
    columns: int
    rows: int


def _table(tokens: Iterator[Token]) -> str:
    """Return the table whose start tag was the last token, below its caption; consume the tokens up to its end tag."""
    rows: list[list[_Cell]] = []
    line, columns, height = _Line(), 1, 1
    caption, in_head = "", False
    first_tags: set[str] = set()  # tags of the first row: its cells, and its parent
    for token in tokens:
        starts, tag = token.kind == "start", "" if token.kind == "text" else token.value
        if tag == "table":  # tables are not nested
            break
        if tag in _CELL_TAGS and starts:
            given = dict(token.attributes)
            line = _Line(in_cell=True)
            columns, height = int(given.get("colspan", "1")), int(given.get("rowspan", "1"))
        elif tag in _CELL_TAGS:
            lines = filter(None, (" ".join(one.split()) for one in line.finish().split(LINE_BREAK)))
            line = _Line()
            if tag == "caption":
                caption = " ".join(lines)
                continue
            text = "<br>".join(lines).replace("|", "\\|")
            if len(rows) == 1 and (text or rows[0]):  # the first one may be an empty corner
                first_tags.add("thead" if in_head else tag)
            rows[-1].append(_Cell(text, columns, height))
        elif tag == "tr" and starts:
            rows.append([])
        elif tag == "thead":
            in_head = starts
        elif tag == "pre" and starts:
            _add_code(tokens, line)
        elif tag in INLINES or tag in FORMULAS or (token.kind in ("text", "void") and tag != "box"):
            line.add(token)
        else:  # blocks in a cell become lines
            line.add(Token("void", "br"))
    texts = _in_columns(rows)
    width = max(map(len, texts), default=0)
    head = texts.pop(0) if "thead" in first_tags or first_tags == {"th"} else []
    head += [""] * (width - len(head))  # GitHub cuts longer rows, and pads shorter ones
    written = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * width, *texts)]
    return f"{escape_line(caption)}\n\n" * bool(caption) + "\n".join(written)


def _code(tokens: Iterator[Token]) -> tuple[str, str]:
    """Return code and its language, "" if unknown; consume the tokens up to the end tag of its `pre`."""
    code, language = list[str](), ""
    for token in tokens:
        if token.kind == "text":
            code.append(token.value)
        elif token.value == "code" and token.attributes:
            language = token.attributes[0][1].partition("-")[2]
        elif token.value == "pre":
            break
    return "".join(code), language


def _add_code(tokens: Iterator[Token], line: _Line) -> None:
    """Add code to the line of a cell, each of its lines between backticks; consume the tokens up to its end tag."""
    for text in _code(tokens)[0].split("\n"):
        line.add(Token("void", "br"))
        for token in (Token("start", "code"), Token("text", text), Token("end", "code")) if text.strip() else ():
            line.add(token)
    line.add(Token("void", "br"))


def _in_columns(rows: list[list[_Cell]]) -> list[list[str]]:
    """Return the texts of each row, with empty ones for continued cells; without them if there were too many."""
    left = PLACES_A_CELL * sum(map(len, rows))
    filled = list[list[str]]()
    going_on: dict[int, int] = {}  # remaining rows of a cell in this column
    for row in rows:
        texts: list[str] = []
        above, going_on = going_on, {column: more - 1 for column, more in going_on.items() if more > 1}
        for cell in row:
            while len(texts) in above:
                texts.append("")
            if cell.rows > 1:
                going_on.update((len(texts) + i, cell.rows - 1) for i in range(cell.columns))
            texts += [cell.text, *[""] * (cell.columns - 1)]
            if len(texts) > left:
                return [[cell.text for cell in row] for row in rows]
        texts += [""] * (1 + max(above, default=-1) - len(texts))
        left -= len(texts)
        filled.append(texts)
    return filled


_BLOCK_TAGS = LEAVES.union(CONTAINERS.values(), ["div"])
_LISTS = {"ul", "ol", "dl"}
_ITEMS = {"li", "dt", "dd"}
#: CommonMark reads no larger item number.
MAX_ITEM_NUMBER = 999_999_999
#: Maximum indentation of nested lists and quotes. Deeper ones are written as paragraphs.
MAX_MARGIN = 24
_MARGINS = {"blockquote": 2, "ul": 2, "dl": 4}


@dataclass(slots=True)
class _Frame:
    """An open container, with its blocks so far."""

    tag: str
    number: int = 1  # number of a list's next item
    margin: int = 0  # width of an item's indentation
    mark: str = ""  # of a list: its bullet, or the text after its number
    alert: str = ""  # of a quote: the kind of its admonition
    kind: str = ""  # of an admonition: its title, if that is only its kind
    # the mark of a list, "line" of a bare line, "note" of a footnote, or ""
    blocks: list[tuple[str, str]] = field(default_factory=list)


#: Treatment of links and of images: kept, only their texts, or dropped.
LINKS, IMAGES = ("keep", "text"), ("keep", "text", "drop")


def to_markdown(tokens: Iterable[Token], links: str = "keep", images: str = "keep") -> str:
    """Return the rendering as Markdown: blocks separated by empty lines, "" for no tokens.

    Text that looks like markup is escaped, including HTML: no reader runs anything of the page. Links and images are
    treated as in `Body.to_markdown`; of an image that is written as data, only the alternative text.
    """
    for name, value, valid in (("links", links, LINKS), ("images", images, IMAGES)):
        if value not in valid:
            raise ValueError(f"{name} must be {' | '.join(valid)}, got {value!r}")
    return _joined(_Writer(_chosen(list(tokens), links, images)).read(_Frame("")).blocks)


def _chosen(tokens: list[Token], links: str, images: str) -> list[Token]:
    """Return the tokens to write, with each footnote as two marks: a reference in the text, and its start."""
    notes, chosen = _footnotes(tokens), list[Token]()
    left_out = 0  # inline elements around the part left out
    dropped = {"reference", "a" if links == "text" else ""}
    for token in tokens:
        if not left_out and not token.attributes and (token.kind == "text" or token.value not in dropped):
            chosen.append(token)
            continue
        given = dict(token.attributes)
        if left_out:
            left_out += (token.kind == "start") - (token.kind == "end")
        elif token.kind == "start" and (given.get("reference") in notes or given.get("back") in notes):
            left_out = 1
            if "reference" in given:
                chosen.append(Token("void", "reference", (("value", given["reference"]),)))
        elif token.kind == "text":
            chosen += [token] if given.get("sign") not in notes else []
        elif token.value == "img" and (images == "text" or given["src"].startswith("data:")) and images != "drop":
            chosen += [Token("text", given["alt"], block=token.block)] if given["alt"] else []
        elif token.value == "note":
            chosen += [token] if given["value"] in notes else []
        elif (token.value, images) != ("img", "drop") and token.value not in dropped:
            chosen.append(token)
    return chosen


def _footnotes(tokens: list[Token]) -> set[str]:
    """Return the labels of complete footnotes: a reference, and a note outside cells."""
    references, notes, depth = set[str](), set[str](), Counter[str]()
    for token in tokens:
        if token.kind != "text" and token.value in ("pre", "table"):
            depth[token.value] += 1 if token.kind == "start" else -1
        elif token.kind == "start" and token.attributes and not depth["pre"]:
            references.update(label for name, label in token.attributes if name == "reference")
        elif token.kind == "void" and token.value == "note" and not depth["table"]:
            notes.add(token.attributes[0][1])
    return references & notes


#: A note that readers without footnotes would treat as a link's address: a word, or a word and a title.
_ONE_WORD = re.compile(r"""\S*(?:\s+["'(].*)?""", re.DOTALL)


class _Writer:
    """Reads tokens, those of each container up to its end tag."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._tokens = iter(tokens)
        self._line = _Line()
        self._mark: Token | None = None  # a footnote or a check box at the start of the next line

    def read(self, frame: _Frame) -> _Frame:
        """Fill a frame with the blocks up to the end tag of its container."""
        for token in self._tokens:
            tag, starts = "" if token.kind == "text" else token.value, token.kind == "start"
            if tag not in _BLOCK_TAGS and tag not in ("note", "box"):
                self._line.add(token)
                continue
            if tag in HEADING_TAGS and not starts:
                line = self._take_line().replace(LINE_BREAK, " ")
                text = line.rstrip("#")  # final `#` are not an end mark
                end = f"\\{line[len(text) :]}" if text != line else ""
                frame.blocks.append(("", f"{'#' * int(tag[1])} {text}{end}"))
                continue
            self._end_line(frame, "" if tag in LEAVES and not starts else "line")
            if tag in ("note", "box"):
                self._mark = token
            elif tag == "table":
                frame.blocks.append(("", _table(self._tokens)))
            elif tag == "pre":
                frame.blocks.append(("", code_block(*_code(self._tokens), frame.margin)))
            elif tag not in LEAVES and starts:
                self._end_container(self.read(_opened(token, frame)), frame)
            elif tag not in LEAVES:
                return frame
        self._end_line(frame, "line")
        return frame

    def _end_container(self, frame: _Frame, above: _Frame) -> None:
        if not frame.blocks:  # of a footnote with only a sign
            return
        if frame.tag in _LISTS:
            loose = any(kind == "note" or "\n\n" in item for kind, item in frame.blocks)
            above.blocks.append((frame.mark, ("\n\n" if loose else "\n").join(item for _, item in frame.blocks)))
        elif frame.tag in _ITEMS:
            above.blocks.append((frame.blocks[0][0] if frame.blocks[0][0] == "note" else "", _item(frame, above)))
        elif frame.tag == "blockquote":
            is_title = frame.kind != "" and letters(frame.blocks[0][1]) == frame.kind and len(frame.blocks) > 1
            text = _joined(frame.blocks[is_title:])
            lines = f"[!{frame.alert}]\n{text}".split("\n") if frame.alert else text.split("\n")
            above.blocks.append(("", "\n".join(f"> {line}".rstrip() for line in lines)))
        else:
            above.blocks.extend(frame.blocks)

    def _take_line(self) -> str:
        text = self._line.finish()
        self._line = self._line if self._line.is_empty else _Line()
        return text

    def _end_line(self, frame: _Frame, kind: str) -> None:
        """End a paragraph, or a line directly in a container."""
        if self._line.is_empty:
            return
        text, mark, self._mark = self._take_line().strip(" "), self._mark, None
        text = "\n".join(map(escape_line, text.split("\n")))
        if mark and mark.value == "note":
            text, kind = text.replace(LINE_BREAK, " "), "note"
            text = f"[^{mark.attributes[0][1]}]: {text}{' &#8288;' if _ONE_WORD.fullmatch(text) else ''}"
        elif mark and frame.tag == "li" and not frame.blocks:
            text = f"&#40;{text[1:]}" if text[:1] == "(" else text  # otherwise a link in showdown
            text = f"[{mark.attributes[0][1]}] {text}"
        if text:
            frame.blocks.append((kind, text))


def _opened(token: Token, above: _Frame) -> _Frame:
    """Return the frame of a container inside another."""
    tag, given = token.value, dict(token.attributes)
    number = max(0, int(given.get("start", "1")))
    margin = above.margin + (len(f"{number}. ") if tag == "ol" else _MARGINS.get(tag, 0))
    if margin > MAX_MARGIN or (tag in _ITEMS and above.tag not in _LISTS):
        return _Frame("", margin=above.margin)
    before = above.blocks[-1][0] if above.blocks else ""
    usual, other = (".", ")") if tag == "ol" else ("-", "*")
    mark = other if before == usual else usual  # adjacent lists with one mark would merge
    return _Frame(tag, number, margin, mark, given.get("alert", ""), given.get("kind", ""))


def _item(frame: _Frame, above: _Frame) -> str:
    """Return an item of the list above. A definition is an item in a list below its term."""
    number = f"{min(above.number, MAX_ITEM_NUMBER)}" if above.tag == "ol" else ""
    above.number += 1
    if frame.blocks[0][0] == "note":
        return _joined(frame.blocks)
    bullet = f"{number}{above.mark} "
    margin = "  " if frame.tag == "dd" and above.blocks else ""
    text = _joined(frame.blocks)
    if "\n" not in text:
        return f"{margin}{bullet}{text}"
    text = text.replace("\n", "\n" + margin + " " * len(bullet))
    return "\n".join(line.rstrip(" ") if line.isspace() else line for line in f"{margin}{bullet}{text}".split("\n"))


def _joined(blocks: list[tuple[str, str]]) -> str:
    """Join blocks vertically. A list is directly below the bare line of its item."""
    if len(blocks) == 1:
        return blocks[0][1]
    pieces = []
    for (before, _), (mark, text) in zip([("", ""), *blocks], blocks, strict=False):
        tight = before == "line" and mark and text.startswith(("- ", "* ", "1. ", "1) "))  # others need a blank line
        pieces += ["\n" if tight else "\n\n", text]
    return "".join(pieces[1:])
