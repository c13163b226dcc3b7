"""What a crawl remembers stays within its bounds, and gives the likest pages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.site import PageMemory


def page(n: int, host: str = "a", html: str = "<div><p>text</p></div>") -> Page:
    return Page.parse(html, url=f"http://{host}.example/{n}")


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


def test_pages_are_reduced_to_facts_before_any_is_forgotten():
    whole, facts = page(0).nbytes, page(0).facts.nbytes
    assert facts < whole
    memory = PageMemory(max_bytes=2 * whole + 3 * facts, max_pages_per_site=10)
    for n in range(5):
        memory.remember(page(n))
    assert (len(memory), memory.evicted) == (5, 0)
    assert [memory.page(f"http://a.example/{n}") is not None for n in range(5)] == [False] * 3 + [True] * 2
    assert len(memory.comparison_pages(page(9), 9)) == 5
    assert len(memory.comparison_pages(page(9), 9, whole=True)) == 2


def test_same_template_first_then_newest():
    memory = PageMemory(1_000_000, 10)
    article, listing = "<div id=story><p>x</p></div>", "<table><tr><td>x</table>"
    for n, html in enumerate([article, listing, article, listing]):
        memory.remember(page(n, html=html))
    found = memory.comparison_pages(page(9, html=article), 3)
    assert [p.url[-1] for p in found] == ["2", "0", "3"]


def test_a_rare_template_keeps_its_pages():
    memory = PageMemory(1_000_000, 4)
    memory.remember(page(0, html="<table><tr><td>x</table>"))
    for n in range(1, 30):
        memory.remember(page(n))
    assert [p.url[-2:] for p in memory.pages("http://a.example:80")] == ["/0", "29", "28", "27"]
    assert [p.url[-2:] for p in memory.comparison_pages(page(99), 3)] == ["29", "28", "27"]
    (rare,) = memory.comparison_pages(page(99, html="<table><tr><td>y</table>"), 1)
    assert rare.url.endswith("/0")


def test_every_site_of_many_keeps_some_pages():
    memory = PageMemory(max_bytes=page(59).facts.nbytes * 40, max_pages_per_site=30)
    for n in range(3):
        for host in "abcdefghij":
            memory.remember(page(n, host))
    for n in range(3, 60):
        memory.remember(page(n, "k"))
    assert all(len(memory.pages(f"http://{host}.example:80")) == 3 for host in "abcdefghij")
    assert len(memory.pages("http://k.example:80")) == 10


def test_the_page_itself_is_no_comparison_page():
    memory = PageMemory(1_000_000, 10)
    memory.remember(page(1))
    assert memory.comparison_pages(page(1), 3) == []


def test_a_page_larger_than_the_memory_is_not_kept():
    memory = PageMemory(100, 10)
    memory.remember(page(1))
    assert (len(memory), memory.nbytes, memory.evicted) == (0, 0, 1)


def test_pages_without_a_site_are_not_kept():
    memory = PageMemory(1_000_000, 10)
    for url in ("", "data:text/html,x", "file:///tmp/x.html", "http://[bad"):
        memory.remember(Page.parse("<p>x", url=url))
    assert len(memory) == 0


@pytest.mark.parametrize(("size", "pages"), [(-1, 5), (10, 0)])
def test_bounds_must_make_sense(size, pages):
    with pytest.raises(ValueError, match=f"{size} and {pages}"):
        PageMemory(size, pages)
