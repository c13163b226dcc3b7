"""What the tools do. Their docstrings and arguments are what an agent reads."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from denoise_scrapy.body import Body, extract_pages
from denoise_scrapy.commands.compare import Explanation, explained
from denoise_scrapy.commands.inputs import GivenText
from denoise_scrapy.dedup import RULES, deduplicate
from denoise_scrapy.dedup.rules import PartRule

# Of one call: pages, characters of all that is handed over, pages that links lead to, seconds of its crawl.
MOST_PAGES, MOST_CHARS, MOST_FOLLOWED, MOST_SECONDS = 200, 50_000_000, 50, 300
# What of a body a call gives, so that a page fills no agent's memory.
CHARS_OF_A_BODY = 50_000
Form = Literal["markdown", "text", "html"]


@dataclass
class GivenPage:
    """A page: its `html`, or a plain `text`; with neither, the page at `url` is fetched."""

    url: str = ""
    html: str = ""
    text: str = ""


@dataclass
class _Found:
    """A page with its text: a row of what `extract` returns, and its form."""

    key: str
    url: str
    title: str
    text: str
    row: dict[str, Any] = field(default_factory=dict)


class Tools:
    """Clean texts of web pages, and near-duplicates among them.

    Hand over several pages of one site together: they are compared, and what they share is left out. A page is fetched
    by Scrapy where only its URL is given: robots.txt is obeyed, and pages of one site come a second apart, unless the
    settings of the Scrapy project that the server was started in say otherwise.

    Args:
        private: Whether pages are fetched from private addresses too.
        error: What is raised with a message for the agent.
    """

    def __init__(self, *, private: bool = False, error: Callable[[str], Exception] = ValueError) -> None:
        self._private = private
        self._error = error

    async def extract(
        self, pages: list[GivenPage], form: Form = "markdown", follow: int = 0, max_chars: int = CHARS_OF_A_BODY
    ) -> dict[str, Any]:
        """Return the main text of web pages, without menus, advertisements and other frames.

        Args:
            pages: The pages. Those of one site are compared with each other, which makes their texts better.
            form: How the text is written.
            follow: How many more pages of the sites of fetched pages to fetch, by their links: 0 to 50.
            max_chars: Longer texts are cut there, and marked by `cut`.

        Returns:
            `pages`: url, title, the text under the name of its form, confidence (0 to 1), evidence; `duplicate_of` of
            a fetched page that repeats another. `problems`: what could not be read, and why.
        """
        found, problems = await self._read(pages, form, follow)
        rows = []
        for one in found:
            text = str(one.row[form])
            row = one.row | {form: text[:max_chars]} | ({"cut": True} if len(text) > max_chars else {})
            rows.append(row)
        return {"pages": rows, "problems": problems}

    async def compare(self, first: GivenPage, second: GivenPage) -> dict[str, Any]:
        """Return whether one of two pages or texts is a near-duplicate of the other, and why.

        Args:
            first: A page or a text; of a page its main text counts.
            second: The other one.

        Returns:
            For each of both as the new one: `duplicate`, `why`, `variant` (why it is a thing of its own although it is
            like the other), `shares` (how much they have in common), some words that only the new one has.
        """
        found, problems = await self._read([first, second], "text", 0)
        if len(found) != 2:
            raise self._error(f"there are not two texts: {json.dumps(problems, ensure_ascii=False)}")
        a, b = (GivenText(one.text, one.title, one.url) for one in found)
        rule = PartRule.name
        return {
            name: self._verdict(await asyncio.to_thread(explained, new, kept, rule, RULES[rule].threshold))
            for name, new, kept in (("second_is_new", b, a), ("first_is_new", a, b))
        }

    async def dedup(
        self, pages: list[GivenPage], keep: Literal["first", "longest"] = "first", follow: int = 0
    ) -> dict[str, Any]:
        """Find the near-duplicates among pages or texts.

        Args:
            pages: Pages or texts; of pages the main texts count.
            keep: Which of several like ones is kept.
            follow: How many more pages of the sites of fetched pages to fetch, by their links: 0 to 50.

        Returns:
            `kept`: keys of texts that are no duplicates; a key is a URL, or "page 3". `duplicates`: key, `of` (the
            kept one), score. `variants`: like texts that are things of their own, and are kept. `problems`.
        """
        found, problems = await self._read(pages, "text", follow)
        rows = [(one.key, one.text, None, one.title) for one in found]
        verdicts = await asyncio.to_thread(lambda: list(deduplicate(rows, keep=keep)))
        return {
            "kept": [key for key, verdict in verdicts if not verdict.duplicate],
            "duplicates": [
                {"key": key, "of": verdict.of, "score": round(verdict.score, 3)}
                for key, verdict in verdicts
                if verdict.duplicate
            ],
            "variants": [{"key": key, "of": one.variant_of} for key, one in verdicts if one.variant_of is not None],
            "problems": problems,
        }

    @staticmethod
    def _verdict(found: Explanation) -> dict[str, Any]:
        return {
            "duplicate": found.duplicate,
            "why": found.why,
            "variant": found.variant,
            "shares": {check.name: round(check.share, 3) for check in found.checks if check.of},
            "only_in_the_new_one": list(found.lacking_units),
        }

    async def _read(
        self, pages: Sequence[GivenPage], form: Form, follow: int
    ) -> tuple[list[_Found], list[dict[str, str]]]:
        """The texts of pages in their order, fetched ones last; and what is none."""
        if len(pages) > MOST_PAGES or sum(len(one.html) + len(one.text) for one in pages) > MOST_CHARS:
            raise self._error(f"a call takes {MOST_PAGES} pages and {MOST_CHARS:,} characters at most")
        if not 0 <= follow <= MOST_FOLLOWED:
            raise self._error(f"follow is 0 to {MOST_FOLLOWED}, not {follow}")
        problems = [
            {"url": f"page {number}", "problem": "neither html nor text nor url"}
            for number, one in enumerate(pages, 1)
            if not (one.html or one.text or one.url)
        ]
        found = await asyncio.to_thread(_given, pages, form)
        wanted = [one.url for one in pages if one.url and not one.html and not one.text]
        if wanted:
            crawled = await self._crawl(list(dict.fromkeys(wanted)), form, follow)
            problems += crawled["problems"]
            found += [_Found(row["url"], row["url"], row["title"], row.pop("body"), row) for row in crawled["pages"]]
        return found, problems

    async def _crawl(self, urls: list[str], form: Form, follow: int) -> dict[str, Any]:
        """Fetch pages by a crawl in a process of its own: a reactor runs once, and a crawl's memory goes with it."""
        asked = {"urls": urls, "form": form, "follow": follow, "private": self._private}
        with tempfile.TemporaryDirectory(prefix="denoise-") as folder:
            out = Path(folder, "found.json")
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "denoise_scrapy.mcp.crawl", str(out)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,  # ours is the agent's
                stderr=asyncio.subprocess.PIPE,
            )
            try:
                _, said = await asyncio.wait_for(process.communicate(json.dumps(asked).encode()), MOST_SECONDS)
            except asyncio.TimeoutError:
                raise self._error(f"the crawl took more than {MOST_SECONDS} seconds") from None
            finally:
                if process.returncode is None:
                    process.kill()
            if not out.exists():
                last = said.decode("utf-8", "replace").strip().rpartition("\n")[2]
                raise self._error(f"the crawl failed: {last[:500]}")
            crawled: dict[str, Any] = json.loads(out.read_text("utf-8"))
            return crawled


def _given(pages: Sequence[GivenPage], form: Form) -> list[_Found]:
    """The texts of pages that were handed over."""
    numbered = [(number, one) for number, one in enumerate(pages, 1) if one.html or one.text]
    bodies = iter(list(extract_pages((one.url or None, one.html) for _, one in numbered if one.html)))
    found = []
    for number, one in numbered:
        url, body = next(bodies) if one.html else (one.url, Body(one.text, 1.0, "none", evidence="given as text"))
        row = {
            "url": url,
            "title": body.title,
            form: getattr(body, form) if one.html else one.text,
            "confidence": round(body.confidence, 3),
            "evidence": body.evidence,
        }
        found.append(_Found(url or f"page {number}", url, body.title, body.text, row))
    return found
