"""A pytest plugin that writes down what ran: versions, who does the work on arrays, and how many tests passed.

Loaded by the sessions of `noxfile.py`, with the file to write in `COMPAT_RECORD`.
"""

import json
import os
import platform
import re
import sys
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import pytest

NAME = re.compile(r"[\w.-]+")  # what a requirement begins with
OUTCOMES = ("passed", "failed", "error", "skipped")
reactors = set[str]()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Have a worker tell which reactor its crawls ran on."""
    reactor = sys.modules.get("twisted.internet.reactor")
    told = getattr(session.config, "workeroutput", None)
    if reactor is not None:
        reactors.add(type(reactor).__name__)
    if told is not None:
        told["reactors"] = sorted(reactors)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hear what a worker tells."""
    reactors.update(getattr(node, "workeroutput", {}).get("reactors", ()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Write the record."""
    from denoise_scrapy.native import status

    counts = {name: len(terminalreporter.stats.get(name, ())) for name in OUTCOMES}
    record = {
        "Python": platform.python_version(),
        "versions": _versions(),
        "accelerator": status(),
        "reactors": sorted(reactors),
        **counts,
    }
    path = Path(os.environ["COMPAT_RECORD"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def _versions() -> dict[str, str]:
    """Of what the package names, with its extras and tools, what is installed; and of Twisted."""
    found = {"twisted": version("twisted")}
    for requirement in requires("denoise-scrapy") or ():
        name = NAME.findall(requirement)[0].lower()
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return dict(sorted(found.items()))
