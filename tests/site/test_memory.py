"""Comparison pages: what is remembered stays within its bounds; the likest come first, copies of a page not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.site import PageMemory, SiteStatistics, template_similarity

ARTICLE, LISTING = "<div id=story><p>x</p></div>", "<table><tr><td>x</table>"


def page(n: int, host: str = "a", html: str = "<div><p>text</p></div>") -> Page:
    return Page.parse(html, url=f"http://{host}.example/{n}")


def numbers(pages: list[Page]) -> list[int]:
    return [int(one.url.rpartition("/")[2]) for one in pages]


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc")), max_size=60), st.integers(0, 9000))
def test_bounds_hold_whatever_comes(visits, max_bytes):
    memory = PageMemory(max_bytes=max_bytes, max_pages_per_site=4)
    for n, host in visits:
        memory.remember(page(n, host))
        assert memory.nbytes <= max_bytes
        sites = [memory.pages(f"http://{h}.example:80") for h in "abc"]
        assert max(map(len, sites)) <= 4
        assert sum(map(len, sites)) == len(memory)
        assert sum(p.nbytes for pages in sites for p in pages) == memory.nbytes
        assert all(p.url in memory for pages in sites for p in pages)


def test_same_template_first_then_newest_and_a_rare_template_keeps_its_pages():
    memory = PageMemory(1_000_000, 4)
    for n, html in enumerate([LISTING, ARTICLE, LISTING, ARTICLE]):
        memory.remember(page(n, html=html))
    assert numbers(memory.comparison_pages(page(9, html=ARTICLE), 3)) == [3, 1, 2]
    assert numbers(memory.comparison_pages(page(3, html=ARTICLE), 3)) == [1, 2, 0], "not the page itself"
    for n in range(4, 30):
        memory.remember(page(n, html=ARTICLE))
    assert numbers(memory.comparison_pages(page(99, html=ARTICLE), 2)) == [29, 28]
    assert numbers(memory.comparison_pages(page(99, html=LISTING), 1)) == [2]


def test_every_site_of_many_keeps_some_pages():
    memory = PageMemory(max_bytes=page(59).facts.nbytes * 40, max_pages_per_site=30)
    for n in range(3):
        for host in "abcdefghij":
            memory.remember(page(n, host).facts)
    for n in range(3, 60):
        memory.remember(page(n, "k").facts)
    assert all(len(memory.pages(f"http://{host}.example:80")) == 3 for host in "abcdefghij")
    assert len(memory.pages("http://k.example:80")) == 10


def test_what_is_too_large_or_has_no_site_is_not_kept():
    small, memory = PageMemory(100, 10), PageMemory(1_000_000, 10)
    small.remember(page(1))
    assert (len(small), small.nbytes, small.evicted) == (0, 0, 1)
    for url in ("", "data:text/html,x", "file:///tmp/x.html", "http://[bad"):
        memory.remember(Page.parse("<p>x", url=url))
    assert len(memory) == 0
    for size, pages in ((-1, 5), (10, 0)):
        with pytest.raises(ValueError, match=f"{size} and {pages}"):
            PageMemory(size, pages)


def test_similarity_is_containment_of_the_smaller():
    small, large = Page.parse("<div class=a></div>"), Page.parse("<div class=a></div><div class=b><ul><li>x</ul></div>")
    assert template_similarity(small, large) == template_similarity(large, small) == 1.0
    assert template_similarity(Page.parse(""), large) == 0.0
    assert template_similarity(Page.parse("<div class=a></div><div class=c></div>"), large) == 0.5


FRAME = "<body><div id=top>Menu</div><div id=story>{}</div><p>{}</p></body>"
LEGAL = "All of this is protected by the laws of the land, and by a very old and tired dog."


def told(word: str, n: int = 3, more: str = "") -> Page:
    """A page of some paragraphs about a word, in the frame of its site."""
    prose = [
        f"Paragraph {'abcdef'[i]} about {word}, which is as long as a paragraph of {word} has to be today."
        for i in range(n)
    ]
    return Page.parse(FRAME.format("".join(f"<p>{p}</p>" for p in [*prose, more]), LEGAL))


FOXES, OWLS, CATS, SHORT = told("foxes"), told("owls"), told("cats"), Page.parse("<p>Short.</p>")


@pytest.mark.parametrize(
    ("target", "others", "left"),
    [
        (FOXES, [told("foxes", more="And one more."), OWLS, CATS], [1, 2]),
        (FOXES, [told("foxes", 2), OWLS, CATS], [1, 2]),
        (FOXES, [told("foxes")] * 3, []),  # the page under other URLs
        (FOXES, [told("foxes"), told("foxes"), OWLS], [2]),
        # half of each page's prose is the legal text
        (told("foxes", 1), [told(word, 1) for word in ("owls", "cats", "dogs")], [0, 1, 2]),
        (SHORT, [SHORT, Page.parse("<p>Shorter.</p>")], [1]),
        (SHORT, [], []),
    ],
)
def test_a_copy_is_no_comparison_page(target, others, left):
    found = SiteStatistics(tuple(others)).for_page(target).pages
    assert [number for number, other in enumerate(others) if other in found] == left
