"""Folds keep publishers whole and corpora even."""

from hypothesis import given
from hypothesis import strategies as st

from training.dataset import FOLDS, balanced_folds

PAGES = st.dictionaries(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("abcdefghijkl")), st.integers(1, 40), min_size=1
)


@given(PAGES)
def test_every_publisher_has_one_fold_and_none_has_all(pages):
    folds = balanced_folds(pages)
    assert set(folds) == {publisher for _, publisher in pages}
    assert set(folds.values()) <= set(range(FOLDS))
    assert folds == balanced_folds(dict(reversed(pages.items())))
    if len(folds) >= FOLDS:
        assert len(set(folds.values())) > 1
