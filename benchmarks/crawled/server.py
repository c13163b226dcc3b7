"""Serves the made hosts from a process of its own, as fast as Python gets: one asyncio protocol, pages made before.

    python -m benchmarks.crawled.server HOSTS PAGES DELAY [--lazy]

prints its port, and ends when its standard input does.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from benchmarks.crawled.pages import index_page, page

#: Hosts are told apart by name; all are this machine (`crawl.LocalNames`).
HOST = "site-{}.example"


def body_of(host: str, path: str, pages: int) -> bytes | None:
    """Answer to a request: an index at /, pages at /0.html, /1.html …; None where there is none."""
    number = host.partition(".")[0].removeprefix("site-")
    name = path[1:].removesuffix(".html")
    if not number.isdigit() or (name and not (name.isdigit() and int(name) < pages)):
        return None
    return page(int(number), int(name)) if name else index_page(int(number), pages)


class Answering(asyncio.Protocol):
    """One connection; requests have no body and come one at a time.

    Args:
        answer: Gives the body for a host and a path.
        delay: Seconds before each answer.
    """

    def __init__(self, answer: Callable[[str, str], bytes | None], delay: float) -> None:
        self._answer, self._delay, self._read = answer, delay, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer, once a request is complete."""
        self._read += data
        if not self._read.endswith(b"\r\n\r\n"):
            return
        head, self._read = self._read.decode("latin-1"), b""
        lines = head.split("\r\n")
        host = next((line[6:] for line in lines if line.lower().startswith("host: ")), "")
        answer = self._response(self._answer(host.partition(":")[0], lines[0].split(" ")[1]))
        if self._delay:
            asyncio.get_running_loop().call_later(self._delay, self._transport.write, answer)
        else:
            self._transport.write(answer)

    def _response(self, body: bytes | None) -> bytes:
        status = "404 Not Found" if body is None else "200 OK"
        body = body or b""
        head = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body


async def _serve(hosts: int, pages: int, delay: float, lazy: bool) -> None:
    made = {}
    if not lazy:
        for host in (HOST.format(n) for n in range(hosts)):
            for path in ("/", *(f"/{n}.html" for n in range(pages))):
                made[host, path] = body_of(host, path, pages)

    def answer(host: str, path: str) -> bytes | None:
        return made.get((host, path)) if made else body_of(host, path, pages)

    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Answering(answer, delay), "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def serving(hosts: int, pages: int, delay: float = 0.0, *, lazy: bool = False) -> Iterator[int]:
    """Serve while the block runs; gives the port.

    Args:
        hosts: How many hosts there are.
        pages: Pages of each, the index not counted.
        delay: Seconds before each answer.
        lazy: Make each page when it is asked for: for more pages than memory should hold.
    """
    arguments = [str(hosts), str(pages), str(delay), *(["--lazy"] if lazy else [])]
    command = [sys.executable, "-m", "benchmarks.crawled.server", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.crawled.server", description=__doc__)
    ap.add_argument("hosts", type=int)
    ap.add_argument("pages", type=int)
    ap.add_argument("delay", type=float)
    ap.add_argument("--lazy", action="store_true")
    args = ap.parse_args()
    asyncio.run(_serve(args.hosts, args.pages, args.delay, args.lazy))


if __name__ == "__main__":
    main()
