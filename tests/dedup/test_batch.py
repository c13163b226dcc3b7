"""`deduplicate`: a slow literal version, and what a notebook shows."""

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy import deduplicate
from denoise_scrapy.dedup import RULES, DuplicateIndex, Fingerprint, SQLiteStore
from denoise_scrapy.dedup.batch import Batch, Row
from denoise_scrapy.dedup.variants import CERTAINTY
from denoise_scrapy.dedup.verdicts import Evidence
from tests.dedup.made_texts import english

TEXTS = [" ".join(english(seed, 60)) for seed in range(3)]
TEXTS += [f"From our correspondent. {TEXTS[0]}", f"{TEXTS[0]} More on this tomorrow.", "two words", "", TEXTS[1][:300]]
ROWS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "3 c", ""]), st.sampled_from(TEXTS), st.integers(0, 3)), max_size=9
)


def literally(rows: Sequence[tuple[str, str, int]], keep: str) -> list[int | None]:
    """The place of the row that each one is dropped for: by comparing it with all that are kept."""
    rank = {"first": lambda n: 0, "longest": lambda n: -len(rows[n][1]), "newest": lambda n: -rows[n][2]}[keep]
    rule, kept, of = RULES["part"], list[int](), dict[int, int | None]()
    for number in sorted(range(len(rows)), key=rank):
        new = rule.read(rows[number][1])
        prints = [Fingerprint.of(rows[one][1]) for one in kept]
        short = rule.too_short(rule.fingerprint(new))
        same = (
            [] if short else [k for k, f in zip(kept, prints, strict=True) if rule.fingerprint(new).digest == f.digest]
        )
        like = (
            []
            if short
            else [
                k
                for k, one in zip(kept, prints, strict=True)
                if rule.at(0.7, 0.3).judge(new, one).duplicate and Evidence.of(new, one).shares().copy >= CERTAINTY
            ]
        )
        of[number] = next(iter(same + like), None)
        if of[number] is None:
            kept.append(number)
    return [of[number] for number in range(len(rows))]


@given(ROWS, st.sampled_from(["first", "longest", "newest"]))
def test_it_is_what_comparing_all_with_all_gives(rows: list[tuple[str, str, int]], keep: str) -> None:
    found = list(deduplicate(rows, keep=keep))
    assert [key for key, _ in found] == [key for key, *_ in rows]
    expected = [None if place is None else rows[place][0] for place in literally(rows, keep)]
    assert [verdict.of for _, verdict in found] == expected
    for _, verdict in found:
        assert verdict.duplicate == (verdict.of is not None)
        if verdict.of:
            assert f"of {verdict.of} " in f"{verdict.reason} " or verdict.reason.endswith(verdict.of)


def test_rows_are_judged_as_they_come() -> None:
    taken = []

    def endless():
        while True:
            taken.append(len(taken))
            yield str(len(taken)), TEXTS[0]

    verdicts = deduplicate(endless())
    assert not next(verdicts)[1].duplicate and next(verdicts)[1].of == "1"
    assert len(taken) == 2


def test_dates_are_anything_that_sorts() -> None:
    rows = [("old", TEXTS[0], date(2025, 1, 1)), ("new", TEXTS[0], date(2026, 1, 1))]
    assert [verdict.of for _, verdict in deduplicate(rows, keep="newest")] == ["new", None]


def test_short_texts() -> None:
    rows = [("a", "two words"), ("b", "two words")]
    assert [verdict.too_short for _, verdict in deduplicate(rows)] == [True, True]


def test_a_reason_keeps_its_figures_whatever_the_key() -> None:
    rows = [("0", "two words"), ("1", TEXTS[0]), ("a", f"{TEXTS[0]} This and that.")]
    *_, (_, verdict) = deduplicate(rows)
    assert verdict.reason.startswith("near-duplicate of 1 (c2 0.95, c1 1.00,")


@pytest.mark.parametrize(
    ("rows", "more", "said"),
    [
        ([], {"keep": "last"}, "keep must be one of first, longest, newest, got 'last'"),
        ([], {"rule": "none"}, "rule must be one of"),
        ([], {"scope": "host"}, "scope must be one of site, global, got 'host'"),
        ([], {"threshold": 2}, "threshold must be"),
        (["ab"], {}, "a row must be .key, text."),
        ([("a",)], {}, "a row must be"),
        ([(5, "a")], {}, "a key must be a string, got int"),
        ([("a", None)], {}, "the text of 'a' must be a string, got NoneType"),
        ([("a", "text", None, 7)], {}, "the title of 'a' must be a string, got int"),
        ([("a", "text", None, "", "")], {}, "a row must be"),
        ([("a", "text")], {"keep": "newest"}, "got no date for 'a'"),
    ],
)
def test_what_it_cannot_use(rows, more, said) -> None:
    with pytest.raises(ValueError, match=said):
        list(deduplicate(rows, **more))


@pytest.mark.parametrize("keep", ["first", "longest", "newest"])
def test_like_rows_of_one_site_with_other_titles_are_variants(keep) -> None:
    titles = ["Rooms in Kiel", "Rooms in Bonn", "Rooms in Bonn", "", "Rooms in Bonn"]
    urls = ["http://a.example/1", "http://a.example/2", "http://a.example/2?print", "http://a.example/3", "sku 5"]
    rows = [(key, TEXTS[0], 0, title) for key, title in zip(urls, titles, strict=True)]
    of_sites = [verdict.of for _, verdict in deduplicate(rows, keep=keep)]
    assert of_sites == [None, None, urls[1], urls[0], None]
    found = [verdict for _, verdict in deduplicate(rows, keep=keep, scope="global")]
    assert [verdict.of for verdict in found] == [None, None, urls[1], urls[0], urls[1]]
    assert [verdict.variant_of for verdict in found] == [None, urls[0], None, None, None]
    assert found[1].reason == f"a variant of {urls[0]}: another title"


def test_an_index_that_others_share_knows_items_by_their_key(tmp_path) -> None:
    def run(*rows: tuple[str, str], keep: str = "first") -> list[str | None]:
        with DuplicateIndex(store=SQLiteStore(tmp_path / "a.db")) as index:
            batch = Batch(index, keep=keep, numbered=False)
            return [verdict.of for verdict in batch.judge_all([Row(*row) for row in rows])]

    assert run(("a", TEXTS[0]), ("a", TEXTS[0]), ("b", TEXTS[0])) == [None, "a", "a"]
    assert run(("a", TEXTS[0]), ("c", TEXTS[3]), ("a", TEXTS[1]), keep="longest") == [None, "a", None]
