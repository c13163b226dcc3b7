"""A page's title without its site's name: what tells that name, and what is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.title import title_of
from denoise_scrapy.page import Page


def titled(title: str, rest: str = "", url: str = "") -> Page:
    return Page.parse(f"<title>{title}</title>{rest}<p>It rained all night.", url=url)


@pytest.mark.parametrize(
    ("title", "others", "expected"),
    [
        ("Fox wins - The Herald", ["Bridge closed - The Herald"], "Fox wins"),
        ("The Herald | Fox wins", ["The Herald | Bridge closed", "The Herald | Lynx"], "Fox wins"),
        ("Fox wins - again - Sport - Herald", ["Dog loses - Sport - Herald"], "Fox wins - again"),
        ("狐狸赢了_新闻网", ["桥关闭了_新闻网"], "狐狸赢了"),
        ("Report - Part 1 - Herald", ["Report - Part 2 - Herald"], "Report - Part 1"),
        ("Fox wins - The Herald", ["Fox wins - The Herald"], "Fox wins - The Herald"),
        (" | ", ["x | "], "|"),
    ],
)
def test_other_titles_tell_it(title: str, others: list[str], expected: str) -> None:
    assert title_of(titled(title), others) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://www.daily-herald.example/1", "Fox wins"),
        ("https://herald.example", "Fox wins - Daily Herald"),
        ("", "Fox wins - Daily Herald"),
    ],
)
def test_so_does_the_host(url: str, expected: str) -> None:
    assert title_of(titled("Fox wins - Daily Herald", url=url)) == expected


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("<h1>Fox wins</h1>", "Fox wins"),
        ("<h1><a href=/>Herald</a></h1><h2>Fox wins - again</h2>", "Fox wins - again"),
        ("<h1><a href=/>Herald</a></h1>", "Fox wins - again - Herald"),
    ],
)
def test_and_a_heading(rest: str, expected: str) -> None:
    assert (
        title_of(titled("Fox wins - again - Herald" if "again" in expected else "Fox wins - Herald", rest)) == expected
    )


def test_a_title_that_all_pages_have_says_nothing() -> None:
    page = titled("Herald", "<h1>Herald</h1><h1>Fox\n wins</h1>")
    assert title_of(page, ["Herald", "Herald"]) == "Fox wins"
    assert title_of(titled("Herald"), ["Herald", "Herald"]) == "Herald"
    assert title_of(Page.parse("<h1>Fox wins</h1>")) == "Fox wins"


PIECES = st.lists(st.sampled_from(["Fox", "wins", " - ", "|", ": ", "_", "新", "-", " ", "Herald", "İ"]), max_size=12)


@given(PIECES, st.lists(PIECES, max_size=4), PIECES)
def test_it_is_a_part_of_the_title_element(pieces: list[str], others: list[list[str]], heading: list[str]) -> None:
    page = titled("".join(pieces), f"<h1>{''.join(heading)}</h1>", "https://herald.example/")
    title = title_of(page, [" ".join("".join(other).split()) for other in others])
    assert title in page.title or title == " ".join("".join(heading).split())
    assert bool(title) >= bool(page.title)
    assert title == title.strip()
