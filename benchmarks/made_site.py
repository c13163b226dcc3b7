"""Made-up hosts to crawl, and a server for them: `python -m benchmarks.made_site HOSTS PAGES DELAY [lazy]`.

Pages have about 500 elements and 50 KB, like recorded pages, and are the same in every process. The server prints its
port, and exits when its standard input closes.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import accumulate

#: Host names; all resolve to this machine (`benchmarks.crawl.LocalNames`).
HOST = "site-{}.example"
#: Words of the texts; frequent ones first, since `_words` draws them by Zipf's law.
VOCABULARY = 4000
#: One page in this many repeats the text of the page before it.
COPIED = 25
#: Topics as classes in a host's menu and teasers: with them it has some 400 element paths, like ten recorded pages.
TOPICS = 45
#: Bytes of scripts and styles in the head of a page: recorded pages of 500 elements have some 55 KB in all.
HEAD_BYTES = 18_000
SYLLABLES = "ba be bo da de di fo ga gre ha hi ka ke la le li lo ma me mo na ne no pa pe ra re ri sa se si ta te ti vo"


def body_of(host: str, path: str, pages: int) -> bytes | None:
    """Return the answer to a request: an index at /, pages at /0.html, /1.html …; None for other paths."""
    number = host.partition(".")[0].removeprefix("site-")
    name = path[1:].removesuffix(".html")
    if not number.isdigit() or (name and not (name.isdigit() and int(name) < pages)):
        return None
    return page(int(number), int(name)) if name else index_page(int(number), pages)


def index_page(host: int, pages: int) -> bytes:
    """Return the page that links to all others of its host."""
    site = _site(host)
    links = "".join(f'<li><a class="item" href="/{n}.html">{site.title(n)}</a></li>' for n in range(pages))
    return f"<!doctype html><html><head><title>{site.name}</title></head><body><ul>{links}</ul></body></html>".encode()


def page(host: int, number: int) -> bytes:
    """Return a page of a host: an article, an offer or a thread in turn; some repeat the page before."""
    site = _site(host)
    source = number - 1 if number % COPIED == COPIED - 1 else number
    rng = random.Random(f"{host}/{source}")
    main = (_article, _offer, _thread)[source % 3](site, rng)
    around = random.Random(f"{host}/{number}/around")
    return (
        f"<!doctype html><html><head><meta charset=utf-8><title>{site.title(number)} - {site.name}</title>"
        f"{site.head}</head><body class='page {site.name}'>{site.top}"
        f"<div id=wrap class='{site.name}-wrap'><div class=breadcrumb><a href=/>Home</a> "
        f"<span>{site.title(number)}</span></div><div id=main class='{site.name}-main'>"
        f"<h1>{site.title(number)}</h1>{main}</div>{_aside(site, around)}</div>{site.foot}</body></html>"
    ).encode()


class _Site:
    """Frame and menus of one host's pages."""

    def __init__(self, host: int) -> None:
        self._rng = random.Random(host)
        self.name = "".join(self._rng.choices(SYLLABLES.split(), k=4))
        self._topics = [_words(self._rng, 1) + "-" + _words(self._rng, 1) for _ in range(TOPICS)]
        menu = "".join(
            f'<li class="nav-item {self._topics[n]}"><a href="/{n}.html">{_words(self._rng, 2)}</a></li>'
            for n in range(45)
        )
        links = "".join(f"<li id=foot-{t}><a href='/{t}'>{_words(self._rng, 3)}</a></li>" for t in self._topics[:25])
        script = f"var config = {{id: {host}}}; " + "function f(a, b) { return a < b && b > 1; }\n" * 400
        self.head = f"<script>{script[:HEAD_BYTES]}</script><style>.nav-item {{ float: left }}</style>"
        self.top = f"<header class='{self.name}-top'><nav><ul class=menu>{menu}</ul></nav></header>"
        self.teasers = [self._teaser(n) for n in range(40)]
        self.foot = f"<footer><ul>{links}</ul><p class=legal>{_words(self._rng, 40)}</p></footer>"

    def _teaser(self, number: int) -> str:
        kind, topic = "wide" if number % 3 else "small", self._topics[number]
        return (
            f"<div class='teaser t-{kind}'><h3 class={topic}><a href='/{number}.html'>{self.title(number)}</a></h3>"
            f"<p class='lead {topic}'>{_words(self._rng, 14)}</p><span class='date {topic}'>{number} May</span></div>"
        )

    def title(self, number: int) -> str:
        return _words(random.Random(f"{self.name}/{number}/title"), 7).capitalize()


@lru_cache(64)
def _site(host: int) -> _Site:
    return _Site(host)


def _article(site: _Site, rng: random.Random) -> str:
    paragraphs = (
        f"<p>{_words(rng, 40)} <b>{_words(rng, 3)}</b>, <a href='/{rng.randrange(40)}.html'>{_words(rng, 3)}</a> "
        f"{_words(rng, 12)}.</p>"
        for _ in range(18)
    )
    return (
        f"<p class=byline>By <span>{_words(rng, 2)}</span></p><div class=story>{''.join(paragraphs)}</div>"
        + "".join(
            f"<div class=comment><div class=by><b>{_words(rng, 1)}</b> <span class=when>{n} hours ago</span></div>"
            f"<p>{_words(rng, 20)}.</p></div>"
            for n in range(20)
        )
    )


def _offer(site: _Site, rng: random.Random) -> str:
    rows = "".join(f"<tr><th>{_words(rng, 2)}</th><td>{_words(rng, 3)}</td></tr>" for _ in range(60))
    text = "".join(f"<p>{_words(rng, 60)}.</p>" for _ in range(5))
    return (
        f"<div class=offer><img src=/a.jpg width=400 height=300><span class=price>{rng.randrange(900)}.00</span>"
        f"<button>Buy</button></div><div class=description>{text}</div><table class=specs>{rows}</table>"
    )


def _thread(site: _Site, rng: random.Random) -> str:
    return "".join(
        f"<div class=post id=post-{rng.randrange(99999)}><div class=author><a href='/u/{n}'>{_words(rng, 1)}</a>"
        f"<span>Posts: {rng.randrange(900)}</span></div><div class=content><p>{_words(rng, 45)}.</p>"
        f"<p>{_words(rng, 20)}.</p></div><div class=tools><a href='#'>Quote</a> <a href='#'>Reply</a></div></div>"
        for n in range(19)
    )


def _aside(site: _Site, rng: random.Random) -> str:
    """Return teasers of other pages of the host, the same for a page wherever it is linked."""
    return f"<aside class='{site.name}-side'>{''.join(rng.choices(site.teasers, k=30))}</aside>"


@lru_cache(1)
def _vocabulary() -> tuple[list[str], list[float]]:
    rng = random.Random(0)
    words = ["".join(rng.choices(SYLLABLES.split(), k=rng.randint(1, 4))) for _ in range(VOCABULARY)]
    weights = list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))
    return words, weights


def _words(rng: random.Random, count: int) -> str:
    words, weights = _vocabulary()
    return " ".join(rng.choices(words, cum_weights=weights, k=count))


class Answering(asyncio.Protocol):
    """A connection that responds after a delay; requests have no body and come one at a time."""

    def __init__(self, answer: Callable[[str, str], bytes | None], delay: float) -> None:
        self._answer, self._delay, self._read = answer, delay, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        if not self._read.endswith(b"\r\n\r\n"):
            return
        head, self._read = self._read.decode("latin-1"), b""
        lines = head.split("\r\n")
        host = next((line[6:] for line in lines if line.lower().startswith("host: ")), "")
        body = self._answer(host.partition(":")[0], lines[0].split(" ")[1])
        status, body = "404 Not Found" if body is None else "200 OK", body or b""
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
        asyncio.get_running_loop().call_later(self._delay, self._transport.write, head.encode() + body)


async def _serve(hosts: int, pages: int, delay: float, lazy: bool) -> None:
    paths = ["/", *(f"/{n}.html" for n in range(pages))]
    hosts_made = () if lazy else [HOST.format(n) for n in range(hosts)]
    made = {(host, path): body_of(host, path, pages) for host in hosts_made for path in paths}

    def answer(host: str, path: str) -> bytes | None:
        return body_of(host, path, pages) if lazy else made.get((host, path))

    server = await asyncio.get_running_loop().create_server(
        lambda: Answering(answer, delay), "127.0.0.1", 0, backlog=512
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


@contextmanager
def serving(hosts: int, pages: int, delay: float = 0.0, *, lazy: bool = False) -> Iterator[int]:
    """Serve hosts with a number of pages from another process while the block runs; yield the port.

    With `lazy` each page is made on request: for more pages than memory should hold.
    """
    command = [sys.executable, "-m", "benchmarks.made_site", str(hosts), str(pages), str(delay), *["lazy"] * lazy]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), "lazy" in sys.argv))
