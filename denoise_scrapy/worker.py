"""A worker: a process that extracts pages for a crawl, and ends with it.

It reads jobs from a socket, does one at a time, and writes their results. A page that takes too much memory or time
ends the worker, not the crawl.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from denoise_scrapy.extractor import Extractor, PageSource, Wish, sendable
from denoise_scrapy.settings import DenoiseSettings

# Maximum seconds of a job: the slowest recorded page takes a hundredth, a page of 10 MB a fifth.
MAX_SECONDS = 10.0
# Maximum bytes of a worker's data, without the memory of its `Extractor`: twice what a page of 10 MB takes.
MAX_BYTES = 1 << 30

_LENGTH = struct.Struct("<Q")
_PR_SET_PDEATHSIG = 1
# What a new interpreter runs: the crawl's own modules may be needed, and are not imported from its main module.
_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from denoise_scrapy.worker import work
work(*map(int, sys.argv[2:]))
"""


def start(link: socket.socket, at_work: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a worker at the other end of a socket pair; it writes the number of its current job to a file.

    Raises:
        OSError: No process can be started.
    """
    descriptors = [link.fileno(), at_work.fileno()]
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, json.dumps([*map(str, sys.path)]), *map(str, [*descriptors, os.getpid()])],
        stdin=subprocess.DEVNULL,
        pass_fds=descriptors,
        env={"OPENBLAS_NUM_THREADS": "1", **os.environ},  # a thread of NumPy's beside it would spin for .1 s
    )


def file_in_memory() -> IO[bytes]:
    """Return a file without a name, in memory if the system can; raise OSError if there can be none."""
    return os.fdopen(os.memfd_create("denoise"), "r+b") if hasattr(os, "memfd_create") else tempfile.TemporaryFile()


def number_in(at_work: IO[bytes]) -> int:
    """Return the number of a worker's current or last job; 0 if there is none."""
    written = os.pread(at_work.fileno(), _LENGTH.size, 0)
    return int(_LENGTH.unpack(written)[0]) if written else 0


def can_start() -> bool:
    """Return whether workers can be started on this system, from this interpreter."""
    return os.name == "posix" and bool(sys.executable) and not getattr(sys, "frozen", False)


def pack(message: Any) -> bytes:
    """Return a message with its length in front."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


def unpack(received: bytearray) -> list[Any]:
    """Return the complete messages at the beginning of what was received, and remove them."""
    messages = []
    while len(received) >= _LENGTH.size:
        end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
        if len(received) < end:
            break
        with memoryview(received)[_LENGTH.size : end] as data:
            messages.append(pickle.loads(data))
        del received[:end]
    return messages


def work(descriptor: int, at_work: int, parent: int) -> None:
    """Do the jobs from a socket until it is closed: what a worker's process runs.

    The first message has the arguments of an `Extractor`, the maximum seconds of a job, and the maximum bytes of this
    process's data; the response is whether the strategy of the settings can be imported. Further ones are lists of
    jobs: number, method of the extractor, and arguments. Responses are lists of results: number, value or exception,
    and the exception's traceback.
    """
    _end_with(parent)
    with socket.socket(fileno=descriptor) as link:
        messages = _messages(link)
        settings, memory_bytes, seconds, most = next(messages)
        extractor = _made(settings, memory_bytes)
        _limit(most)
        link.sendall(pack(extractor.can_use(settings.strategy)))
        for jobs in messages:
            results = []
            for number, name, args in jobs:
                os.pwrite(at_work, _LENGTH.pack(number), 0)
                results.append((number, *_done(extractor, name, args, seconds)))
                if name == "extract":  # an item is waiting for it
                    link.sendall(pack(results))
                    results = []
            if results:
                link.sendall(pack(results))


def _messages(link: socket.socket) -> Iterator[Any]:
    received = bytearray()
    with suppress(OSError):  # the crawl has ended, perhaps without reading all results
        while part := link.recv(1 << 20):
            received += part
            yield from unpack(received)


def _limit(nbytes: int) -> None:
    """Limit the data of this process."""
    with suppress(ImportError, OSError, ValueError):  # not on all systems
        import resource  # noqa: PLC0415

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        most = nbytes if hard == resource.RLIM_INFINITY else min(nbytes, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


def _made(*args: Any) -> Extractor:
    """Return a new extractor, with everything loaded that extracting a page needs."""
    extractor = Extractor(*args)
    extractor.read(PageSource(1, "", b"<p>A page", is_example=False, settings=DenoiseSettings()))
    extractor.extract(1, Wish())
    gc.collect()
    gc.freeze()  # modules need not be examined again and again
    return extractor


def _done(extractor: Extractor, name: str, args: tuple[Any, ...], seconds: float) -> tuple[Any, str]:
    """Return a job's result; or its exception, and the traceback."""
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return getattr(extractor, name)(*args), ""
    except MemoryError:
        os._exit(1)
    except Exception as error:
        return sendable(error), traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _end_with(parent: int) -> None:
    """End this process with the crawl, and not before."""
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to the whole group: the crawl decides
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process, whatever it is doing
    sys.stdout = sys.stderr  # a feed may be written to the former
    if sys.platform == "linux":  # elsewhere it ends when it next reads
        import ctypes  # noqa: PLC0415

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)
