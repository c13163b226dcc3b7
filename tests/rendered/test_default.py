"""The default strategy on pages as a browser shows them: what a style sheet hides is no content."""

from scrapy import Request
from scrapy_playwright.page import PageMethod

from example_project.scoring import f1
from tests.crawl.web import Web, article, story
from tests.rendered.browser import render

# No tag, class or attribute tells the columns apart; the style sheet does. Side columns may stay: when in doubt, keep.
STYLE = """<style>body{margin:0;font:16px/1.4 serif}body>div{position:absolute;top:40px}
.a{left:300px;width:620px}.b{left:0;width:200px;font-size:11px}.c{left:1000px;width:220px;font-size:11px}
.d{visibility:hidden;left:300px;width:620px;top:2000px}</style>"""


def lines(number: int, words: int) -> str:
    return "".join(f"<p>{' '.join(line.split()[-words:])}</p>" for line in story(number, 8).split(". "))


def test_what_only_the_style_sheet_hides_is_dropped(web: Web) -> None:
    for n in (1, 2, 3):
        columns = [("b", n + 100, 6), ("a", n, 99), ("c", n + 200, 6), ("d", n + 300, 99)]
        parts = "".join(f"<div class={name}>{lines(number, words)}</div>" for name, number, words in columns)
        web.pages[f"/{n}"] = f"<!doctype html>{STYLE}<title>{n}</title>{parts}"
    crawled, _ = render(*map(web, web.pages), settings={"DENOISE_STRATEGY": "combined"})
    assert crawled.stat("geometry/attached") == len(crawled.items) == 3
    for item in crawled.items:
        number = int(item["url"].rsplit("/", 1)[1])
        assert f"number {number} line 3" in item["body"]
        assert f"number {number + 300} line 3" not in item["body"]  # hidden by the style sheet alone


def test_what_a_script_writes_is_the_body_beside_pages_that_are_not_rendered(web: Web) -> None:
    names = [f"/story/{number}" for number in range(5)]
    web.pages["/"] = article(99, names)
    for number, name in enumerate(names):
        written = "".join(f"<p>{line}</p>" for line in story(number).split("\n"))
        shell = article(number, names, text="Please wait.")
        web.pages[name] = shell.replace(
            "</body>", f"<script>document.querySelector('.main p').outerHTML = '{written}'</script></body>"
        )
    meta = {"playwright": True, "playwright_page_methods": [PageMethod("wait_for_selector", ".main p")]}
    requests = [Request(web(name), meta=meta) for name in names]
    as_usual = {"DENOISE_STRATEGY": "combined", "DENOISE_COMPARISON_SHARE": 0.05}
    done, _ = render(Request(web("/")), *requests, settings=as_usual)
    bodies = done.bodies()
    for number, name in enumerate(names):
        body = bodies[web(name)]
        assert f1(body, f"Heading of {number} {story(number)}") > 0.95
        assert "Please wait" not in body
        assert "Daily Gazette" not in body
    assert done.stat("geometry/attached") == len(names)
    assert done.stat("geometry/missing") == done.stat("errors") == 0
    assert not done.lines(" WARNING ") and not done.lines(" ERROR ")
