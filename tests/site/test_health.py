"""The health of a site: changes are found, chance is none, and records from outside do no harm."""

import json
from dataclasses import replace

import pytest

from denoise_scrapy.page import Page
from denoise_scrapy.site.crawl_history import (
    ENOUGH,
    KEPT_CRAWLS,
    MAX_RECORD,
    PAGES_A_SITE,
    SETTLED,
    PageReading,
    SiteCrawl,
    SiteTally,
    alarms,
    plain_hash,
    read_record,
    record_of,
)
from tests.crawl.web import article, story

GERMAN = "der die das und ist nicht mit sich auf für dem den ein eine auch wird nach bei aus noch".split()
ENGLISH = "the of and to in is that it for was on are as with his they at be this from".split()
MONTHS = "March April May June July".split()


def tallied(texts, *, confidence=0.95, kind="article", html=None, url="http://a.example/{}"):
    tally = SiteTally(1.0)
    for number, text in enumerate(texts):
        page = Page.parse(html or article(1), url=url.format(number))
        reading = PageReading.of(text, confidence, kind, page.facts)
        tally.add(page.url, reading.text, reading, is_empty=not text)
    tally.counts.items = tally.counts.fetched = len(texts)
    return tally


def crawled(texts, **options):
    """What a crawl of pages with some bodies brings."""
    return tallied(texts, **options).crawl()


def prose(number, words=ENGLISH):
    return " ".join(f"{story(number)} {' '.join(words)} " for _ in range(2)) + f" end of {number}"


PROSE = [prose(n) for n in range(20)]
USUAL = crawled(PROSE)
IN_ENGLISH, IN_GERMAN = (crawled([" ".join(words * 9) + str(n) for n in range(9)]) for words in (ENGLISH, GERMAN))
PROMOTIONS = [f"Buy the paper for a month and read the news of {month}" for month in MONTHS]
FEW, SHELL = crawled(PROSE[: ENOUGH - 1]), SiteCrawl(2.0, fetched=3)


@pytest.mark.parametrize(
    ("now", "earlier", "said"),
    [
        (crawled([prose(n) for n in range(40, 60)]), [USUAL], ""),
        (crawled([""] * 20), [USUAL], "100% of the bodies are empty, 0% before"),
        (crawled([*PROSE[:12], *[""] * 8]), [USUAL], "40% of the bodies are empty, 0% before"),
        (crawled([prose(1)] * 20), [USUAL], "100% of the pages have one text in common, 0% before"),
        (
            crawled([f"Visit {n}: {prose(1)}" for n in range(20)]),
            [USUAL],
            "100% of the pages have one text in common, 0% before",
        ),
        (replace(USUAL, copies=15), [USUAL], "75% of the items are near-duplicates, 0% before"),
        (
            crawled(PROSE, html="<main class=new><section><p>x</section></main>"),
            [USUAL],
            "100% of the pages have a new template",
        ),
        (
            crawled(["\n".join([story(n), *PROMOTIONS]) for n in range(20)]),
            [USUAL],
            "% of the text is repeated on other pages (0% before)",
        ),
        (crawled([text[:150] for text in PROSE]), [USUAL], "to 150 characters"),
        (crawled(PROSE, confidence=0.6), [USUAL], "confidence 0.60, 0.95 before"),
        (crawled(PROSE, kind="list"), [USUAL], "100% of the pages are of kind list, 0% before"),
        (crawled(PROSE, kind="list"), [replace(USUAL, kinds={})], ""),
        (IN_GERMAN, [IN_ENGLISH], "vocabulary changed: the site may have switched language"),
        (IN_ENGLISH, [IN_ENGLISH], ""),
        # few pages are neither judged nor compared with
        (crawled([""] * (ENOUGH - 1)), [USUAL], ""),
        (crawled([text[:99] for text in PROSE]), [FEW], ""),
        # a first crawl is judged by itself
        (crawled([""] * 10), [], "100% of the bodies are empty"),
        (replace(crawled(PROSE[:10], confidence=0.1), copies=10), [], ""),
        # a site that gave items, and gives none
        (SHELL, [USUAL] * SETTLED, "no items from 3 pages"),
        (SHELL, [USUAL], ""),
        (SiteCrawl(2.0), [USUAL] * SETTLED, ""),
    ],
)
def test_what_goes_wrong_is_said(now, earlier, said):
    found = alarms(now, earlier)
    assert any(said in one for one in found) if said else found == []
    assert all("\n" not in one for one in found)


def test_one_address_with_many_parameters_is_one_page():
    tally = tallied([prose(1)] * 20, url="http://a.example/list?page={}")
    assert alarms(tally.crawl(), []) == []
    assert not tally.is_repeated("http://a.example/other", plain_hash(prose(1)))


def test_a_change_is_said_three_times_and_then_it_is_what_the_site_is_like():
    earlier, new = [USUAL], crawled([text[:150] for text in PROSE])
    for _ in range(SETTLED):
        found = alarms(new, earlier)
        assert found
        earlier.append(replace(new, alarms=tuple(found)))
    assert alarms(new, earlier) == []
    assert alarms(USUAL, earlier)  # and back again is a change


def test_what_is_held_is_bounded():
    tally = SiteTally(1.0)
    for number in range(5 * PAGES_A_SITE):
        frame = f"<div class=a{chr(97 + number % 26) * (1 + number // 26)}><p>x"
        page = Page.parse(frame, url=f"http://a.example/{number}")
        text = "\n".join(map(str, range(9000))) + prose(number)
        reading = PageReading.of(text, 0.9, "article", page.facts) if tally.wants_reading() else None
        tally.add(page.url, plain_hash(text), reading, is_empty=False)
    assert tally.nbytes < 200_000
    record = record_of([tally.crawl()] * 99)
    assert len(record) < MAX_RECORD
    assert len(read_record(record)) == KEPT_CRAWLS


def test_records_are_read_as_they_were_written():
    crawl = replace(USUAL, alarms=("something",))
    assert read_record(record_of([crawl])) == [crawl]
    assert read_record(b"") == []
    assert USUAL.kinds == {"article": 1.0}
    assert (USUAL.pages, USUAL.templates, USUAL.shares, USUAL.same, USUAL.common) == (20, 1, (1.0,), 0.0, 0.0)
    assert crawled([PROSE[1]] * 9).common == 1.0


ROW = json.loads(record_of([USUAL]))[0]
WRONG = [
    *({"pages": value} for value in ("7", float("nan"), -1)),
    *({"length": value} for value in ([1, 2], 7)),
    *({"words": value} for value in ("AAAA", 7)),
    *({"containers": value} for value in (["A"], [], ["A" * 16 * 20])),
    *({name: value} for name, value in (("alarms", [7]), ("other", 7))),
]


@pytest.mark.parametrize(
    "record",
    [b"\x00\xff", b"{}", b"[1]", b"[" * 100_000, *(json.dumps([{**ROW, **wrong}]).encode() for wrong in WRONG)],
)
def test_damaged_records_are_refused(record):
    with pytest.raises(ValueError, match="damaged"):
        read_record(record)
