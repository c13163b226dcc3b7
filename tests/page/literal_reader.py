"""The walk of `core/tree.pyx` as its rules say it: slow, in plain Python over lxml's tree, a pass a rule."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from typing import Any

from lxml import etree

from denoise_scrapy.core.characters import CJK, COMMA, DIGIT, LETTER, MARK, OTHER, SPACE, STOP, UPPER
from denoise_scrapy.core.markup import (
    BLOCK_TAGS,
    EXACT_TAGS,
    HEAD_TAGS,
    HEADING_TAGS,
    ROLE_FLAGS,
    SKIPPED_TAGS,
    TAG_FLAGS,
    Flag,
)

MASK, FACTOR = 2**64 - 1, 0x9E3779B97F4A7C15
START, END, LINE_BREAK = "\1", "\2", "\x0b"
#: White space of ASCII, as Python has it.
BLANK = " \t\n\v\f\r\x1c\x1d\x1e\x1f"
MAX_NAME, EXACT_LEVELS, NOSCRIPT_CHARS = 200, 8, 100
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_HIDES = re.compile(rf"display[{BLANK}]*:[{BLANK}]*none|visibility[{BLANK}]*:[{BLANK}]*hidden", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_OF_COMMENTS = re.compile(r".*comment|(?:reply|replies)$|disqus|respond|discussion|trackback|pingback", re.DOTALL)


# ---- characters ----


def mix(value: int) -> int:
    """The finaliser of splitmix64."""
    value = (value + FACTOR) & MASK
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & MASK
    value = (value ^ value >> 27) * 0x94D049BB133111EB & MASK
    return value ^ value >> 31


def is_zero_width(char: str) -> bool:
    """Whether a character has no width and is none of those that order what is shown, marks of direction."""
    return (
        char in "\xad\ufeff\u180e"
        or "\u200b" <= char <= "\u200d"
        or "\u2060" <= char <= "\u2064"
        or ("\ufff9" <= char <= "\ufffb")
    )


def is_seen(char: str, before: str) -> bool:
    """Whether a character is part of a text: joiners are in scripts that need them, selectors after ideographs."""
    if char in "\u200c\u200d":
        return (
            re.match("[\u0600-\u18ff\u2190-\u2bff\ua800-\uabff\ufb50-\ufefe\U00010000-\U0010ffff]", before) is not None
        )
    if "\U000e0100" <= char <= "\U000e01ef":
        return before != "" and (bool(_CJK.match(before)) or "\U00020000" <= before <= "\U0002ffff")
    return not is_zero_width(char) and not "\U000e0000" <= char <= "\U000e007f"


def class_of(char: str) -> int:
    """What a character is."""
    if char in "\0\1\2":
        return MARK
    if char.isspace() or is_zero_width(char):
        return SPACE
    if ord(char) > 0xFFFF:
        return OTHER
    if char in ".!?…。！？؟۔।":
        return STOP
    if char in ",;:、，；：،؛":
        return COMMA
    if _CJK.match(char):
        return CJK
    if not char.isalnum():
        return LETTER if char == "_" else OTHER
    return DIGIT if char.isdigit() else UPPER if char.isupper() else LETTER


def is_of_word(char: str) -> bool:
    """Whether words are made of it, those of scripts without spaces aside."""
    return class_of(char) in (DIGIT, UPPER, LETTER)


def units(text: str) -> list[str]:
    """What is counted of a text: what shows, by units of UTF-16, those beyond the basic plane less their plane."""
    return [chr(ord(c) & 0xFFFF) for c in text if class_of(c) > SPACE for _ in range(1 + (ord(c) > 0xFFFF))]


def value_of(unit: str) -> int:
    """A number that stands for a character whatever its case, and for any digit."""
    lower = unit.lower() if unit.isupper() else unit
    return mix(ord("0") if unit.isdigit() else ord(lower) if len(lower) == 1 else ord(unit))


def hash_of(text: str) -> int:
    """Hash of a block's text."""
    shown = units(text)
    return sum(value_of(unit) * pow(FACTOR, i, 2**64) for i, unit in enumerate(shown)) + mix(len(shown)) & MASK


def count_tokens(text: str) -> int:
    """Runs of word characters, and CJK characters one by one."""
    starts = sum(is_of_word(char) and not is_of_word(before) for before, char in pairwise(" " + text))
    return starts + sum(class_of(char) == CJK for char in text)


def words_of(text: str) -> list[int]:
    """Words of two characters or more of a text without marks, each pair of CJK characters one, as numbers."""
    found, run, before = list[tuple[int, int]](), "", " "
    for char in f"{text} ":
        if is_of_word(char):
            run += char
        else:
            if len(run) >= 2:
                found.append((sum(map(value_of, run)), len(run)))
            run = ""
            if class_of(before) == class_of(char) == CJK:
                found.append((2 * value_of(before) + value_of(char), 5))
        before = char
    return [(letters * FACTOR & MASK) >> 32 & 0xFFFFFFFE | (length >= 5) for letters, length in found]


# ---- elements ----


def without_digits(names: str) -> str:
    """A class or an id as tokens have it: of the first bytes, no digits, one space between names."""
    cut = names.encode()[:MAX_NAME].decode("utf-8", "replace")
    return " ".join(filter(None, re.split(f"[{BLANK}]+", re.sub("[0-9]", "", cut))))


def speaks_of_comments(names: str) -> bool:
    """Whether a word of some names does: camelCase and what is no letter part words."""
    cut = names.encode()[:MAX_NAME].decode("utf-8", "replace")
    lower = _CAMEL.sub(" ", cut).translate({code: code + 32 for code in range(65, 91)})
    return any(map(_OF_COMMENTS.match, re.split(r"[\x00-\x60\x7b-\x7f]+", lower)))


@dataclass
class Element:
    """A row of the elements."""

    tag: str
    parent: int
    depth: int
    block: int
    path: tuple[tuple[str, str, str], ...]  # tag, class, id of each element from the root on
    names: tuple[str, str, str]
    flags: int
    own_flags: int
    end: int = -1
    marks: tuple[int, int] = (0, 0)
    seen: tuple[int, int] = (0, 0)


@dataclass
class Block:
    """A row of the blocks."""

    element: int
    text: str  # with marks
    span: tuple[int, int]
    pieces: list[tuple[int, str]]  # (element, text)


@dataclass
class Literal:
    """What is read of a page."""

    elements: list[Element] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    words: list[tuple[int, int, int]] = field(default_factory=list)  # number, block, element
    text: str = ""
    title: str = ""
    noscript_read: bool = False


#: ("start", element), ("end", element), or a text and the element that it stands in.
Event = tuple[str, int]


class _Walk:
    """Elements and events in document order."""

    def __init__(self, root: Any, *, keep_noscript: bool) -> None:
        self.keep_noscript = keep_noscript
        self.elements: list[Element] = []
        self.events: list[Event] = []
        self.hidden = 0  # characters inside skipped noscript elements
        self.title = ""
        self.head_read = False
        for top in (root, *root.itersiblings()):
            self.visit(top, -1)

    def start(self, tag: str, attributes: dict[str, str], parent: int) -> int:
        number = len(self.elements)
        class_, id_ = (without_digits(attributes.get(name, "")) for name in ("class", "id"))
        is_root, above = tag in ("html", "body"), self.elements[parent] if parent >= 0 else None
        own = TAG_FLAGS.get(tag, 0) | ROLE_FLAGS.get(next(iter(attributes.get("role", "").split()), "").lower(), 0)
        if "hidden" in attributes or _HIDES.search(attributes.get("style", "")):
            own |= Flag.HIDDEN
        named = (attributes.get(name, "") for name in ("class", "id", "role", "itemprop"))
        if not is_root and any(map(speaks_of_comments, named)):
            own |= Flag.COMMENT_WORD
        self.elements.append(
            Element(
                tag=tag,
                parent=parent,
                depth=1 + (above.depth if above else 0),
                block=number if ends_block(tag, attributes) else above.block if above else -1,
                path=(*(above.path if above else ()), (tag, "", "") if is_root else (tag, class_, id_)),
                names=(tag, class_, id_),
                flags=own | (above.flags if above else 0),
                own_flags=own,
            )
        )
        self.events.append(("start", number))
        return number

    def end(self, number: int) -> None:
        self.elements[number].end = len(self.elements)
        self.events.append(("end", number))

    def text(self, text: str | None, number: int) -> None:
        if text and number >= 0:
            self.events.append((f"text {text}", number))

    def visit(self, element: Any, parent: int) -> None:
        if not isinstance(element.tag, str):
            return
        number = self.start(element.tag, dict(element.attrib), parent)
        if element.tag not in SKIPPED_TAGS or (element.tag == "noscript" and self.keep_noscript):
            self.text(element.text, number)
            self.visit_all(element, number)
        elif element.tag == "noscript":
            inside = (text for text in element.xpath(".//text()") if _may_show(text))
            self.hidden += sum(char not in BLANK for char in "".join(inside))
        elif element.tag == "head":
            self.title = self.title or "".join(next(element.iter("title"), element).xpath("self::title/text()"))
            if not self.head_read:
                self.head_read = True
                number = self.body_inside(element, number, parent)
        self.end(number)

    def visit_all(self, children: Iterable[Any], number: int) -> None:
        for child in children:
            self.visit(child, number)
            self.text(child.tail, number)

    def body_inside(self, head: Any, number: int, parent: int) -> int:
        """The first head ends at what it may not hold; a body begins there."""
        children = list(head)
        first = next((i for i, child in enumerate(children) if child.tag not in HEAD_TAGS), None)
        if first is None:
            return number
        self.end(number)
        number = self.start("body", {}, parent)
        self.visit_all(children[first:], number)
        return number


def ends_block(tag: str, attributes: dict[str, str]) -> bool:
    """Whether an element is block-level: custom ones are, but MathJax's only where it says so."""
    displays = tag == "mjx-container" and attributes.get("display") == "true"
    return tag in BLOCK_TAGS or displays or ("-" in tag and not tag.startswith("mjx-"))


def _may_show(text: Any) -> bool:
    """Whether a text inside of noscript would show if that were read."""
    around = text.getparent() if text.is_text else text.getparent().getparent()
    return around.tag == "noscript" or around.tag not in SKIPPED_TAGS


def _seen(events: list[Event], elements: list[Element]) -> Iterator[Event]:
    """The events, without what of texts is not seen."""
    before = ""
    for event, number in events:
        if event.startswith("text"):
            kept = ""
            for char in event[5:]:
                if is_seen(char, before):
                    kept += char
                    before = char
            if kept:
                yield f"text {kept}", number
        else:
            if elements[number].block == number or elements[number].tag == "br":
                before = ""
            yield event, number


def _glued(events: list[Event], elements: list[Element]) -> Iterator[Event]:
    """The events, with a space where two words meet in inline elements that follow each other directly."""
    before, between = "", list[Event]()
    for event, number in events:
        if event.startswith("text"):
            started = [b for (a, _), (event_b, b) in pairwise(between) if a == "end" and event_b == "start"]
            is_boundary = any(elements[one].block == one or elements[one].tag == "br" for _, one in between)
            if started and before and not is_boundary:
                twins = any(
                    elements[one].tag == "a" and elements[one].path == elements[one - 1].path for one in started
                )
                tags = {*EXACT_TAGS, "dt"} if before[-1] == "." else EXACT_TAGS
                if words_meet(before, event[5:], twins=twins) and not is_within(started[-1], elements, tags):
                    yield "text  ", number
            before, between = event[5:], []
        else:
            between.append((event, number))
        yield event, number


def words_meet(before: str, after: str, *, twins: bool) -> bool:
    """Whether two words meet, rather than the halves of one: by what stands before and after."""
    left, right = before[-1], after[0]
    if left in ".!?:":
        return before[-2:-1].islower() and (class_of(right) == UPPER or (left == ":" and class_of(right) == DIGIT))
    if class_of(left) < DIGIT or class_of(right) < DIGIT:
        return False
    runs = [len(list(takewhile(is_of_word, text))) for text in (reversed(before), after)]
    if left.islower() and right.islower() and min(runs) >= 4:
        return True
    if twins:
        return not right.islower()
    if len(before) == 1 and left.isalpha():
        return False
    return class_of(right) == UPPER or (class_of(right) == DIGIT and left.isascii())


def is_within(number: int, elements: list[Element], tags: Collection[str]) -> bool:
    """Whether an element, or one a few levels above it, has one of these tags."""
    for _ in range(EXACT_LEVELS):
        if number < 0:
            return False
        if elements[number].tag in tags:
            return True
        number = elements[number].parent
    return False


def read(root: Any, *, break_lines: bool = False) -> Literal:
    """Read a page by its root element."""
    found = _read(root, keep_noscript=False, break_lines=break_lines)
    walk, visible = found
    if walk.hidden > NOSCRIPT_CHARS and walk.hidden > visible.seen + NOSCRIPT_CHARS:
        _, visible = _read(root, keep_noscript=True, break_lines=break_lines)
        visible.page.noscript_read = True
    return visible.page


@dataclass
class _Writing:
    """The text so far."""

    page: Literal
    size: int = 0  # bytes
    seen: int = 0
    begin: int = 0  # where the open block does, in the text
    break_at: int = -1
    pieces: list[tuple[int, str]] = field(default_factory=list)
    words: list[tuple[int, int]] = field(default_factory=list)

    def write(self, text: str) -> None:
        self.page.text += text
        self.size += len(text.encode())

    def close(self) -> None:
        """End a block, if anything of it shows."""
        owner = next((number for number, text in self.pieces if units(text)), None)
        if owner is not None:
            text = self.page.text.encode()[self.begin : self.size].decode()
            block = Block(self.page.elements[owner].block, text, (self.begin, self.size), self.pieces)
            self.page.words += [(word, len(self.page.blocks), number) for number, word in self.words]
            self.page.blocks.append(block)

    def open(self) -> None:
        self.begin, self.pieces, self.words = self.size, [], []


def _read(root: Any, *, keep_noscript: bool, break_lines: bool) -> tuple[_Walk, _Writing]:
    walk = _Walk(root, keep_noscript=keep_noscript)
    elements = walk.elements
    writing = _Writing(Literal(elements, title=" ".join(walk.title.split())[:1000]))
    for event, number in _glued(list(_seen(walk.events, elements)), elements):
        element = elements[number]
        if event.startswith("text"):
            text = written = event[5:]
            if break_lines:
                written = written.replace("\n", LINE_BREAK)
            written = "".join(" " if old in "\1\2\x0b" else new for old, new in zip(text, written, strict=True))
            writing.write(written)
            writing.pieces.append((number, text))
            writing.words += [(number, word) for word in words_of(text)]
            writing.seen += len(units(text))
            continue
        ends_block = element.block == number
        if event == "start" and element.tag == "br":
            ends_block, writing.break_at = writing.break_at == writing.seen, writing.seen
        if ends_block:
            writing.close()
        if event == "start":
            element.marks, element.seen = (writing.size, -1), (writing.seen, -1)
        else:
            element.marks, element.seen = (element.marks[0], writing.size), (element.seen[0], writing.seen)
        writing.write(START if event == "start" else END)
        if ends_block:
            writing.open()
        if event == "start" and element.tag == "br":
            writing.write(LINE_BREAK)
            writing.pieces.append((number, " "))
    writing.close()
    return walk, writing


# ---- texts ----


def text_of(marked: str, *, preformatted: bool) -> str:
    """A marked text as it is shown."""
    bare = marked.replace(START, "").replace(END, "")
    if preformatted:
        return bare.replace(LINE_BREAK, "\n").lstrip("\n\r").rstrip()
    lines = (" ".join(line.split()) for line in bare.split(LINE_BREAK))
    return "\n".join(filter(None, lines))


def root_of(html: str | bytes) -> Any:
    """The root element of HTML, comments left out; None for nothing."""
    body = html.encode("utf-8", "replace") if isinstance(html, str) else html
    parser = etree.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        return etree.fromstring(body, parser)
    except (etree.LxmlError, ValueError):
        return None


def heading_of(tag: str) -> int:
    """1 to 6 for a heading, else 0."""
    return int(tag[1]) if tag in HEADING_TAGS else 0
