"""How long a large page stops a crawl: `python -m benchmarks.stalls [--sizes MB ...] [--kinds NAME ...]`.

A crawl of a few small pages and one large one, in a process of its own, without the add-on and with it. A task of the
same loop sleeps for a millisecond, again and again, from the request for the large page to the end of the crawl: its
longest sleep is the longest stall, in the process's own time, so that other work of the machine does not count. The
spider yields the page's address and looks at nothing, so that without the add-on it is Scrapy's own. Noise only adds
to it: of several rounds the least counts.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from typing import Any

from scrapy import Request, Spider, signals
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response

from benchmarks.markdown import table
from benchmarks.report import merge

#: Megabytes of the large page; DENOISE_MAX_PAGE_MB is 10, and larger ones are left alone.
SIZES = (1.0, 3.0, 9.9)
ROUNDS = 3
#: What no page may take, in milliseconds.
GOAL = 50.0
#: Seconds from which `--trace` tells of a turn of the loop.
LATE = 0.03
#: Small pages before the large one: models and tables are read, and the site has a template.
SMALL = 4
WORDS = (
    "harbour meadow lantern granite orchard violin captain winter bridge letter garden market thunder copper".split()
)
SETTINGS: dict[str, Any] = {
    "CONCURRENT_REQUESTS": 1,
    "DOWNLOAD_DELAY": 0,
    "LOG_LEVEL": "ERROR",
    "ROBOTSTXT_OBEY": False,
    "TELNETCONSOLE_ENABLED": False,
}
ADDON = {"ADDONS": {"denoise_scrapy.DenoiseAddon": 500}, "DENOISE_COMPARISON_WAIT": 0}
#: Fields of items; with `--fields` all are filled.
FIELDS = "html markdown title confidence blocks".split()


def sentence(number: int) -> str:
    """One of twelve words, with its number."""
    return f"{' '.join(WORDS[number * k % len(WORDS)] for k in range(1, 12))} number {number}. "


def repeated(make: Callable[[int], str], size: int) -> str:
    """Numbered pieces until they have so many characters."""
    pieces, left, number = list[str](), size, 0
    while left > 0:
        pieces.append(make(number))
        left -= len(pieces[-1])
        number += 1
    return "".join(pieces)


def framed(main: str, more: str = "") -> str:
    """A page of the site."""
    return (
        f"<html><head><title>A page</title>{more}</head><body><div id=top>Daily Gazette Home News Sport</div>"
        f"<div class=main><h1>Heading</h1>{main}</div><div id=foot>All rights reserved</div></body></html>"
    )


def _chinese(size: int, encoding: str) -> bytes:
    text = repeated(
        lambda n: f"<p>昨天晚上在城市的港口发生了一起事故，第{n}号船只受到了损坏，没有人员伤亡。</p>", size // 2
    )
    return framed(text).encode(encoding)[:size]


def _nested(size: int) -> str:
    return framed("<div>" * 400 + repeated(lambda n: f"<i>{sentence(n)}<b>" + "</b></i>", size))


#: What a large page is made of, by name: from bytes to a page of about so many, and its media type.
KINDS: dict[str, tuple[Callable[[int], str | bytes], str]] = {
    "paragraphs": (lambda n: framed(repeated(lambda i: f"<p>{sentence(i)}</p>", n)), "text/html; charset=utf-8"),
    "tiny blocks": (lambda n: framed(repeated(lambda i: f"<p>a{i}", n)), "text/html; charset=utf-8"),
    "links": (
        lambda n: framed(repeated(lambda i: f"<li><a href='/tag/{i}.html'>tag {i}</a></li>", n)),
        "text/html; charset=utf-8",
    ),
    "long blocks": (
        lambda n: framed(repeated(lambda i: f"<p>{repeated(sentence, n // 8)}</p>", n)),
        "text/html; charset=utf-8",
    ),
    "one text": (lambda n: framed(f"<p>{repeated(sentence, n)}</p>"), "text/html; charset=utf-8"),
    "text in capitals, accents": (
        lambda n: framed(repeated(lambda i: f"<p>ÉTÉ Größe {sentence(i)}</p>", n)),
        "text/html; charset=utf-8",
    ),
    "attribute": (
        lambda n: framed(f"<p data-state='{repeated(sentence, n)}'>{sentence(1)}</p>"),
        "text/html; charset=utf-8",
    ),
    "image inside": (
        lambda n: framed(f"<p>{sentence(1)}<img src='data:image/png;base64,{'QUJD' * (n // 4)}'></p>"),
        "text/html; charset=utf-8",
    ),
    "script": (
        lambda n: framed(f"<p>{sentence(1)}</p><script>{repeated(sentence, n)}</script>"),
        "text/html; charset=utf-8",
    ),
    "json-ld": (
        lambda n: framed(
            f"<p>{sentence(1)}</p>",
            "<script type='application/ld+json'>" + json.dumps([sentence(i) for i in range(n // 80)]) + "</script>",
        ),
        "text/html; charset=utf-8",
    ),
    "head": (
        lambda n: framed(f"<p>{sentence(1)}</p>", repeated(lambda i: f"<meta name=m{i} content=x>", n)),
        "text/html; charset=utf-8",
    ),
    "comment": (lambda n: framed(f"<p>{sentence(1)}</p><!--{repeated(sentence, n)}-->"), "text/html; charset=utf-8"),
    "table": (
        lambda n: framed(f"<table>{repeated(lambda i: f'<tr><td>{i}<td>{sentence(i)[:40]}<td>x', n)}</table>"),
        "text/html; charset=utf-8",
    ),
    "nested": (_nested, "text/html; charset=utf-8"),
    "too deep": (lambda n: framed("<div>" * 600 + repeated(lambda i: f"<p>{sentence(i)}", n)), "text/html"),
    "pre": (lambda n: framed(f"<pre>{repeated(lambda i: sentence(i) + chr(10), n)}</pre>"), "text/html"),
    "no charset": (lambda n: framed(repeated(lambda i: f"<p>Größe {sentence(i)}</p>", n)), "text/html"),
    "gb18030": (lambda n: _chinese(n, "gb18030"), "text/html; charset=gb18030"),
    "utf-16": (lambda n: _chinese(n, "utf-16"), "text/html; charset=utf-16"),
    "broken utf-8": (
        lambda n: framed(repeated(lambda i: f"<p>{sentence(i)}</p>", n)).encode().replace(b"9", b"\xff"),
        "text/html; charset=utf-8",
    ),
    "plain text": (lambda n: repeated(sentence, n), "text/plain; charset=utf-8"),
}


def main() -> None:
    """Measure, print, put into the report."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.stalls", description=__doc__)
    ap.add_argument("--sizes", type=float, nargs="+", default=SIZES, help="megabytes")
    ap.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    ap.add_argument("--rounds", type=int, default=ROUNDS)
    ap.add_argument("--fields", action="store_true", help="fill all fields of items, not the body's text alone")
    ap.add_argument("--trace", action="store_true", help="print where each long stall was")
    ap.add_argument("--crawl", nargs=2, metavar=("URL", "WAY"), help="one crawl: for ourselves")
    args = ap.parse_args()
    if args.crawl:
        print(json.dumps(crawl(*args.crawl, fields=args.fields, trace=args.trace)))
        return
    more, rows = [*(args.fields * ["--fields"]), *(args.trace * ["--trace"])], []
    for kind, size in product(args.kinds, args.sizes):
        rows.append({"kind": kind, "mb": size, **measure(kind, int(size * 1e6), args.rounds, more)})
        print(rows[-1], file=sys.stderr, flush=True)
    print(stalls_table(rows), flush=True)
    if set(args.kinds) == set(KINDS) and not more:
        merge("stalls", rows)


def measure(kind: str, size: int, rounds: int, more: list[str]) -> dict[str, Any]:
    """Longest stall without and with the add-on, in milliseconds, and whether the page was too large to be judged."""
    make, media = KINDS[kind]
    made = make(size)
    with_server = _Server((made if isinstance(made, bytes) else made.encode())[:size], media)
    try:
        found = [
            {way: one_crawl(with_server.url, way, more if way == "addon" else []) for way in ("bare", "addon")}
            for _ in range(rounds)
        ]
    finally:
        with_server.close()
    return {
        "bare": min(one["bare"]["stall"] for one in found),
        "addon": min(one["addon"]["stall"] for one in found),
        "fallback": found[0]["addon"]["fallback"],
    }


def one_crawl(url: str, way: str, more: list[str]) -> dict[str, Any]:
    """A crawl in a process of its own.

    Raises:
        RuntimeError: It failed; the message is what it said.
    """
    command = [sys.executable, "-m", "benchmarks.stalls", "--crawl", url, way, *more]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=None, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stdout)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


class _Server:
    """Serves the large page at /large.html and small ones elsewhere, from a thread of this process."""

    def __init__(self, large: bytes, media: str) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                is_large = self.path == "/large.html"
                body = large if is_large else framed(f"<p>{sentence(len(self.path))}</p>" * 9).encode()
                self.send_response(200)
                self.send_header("Content-Type", media if is_large else "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()


class Stalls:
    """The longest time between two turns of the loop, in seconds of the process."""

    def __init__(self, trace: bool) -> None:
        self.longest, self._collecting = 0.0, 0.0
        self._last = time.process_time()
        self._stop = False
        self._task: asyncio.Task[None] | None = None
        if trace:
            gc.callbacks.append(self._note_collection)
            threading.Thread(target=self._watch, daemon=True).start()

    def begin(self) -> None:
        """Forget what was, garbage included: a collection of what the start has left is nobody's here."""
        gc.collect()
        self.longest, self._last = 0.0, time.process_time()
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._measure())

    def end(self) -> None:
        """Measure no more."""
        self._note()
        self._stop = True

    def _note(self) -> None:
        now = time.process_time()
        self.longest, self._last = max(self.longest, now - self._last), now

    def _note_collection(self, phase: str, info: dict[str, int]) -> None:
        now = time.process_time()
        if phase == "start":
            self._collecting = now
        elif now - self._collecting > LATE and self._task is not None:
            print(f"{1000 * (now - self._collecting):4.0f} ms of garbage collection, {info}", file=sys.stderr)

    async def _measure(self) -> None:
        while not self._stop:
            await asyncio.sleep(0.001)
            self._note()

    def _watch(self) -> None:
        """Print what the threads do as a turn of the loop that took long comes to its end."""
        since, stacks, late = 0.0, list[str](), 0.0
        while not self._stop:
            time.sleep(0.002)
            if self._last != since:
                if late > LATE and self._task is not None:
                    print(f"{1000 * late:4.0f} ms", *stacks, sep="\n  ", file=sys.stderr)
                since = self._last
            late, own = time.process_time() - since, threading.get_ident()
            if late > LATE:
                frames = (traceback.extract_stack(f)[-5:] for i, f in sys._current_frames().items() if i != own)
                stacks = [" > ".join(f"{Path(s.filename).name}:{s.lineno} {s.name}" for s in one) for one in frames]
                stacks = [one for one in stacks if not one.endswith(("wait", "_worker", "select"))]


class OneLargePage(Spider):
    """Small pages one after the other, then the large one, then another small one."""

    name = "stalls"

    def __init__(self, *args: Any, stalls: Stalls, url: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stalls, self._url = stalls, url

    async def start(self) -> AsyncIterator[Any]:
        """Begin."""
        yield Request(f"{self._url}/0.html", cb_kwargs={"number": 0})

    def parse(self, response: Response, number: int) -> Iterator[Any]:
        """Make an item, ask for the next page."""
        yield {"url": response.url}
        if number < SMALL:
            yield Request(f"{self._url}/{'s' * number}.html", cb_kwargs={"number": number + 1})
        else:
            self._stalls.begin()
            yield Request(f"{self._url}/large.html", self.parse_large)

    def parse_large(self, response: Response) -> Iterator[Any]:
        """Make an item; a last small page is compared with the large one."""
        yield {"url": response.url}
        yield Request(f"{self._url}/{'s' * SMALL}.html?", self.parse_last)

    def parse_last(self, response: Response) -> Iterator[Any]:
        """Make an item."""
        yield {"url": response.url}


def crawl(url: str, way: str, *, fields: bool, trace: bool) -> dict[str, Any]:
    """Crawl in this process; longest stall in milliseconds."""
    addon = {**ADDON, "DENOISE_FIELDS": {name: name for name in FIELDS if fields}} if way == "addon" else {}
    process = AsyncCrawlerProcess({**SETTINGS, **addon})
    crawler = process.create_crawler(OneLargePage)
    stalls = Stalls(trace)

    def over() -> None:
        stalls.end()

    crawler.signals.connect(over, signals.spider_closed)
    process.crawl(crawler, stalls=stalls, url=url)
    process.start()
    stats = crawler.stats.get_stats() if crawler.stats else {}
    if stats.get("item_scraped_count", 0) + stats.get("item_dropped_count", 0) != SMALL + 3:
        raise RuntimeError(f"items are missing: {stats}")
    fallback = " ".join(name for name in stats if "too_large" in name)
    return {"stall": round(1000 * stalls.longest, 1), "fallback": fallback}


def stalls_table(rows: list[dict[str, Any]]) -> str:
    """Kinds down, sizes across: without and with the add-on."""
    sizes = list(dict.fromkeys(row["mb"] for row in rows))
    known = {(row["kind"], row["mb"]): row for row in rows}
    head = ["longest stall in ms", *(f"{size:g} MB, {way}" for size in sizes for way in ("bare", "add-on"))]
    lines = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        cells = [f"{known[kind, size][way]:.0f}" for size in sizes for way in ("bare", "addon")]
        lines.append([kind, *cells])
    return table(head, lines)


if __name__ == "__main__":
    main()
