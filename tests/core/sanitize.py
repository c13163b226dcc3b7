"""The core under AddressSanitizer and UBSan: `python -m tests.core.sanitize [--every N] [--rounds N] [--seed N]`.

The package is built once more, in `build/sanitized`. The pages of the example portal, and of the corpora where
DENOISE_CORPORA names a folder, go through it, then hostile and damaged ones. A read or write outside
an array, or undefined behaviour, ends a process with a report; `--rounds 1 --seed N` makes a round again.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from denoise_scrapy import DuplicateIndex, Page, SiteModel
from denoise_scrapy.body import STRATEGIES
from denoise_scrapy.site.memory import read_facts
from evaluation.corpora import Site
from tests.hostile import styles
from tests.hostile.mutations import known_sites, round_of
from tests.hostile.named import CASES, page_of

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build" / "sanitized"
FLAGS = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all"
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",  # Python itself leaves memory behind
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "PYTHONMALLOC": "malloc",  # so that Python's own objects are watched too
}


def build() -> None:
    """Compile with sanitizers, beside the usual build."""
    environment = {**os.environ, "CXX": "g++", "CFLAGS": FLAGS, "LDFLAGS": "-fsanitize=address,undefined"}
    folders = ("--build-lib", str(BUILT / "lib"), "--build-temp", str(BUILT / "objects"))
    subprocess.run([sys.executable, "setup.py", "--quiet", "build", *folders], cwd=ROOT, env=environment, check=True)


def runtimes() -> str:
    """What must be in the process before Python is: the sanitizer, and the library whose exceptions it watches."""
    found = [
        subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
        for name in ("libasan.so", "libstdc++.so.6")
    ]
    return " ".join(found)


def start(part: int, args: argparse.Namespace) -> subprocess.Popen[bytes]:
    """A process for one part of the pages, with the sanitized package first on its path."""
    called = f"go({part}, {args.processes}, {args.every}, {args.rounds}, {args.seed})"
    code = f"import sys; sys.path.insert(0, {str(BUILT / 'lib')!r}); from tests.core.sanitize import go; {called}"
    environment = {**os.environ, **OPTIONS, "LD_PRELOAD": runtimes()}
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment)


def go(part: int, parts: int, every: int, rounds: int, seed: int) -> None:
    """Recorded pages, unless it is one round made again, and damaged ones; the number of the last stays in a file."""
    from denoise_scrapy.core import tree

    assert Path(tree.__file__).is_relative_to(BUILT), tree.__file__
    sites, last, pages = known_sites(), BUILT / f"last-{part}", 0
    for pages, page in enumerate(islice(recorded(sites) if rounds > 1 else (), part * every, None, parts * every), 1):  # noqa: B007
        do_all(*page)
    print(f"{pages:,} recorded pages: no error", flush=True)
    hostile = chain((make(STYLES) for _, make in styles.pages()), (page_of(name, NAMED) for name in CASES))
    for made in islice(hostile, part, None, parts):
        do_all(made, [])
    for number in range(seed + part, seed + rounds, parts):
        last.write_text(f"--seed {number} --rounds 1")
        do_all(*damaged(number, sites))
    last.unlink(missing_ok=True)


#: Pages that one is compared with; bytes of a page of hostile styles, and the size of a named one.
OTHERS, STYLES, NAMED = 5, 20_000, 0.001


def do_all(html: str, others: Sequence[str], strategy: str = "combined") -> None:
    """Parse, body with others, renderings and reasons, facts packed and unpacked, fingerprint."""
    facts = [Page.parse(other, url=f"http://a.example/{number}").facts for number, other in enumerate(others)]
    page = Page.parse(html, url="http://a.example/page")
    body = SiteModel(facts).extract(page, strategy=strategy)
    read_facts(page.facts.data, page.facts.url)
    index = DuplicateIndex()
    for number, text in enumerate((body.text, body.markdown, body.html, *(block.text for block in body.blocks[:3]))):
        index.check_and_add(str(number), text)


def recorded(sites: Sequence[Site]) -> Iterator[tuple[str, list[str], str]]:
    """Each page, with others of its site: arguments of `do_all`."""
    for site in sites:
        for number, page in enumerate(site):
            others = [other.html for other in site[max(number - OTHERS, 0) : number]]
            yield page.html, others, "combined"


def damaged(seed: int, sites: Sequence[Site]) -> tuple[str, list[str], str]:
    """A damaged page: arguments of `do_all`; each fourth is judged by another strategy."""
    names = sorted(STRATEGIES)
    return *round_of(seed, sites), names[seed // 4 % len(names)] if seed % 4 == 0 else "combined"


def main() -> int:
    """Build, run; give 1 where a process failed, and say with which page."""
    ap = argparse.ArgumentParser(prog="python -m tests.core.sanitize", description=__doc__)
    ap.add_argument("--every", type=int, default=1, metavar="N", help="one in so many recorded pages")
    ap.add_argument("--rounds", type=int, default=20_000, help="damaged pages")
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--processes", type=int, default=2)
    args = ap.parse_args()
    build()
    codes = [process.wait() for process in [start(part, args) for part in range(args.processes)]]
    for last in BUILT.glob("last-*"):
        print(f"failed in the round of {last.read_text()}")
        last.unlink()
    print(f"{args.rounds:,} damaged pages from seed {args.seed} on: {'failed' if any(codes) else 'no error'}")
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
