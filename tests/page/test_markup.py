"""Flags of the words in class names, against plain string work."""

from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.core import markup
from denoise_scrapy.core.markup import MAX_WORDS_LENGTH, Flag, word_flags

# what the patterns are made of, whole and cut, and what stands between words
PARTS = sorted(
    {
        part[:size]
        for words in markup._WORDS.values()
        for part in words.replace("?", "").split("|")
        for size in (2, 3, 5, 40)
    }
)
NAMES = st.lists(
    st.sampled_from(
        [*PARTS, "Ad", "ads", "tab", "tabs", "read", "more", "right", "col", "left", "see", "all", "top", "bar"]
    )
    | st.sampled_from(
        ["-", "_", " ", "  ", "7", "--", "X", "comment", "userComments", "Reply", "replies", "İ", "É", "中"]
    )
    | st.text(max_size=4),
    max_size=12,
).flatmap(lambda parts: st.sampled_from(["", " ", "-"]).map(lambda between: between.join(parts)))


def at_once(names: str) -> int:
    """The literal version."""
    words = markup._NOT_A_LETTER.sub(" ", markup._CAMEL.sub(" ", names[:MAX_WORDS_LENGTH])).lower()
    bits = 0
    for match in markup._WORD_PATTERN.finditer(words):
        bits |= Flag[str(match.lastgroup)]
    return int(bits)


@given(NAMES)
def test_name_by_name_is_as_all_at_once(names: str) -> None:
    assert word_flags(names) == at_once(names)


def test_words_that_go_together_over_two_names() -> None:
    assert word_flags("right") == 0 == word_flags("col")
    assert word_flags("x-right col-3") == Flag.SIDE_WORD == word_flags("right -- col")
    assert word_flags("read more") == Flag.RELATED_WORD
    assert word_flags("ad") == word_flags("ads-top") == Flag.AD_WORD
    assert word_flags("ad" * 300) == at_once("ad" * 300)
