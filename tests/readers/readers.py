"""All readers of Markdown that ours has to be safe in: 37 of 15 libraries in their flavours as they are shipped.

Raw HTML is let through, but in those that do not by default.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import lxml.html
import pytest

from denoise_scrapy.core.written import WRITTEN
from tests.hostile.checks import read_document

HERE = Path(__file__).parent
#: What npm installs, once for each environment.
INSTALLED = Path(sys.prefix) / "readers"
Reader = Callable[[str], str]

#: What sites with Material for MkDocs switch on, but for formulas: `$a$` in a text is one wherever it stands.
_MATERIAL = (
    "abbr admonition attr_list def_list footnotes md_in_html tables toc pymdownx.betterem "
    "pymdownx.blocks.admonition pymdownx.blocks.caption pymdownx.blocks.definition pymdownx.blocks.details "
    "pymdownx.blocks.html pymdownx.blocks.tab pymdownx.caret pymdownx.critic pymdownx.details pymdownx.emoji "
    "pymdownx.highlight pymdownx.inlinehilite pymdownx.keys pymdownx.magiclink pymdownx.mark pymdownx.smartsymbols "
    "pymdownx.superfences pymdownx.tabbed pymdownx.tasklist pymdownx.tilde"
).split()
_MARKDOWN2_EXTRAS = "cuddled-lists fenced-code-blocks footnotes header-ids smarty-pants strike tables task_list".split()


@cache
def python_readers() -> Mapping[str, Reader]:
    """Return the readers in Python; imported when they are needed."""
    import cmarkgfm
    import commonmark
    import markdown
    import markdown2
    import marko
    import mistletoe
    import mistune
    from cmarkgfm.cmark import Options
    from markdown_it import MarkdownIt

    return {
        "markdown-it-py": MarkdownIt("commonmark", {"html": True, "maxNesting": 1000})
        .enable(["table", "strikethrough"])
        .render,
        "markdown-it-py-js": MarkdownIt("js-default").render,
        "markdown-it-py-gfm": MarkdownIt("gfm-like").render,
        "markdown-it-py-zero": MarkdownIt("zero").render,
        "mistune": mistune.create_markdown(
            escape=False, plugins=["table", "strikethrough", "url", "footnotes", "task_lists", "def_list"]
        ),
        "mistune-plain": mistune.create_markdown(escape=False),
        "cmark-gfm": lambda text: cmarkgfm.github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE),
        "cmark": lambda text: cmarkgfm.markdown_to_html(text, Options.CMARK_OPT_UNSAFE),
        "Python-Markdown": markdown.markdown,
        "Python-Markdown-extra": lambda text: markdown.markdown(text, extensions=["extra", "sane_lists"]),
        "Python-Markdown-mkdocs": lambda text: markdown.markdown(
            text, extensions=["tables", "fenced_code", "attr_list", "admonition", "def_list", "toc"]
        ),
        "Python-Markdown-blocks": lambda text: markdown.markdown(text, extensions=["pymdownx.blocks.html"]),
        "Python-Markdown-material": lambda text: markdown.markdown(text, extensions=_MATERIAL),
        "markdown2": markdown2.markdown,
        "markdown2-extras": lambda text: markdown2.markdown(text, extras=_MARKDOWN2_EXTRAS),
        "commonmark.py": commonmark.commonmark,
        "marko": marko.Markdown(extensions=["gfm"]).convert,
        "mistletoe": mistletoe.markdown,
    }


#: What readers make of their own: lines, task lists, footnotes, wrappers of code.
_TAGS = frozenset([*WRITTEN, "hr", "html", "body", "span", "section", "input"])
#: With names of headings (toc), alignment of columns, the classes of code, and what footnotes and task boxes have.
_ATTRIBUTES = frozenset(["lang", "href", "src", "alt", "start", "class", "id", "align", "style", "width", "height"])
_OF_NOTES = frozenset(["title", "role", "aria-label", "aria-describedby", "type", "checked", "disabled"])
#: Addresses of links that readers make of a text.
_LINKED = re.compile(r"(?:https?|ftp)://|(?:mailto:)?[\w.+-]+@[\w.@-]+$")


#: Readers without fences, and those that have none in lists and quotes: they take some code for markup.
WITHOUT_FENCES = frozenset(
    "Python-Markdown Python-Markdown-blocks Python-Markdown-extra Python-Markdown-mkdocs markdown2 marked-pedantic "
    "showdown-original".split()
)
#: What may become of code there: elements that do nothing, with attributes that do nothing.
_IDLE = re.compile("class|classname|id|type|name|value|title|for|lang|role|key|(?:aria|data)-.*")
_ACTIVE = re.compile("on.*|.*(?:src|href|style|action).*|data|poster|background|cite|ping")


def check_code_as_markup(reading: str, ours: str) -> None:
    """Nothing in what a reader without fences made of our code runs, loads or leads to another site."""
    known = _addresses(ours)
    for tag, attributes in read_document(reading).found:
        assert tag not in ("script", "style"), f"<{tag}> of code"
        for name, value in attributes.items():
            assert not value or name in _ATTRIBUTES or _IDLE.fullmatch(name), f"{name} of <{tag}>: {value}"
            leads = name in ("href", "src") and re.match(r"\w+:|//", value) is not None
            linked = tag == "a" and _LINKED.match(value) is not None
            assert not leads or linked or (name, _plain(value)) in known, f"{name} of <{tag}>: {value}"
            assert name in ("href", "src", "style") or not _ACTIVE.fullmatch(name) or not value, f"{name} of <{tag}>"


def code_of(reading: str) -> list[str]:
    """The texts of the blocks of code in a reading."""
    root = lxml.html.fragment_fromstring(reading, create_parent="div")
    return [str(one.text_content()) for one in root.iter("pre")]


def check_reading(reading: str, ours: str) -> None:
    """Nothing in what a reader made of our Markdown runs or leads anywhere that our HTML of the same body does not."""
    known = _addresses(ours)
    for tag, attributes in read_document(reading).found:
        assert tag in _TAGS, f"<{tag}> of a text"
        for name, value in attributes.items():
            of_notes = name in _OF_NOTES or name.startswith("data-footnote")
            assert name in _ATTRIBUTES or of_notes, f"{name} of <{tag}>"
            assert name != "style" or value.startswith(("text-align", "list-style-type", "margin")), (
                f"style of <{tag}>: {value}"
            )
        for name in {"href", "src"} & set(attributes):
            value = attributes[name]
            found = name, _plain(value)
            # by itself; of a footnote, to a place on the page, where no address of ours leads
            linked = tag == "a" and (_LINKED.match(value) or value.startswith("#"))
            assert found in known or linked, f"{name} of <{tag}>: {value}"


def elements(reading: str) -> Counter[str]:
    """How often a reading has each element."""
    return Counter(tag for tag, _ in read_document(reading).found)


def _addresses(document: str) -> set[tuple[str, str]]:
    found = read_document(document).found
    return {(name, _plain(value)) for _, told in found for name, value in told.items() if name in ("href", "src")}


def _plain(address: str) -> str:
    """An address as all readers write it: they escape one more character, or one less."""
    return unquote(unescape(address))


def _install() -> None:
    """Install the readers of npm, unless they are there; processes of one test run wait for each other."""
    import fcntl

    wanted, done = (HERE / "package.json").read_text("utf-8"), INSTALLED / "installed.json"
    INSTALLED.mkdir(exist_ok=True)
    with (INSTALLED / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists() or done.read_text("utf-8") != wanted:
            shutil.copy(HERE / "package.json", INSTALLED)
            command = ["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(INSTALLED)]
            subprocess.run(command, check=True, timeout=300)
            done.write_text(wanted, "utf-8")


@contextmanager
def node_readers() -> Iterator[Callable[[str], dict[str, str]]]:
    """What each reader of npm makes of a text; installs them once, skips or fails the test where there is no npm."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        (pytest.fail if os.environ.get("DENOISE_REQUIRE_SERVERS") else pytest.skip)("apt-get install npm")
    _install()
    command = ["node", str(HERE / "readers.mjs"), str(INSTALLED)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdin is not None and process.stdout is not None
        asked, answers = process.stdin, process.stdout

        def read(text: str) -> dict[str, str]:
            asked.write(json.dumps(text) + "\n")
            asked.flush()
            found: dict[str, str] = json.loads(answers.readline())
            return found

        yield read
