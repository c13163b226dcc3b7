"""Tools for agents, with the Model Context Protocol: `python -m denoise_scrapy.llm.mcp [--private]`.

Agents read the docstrings and arguments of the tools. Pages given only by URL are fetched by a crawl in a separate
process (`commands.fetch_pages`).
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from denoise_scrapy.body import Body, extract_pages
from denoise_scrapy.commands.compare import explained
from denoise_scrapy.commands.extract import row_of
from denoise_scrapy.commands.inputs import GivenText
from denoise_scrapy.dedup import deduplicate
from denoise_scrapy.dedup.rules import PartRule
from denoise_scrapy.support.formats import Form
from denoise_scrapy.support.shown import numbered, report

# Limits of one call: pages, total characters given, pages fetched by following links, seconds of its crawl.
MOST_PAGES, MOST_CHARS, MOST_FOLLOWED, MOST_SECONDS = 200, 50_000_000, 50, 300
# Default maximum characters of a body in a response, to spare the agent's context.
CHARS_OF_A_BODY = 50_000


@dataclass
class GivenPage:
    """A page: its `html`, or a plain `text`; with neither, the page at `url` is fetched."""

    url: str = ""
    html: str = ""
    text: str = ""
    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}


class _Found(NamedTuple):
    """A page with its text, and its row in the result of `extract`, which includes URL and title."""

    key: str
    text: str
    row: dict[str, Any]


class Tools:
    """Clean texts of web pages, and near-duplicates among them.

    Pass several pages of one site together: they are compared, and what they share is left out. A page of which only
    the URL is given is fetched by Scrapy: robots.txt is obeyed, and pages of one site are fetched a second apart,
    unless the settings of the Scrapy project in which the server was started specify another delay.

    Args:
        private: Whether to fetch pages from private addresses too.
        error: The exception for messages to the agent.
    """

    def __init__(self, *, private: bool, error: type[Exception] = ValueError) -> None:
        self._private = private
        self._error = error

    async def extract(
        self, pages: list[str | GivenPage], form: Form = "markdown", follow: int = 0, max_chars: int = CHARS_OF_A_BODY
    ) -> dict[str, Any]:
        """Return the main text of web pages, without menus, advertisements and the like.

        Args:
            pages: The pages, or their URLs. Those of one site are compared with each other, which improves their texts.
            form: The format of the text.
            follow: Maximum number of further pages to fetch by following links of fetched pages to their own site,
                0 to 50.
            max_chars: Maximum characters per text; longer ones are cut, and marked by `cut`.

        Returns:
            `pages`: url, title, the text under the name of its form, confidence (0 to 1), evidence; `duplicate_of` for
            a fetched page that duplicates another. `problems`: what could not be read, and why.
        """
        if max_chars < 0:
            raise self._error(f"max_chars is 0 or more, not {max_chars}")
        found, problems = await self._read(pages, form, follow)
        for one in found:
            if len(one.row[form]) > max_chars:
                one.row.update({form: one.row[form][:max_chars], "cut": True})
        return {"pages": [one.row for one in found], "problems": problems}

    async def compare(self, first: str | GivenPage, second: str | GivenPage) -> dict[str, Any]:
        """Return whether one of two pages or texts is a near-duplicate of the other, and why.

        Args:
            first: A page, its URL, or a text; the main text of a page is compared.
            second: The other one.

        Returns:
            For each of the two as the new one: `duplicate`, `verdict` ("a variant" is similar, but about something
            else), `why`, `shares` (how much they have in common), some words that only the new one has.
        """
        found, problems = await self._read([first, second], "text", 0)
        if len(found) != 2:
            raise self._error(f"there are not two texts: {json.dumps(problems, ensure_ascii=False)}")
        a, b = (GivenText(one.text, one.row["title"], one.row["url"]) for one in found)
        ways = {}
        for name, new, kept in (("second_is_new", b, a), ("first_is_new", a, b)):
            judged = await asyncio.to_thread(explained, new, kept, PartRule.name, PartRule.threshold)
            ways[name] = {
                "duplicate": judged.duplicate,
                "verdict": judged.verdict,
                "why": judged.why,
                "shares": {check.name: round(check.share, 3) for check in judged.checks if check.of},
                "only_in_the_new_one": list(judged.lacking_units),
            }
        return ways

    async def dedup(
        self, pages: list[str | GivenPage], keep: Literal["first", "longest"] = "first", follow: int = 0
    ) -> dict[str, Any]:
        """Find the near-duplicates among pages or texts.

        Args:
            pages: Pages, their URLs, or texts; the main texts of pages are compared.
            keep: Which of several similar ones to keep.
            follow: Maximum number of further pages to fetch by following links of fetched pages to their own site,
                0 to 50.

        Returns:
            `kept`: keys of texts that are not duplicates; a key is a URL, with `#2` for the second page with this URL,
            or "page 3". `duplicates`: key, `of` (the kept one), score. `variants`: similar texts about something else,
            which are kept. `problems`.
        """
        found, problems = await self._read(pages, "text", follow)
        met = Counter[str]()
        rows = [(numbered(one.key, met), one.text, None, one.row["title"]) for one in found]
        verdicts = await asyncio.to_thread(lambda: list(deduplicate(rows, keep=keep, scope="global")))
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

    async def _read(
        self, given: Sequence[str | GivenPage], form: Form, follow: int
    ) -> tuple[list[_Found], list[dict[str, str]]]:
        """Return the texts of pages in order, fetched ones last, and problems."""
        pages = [_encodable(GivenPage(one) if isinstance(one, str) else one) for one in given]
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
        urls = [one.url for one in pages if one.url and not one.html and not one.text]
        if urls:
            crawled = await self._crawl(list(dict.fromkeys(urls)), form, follow)
            problems += crawled["problems"]
            found += [_Found(row["url"], row.pop("body"), row) for row in crawled["pages"]]
        return found, problems

    async def _crawl(self, urls: list[str], form: Form, follow: int) -> dict[str, Any]:
        """Fetch pages by a crawl in a separate process: reactors cannot be restarted, and its memory is released."""
        request = {"urls": urls, "form": form, "follow": follow, "private": self._private}
        with tempfile.TemporaryDirectory(prefix="denoise-") as folder:
            out = Path(folder, "found.json")
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "denoise_scrapy.commands.fetch_pages", str(out)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,  # ours goes to the agent
                stderr=asyncio.subprocess.PIPE,
            )
            try:
                _, errors = await asyncio.wait_for(process.communicate(json.dumps(request).encode()), MOST_SECONDS)
            except asyncio.TimeoutError:
                raise self._error(f"the crawl took more than {MOST_SECONDS} seconds") from None
            finally:
                if process.returncode is None:
                    process.kill()
            if not out.exists():
                last = errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
                raise self._error(f"the crawl failed: {last[:500]}")
            crawled: dict[str, Any] = json.loads(out.read_text("utf-8"))
            return crawled


def _encodable(page: GivenPage) -> GivenPage:
    """Return a page without lone surrogates, which JSON may contain; they are replaced as browsers do."""
    return GivenPage(*(value.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for value in astuple(page)))


def _given(pages: Sequence[GivenPage], form: Form) -> list[_Found]:
    """Return the texts of pages given with their content."""
    numbered = [(number, one) for number, one in enumerate(pages, 1) if one.html or one.text]
    bodies = extract_pages((one.url or None, one.html) for _, one in numbered if one.html)
    found = []
    for number, one in numbered:
        url, body = next(bodies) if one.html else (one.url, Body(one.text, 1.0, "none", evidence="given as text"))
        row = row_of(body, form if one.html else "text") | {"url": url}
        if not one.html:
            row[form] = row.pop("text")
        found.append(_Found(url or f"page {number}", body.text, row))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the server until its input ends; return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m denoise_scrapy.llm.mcp", description="Serve tools to agents over stdio"
    )
    private = "also fetch pages from private addresses, such as those of this machine and its network"
    parser.add_argument("--private", action="store_true", help=private)
    args = parser.parse_args(arguments)
    try:
        from mcp.server.mcpserver import MCPServer  # noqa: PLC0415 - an extra
        from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415
    except ImportError:
        report(f"{parser.prog}: needs mcp 2, which is not installed: pip install denoise-scrapy[mcp]")
        return 1
    with suppress(ImportError):  # a misspelt argument is an error, unless a later version has this elsewhere
        from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase  # noqa: PLC0415

        ArgModelBase.model_config["extra"] = "forbid"
    tools = Tools(private=args.private, error=ToolError)
    server = MCPServer("denoise_scrapy", instructions=tools.__doc__)
    for tool in (tools.extract, tools.compare, tools.dedup):
        server.add_tool(tool)
    server.run("stdio")
    return 0


if __name__ == "__main__":
    sys.exit(main())
