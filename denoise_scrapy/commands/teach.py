"""`scrapy denoise teach`: give the right text of one page of a site, for its other pages."""

from __future__ import annotations

import argparse
from pathlib import Path

from denoise_scrapy.body import Example
from denoise_scrapy.body.example_files import write_example
from denoise_scrapy.body.examples import lesson_of
from denoise_scrapy.body.named import named_texts
from denoise_scrapy.commands import Given, UsageError
from denoise_scrapy.commands.inputs import add_page_arguments, pages_of, settle_page
from denoise_scrapy.commands.teach_page import OTHERS, TaughtPages, serve
from denoise_scrapy.page.parse import decode_html
from denoise_scrapy.site import site_key
from denoise_scrapy.support.shown import say

FOLDER = "examples"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_page_arguments(parser)
    parser.add_argument("--url", default="", help="address of the page, if it is a file")
    parser.add_argument("--css", metavar="SELECTOR", action="append", default=[], help="CSS or XPath of the right text")
    parser.add_argument("--text", metavar="FILE", help="or a file with the right text; without both, a page is opened")
    parser.add_argument(
        "--field", metavar="NAME=TEXT", action="append", default=[], help="a text of the page by name, or css:SELECTOR"
    )

    parser.add_argument("--no-browser", action="store_true", help="print the address of the page, but do not open it")
    parser.epilog = (
        "With --compare, it says what the example changes on these pages of the site; without, the page that is opened "
        f"shows {OTHERS} that a URL links to. The example is written to DENOISE_EXAMPLES, by default {FOLDER}."
    )


def run(args: argparse.Namespace, settings: Given) -> int:
    """Write the example, and print what it changes on its own page and on others."""
    settle_page(args)
    if args.css and args.text:
        raise UsageError("give --css SELECTOR or --text FILE")
    fields = {name.strip(): text.strip() for name, _, text in (given.partition("=") for given in args.field)}
    if not all((*fields, *fields.values())):
        raise UsageError("--field: write NAME=TEXT")
    known = settings.get("DENOISE_EXAMPLES")  # unchecked: the first example makes the folder, and names fields
    is_given = bool(args.css or args.text or fields)
    follow = OTHERS * (not is_given and not args.compare)
    (html, url, _), *others = pages_of([args.page, *args.compare], settings, follow=follow)
    address = url or args.url
    if not site_key(address):
        raise UsageError("--url: the page of an example has an http(s) address")
    folder = str(known or FOLDER)
    names = [*args.compare, *others[len(args.compare) :]]
    compared = [(at or str(name), page) for name, (page, at, _) in zip(names, others, strict=True)]
    pages = TaughtPages([(address, html), *compared], address)
    if is_given:
        text = decode_html(Path(args.text).read_bytes()) if args.text else ""
        example = Example(html, text, args.css, address, fields=fields)
        if (args.css or args.text) and not lesson_of(example).widths:
            raise UsageError(f"{args.text or ', '.join(args.css)}: the page has no such text")
        if missing := [name for name in fields if name not in named_texts(html, [example])]:
            raise UsageError(f"--field {missing[0]}: {fields[missing[0]]!r} is not on the page")
        place = str(write_example(folder, example))
    else:
        example, place = serve(pages, lambda one: write_example(folder, one), browser=not args.no_browser)
    say(*pages.changes(example), f"written to {place}")
    if not known:
        say(f'To use it: DENOISE_EXAMPLES = "{FOLDER}" in the settings')
    return 0
