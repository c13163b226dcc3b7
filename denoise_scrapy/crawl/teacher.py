"""Asking a function of the project for the right text of a page, once per template in doubt (DENOISE_TEACHER).

Its answer is an example, which moves the odds of the blocks of the site's pages: no word of it gets into an item. It is
stored in DENOISE_EXAMPLES, else beside the site memory; so are the templates for which it had none.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scrapy.utils.job import job_dir

from denoise_scrapy.body import Body, Example
from denoise_scrapy.body.example_files import read_examples, write_example
from denoise_scrapy.body.examples import MOST_EXAMPLES, lesson_of
from denoise_scrapy.core.feature_strings import tokens
from denoise_scrapy.crawl.asking import Asked, AskedPage, asked_page
from denoise_scrapy.crawl.pages import CrawledPage
from denoise_scrapy.crawl.parts import Crawl, beside
from denoise_scrapy.crawl.sites import sites_place
from denoise_scrapy.crawl.workers import Workers
from denoise_scrapy.page import Page
from denoise_scrapy.site.crawl_history import ALIKE, Hashes, containers_of, likeness
from denoise_scrapy.support.storage import SCHEMES
from denoise_scrapy.worker.extractor import TAUGHT, Extracted, Extractor, Wish

# Below this confidence it is asked: most of such bodies lack or add a third of their words (docs/figures.md).
DOUBTED = 0.6
# How often a crawl asks it, and bytes of a page that it is asked about: at most 100 MB of examples in memory. The next
# crawl asks about further templates.
MOST_ASKED, MOST_BYTES = 100, 1_000_000
# Share of the runs of so many words of each line of an answer that the page has too. One that quotes has nearly all; a
# model that mends a word in thirty breaks a tenth.
RUN, LEAST_QUOTED = 3, 0.9
FOLDER, ASKED = "denoise-examples", "asked.jsonl"
REFUSED = (
    "DENOISE_TEACHER: its answer for %s is refused: %s. The item keeps its body. (Further such answers: "
    "denoise/teacher/refused)"
)
UNSTORED = (
    "The answers of DENOISE_TEACHER are kept for this crawl only, since the settings name no folder: DENOISE_EXAMPLES"
)

Given: TypeAlias = str | tuple[str, ...]
# The templates of a site that are known, and whether one that was asked about in this crawl has an example.
Templates: TypeAlias = list[tuple[Hashes, asyncio.Future[bool] | None]]


def with_folder(crawl: Crawl) -> None:
    """Have a crawl with a teacher use the examples that it stored beside the site memory."""
    settings = crawl.settings
    place = sites_place(settings, job_dir(crawl.crawler.settings))
    if settings.examples:
        return
    if place is None or place.startswith(SCHEMES):
        crawl.say_once("teacher/unstored", UNSTORED)
        return
    folder = Path(place).parent / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    crawl.settings = replace(settings, examples=str(folder))


class Teacher:
    """The function, and the templates of each site that it was asked about, or that have an example.

    It is called with an `AskedPage`, and returns the right text, selectors of it, or None.
    """

    def __init__(self, crawl: Crawl, workers: Workers) -> None:
        self._crawl = crawl
        self._workers = workers
        self._function = Asked(crawl, "teacher")
        self._folder = crawl.settings.examples
        self._left = MOST_ASKED
        self._kept: dict[str, list[Hashes]] = {}
        for site, template in _asked(self._folder):
            self._kept.setdefault(site, []).append(template)
        self._sites: dict[str, asyncio.Future[Templates]] = {}

    async def revised(self, page: CrawledPage, found: Extracted, wish: Wish) -> Extracted:
        """Return what was extracted of a page, anew if its template has got an example since; this raises nothing."""
        body = found.body
        if (
            body is None
            or body.confidence >= DOUBTED
            or found.taught == TAUGHT
            or not await self._is_taught(page, body)
        ):
            return found
        again = await self._workers.ask(Extractor.extract, page, wish._replace(mates=0))
        return again if isinstance(again, Extracted) else found

    async def _is_taught(self, page: CrawledPage, body: Body) -> bool:
        source = page.source
        is_fit = page.site and page.is_ok and not page.deaths
        if source is None or not is_fit or len(source.html) > MOST_BYTES or not self._function.may_ask:
            return False
        try:
            read = await beside(partial(Page.parse, source.html, url=source.url, encoding=source.encoding))
            template = containers_of(read.facts)
            known = await self._templates(page.site) if self._left or page.site in self._sites else []
            mates = [answer for other, answer in known if likeness(other, template) > ALIKE]
            if mates:
                return mates[0] is not None and await asyncio.shield(mates[0])
            if not self._left:
                self._crawl.count("teacher/over_budget")
                return False
            self._left -= 1
            answer = asyncio.get_running_loop().create_future()
            known.append((template, answer))
            has_example = False
            try:
                has_example = await self._ask(await asked_page(source, body), page.site, template)
            finally:
                answer.set_result(has_example)
            return has_example
        except Exception as error:
            self._crawl.report("teacher", error, page.url)
            return False

    async def _ask(self, asked: AskedPage, site: str, template: Hashes) -> bool:
        given = await self._function.ask(_given, asked.url, asked)
        if given is None:  # it failed, and may be asked by the next crawl
            return False
        if given:
            try:
                example = await beside(partial(example_of, given, asked))
                self._workers.teach(example)
                self._crawl.count("teacher/used")
                if self._folder:
                    await beside(partial(write_example, self._folder, example))
                return True
            except ValueError as error:
                self._crawl.count("teacher/refused")
                self._crawl.say_once("teacher/refused", REFUSED, asked.url, error)
        self._crawl.count(not given and "teacher/none")
        if self._folder:
            line = json.dumps({"site": site, "template": template.astype(">u4").tobytes().hex()})
            await beside(partial(_append, Path(self._folder, ASKED), f"{line}\n"))
        return False

    async def _templates(self, site: str) -> Templates:
        if site not in self._sites:
            self._sites[site] = asyncio.ensure_future(beside(partial(self._read, site)))
        return await asyncio.shield(self._sites[site])

    def _read(self, site: str) -> Templates:
        examples = read_examples(self._folder).get(site, ())[:MOST_EXAMPLES]
        taught = [containers_of(Page.parse(one.html, url=one.url).facts) for one in examples]
        return [(template, None) for template in (*self._kept.pop(site, ()), *taught)]


def _given(answer: Any) -> Given:
    """Return an answer that is a text, or selectors; "" for none."""
    if answer is None or isinstance(answer, str):
        return (answer or "").strip()
    if isinstance(answer, (list, tuple)) and all(isinstance(one, str) for one in answer):
        return tuple(answer)
    raise TypeError(f"it returned {type(answer).__name__}, not str, a list of str, or None")


def example_of(given: Given, asked: AskedPage) -> Example:
    """Return the example that an answer gives.

    Raises:
        ValueError: It is not on the page.

    Example:
        >>> page = AskedPage("http://a.example/1", "<nav>Menu</nav><p>It rained <b>all</b> night long.", "", 0.3)
        >>> example_of("It rained all night long", page).text
        'It rained all night long'
        >>> example_of("It snowed all day long", page)
        Traceback (most recent call last):
        ValueError: it is not the page's own text
    """
    today = date.today().isoformat()
    if isinstance(given, str):
        example = Example(asked.html, given[: len(asked.html)], url=asked.url, date=today)
        own = set(_runs(" ".join(Page.parse(asked.html, url=asked.url).block_texts)))
        runs = [run for line in example.text.splitlines() for run in _runs(line, whole=True)]
        if not runs or sum(run in own for run in runs) < LEAST_QUOTED * len(runs):
            raise ValueError("it is not the page's own text")
    else:
        example = Example(asked.html, keep=given, url=asked.url, date=today)
        if not lesson_of(example).widths:
            raise ValueError("its selectors find nothing")
    return example


def _runs(text: str, *, whole: bool = False) -> Iterator[tuple[str, ...]]:
    """Yield the runs of words of a text: the longest of a line that is `whole`, of a page all."""
    words = tokens(text)
    for length in range(min(RUN, len(words)) if whole else 1, RUN + 1):
        yield from zip(*(words[start:] for start in range(length)), strict=False)
        if whole:
            return


def _asked(folder: str) -> Iterator[tuple[str, Hashes]]:
    """Yield the sites and templates for which there was no answer; a damaged line is none."""
    path = Path(folder, ASKED)
    for line in path.read_text("utf-8", "replace").splitlines() if folder and path.is_file() else ():
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            said = json.loads(line)
            yield str(said["site"]), np.frombuffer(bytes.fromhex(said["template"]), ">u4").astype(np.uint32)


def _append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(line)
