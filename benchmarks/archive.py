"""Archives: pages a second and core, memory, and whether results are those of a single process.

    python -m benchmarks.archive write FOLDER [--corpora DIR...] [--pages 20000] [--large .5] [--templates 1]
    python -m benchmarks.archive run FOLDER OUT [arguments of denoise_scrapy.archive]
    python -m benchmarks.archive parted FOLDER OUT... [--cell 4096] [--scope all]
    python -m benchmarks.archive check FOLDER OUT... [--cell 4096] [--scope all]
    python -m benchmarks.archive loop FOLDER [--ways read ours by-site trafilatura resiliparse] [--pages 2000]

`write` makes WARC files of recorded pages, without corpora of those of the example portal, and of edits of these: three
in ten a copy with some other words, the others a page with other words in the same template. `run` measures a run:
processor time of all its processes, and the largest of each kind. Compare it with `loop`, which reads the same files in
one process. `parted` makes results in as many partitions as the name of each OUT says; `check` compares some.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any
from zlib import crc32

from benchmarks.corpora import RecordedPage, load, portal
from benchmarks.peers import peers
from denoise_scrapy.archive.bodies import CELL
from denoise_scrapy.archive.places import read_records
from denoise_scrapy.archive.records import ArchiveRecord
from denoise_scrapy.body import extract_pages
from denoise_scrapy.dedup import DuplicateIndex
from denoise_scrapy.site import site_key

FILES = 16
COPIES, COPY_WORDS, OTHER_WORDS = 0.3, 0.02, 0.7
EVERY = 0.2  # seconds between two looks at the processes of a run
_TEXT = re.compile(r"(<(script|style)\b.*?</\2\s*>|<[^>]*>)|([^<]+)", re.IGNORECASE | re.DOTALL)
_WORD = re.compile(r"\w{3,}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.archive", description=__doc__)
    parser.add_argument("what", choices=("write", "run", "parted", "check", "loop"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path, nargs="*")
    parser.add_argument("--corpora", type=Path, nargs="*", default=[])
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--large", type=float, default=0, help="share of all pages that are of one site")
    parser.add_argument("--templates", type=int, help="recorded pages that are taken; default: all")
    parser.add_argument("--cell", type=int, default=CELL)
    parser.add_argument("--scope", default="all")
    parser.add_argument("--ways", nargs="*", default=["read", "ours", "by-site", "trafilatura", "resiliparse"])
    args, more = parser.parse_known_args()
    if args.what == "write":
        write(args.folder, args.corpora, args.pages, large=args.large, templates=args.templates)
    elif args.what == "run":
        given = [str(args.folder), str(args.out[0]), "--cell", str(args.cell), "--scope", args.scope, *more]
        print(json.dumps(measured([sys.executable, "-m", "denoise_scrapy.archive", *given])))
    elif args.what == "parted":
        parted(args.folder, args.out, args.cell, args.scope)
    elif args.what == "check":
        check(args.folder, args.out, args.cell, args.scope)
    else:
        for way in args.ways:
            loop(args.folder, way, args.pages)


def write(folder: Path, corpora: Iterable[Path], pages: int, *, large: float, templates: int | None) -> None:
    """Write WARC files, the pages of each site spread over all."""
    recorded = [page for root in corpora for name, sites in load(root) if name != "portal" for s in sites for page in s]
    recorded = (recorded or portal())[:templates]
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [(number % len(recorded), number // len(recorded)) for number in range(pages)]
    random.Random(1).shuffle(chosen)
    files = [(folder / f"{number:02}.warc.gz").open("wb") for number in range(FILES)]
    for place, (number, edit) in enumerate(chosen):
        page, rng = recorded[number], random.Random(f"{number} {edit}")
        html = page.html if not edit else edited(page.html, rng)
        url = url_of(page, number) + (f"?edit={edit}" if edit else "")
        if number % 10 < 10 * large:
            url = f"http://large.example/{number % 7}/{number}/{edit}"
        date = f"2031-{1 + edit % 12:02}-{1 + number % 28:02}T12:00:00Z"
        files[place % FILES].write(gzip.compress(warc_record(url, date, html.encode("utf-8", "replace")), 4))
    for file in files:
        file.close()
    print(f"{pages} pages in {FILES} files of {sum(one.stat().st_size for one in folder.iterdir()):,} bytes")


def url_of(page: RecordedPage, number: int) -> str:
    if page.url.startswith("http") and site_key(page.url):
        return page.url.partition("#")[0].replace("?", "/q")
    host = re.sub(r"[^a-z0-9]+", "-", page.site.lower()).strip("-") or "site"
    return f"http://{host}.example/{number}"


def edited(html: str, rng: random.Random) -> str:
    """A page with other words in its text, from its own."""
    share = COPY_WORDS if rng.random() < COPIES else OTHER_WORDS
    words = _WORD.findall(html)[:20_000] or ["word"]

    def other(found: re.Match[str]) -> str:
        return rng.choice(words) if rng.random() < share else found[0]

    return _TEXT.sub(lambda found: found[1] or _WORD.sub(other, found[3]), html)


def warc_record(url: str, date: str, html: bytes) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
    head += f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    return head.encode() + block + b"\r\n\r\n"


def records(folder: Path) -> Iterator[ArchiveRecord]:
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            yield from read_records(str(path.absolute()), file)


def parted(folder: Path, outs: Iterable[Path], cell: int, scope: str) -> None:
    """Results of a fixed number of partitions, in each stage."""
    from denoise_scrapy.archive.run import session  # noqa: PLC0415 - an extra
    from denoise_scrapy.archive.spark import bodies_of, duplicates_of, read_pages  # noqa: PLC0415

    for out in outs:
        spark = session("local[*,4]", str(out))
        spark.conf.set("spark.sql.adaptive.enabled", "false")
        spark.conf.set("spark.sql.shuffle.partitions", out.name)
        found = bodies_of(read_pages(spark, str(folder)), cell=cell, partitions=int(out.name))
        duplicates_of(found, scope=scope).write.parquet(str(out / "bodies"))


def check(folder: Path, outs: Iterable[Path], cell: int, scope: str) -> None:
    """Compare results with `extract_pages` and an index in this process: every body, every verdict."""
    from pyarrow import parquet  # noqa: PLC0415 - an extra

    pages = [one for one in records(folder) if not one.problem]
    counts: dict[str, int] = defaultdict(int)
    for one in pages:
        counts[site_key(one.url)] += 1

    def place(one: ArchiveRecord) -> tuple[Any, ...]:
        site = site_key(one.url)
        return site, crc32(one.url.encode()) % -(-counts[site] // cell), one.url, one.date, one.file, one.offset

    pages.sort(key=place)
    texts: dict[tuple[str, int], tuple[str, str]] = {}  # and titles
    for _, group in groupby(pages, lambda one: place(one)[:2]):
        some = list(group)
        for one, (_, body) in zip(some, extract_pages((p.url, p.html or "") for p in some), strict=True):
            texts[one.file, one.offset] = body.text, body.title
    of: dict[str, str] = {}
    verdicts: dict[tuple[str, int], tuple[Any, Any]] = {}
    with DuplicateIndex() as index:
        for one in sorted(pages, key=lambda p: (p.date, p.url, p.file, p.offset)):
            key = f"{one.url}#{len(of)}" if one.url in of else one.url
            of[key] = one.url
            within = site_key(one.url) if scope == "site" else ""
            text, title = texts[one.file, one.offset]
            verdict = index.check_and_add(key, text, scope=within, title=title)
            shares = {"c1": verdict.c1, "c2": verdict.score, "new": verdict.new}
            verdicts[one.file, one.offset] = (of[verdict.of], shares) if verdict.of else (None, None)
    print(f"{len(pages)} pages, {sum(kept is not None for kept, _ in verdicts.values())} near-duplicates")
    for out in outs:
        rows = parquet.read_table(out / "bodies").to_pylist()
        found = {(row["file"], row["offset"]): row for row in rows}
        same = sum(row["text"] == texts[key][0] for key, row in found.items())
        right = sum((row["duplicate_of"], row["shares"]) == verdicts[key] for key, row in found.items())
        print(f"{out}: {len(rows)} results of {len(found)} pages, {same} the same body, {right} the same verdict")


def loop(folder: Path, way: str, pages: int) -> None:
    """Pages a second of processor time of one process; read pages are held where they are put in order first."""
    found = (one for one in records(folder) if not one.problem)
    html: Iterable[tuple[str, str]] = ((one.url, one.html or "") for one in islice(found, pages))
    if way == "by-site":
        html = sorted(html, key=lambda page: (site_key(page[0]), page[0]))
    texts: Iterable[Any] = html
    if way in {"ours", "by-site"}:
        texts = (body.text for _, body in extract_pages(html))
    elif way != "read":
        extract = peers()[way]
        texts = (extract(page) for _, page in html)
    begin, count = time.process_time(), sum(1 for _ in texts)
    seconds = time.process_time() - begin
    print(f"{way}: {count} pages, {count / seconds:.1f} pages/s/core", flush=True)


def measured(command: list[str]) -> dict[str, Any]:
    """Run a command; the processor seconds of it and of all processes under it, and the most memory of one, in MB."""
    begin = time.monotonic()
    process = subprocess.Popen(command)
    seconds: dict[tuple[str, int], float] = {}
    largest: dict[str, tuple[float, int]] = {}
    while process.poll() is None:
        for number, kind, spent, memory in under(process.pid):
            seconds[kind, number] = spent
            largest[kind] = max(largest.get(kind, (0.0, 0)), (memory, round(time.monotonic() - begin)))
        time.sleep(EVERY)
    kinds = {kind: round(sum(spent for (of, _), spent in seconds.items() if of == kind), 1) for kind in largest}
    of_all = {"seconds": round(time.monotonic() - begin, 1), "processor seconds": kinds}
    most = {kind: f"{memory:.0f} after {after} s" for kind, (memory, after) in largest.items()}
    return {"status": process.returncode, **of_all, "largest, MB": most}


def under(root: int) -> Iterator[tuple[int, str, float, float]]:
    """Processes under one, it too: number, kind, processor seconds, resident MB."""
    rows: dict[int, tuple[int, float, float, str]] = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            line = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:  # it has ended
            continue
        spent = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
        rows[int(path.name)] = (int(fields[1]), spent, int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6, line)
    todo = [root]
    while todo:
        number = todo.pop()
        todo += [other for other, row in rows.items() if row[0] == number]
        if number in rows and rows[number][3]:  # one that is ending has no command line
            _, spent, memory, line = rows[number]
            kind = "java" if "java" in line.split(" ")[0] else "worker" if "pyspark.daemon" in line else "driver"
            yield number, kind, spent, memory


if __name__ == "__main__":
    main()
