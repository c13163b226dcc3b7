"""What examples of a site are worth: `python -m benchmarks.teach --corpora DIR... [--write]`.

Of each site with two pages or more, the page with its right text that is most like each other page, of up to four, is
its example; of sites with more than `SEVERAL`, as many are compared with one. Scored is the token F1 with and without
them; comparison pages are the same. Pages are worse or better by more than `NOTICED`. The cost is the processor time of
a body with an example by that without, its lesson learned before.

With `--fields`: one example names its title, author and date as its text shows them, in a short line or on one of its
own. Scored are the other pages whose markup and text say what theirs are: a date is right by its day, an author by the
names in it, as the metadata has them.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import lxml.html

from denoise_scrapy.body import Example, SiteModel, extract
from denoise_scrapy.body.examples import MOST_BYTES, lesson_of, likeness, places_of
from denoise_scrapy.body.named import named_texts
from denoise_scrapy.core.characters import letters
from denoise_scrapy.metadata.dates import date_in
from denoise_scrapy.metadata.page_metadata import Metadata
from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import to_utf8
from denoise_scrapy.site.drift import MOST_LINE, PARTS
from denoise_scrapy.worker.extractor import parts_of
from evaluation import figures
from evaluation.corpora import RecordedPage, Site, add_folders_argument, recorded
from example_project.scoring import f1

#: What is counted of a field.
NAMED = ("pages that show it", "right", "wrong", "none", "given where the markup says none")
#: Pages of a site, and sites of a corpus; a corpus with fewer pages is left out.
PAGES, SITES, LEAST = 5, 60, 20
#: Examples that are compared with one.
SEVERAL = 3
#: Difference of F1 that a reader notices.
NOTICED = 0.01


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.teach", description=__doc__)
    add_folders_argument(ap)
    ap.add_argument("--fields", action="store_true", help="score fields, not bodies")
    ap.add_argument("--write", action="store_true", help="write the table into the documentation")
    args = ap.parse_args()
    if args.fields:
        fields = named(site for _, sites in recorded(args.corpora) for site in sites)
        rows = [[name, *(f"{fields[name, what]:,}" for what in NAMED)] for name in PARTS if fields[name, NAMED[0]]]
        table = figures.table(["field", *NAMED], rows)
        print(table)
        if args.write:
            figures.write("fields", table, Path("docs/teaching.md"))
        return
    every, rows = Counter[str](), []
    for name, sites in recorded(args.corpora):
        counts = scored(sites)
        if counts["pages"] >= LEAST:
            rows.append(_row(name, counts))
            every.update(counts)
    several = [f"pages with {SEVERAL}", f"with 1 of {SEVERAL}", f"with {SEVERAL}"]
    table = figures.table(
        ["corpus", "pages", "without", "with 1", "better", "worse", *several], [*rows, _row("all", every)]
    )
    print(table)
    print(f"cost: {every['1 ns'] / max(every['0 ns'], 1):.2f} of a body without an example")
    if args.write:
        figures.write("teach", table, Path("docs/teaching.md"))


def scored(sites: list[Site]) -> Counter[str]:
    """Score the pages of a corpus."""
    found = Counter[str]()
    chosen = [[page for page in site if page.gold and len(page.html) < MOST_BYTES] for site in sites]
    for every in [site for site in chosen if len(site) > 1][:SITES]:
        random.Random(every[0].site).shuffle(every)
        site = every[:PAGES]
        pages = [Page.parse(page.html, url=page.url) for page in site]
        examples = [Example(page.html, page.gold, url=page.url) for page in site]
        for number, page in enumerate(pages):
            others = [one.facts for at, one in enumerate(pages) if at != number]
            likest = _likest(page, [one for at, one in enumerate(examples) if at != number])
            scores = {}
            for most in (0, 1, SEVERAL)[: 2 + (len(likest) >= SEVERAL)]:
                begun = time.process_time_ns()
                model = SiteModel(others, likest[:most])
                text = model.extract(Page.parse(site[number].html, url=site[number].url)).text
                found[f"{most} ns"] += time.process_time_ns() - begun
                scores[most] = f1(text, site[number].gold)
            found["pages"] += 1
            found["without"] += round(1e6 * scores[0])
            found["with 1"] += round(1e6 * scores[1])
            found["better"] += scores[1] > scores[0] + NOTICED
            found["worse"] += scores[1] < scores[0] - NOTICED
            if SEVERAL in scores:
                found["pages with several"] += 1
                found["with 1 of several"] += round(1e6 * scores[1])
                found["with several"] += round(1e6 * scores[SEVERAL])
    return found


def named(sites: Iterable[Site]) -> Counter[tuple[str, str]]:
    """Count what becomes of each field on the pages of sites that show some."""
    found = Counter[tuple[str, str]]()
    for site in sites:
        shown = [(page, said) for page in site[:PAGES] if len(page.html) < MOST_BYTES and (said := _shown(page))]
        for page, said in shown:
            others = [(other, names) for other, names in shown if other is not page and {*said} & {*names}]
            if not others:
                continue
            examples = {Example(other.html, fields=names): names for other, names in others}
            example = _likest(Page.parse(page.html), [*examples])[0]
            taught = named_texts(page.html, [example])
            for name in examples[example]:
                got = taught[name].text if name in taught else ""
                if name in said:
                    result = NAMED[1] if _read(name, got) == _read(name, said[name]) else NAMED[2] if got else NAMED[3]
                    found.update([(name, NAMED[0]), (name, result)])
                else:
                    found[name, NAMED[4]] += bool(got)
    return found


def _shown(page: RecordedPage) -> dict[str, str]:
    """Return the title, author and date of a page's markup that a short text of the page shows, as it shows them."""
    parsed = Page.parse(page.html, url=page.url)
    body = extract(page.html, page.url)
    said = parts_of(parsed, body, body.meta)
    lines = [text for text in parsed.block_texts if len(text) <= MOST_LINE]
    titles = lxml.html.fromstring(to_utf8(page.html)).xpath("//meta[@property='og:title']/@content")
    said["title"] = next((line for line in lines if titles and letters(line) == letters(titles[0])), "")
    said["date"] = _date_of(said["date"])
    return {name: text for name, text in said.items() if text and any(text in line for line in lines)}


def _read(name: str, text: str) -> tuple[str, ...]:
    """Return what the metadata of a page has of a text."""
    meta = Metadata().with_taught({name: (text, 1.0)})
    read = {"author": meta.authors, "date": (meta.published[:10],)}.get(name, ())
    return tuple(map(letters, read if any(read) else (text,)))


def _date_of(line: str) -> str:
    """Return the fewest words of a line that are its date, the whole line if there are none."""
    words, day = line.split(), date_in(line, "")[:10]
    runs = (words[first : first + size] for size in range(1, len(words)) for first in range(len(words) - size + 1))
    return next((text for run in runs if day and date_in(text := " ".join(run), "")[:10] == day), line)


def _likest(page: Page, examples: list[Example]) -> list[Example]:
    """Return examples, those first that share most places with a page."""
    places = places_of(page)
    return sorted(examples, key=lambda one: -likeness(places, page, lesson_of(one)))


def _row(name: str, counts: Counter[str]) -> list[str]:
    pages, several = counts["pages"], counts["pages with several"]
    plain, one = (_mean(counts[what], pages) for what in ("without", "with 1"))
    of_several = [_mean(counts[what], several) for what in ("with 1 of several", "with several")]
    changes = [str(counts[what]) for what in ("better", "worse")]
    return [name, f"{pages:,}", plain, one, *changes, f"{several:,}", *of_several]


def _mean(millionths: int, pages: int) -> str:
    return f"{millionths / pages / 1e6:.4f}" if pages else ""


if __name__ == "__main__":
    main()
