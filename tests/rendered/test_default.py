"""The default strategy on pages as a browser shows them: what a style sheet hides is no content."""

from scrapy import Request

from tests.crawl.web import Web, story
from tests.rendered.browser import render

# No tag, class or attribute tells the columns apart; the style sheet does. Side columns may stay: when in doubt, keep.
STYLE = """<style>body{margin:0;font:16px/1.4 serif}body>div{position:absolute;top:40px}
.a{left:300px;width:620px}.b{left:0;width:200px;font-size:11px}.c{left:1000px;width:220px;font-size:11px}
.d{visibility:hidden;left:300px;width:620px;top:2000px}</style>"""


def lines(number: int, words: int) -> str:
    return "".join(f"<p>{' '.join(line.split()[-words:])}</p>" for line in story(number, 8).split(". "))


def page(number: int) -> str:
    columns = [("b", number + 100, 6), ("a", number, 99), ("c", number + 200, 6), ("d", number + 300, 99)]
    parts = "".join(f"<div class={name}>{lines(n, words)}</div>" for name, n, words in columns)
    return f"<!doctype html>{STYLE}<title>{number}</title>{parts}"


def test_what_only_the_style_sheet_hides_is_dropped() -> None:
    web = Web()
    web.pages |= {f"/{n}": page(n) for n in (1, 2, 3)}
    try:
        crawled, _ = render(
            *(Request(web(f"/{n}"), meta={"playwright": True}) for n in (1, 2, 3)),
            settings={"DENOISE_STRATEGY": "combined"},
        )
    finally:
        web.close()
    assert crawled.stat("geometry/attached") == len(crawled.items) == 3
    for item in crawled.items:
        number = int(item["url"].rsplit("/", 1)[1])
        assert f"number {number} line 3" in item["body"]
        assert f"number {number + 300} line 3" not in item["body"]  # hidden by the style sheet alone
