"""Serves the portal over HTTP on the loopback interface."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Iterator, MutableSequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from example_project.portal.build import build
from example_project.portal.model import Portal

ROBOTS = "User-agent: *\nDisallow: /private/\n"
GONE = "<!DOCTYPE html><title>Not found</title><h1>404</h1><p>This page has moved or never was.</p>"


class Handler(BaseHTTPRequestHandler):
    """Answers from the portal's pages; queries are ignored, as static sites do."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet: a second one would wait for the first one's acknowledgement
    disable_nagle_algorithm = True
    portal: Portal
    asked: MutableSequence[str]

    def do_GET(self) -> None:
        """Answer a GET or HEAD request."""
        path = urlsplit(self.path).path
        self.asked.append(path)
        page = self.portal.pages.get(path)
        if page:
            self._answer(200, page.html)
        elif path == "/robots.txt":
            self._answer(200, ROBOTS, "text/plain; charset=utf-8")
        elif path in self.portal.redirects:
            self._answer(301, "", location=self.portal.redirects[path])
        else:
            self._answer(404, GONE)

    do_HEAD = do_GET  # noqa: N815

    def _answer(self, status: int, text: str, kind: str = "text/html; charset=utf-8", location: str = "") -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: the crawl has its own log."""


class Server(ThreadingHTTPServer):
    """A server with room for a crawler's connections; a rejected one is retried a second later."""

    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent if a crawler has disconnected; other errors are shown."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def make_server(port: int = 0, portal: Portal | None = None, asked: list[str] | None = None) -> ThreadingHTTPServer:
    """Return a server on 127.0.0.1; port 0 takes a free one, and `asked` receives the path of each request."""
    noted = deque[str](maxlen=0) if asked is None else asked  # a server for a browser may run for a long time
    handler = type("PortalHandler", (Handler,), {"portal": portal or build(), "asked": noted})
    return Server(("127.0.0.1", port), handler)


@contextmanager
def serve(port: int = 0, portal: Portal | None = None, asked: list[str] | None = None) -> Iterator[str]:
    """Serve the portal while the block runs; yield its address without a trailing slash."""
    server = make_server(port, portal, asked)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
