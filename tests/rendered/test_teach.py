"""The page on which a person teaches a site, in a real Chromium: what a mouse, a finger and a keyboard do there."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.body.example_files import examples_of, write_example
from denoise_scrapy.commands.teach import TaughtPages, TeachServer
from tests.body.test_examples import page
from tests.body.test_explanation import HOSTILE
from tests.rendered.test_explanation import chromium, watched

__all__ = ["chromium"]

URL = "http://a.example/1"


@pytest.fixture
def teach(chromium: Any, tmp_path: Path) -> Callable[..., Any]:
    """Opens the page that teaches, and fails if it asks another server or says anything on the console."""

    @contextmanager
    def opened(html: str = page(4), **context: Any) -> Iterator[Any]:
        pages = TaughtPages([(URL, html), *((f"http://a.example/{n}", page(n)) for n in (7, 8, 9, 10, 11))], URL)
        with TeachServer(pages, lambda example: write_example(tmp_path, example)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            view, asked, said = watched(chromium, **context)
            view.goto(server.address)
            view.wait_for_selector("#text p, #error:not(:empty)")
            yield view, view.frame_locator("iframe")
            assert said == []
            assert all(one.startswith(("data:", server.address)) for one in asked), asked
            view.context.close()
            server.shutdown()

    return opened


def saved(view: Any, tmp_path: Path) -> Any:
    view.get_by_text("Written to ").wait_for()
    [example] = examples_of(str(tmp_path), URL)
    return example


def test_a_box_is_dragged_out_and_the_others_follow(teach: Callable[..., Any], tmp_path: Path) -> None:
    with teach() as (view, frame):
        facts = frame.locator(".b", has_text="Fact ")
        assert [one.get_attribute("aria-checked") for one in facts.all()] == ["true"] * 3
        facts.first.hover()
        view.mouse.down()
        facts.last.hover()
        view.mouse.up()
        assert [one.get_attribute("aria-checked") for one in facts.all()] == ["false"] * 3
        view.wait_for_selector("#changes details:nth-of-type(3) del")
        view.locator("#text", has_not_text="Fact").wait_for()
        changes = view.locator("#changes summary").all_inner_texts()
        assert all("0 lines more and 3 less" in said for said in changes) and "a.example/7" in changes[0]
        assert view.locator("#changes del").count() == 9
        assert view.inner_text("#how") == ""
        view.get_by_role("button", name="Save").click()
        example = saved(view, tmp_path)
    assert example.keep == () and example.text.startswith("Story 4\n")


def test_a_keyboard_does_all(teach: Callable[..., Any], tmp_path: Path) -> None:
    with teach() as (view, frame):
        view.keyboard.press("j")
        while "line 0" not in frame.locator(".here").inner_text():
            view.keyboard.press("ArrowDown")
        view.keyboard.press(" ")
        for _ in range(3):
            view.keyboard.press("Shift+ArrowDown")
        assert frame.locator(".out.b", has_text="number 4 line").count() == 4
        view.keyboard.press("k")
        view.keyboard.press("f")
        view.wait_for_selector("#name:focus")
        view.keyboard.type("author")
        view.keyboard.press("Enter")
        field = view.get_by_role("textbox", name="Text of author")
        whole = field.input_value()
        assert frame.locator(".here").get_attribute("data-field") == "author" and "number 4 line" in whole
        field.fill("not on the page")
        field.press("Tab")
        view.wait_for_selector("#error:not(:empty)")
        assert view.get_by_role("button", name="Save").is_disabled()
        field.fill(whole.split(".")[0])
        field.press("Tab")
        view.wait_for_selector("#error:empty", state="attached")
        frame.locator(".here").focus()
        view.keyboard.press("s")
        example = saved(view, tmp_path)
    assert example.keep == () and example.text.startswith("Story 4\n") and "number 4 line 0" not in example.text
    assert example.fields == {"author": whole.split(".")[0]}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_narrow_screen_and_a_finger(teach: Callable[..., Any], scheme: str) -> None:
    size = {"width": 360, "height": 740}
    with teach(viewport=size, color_scheme=scheme, has_touch=True, is_mobile=True) as (view, frame):
        assert view.evaluate("document.documentElement.scrollWidth") <= 360
        fact = frame.locator(".b", has_text="Fact ").first
        fact.tap()
        assert fact.get_attribute("aria-checked") == "false"
        ground = view.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == {"light": "rgb(246, 247, 249)", "dark": "rgb(14, 17, 22)"}[scheme]
        inside = frame.locator("body").evaluate("node => getComputedStyle(node).backgroundColor")
        assert inside == {"light": "rgb(255, 255, 255)", "dark": "rgb(22, 27, 34)"}[scheme]


def test_nothing_of_a_hostile_page_runs_or_is_asked_for(teach: Callable[..., Any]) -> None:
    with teach(HOSTILE) as (_, frame):
        for block in frame.locator(".b[role=checkbox]").all():
            block.click()
        for link in frame.locator(".a").all():
            link.click(force=True)
        state = frame.locator("body").evaluate(
            "() => { try { return parent.document.title } catch (error) { return [typeof window.ran, origin] } }"
        )
        assert state == ["undefined", "null"]


def test_what_came_through_could_do_nothing(chromium: Any, tmp_path: Path) -> None:
    """What a hole in our escaping would let through, put in by hand."""
    pages = TaughtPages([(URL, page(1))], URL)
    bad = (
        "<script>parent.postMessage({kept: [0], at: 0, text: 'x', key: 's'}, '*')</script><form action=/x><p id=go "
        "onclick='ran=1'>p</p><button id=send>x</button></form><img src=http://127.0.0.1:9/a onerror='ran=1'>"
        "<iframe src=http://127.0.0.1:9/></iframe><meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>"
    )
    with TeachServer(pages, lambda example: write_example(tmp_path, example)) as server:
        vars(server)["frame"] = server.frame + bad
        threading.Thread(target=server.serve_forever, daemon=True).start()
        view = chromium.new_page()
        asked: list[str] = []
        view.context.on("requestfinished", lambda request: asked.append(request.url))
        view.goto(server.address)
        view.wait_for_selector("#text p")
        assert all(one.startswith(("data:", server.address)) for one in asked), asked
        assert not list(tmp_path.iterdir())
        view.close()
        server.shutdown()
