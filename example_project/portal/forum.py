"""Writes forum threads: a question, answers, quotes of other posts and of other threads."""

from __future__ import annotations

import random
from dataclasses import dataclass

from example_project.portal.grammar import Voice, rules
from example_project.portal.model import tokens

BOARDS = ("bread", "bike", "garden", "camera", "clock", "boat", "radio", "knit", "stove")


@dataclass(frozen=True)
class Post:
    """A post; `quote` is text of the post that it answers, with that post's author."""

    author: str
    date: str
    quote: tuple[str, str]
    text: tuple[str, ...]
    signature: str


@dataclass(frozen=True)
class Thread:
    """A thread of posts under one title."""

    path: str
    board: str
    title: str
    posts: tuple[Post, ...]

    @property
    def truth(self) -> str:
        """The title and all posts, quotes included, without names, dates and signatures."""
        lines = [self.title]
        for post in self.posts:
            lines += [post.quote[1]] if post.quote[1] else []
            lines += post.text
        return "\n".join(lines)


def _say(voice: Voice, symbols: list[str], size: int) -> tuple[str, ...]:
    """Return one or two paragraphs, the last symbol repeated until there are `size` words."""
    sentences = [voice.say(symbol) for symbol in symbols]
    while sum(len(tokens(sentence)) for sentence in sentences) < size:
        sentences.append(voice.say(symbols[-1]))
    if size < 60:
        return (" ".join(sentences),)
    half = len(sentences) // 2
    return " ".join(sentences[:half]), " ".join(sentences[half:])


def _quote(rng: random.Random, posts: list[Post], others: list[Thread]) -> tuple[str, str]:
    """Return who is quoted and what: mostly an earlier post here, sometimes one of another thread."""
    if others and rng.random() < 0.2:
        post = rng.choice(rng.choice(others).posts)
    elif rng.random() < 0.35:
        post = rng.choice(posts)
    else:
        return "", ""
    return post.author, rng.choice(post.text)


def write_thread(rng: random.Random, number: int, others: list[Thread]) -> Thread:
    """Return thread `number`; its posts may quote the `others`."""
    board = BOARDS[number % len(BOARDS)]
    voice = Voice(rng, rules("forum_en", "more_forum", "nicks"), board)
    heads = voice.grammar[f"{board}.head"]
    voice.names["@thing"] = voice.raw("@thing")
    asker = voice.raw("nick")
    day = rng.randint(1, 20)
    posts: list[Post] = []
    for index in range(rng.randint(3, 9)):
        mine = index == 0 or (index > 2 and rng.random() < 0.25)
        symbols = ["opener", "ask"] if not index else ["thanks", "ask"] if mine else ["answer"]
        posts.append(
            Post(
                author=asker if mine else voice.raw("nick"),
                date=f"{day + index // 2} Nov 2024, {rng.randint(7, 23)}:{rng.randint(10, 59)}",
                quote=_quote(rng, posts, others) if index else ("", ""),
                text=_say(voice, symbols, rng.randint(25, 110)),
                signature=voice.raw("sig") if rng.random() < 0.5 else "",
            )
        )
    title = heads[number // len(BOARDS) % len(heads)]
    return Thread(f"/forum/viewtopic-{310 + number * 11}.html", board, title, tuple(posts))
