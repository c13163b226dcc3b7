"""Modules loaded at the start: `python -m denoise_scrapy FILE` takes little longer than the extraction."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crawl.web import Web, article, story

ROOT = Path(__file__).parents[2]
#: What a page alone does not need: it is Scrapy's, of an extra, or of another subcommand.
FOREIGN = {"scrapy", "twisted", "itemadapter", "scipy", "datasketch", "redis", "pyarrow", "pyspark", "dateparser"}
OTHERS = {"denoise_scrapy.addon", "denoise_scrapy.crawl", "denoise_scrapy.commands.dedup", "denoise_scrapy.crawl.items"}
#: Modules of a run: some 475, of which 390 are numpy's, lxml's and Python's own. Scrapy would bring 450 more.
MOST = 490
MAIN = """
import atexit, json, runpy, sys
atexit.register(lambda: json.dump(sorted(sys.modules), open("modules.json", "w")))
runpy.run_module("denoise_scrapy", run_name="__main__", alter_sys=True)
"""


def run(folder: Path, *arguments: str, **variables: str) -> tuple[str, set[str]]:
    """Run `python -m denoise_scrapy` in a folder; return its output and the loaded modules."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SCRAPY_")}
    environment = clean | {"PYTHONPATH": str(ROOT), "HOME": str(folder), "XDG_CONFIG_HOME": ""} | variables
    command = [sys.executable, "-c", MAIN, *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=True, encoding="utf-8"
    )
    return done.stdout, set(json.loads((folder / "modules.json").read_text("utf-8")))


def loaded(modules: set[str], names: set[str]) -> set[str]:
    return {name for name in names if any(f"{module}.".startswith(f"{name}.") for module in modules)}


def test_a_file_needs_no_scrapy(three: Path) -> None:
    printed, modules = run(three, "0.html", "--compare", "1.html", "--format", "json")
    assert story(0).split(".")[0] in printed
    assert loaded(modules, FOREIGN | OTHERS) == set()
    assert "numpy" in modules and len(modules) < MOST


@pytest.mark.parametrize("place", ["scrapy.cfg", ".config/scrapy.cfg", ".scrapy.cfg", "../scrapy.cfg", "variable"])
def test_a_project_around_has_its_say(tmp_path: Path, place: str) -> None:
    """Its module stands beside its scrapy.cfg; of the user's own files it must be importable, as with Scrapy."""
    folder = tmp_path / "within"
    folder.mkdir()
    (folder / "0.html").write_text(article(0), "utf-8")
    variables = {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, tmp_path)))}
    module = tmp_path / "courier.py"
    if place == "variable":
        variables["SCRAPY_SETTINGS_MODULE"] = "courier"
    else:
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_text("[settings]\ndefault = none\ncourier = courier\n", "utf-8")
        variables["SCRAPY_PROJECT"] = "courier"
    if place in {"scrapy.cfg", "../scrapy.cfg"}:
        module = (folder / place).with_name("courier.py")
        del variables["PYTHONPATH"]
    module.write_text("DENOISE_REMOVE = ['p']\n", "utf-8")
    printed, modules = run(folder, "0.html", **variables)
    assert story(0).split(".")[0] not in printed
    assert loaded(modules, FOREIGN) == set()


def test_a_page_of_the_web_is_fetched_as_by_the_project(tmp_path: Path, web: Web) -> None:
    web.pages["/0"] = article(0)
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = courier\n", "utf-8")
    (tmp_path / "courier.py").write_text("ROBOTSTXT_OBEY = True\nDENOISE_REMOVE = ['p.x']\n", "utf-8")
    printed, modules = run(tmp_path, web("/0"))
    assert story(0).split(".")[0] in printed
    assert "scrapy.settings" in modules
    assert web.asked == ["/robots.txt", "/0"]
