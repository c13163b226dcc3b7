"""A process that has imported what crawls need, and forks those that tests start: imports take most of a short run.

It reads a line of JSON for each: a number asks how that process has ended, anything else is a process to fork.
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import signal
import sys
import warnings
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import walk_packages
from typing import Any

PACKAGES = (
    *("commands", "core.downloader", "downloadermiddlewares", "extensions", "pipelines", "spidermiddlewares", "utils"),
    *("pqueues", "squeues"),
)
OURS = "addon commands crawl dedup middlewares pipelines".split()


def import_all() -> None:
    """Import what `scrapy` and a crawl with the add-on import, all but the reactor, which a process chooses."""
    for entry in entry_points(group="scrapy.commands"):
        entry.load()
    for name in (*(f"scrapy.{one}" for one in PACKAGES), *(f"denoise_scrapy.{one}" for one in OURS)):
        module = import_module(name)
        for found in walk_packages(getattr(module, "__path__", ()), f"{name}."):
            try:
                import_module(found.name)
            except ImportError:  # an extra
                continue
    assert "twisted.internet.reactor" not in sys.modules


def serve() -> dict[str, Any]:
    """Fork until the input ends; in a process that was forked, return what it is to become."""
    with os.fdopen(os.dup(0)) as lines:
        for line in lines:
            asked = json.loads(line)
            if isinstance(asked, int):
                pid, status = os.waitpid(asked, os.WNOHANG)
                print(json.dumps(os.waitstatus_to_exitcode(status) if pid else None), flush=True)
            elif pid := os.fork():
                print(pid, flush=True)
            else:
                return dict(asked)
    sys.exit()


def become(folder: str, arguments: list[str], environment: dict[str, str], given: str, out: str, err: str) -> None:
    """Run `-c CODE`, `-m MODULE` or a file of Python, with arguments, as a process of its own does."""
    for number, path, flags in ((0, given, os.O_RDONLY), (1, out, os.O_WRONLY), (2, err, os.O_WRONLY)):
        opened = os.open(path, flags | os.O_APPEND)
        os.dup2(opened, number)
        os.close(opened)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where tests run in the background
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if environment.get("PYTHONWARNINGS"):
        warnings.simplefilter(environment["PYTHONWARNINGS"])  # type: ignore[arg-type]
    sys.path[0:1] = [folder, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    kind, *more = arguments
    if kind == "-m":
        sys.argv = more
        runpy.run_module(more[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv = ["-c", *more[1:]]
        exec(compile(more[0], "<string>", "exec"), vars(sys.modules["__main__"]))
    else:
        sys.argv = arguments
        runpy.run_path(kind, run_name="__main__")


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import_all()
    gc.freeze()  # else each process would copy the memory of all objects as it ends
    become(**serve())
