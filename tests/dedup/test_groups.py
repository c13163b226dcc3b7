"""Groups: what an index remembers of the keys that it dropped."""

import sqlite3

import pytest

from denoise_scrapy.dedup import DuplicateIndex, Group, SQLiteStore
from tests.dedup.made_texts import english

A, B = " ".join(english(1, 300)), " ".join(english(2, 300))


def test_a_group_is_found_by_any_of_its_keys() -> None:
    with DuplicateIndex(remember_copies=10) as index:
        for key, text in (("a", A), ("b", B), ("a1", A), ("a2", A), ("b1", B)):
            index.check_and_add(key, text, scope="s")
        assert index.group("a", "s") == index.group("a2", "s") == Group("a", "s", ("a1", "a2"))
        assert [one.members for one in index.groups()] == [("a", "a1", "a2"), ("b", "b1")]
        assert index.group("a") is None and index.group("none", "s") is None
        with pytest.raises(ValueError, match="key"):
            index.group("")


@pytest.mark.parametrize("value", [-1, 1.5, True, None])
def test_the_bound_is_a_number(value: object) -> None:
    with pytest.raises(ValueError, match="remember_copies"):
        DuplicateIndex(remember_copies=value)  # type: ignore[arg-type]


def test_a_key_leaves_its_group_when_it_is_kept_moved_or_removed() -> None:
    with DuplicateIndex(remember_copies=10) as index:
        index.add("a", A)
        index.add("b", B)
        for key in ("kept", "moved", "removed"):
            index.check_and_add(key, A)
        index.check_and_add("kept", " ".join(english(3, 300)))
        index.check_and_add("moved", B)
        assert not index.remove("removed")
        assert index.group("a") is None
        assert index.group("moved") == Group("b", "", ("moved",))


def test_a_copy_of_a_claimed_text_is_none_before_that_is_settled() -> None:
    with DuplicateIndex(remember_copies=10) as index:
        a = index.check_and_add("a", A, claim=True)
        assert index.check_and_add("a1", A, claim=True).pending
        assert index.groups() == []
        index.settle(a.claim)
        assert index.check_and_add("a1", A, claim=True).duplicate
        assert index.group("a") == Group("a", "", ("a1",))


def test_a_text_seen_again_by_its_key_or_by_a_copy_is_new_again(tmp_path) -> None:
    store = SQLiteStore(tmp_path / "a.db")
    with DuplicateIndex(store=store) as index:
        index.add("a", A)
        index.add("b", B)
        for key, text in (("a", A), ("b1", B)):
            store.set_last_seen({1: 1000, 2: 1000})
            index.check(key, text)
            assert set(store.last_seen([1, 2]).values()) == {1000}
            index.check_and_add(key, text)
            assert sorted(store.last_seen([1, 2]).values())[0] == 1000
            assert sum(at > 1000 for at in store.last_seen([1, 2]).values()) == 1


def test_a_verdict_stands_though_its_copy_cannot_be_noted(tmp_path) -> None:
    with DuplicateIndex(store=SQLiteStore(tmp_path / "a.db", timeout=0), remember_copies=10) as index:
        index.add("a", A)
        with sqlite3.connect(tmp_path / "a.db", isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            assert index.check_and_add("a1", A).of == "a"
            other.execute("ROLLBACK")
        other.close()
        assert index.stats["unnoted"] == 1 and index.group("a") is None
        assert "locked" in str(index.note_error)
        index.check_and_add("a1", A)
        assert index.stats["unnoted"] == 1 and index.group("a") == Group("a", "", ("a1",))
        assert index.note_error is None
