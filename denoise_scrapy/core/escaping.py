"""Escaping of texts in Markdown: what looks like markup to any reader of it, including HTML."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

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
ADDRESS = re.compile(r":(?=//)|(?<=[wW]{3})\.")
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
    return _INSIDE.sub(entity, text)


def entity(found: re.Match[str]) -> str:
    """Return a character that was found as an entity."""
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
    tex = _OF_LINKS.sub(entity, tex.translate(_OF_FORMULAS))
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
