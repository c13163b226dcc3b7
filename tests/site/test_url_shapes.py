"""Links have the shape of what a crawl has visited: none that acts passes, pages like those visited do."""

from urllib.parse import quote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.site import VisitedShapes, sibling_links
from denoise_scrapy.site.urls import MANY_WORDS, url_shape
from tests.site.acting_links import ACTING, ACTING_WORDS, PAGES, PAGES_WORDS, VISITED, VISITED_WORDS

SITE = "http://a.example"
BOTH = [*VISITED, *VISITED_WORDS]


def shapes(*paths: str, most: int = 1000) -> VisitedShapes:
    visited = VisitedShapes(most)
    for path in paths:
        visited.add(SITE + path)
    return visited


def passing(links: list[str], visited: list[str]) -> set[str]:
    """Which of a page's links may be followed."""
    html = "".join(f"<a href='{link}'>x</a>" for link in links)
    found = sibling_links(Page.parse(html, url=SITE + visited[0]), 1000, shapes(*visited))
    return {url.removeprefix(SITE) for url in found}


@pytest.mark.parametrize(
    ("links", "visited"), [(ACTING, VISITED), (ACTING_WORDS, VISITED_WORDS), ([*ACTING, *ACTING_WORDS], BOTH)]
)
def test_no_link_that_acts_passes(links: list[str], visited: list[str]) -> None:
    assert passing(links, visited) == set()


@pytest.mark.parametrize(("links", "visited"), [(PAGES, VISITED), (PAGES_WORDS, VISITED_WORDS)])
def test_pages_like_those_visited_pass(links: list[str], visited: list[str]) -> None:
    assert passing(links, visited) == set(links)


@given(st.sampled_from(ACTING), st.data())
def test_the_spelling_of_an_action_does_not_hide_it(link: str, data: st.DataObject) -> None:
    letters = [place for place, sign in enumerate(link) if sign.isalnum() and "%" not in link]
    hidden = data.draw(st.sets(st.sampled_from(letters), max_size=5)) if letters else set()
    spelled = "".join(f"%{ord(sign):02X}" if place in hidden else sign for place, sign in enumerate(link))
    assert passing([spelled], VISITED) == set()


@given(st.text(st.characters(categories=["L"]), min_size=1, max_size=12))
def test_no_single_word_passes_beside_numbers_or_at_the_root(word: str) -> None:
    word = quote(word)
    links = [f"/{word}", f"/{word}/13", f"/item/13/{word}", f"/12/{word}", f"/?p={word}", f"/?{word}=3", f"/en/{word}"]
    visited = [path for path in VISITED + VISITED_WORDS if not path.startswith("/en/")]
    assert passing(links, [*visited, "/en/about", "/en/contact", "/en/news", "/en/team"]) <= {
        *visited, "/en/about", "/en/contact", "/en/news", "/en/team", "/12/view"
    }  # fmt: skip


def test_the_first_page_of_a_site_has_siblings_of_its_own_shape() -> None:
    for url, link in (
        ("/news/7", "/news/8"),
        ("/wiki/Dog", "/wiki/Cat"),
        ("/blog/a-storm-hits-the-coast", "/blog/all-is-well-again"),
    ):
        page = Page.parse(f"<a href='{link}'>x</a><a href='/about'>x</a>", url=SITE + url)
        assert sibling_links(page, 9) == [SITE + link]


def test_words_stand_for_others_when_several_were_visited() -> None:
    words = ["ant", "bee", "cow", "dog"]
    for known in range(len(words)):
        visited = shapes(*(f"/zoo/{word}" for word in words[:known]))
        assert visited.has(f"{SITE}/zoo/eel") == (known >= MANY_WORDS)
    assert shapes("/zoo/ant").has(f"{SITE}/zoo/ants-of-the-north")
    assert not shapes(*(f"/{word}" for word in words)).has(f"{SITE}/eel")
    assert not shapes(*(f"/{word}.php" for word in words)).has(f"{SITE}/eel.php")
    assert not shapes(*(f"/zoo/{word}.php" for word in words)).has(f"{SITE}/zoo/eel.php")
    assert shapes("/zoo/ant").has(f"{SITE}/zoo/ant")


def test_shapes_are_those_of_one_site() -> None:
    visited = shapes("/news/7")
    assert visited.has("HTTP://A.example:80/news/8")
    assert not visited.has("http://b.example/news/8")
    assert not visited.has("https://a.example/news/8")


def test_the_oldest_shapes_leave() -> None:
    visited = shapes(*(f"/{'x' * n}/7" for n in range(1, 9)), most=3)
    assert len(visited) == 3
    assert visited.evicted == 5
    assert visited.has(f"{SITE}/xxxxxxxx/9")
    assert not visited.has(f"{SITE}/x/9")


@given(st.text("ab/?=.1%&;-_~*0 Aä猫", max_size=30))
def test_any_url_has_the_shape_of_itself(path: str) -> None:
    url = f"{SITE}/{path}"
    assert urlsplit(url).netloc == "a.example"
    assert url_shape(url) == url_shape(url)
    assert shapes("/" + path).has(url)


def test_what_is_no_url_of_a_site_is_not_remembered() -> None:
    visited = VisitedShapes()
    for url in ("", "data:,x", "http://[a.example/7", "http://a.example:x/7", "file:///news/7"):
        visited.add(url)
    assert len(visited) == 0


@pytest.mark.parametrize("part", ["0", "a", "a1", "1-", "a_", "-", "A b", "%2525", "é", "猫", ".a"])
def test_the_work_grows_with_the_length_alone(part: str) -> None:
    url = f"{SITE}/{part * 50_000}!?{part * 50_000}!"  # the square of that would take hours
    assert url_shape(url) == url_shape(url)
