"""Drift: what moved on a site is said once, and nothing is said of a site that stays as it is."""

from random import Random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.site.crawl_history import SiteCrawl, alarms, read_record, record_of
from denoise_scrapy.site.drift import OTHERS, counted, is_same, moved, places_of_parts

OLD = {"body": "div.story-text", "title": "h1.head", "author": "p.by", "date": "p.by > time"}
NEW = {"body": "main > section", "title": "h1.head", "author": "", "date": "time.day"}


def crawl_of(*pages: dict[str, str], began: float = 1.0) -> SiteCrawl:
    return SiteCrawl(began, len(pages), len(pages), len(pages), places=counted(pages))


def test_a_redesign_is_reported_with_what_moved_where_to_and_since_when() -> None:
    before, after = crawl_of(*[OLD] * 39, NEW), crawl_of(*[NEW] * 18, OLD, began=1795478400.0)
    said = alarms(after, [before])
    assert "body was in `div.story-text` (39 of 40 pages), since 2026-11-24 in `main > section`" in said
    assert "author gone: was in `p.by`" in said and any(one.startswith("date was in") for one in said)
    assert not any("title" in one for one in said)
    again = crawl_of(*[NEW] * 20, began=1795910400.0)
    marked = SiteCrawl(**{**vars(after), "alarms": tuple(said)})
    assert any("since 2026-11-24" in one for one in alarms(again, [before, marked]))
    assert read_record(record_of([marked])) == [marked]


@given(st.lists(st.sampled_from("abcdefgh"), min_size=40, max_size=60), st.integers(0, 99))
def test_pages_at_random_of_an_unchanged_site_give_no_report(kinds: list[str], seed: int) -> None:
    pages = [{"body": f"div.story.is-{kind}", "author": "" if kind == "a" else "p.by"} for kind in kinds]
    mixed = Random(seed).sample(pages, len(pages))
    assert moved(counted(mixed[:20]), [counted(mixed[20:])], "", 0.3) == []


def test_names_of_sections_and_built_ones_do_not_make_another_place() -> None:
    assert is_same("article.post.news", "article.post.sport") and is_same("div#a.b > p", "div#a")
    assert not is_same("div.story", "div.text") and not is_same("main > p", "div.story")
    many = [{"body": f"div > p{'.' + name}"} for name in "abcdefgh"]
    assert sum(counted(many)["body"].values()) == 8 and OTHERS in counted(many)["body"]


def test_the_place_of_a_body_is_around_its_blocks() -> None:
    lines = "<div class=par><p>It rained all night, and on.</p></div>" * 3
    page = Page.parse(f"<div id=page><div class=story><h1>Rain</h1>{lines}</div><p>Menu</div>")
    kept = np.array([False, True, True, True, False])
    assert places_of_parts(page, kept, {"title": "Rain"}) == {"body": "div.story", "title": "div.story > h1"}
    assert places_of_parts(page, kept & False, {"title": "Rain"})["body"] == ""
    assert places_of_parts(Page.parse(""), np.zeros(0, bool), {"title": "Rain"}) == {"body": "", "title": ""}
