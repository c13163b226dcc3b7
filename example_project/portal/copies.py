"""Plants near-duplicates of stories, and pages that only look like duplicates."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import accumulate

from example_project.portal.grammar import pairs, polish
from example_project.portal.model import Block, Story, tokens

OPENINGS = {
    "en": ("Meanwhile, ", "As reported, ", "This week, ", "It is official: "),
    "zh": ("日前，", "据悉，", "本报讯 ", "消息称，"),
}


def _size(blocks: tuple[Block, ...]) -> int:
    return sum(len(tokens(block.truth)) for block in blocks)


def reprint(rng: random.Random, story: Story, path: str, author: str, date: str) -> Story:
    """Return the story under another byline and date, its first words changed."""
    first, *rest = story.blocks
    opening = rng.choice(OPENINGS[story.lang])
    lead = replace(first, text=opening + first.text[:1].lower() + first.text[1:])
    return replace(
        story,
        path=path,
        author=author,
        date=date,
        blocks=(lead, *rest),
        comments=(),
        copy_of=story.path,
        how="reprint",
    )


def cut(rng: random.Random, story: Story, path: str) -> Story:
    """Return the first 50-70% of the story, as an editor short of space would."""
    aim = rng.uniform(0.52, 0.66) * _size(story.blocks)
    sizes = accumulate(_size((block,)) for block in story.blocks)
    count = min(range(len(story.blocks)), key=lambda n, s=list(sizes): abs(s[n] - aim)) + 1  # type: ignore[misc]
    blocks = story.blocks[:count]
    if blocks[-1].kind == "h2":
        blocks = blocks[:-1]
    return replace(story, path=path, blocks=blocks, comments=(), copy_of=story.path, how="cut")


def edit(rng: random.Random, story: Story, path: str) -> Story:
    """Return the story with 2-5% of its words replaced by synonyms."""
    left = int(0.045 * _size(story.blocks))
    wordings = [(f" {a} ", f" {b} ") if story.lang == "en" else (a, b) for a, b in pairs("synonyms")]
    rng.shuffle(wordings)
    blocks = list(story.blocks)
    order = [n for n, block in enumerate(blocks) if block.kind == "p"]
    for old, new in wordings * 3:
        for n in rng.sample(order, len(order)):
            cost = len(tokens(new))
            if old in blocks[n].text and cost <= left:
                blocks[n] = replace(blocks[n], text=blocks[n].text.replace(old, new, 1))
                left -= cost
    return replace(story, path=path, blocks=tuple(blocks), comments=(), copy_of=story.path, how="edit")


def quoting(rng: random.Random, story: Story, source: Story) -> Story:
    """Return the story with a fifth to a quarter of its text quoted from `source`: not a duplicate."""
    sentences = [s for block in source.blocks if block.kind == "p" for s in _sentences(block.text)]
    start = rng.randrange(len(sentences) // 2)
    aim = 0.29 * _size(story.blocks)  # share of its own text: 22-23% of the whole
    taken: list[str] = []
    for sentence in sentences[start:] + sentences[:start]:
        if len(tokens(" ".join(taken))) >= aim:
            break
        taken.append(sentence)
    quote = Block("quote", ("" if story.lang == "zh" else " ").join(taken))
    place = len(story.blocks) // 2
    return replace(story, blocks=(*story.blocks[:place], quote, *story.blocks[place:]))


def extended(brief: Story, story: Story) -> Story:
    """Return the full story that begins with the brief: it has more content, so it is not a duplicate."""
    return replace(
        story,
        title=polish(f"{brief.title}: the full report"),
        blocks=(*brief.blocks, *story.blocks),
    )


def _sentences(text: str) -> list[str]:
    mark = "。" if "。" in text else ". "
    parts = text.split(mark)
    return [part + mark.strip() for part in parts[:-1] if part] + [p for p in parts[-1:] if p]
