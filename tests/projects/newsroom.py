"""The newsroom of `docs/newsroom.md`, four mornings long: corrections, a copy, a wall, and the site as it was."""

import json
import re
from pathlib import Path
from typing import Any

from tests.crawl.web import Web, sentence
from tests.processes import run_python
from tests.projects.herald import CORRECTED, NAMES, STORIES, copy_of, print_morning, run_crawl


def crawl(project: Path, web: Web, number: int) -> tuple[dict[str, dict[str, Any]], str]:
    log = run_crawl(project, "daily", "-a", f"start={web('/')}", "-O", f"{number}.jsonl", "-s", "FEEDS={}")
    rows = map(json.loads, (project / f"{number}.jsonl").read_text("utf-8").splitlines())
    return {row["url"].removeprefix(web.url): row for row in rows}, log


def test_four_mornings(tmp_path: Path, web: Web) -> None:
    project = copy_of("newsroom", tmp_path)
    print_morning(web, 1)
    first, _ = crawl(project, web, 1)
    assert len(first) == STORIES - 2
    for path, item in first.items():
        number = int(path.rpartition("/")[2])
        assert item["authors"] == [NAMES[number % 4]] and item["published"].startswith("2026-11-")
        assert item["title"] == f"Heading of {number}" and item["seen"] is item["no_content"] is None
        assert not re.search("I agree|Related|rights|By ", item["body"])
        assert sentence(number) in item["body"]

    print_morning(web, 2)
    second, _ = crawl(project, web, 2)
    states = {path: item["seen"] and item["seen"]["changed"] for path, item in second.items()}
    assert states == {f"/story/{number}": ["text"] for number in CORRECTED} | {"/story/12": None, "/story/13": None}

    print_morning(web, 2, is_broken=True)
    third, log = crawl(project, web, 3)
    assert len(third) == STORIES + 1 and all(item["no_content"] and not item["seen"] for item in third.values())
    assert "may have changed: " in log
    health = run_python(project, ["-m", "scrapy", "denoise", "health"])
    assert health.returncode == 3 and "have one text in common" in health.stdout

    print_morning(web, 2)
    assert crawl(project, web, 4)[0] == {}
