"""Pairs of texts, decided and resolved: the verdicts of an index that is fed with the texts in order."""

import random
from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.archive import candidate_pairs, keys_of, resolve, verify
from denoise_scrapy.dedup import DuplicateIndex, Fingerprint
from tests.archive.warcs import WORDS, story


def by_pairs(texts: Sequence[str], *, joined: bool = False) -> list[tuple[int, int, float, float, float]]:
    """Text, the earlier one that it is dropped for, and the shares, of each that is dropped."""
    prints = [Fingerprint.of(text) for text in texts]
    keyed = sorted(
        (int(key), number)
        for number, one in enumerate(prints)
        if one.bands
        for key in keys_of([one.bands], joined=joined)[0]
    )
    edges = []
    for new, earlier in sorted(set(candidate_pairs(keyed))):
        (one,) = verify(texts[new], [prints[earlier]])
        if one.duplicate:
            edges.append((new, earlier, one.c1, one.c2, one.new))
    return list(resolve(edges))


def by_index(texts: Sequence[str]) -> list[tuple[int, int, float, float, float]]:
    with DuplicateIndex() as index:
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


@given(st.lists(st.tuples(st.integers(1, 30), st.integers(0, 29)).filter(lambda edge: edge[0] > edge[1])))
def test_resolving_is_what_an_index_does_text_by_text(edges: list[tuple[int, int]]) -> None:
    kept: list[int] = []
    expected = []
    for text in range(31):
        found = [one for one in kept if (text, one) in edges]  # ascending: the earliest counts
        if found:
            expected.append((text, found[0]))
        else:
            kept.append(text)
    assert list(resolve(sorted(set(edges)))) == expected


def test_numbers_may_be_large() -> None:
    far = 1 << 40
    assert list(resolve([(far + 1, far), (far + 2, far + 1), (far + 70_000, far)])) == [
        (far + 1, far),
        (far + 70_000, far),
    ]


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
    copies = [text.replace(text.split()[7], "lantern", 1) for text in texts]
    single, joined = (by_pairs([*texts, *copies], joined=joined) for joined in (False, True))
    assert [edge[:2] for edge in joined] == [edge[:2] for edge in single] == [(n + 40, n) for n in range(40)]
    bands = [Fingerprint.of(text).bands for text in texts]
    assert len(np.unique(keys_of(bands, joined=True))) == 40 * 64
    assert keys_of([], joined=True).shape == (0, 64)


def test_texts_that_are_too_short_are_no_duplicates() -> None:
    short = "Rain and wind all day."
    assert [one.duplicate for one in verify(short, [Fingerprint.of(short)])] == [False]
