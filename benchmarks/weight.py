"""Weight of an installation and time to start, beside trafilatura: `python -m benchmarks.weight`.

Each extra is installed into an environment of its own, from a wheel of this checkout, and the files of each
distribution there are summed. A page of the example portal is read from a file by either command line, in turn; a crawl
of one page runs with the add-on and without. Writes the sections of `docs/figures.md`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path
from statistics import median
from typing import NamedTuple

from evaluation.figures import table, write
from example_project.portal.build import build

ROOT = Path(__file__).parent.parent
#: Extras with a row.
EXTRAS = ("meta", "redis", "several", "parquet", "playwright", "archive")
MEGABYTE = 1_000_000
LEAST_SHOWN = 2.0  # MB of a distribution with a row of its own
ROUNDS = 11
STORY = "/forum/viewtopic-398.html"
SPIDER = """
import scrapy

class One(scrapy.Spider):
    name = "one"
    custom_settings = {"TELNETCONSOLE_ENABLED": False}
    start_urls = ["file:///PAGE"]

    def parse(self, response):
        yield {"url": response.url}
"""
ADDON = 'ADDONS={"denoise_scrapy.DenoiseAddon": 500}'


class Run(NamedTuple):
    """Processor seconds of a process, and the most memory it held, in MB."""

    seconds: float
    megabytes: float


def installed(folder: Path, *wanted: str) -> tuple[Path, dict[str, float]]:
    """Install into a new environment; return its Python, and the MB of each distribution in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *wanted], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    sizes = {}
    for one in distributions(path=[str(site)]):
        files = [Path(str(file.locate())) for file in one.files or []]
        sizes[one.name] = sum(file.stat().st_size for file in files if file.is_file()) / MEGABYTE
    return python, sizes


def measured(command: Sequence[str], folder: Path) -> Run:
    """Run a command in a folder, with a page as standard input."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SCRAPY_", "PYTHON"))}
    with (folder / "page.html").open("rb") as page:
        process = subprocess.Popen(
            list(map(str, command)), cwd=folder, env=clean, stdin=page, stdout=subprocess.DEVNULL
        )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Run(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / MEGABYTE)


def weights(wheel: Path, folder: Path, extras: Sequence[str]) -> list[list[str]]:
    """Return rows of the weight of the package by distribution, and of that which each extra adds."""
    _, alone = installed(folder / "alone", str(wheel))
    large = {name: size for name, size in alone.items() if size >= LEAST_SHOWN}
    rows = [["`pip install denoise-scrapy`, in all", f"{sum(alone.values()):.0f}"]]
    rows += [[f"of it {name}", f"{size:.0f}"] for name, size in sorted(large.items(), key=lambda one: -one[1])]
    rows.append(["of it all others", f"{sum(alone.values()) - sum(large.values()):.0f}"])
    for extra in extras:
        _, sizes = installed(folder / extra, f"{wheel}[{extra}]")
        rows.append([f"`[{extra}]` adds", f"{sum(sizes.values()) - sum(alone.values()):.0f}"])
    return rows


def starts(ours: Path, theirs: Path, folder: Path) -> list[list[str]]:
    """Return rows of the time and memory for a page from a file, and for a crawl of one page: medians of rounds."""
    project = folder / "project"
    project.mkdir()
    for place in (folder, project):
        (place / "page.html").write_text(build().pages[STORY].html, "utf-8")
    (folder / "one.py").write_text(SPIDER.replace("/PAGE", str(folder / "page.html")), "utf-8")
    (project / "scrapy.cfg").write_text("[settings]\ndefault = courier\n", "utf-8")
    (project / "courier.py").write_text(f"{ADDON}\n", "utf-8")
    crawl = [str(ours), "-m", "scrapy", "runspider", "-L", "ERROR", "one.py"]
    page = [str(ours), "-m", "denoise_scrapy", "page.html"]
    commands = {
        "trafilatura": ([str(theirs), str(theirs.with_name("trafilatura"))], folder),
        "`python -m denoise_scrapy page.html`": (page, folder),
        "the same in a project, with its settings": (page, project),
        "a crawl of one page, bare": (crawl, folder),
        "with the add-on": ([*crawl, "-s", ADDON], folder),
    }
    # the first round compiles what is imported
    rounds = [{name: measured(*command) for name, command in commands.items()} for _ in range(ROUNDS + 1)][1:]
    rows, base = [], 1.0
    for name in commands:
        seconds = median(one[name].seconds for one in rounds)
        base = seconds if name.startswith(("trafilatura", "a crawl")) else base
        megabytes = median(one[name].megabytes for one in rounds)
        rows.append([name, f"{seconds:.2f}", f"{seconds / base:.2f}", f"{megabytes:.0f}"])
    return rows


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.weight", description=__doc__)
    ap.add_argument("--extras", nargs="*", choices=EXTRAS, default=EXTRAS, help="all; of archive 450 MB are downloaded")
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", name, str(ROOT)]
        subprocess.run(wheel, check=True)
        rows = weights(next(folder.glob("*.whl")), folder, args.extras)
        theirs, peer = installed(folder / "peer", "trafilatura")
        rows.append(["to compare: `pip install trafilatura`", f"{sum(peer.values()):.0f}"])
        head = ["", "CPU s", "of trafilatura, or of the bare crawl", "MB"]
        times = table(head, starts(folder / "alone/bin/python", theirs, folder))
    for section, text in (("weight", table(["installed", "MB"], rows)), ("start", times)):
        print(text, "\n")
        write(section, text)


if __name__ == "__main__":
    main()
