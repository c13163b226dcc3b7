"""Writes the manual of an invented tool in two versions, with steps, tables and code."""

from __future__ import annotations

import random

from example_project.portal.grammar import Voice, rules
from example_project.portal.model import Block, Story, tokens

CHAPTERS = (
    "start",
    "install",
    "config",
    "snapshot",
    "restore",
    "retain",
    "crypt",
    "schedule",
    "remote",
    "filter",
    "log",
    "cli",
    "api",
    "trouble",
    "upgrade",
)
VERSIONS = ("2.8", "3.0")


def _paragraph(voice: Voice) -> Block:
    sentences: list[str] = []
    size = voice.rng.randint(30, 90)
    while sum(len(tokens(sentence)) for sentence in sentences) < size:
        sentences.append(voice.say("s"))
    return Block("p", " ".join(sentences))


def _table(voice: Voice) -> Block:
    options = sorted({voice.raw("@opt") for _ in range(3)})
    rows = [("Option", "Default", "Meaning")]
    rows += [(f"<b>{option}</b>", voice.raw("cell"), voice.raw("why")) for option in options]
    return Block("table", rows=tuple(rows))


def _code(voice: Voice) -> Block:
    """Return a terminal session or a piece of the configuration file."""
    rng = voice.rng
    if rng.random() < 0.5:
        section, _, key = voice.raw("@opt").partition(".")
        lines = [f"[{section}]", f"{key} = {rng.randint(1, 99)}", f'name = "{voice.raw("noun2")}"']
        return Block("pre", "\n".join(lines))
    lines = [f"$ {voice.raw('@cmd')} --vault /srv/v{rng.randint(1, 9)}"]
    for _ in range(rng.randint(2, 5)):
        noun = voice.raw("@noun")
        lines.append(f"{rng.getrandbits(32):08x}  {noun:<20} {rng.randint(1, 900):>4} MB")
    return Block("pre", "\n".join([*lines, f"done in {rng.randint(1, 90)} s"]))


def _steps(voice: Voice) -> Block:
    steps = [voice.say("step") for _ in range(voice.rng.randint(3, 6))]
    return Block("ol", rows=tuple((step,) for step in steps))


def write_chapter(rng: random.Random, chapter: str, version: str) -> Story:
    """Return a chapter of a version: the same subject in new words."""
    voice = Voice(rng, rules("docs_en", "more_docs"), chapter)
    blocks = [Block("p", voice.say("lead")), _paragraph(voice)]
    for _ in range(rng.randint(2, 5)):
        blocks += [Block("h2", voice.say("sub")), _paragraph(voice)]
        extra = rng.choice((_table, _code, _steps, _paragraph))
        blocks.append(extra(voice))
    return Story(
        path=f"/docs/{version}/{chapter}.html",
        lang="en",
        topic=version,
        title=voice.raw("@title"),
        teaser=voice.say("lead"),
        author="",
        date="",
        blocks=tuple(blocks),
    )
