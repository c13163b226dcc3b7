"""Functions that are asked for the right texts of pages."""

import asyncio
import json
import time
import urllib.request
from typing import Any

from parsel import Selector

ASKED: list[Any] = []
MODEL = {"url": ""}


def story_of(page: Any) -> str:
    return "\n".join(Selector(page.html).css("h1, div.body p").xpath("string()").getall())


def told(page: Any) -> str:
    ASKED.append(page)
    return story_of(page)


async def told_later(page: Any) -> str:
    ASKED.append(page)
    await asyncio.sleep(0.1)
    return story_of(page)


async def selectors(page: Any) -> list[str]:
    ASKED.append(page)
    return ["h1", "div.body"]


def nothing(page: Any) -> None:
    ASKED.append(page)


def made_up(page: Any) -> str:
    ASKED.append(page)
    return "A summary of the story in words of my own: bridge, lantern and granite."


def no_place(page: Any) -> list[str]:
    return ["div.nowhere"]


def invalid(page: Any) -> list[str]:
    return ["div["]


def number(page: Any) -> int:
    return 7


def broken(page: Any) -> str:
    raise RuntimeError("no model today")


def exits(page: Any) -> str:
    raise SystemExit(1)


def sleeps(page: Any) -> str:
    time.sleep(60)
    return "Too late."


def of_server(page: Any) -> str | None:
    question = json.dumps({"url": page.url, "html": page.html}).encode()
    with urllib.request.urlopen(MODEL["url"], question, timeout=5) as answer:
        text = json.load(answer)["text"]
    return str(text) if text else None
