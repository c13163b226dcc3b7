"""Misbehaving servers: functions that answer the paths of a site by writing to the socket themselves."""

import gzip
import time
from typing import Any

from tests.crawl.web import Web


def never(web: Web, handler: Any) -> None:
    """Never respond."""
    web.closing.wait(20)


def drips(web: Web, handler: Any) -> None:
    """Send a byte now and then, for ever."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    end = time.monotonic() + 20
    while time.monotonic() < end and not web.closing.wait(0.05):
        handler.wfile.write(b"x")


def closes(web: Web, handler: Any) -> None:
    """Close the connection without a response."""


def breaks_off(web: Web, handler: Any) -> None:
    """Send less than announced."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<p>half")


def pours_gigabytes(web: Web, handler: Any) -> None:
    """Send an excessive body, unannounced."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    for _ in range(10_000):
        if web.closing.is_set():
            break
        handler.wfile.write(b"x" * 1_000_000)
        web.poured += 1_000_000


def bomb(web: Web, handler: Any) -> None:
    """Send 50 KB that decompress to 50 MB."""
    body = gzip.compress(b"<p>" + b" " * 50_000_000, 9)
    head = f"Content-Type: text/html\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n"
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + head.encode() + body)


def redirects_for_ever(web: Web, handler: Any) -> None:
    """Redirect to another spelling of the same page, and back."""
    path = handler.path[:-1] if handler.path.endswith("/") else handler.path + "/"
    handler.wfile.write(f"HTTP/1.1 302 Found\r\nLocation: {path}\r\nContent-Length: 0\r\n\r\n".encode())
