"""`scrapy denoise teach`: give the right text of one page of a site, for its other pages."""

from __future__ import annotations

import argparse
from collections import Counter
from datetime import date
from pathlib import Path

from denoise_scrapy.body import Body, Example, extract
from denoise_scrapy.body.example_files import write_example
from denoise_scrapy.commands import Given, UsageError
from denoise_scrapy.commands.inputs import add_page_arguments, pages_of, settle_page
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import site_key
from denoise_scrapy.support.shown import counted, say

FOLDER = "examples"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_page_arguments(parser)
    parser.add_argument("--url", default="", help="address of the page, if it is a file")
    parser.add_argument("--css", metavar="SELECTOR", action="append", default=[], help="CSS or XPath of the right text")
    parser.add_argument("--text", metavar="FILE", help="or a file with the right text")
    parser.add_argument("--folder", help=f"of examples; default: DENOISE_EXAMPLES, or {FOLDER}")
    parser.epilog = "With --compare, it says what the example changes on these pages of the site."


def run(args: argparse.Namespace, settings: Given) -> int:
    """Write the example, and print what it changes on its own page and on others."""
    settle_page(args, "teach")
    if bool(args.css) == bool(args.text):
        raise UsageError("teach: give --css SELECTOR or --text FILE")
    read = DenoiseSettings.from_settings(settings)
    (html, url, _), *others = pages_of([args.page, *args.compare], "teach", settings)
    address = url or args.url
    if not site_key(address):
        raise UsageError("teach: --url: the page of an example has an http(s) address")
    text = Path(args.text).read_text("utf-8") if args.text else ""
    example = Example(html, text, tuple(args.css), address, date.today().isoformat())
    pages = [(address, html), *((at or name, page) for name, (page, at, _) in zip(args.compare, others, strict=True))]
    lines = []
    for name, page in pages:
        compared = [other for at, other in pages if at != name]
        before, after = (
            extract(page, name if site_key(name) else address, compared, examples=some) for some in ((), (example,))
        )
        lines.append(f"{name}: {_said(before, after)}")
    place = write_example(args.folder or read.examples or FOLDER, example)
    say(*lines, f"written to {place}")
    if not read.examples:
        say(f'To use it: DENOISE_EXAMPLES = "{args.folder or FOLDER}" in the settings')
    return 0


def _said(before: Body, after: Body) -> str:
    """Describe what an example changes."""
    old, new = (Counter(body.text.split("\n")) for body in (before, after))
    gone, come = (old - new).total(), (new - old).total()
    changes = f"{counted(come, 'line')} more and {gone:,} less than" if gone or come else "the same as"
    return f"{len(after.text.split()):,} words, {changes} without the example"
