"""A worker: a process that extracts pages for a crawl, and ends with it.

It reads jobs from a socket, does one at a time, and writes their results. A page that takes too much memory or time of
the processor ends the worker, not the crawl.
"""

from __future__ import annotations

import gc
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
from pathlib import Path
from typing import IO, Any

from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.worker.extractor import Extractor, PageSource, Wish, sendable

# Maximum seconds of processor time of a job: the slowest recorded page takes a hundredth, a page of 10 MB a fifth. A
# process that is stopped, or gets no processor, takes none.
MAX_SECONDS = 10.0
# Maximum bytes of a worker's data, without the memory of its `Extractor`: twice what a page of 10 MB takes. So is a
# message's size.
MAX_BYTES = 1 << 30
#: The first message of a worker, before it imports anything: another program that was started in error sends none.
HELLO = "worker"

_LENGTH = struct.Struct("<Q")
_PR_SET_PDEATHSIG = 1
# Exit status of a worker without memory, which Python and shells do not use.
_OUT_OF_MEMORY = 77
# A variable of the environment that Python removes at once, before it does a worker's work.
_MARK = "DENOISE_STARTS_A_WORKER"
# What a new interpreter runs. `os` was imported at its start. The crawl's own modules may be needed, and are not
# imported from its main module.
_PROGRAM = """
import sys
sys.path[:] = {path!a}
import os
del os.environ[{mark!r}]
os.write({link}, {hello!r})
from denoise_scrapy.worker.worker import work
work({link}, {at_work}, {parent})
"""


class NoPythonError(Exception):
    """There is no program to start workers with."""


def start(python: str, link: socket.socket, at_work: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a worker at the other end of a socket pair; it writes the number of its current job to a file.

    Raises:
        OSError: No process can be started.
    """
    descriptors = {"link": link.fileno(), "at_work": at_work.fileno()}
    os.set_blocking(link.fileno(), True)  # gevent's sockets do not block
    program = _PROGRAM.format(path=_path(), mark=_MARK, hello=pack(HELLO), parent=os.getpid(), **descriptors)
    return subprocess.Popen(
        [python, "-IB", "-c", program],  # isolated: the working folder is no place of modules
        stdin=subprocess.DEVNULL,
        pass_fds=[*descriptors.values()],
        # a thread of NumPy's beside it would spin for .1 s
        env={"OPENBLAS_NUM_THREADS": "1", **os.environ, _MARK: "1"},
    )


def end_if_started_for_a_worker() -> None:
    """End this process if a crawl took its program for Python: it would crawl again, and start the next."""
    if _MARK in os.environ:
        os._exit(1)


def python() -> str:
    """Return the path of this version's program in the environment, or in the installation that it is of.

    `sys.executable` may be another program, of which Python is a part, and which would do its own work once more.

    Raises:
        NoPythonError: There is none.
    """
    name = f"bin/python{sys.version_info[0]}.{sys.version_info[1]}{sys.abiflags}"
    for prefix in () if getattr(sys, "frozen", False) else (sys.prefix, sys.base_prefix):
        with suppress(OSError), Path(prefix, name).open("rb") as file:
            if os.access(file.name, os.X_OK) and file.read(2) != b"#!":  # a script may start anything
                return file.name
    raise NoPythonError("there is no Python to start workers with")


def _path() -> list[str]:
    """Return the places of modules, the working folder and the script's last: there, a name may be the library's."""
    script = Path(getattr(sys.modules["__main__"], "__file__", None) or "")
    project = {os.path.realpath(folder) for folder in ("", script.parent)}
    return sorted(map(str, sys.path), key=lambda place: os.path.realpath(place) in project)


def file_in_memory() -> IO[bytes]:
    """Return a file without a name, in memory if the system can; raise OSError if there can be none."""
    return os.fdopen(os.memfd_create("denoise"), "r+b") if hasattr(os, "memfd_create") else tempfile.TemporaryFile()


def number_in(at_work: IO[bytes]) -> int:
    """Return the number of a worker's current or last job; 0 if there is none."""
    return int.from_bytes(os.pread(at_work.fileno(), _LENGTH.size, 0), "little")


def cause_of(status: int) -> str:
    """Return in words why a worker has ended with an exit status, and which setting helps.

    Example:
        >>> cause_of(-11)
        'was ended by signal 11 (Segmentation fault)'
    """
    if status in {-signal.SIGPROF, _OUT_OF_MEMORY}:
        limit = f"{MAX_SECONDS:g} seconds of processor time" if status < 0 else f"{MAX_BYTES:,} bytes of memory"
        return f"took more than {limit} (docs/symptoms.md)"
    if status >= 0:
        return f"exited with status {status}"
    who = " from outside (if memory is short, lower DENOISE_MEMORY_MB)" if status == -signal.SIGKILL else ""
    return f"was ended by signal {-status} ({signal.strsignal(-status)}){who}"


def pack(message: Any) -> bytes:
    """Return a message with its length in front."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


def unpack(received: bytearray) -> list[Any]:
    """Return the complete messages at the beginning of what was received, and remove them.

    Raises:
        ValueError: A message would be too long. (Unpickling one that is damaged may raise anything.)
    """
    messages = []
    while len(received) >= _LENGTH.size:
        end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
        if end > MAX_BYTES:
            raise ValueError("a message is too long")
        if len(received) < end:
            break
        with memoryview(received)[_LENGTH.size : end] as data:
            messages.append(pickle.loads(data))
        del received[:end]
    return messages


def work(descriptor: int, at_work: int, parent: int) -> None:
    """Do the jobs from a socket until it is closed: what a worker's process runs.

    The first message to it has the arguments of an `Extractor`, the maximum seconds of a job, and the maximum bytes of
    this process's data; the response is whether the strategy of the settings can be imported. Further ones are lists of
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
    extractor.read(PageSource(1, "", b"<p>A page", is_comparable=False, settings=DenoiseSettings()))
    extractor.extract(1, Wish())
    gc.collect()
    gc.freeze()  # modules need not be examined again and again
    return extractor


def _done(extractor: Extractor, name: str, args: tuple[Any, ...], seconds: float) -> tuple[Any, str]:
    """Return a job's result; or its exception, and the traceback."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return getattr(extractor, name)(*args), ""
    except MemoryError:
        os._exit(_OUT_OF_MEMORY)
    except Exception as error:
        return sendable(error), traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _end_with(parent: int) -> None:
    """End this process with the crawl, and not before."""
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to the whole group: the crawl decides
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process, whatever it is doing
    signal.pthread_sigmask(signal.SIG_SETMASK, ())  # the crawl's would be inherited
    sys.stdout = sys.stderr  # a feed may be written to the former
    if sys.platform == "linux":  # elsewhere it ends when it next reads
        import ctypes  # noqa: PLC0415

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)
