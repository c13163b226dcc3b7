"""What a new user does: installs the wheel in an empty environment, and follows the README word by word."""

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from example_project.portal import build
from tests.crawl.web import Reply, Web
from tests.processes import run_in
from tests.projects.portal_site import HTML, check_bodies, check_one_of_each, paths_of, serve
from tests.projects.running import NOISE

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SITE = "http://127.0.0.1:8808"  # the README's; the test's server stands in for it
LONGEST = 240  # seconds, of an installation: a slow index, and sources that are compiled
# What a wheel is made of; what is compiled in this checkout is left behind.
SOURCES = ("pyproject.toml", "setup.py", "README.md", "LICENSE")
LISTED = (
    "/news/village-school-opens-its-doors-again-1049.html",
    "/news/coast-line-may-go-electric-says-1070.html",
    "/news/the-night-train-comes-back-to-1084.html",
)


def chapter() -> list[tuple[str, str]]:
    """Language and text of each block of the README's chapter on using it in a project."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## Use it in a project\n")[1]
    return BLOCK.findall(text.split("\n## ")[0])


def execute(folder: Path, *command: str | Path) -> str:
    """Run a command that must succeed; gives what it printed."""
    # Nothing of this checkout may help.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SCRAPY"))}
    environment["CFLAGS"] = "-O1"  # the core is compiled in half the time
    done = run_in(folder, command, environment, LONGEST)
    assert done.returncode == 0, done.stdout
    return done.stdout


def install(folder: Path) -> Path:
    """Build the wheel from a copy of the sources, install it; gives the folder of its programs."""
    clean, environment = folder / "sources", folder / "environment"
    clean.mkdir()
    for name in SOURCES:
        shutil.copy(ROOT / name, clean)
    compiled = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / "denoise_scrapy", clean / "denoise_scrapy", ignore=compiled)
    pip = (sys.executable, "-m", "pip")
    execute(folder, *pip, "wheel", "-q", "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "wheel", clean)
    wheel = next((folder / "wheel").glob("*.whl"))
    # pip of our own environment: an own one would take seconds to set up, and nothing else differs
    execute(folder, sys.executable, "-m", "venv", "--without-pip", environment)
    execute(folder, *pip, "--python", environment / "bin" / "python", "install", "-q", "--no-compile", wheel)
    return environment / "bin"


def follow_the_readme(folder: Path, programs: Path, base: str) -> str:
    """Do what the chapter says, with the server at `base` in place of the README's; gives the log of the crawl."""
    printed = ""
    for command in [line for language, text in chapter() if not language for line in text.splitlines()]:
        name, *arguments = command.split()
        if name == "pip":
            assert arguments == ["install", "."]  # done, from the wheel
        elif name == "python":
            assert arguments == ["-m", "example_project.portal", "&"]  # the test's server is there
        elif name == "cd":
            folder = folder / arguments[0]
            write_files(folder, base)
        else:
            printed = execute(folder, programs / name, *arguments)
    return printed


def write_files(folder: Path, base: str) -> None:
    """Replace the settings' line in the file that is there, and write the spider."""
    blocks = [text.split("\n", 1) for language, text in chapter() if language == "python"]
    written = {first.removeprefix("# "): rest for first, rest in blocks if first.startswith("# courier/")}
    assert len(written["courier/settings.py"].splitlines()) == 1
    assert "denoise" not in written["courier/spiders/stories.py"]
    for name, text in written.items():
        file = folder / name
        if file.exists():
            assert file.read_text("utf-8").count("\nADDONS = {}\n") == 1
            file.write_text(file.read_text("utf-8").replace("ADDONS = {}\n", text), "utf-8")
        else:
            assert SITE in text
            file.write_text(text.replace(SITE, base), "utf-8")


def test_the_readme_leads_from_an_empty_folder_to_texts_without_copies(web: Web, tmp_path: Path) -> None:
    programs = install(tmp_path)
    serve(web, "news", "evening")
    linked = "".join(f'<div class="k3"><a href="{path}">{path}</a></div>' for path in LISTED)
    web.pages["/news/"] = Reply(f"<!DOCTYPE html><title>News</title>{linked}".encode(), headers=HTML)
    log = follow_the_readme(tmp_path, programs, web.url)
    project = tmp_path / "courier"
    items = paths_of(map(json.loads, (project / "items.jsonl").read_text("utf-8").splitlines()))
    copies = {path for path, page in build().pages.items() if page.copy_of in LISTED}
    assert list(next(iter(items.values()))) == ["url", "title", "body"]
    pages = {path: build().pages[path] for path in (*LISTED, *copies)}
    check_bodies(items, pages)
    check_one_of_each(items, pages)

    # the log: nothing above INFO, a line at the start, one for each copy and one at the end
    assert [line for line in log.splitlines() if NOISE.search(line)] == []
    ours = [line for line in log.splitlines() if "[denoise_scrapy." in line and " INFO: " in line]
    assert len(ours) == 2 + len(copies) == 4 and "Near-duplicate: " in log
    assert re.search(r"denoise at the end: \d+ pages, 5 bodies \(0 empty\), .* 2 near-duplicates, 0 errors", log)

    # pages that the spider did not ask for are few, and in the log
    more = set(web.asked) - {*LISTED, *copies, "/news/", "/robots.txt"}
    told = re.findall(r"Crawled \(200\) <GET \S+?//[^/]+(/\S+)> .*\['denoise-comparison'\]", log)
    assert more == set(told)
    assert len(told) <= 4  # `comparison.FREE`

    # the commands come with the wheel; a missing extra is named
    assert execute(project, programs / "scrapy", "denoise", "version").startswith("denoise_scrapy ")
    options = ("-s", "DENOISE_DEDUP_STORE=redis://localhost:6379/0", "-s", "LOG_LEVEL=CRITICAL")
    with pytest.raises(AssertionError, match=r"pip install denoise-scrapy\[redis\]"):
        execute(project, programs / "scrapy", "crawl", "stories", *options)
