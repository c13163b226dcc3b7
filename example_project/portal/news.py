"""Writes news stories: paragraphs, subheads, quotes and lists from the English and Chinese grammars."""

from __future__ import annotations

import random
import re

from example_project.portal.grammar import Voice, polish, rules
from example_project.portal.model import Block, Story, tokens

GRAMMARS = {
    "en": ("news_en", "topics_en", "site_en", "nicks"),
    "zh": ("news_zh", "more_zh", "nicks"),
}
TOPICS = {
    "en": ("harbour", "school", "rail", "football", "health", "weather", "culture", "factory", "farm", "science"),
    "zh": ("bridge", "tea", "school", "museum", "market", "river", "library", "hospital", "railway", "kitchen"),
}
DATES = {"en": "{} November 2024", "zh": "2024年11月{}日"}
LENGTHS = {"en": (200, 330, 420, 560, 730, 900), "zh": (260, 420, 600, 800, 1000)}


def name(voice: Voice, lang: str) -> str:
    """Return a full name."""
    if lang == "zh":
        return voice.raw("surname") + voice.raw("given")
    return f"{voice.raw('first')} {voice.raw('last')}"


def cast(rng: random.Random, lang: str, topic: str) -> dict[str, str]:
    """Return the people and places that keep their names through one story."""
    voice = Voice(rng, rules(*GRAMMARS[lang]), topic)
    names = {"town": voice.raw("town"), "body": voice.raw("@body")}
    for letter in "ABC":
        names[letter] = name(voice, lang)
        names[f"{letter}last"] = names[letter].split()[-1]
        names[f"{letter}role"] = voice.raw("@role")
    return names


def paragraph(voice: Voice, size: int, lang: str) -> Block:
    """Return a paragraph of about `size` tokens, one sentence in four a quotation."""
    sentences: list[str] = []
    while sum(len(tokens(sentence)) for sentence in sentences) < size:
        quoted = voice.rng.random() < 0.25
        sentences.append(voice.say("quoted" if quoted else "s"))
    return Block("p", ("" if lang == "zh" else " ").join(sentences))


def listing(voice: Voice) -> list[Block]:
    """Return an introduction and the list that it introduces."""
    count = voice.rng.randint(3, 5)
    items = tuple((polish(voice.raw("item")),) for _ in range(count))
    words = ("", "", "", "three", "four", "five")
    voice.names["n"] = words[count]
    return [Block("p", voice.say("listlead")), Block("ul", rows=items)]


def body(voice: Voice, size: int, lang: str) -> tuple[Block, ...]:
    """Return the blocks of a story of about `size` tokens."""
    blocks = [paragraph(voice, min(size, voice.rng.randint(40, 70)), lang)]
    listed = lang == "zh"
    while (written := sum(len(tokens(block.truth)) for block in blocks)) < size * 0.93:
        if written > 250 and voice.rng.random() < 0.2 and blocks[-1].kind == "p":
            blocks.append(Block("h2", voice.say("sub")))
        if not listed and written > 300 and voice.rng.random() < 0.25:
            blocks += listing(voice)
            listed = True
        blocks.append(paragraph(voice, voice.rng.randint(40, 100), lang))
    return tuple(blocks)


def slug(title: str) -> str:
    """Return the words of an English title as they appear in a URL."""
    return "-".join(re.findall(r"[a-z]+", title.lower())[:6])


def write(rng: random.Random, lang: str, topic: str, number: int, *, size: int = 0, where: str = "") -> Story:
    """Return story `number` on a topic; `size` in tokens, 0 to choose one."""
    voice = Voice(rng, rules(*GRAMMARS[lang]), topic, cast(rng, lang, topic))
    heads = voice.grammar[f"{topic}.head"]
    title = polish(voice.fill(heads[number % len(heads)]))
    path = f"/{where or 'news'}/{slug(title)}-{1000 + 7 * number}.html"
    if lang == "zh":
        path = f"/{where or 'xinwen'}/2024/11/{2000 + 3 * number}.html"
    blocks = body(voice, size or rng.choice(LENGTHS[lang]), lang)
    return Story(
        path=path,
        lang=lang,
        topic=topic,
        title=title,
        teaser=voice.say("teaser"),
        author=name(voice, lang),
        date=DATES[lang].format(rng.randint(2, 28)),
        blocks=blocks,
        captions=tuple(voice.say("caption") for _ in range(rng.randint(0, 2))),
        comments=tuple(
            (voice.raw("nick"), voice.say("comment")) for _ in range(rng.choice((0, 0, 3, 5, 8 if lang == "en" else 4)))
        ),
    )
