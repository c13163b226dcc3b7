"""The health of a site: changes are found, chance is none, and records from outside do no harm."""

import json
from dataclasses import replace

import pytest

from denoise_scrapy.page import Page
from denoise_scrapy.site.health import (
    ENOUGH,
    KEPT_CRAWLS,
    MAX_RECORD,
    SAMPLE,
    SETTLED,
    PageReading,
    SiteCrawl,
    SiteTally,
    alarms,
    read_record,
    record_of,
)
from tests.crawl.web import article, story

GERMAN = "der die das und ist nicht mit sich auf für dem den ein eine auch wird nach bei aus noch".split()
ENGLISH = "the of and to in is that it for was on are as with his they at be this from".split()


def crawled(texts, *, confidence=0.95, html=None, **counts):
    """What a crawl of pages with some bodies brings."""
    tally = SiteTally(began=counts.pop("began", 1.0))
    for number, text in enumerate(texts):
        page = Page.parse(html or article(1), url=f"http://a.example/{number}")
        tally.add(PageReading.of(text, confidence, page.facts))
    tally.items = tally.fetched = len(texts)
    for name, count in counts.items():
        setattr(tally, name, count)
    return tally.crawl()


def prose(number, words=ENGLISH):
    return " ".join(f"{story(number)} {' '.join(words)} " for _ in range(2)) + f" end of {number}"


USUAL = crawled([prose(n) for n in range(20)])


def test_a_crawl_like_the_last_one_is_well():
    assert alarms(crawled([prose(n) for n in range(40, 60)]), [USUAL]) == []
    assert (USUAL.pages, USUAL.templates, USUAL.shares, USUAL.same, USUAL.common) == (20, 1, (1.0,), 0.0, 0.0)


PROMOTIONS = [
    f"Buy the paper for a month and read the news of {month}" for month in "March April May June July".split()
]


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (crawled([""] * 20), "100% of the bodies are empty, 0% before"),
        (crawled([prose(n) for n in range(12)] + [""] * 8), "40% of the bodies are empty, 0% before"),
        (crawled([prose(1)] * 20), "100% of the pages have one text in common, 0% before"),
        (
            crawled([f"Visit {n}: {prose(1)}" for n in range(20)]),
            "100% of the pages have one text in common, 0% before",
        ),
        (crawled([prose(n) for n in range(20)], copies=15), "75% of the items are near-duplicates, 0% before"),
        (
            crawled([prose(n) for n in range(20)], html="<main class=new><section><p>x</section></main>"),
            "100% of the pages have a new template",
        ),
        (
            crawled(["\n".join([story(n), *PROMOTIONS]) for n in range(20)]),
            "% of the text stands on other pages too, 0% before",
        ),
        (crawled([prose(n)[:150] for n in range(20)]), "a body has 150 characters"),
        (crawled([prose(n) for n in range(20)], confidence=0.6), "confidence 0.60, 0.95 before"),
    ],
)
def test_what_goes_wrong_is_said(now, said):
    found = alarms(now, [USUAL])
    assert any(said in one for one in found), found
    assert all("\n" not in one for one in found)


def test_another_language_is_other_words():
    english, german = ([" ".join(words * 9) + str(n) for n in range(9)] for words in (ENGLISH, GERMAN))
    usual = crawled(english)
    assert not any("language" in one for one in alarms(crawled(english), [usual]))
    assert "other words than before, as of another language" in alarms(crawled(german), [usual])


def test_few_pages_are_not_judged_and_not_compared_with():
    assert alarms(crawled([""] * (ENOUGH - 1)), [USUAL]) == []
    assert alarms(crawled([prose(n)[:99] for n in range(20)]), [crawled([prose(n) for n in range(ENOUGH - 1)])]) == []


def test_the_first_crawl_is_judged_by_itself():
    assert alarms(crawled([""] * 10), []) == ["100% of the bodies are empty"]
    assert alarms(crawled([prose(n) for n in range(10)], confidence=0.1, copies=10), []) == []


def test_one_address_with_many_parameters_is_one_page():
    tally = SiteTally(1.0)
    for number in range(20):
        page = Page.parse(article(1), url=f"http://a.example/list?page={number}")
        tally.add(PageReading.of(prose(1), 0.9, page.facts))
    assert alarms(tally.crawl(), []) == []
    assert not tally.is_repeated("http://a.example/other", prose(1))


def test_a_change_is_said_three_times_and_then_it_is_what_the_site_is_like():
    earlier, new = [USUAL], crawled([prose(n)[:150] for n in range(20)])
    for _ in range(SETTLED):
        found = alarms(new, earlier)
        assert found
        earlier.append(replace(new, alarms=tuple(found)))
    assert alarms(new, earlier) == []
    assert alarms(USUAL, earlier)  # and back again is a change


def test_a_site_that_gave_items_and_gives_none():
    shell = SiteCrawl(2.0, fetched=3)
    assert alarms(shell, [USUAL] * SETTLED) == ["no items from 3 pages"]
    assert alarms(shell, [USUAL]) == []
    assert alarms(SiteCrawl(2.0), [USUAL] * SETTLED) == []


def test_what_is_held_is_bounded():
    tally = SiteTally(1.0)
    for number in range(5 * SAMPLE):
        page = Page.parse(
            f"<div class=a{chr(97 + number % 26) * (1 + number // 26)}><p>x", url=f"http://a.example/{number}"
        )
        tally.add(PageReading.of("\n".join(map(str, range(9000))) + prose(number), 0.9, page.facts))
    assert tally.nbytes < 200_000
    crawl = tally.crawl()
    assert len(record_of([crawl] * 99)) < MAX_RECORD
    assert len(read_record(record_of([crawl] * 99))) == KEPT_CRAWLS


def test_records_are_read_as_they_were_written():
    crawl = replace(USUAL, alarms=("something",))
    assert read_record(record_of([crawl])) == [crawl]
    assert read_record(b"") == []


ROW = json.loads(record_of([USUAL]))[0]


@pytest.mark.parametrize(
    "record",
    [
        b"\x00\xff",
        b"{}",
        b"[1]",
        b"[" * 100_000,
        *(
            json.dumps([{**ROW, **wrong}]).encode()
            for wrong in (
                {"pages": "7"},
                {"pages": float("nan")},
                {"pages": -1},
                {"length": [1, 2]},
                {"length": 7},
                {"words": "AAAA"},
                {"words": 7},
                {"containers": ["A"]},
                {"containers": []},
                {"alarms": [7]},
                {"other": 7},
            )
        ),
    ],
)
def test_damaged_records_are_refused(record):
    with pytest.raises(ValueError, match="damaged"):
        read_record(record)
