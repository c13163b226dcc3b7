"""A web server for tests: pages are given as a dict, and requests are recorded."""

import random
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS = """
harbour meadow lantern granite orchard violin captain winter bridge letter garden market
thunder copper shepherd window castle river pepper mirror canvas ladder feather hammer island
journey kettle library marble needle oyster palace quarry ribbon saddle temple
""".split()


@dataclass
class Reply:
    """The response for a path."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/html"})
    seconds: float = 0.0


class Web:
    """A site on a local port.

    `pages` maps paths to a `Reply`, to HTML, or to a function that is given site and handler and answers by itself;
    `requests` has method, path and headers of each.
    """

    def __init__(self) -> None:
        self.pages: dict[str, Any] = {}
        self.asked: list[str] = []
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.closing = threading.Event()
        self.poured = 0
        self.valid = ""  # the cookie of a session
        self.most_parallel = 0
        self.seconds = 0.0
        self.in_any_order = False  # answers then take 0 to 2 times as long
        self._now = 0
        self._lock = threading.Lock()
        web = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web._answer(self)

            do_POST = do_GET  # noqa: N815 - the name http.server asks for

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def __call__(self, path: str) -> str:
        return self.url + path

    def urls(self, numbers: Iterable[int]) -> list[str]:
        """Addresses of the articles `/a/0`, `/a/1` …"""
        return [self(f"/a/{number}") for number in numbers]

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def count(self, path: str) -> int:
        return self.asked.count(path)

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        with self._lock:
            self.asked.append(handler.path)
            self.requests.append((handler.command, handler.path, headers))
            self._now += 1
            self.most_parallel = max(self.most_parallel, self._now)
        reply = self.pages.get(handler.path, Reply(b"<p>not found", 404))
        if callable(reply):
            handler.close_connection = True
            with suppress(OSError):  # the crawler has gone
                reply(self, handler)
            return
        reply = reply if isinstance(reply, Reply) else Reply(reply.encode())
        time.sleep((reply.seconds or self.seconds) * (random.uniform(0, 2) if self.in_any_order else 1))
        with self._lock:
            self._now -= 1
        with suppress(OSError):
            handler.send_response(reply.status)
            for name, value in reply.headers.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(reply.body)))
            handler.end_headers()
            handler.wfile.write(reply.body)


def story(number: int, sentences: int = 12) -> str:
    """Return the text of an article, which shares no sentence with those of other numbers."""
    chance = random.Random(number)
    lines = [
        f"{' '.join(chance.choices(WORDS, k=14)).capitalize()} number {number} line {line}."
        for line in range(sentences)
    ]
    return " ".join(lines)


def sentence(number: int) -> str:
    """Return a sentence that only the story with this number has."""
    return story(number).split(". ")[3]


def article(number: int, links: Iterable[str] = (), text: str | None = None) -> str:
    """Return the HTML of an article in the template of the test site."""
    paragraphs = (text or story(number)).replace(". ", ".</p><p>")
    menu = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return (
        f"<html><head><title>Article {number}</title></head><body>"
        "<div id='top'>Daily Gazette Home News Sport Weather Contact</div>"
        f"<ul class='links'>{menu}</ul><div class='main'><h1>Heading of {number}</h1>"
        f"<p>{paragraphs}</p></div><div id='foot'>All rights reserved, the usual notes</div>"
        "</body></html>"
    )
