"""The document around the blocks: what the page is, a legend with switches, the extracted text, our style and script.

It asks for nothing: its policy allows our own style and script, by their hashes, and pictures in the document itself.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from denoise_scrapy.body.explanation.drawing import Drawing
from denoise_scrapy.body.explanation.safe_text import shown
from denoise_scrapy.body.explanation.verdicts import CLASSES, Verdict
from denoise_scrapy.body.result import Body

#: Characters of a name, an address or a title: two lines.
NAME_LENGTH = 300
#: Comparison pages that are listed: as many as a strategy may be given.
PAGES = 64


@dataclass(frozen=True)
class Facts:
    """What the document tells beside the blocks.

    Attributes:
        name: Address or name of the page.
        title: Its title.
        body: What was made of it.
        verdicts: What became of its blocks.
        counts: Blocks and words of each class.
        comparison: See `Explanation.comparison`.
    """

    name: str
    title: str
    body: Body
    verdicts: Sequence[Verdict]
    counts: Mapping[str, tuple[int, int]]
    comparison: Sequence[tuple[str, str]]


def write_document(facts: Facts, drawing: Drawing) -> str:
    """The whole file."""
    style, script = _asset("page.css"), _asset("page.js")
    return Template(_asset("page.html")).substitute(
        policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        title=shown(facts.title or facts.name or "A page", NAME_LENGTH),
        name=shown(facts.name, NAME_LENGTH),
        facts="".join(f"<div><dt>{name}</dt><dd>{shown(told)}</dd></div>" for name, told in _facts(facts.body)),
        notices="".join(f'<p class="notice">{told}</p>' for told in _notices(facts, drawing)),
        pages=_pages(facts.comparison),
        legend="".join(_switch(name, *facts.counts[name]) for name in CLASSES),
        blocks=drawing.html or '<p class="none">The page has no text.</p>',
        text="".join(_paragraphs(facts.verdicts)) or '<p class="none">No text was kept.</p>',
    )


def _facts(body: Body) -> Iterator[tuple[str, str]]:
    if body.kind:
        yield "kind of page", f"{body.kind} ({body.kind_probabilities[body.kind]:.0%})"
    yield "expected F1", f"{body.confidence:.2f}"
    yield "strategy", body.strategy
    yield "rests on", body.evidence
    if body.fallback:
        yield "fallback", body.fallback


def _notices(facts: Facts, drawing: Drawing) -> Iterator[str]:
    if not facts.body.comparison:
        yield "The page was judged alone: without a comparison page nothing is known to be template."
    if drawing.blocks < len(facts.verdicts):
        yield (
            f"{drawing.blocks:,} of the page's {len(facts.verdicts):,} blocks are drawn, kept ones first; the counts "
            "and the text are whole."
        )


def _pages(comparison: Sequence[tuple[str, str]]) -> str:
    """The comparison pages, folded."""
    used = sum(not lack for _, lack in comparison)
    if not comparison:
        return ""
    lines = "".join(
        f"<li>{shown(name, NAME_LENGTH)}{' <em>' * bool(lack)}{shown(lack)}{'</em>' * bool(lack)}</li>"
        for name, lack in comparison[:PAGES]
    )
    summary = f"Compared with {used} page{'s' * (used != 1)}"
    return f'<details class="pages" open><summary>{summary}</summary><ol>{lines}</ol></details>'


def _switch(name: str, blocks: int, words: int) -> str:
    return (
        f'<label class="switch {name}"><input type="checkbox" id="show-{name}" checked autocomplete="off">'
        f"<span><b>{name}</b> {blocks:,} block{'s' * (blocks != 1)}, {words:,} word{'s' * (words != 1)}"
        f"<small>{CLASSES[name]}</small></span></label>"
    )


def _paragraphs(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """The extracted text, a paragraph for each block."""
    for number, verdict in enumerate(verdicts):
        if verdict.block.kept:
            kind = ' class="code"' if verdict.preformatted else ""
            yield f'<p id="t{number}" dir="auto"{kind}>{shown(verdict.block.text)}</p>'


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8").strip()


def _hash(source: str) -> str:
    """A source as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
