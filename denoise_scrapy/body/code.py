"""Blocks of code: their language, by class names or a label beside them, and the labels and buttons around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

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
    r"[.](?:[\w-]{1,20}-)?(?:language|lang|highlight-source|highlight)-([a-z][a-z+#-]{0,20})(?![\w+#-])", re.I
)
#: What a button that copies says in nine languages, in whichever element.
COPIES = re.compile(r"(?:copy|copied|kopier|copier|copié|copi[ao]|скопир|копир|复制|複製|コピー|복사)", re.IGNORECASE)
#: Maximum words of a text beside code in its frame: file names, buttons.
FRAME_TOKENS = 6
#: Elements around code that may be its frame.
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
    pres = e.subtree_sums(is_pre)
    for pre in np.flatnonzero(is_pre & (pres == 1)).tolist():
        frame, inside = pre, range(0)
        for _level in range(LEVELS):
            above = int(e.parent[frame])
            if above < 0 or pres[above] > 1 or no_label[above]:
                break
            first, last = np.searchsorted(blocks.start, e.rows["marks"][above].tolist()).tolist()
            others = ~is_code[first:last]
            if (blocks.tokens[first:last][others] > FRAME_TOKENS).any() or others.sum() > FRAME_TOKENS:
                break
            frame, inside = above, range(first, last)
        labels = dict[int, str]()
        for block in (block for block in inside if not is_code[block] and not no_label[blocks.element[block]]):
            for holder, text in _holders(page, block, frame):
                name = "-".join(text.lower().split())
                if name in LANGUAGES or name == language_of(page, pre):
                    labels[holder] = name
                elif COPIES.match(name):
                    found.buttons.append(holder)
        if len(labels) == 1:  # several are tabs
            found.labels.extend(labels)
            found.languages.update((pre, name) for name in labels.values() if name not in _UNKNOWN)
    return found


def _holders(page: Page, block: int, frame: int) -> Iterator[tuple[int, str]]:
    """Yield the largest elements in a frame that hold only one of the texts of a block, each with its text."""
    e, seen = page.elements, page.elements.rows["seen"]
    first, last = np.searchsorted(e.marks, [page.blocks.start[block] - 1, page.blocks.end[block]]).tolist()
    of_block = (page.blocks.block_of_text[first:last] == block) & (e.visible_after[first:last] > 0)
    for mark in (first + np.flatnonzero(of_block)).tolist():
        element, found = int(e.text_owner[mark]), -1
        while element > frame and seen["end"][element] - seen["start"][element] == e.visible_after[mark]:
            found = element
            element = int(e.parent[element])
        if found >= 0:
            yield found, page.tree.slice(int(e.marks[mark]) + 1, int(e.text_ends[mark]))


def language_of(page: Page, element: int) -> str:
    """Return the language that the classes of an element name, "" for none."""
    step = page.elements.step(element)
    named = _NAMED.search(step)
    name = named[1].lower() if named else ""
    if not name and step.startswith(("pre", "code", "figure.highlight")):
        words = step.lower().replace(":", "").split(".")[1:]
        name = next((word for word in words if word in LANGUAGES and len(word) > 1), "")
    return "" if name in _UNKNOWN else name
