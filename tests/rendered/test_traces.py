"""Nobody but us notices that a browser was asked for the layout."""

import asyncio
import pickle
from pathlib import Path
from typing import Any, ClassVar

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler
from scrapy_playwright.page import PageMethod

from denoise_scrapy.crawl import geometry as layout
from denoise_scrapy.crawl.geometry import METHODS_META, Geometry, LayoutMethod
from denoise_scrapy.crawl.parts import Crawl
from denoise_scrapy.settings import DenoiseSettings
from tests.crawl.web import Reply, Web, article
from tests.rendered.browser import render

ON = DenoiseSettings()
# Between our look at a page and that of scrapy-playwright it grows.
RESTLESS = "<p>One.</p><script>setInterval(() => document.body.append(document.createElement('p')), 1)</script>"
POLICY = "default-src 'none'; require-trusted-types-for 'script'; sandbox"
STRICT = {"Content-Type": "text/html", "Content-Security-Policy": POLICY}


def asking(settings: DenoiseSettings = ON, **meta: Any) -> tuple[Geometry, Request]:
    """Geometry that was asked for a request's layout, and the request."""
    geometry = Geometry(Crawl(get_crawler()))
    request = Request("http://a.example/", meta={"playwright": True, **meta})
    geometry.ask(request, settings)
    return geometry, request


@pytest.mark.parametrize("given", [None, [], (), [PageMethod("title")], {"t": PageMethod("title")}, {}])
def test_ours_is_the_last_page_method_and_goes_without_a_trace(given: Any) -> None:
    size = len(given or ())
    geometry, request = asking(**({} if given is None else {METHODS_META: given}))
    geometry.ask(request, ON)  # also when the request is sent again
    asked = request.meta[METHODS_META]
    methods = list(asked.values() if isinstance(asked, dict) else asked)
    assert [isinstance(one, LayoutMethod) for one in methods] == [False] * size + [True]
    assert len(given or ()) == size
    methods[-1].result = "layout" * 1000
    stored = pickle.dumps(methods[-1])
    assert len(stored) < 500 and pickle.loads(stored).result is None, "a request that waits is stored without results"
    geometry.take(request)
    assert request.meta.get(METHODS_META) is given


@pytest.mark.parametrize(
    ("meta", "settings"),
    [
        ({}, DenoiseSettings(geometry="off")),
        ({}, DenoiseSettings(enabled=False)),
        ({"playwright": False}, ON),
        # scrapy-playwright waits for the whole page after each page method: the crawl would be slower, and lose pages
        ({"playwright_page_goto_kwargs": {"wait_until": "domcontentloaded"}}, ON),
    ],
)
def test_nothing_is_asked(meta: dict[str, Any], settings: DenoiseSettings) -> None:
    _, request = asking(settings, **meta)
    assert METHODS_META not in request.meta


def test_spider_and_cache_get_what_they_would_get_without_us(web: Web, tmp_path: Path) -> None:
    web.pages["/a"] = article(1).replace("<body>", "<body><noscript><img src=x></noscript><svg><g/></svg>é")
    cache = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path / "with"), "DENOISE_GEOMETRY": "require"}
    done, seen = render(web("/a"), settings=cache)
    without = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(tmp_path / "without")}
    _, plain = render(web("/a"), settings=without, ours=False)
    assert done.stat("geometry/attached") == 1
    assert seen["/a"].response.body == plain["/a"].response.body
    assert set(seen["/a"].meta) == set(plain["/a"].meta)
    bodies = [next((tmp_path / name).rglob("response_body")).read_bytes() for name in ("with", "without")]
    assert bodies == [plain["/a"].response.body] * 2
    done, seen = render(web("/a"), settings=cache)
    assert done.items[0]["body"]
    assert done.stat("geometry/missing") == 1
    assert done.log.count("was rendered, but its layout is unknown") == 1


def test_a_page_kept_open_and_its_comparison_pages(web: Web) -> None:
    for n in range(3):
        web.pages[f"/a/{n}"] = article(n, links=[f"/a/{m}" for m in range(3)])
    kept_open = Request(web("/a/0"), meta={"playwright": True, "playwright_include_page": True})
    settings = {"DENOISE_COMPARISON_SHARE": 0.05, "DENOISE_STRATEGY": "repetition", "CONCURRENT_REQUESTS": 1}
    done, seen = render(kept_open, settings=settings)
    assert seen["/a/0"].boxes.visible.any()
    assert seen["/a/0"].meta["live"] == seen["/a/0"].response.text
    assert done.stat("comparison/requests") == 2
    assert done.stat("geometry/attached") == 3
    assert done.stats["playwright/request_count/navigation"] == 3


def test_pages_that_resist_lose_nothing(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    patched = "<script>Element.prototype.getBoundingClientRect = () => { throw 1 }</script>"
    web.pages.update(
        {
            "/throws": patched + article(1),
            "/restless": RESTLESS + article(2),
            "/leaves": "<script>setTimeout(() => location.replace('/there'), 1)</script>" + article(3),
            "/there": article(4),
            "/large": article(5) + "<b></b>" * 400,
            "/strict": Reply(article(6).encode(), headers=STRICT),
            "/busy": Reply(b"busy", 503),
        }
    )
    monkeypatch.setattr(layout, "MAX_ELEMENTS", 300)
    done, seen = render(*(web(path) for path in web.pages if path != "/there"), settings={"RETRY_TIMES": 1})
    assert len(done.items) == 5
    assert all("line 7" in item["body"] for item in done.items)
    assert done.stat("errors") == 0
    assert web.count("/busy") == 2
    assert seen["/strict"].boxes.visible.any()
    assert {"/leaves", "/there"} & set(seen), "it may be read before it leaves, in between, and where it leads to"
    assert done.stat("geometry/missing") >= 2
    assert done.stat("geometry/missing") + done.stat("geometry/attached") == 5


class Leaving:
    """A browser's page that is left while it is looked at, some times."""

    url = "http://a.example/"

    def __init__(self, times: int):
        self.times, self.did = times, list[str]()

    async def evaluate(self, *_: object) -> str:
        self.did.append("look")
        if self.did.count("look") <= self.times:
            raise RuntimeError("Execution context was destroyed, most likely because of a navigation")
        return "layout"

    async def wait_for_load_state(self, **_: object) -> None:
        self.did.append("wait")


@pytest.mark.parametrize(
    ("times", "did", "read"), [(0, "look", "layout"), (1, "look wait look", "layout"), (9, "look wait look", "")]
)
def test_a_page_that_is_left_meanwhile_is_read_where_it_leads_to(times: int, did: str, read: str) -> None:
    page = Leaving(times)
    assert asyncio.run(layout.read_layout(page)) == read
    assert page.did[: len(did.split())] == did.split()


class Replaces:
    """Gives the spider another response object of the same page, after asking once more; looks at the meta."""

    seen: ClassVar[list[Any]] = []

    def process_response(self, request: Request, response: Any) -> Any:
        self.seen.append(METHODS_META in request.meta)
        if "again" in request.meta:
            return response.replace(body=response.body, flags=["replaced"])
        return request.replace(dont_filter=True, meta={**request.meta, "again": True})


class Marks:
    """Decides late which requests a browser renders."""

    def process_request(self, request: Request) -> None:
        request.meta["playwright"] = True


@pytest.mark.parametrize("number", [1, 998])
def test_boxes_reach_a_page_that_other_middlewares_replace_and_none_meets_our_method(web: Web, number: int) -> None:
    Replaces.seen.clear()
    web.pages["/a"] = article(1)
    settings = {"DOWNLOADER_MIDDLEWARES": {Replaces: number, Marks: number + 1}, "DENOISE_GEOMETRY": "require"}
    done, seen = render(Request(web("/a")), settings=settings)
    assert seen["/a"].response.flags == ["replaced"]
    assert done.stat("geometry/attached") == 1
    assert METHODS_META not in seen["/a"].meta
    assert Replaces.seen == [False, False]
