"""Flags of the words in class names, against plain string work."""

from functools import reduce
from operator import or_

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


@given(NAMES)
def test_words_that_may_be_among_them_are_looked_for(names: str) -> None:
    words = markup._NOT_A_LETTER.sub(" ", markup._CAMEL.sub(" ", names[:MAX_WORDS_LENGTH])).lower()
    found = [Flag[str(match.lastgroup)] for match in markup._WORD_PATTERN.finditer(words)]
    assert word_flags(names) == reduce(or_, found, Flag(0))
    assert word_flags("x-right col-3") == Flag.SIDE_WORD != word_flags("right")
    assert word_flags("İads") == Flag.AD_WORD
