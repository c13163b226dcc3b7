"""A site of stories, some of them under several URLs: a crawl should keep each story once."""

from __future__ import annotations

import random
from urllib.parse import urlsplit

from tests.crawl.web import Reply, Web, article
from tests.dedup.made_texts import english

MOST_COPIES = 4  # of a story; as many as an agency's text has on a small portal
SENTENCE_WORDS, SENTENCES = 12, 12  # some 140 words: a short article


class Stories:
    """Pages of a site, and which story each tells; another folder gives the same stories under other URLs."""

    def __init__(self, pages: int, seed: int = 0, folder: str = "p"):
        chance = random.Random(seed)
        numbers = [story for story in range(pages) for _ in range(chance.choice((1, 1, 2, MOST_COPIES)))][:pages]
        chance.shuffle(numbers)
        self.story_of = {f"/{folder}/{number}": story for number, story in enumerate(numbers)}

    @property
    def paths(self) -> list[str]:
        return list(self.story_of)

    def story(self, url: str) -> int:
        return self.story_of[urlsplit(url).path]

    def has(self, url: str) -> bool:
        return urlsplit(url).path in self.story_of

    def copies(self) -> dict[int, list[str]]:
        """The paths of each story."""
        found: dict[int, list[str]] = {}
        for path, story in self.story_of.items():
            found.setdefault(story, []).append(path)
        return found

    def serve(self, web: Web, list_path: str = "/list", next_list: str = "") -> None:
        """Put the pages and their list on a site; the list may lead to another one."""
        for number, (path, story) in enumerate(self.story_of.items()):
            shared = " Shared by a reader of ours." if number % 2 else ""
            web.pages[path] = article(story, text=text_of(story) + shared)
        links = "".join(f'<a class="story" href="{path}">{path}</a> ' for path in self.story_of)
        links += f'<a class="list" href="{next_list}">more</a>' if next_list else ""
        web.pages[list_path] = Reply(f"<html><body>{links}</body></html>".encode())


def text_of(story: int) -> str:
    """Return sentences of a story, which share only small words with other stories."""
    words = english(story, SENTENCE_WORDS * SENTENCES)
    lines = [" ".join(words[at : at + SENTENCE_WORDS]) for at in range(0, len(words), SENTENCE_WORDS)]
    return ". ".join(line.capitalize() for line in lines) + "."
