"""Runs a project as its owner would: `scrapy crawl` in its folder, which is a copy of the one here."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from denoise_scrapy.crawl.parts import PREFIX
from docs.counters import meaning_of
from tests.processes import run_python

PROJECTS = Path(__file__).parent
ROOT = PROJECTS.parents[1]
STATS = 'EXTENSIONS={"example_project.stats_file.StatsFile": 500}'
# tldextract, which scrapy-poet asks for domains, warns where its list cannot be fetched.
NOISE = re.compile(r"(?<! \[tldextract\]) (WARNING|ERROR|CRITICAL): ")


class Run:
    """A crawl in a copy of a project, which must end well, and complain about nothing; and what it left behind."""

    def __init__(self, project: str, folder: Path, spider: str, start: str, *options: str) -> None:
        ignore = shutil.ignore_patterns("__pycache__")
        self.folder = Path(shutil.copytree(PROJECTS / project, folder / project, ignore=ignore))
        file = self.folder / "stats.json"
        given = (STATS, f"STATS_FILE={file}", "TELNETCONSOLE_ENABLED=0")  # whose port another crawl may have
        crawl = ("crawl", spider, "-a", f"start={start}", *(part for one in given for part in ("-s", one)), *options)
        done = run_python(self.folder, ["-m", "scrapy", *crawl], PYTHONWARNINGS="default")
        assert done.returncode == 0, done.stdout
        self.log = done.stdout
        noise = noise_in(self.log)
        assert not noise, noise
        self.stats: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        ours = [name.removeprefix(PREFIX) for name in self.stats if name.startswith(PREFIX)]
        assert [name for name in ours if not meaning_of(name)] == []
        assert self.stat("errors") == 0

    def lines(self) -> list[dict[str, Any]]:
        """Items of the feed in JSON lines."""
        return [json.loads(line) for line in (self.folder / "items.jsonl").read_text(encoding="utf-8").splitlines()]

    def stat(self, name: str) -> Any:
        return self.stats.get(PREFIX + name, 0)


def noise_in(log: str) -> list[str]:
    """Lines of a log at WARNING and above."""
    return [line for line in log.splitlines() if NOISE.search(line)]
