"""A folder in which the spider of `spider.py` runs, in a process that may be killed, and its journal."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from tests.processes import ROOT, SECONDS, Forked

SPIDER, LIMITED = (Path(__file__).with_name(name) for name in ("spider.py", "limited.py"))

Process: TypeAlias = "subprocess.Popen[bytes] | Forked"

JOURNAL, FEED = "journal.jsonl", "items.jsonl"
_BEGIN = '{"url": '  # of an item's line


class Project:
    """Runs of one crawl in a folder, of a site, each with some arguments: `("-s", "JOBDIR=job")`."""

    def __init__(self, folder: Path, site: str, *arguments: str):
        self.folder = folder
        self.runs = 0
        self.site = site
        self._arguments = arguments
        folder.mkdir(exist_ok=True)

    def start(self, *arguments: str, limits: Sequence[str] = ()) -> Process:
        """Start a run, under limits with arguments of `limited.py`."""
        self.runs += 1
        command = ["-m", "scrapy", "runspider", str(SPIDER), "-o", "items.jsonl"]
        command += ["--logfile", "log.txt", "-a", f"site={self.site}", *self._arguments, *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "STORIES_RUN": str(self.runs)}
        errors = self.folder / "stderr.txt"
        if not limits:
            return Forked(command, self.folder, environment, out=errors, err=errors)
        python = sys.executable
        with errors.open("ab") as file:
            return subprocess.Popen(
                [python, str(LIMITED), *limits, python, *command], cwd=self.folder, env=environment, stderr=file
            )

    def run(self, *arguments: str, **more: Any) -> int:
        """Run to the end, and return the exit code."""
        return ended(self.start(*arguments, **more))

    def journal(self, *what: str) -> list[dict[str, Any]]:
        """Lines of the journal, of some kinds or all."""
        return [line for line in read_journal(self.folder) if not what or line["what"] in what]

    def urls(self, *what: str) -> list[str]:
        return [line["url"] for line in self.journal(*what)]

    def feed(self) -> Feed:
        return read_feed(self.folder)

    def log(self) -> str:
        path = self.folder / "log.txt"
        return path.read_text("utf-8") if path.exists() else ""

    def said(self, what: str) -> int:
        """Count the messages of the log, without tracebacks, that contain a text."""
        return sum(what in line for line in self.log().splitlines() if re.search(" [A-Z]+: ", line))

    def complaints(self) -> list[str]:
        """Return warnings and errors of the log, except from the user's pipelines and about the many copies here."""
        lines = (line for line in self.log().splitlines() if re.search(" (WARNING|ERROR|CRITICAL): ", line))
        expected = ("Error processing", "dropped as near-duplicates", "spider.First")
        return [line for line in lines if not any(words in line for words in expected)]


def ended(process: Process, seconds: float = SECONDS) -> int:
    """Wait for a process to end by itself; kill it if it does not."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise


class Journal:
    """Appends lines to the journal of the current folder, unbuffered, so that a kill loses none."""

    def __init__(self) -> None:
        self._file = os.open(JOURNAL, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def write(self, what: str, url: str = "", **more: Any) -> None:
        line = {"run": os.environ.get("STORIES_RUN", ""), "what": what, "url": url, **more}
        os.write(self._file, json.dumps(line).encode() + b"\n")


class Feed(NamedTuple):
    """Return the readable items of a feed, and the number of lines cut off by a kill, which the next run continues."""

    items: list[dict[str, Any]]
    torn: int

    @property
    def urls(self) -> list[str]:
        return [item["url"] for item in self.items]


def read_journal(folder: Path) -> list[dict[str, Any]]:
    """Return its lines, except one still being written, which may be incomplete."""
    path = folder / JOURNAL
    whole = path.read_text("utf-8").rpartition("\n")[0] if path.exists() else ""
    return [json.loads(line) for line in whole.splitlines()]


def read_feed(folder: Path) -> Feed:
    """Read a feed whose writers were killed, as a careful user does."""
    path = folder / FEED
    items, torn = [], 0
    for line in path.read_text("utf-8", "replace").splitlines() if path.exists() else ():
        head, *parts = line.split(_BEGIN)
        torn += bool(head)
        for part in parts:
            try:
                items.append(json.loads(_BEGIN + part))
            except ValueError:
                torn += 1
    return Feed(items, torn)


def settled_urls(folder: Path) -> set[str]:
    """Return the URLs of items with a known outcome: in the feed, dropped, or failed."""
    ended = {"dropped", "failed", "duplicate"}
    return set(read_feed(folder).urls) | {line["url"] for line in read_journal(folder) if line["what"] in ended}
