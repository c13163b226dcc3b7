"""A web server with bad manners: some paths are answered by a function that writes to the socket itself."""

import gzip
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.crawl.web import Web


class RudeWeb(Web):
    """A site whose `pages` may be functions of the handler; `requests` has method, path and headers of each."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.closing = threading.Event()
        self.poured = 0
        self.valid = ""  # the cookie of a session

    def close(self) -> None:
        self.closing.set()
        super().close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        self.requests.append((handler.command, handler.path, headers))
        behave = self.pages.get(handler.path)
        if not callable(behave):
            super()._answer(handler)
            return
        self.asked.append(handler.path)
        handler.close_connection = True
        with suppress(OSError):  # the crawler has gone
            behave(self, handler)


def never(web: RudeWeb, handler: Any) -> None:
    """No answer at all."""
    web.closing.wait(20)


def drips(web: RudeWeb, handler: Any) -> None:
    """A byte now and then, for ever."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    end = time.monotonic() + 20
    while time.monotonic() < end and not web.closing.wait(0.05):
        handler.wfile.write(b"x")


def closes(web: RudeWeb, handler: Any) -> None:
    """The connection is closed without a word."""


def breaks_off(web: RudeWeb, handler: Any) -> None:
    """Less than was promised."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<p>half")


def pours_gigabytes(web: RudeWeb, handler: Any) -> None:
    """More than anyone can take, unannounced."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    for _ in range(10_000):
        if web.closing.is_set():
            break
        handler.wfile.write(b"x" * 1_000_000)
        web.poured += 1_000_000


def bomb(web: RudeWeb, handler: Any) -> None:
    """50 KB that become 50 MB."""
    body = gzip.compress(b"<p>" + b" " * 50_000_000, 9)
    head = f"Content-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + head.encode() + body)


def redirects_for_ever(web: RudeWeb, handler: Any) -> None:
    """To the same page spelled otherwise, and back."""
    path = handler.path[:-1] if handler.path.endswith("/") else handler.path + "/"
    handler.wfile.write(f"HTTP/1.1 302 Found\r\nLocation: {path}\r\nContent-Length: 0\r\n\r\n".encode())
