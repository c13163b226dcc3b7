"""Variants are kept: no item is lost because it is similar to another."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.crawl.crawling import ONE_BY_ONE, Crawl, crawl, spider_of
from tests.crawl.web import Web, article, sentence, story
from tests.dedup.made_texts import english

IN_ORDER = {**ONE_BY_ONE, "DENOISE_COMPARISON_WAIT": 0}
PLACES = "Kiel Lund Oban Cork Bergen Ghent Nantes Porto Turin Graz Delft Split".split()
TRADES = "baker joiner nurse welder tailor driver gardener roofer printer cook plumber teacher".split()
FRAME = (
    "<html><head><title>{title}</title></head><body><div id=top>The Gazette Home Jobs Contact</div>"
    "<div class=main><h1>{heading}</h1>{text}</div><div id=foot>All rights reserved, the usual notes</div>"
)
JOB = (
    "<p>We are looking for a {trade} in {place} from the {day} of March on. You like to work with others and keep your "
    "tools in order.</p><p>We offer {pay} euros a month, thirty days of leave and a place where nobody minds if you "
    "whistle. Please write to our office, with the usual papers; we answer within a week, and pay for your journey.</p>"
)


def job(n: int, *, title: str = "{trade} in {place}") -> str:
    values = {"trade": TRADES[n % 12], "place": PLACES[n * 5 % 12], "day": n + 1, "pay": 2000 + 37 * n}
    named = title.format(**values)
    return FRAME.format(title=f"{named} - The Gazette", heading=named, text=JOB.format(**values))


def paths(web: Web, more: str = "") -> list[str]:
    return [web(path) for path in (*(f"/jobs/{n}" for n in range(12)), *more.split())]


@pytest.mark.parametrize("title", ["{trade} in {place}", "Job offer"])
def test_forms_of_a_site_are_kept_and_their_copies_dropped(web: Web, title: str) -> None:
    web.pages |= {f"/jobs/{n}": job(n, title=title) for n in range(12)}
    printed = job(7, title=title).replace("</h1>", "</h1><p>Printed for you on the way home.</p>")
    web.pages |= {"/jobs/7/print": printed, "/jobs/3?sort=new": job(3, title=title)}
    named = {"DENOISE_FIELDS": {"variant_of": "variant_of"}}
    done = crawl(spider_of(*paths(web, "/jobs/7/print /jobs/3?sort=new")), {**IN_ORDER, **named})
    assert {item["url"] for item in done.items} == set(paths(web))
    assert {*done.of()} == {web("/jobs/7"), web("/jobs/3")}
    assert sum("variant_of" in item for item in done.items) == 11
    assert done.stat("dedup/passed/variant_of") == 11
    assert done.log.count(" is a variant of ") == 1
    dropped = crawl(spider_of(*paths(web)), {**ONE_BY_ONE, "DENOISE_DEDUP_VARIANTS": "drop"})
    assert len(dropped.items) < 12


WALL = FRAME.format(
    title="Before you go on", heading="Before you go on", text=f"<p>{story(3).replace('. ', '.</p><p>')}</p>"
)


def test_a_text_that_stands_all_over_a_site_is_no_copy(web: Web) -> None:
    web.pages |= {f"/goods/{n}": WALL for n in range(12)}
    done = crawl(spider_of(*(web(f"/goods/{n}") for n in range(12))), ONE_BY_ONE)
    assert len(done.items) >= 9  # until three others have come, nothing tells a wall from a copy
    assert done.stat("dedup/passed/no_content") >= 8
    assert done.log.count("no copy") == 1


@pytest.mark.parametrize(("pages", "view"), [(12, "/view-{}/3"), (4, "/a/3?from={}")])
def test_a_story_with_several_addresses_is_no_wall(web: Web, pages: int, view: str) -> None:
    web.pages |= {f"/a/{n}": article(n) for n in range(pages)}
    views = [view.format(n) for n in range(4)]
    web.pages |= dict.fromkeys(views, article(3))
    done = crawl(spider_of(*web.urls(range(pages)), *map(web, views)), ONE_BY_ONE)
    assert len(done.items) == pages
    assert done.stat("dedup/passed/no_content") == 0


def test_a_page_that_shows_several_posts_takes_none_of_them(web: Web) -> None:
    posts = [story(n) for n in range(3)]
    web.pages["/"] = FRAME.format(
        title="All posts", heading="All posts", text="".join(f"<p>{post}</p>" for post in posts)
    )
    web.pages |= {f"/{n}": article(n, text=post) for n, post in enumerate(posts)}
    done = crawl(spider_of(web("/"), *(web(f"/{n}") for n in range(3))), ONE_BY_ONE)
    assert len(done.items) == 4
    assert all(sentence(n) in done.bodies()[web(f"/{n}")] for n in range(3))


Fields = Callable[[int], dict[str, Any]]


def copies_with(web: Web, fields: Fields, stories: Sequence[int], **given: Any) -> Crawl:
    web.pages = {f"/a/{n}": article(text) for n, text in enumerate(stories)}

    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url, "by": "Ann", **fields(int(response.url.rpartition("/")[2]))}

    return crawl(spider_of(*web.urls(range(len(stories))), parse=parse), {**IN_ORDER, **given})


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        (lambda n: {"rank": n}, "rank"),
        (lambda n: {"latency": n / 7}, "latency"),
        (lambda n: {"id": f"{n:08x}-1111-2222-3333-444455556666"}, "id"),
        (lambda n: {"printed": f"{n + 1:02}/01/2026"}, "printed"),
        (lambda n: {"depth": n % 7, "visit": 900 + n}, "depth, visit"),
    ],
)
def test_fields_that_make_variants_of_copies_are_named_once(web: Web, fields: Fields, named: str) -> None:
    done = copies_with(web, fields, [n // 2 for n in range(8)])
    [said] = done.lines("and is kept")
    assert f"of {named}, and is kept" in said and "DENOISE_DEDUP_FIELDS" in said
    assert (len(done.items), done.stat("dedup/passed/variant_of")) == (8, 4)
    left_out = [f"-{name}" for name in named.split(", ")]
    assert len(copies_with(web, fields, [n // 2 for n in range(8)], DENOISE_DEDUP_FIELDS=left_out).items) == 4


def test_a_page_that_says_more_is_kept_and_names_the_one_before(web: Web) -> None:
    entries = [f"<p>{' '.join(english(seed, 40)).capitalize()}.</p>" for seed in range(9)]
    head = "<title>The ship off the coast</title><h1>The ship off the coast</h1>"
    web.pages |= {"/live": head + "".join(entries[:6]), "/live/evening": head + "".join(entries)}
    named = {"DENOISE_FIELDS": {"update_of": "update_of"}}
    done = crawl(spider_of(*paths(web, "/live /live/evening")[12:]), {**IN_ORDER, **named})
    assert [item.get("update_of") for item in done.items] == [None, web("/live")]
    assert done.stat("dedup/passed/update_of") == 1


def test_a_page_of_pages_is_kept_and_names_them(web: Web) -> None:
    for n in range(4):
        web.pages[f"/{n}"] = article(n)
    web.pages["/print"] = article(9, text=" ".join(story(n) for n in range(4)))
    named = {"DENOISE_FIELDS": {"contains": "contains"}}
    done = crawl(spider_of(*[web(f"/{n}") for n in range(4)], web("/print")), {**IN_ORDER, **named})
    assert done.items[-1]["contains"] == [web(f"/{n}") for n in range(4)]
    assert (len(done.items), done.stat("dedup/passed/contains")) == (5, 1)
