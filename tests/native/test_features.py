"""The features in C against those in numpy: equal to the last digit of a float, row by row."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body import SiteModel
from denoise_scrapy.body.features import NAMES, block_features, matrix
from denoise_scrapy.body.features.words import Words
from denoise_scrapy.native import library, switched_off
from denoise_scrapy.native.blocks import INPUTS, Settings, Told, fill_features
from denoise_scrapy.page import Boxes, Page
from denoise_scrapy.site import SiteStatistics
from example_project.portal.build import build
from tests.html_strategies import SOUP, pages

native = library()
pytestmark = pytest.mark.skipif(native is None, reason="not compiled here")

#: What the strategies of pages have too little of: prose, records, headings, prices, comments, the page's frame.
STORY = "<p>It rained all night, and in the morning the river rose above the old bridge of the town. </p>"
PIECES = (
    STORY,
    STORY * 3,
    "<title>The bridge</title>",
    "<h1>The bridge</h1>",
    "<h3>2 Comments</h3>",
    "<nav><a href=/>Home</a> <a href=/x>News</a></nav>",
    "<ul>" + "<li class=item><a href=/x><img src=a.png></a><b>12,50 €</b> Posted by Ann" * 3 + "</ul>",
    "<div hidden>Hidden words of the page</div>",
    "<div class=comment><h4>Ann</h4>10:25 <p>Yes.</p></div>" * 4,
    "<footer>We use cookies</footer>",
    "<aside class='related sidebar'>",
    "<article>",
    "<table><tr><td>1<td>2</table>",
    "</div>",
)
WHOLE = st.lists(st.one_of(st.sampled_from(PIECES), pages(2), SOUP), max_size=8).map("".join)


def parsed(html: str, seed: int | None = None) -> Page:
    page = Page.parse(html, url="http://a.example/page")
    if seed is not None:
        rng, n = np.random.default_rng(seed), len(page.elements)
        x, y, w, h = rng.uniform(0, 3, (4, n)).astype(np.float32)
        w[::5] = np.nan
        page = Page.parse(html, url="http://a.example/page")
        page.boxes = Boxes(x, y, w, h, 1280, 2000, rng.random(n) > 0.5)
    return page


def both(html: str, site: list[str], seed: int | None) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    facts = [Page.parse(other, url=f"http://a.example/{i}").facts for i, other in enumerate(site)]

    def found() -> npt.NDArray[np.float32]:
        page = parsed(html, seed)
        if not len(page.blocks):
            return np.zeros((len(NAMES), 0), np.float32)
        return block_features(page, SiteModel.fit(facts).statistics.for_page(page).first(5))

    natively = found()
    with switched_off():
        return natively, found()


def assert_equal(natively: npt.NDArray[np.float32], plain: npt.NDArray[np.float32]) -> None:
    same = np.isclose(natively, plain, rtol=1e-6, atol=0, equal_nan=True)
    assert {NAMES[row] for row in np.flatnonzero(~same.all(axis=1))} == set()


@settings(deadline=None, max_examples=100)
@given(WHOLE, st.lists(WHOLE, max_size=3), st.none() | st.integers(0, 3))
def test_any_page(html: str, site: list[str], seed: int | None) -> None:
    assert_equal(*both(html, site, seed))


@settings(deadline=None, max_examples=50)
@given(WHOLE, st.integers(1, 3))
def test_a_page_among_its_likes(html: str, copies: int) -> None:
    others = [html.replace("bridge", f"house {i}") for i in range(copies)]
    assert_equal(*both(html, others, None))


def test_whole_pages() -> None:
    chosen = [page.html for page in list(build().pages.values())[:60:4]]
    for number, html in enumerate(chosen):
        assert_equal(*both(html, chosen[:number][-5:], None))


def test_c_fills_in_every_row_but_those_of_words() -> None:
    page = Page.parse("".join(PIECES))
    out = np.full((len(NAMES), len(page.blocks)), -77, np.float32)
    nothing = Words(np.zeros(len(page.blocks), np.uint8), np.zeros(len(page.blocks)))
    assert matrix._fill_natively(out, page, SiteStatistics(), nothing)
    left = {NAMES[row] for row in np.flatnonzero((out == -77).all(axis=1))}
    assert left == set(matrix.FAMILIES["words"])


def constants() -> Settings:
    return matrix._settings()


def test_sizes_that_do_not_fit_are_refused() -> None:
    page = Page.parse("<p>One.<p>Two.")
    columns = page.blocks.native
    assert native is not None
    assert columns is not None
    rows = np.zeros((len(INPUTS), 2))
    for paths in ([0, 2], [-1, 0]):
        wrong = Told(rows, np.array(paths), 0, 0)
        with pytest.raises(ValueError, match="do not fit"):
            fill_features(native, columns, constants(), wrong, np.zeros((len(NAMES), 2), np.float32))
    for given_rows, out in (
        (rows[:, :1], np.zeros((len(NAMES), 2), np.float32)),
        (rows, np.zeros((len(NAMES) - 1, 2), np.float32)),
        (np.zeros((len(INPUTS), 3)), np.zeros((len(NAMES), 3), np.float32)),
    ):
        with pytest.raises(ValueError, match=r"expected|do not fit"):
            fill_features(
                native, columns, constants(), Told(given_rows, np.zeros(given_rows.shape[1], np.int64), 0, 0), out
            )


def test_settings_that_do_not_fit_are_refused() -> None:
    page = Page.parse("<p>One.<p>Two.")
    assert native is not None
    assert page.blocks.native is not None
    told, out = Told(np.zeros((len(INPUTS), 2)), np.zeros(2, np.int64), 0, 0), np.zeros((len(NAMES), 2), np.float32)
    for name, value in (("start", [len(NAMES)] * 14), ("start", [-1] * 14), ("spread", [25] * 6), ("spread", [-1] * 6)):
        wrong = Settings.of({field: _value(constants(), field) for field, *_ in Settings._fields_} | {name: value})
        with pytest.raises(ValueError, match="do not fit"):
            fill_features(native, page.blocks.native, wrong, told, out)
    with pytest.raises(ValueError, match="25 values expected"):
        Settings.of({field: _value(constants(), field) for field, *_ in Settings._fields_} | {"points": [1]})
    with pytest.raises(ValueError, match="settings expected"):
        Settings.of({"rows": 1})


def _value(made: Settings, field: str) -> float | list[int]:
    value = getattr(made, field)
    return value if isinstance(value, int | float) else list(value)
