"""Inputs of several subcommands of `scrapy denoise`: pages and texts, a strategy, a rule."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from denoise_scrapy.archive.records import begins_page
from denoise_scrapy.body import STRATEGIES, extract
from denoise_scrapy.commands import STANDARD, Given, Source, UsageError
from denoise_scrapy.dedup import RULES
from denoise_scrapy.page.parse import MAX_PAGE_BYTES, decode_html
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.support.formats import format_of
from denoise_scrapy.support.row_files import named, uncompressed


class GivenText(NamedTuple):
    """A text to compare, with its title if it is HTML and its URL if it was fetched, else ""."""

    text: str
    title: str = ""
    url: str = ""


def add_page_arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Declare one or several pages, comparison pages, and a strategy."""
    what = "an http(s) URL, a file, - for standard input" + ", a folder of HTML, a pattern, or an archive" * several
    parser.add_argument("page", metavar="PAGE", nargs="*" if several else "?", help=what)
    compare = "comparison pages: other pages of the site, as for PAGE, which may be the last of them"
    parser.add_argument("--compare", nargs="+", action="extend", default=[], metavar="PAGE", help=compare)
    parser.add_argument("--strategy", choices=tuple(STRATEGIES), help="default: DENOISE_STRATEGY")


def settle_page(args: argparse.Namespace) -> None:
    """Take the last page behind --compare for PAGE where none stands elsewhere: the option takes all that follow it."""
    if args.page:
        return
    if len(args.compare) < 2:
        raise UsageError("the following argument is required: PAGE")
    last = args.compare.pop()
    args.page = last if args.page is None else [last]


def add_rule_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare a rule and a threshold, for `rule_given`."""
    parser.add_argument("--rule", choices=tuple(RULES), help="default: DENOISE_DEDUP_RULE")
    parser.add_argument("--threshold", type=share, metavar="T", help="default: DENOISE_DEDUP_THRESHOLD")


def rule_given(args: argparse.Namespace, settings: DenoiseSettings) -> tuple[str, float]:
    """Return the rule and the threshold from the command line, else from the settings, else the rule's own."""
    rule = args.rule or settings.dedup_rule
    threshold = settings.dedup_threshold if rule == settings.dedup_rule else 0.0  # rules have different scales
    return rule, args.threshold or threshold or RULES[rule].threshold


def whole(text: str, most: int = 1_000_000) -> int:
    """Return a number of things of the command line."""
    if not text.isdecimal() or not 0 < int(text) <= most:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 to {most:,}")
    return int(text)


def share(text: str) -> float:
    """Return a threshold of the command line; argparse names this function if it is no number."""
    value = float(text)
    if not 0 < value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 1")
    return value


def texts_of(names: Sequence[str], settings: Given) -> list[GivenText]:
    """Read texts; for HTML pages, body and title. Raises the errors of `pages_of`."""
    found = []
    for name, (source, url, is_html) in zip(names, pages_of(names, settings), strict=True):
        text, is_page = (source, is_html) if isinstance(source, str) else _decoded(name, source)
        title = ""
        if is_page:
            body = extract(text, url=url)
            text, title = body.text, body.title
        found.append(GivenText(text, title, url or ""))
    return found


def _decoded(name: str, data: bytes) -> tuple[str, bool]:
    """Return the text of a file, and whether it is HTML."""
    text = decode_html(data)
    if "\0" in text:
        raise ValueError(f"{name}: neither text nor HTML")
    return text, format_of(name) == "html" or begins_page(text[:4096].encode(errors="replace"))


def _content(name: str) -> bytes:
    """Return the bytes of a file, decompressed."""
    with named(name), Path(name).open("rb") as file, uncompressed(file) as content:
        data: bytes = content.read() if content is file else content.read(MAX_PAGE_BYTES)
    return data


def pages_of(names: Sequence[str], settings: Given, output: str | None = None, follow: int = 0) -> list[Source]:
    """Read files and standard input ("-", once) as they are, and fetch URLs, and up to `follow` pages they link to.

    Raises:
        UsageError: A name is of another kind or that of the output, or "-" occurs twice.
        OSError: A file or URL cannot be read or fetched.
    """
    if output and any(os.path.realpath(name) == os.path.realpath(output) for name in names if name != STANDARD):
        raise UsageError(f"{output}: it is a page as well: give the output another name")
    if list(names).count(STANDARD) > 1:
        raise UsageError("only one page can be standard input")
    urls = [name for name in dict.fromkeys(names) if "://" in name]
    for name in urls:
        if not name.lower().startswith(("http://", "https://")):
            raise UsageError(f"{name}: only files and http(s) URLs can be read")
    found: dict[str, Source] = {
        name: (sys.stdin.buffer.read() if name == STANDARD else _content(name), None, False)
        for name in names
        if name not in urls
    }
    if urls:  # last, so that missing files are reported before any request is sent
        from denoise_scrapy.commands.fetch_pages import fetch  # noqa: PLC0415 - it loads Scrapy, which files do not need

        found |= fetch(urls, settings, follow)
    return [found[name] for name in (*names, *(followed for followed in found if followed not in names))]
