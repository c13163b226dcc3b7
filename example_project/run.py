"""The demo: serves the portal, crawls it with the plugin, and scores the results.

    python -m example_project.run

leaves items, log, statistics and figures in example_project/output.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from statistics import mean
from typing import Any
from urllib.parse import urlsplit

import lxml.html
from lxml import etree

from example_project.portal import Portal, build, serve
from example_project.scoring import f1, score

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = Path(__file__).resolve().parent / "output"
PROGRESS = re.compile(r"Crawled (\d+) pages .*scraped (\d+) items")
LINES, WIDTH = 9, 96  # of a page when printed
TABLE = (
    ("pages", "pages crawled"),
    ("bodies", "texts extracted"),
    ("f1", "F1 of the texts"),
    ("duplicates_dropped", "near-duplicates dropped"),
    ("duplicates_missed", "near-duplicates missed"),
    ("wrongly_dropped", "wrongly dropped"),
    ("extra_requests", "extra requests"),
    ("seconds", "seconds"),
)


class CrawlError(Exception):
    """The crawl did not finish; the message has the details."""


def command(start: str, output: Path, settings: Sequence[str]) -> list[str]:
    """Return the command line of the crawl; `settings` are further NAME=VALUE."""
    # pages a hundredth of a second apart: as on any site, the first pages are in the pipelines before the last arrive
    ours = [f"STATS_FILE={output / 'stats.json'}", "LOGSTATS_INTERVAL=1", "DOWNLOAD_DELAY=0.01"]
    options = [part for pair in (*ours, *settings) for part in ("-s", pair)]
    items = str(output / "items.jsonl")
    crawl = [sys.executable, "-m", "scrapy", "crawl", "portal"]
    return [*crawl, "-a", f"start={start}", "-O", items, *options]


def crawl(start: str, output: Path, settings: Sequence[str] = ()) -> float:
    """Crawl from `start` in a separate process and return the seconds it took.

    Raises:
        CrawlError: It failed.

    """
    begun = time.perf_counter()
    tail = ""
    env = {**os.environ, "SCRAPY_SETTINGS_MODULE": "example_project.settings"}
    with (
        (output / "crawl.log").open("w", encoding="utf-8") as log,
        subprocess.Popen(
            command(start, output, settings),
            cwd=ROOT,
            env=env,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
        ) as process,
    ):
        for line in process.stderr or ():
            log.write(line)
            tail = line.strip() or tail
            if found := PROGRESS.search(line):
                print(f"   {found[1]} pages, {found[2]} items", flush=True)
    if process.returncode:
        raise CrawlError(f"scrapy ended with exit code {process.returncode}: {tail}")
    return time.perf_counter() - begun


def evaluate(portal: Portal, output: Path, seconds: float) -> dict[str, Any]:
    """Read the results of the crawl and return its figures.

    Raises:
        CrawlError: There are no items, or the crawl stopped early.

    """
    stats_file, items_file = output / "stats.json", output / "items.jsonl"
    if not stats_file.exists() or not items_file.exists():
        raise CrawlError("the crawl left no items or no statistics")
    stats = json.loads(stats_file.read_text("utf-8"))
    if stats.get("finish_reason") != "finished":
        raise CrawlError(f"the crawl stopped early: {stats.get('finish_reason')}")
    items = [json.loads(line) for line in items_file.read_text("utf-8").splitlines()]
    if not items:
        raise CrawlError("the crawl brought no items")
    return score(portal, items, stats, seconds)


def write_truth(portal: Portal, output: Path) -> None:
    """Write the truth that items are scored against: each page's text, and the groups of copies."""
    texts = {path: page.truth for path, page in portal.pages.items() if page.truth is not None}
    truth = {"texts": texts, "duplicates": portal.groups}
    (output / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1) + "\n", "utf-8")


def print_table(report: Mapping[str, Any]) -> None:
    """Print the figures."""
    for key, label in TABLE:
        print(f"   {label:<26}{report[key]!s:>8}")
    print()


def print_one(portal: Portal, items: Sequence[Mapping[str, str]]) -> str:
    """Print one story as on its page, and as in its item; return its path."""
    texts = {urlsplit(item["url"]).path: item.get("body") or "" for item in items}
    path = next((path for path in sorted(texts) if portal.pages[path].section == "news"), min(texts))
    page = lxml.html.fromstring(portal.pages[path].html)
    etree.strip_elements(page, "script", "style", etree.Comment, with_tail=False)
    shown = [" ".join(line.split()) for line in page.itertext()]
    for name, lines in (("before", [line for line in shown if line]), ("after", texts[path].splitlines())):
        print(f"   {name}: {path}, {sum(len(line.split()) for line in lines)} words")
        for line in lines[:LINES]:
            print(f"   | {line if len(line) <= WIDTH else line[: WIDTH - 1] + '…'}")
        print("   | …\n")
    return path


def baseline(portal: Portal, items: Sequence[Mapping[str, str]]) -> dict[str, float]:
    """Return the F1 of trafilatura's texts of the same pages by section; nothing if it is not installed."""
    try:
        trafilatura = import_module("trafilatura")
    except ImportError:
        return {}
    marks: dict[str, list[float]] = {}
    for path in sorted({urlsplit(item["url"]).path for item in items} & set(portal.pages)):
        page = portal.pages[path]
        marks.setdefault(page.section, []).append(f1(trafilatura.extract(page.html) or "", page.truth or ""))
    return {section: mean(found) for section, found in marks.items()}


def print_sections(ours: Mapping[str, float], theirs: Mapping[str, float]) -> None:
    """Print F1 by section of the portal."""
    for name, found in (("", {s: s for s in ours}), ("denoise_scrapy", ours), ("trafilatura", theirs)):
        cells = [value if isinstance(value, str) else f"{value:.3f}" for _, value in sorted(found.items())]
        if cells:
            print(f"   {name or 'F1 by section':<26}{''.join(f'{cell:>8}' for cell in cells)}")
    print()


def main(settings: Sequence[str] = ()) -> int:
    """Run the demo; arguments are further settings of the crawl, as NAME=VALUE."""
    OUTPUT.mkdir(exist_ok=True)
    for name in ("items.jsonl", "stats.json", "report.json", "crawl.log"):
        (OUTPUT / name).unlink(missing_ok=True)
    portal = build()
    write_truth(portal, OUTPUT)
    print(f"== serving a portal of {len(portal.pages)} pages on loopback and crawling it")
    try:
        with serve(portal=portal) as base:
            seconds = crawl(f"{base}/", OUTPUT, settings)
        report = evaluate(portal, OUTPUT, seconds)
        items = [json.loads(line) for line in (OUTPUT / "items.jsonl").read_text("utf-8").splitlines()]
    except CrawlError as error:
        print(f"The demo failed: {error}\n(log: {OUTPUT / 'crawl.log'})", file=sys.stderr)
        return 1
    (OUTPUT / "report.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print()
    path = print_one(portal, items)
    print_table(report)
    print_sections(report["f1_by_section"], baseline(portal, items))
    print(f"   items and figures are in {os.path.relpath(OUTPUT)}; see next what of a page is kept, and why:\n")
    programs, site = os.path.relpath(Path(sys.executable).parent), "http://127.0.0.1:8808"
    section = portal.pages[path].section
    other = next(one for one, page in portal.pages.items() if page.section == section and one != path)
    print(f"   {programs}/python -m example_project.portal &")
    print(f"   {programs}/scrapy denoise explain {site}{path} --compare {site}{other}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
