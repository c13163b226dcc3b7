"""Processes that tests start, wait for, and read."""

import atexit
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PROC = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc, which this system has not")
SECONDS = 60  # of a process that hangs; most take some tenths, on a busy machine many times as long


@cache
def _server() -> subprocess.Popen[str]:
    """The process that forks others."""
    if not hasattr(os, "fork"):
        pytest.skip("starts processes by forking, which this system cannot")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "", "OPENBLAS_NUM_THREADS": "1"}
    command, pipe = [sys.executable, "-m", "tests.forking"], subprocess.PIPE
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, text=True, bufsize=1)
    atexit.register(server.communicate)
    return server


def _ask(what: object) -> int | None:
    asked, answers = _server().stdin, _server().stdout
    assert asked is not None and answers is not None
    asked.write(json.dumps(what) + "\n")
    answer: int | None = json.loads(answers.readline())
    return answer


class Forked:
    """A process of Python, started as by `python ARGUMENTS`, with the methods of `subprocess.Popen` that tests need.

    It has all modules that crawls import; where imports are what is tested, start one with `subprocess`. It reads the
    file `given`, and appends to the files `out` and `err`.
    """

    def __init__(
        self,
        arguments: Sequence[str | Path],
        folder: Path,
        environment: Mapping[str, str],
        *,
        out: Path,
        err: Path,
        given: str | Path = os.devnull,
    ) -> None:
        for path in (out, err):
            path.touch()
        files = {"given": str(given), "out": str(out), "err": str(err)}
        how = {"folder": str(folder), "environment": dict(environment), "arguments": list(map(str, arguments))}
        pid = _ask(files | how)
        assert pid, "a signal to 0 reaches all processes of the test run"
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        if self.returncode is None:
            self.returncode = _ask(self.pid)
        return self.returncode

    def wait(self, seconds: float = SECONDS) -> int:
        """Wait for its end."""
        end = time.monotonic() + seconds
        while (code := self.poll()) is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(str(self.pid), seconds)
            time.sleep(0.01)
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        self.send_signal(signal.SIGKILL)


def wait_until(condition: Callable[[], Any], seconds: float = SECONDS) -> None:
    """Wait for a condition; fail if it does not become true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} seconds in vain")
        time.sleep(0.03)  # conditions read files: more often would take time from the crawl that is waited for


def run_python(
    folder: Path, arguments: Sequence[str | Path], *, apart: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS` in a folder to its end; standard error comes with standard output, or `apart`."""
    with tempfile.TemporaryDirectory() as written:
        out, err = (Path(written, name) for name in ("out", "err" if apart else "out"))
        process = Forked(arguments, folder, {**os.environ, "PYTHONPATH": str(ROOT), **environment}, out=out, err=err)
        try:
            code = process.wait()
        finally:
            process.kill()
        told = err.read_text("utf-8") if apart else ""
        return subprocess.CompletedProcess(list(map(str, arguments)), code, out.read_text("utf-8"), told)


def run_in(
    folder: Path, command: Sequence[str | Path], environment: Mapping[str, str] | None = None, seconds: float = SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder to its end, in a new process; standard error comes with standard output."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)} if environment is None else environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=seconds,
        check=False,
    )


SPIDER = """
import scrapy

class Pages(scrapy.Spider):
    name = "pages"
    custom_settings = {{"ADDONS": {{"denoise_scrapy.DenoiseAddon": 500}}, "TELNETCONSOLE_ENABLED": False, {more}}}

    async def start(self):
        yield scrapy.Request(self.page)

    def parse(self, response):
        yield {{"url": response.url}}
"""


def crawl_page(
    folder: Path, page: str, *options: str, more: str = "", before: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Crawl a page in a process, with `more` in the settings of the spider, and code that runs before."""
    (folder / "pages.py").write_text(SPIDER.format(more=more), encoding="utf-8")
    code = f"{before}\nfrom scrapy.cmdline import execute; execute()"
    return run_python(folder, ["-c", code, "runspider", "pages.py", "-a", f"page={page}", *options], **environment)
