"""Runs a project as its owner would: `scrapy crawl` in its folder, which is a copy of the one here."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from denoise_scrapy.stats import PREFIX, meaning_of

PROJECTS = Path(__file__).parent
ROOT = PROJECTS.parents[1]
LONGEST = 60  # seconds; a crawl here takes two or three
STATS = 'EXTENSIONS={"example_project.stats_file.StatsFile": 500}'
# tldextract, which scrapy-poet asks for domains, warns where its list cannot be fetched.
NOISE = re.compile(r"(?<! \[tldextract\]) (WARNING|ERROR|CRITICAL): ")


@dataclass
class Run:
    """What a crawl left behind."""

    folder: Path
    log: str
    stats: dict[str, Any]

    def lines(self, name: str = "items.jsonl") -> list[dict[str, Any]]:
        """Items of a feed in JSON lines."""
        return [json.loads(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]

    def stat(self, name: str) -> Any:
        return self.stats.get(PREFIX + name, 0)

    def noise(self) -> list[str]:
        """Lines of the log at WARNING and above."""
        return [line for line in self.log.splitlines() if NOISE.search(line)]


def copy_of(project: str, folder: Path) -> Path:
    """A copy of a project of ours in `folder`, so that a crawl leaves nothing beside it."""
    return Path(shutil.copytree(PROJECTS / project, folder / project, ignore=shutil.ignore_patterns("__pycache__")))


def crawl(folder: Path, spider: str, start: str, *options: str) -> Run:
    """Run `scrapy crawl` in the project at `folder`; it must end well, and complain about nothing."""
    stats = ("-s", STATS, "-s", f"STATS_FILE={folder / 'stats.json'}")
    command = ("-m", "scrapy", "crawl", spider, "-a", f"start={start}", *stats, *options)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LONGEST,
        check=False,
    )
    print(done.stderr)
    assert done.returncode == 0, done.stdout
    file = folder / "stats.json"
    stats = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    ours = [name.removeprefix(PREFIX) for name in stats if name.startswith(PREFIX)]
    assert [name for name in ours if not meaning_of(name)] == []
    crawled = Run(folder, done.stderr, stats)
    assert crawled.noise() == []
    assert crawled.stat("errors") == 0
    return crawled
