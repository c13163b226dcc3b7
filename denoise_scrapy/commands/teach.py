"""`scrapy denoise teach`: give the right text of one page of a site, for its other pages.

The page on which a person does so is served on the loopback interface, behind a token in its address. What was
downloaded is drawn by `explain`, in our own rendering and never its markup, in a frame that has no origin: its policy
runs our own script alone and loads nothing. The frame says which blocks are chosen, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import re
import signal
import threading
import webbrowser
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, islice, repeat
from pathlib import Path
from queue import Empty, SimpleQueue
from secrets import token_urlsafe
from typing import Any, NamedTuple

from typing_extensions import override

from denoise_scrapy.body import Body, Example, SiteModel
from denoise_scrapy.body.example_files import write_example
from denoise_scrapy.body.examples import lesson_of
from denoise_scrapy.body.explanation import asset, explain_page
from denoise_scrapy.body.extraction import with_source
from denoise_scrapy.body.named import Found, named_texts
from denoise_scrapy.commands import Given, UsageError
from denoise_scrapy.commands.inputs import add_page_arguments, pages_of, settle_page
from denoise_scrapy.crawl.budget import TIMEOUT
from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import decode_html, to_utf8
from denoise_scrapy.site import site_key
from denoise_scrapy.support.shown import counted, differing, report, say

FOLDER = "examples"
# Other pages that are shown, and lines of each that differ.
OTHERS, MOST_LINES = 3, 40
# Bytes of a request: the numbers of all blocks that are drawn, and fields.
MOST_POSTED = 1_000_000
# What there is behind the token, by the method.
_PARTS = {"GET": ("", "page"), "POST": ("try", "save")}
_NAME = re.compile(r"[A-Za-z_][\w-]*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_page_arguments(parser)
    parser.add_argument("--url", default="", help="address of the page, if it is a file")
    parser.add_argument("--css", metavar="SELECTOR", action="append", default=[], help="CSS or XPath of the right text")
    parser.add_argument("--text", metavar="FILE", help="or a file with the right text; without both, a page is opened")
    parser.add_argument(
        "--field", metavar="NAME=TEXT", action="append", default=[], help="a text of the page by name, or css:SELECTOR"
    )

    parser.add_argument("--no-browser", action="store_true", help="print the address of the page, but do not open it")
    parser.epilog = (
        "With --compare, it says what the example changes on these pages of the site; without, the page that is opened "
        f"shows {OTHERS} that a URL links to. The example is written to DENOISE_EXAMPLES, by default {FOLDER}."
    )


def run(args: argparse.Namespace, settings: Given) -> int:
    """Write the example, and print what it changes on its own page and on others."""
    settle_page(args)
    if args.css and args.text:
        raise UsageError("give --css SELECTOR or --text FILE")
    fields = {name.strip(): text.strip() for name, _, text in (given.partition("=") for given in args.field)}
    if not all((*fields, *fields.values())):
        raise UsageError("--field: write NAME=TEXT")
    known = settings.get("DENOISE_EXAMPLES")  # unchecked: the first example makes the folder, and names fields
    is_given = bool(args.css or args.text or fields)
    follow = OTHERS * (not is_given and not args.compare)
    (html, url, _), *others = pages_of([args.page, *args.compare], settings, follow=follow)
    address = url or args.url
    if not site_key(address):
        raise UsageError("--url: the page of an example has an http(s) address")
    folder = str(known or FOLDER)
    names = chain(args.compare, repeat(""))  # pages that were followed have an address
    compared = [(at or name, page) for name, (page, at, _) in zip(names, others, strict=False)]
    pages = TaughtPages([(address, html), *compared], address)
    if is_given:
        text = decode_html(Path(args.text).read_bytes()) if args.text else ""
        example = Example(html, text, args.css, address, fields=fields)
        if (args.css or args.text) and not lesson_of(example).widths:
            raise UsageError(f"{args.text or ', '.join(args.css)}: the page has no such text")
        if missing := [name for name in fields if name not in named_texts(html, [example])]:
            raise UsageError(f"--field {missing[0]}: {fields[missing[0]]!r} is not on the page")
        place = str(write_example(folder, example))
    else:
        example, place = serve(pages, lambda one: write_example(folder, one), browser=not args.no_browser)
    say(*pages.changes(example), f"written to {place}")
    if not known:
        say(f'To use it: DENOISE_EXAMPLES = "{FOLDER}" in the settings')
    return 0


class Change(NamedTuple):
    """What an example changes on a page: its name, words of its text, lines that went ("-") or came ("+"), fields."""

    name: str
    words: int
    lines: list[tuple[str, str]]
    fields: Mapping[str, Found]

    def __str__(self) -> str:
        signs = Counter(sign for sign, _ in self.lines)
        changes = f"{counted(signs['+'], 'line')} more and {signs['-']:,} less than" if self.lines else "the same as"
        found = "".join(f"; {name}: {one.text} ({one.certainty:.2f})" for name, one in self.fields.items())
        return f"{self.name}: {self.words:,} words, {changes} without the example{found}"


class TaughtPages:
    """The page of an example and others of its site.

    Args:
        pages: Name or URL, and HTML, of each, the example's first.
        url: URL of the example's page.
    """

    def __init__(self, pages: Sequence[tuple[str, str | bytes]], url: str) -> None:
        self.url, self.html = url, pages[0][1]
        self._pages = [(name, Page.parse(html, url=name if site_key(name) else None)) for name, html in pages]
        self._sources = [to_utf8(html).decode("utf-8", "replace") for _, html in pages]
        self._before = [self.body(number).text.splitlines() for number in range(len(pages))]

    @property
    def page(self) -> Page:
        """The example's page."""
        return self._pages[0][1]

    def changes(self, example: Example, most: int | None = None) -> Iterator[Change]:
        """Yield what an example changes on each page, its own first, at most on so many."""
        for number, (name, _) in islice(enumerate(self._pages), most):
            body = self.body(number, example)
            lines = [*differing(self._before[number], body.text.splitlines())]
            yield Change(name, len(body.text.split()), lines, body.taught)

    def drawn(self) -> str:
        """Return the blocks of the example's page as HTML."""
        others = [(name, page.facts) for name, page in self._pages[1:]]
        return explain_page(self.html, self.url, others).blocks

    def example(self, chosen: Collection[int], fields: Mapping[str, str]) -> Example:
        """Return the example that some blocks are the right text of, and texts of the page its fields.

        Raises:
            ValueError: There is no such block, none is chosen, or a field has a text that the page has not.
        """
        texts = self.page.block_texts
        if not all(isinstance(block, int) and 0 <= block < len(texts) for block in chosen):
            raise ValueError("there is no such block")
        whole = " ".join(" ".join(texts).split())
        for name, text in fields.items():
            if not _NAME.fullmatch(name) or not text.split() or " ".join(text.split()) not in whole:
                raise ValueError(f"{name}: a field has a name, and a text of the page")
        text = "\n".join(texts[block] for block in sorted({*chosen}))
        return Example(self.html, text, url=self.url, fields=fields)

    def body(self, number: int, *examples: Example) -> Body:
        """Return the body of one of the pages."""
        others = [page for at, (_, page) in enumerate(self._pages) if at != number]
        _, page = self._pages[number]
        return with_source(SiteModel(others, examples).extract(page), lambda: self._sources[number], examples)


class TeachServer(ThreadingHTTPServer):
    """The page of one site.

    Args:
        pages: The page, and others of its site.
        save: Writes the example, and returns where.
    """

    daemon_threads = True

    def __init__(self, pages: TaughtPages, save: Callable[[Example], object]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pages = pages
        self.save = save
        self.token, self.nonce = token_urlsafe(), token_urlsafe()
        self.saved: SimpleQueue[tuple[Example, str]] = SimpleQueue()
        self.lock = threading.Lock()  # pages are extracted by one thread at a time

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that a browser names: others have an address that leads here, which may be no accident."""
        return tuple(f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost"))

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://{self.hosts[0]}/{self.token}/"

    @cached_property
    def frame(self) -> str:
        """The document of the frame."""
        blocks = self.pages.drawn() or "<p>The page has no text."
        return _asset("teach_frame.html", self.nonce).replace("<!--style-->", asset("page.css")) + blocks

    def example(self, said: object) -> Example:
        """Return the example that was posted.

        Raises:
            ValueError: It is none.
        """
        match said:
            case {"kept": list(chosen), "fields": dict(fields)}:
                if all(isinstance(text, str) for text in fields.values()):
                    return self.pages.example(chosen, fields)
        raise ValueError("no blocks and fields")

    def tried(self, example: Example) -> Mapping[str, Any]:
        """Return what an example would do."""
        lines = self.pages.body(0, example).text.splitlines()
        return {
            "text": lines,
            "wrong": [*differing(filter(None, example.text.splitlines()), lines)][:MOST_LINES],
            "changes": [
                {"said": str(one), "lines": one.lines[:MOST_LINES]} for one in self.pages.changes(example, 1 + OTHERS)
            ],
        }


class _Handler(BaseHTTPRequestHandler):
    """Answers requests with the token, of a browser that was led here by the address alone."""

    server: TeachServer
    timeout = TIMEOUT

    def do_GET(self) -> None:
        """Send the page, or the document of its frame."""
        nonce, what = self.server.nonce, self._asked()
        if what is None:
            return
        ours = f"default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; base-uri 'none'; "
        if what == "":
            page = _asset("teach.html", nonce)
            policy = "img-src data:; connect-src 'self'; frame-src 'self'; frame-ancestors 'none'; form-action 'none'"
        else:
            page = self.server.frame
            policy = "sandbox allow-scripts; frame-ancestors 'self'; form-action 'none'"
        self._send("text/html", page, ours + policy)

    def do_POST(self) -> None:
        """Try an example, or save it."""
        what = self._asked()
        if what is None:
            return
        size = self.headers.get("Content-Length", "")
        is_ours = self.headers.get("Origin") in {f"http://{host}" for host in self.server.hosts}
        is_json = self.headers.get("Content-Type") == "application/json"
        is_number = size.isdecimal() and len(size) <= len(str(MOST_POSTED))  # Python refuses those of 4,300 digits
        if not (is_ours and is_json and is_number and int(size) <= MOST_POSTED):
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        try:
            said = json.loads(self.rfile.read(int(size)))
            with self.server.lock:
                example = self.server.example(said)
                is_saved = what == "save"
                found = {"place": str(self.server.save(example))} if is_saved else self.server.tried(example)
        except (ValueError, OSError, RecursionError) as error:
            found = {"error": str(error)}
        self._send("application/json", json.dumps(found), "default-src 'none'")
        if "place" in found:
            self.server.saved.put((example, found["place"]))

    def _asked(self) -> str | None:
        """Return what is asked for behind the token; None if it was answered that there is nothing."""
        begin = f"/{self.server.token}/"
        has_token = compare_digest(self.path[: len(begin)].encode("utf-8", "replace"), begin.encode())
        what = self.path[len(begin) :]
        if self.headers.get("Host") not in self.server.hosts:
            self.send_error(HTTPStatus.FORBIDDEN)
        elif not has_token or what not in _PARTS[self.command]:
            self.send_error(HTTPStatus.NOT_FOUND)
        else:
            return what
        return None

    def _send(self, kind: str, text: str, policy: str) -> None:
        data = text.encode("utf-8", "replace")
        self.send_response(HTTPStatus.OK)
        for name, value in {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(data)),
            "Content-Security-Policy": policy,
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):  # the browser has left the page
            self.wfile.write(data)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def _asset(name: str, nonce: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8").replace("{nonce}", nonce)


def serve(pages: TaughtPages, save: Callable[[Example], object], *, browser: bool) -> tuple[Example, str]:
    """Serve the page until an example is saved; return that, and where.

    Raises:
        KeyboardInterrupt: Ctrl-C.
        OSError: No port can be had.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a crawl that fetched the page took it
    with TeachServer(pages, save) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        report(f"{server.address} (Ctrl-C ends without saving)")
        if browser:
            with suppress(webbrowser.Error):
                webbrowser.open(server.address)
        try:
            while True:  # on some systems Ctrl-C is not heard while one waits
                with suppress(Empty):
                    return server.saved.get(timeout=TIMEOUT)
        finally:
            server.shutdown()
