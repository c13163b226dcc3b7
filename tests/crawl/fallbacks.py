"""Functions that are asked for the text of pages whose body is in doubt."""

import asyncio
import json
import os
import threading
import time
import urllib.request
from typing import Any

ASKED: list[tuple[Any, Any, str]] = []
MODEL = {"url": ""}


def told(body: Any, page: Any, site: str) -> str:
    ASKED.append((body, page, site))
    assert threading.current_thread() is not threading.main_thread()
    return f"The function's text of {page.url}.\nIt has * two lines."


async def told_later(body: Any, page: Any, site: str) -> str:
    await asyncio.sleep(0.01)
    return f"Later, {len(body.text)} characters."


class Model:
    async def __call__(self, body: Any, page: Any, site: str) -> str:
        return "Of an object."


model = Model()


def nothing(body: Any, page: Any, site: str) -> None:
    return None


def odd(body: Any, page: Any, site: str) -> str:
    return "A lone \udc80 surrogate, a \x00, a \x01 and &#150; in <script>alert(1)</script>"


def number(body: Any, page: Any, site: str) -> int:
    return 7


def as_bytes(body: Any, page: Any, site: str) -> bytes:
    return b"Some bytes."


def broken(body: Any, page: Any, site: str) -> str:
    raise RuntimeError("no model today")


def exits(body: Any, page: Any, site: str) -> str:
    raise SystemExit(1)


async def exits_later(body: Any, page: Any, site: str) -> str:
    raise SystemExit(1)


class TimedOut(BaseException):
    """As gevent's."""


def times_out(body: Any, page: Any, site: str) -> str:
    raise TimedOut


async def times_out_later(body: Any, page: Any, site: str) -> str:
    raise TimedOut


def stops(body: Any, page: Any, site: str) -> str:
    raise StopIteration


def sleeps(body: Any, page: Any, site: str) -> str:
    time.sleep(60)
    return "Too late."


async def sleeps_async(body: Any, page: Any, site: str) -> str:
    while True:  # it cannot be cancelled
        try:
            await asyncio.sleep(3)
            return "Too late."
        except asyncio.CancelledError:
            await asyncio.sleep(0.1)
            return "Even then."


def of_server(body: Any, page: Any, site: str) -> str:
    question = json.dumps({"url": page.url, "html": page.html}).encode()
    with urllib.request.urlopen(MODEL["url"], question, timeout=5) as answer:
        return str(json.load(answer)["text"])


#: No function: the wrong path of a test.
VALUE = os.sep
