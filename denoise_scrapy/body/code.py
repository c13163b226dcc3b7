"""Blocks of code: their language, by class names or a label beside them, and the labels and buttons around them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from denoise_scrapy.core.characters import DIGIT
from denoise_scrapy.core.markup import HEADING_TAGS
from denoise_scrapy.page import Flag, Page

#: Languages as labels and class names name them, in lower case; those of highlighters that occur on recorded pages.
LANGUAGES = frozenset(
    "ada apl applescript asm assembly awk bash basic bat batch c c# c++ clj clojure cmake cmd cobol coffeescript "
    "console cpp crystal cs csharp css csv cuda cython d dart diff django docker dockerfile dotenv elixir elm erb "
    "erlang f# fortran fsharp gherkin git glsl go golang gql gradle graphql groovy haml handlebars haskell hcl hs "
    "html http ini ipython java javascript jinja js json jsonc jsx julia kotlin kt latex less lisp llvm lua make "
    "makefile markdown matlab md mdx mermaid mysql nginx nim nix nodejs objc objective-c objectivec ocaml pascal "
    "perl php plain-text plaintext plsql postgresql powershell prisma prolog properties proto protobuf ps puppet "
    "pwsh py pycon python qml r racket razor rb regex rst ruby rust sass scala scheme scss sh sh-session shell "
    "shell-session shellsession solidity sql sqlite svelte svg swift systemverilog tcl terminal terraform tex "
    "text toml ts tsx twig txt typescript vala vb verilog vhdl vim vue wasm xml xquery yaml yml zig zsh".split()
)
_UNKNOWN = {"default", "none", "text", "plain", "plaintext", "plain-text", "txt", "notranslate"}
#: How highlighters name a language in the classes of `code`, `pre`, or an ancestor.
_NAMED = re.compile(
    r"[.](?:[\w-]{1,20}-)?(?:language|lang|src|highlight-source|highlight)-([a-z][a-z+#-]{0,20})(?![\w+#-])", re.I
)
#: What a button that copies says in nine languages, in whichever element.
COPIES = re.compile(r"(?:copy|copied|kopier|copier|copié|copi[ao]|скопир|копир|复制|複製|コピー|복사)", re.IGNORECASE)
#: Maximum words of a text beside code in its frame, as file names, buttons; and of a tab: "From source".
FRAME_TOKENS = 6
#: Visible characters of a link that is only the sign of a note, or "[view source code]".
LINK_CHARS = 16
#: Elements around code that may be its frame; and what generators put around a heading, a title, a panel or a note.
LEVELS = 4
#: What holds a label, but is more than that.
_NO_LABELS = HEADING_TAGS | {"li", "dt", "dd", "td", "th", "caption", "figcaption", "summary"}


class CodeFrames(NamedTuple):
    """Labels and buttons around the code of a page.

    Attributes:
        labels: Elements with only the name of a language.
        buttons: Elements with only an offer to copy.
        languages: The language of each `pre` that has a label.
    """

    labels: list[int]
    buttons: list[int]
    languages: dict[int, str]


def code_frames(page: Page) -> CodeFrames:
    """Return the labels and buttons in the frames of a page's code: elements with code and some short texts."""
    found = CodeFrames([], [], {})
    e, blocks = page.elements, page.blocks
    if not e.holds_tag({"pre"}):
        return found
    is_pre = e.has_tag({"pre"})
    is_code = blocks.has(Flag.PREFORMATTED)
    no_label = e.has_tag(_NO_LABELS)
    pres, around = e.subtree_sums(is_pre), e.nearest(no_label)
    texts = np.bincount(e.text_owner[e.visible_after > 0], minlength=len(e))
    holds_one = (e.subtree_sums(texts) == 1) & (e.nearest(is_pre) < 0)
    for pre in np.flatnonzero(is_pre & (pres == 1)).tolist():
        frame = pre
        for _level in range(LEVELS):
            above = int(e.parent[frame])
            if above < 0 or pres[above] > 1 or no_label[above]:
                break
            first, last = np.searchsorted(blocks.start, e.rows["marks"][above].tolist()).tolist()
            others = ~is_code[first:last]
            if (blocks.tokens[first:last][others] > FRAME_TOKENS).any() or others.sum() > FRAME_TOKENS:
                break
            frame = above
        if frame == pre:
            continue
        labels = defaultdict[str, list[int]](list)
        for element in (frame + 1 + np.flatnonzero(holds_one[frame + 1 : int(e.end[frame])])).tolist():
            name = "-".join(page.tree.text_in(element).lower().split())
            if around[element] > frame:
                continue
            if name in LANGUAGES or name == language_of(page, pre):
                labels[name].append(element)
            elif COPIES.match(name):
                found.buttons.append(element)
        if len(labels) == 1:  # several are tabs
            [(name, elements)] = labels.items()
            found.labels.extend(elements)
            if name not in _UNKNOWN:
                found.languages[pre] = name
    return found


_NUMBER, _ALONE = re.compile(r"\s*(\d+)"), re.compile(r"\d{1,6}")


def line_numbers(page: Page) -> list[int]:
    r"""Return the elements that only number the lines of code: all right before it, or one at the start of each line.

    Example:
        >>> page = Page.parse("<table><tr><td>8<br>9</td><td><pre>a = 3\nb = 4</pre></td></tr></table>")
        >>> [page.tags()[element] for element in line_numbers(page)]
        ['td']
    """
    blocks, found = page.blocks, list[int]()
    digits, is_code = blocks.rows["counts"][:, DIGIT], blocks.has(Flag.PREFORMATTED)
    for block in (is_code & (digits > 1)).nonzero()[0].tolist():
        text = page.block_text(block)
        numbers = [start[1] for start in map(_NUMBER.match, text.split("\n")) if start]
        if len(numbers) > text.count("\n") and _are_in_order(numbers) and not "".join(text.split()).isdecimal():
            found += _numbers_within(page, int(blocks.element[block]), numbers)
    alone = (digits == blocks.rows["chars"]).nonzero()[0]
    tags = page.tags() if len(alone) else []
    for run in np.split(alone, np.flatnonzero(np.diff(alone) > 1) + 1) if len(alone) else ():
        first, end = int(run[0]), int(run[-1]) + 1
        if end < len(blocks) and (is_code[end] or "code" in tags[blocks.element[end] : blocks.element[end] + 2]):
            elements = blocks.element[run].tolist()
            others = {int(blocks.element[other]) for other in (first - 1, end) if other >= 0}
            holds_more = any(one <= other < page.elements.end[one] for one in elements for other in others)
            if not holds_more and _are_in_order(" ".join(map(page.block_text, range(first, end))).split()):
                found += elements
    return found


def _are_in_order(words: Sequence[str]) -> bool:
    """Return whether some words are numbers, each one more than the one before."""
    return len(words) > 1 and all(map(_ALONE.fullmatch, words)) and {*np.diff([int(word) for word in words])} == {1}


def _numbers_within(page: Page, code: int, numbers: list[str]) -> list[int]:
    """Return the elements of one kind in code whose texts are these numbers."""
    tokens = page.elements.rows["token"][code + 1 : page.elements.end[code]]
    in_order = np.argsort(tokens, kind="stable")
    for alike in np.split(code + 1 + in_order, np.flatnonzero(np.diff(tokens[in_order])) + 1):
        found: list[int] = alike.tolist()
        if len(found) == len(numbers) and [page.tree.text_in(one).strip() for one in found] == numbers:
            return found
    return []


def language_of(page: Page, element: int) -> str:
    """Return the language that the classes of an element name, "" for none."""
    return _language_in(page.elements.step(element))


@lru_cache(1_000)
def _language_in(step: str) -> str:
    named = _NAMED.search(step)
    name = named[1].lower() if named else ""
    if not name and step.startswith(("pre", "code", "figure.highlight")):
        words = re.split("[.:;]", step.lower())[1:]
        name = next((word for word in words if word in LANGUAGES and len(word) > 1), "")
    return "" if name in _UNKNOWN else name
