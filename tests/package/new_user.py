"""What a new user does: installs the wheel in an empty environment, and follows the README word by word.

The wheel is that of `make package`, which runs this; `make test` does not.
"""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from example_project.portal import build
from tests.crawl.web import Reply, Web
from tests.processes import run_in
from tests.projects.portal_site import HTML, check_bodies, check_one_of_each, paths_of, serve
from tests.projects.running import noise_in

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SITE = "http://127.0.0.1:8808"  # the README's; the test's server stands in for it
LONGEST = 240  # seconds, of an installation from a slow index
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
    done = run_in(folder, command, environment, LONGEST)
    assert done.returncode == 0, done.stdout
    return done.stdout


def install(folder: Path) -> Path:
    """Install the wheel; gives the folder of its programs."""
    environment = folder / "environment"
    # pip of our own environment: an own one would take seconds to set up, and nothing else differs
    execute(folder, sys.executable, "-m", "venv", "--without-pip", environment)
    (wheel,) = (ROOT / "dist").glob("*.whl")
    pip = (sys.executable, "-m", "pip", "--python", environment / "bin" / "python")
    execute(folder, *pip, "install", "-q", "--no-compile", wheel)
    return environment / "bin"


def follow_the_readme(folder: Path, programs: Path, base: str) -> str:
    """Do what the chapter says, with the server at `base` in place of the README's; gives the log of the crawl."""
    commands = [line.split() for language, text in chapter() if not language for line in text.splitlines()]
    # from the wheel; and the test's server is there
    done = [["pip", "install", "."], ["python", "-m", "example_project.portal", "&"]]
    printed = ""
    for name, *arguments in (command for command in commands if command not in done):
        if name == "cd":
            folder = folder / arguments[0]
            write_files(folder, base)
        else:
            printed = execute(folder, programs / name, *arguments)
    return printed


def write_files(folder: Path, base: str) -> None:
    """Replace the settings' line in the file that is there, and write the spider."""
    blocks = [text.split("\n", 1) for language, text in chapter() if language == "python"]
    written = {first.removeprefix("# "): rest for first, rest in blocks if first.startswith("# courier/")}
    setting, spider = (written.pop(f"courier/{name}") for name in ("settings.py", "spiders/stories.py"))
    assert not written and len(setting.splitlines()) == 1 and "denoise" not in spider and SITE in spider
    settings = folder / "courier/settings.py"
    assert settings.read_text("utf-8").count("\nADDONS = {}\n") == 1
    settings.write_text(settings.read_text("utf-8").replace("ADDONS = {}\n", setting), "utf-8")
    (folder / "courier/spiders/stories.py").write_text(spider.replace(SITE, base), "utf-8")


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

    # the log: nothing above INFO, a line for each copy at DEBUG, and one at the end
    assert noise_in(log) == []
    ours = [line for line in log.splitlines() if "[denoise_scrapy." in line and " INFO: " in line]
    assert len(ours) == 2 and "is dropped, as a near-duplicate" in ours[0]  # the first one is said
    dropped = len(pages) - len(items)
    assert len(re.findall(r" DEBUG: Dropped \S+: near-duplicate of ", log)) == dropped >= 1
    assert re.search(
        rf"denoise at the end: \d+ pages, 5 bodies \(0 empty\), .* {dropped} near-duplicates?, 0 errors", log
    )

    # pages that the spider did not ask for are few, and in the log
    more = set(web.asked) - {*LISTED, *copies, "/news/", "/robots.txt"}
    told = re.findall(r"Crawled \(200\) <GET \S+?//[^/]+(/\S+)> .*\['denoise-comparison'\]", log)
    assert more == set(told)
    assert len(told) <= 4  # `comparison.FREE`

    # the commands come with the wheel; a missing extra is named
    assert execute(project, programs / "scrapy", "denoise", "extract", "-h").startswith("usage: scrapy denoise extract")
    options = ("-s", "DENOISE_DEDUP_STORE=redis://localhost:6379/0", "-s", "LOG_LEVEL=CRITICAL")
    with pytest.raises(AssertionError, match=r"pip install denoise-scrapy\[redis\]"):
        execute(project, programs / "scrapy", "crawl", "stories", *options)
