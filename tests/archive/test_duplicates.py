"""Pairs of texts, decided and resolved: the verdicts equal those of an index that receives the texts in order."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, product, zip_longest
from operator import itemgetter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.archive import candidate_pairs, keys_of, resolve, verify
from denoise_scrapy.core.feature_strings import FeatureStrings
from denoise_scrapy.dedup import DuplicateIndex, Fingerprint
from denoise_scrapy.dedup.prefilter import bands_of
from denoise_scrapy.dedup.rules import Comparison
from denoise_scrapy.dedup.variants import hash_title
from tests.archive.warcs import WORDS, story


def rows_of(texts: Sequence[str], urls: Sequence[str] = (), titles: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return rows of bodies; those without URLs belong to no site."""
    rows = []
    for text, url, title in zip_longest(texts, urls or list(map(str, range(len(texts)))), titles, fillvalue=""):
        bands = bands_of(FeatureStrings(text)) if not Fingerprint.of(text).too_short else b""
        fingerprint = replace(Fingerprint.of(text), title=hash_title(title), bands=bands)
        columns = {name: getattr(fingerprint, name) for name in Fingerprint.__slots__}
        rows.append({"url": url, "text": text, "title": title, "fingerprint": columns})
    return rows


def resolved(rows: Sequence[dict[str, Any]], *, joined: bool = False) -> list[tuple[int, int, bool, Comparison]]:
    """Return texts, the earlier ones they duplicate or are variants of, which of both, and the shares."""
    bands = [row["fingerprint"]["bands"] for row in rows]
    keyed = sorted(
        (int(key), number) for number, one in enumerate(bands) if one for key in keys_of([one], joined=joined)[0]
    )
    edges = []
    for new, pairs in groupby(sorted(set(candidate_pairs(keyed))), itemgetter(0)):
        found = verify(rows[new], {number: rows[number] for _, number in pairs})
        edges += [(new, number, one.duplicate, one) for number, one in found]
    return list(resolve(edges))


def by_pairs(texts: Sequence[str], *, joined: bool = False) -> list[tuple[int, int, float, float, float]]:
    """Return for each dropped text the earlier one that it is dropped for, and the shares."""
    edges = resolved(rows_of(texts), joined=joined)
    return [(new, number, one.c1, one.c2, one.new) for new, number, duplicate, one in edges if duplicate]


def by_index(texts: Sequence[str]) -> list[tuple[int, int, float, float, float]]:
    with DuplicateIndex(search="prefilter") as index:
        verdicts = [index.check_and_add(str(number), text) for number, text in enumerate(texts)]
    return [(n, int(v.of), v.c1, v.score, v.new) for n, v in enumerate(verdicts) if v.of is not None]


@st.composite
def collections(draw: st.DrawFn) -> list[str]:
    """Texts, most of them made of earlier ones: the same, a part, with other words, with an end of another."""
    rng = random.Random(draw(st.integers(0, 1 << 32)))
    texts = [story(rng.randrange(9), draw(st.sampled_from([8, 24, 60, 150])))]
    for how in draw(st.lists(st.sampled_from(["new", "same", "part", "edit", "join", "more"]), max_size=14)):
        words = rng.choice(texts).split()
        if how == "new":
            words = story(rng.randrange(9), rng.choice([10, 40, 90])).split()
        elif how == "part":
            words = words[: max(1, int(len(words) * rng.uniform(0.25, 1)))]
        elif how == "edit":
            share = rng.choice([0.01, 0.05, 0.1])
            words = [rng.choice(WORDS) if rng.random() < share else word for word in words]
        elif how == "join":
            words = words + rng.choice(texts).split()
        elif how == "more":
            words = words + story(rng.randrange(9), 1 + len(words) // 4).split()
        texts.append(" ".join(words))
    return texts


@given(collections())
def test_verdicts_are_those_of_an_index_fed_in_order(texts: list[str]) -> None:
    assert by_pairs(texts) == by_index(texts)


NUMBERS = [0, 1, 2, 70_000, 70_001, 140_000, 1 << 40, (1 << 40) + 1, (1 << 40) + 70_000]


@given(
    st.lists(
        st.tuples(st.sampled_from(NUMBERS), st.sampled_from(NUMBERS), st.booleans()).filter(
            lambda one: one[0] > one[1]
        ),
        unique_by=lambda edge: edge[:2],
    )
)
def test_resolving_is_what_an_index_does_text_by_text(edges: list[tuple[int, int, bool]]) -> None:
    dropped: set[int] = set()
    expected = []
    edges.sort(key=itemgetter(0))
    for text in NUMBERS:
        found = [edge for edge in edges if edge[0] == text and edge[1] not in dropped][:1]  # the first counts
        expected += found
        dropped |= {text for edge in found if edge[2]}
    assert list(resolve(edges)) == expected


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 12)), unique=True), st.integers(1, 4))
def test_pairs_of_texts_with_a_key_in_common(keyed: list[tuple[int, int]], most: int) -> None:
    expected = {
        (new, earlier)
        for key, new in keyed
        for earlier in sorted(text for other, text in keyed if other == key)[:most]
        if earlier < new
    }
    assert set(candidate_pairs(sorted(keyed), most)) == expected


def test_joined_keys_find_what_is_nearly_the_same_and_hold_no_others() -> None:
    texts = [story(number, 200) for number in range(40)]
    copies = [f"{text} Share this page." for text in texts]
    single, joined = (by_pairs([*texts, *copies], joined=joined) for joined in (False, True))
    assert [edge[:2] for edge in joined] == [edge[:2] for edge in single] == [(n + 40, n) for n in range(40)]
    bands = [bands_of(FeatureStrings(text)) for text in texts]
    assert len(np.unique(keys_of(bands, joined=True))) == 40 * 64
    assert keys_of([], joined=True).shape == (0, 64)


def test_texts_that_are_too_short_are_no_duplicates() -> None:
    (row,) = rows_of(["Rain and wind all day."])
    assert not verify(row, {0: row})


FORM = (
    "{job} wanted in {town}. Our workshop looks for someone who knows the trade, likes to work in a small team and "
    "wants to learn more. You work {hours} hours a week and earn {pay} a month, with thirty days of leave. Write to "
    "{name} before the end of the month, with your papers, and say when you could begin. We pay the fare of those we "
    "invite."
)
JOBS, TOWNS = ("Joiner", "Welder", "Baker", "Glazier", "Potter"), ("Kiel", "Bonn", "Jena", "Ulm")
NAMES = ("Mrs Adler", "Mr Brandt", "Mrs Conrad", "Mr Decker", "Mrs Ebert", "Mr Falk", "Mrs Graf")
#: Copies behind the twenty offers, and what each is of.
COPIES = {20: 7, 21: 13, 22: 4, 23: 7}


def offers(*, titled: bool = True) -> list[dict[str, Any]]:
    """Twenty jobs of one site, then a print view, a page with a session's number, a reprint and another print view."""
    texts, urls, titles = [], [], []
    for number, (job, town) in enumerate(product(JOBS, TOWNS)):
        name = NAMES[number % len(NAMES)]
        texts.append(FORM.format(job=job, town=town, hours=20 + number, pay=1500 + 137 * number, name=name))
        urls.append(f"https://www.jobs.example/offers/{1000 + 7 * number}.html")
        titles.append(f"{job} in {town}")
    texts += ["Printed on Monday, page 1 of 1. " + texts[7], texts[13], "From our partners. " + texts[4]]
    urls += ["https://m.jobs.example/offers/1049.html?view=print", f"{urls[13]}?session=8c1f"]
    urls += ["https://www.morning-wire.example/reprint", "https://www.jobs.example/print/offers/1049.html"]
    texts.append("Print this page. " + texts[7])
    titles += [titles[7], titles[13], "Hands wanted", titles[7]]  # a reprint has another headline
    return rows_of(texts, urls, titles if titled else [])


@pytest.mark.parametrize("titled", [True, False])
def test_forms_of_one_site_are_kept_and_their_copies_dropped(*, titled: bool) -> None:
    """Other words filled in make a variant; additions to the address, or another site, do not."""
    rows = offers(titled=titled)
    found = resolved(rows)
    assert {new: of for new, of, duplicate, _ in found if duplicate} == COPIES
    assert [(new, of) for new, of, duplicate, _ in found if not duplicate] == [(new, 0) for new in range(1, 20)]
    with DuplicateIndex() as index:
        verdicts = [index.check_and_add(row["url"], row["text"], title=row["title"]) for row in rows]
    assert [(rows[of]["url"], duplicate) for _, of, duplicate, _ in found] == [
        (one.of or one.variant_of, one.duplicate) for one in verdicts[1:]
    ]


def test_a_print_view_is_no_sibling_of_its_page() -> None:
    """It is dropped although it has words of its own and lacks others."""
    one, other, *_ = [row["text"] for row in offers()]
    print_view = "Printed: " + one.removesuffix(" of those we invite.")
    urls = [f"https://jobs.example/offers/{name}" for name in ("1", "1?view=print", "2")]
    found = [edge[:3] for edge in resolved(rows_of([one, print_view, other], urls))]
    assert found == [(1, 0, True), (2, 0, False)]


def test_the_same_words_under_another_title_are_kept_within_a_site() -> None:
    texts = [story(1)] * 3
    urls = ["http://a.example/1", "http://a.example/2", "http://b.example/1"]
    rows = rows_of(texts, urls, ["Two rooms in Kiel", "Two rooms in Bonn", "Three rooms in Ulm"])
    assert [edge[:3] for edge in resolved(rows)] == [(1, 0, False), (2, 0, True)]
