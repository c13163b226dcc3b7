"""Weight of an installation and time to start, beside trafilatura: `python -m benchmarks.weight`.

Each extra is installed into an environment of its own, from a wheel of this checkout, and the files of each
distribution there are summed. A page of the example portal is read from a file by either command line, in turn; a crawl
of one page runs with the add-on and without. Writes the sections of `docs/figures.md`. PySpark is 450 MB to download:
`--without archive` leaves it out, and its row as it was.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import distributions
from pathlib import Path
from statistics import median
from typing import NamedTuple

from evaluation.figures import PAGE, table, write
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


def in_turn(commands: Mapping[str, Sequence[str]], folder: Path) -> dict[str, Run]:
    """Medians of some rounds, of which each runs all commands; a first one compiles what is imported."""
    rounds = [{name: measured(command, folder) for name, command in commands.items()} for _ in range(ROUNDS + 1)][1:]
    return {
        name: Run(median(one[name].seconds for one in rounds), median(one[name].megabytes for one in rounds))
        for name in commands
    }


def weights(wheel: Path, folder: Path, extras: Sequence[str]) -> list[list[str]]:
    """Rows of the table: what the package needs, by distribution, and what each extra adds."""
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
    """Rows of the table: a page from a file, and a crawl of one page."""
    (folder / "page.html").write_text(build().pages[STORY].html, "utf-8")
    (folder / "one.py").write_text(SPIDER.replace("/PAGE", str(folder / "page.html")), "utf-8")
    project = folder / "project"
    project.mkdir()
    (project / "scrapy.cfg").write_text("[settings]\ndefault = courier\n", "utf-8")
    (project / "courier.py").write_text(f"{ADDON}\n", "utf-8")
    (project / "page.html").write_bytes((folder / "page.html").read_bytes())
    crawl = [str(ours), "-m", "scrapy", "runspider", "-L", "ERROR", "one.py"]
    page = [str(ours), "-m", "denoise_scrapy", "page.html"]
    runs = in_turn(
        {
            "trafilatura": [str(theirs), str(theirs.with_name("trafilatura"))],
            "`python -m denoise_scrapy page.html`": page,
            "a crawl of one page, bare": crawl,
            "with the add-on": [*crawl, "-s", ADDON],
        },
        folder,
    )
    inside = in_turn({"the same in a project, with its settings": page}, project)
    names = list(runs)
    ordered = {name: runs[name] for name in names[:2]} | inside | {name: runs[name] for name in names[2:]}
    peer, bare = runs["trafilatura"].seconds, runs["a crawl of one page, bare"].seconds
    times = {name: run.seconds / (bare if name in names[2:] else peer) for name, run in ordered.items()}
    return [[name, f"{run.seconds:.2f}", f"{times[name]:.2f}", f"{run.megabytes:.0f}"] for name, run in ordered.items()]


def kept(rows: Sequence[Sequence[str]], extras: Sequence[str]) -> list[list[str]]:
    """The rows, with those that the page has of extras that were left out."""
    left_out = [f"| `[{extra}]` adds |" for extra in EXTRAS if extra not in extras]
    old = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(tuple(left_out or ["\0"]))]
    return [*map(list, rows), *([cell.strip() for cell in line.strip("| ").split("|")] for line in old)]


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.weight", description=__doc__)
    ap.add_argument("--without", nargs="+", choices=EXTRAS, default=[], help="extras that are not installed")
    args = ap.parse_args()
    extras = [extra for extra in EXTRAS if extra not in args.without]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", name, str(ROOT)]
        subprocess.run(wheel, check=True)
        rows = weights(next(folder.glob("*.whl")), folder, extras)
        theirs, peer = installed(folder / "peer", "trafilatura")
        rows.append(["to compare: `pip install trafilatura`", f"{sum(peer.values()):.0f}"])
        sizes = table(["installed", "MB"], kept(rows, extras))
        ratio = "of trafilatura, or of the bare crawl"
        times = table(["", "CPU s", ratio, "MB"], starts(folder / "alone/bin/python", theirs, folder))
    for section, text in (("weight", sizes), ("start", times)):
        print(text, "\n")
        write(section, text)


if __name__ == "__main__":
    main()
