"""What two texts have in common, against the same with arrays as long as the text; and texts that were pickled."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.core import feature_strings
from denoise_scrapy.core.feature_strings import EVERY, PIECE, FeatureStrings, read_units
from denoise_scrapy.dedup import DuplicateIndex
from denoise_scrapy.dedup.rules import Fingerprint, share_new
from denoise_scrapy.dedup.verdicts import Evidence
from tests.dedup import literal
from tests.dedup.made_texts import english

WORDS = "the of red Tree stone. River, sand) 的 山 水 Élan élan, Moss 7 1950 Жук жук ＦＵＬＬ a_b _B 中Ab".split()
COMMON = [f"{word}{place}" if word.isalpha() and place % 2 else word for place, word in enumerate(WORDS * 5)]


def edited(cuts: tuple[int, int], words: list[tuple[int, str]], ends: list[list[str]], times: int) -> str:
    """The common text with its ends cut off, other words in places and around it, and all of it several times."""
    text = COMMON[cuts[0] : len(COMMON) - cuts[1]]
    for place, word in words:
        text[place % len(text)] = word
    return " ".join([*ends[0], *text * times, *ends[1]])


SOME = st.lists(st.sampled_from(WORDS), max_size=12)
# Those of many times are counted without the interpreter's lock, those of a hundred are sampled.
EDITED = st.builds(
    edited,
    st.tuples(st.integers(0, 40), st.integers(0, 40)),
    st.lists(st.tuples(st.integers(0, 99), st.sampled_from([*WORDS, "Kiel", "bonn", "900"])), max_size=12),
    st.lists(SOME, min_size=2, max_size=2),
    st.sampled_from([1, 1, 1, 2, 40]),
)
LONG = st.builds(
    lambda seed, length, words: " ".join([*english(7, 1500)[seed:length], *words]),
    st.integers(0, 500),
    st.integers(600, 1500),
    SOME,
)
TEXTS = EDITED | LONG | SOME.map(" ".join)


@settings(max_examples=15)
@given(TEXTS, TEXTS)
def test_differences_are_those_of_whole_texts(text: str, other: str) -> None:
    new, kept = FeatureStrings(text), Fingerprint.of(other)
    assert share_new(new, kept) == literal.share_new(new, kept)
    found = Evidence.of(new, kept)
    for name, value in literal.evidence(new, kept).items():
        assert found[name] == pytest.approx(value, abs=1e-5), name


SPELT = st.lists(st.sampled_from("colour behaviour website adapter skilful Жукам жукам wi-fi 1950 山 水 tree".split()))
EDITS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 1), st.text("urbxж -", max_size=2)), max_size=4)


@given(SPELT, SPELT, EDITS)
def test_spellings_are_those_that_are_written_out(
    first: list[str], words: list[str], edits: list[tuple[int, int, str]]
) -> None:
    kept = " ".join([*first, *english(7, 12), *words])
    text = kept
    for place, length, letters in edits:
        text = text[:place] + letters + text[place + length :]
    for one, other in ((text, kept), (kept, text)):
        new, fingerprint = FeatureStrings(one), Fingerprint.of(other)
        told, found = literal.evidence(new, fingerprint), Evidence.of(new, fingerprint)
        assert found["share of respelt words"] == pytest.approx(told["share of respelt words"])


@pytest.mark.parametrize(
    ("kept", "new", "told"),
    [
        ("adaptor", "adapter", 1), ("websites", "websites", 0), ("color", "colour", 1), ("skilfully", "skillfully", 1),
        ("recieve", "receive", 1), ("Жучка", "Жучки", 1), ("website", "web site", 1), ("web-site", "website", 0),
        ("red", "blue", 0), ("1950", "1951", 0), ("cat", "car", 0), ("Kiel", "Bonn", 0), ("widened", "widenned", 1),
    ],
)  # fmt: skip
def test_another_spelling_of_a_word_is_told_from_another_word(kept: str, new: str, told: int) -> None:
    text = "Bees dance to tell their sisters where the {} is, and each of them dances in the dark of the hive."
    found = Evidence.of(FeatureStrings(text.format(new)), Fingerprint.of(text.format(kept)))
    assert found["share of respelt words"] == told


@given(
    st.lists(st.sampled_from([*"aA1é中 .,;)_ÄЖж\n٣ǅﬁＡ", "\u0301", "𝐀"])).map("".join) | st.text(), st.integers(1, 9)
)
def test_names_are_words_with_capitals_within_a_sentence(text: str, size: int) -> None:
    names = read_units(" ".join(literal.NAME.findall(text))).hashes
    assert FeatureStrings(text).names.tolist() == sorted(set(names.tolist()))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(feature_strings, "PIECE", size)
        assert FeatureStrings(text).names.tolist() == sorted(set(names.tolist()))


PROPERTIES = "n ideographs digest text names hashes kinds places runs frequencies".split()


def values(features: FeatureStrings) -> list[object]:
    """All that can be asked of a text."""
    made = [getattr(features, name) for name in PROPERTIES]
    made += [features.main_units(t) for t in (0, 3)] + [features.rare_units(2, 5), features.shingles()]
    made += [features.sample(limit) for limit in (0, 1 << 28, EVERY)] + list(features.sample_of(20))
    return [one.tolist() if isinstance(one, np.ndarray) else one for one in made]


@given(TEXTS | st.text(), st.booleans())
def test_a_text_is_the_same_when_it_comes_from_another_process(text: str, used: bool) -> None:
    read = FeatureStrings(text)
    before = values(read) if used else []
    written, again = pickle.loads(pickle.dumps((text, read), 5))
    assert again.text is written  # the text is in the message once
    assert values(again) == (before or values(read))


def test_a_pickled_text_is_small() -> None:
    text = " ".join(english(3, 20_000))
    assert len(text) > PIECE
    assert len(pickle.dumps((text, FeatureStrings(text)), 5)) < len(text) + 10 * 20_000


@given(EDITED, st.integers(1, 7), st.sampled_from([b"", b"x", b"xxx", b"xxxx"]), st.integers(1, 5))
def test_damaged_lengths_are_refused(text: str, part: int, more: bytes, less: int) -> None:
    make, state = FeatureStrings(text).__reduce__()
    if state[part] is None:
        return
    for damaged in (state[part] + more, state[part][:-less]):
        if len(damaged) == len(state[part]) or (part == 7 and len(damaged) % 4 == 0):
            continue
        with pytest.raises(ValueError, match="damaged"):
            make(*state[:part], damaged, *state[part + 1 :])


@given(st.lists(EDITED, min_size=2, max_size=4), st.booleans())
def test_verdicts_on_texts_read_elsewhere_are_the_same(texts: list[str], titles: bool) -> None:
    with DuplicateIndex() as one, DuplicateIndex() as other:
        for number, text in enumerate(texts):
            read = one.read(text, title="News of the day" if titles else "", values={"number": number // 2})
            again = pickle.loads(pickle.dumps(read, 5))
            assert again._replace(text=read.text) == read
            verdicts = [
                index.check_and_add(f"https://a.example/{number}", item)
                for index, item in ((one, read), (other, again))
            ]
            assert verdicts[0] == replace(verdicts[1], since=verdicts[0].since)
