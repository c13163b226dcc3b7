"""Selectors of style sheets: those that are read at once, against cssselect."""

from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page.styles import _PLAIN, plain_selector, read_selectors

NAMES = st.sampled_from(["a", "div", "html", "Body", "x-1", "_y", "-z"])
PARTS = st.builds(
    lambda tag, marks: (tag + "".join(mark + name for mark, name in marks)) or "*",
    st.one_of(st.just(""), NAMES, st.just("*")),
    st.lists(st.tuples(st.sampled_from(".#"), NAMES), max_size=3),
)


@given(
    parts=st.lists(PARTS, min_size=1, max_size=4),
    between=st.lists(st.sampled_from([" ", ">", " > ", "\t"]), min_size=3),
)
def test_plain_selectors_are_read_as_cssselect_reads_them(parts, between):
    text = parts[0] + "".join(mark + part for mark, part in zip(between, parts[1:], strict=False))
    assert _PLAIN.fullmatch(text)
    assert [plain_selector(text)] == read_selectors(text)


@given(text=st.text("aB1.#>* -_\\:[]()+~é\n", max_size=12))
def test_nothing_else_counts_as_plain(text):
    if _PLAIN.fullmatch(text):
        assert [one[0] for one in read_selectors(text)] == [plain_selector(text)[0]]
