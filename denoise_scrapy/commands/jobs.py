"""Bodies of many pages, in this process or in several, each of which extracts the pages of its sites."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from multiprocessing import get_context
from queue import Empty
from threading import Thread
from typing import Any, TypeAlias
from zlib import crc32

from denoise_scrapy.archive.records import ArchiveRecord
from denoise_scrapy.body import Body, extract_pages
from denoise_scrapy.commands.page_files import Given
from denoise_scrapy.page.attributes import declared_url
from denoise_scrapy.site import site_key

#: What is made of a page and its body. Another process receives it, so it is not a closure.
Make: TypeAlias = Callable[[ArchiveRecord, Body], Any]

# Pages that wait for a process, and rows that wait to be written: few, because a page may have MBs.
_WAITING = 32
_SECONDS = 0.1  # after which a process that does not answer is looked for


def bodies_of(pages: Iterable[Given], make: Make, options: Mapping[str, Any]) -> Iterator[tuple[ArchiveRecord, Any]]:
    """Extract pages, and yield what is made of the new ones."""
    read: deque[Given] = deque()  # pages whose bodies are not extracted yet

    def sources() -> Iterator[tuple[str | None, str | bytes]]:
        for page in pages:
            read.append(page._replace(record=page.record._replace(html=None)))
            yield page.record.url or None, page.record.html or b""

    for _, body in extract_pages(sources(), **options):
        page = read.popleft()
        if page.is_new:
            yield page.record, make(page.record, body)


def in_processes(
    pages: Iterable[Given], jobs: int, make: Make, options: Mapping[str, Any]
) -> Iterator[tuple[ArchiveRecord, Any]]:
    """Extract pages as `bodies_of` does, those of a site in one of several processes; the order is that of the sites.

    Raises:
        OSError: A process ended, for example for lack of memory.
    """
    context = get_context("spawn")  # a fork would copy threads' locks
    results: Any = context.Queue(_WAITING)
    inboxes: list[Any] = [context.Queue(_WAITING) for _ in range(jobs)]
    processes = [context.Process(target=_work, args=(inbox, results, make, options), daemon=True) for inbox in inboxes]

    def feed() -> None:
        """Give each process the pages of its sites."""
        try:
            for page in pages:
                site = site_key(page.record.url or declared_url(page.record.html or b""))
                inboxes[crc32(site.encode()) % jobs].put(page)
            for inbox in inboxes:
                inbox.put(None)
        except Exception as error:
            failed.append(error)

    failed: list[Exception] = []
    running = jobs
    try:
        for process in processes:
            process.start()
        Thread(target=feed, daemon=True).start()
        while running:
            try:
                found = results.get(timeout=_SECONDS)
            except Empty:
                if ended := [one.exitcode for one in processes if one.exitcode]:
                    raise OSError(f"a process of --jobs ended with exit code {ended[0]}") from None
                if failed:
                    raise failed[0] from None
                continue
            if isinstance(found, Exception):
                raise found
            if found is None:
                running -= 1
            else:
                yield found
    finally:
        for queue in (*inboxes, results):
            queue.cancel_join_thread()
        for process in processes:
            if process.pid is not None:
                process.terminate()


def _work(inbox: Any, results: Any, make: Make, options: Mapping[str, Any]) -> None:
    """Extract the pages of an inbox until None: what a process runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # sent to all processes of a terminal: the first one decides
    try:
        for result in bodies_of(iter(inbox.get, None), make, options):
            results.put(result)
        results.put(None)
    except Exception as error:
        results.put(OSError(f"{type(error).__name__}: {error}"))
