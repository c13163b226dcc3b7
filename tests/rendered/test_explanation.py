"""The file that explains a body, opened in a real Chromium: what shows, what is asked for, what a keyboard reaches."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.body.explanation import explain_page
from tests.body.test_explanation import HOSTILE, PROSE
from tests.rendered.browser import chromium_options

FRAME = (
    "<nav><a href=/>Site menu</a></nav><h1>{0}</h1><p>{1}</p><p hidden>{0} {1}</p><aside><ol>{2}</ol></aside>"
    "<p>All rights ours</p>"
)
LINKS = "".join(f"<li><a href=/x{number}>A teaser of some words, number {number}</a>" for number in range(30))
PAGE = FRAME.format("Flood in the valley", PROSE * 8, LINKS)
OTHER = FRAME.format("Quite another story", PROSE[::-1] * 8, "<li>none")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    launched = chromium_options()
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launched)
        yield browser
        browser.close()


def watched(chromium: Any, **context: Any) -> tuple[Any, list[str], list[str]]:
    """Return a new page of the browser, what it requests, and what it says on the console."""
    view = chromium.new_context(**context).new_page()
    asked: list[str] = []
    said: list[str] = []
    view.on("request", lambda request: asked.append(request.url))
    view.on("console", lambda message: said.append(message.text))
    view.on("pageerror", lambda error: said.append(str(error)))
    return view, asked, said


@pytest.fixture
def open_page(chromium: Any, tmp_path: Path) -> Callable[..., Any]:
    """Opens the file of a page, and fails if it asks for anything else or says anything on the console."""

    @contextmanager
    def opened(source: str, *others: str, **context: Any) -> Iterator[Any]:
        named = [(f"{number}.html", other) for number, other in enumerate(others)]
        path = tmp_path / "explained.html"
        path.write_text(explain_page(source, "http://a.example/", named).html, "utf-8")
        view, asked, said = watched(chromium, **context)
        view.goto(path.as_uri())
        yield view
        assert said == []
        assert asked == [path.as_uri()]
        view.context.close()

    return opened


def test_nothing_of_a_hostile_page_runs_or_is_asked_for(open_page: Callable[..., Any]) -> None:
    with open_page(HOSTILE, HOSTILE.replace("rained", "snowed")) as view:
        for block in view.locator("#page .b").all():
            if block.is_visible():
                block.hover()
                block.click()
        for link in view.locator("#page .a").all():
            link.click()
        assert view.evaluate("[typeof window.ran, location.protocol]") == ["undefined", "file:"]


def test_policy_lets_nothing_in(chromium: Any, tmp_path: Path) -> None:
    """What a hole in our escaping would let through, put in by hand."""
    path = tmp_path / "broken.html"
    bad = "<img src=http://127.0.0.1:9/a onerror='ran=1'><script>ran=1</script><p style='color:red' onclick='ran=1'>p"
    path.write_text(explain_page(PAGE).html.replace("</main>", f"{bad}<iframe src=/etc></iframe></main>"), "utf-8")
    view = chromium.new_page()
    said: list[str] = []
    view.on("console", lambda message: said.append(message.text))
    view.goto(path.as_uri())
    view.locator("p[onclick]").click(force=True)
    assert view.evaluate("typeof ran") == "undefined"
    assert sum("Content Security Policy" in text for text in said) >= 4
    view.close()


def test_keyboard_reaches_every_block_and_escape_closes_the_details(open_page: Callable[..., Any]) -> None:
    with open_page(PAGE, OTHER) as view:
        details = view.locator("#details")
        assert not details.is_visible()
        view.keyboard.press("Tab")
        view.keyboard.press("Enter")  # the link that skips to the blocks
        reached = []
        for _ in range(view.locator("#page .b").count()):
            view.keyboard.press("Tab")
            reached.append(view.evaluate("document.activeElement.id"))
            assert details.is_visible()
            label = view.evaluate("document.activeElement.getAttribute('aria-label')")
            assert f"{view.inner_text('#d-name')}, {view.inner_text('#d-score')}" == label
            assert view.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
            assert view.evaluate(
                "document.activeElement.getBoundingClientRect().top < details.getBoundingClientRect().top"
            )
        assert reached == [f"b{number}" for number in range(len(reached))]
        assert "on 1 of 1 other pages" in (view.text_content("#d-numbers") or "")  # folded
        assert re.search(r"^[+−]{1,3}\w", view.inner_text("#d-why"), re.MULTILINE)
        view.keyboard.press("Escape")
        assert not details.is_visible()
        view.keyboard.press("Shift+Tab")
        assert details.is_visible()
