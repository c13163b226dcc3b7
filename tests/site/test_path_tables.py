"""Path tables of sites: bounded in bytes, those used longest ago leave, and pages are what they were."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.site import PageMemory
from denoise_scrapy.site.memory import SHARE, PathTables


def page(number: int, names: int = 40) -> str:
    letters = "abcdefghijklmnopqrstuvwxyz"
    return "".join(f"<div class={letters[number % 26]}{letters[n % 26]}{letters[n // 26]}><p>{n}" for n in range(names))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 25)), max_size=40), st.integers(0, 400_000))
def test_bounds_hold_and_the_sites_used_last_stay(visits, most):
    tables = PathTables(most)
    for site, number in visits:
        Page.parse(page(number, 5 + number), paths=tables.get(site))
        tables.measure()
        assert tables.nbytes <= most
        assert tables.nbytes == sum(held.table.nbytes for held in tables._tables.values())
        assert all(held.nbytes <= SHARE * most for held in tables._tables.values())
    sites = list(dict.fromkeys(site for site, _ in reversed(visits)))
    kept = list(reversed(tables._tables))
    assert [site for site in sites if site in kept] == kept


def test_the_site_used_longest_ago_leaves_first():
    one = PathTables()
    for site in "ab":  # its names are in memory the second time, and count no more
        before = one.nbytes
        Page.parse(page(1), paths=one.get(site))
        one.measure()
    tables = PathTables(int(4.5 * (one.nbytes - before)))
    held = {}
    for site in "abcd":
        held[site] = tables.get(site)
        Page.parse(page(1), paths=held[site])
    assert tables.get("a") is held["a"]
    Page.parse(page(1), paths=tables.get("e"))
    tables.measure()
    assert tables.evicted == 1
    assert tables.get("a") is held["a"]
    assert tables.get("b") is not held["b"]


def test_a_table_that_takes_too_large_a_share_is_replaced_and_its_pages_leave_it():
    tables = PathTables(200_000)
    first = tables.get("http://a.example:80")
    Page.parse(page(1), paths=tables.get("http://b.example:80"))
    assert tables.get("http://a.example:80") is first
    kept = Page.parse(page(2, 600), url="http://a.example/", paths=first)
    tables.add_page(kept)
    told = kept.block_paths()
    assert tables.get("http://a.example:80") is not first
    assert kept.path_table is not first
    assert kept.block_paths() == told
    assert (tables.evicted, len(tables)) == (1, 2)


def test_no_room_is_a_table_a_page():
    memory = PageMemory(10**6, 5, max_path_bytes=0)
    pages = []
    for n in range(4):
        pages.append(Page.parse(page(n), url=f"http://a.example/{n}", paths=memory.path_table("http://a.example:80")))
        memory.remember(pages[-1])
    assert len({id(each.path_table) for each in pages}) == 4
    assert memory.tables.evicted == 3
    assert len(memory.comparison_pages(pages[0], 5, whole=True)) == 3


def test_bounds_must_make_sense():
    with pytest.raises(ValueError, match="max_bytes must be >= 0, got -1"):
        PathTables(-1)
