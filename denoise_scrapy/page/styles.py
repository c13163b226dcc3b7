"""The style sheets that a page contains: their rules that concern what can be seen, for the core.

Pages are hostile, and many repeat one large sheet: rules are found by their braces, only those that name a property of
`_SIGHT` are parsed, and the result is kept for the next page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import Any

import tinycss2
from cssselect import SelectorError, parser
from cssselect.parser import parse

from denoise_scrapy.core.styles import StyleSheet

#: Characters of a page's style sheets that are read; the 95th percentile of recorded pages is 60,000.
MAX_CHARS = 300_000
#: Selectors that are read, the first ones; and characters of a list of them, and of declarations.
MAX_SELECTORS, MAX_SELECTOR, MAX_DECLARATIONS = 3_000, 500, 2_000
#: Conditions around a rule, such as media queries.
MAX_AROUND = 8
#: Sheets that are kept for other pages of a site.
SHEETS = 64

_SIGHT = re.compile(
    r"display|visibility|opacity|font-size|font\s*:|color|background|position|clip|indent|overflow|height|width\s*:\s*[01]"
    r"|transform|-\d{3}|\\",
    re.IGNORECASE,
)
_HIDES = re.compile(
    r"none|hidden|collapse|opacity|size\s*:\s*[0.]|font\s*:\s*0|color|-\d{3}|clip|scale|height\s*:\s*[01]|width\s*:\s*[01]|\\",
    re.IGNORECASE,
)
# Comments and strings, in which braces count for nothing; and what opens or closes a rule.
_SKIPPED = re.compile(r"""/\*.*?(?:\*/|\Z)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?""", re.DOTALL)
_PIECE = re.compile(r"[^{};]*(?:[{};]|\Z)")  # the last one too: each character is read once
# What may hide the end of a declaration, or be damaged.
_HARD = re.compile(r"[^\w\s:;.,#%!()-]")
# Media queries that hold on the screens that pages are made for; other ones may show, and hide nothing.
_ALL_MEDIA = re.compile(r"@(?:media\s+(?:only\s+)?(?:screen|all)\s*$|supports|layer|-moz-document)", re.IGNORECASE)
_SOME_MEDIA = re.compile(r"@(?:media(?!\s+print)|container)", re.IGNORECASE)
#: Conditions that a click changes.
_CLICKED = frozenset(["checked", "target", "target-within", "open", "popover-open", "focus-within"])
_SWITCHES = frozenset(["open", "aria-expanded", "aria-selected"])
# What a selector with other conditions does not contain: it is not understood.
_KNOWN = re.compile("|".join(map(re.escape, (*(f":{name}" for name in _CLICKED), *(f"[{name}" for name in _SWITCHES)))))

# A selector of names, classes and ids, one inside another.
_NAME = r"-?[a-zA-Z_][\w-]*"
_PLAIN_PART = rf"(?:{_NAME}|[.#]{_NAME}|\*)(?:[.#]{_NAME})*"
_PLAIN = re.compile(rf"\s*{_PLAIN_PART}(?:(?:\s*>\s*|\s+){_PLAIN_PART})*\s*", re.ASCII)
_NAMED = re.compile(rf"([.#]?)({_NAME})")

Compound = tuple[str, str, tuple[str, ...], bool]
Selector = tuple[tuple[int, int, int], list[Compound], bool]  # specificity, compounds, whether it is of a state


def sheet_of(root: Any) -> StyleSheet | None:
    """Return the rules of the style sheets in a page's tree, None if there are none and others may be loaded."""
    texts, is_all = list[str](), True
    for element in root.iter("style", "link"):
        if element.tag == "link":
            is_all &= "stylesheet" not in (element.get("rel") or "").lower()
        else:
            texts.append(element.text or "")
    text = "".join(texts)[:MAX_CHARS]
    is_all &= "@import" not in text
    return _sheet(text, is_all) if is_all or _HIDES.search(text) else None


@lru_cache(SHEETS)
def _sheet(text: str, is_all: bool) -> StyleSheet:
    found = list[tuple[tuple[int, int, int, int], tuple[tuple[Compound, ...], str, bool]]]()
    for number, (selectors, declarations, is_some) in enumerate(_rules(text)):
        for specificity, compounds, is_state in selectors:
            found.append(((*specificity, number), (tuple(compounds), declarations, is_state or is_some)))
    found.sort(key=lambda rule: rule[0])
    return StyleSheet([rule for _, rule in found], is_all)


def _rules(text: str) -> Iterator[tuple[list[Selector], str, bool]]:
    """Yield (selectors, declarations, whether it may not hold) of the rules that concern sight."""
    left, around = MAX_SELECTORS, list[str]()
    prelude = ""
    for match in _PIECE.finditer(_SKIPPED.sub(lambda found: '""' if found[0][0] in "\"'" else " ", text)):
        piece, end = match[0].rstrip("{};").strip(), match[0][-1:]
        if end == "{":
            around.append(piece)
            prelude = ""
        elif end == ";":
            prelude += match[0]
        elif around:
            selector, declarations = around.pop(), prelude + piece
            prelude = ""
            if len(around) > MAX_AROUND or left <= 0 or not _SIGHT.search(declarations):
                continue
            some = [name for name in around if not _ALL_MEDIA.match(name)]
            if selector.startswith("@") or not all(map(_SOME_MEDIA.match, some)):
                continue
            left -= 1 + selector.count(",")
            if len(selector) <= MAX_SELECTOR and len(declarations) <= MAX_DECLARATIONS:
                yield _selectors(selector), _written(declarations), bool(some)


def _selectors(text: str) -> list[Selector]:
    """Return the selectors of a list that are understood."""
    found = list[Selector]()
    for one in text.split(","):
        bare = one.replace("\\:", "").replace("\\[", "")  # names of Tailwind: hidden lg:flex
        if _PLAIN.fullmatch(one):
            found.append(plain_selector(one))
        elif (":" not in bare and "[" not in bare) or _KNOWN.search(one.lower()):
            found += read_selectors(one)
    return found


def plain_selector(text: str) -> Selector:
    """Read a selector of names, classes and ids, as most are: a tenth of cssselect's time."""
    found, ids, is_child = list[Compound](), 0, False
    for part in text.replace(">", " > ").split():
        if part == ">":
            is_child = True
            continue
        names = _NAMED.findall(part)[::-1]
        tag = next((name.lower() for mark, name in names if not mark), "")
        classes = [name for mark, name in names if mark == "."]
        of_id = [name for mark, name in names if mark == "#"]
        ids += len(of_id)
        found.append((tag, of_id[-1] if of_id else "", tuple(classes), is_child))
        is_child = False
    is_state = any(tag in {"html", "body"} and classes for tag, _, classes, _ in found)
    specificity = (ids, sum(len(classes) for _, _, classes, _ in found), sum(tag != "" for tag, *_ in found))
    return specificity, found[::-1], is_state


def read_selectors(text: str) -> list[Selector]:
    """Read selectors as cssselect does, without those that are not understood."""
    found = list[Selector]()
    with suppress(SelectorError, RecursionError):
        for selector in parse(text):
            read = _compounds(selector.parsed_tree)
            if read is not None and not selector.pseudo_element:
                found.append((selector.specificity(), *read))
    return found


def _written(declarations: str) -> str:
    """Return declarations as tinycss2 reads them: what is damaged is left out, escapes are decoded."""
    if not _HARD.search(declarations):  # most: tinycss2 takes more time for a large sheet than a body
        return declarations
    read = tinycss2.parse_blocks_contents(declarations, skip_comments=True, skip_whitespace=True)
    return ";".join(
        f"{one.lower_name}:{tinycss2.serialize(one.value)}{' !important' if one.important else ''}"
        for one in read
        if one.type == "declaration"
    )


def _compounds(tree: Any) -> tuple[list[Compound], bool] | None:
    """Return a selector's compounds, the last one first, and whether it is of a state; None if it is not understood."""
    found, is_state, is_child = list[Compound](), False, False
    while True:
        before: Any = None
        if isinstance(tree, parser.CombinedSelector):
            before, combinator, tree = tree.selector, tree.combinator, tree.subselector
            is_child = combinator == ">"
            is_state |= combinator in "+~"
        else:
            is_child = False
        classes, id_ = list[str](), ""
        while not isinstance(tree, parser.Element):
            if isinstance(tree, parser.Class):
                classes.append(tree.class_name)
            elif isinstance(tree, parser.Hash):
                id_ = tree.id
            elif (isinstance(tree, parser.Pseudo) and tree.ident.lower() in _CLICKED) or (
                isinstance(tree, parser.Attrib) and tree.attrib in _SWITCHES
            ):
                is_state = True
            else:
                return None
            tree = tree.selector
        tag = (tree.element or "").lower()
        is_state |= tag in {"html", "body"} and bool(classes)  # which scripts change
        found.append((tag, id_, tuple(classes), is_child))
        if before is None:
            return found, is_state
        if is_state and "+~".find(combinator) >= 0:
            return found, True
        tree = before
