"""The contract of a store, as tests that the tests of every store inherit."""

import time
from dataclasses import fields, replace

from denoise_scrapy.dedup import Fingerprint, Group, Store
from denoise_scrapy.dedup.store import Name, Record, new_owner
from tests.dedup.made_texts import english

LONG = Fingerprint.of(" ".join(english(1, 3000)))
SHORT = Fingerprint.of("a few words")
EMPTY = Fingerprint.of("")


def put(store, key, fingerprint, scope="", group="", replaced=0, owner=""):
    """Keep a text as an index does that has seen all."""
    last = max((one.id for batch in store.newer(0) for one in batch), default=0)
    return store.put(Name(key, scope, group), fingerprint, last, replaced, owner).id


def vars_of(fingerprint):
    return [getattr(fingerprint, one.name) for one in fields(fingerprint)]


class StoreContract:
    """What every store keeps to. A subclass has a fixture `store`: a new one, empty and open."""

    def test_gives_back_what_it_took(self, store: Store):
        prints = (LONG, SHORT, EMPTY)
        ids = [put(store, f"k{i}", f, "s", "g") for i, f in enumerate(prints)]
        given = [Record(n, Name(f"k{i}", "s", "g"), f) for i, (n, f) in enumerate(zip(ids, prints, strict=True))]
        assert store.get(ids[::-1]) == given
        assert store.get([]) == [] and store.get([999]) == [] and store.get([0]) == []
        assert list(store.records()) == given
        assert len(store) == 3 and store.problems() == []
        listings = [one.listing for one in given]
        assert [one for batch in store.newer(0) for one in batch] == listings
        assert [one for batch in store.newer(ids[0]) for one in batch] == listings[1:]
        assert list(store.newer(ids[2])) == []

    def test_gives_back_all_of_a_name_and_a_fingerprint(self, store: Store):
        name = Name("ключ", "s", "g", "a.example", "первый")
        full = replace(LONG, title=b"\x01\x00\x02\x00", values=b"\x00" * 16)
        assert all(field not in {b"", ""} for field in (*name, *vars_of(full)))
        number = store.put(name, full, 0).id
        assert store.get([number]) == list(store.records()) == [Record(number, name, full)]

    def test_ids_grow_and_never_come_back(self, store: Store):
        first = put(store, "a", LONG)
        assert store.remove(first)
        second = put(store, "b", LONG)
        assert first < second
        assert [one.id for one in store.get([first, second])] == [second]

    def test_put_replaces_within_a_scope(self, store: Store):
        old, other = put(store, "a", LONG, "x"), put(store, "a", LONG, "y")
        new = put(store, "a", SHORT, "x", replaced=old)
        assert [one.id for one in store.get([old, other, new])] == [other, new]
        assert len(store) == 2

    def test_remove_tells_whether_it_was_there(self, store: Store):
        number = put(store, "a", LONG, "x")
        assert not store.remove(number + 1)
        assert store.remove(number)
        assert not store.remove(number)
        assert len(store) == 0

    def test_nothing_is_kept_before_what_is_newer_was_seen(self, store: Store):
        first = put(store, "a", LONG)
        refused = store.put(Name("b"), LONG, 0)
        assert refused.id == 0 and [one.id for one in refused.newer] == [first]
        assert store.put(Name("b"), LONG, first).id > first
        assert len(store) == 2

    def test_odd_names(self, store: Store):
        names = ["ключ", "'; DROP TABLE texts; --", "a\x00b", "x" * 5000]
        for name in names:
            put(store, name, SHORT, name, name)
        assert [record.name for record in store.records()] == [Name(name, name, name) for name in names]

    def test_variants_are_listed_with_what_they_are_variants_of(self, store: Store):
        names = [Name("a", "s"), Name("b", "s", variant_of="a"), Name("c", "s", "g", "x.example", "a"), Name("d", "s")]
        names += [Name("e", "s", variant_of="d"), Name("b", "t", variant_of="a"), Name("z", variant_of="a")]
        ids = [store.put(name, SHORT, last).id for last, name in enumerate(names)]
        assert list(store.variants()) == [name for name in names if name.variant_of]
        assert list(store.variants(Name("a", "s", "g2"))) == names[1:3]
        assert list(store.variants(Name("a"))) == names[6:] and list(store.variants(Name("b", "s"))) == []
        assert store.group("b", "s") == store.group("a", "s") == Group("a", "s", (), ("b", "c"))
        assert store.group("e", "s") == Group("d", "s", (), ("e",)) and store.group("none", "s") is None
        assert [one.members for one in store.groups()] == [("a", "b", "c"), ("a", "z"), ("d", "e"), ("a", "b")]
        new = store.put(names[1]._replace(variant_of=""), LONG, ids[-1], ids[1]).id
        assert new and store.remove(ids[2]) and list(store.variants(names[0])) == []

    def test_a_version_is_given_back_as_it_came(self, store: Store):
        version = bytes(range(256))
        number = store.put(Name("a"), LONG, 0, 0, "", version).id
        new = store.put(Name("a"), SHORT, number, number, new_owner(), version[1:]).id
        assert [one.version for one in store.get([new])] == [one.version for one in store.records()] == [version[1:]]

    def test_what_is_old_and_settled_is_forgotten(self, store: Store):
        ids = [put(store, f"k{i}", SHORT) for i in range(5)]
        claimed = put(store, "claimed", LONG, owner=new_owner())
        if not store.last_seen(ids):
            return
        store.set_last_seen({**dict.fromkeys(ids[:4], 1000.0), claimed: 1000.0})
        assert store.expire(999.0, 10) == []
        gone = store.expire(2000.0, 3)
        assert len(gone) == 3 and sorted(gone + store.expire(2000.0, 3)) == ids[:4]
        assert [one.id for one in store.records()] == [ids[4], claimed] and store.problems() == []

    def test_close_twice(self, store: Store):
        store.close()
        store.close()

    def test_a_claim_is_settled_or_withdrawn_by_its_owner(self, store: Store):
        mine, other = new_owner(), new_owner()
        first, second = put(store, "a", LONG, owner=mine), put(store, "b", SHORT, owner=mine)
        assert [one.owner for one in store.get([first, second])] == [mine, mine]
        assert [one.owner for one in store.records()] == ["", ""]
        assert not store.settle(first, other) and not store.release(other, first)
        assert store.settle(first, mine) and not store.settle(first, mine) and not store.release(mine, first)
        assert store.release(mine, second) and not store.release(mine, second) and not store.settle(second, mine)
        assert [(one.id, one.owner) for one in store.get([first, second])] == [(first, "")]
        assert len(store) == 1 and store.problems() == []

    def test_a_released_owner_leaves_what_is_settled(self, store: Store):
        mine, other = new_owner(), new_owner()
        settled, claimed = put(store, "a", LONG, owner=mine), put(store, "b", SHORT, owner=mine)
        theirs = put(store, "c", EMPTY, owner=other)
        assert store.settle(settled, mine)
        store.beat(mine)
        assert store.lives(mine)
        assert store.release(mine) == [claimed] and store.release(mine) == []
        assert [one.id for one in store.get([settled, claimed, theirs])] == [settled, theirs]

    def test_a_claimed_text_is_removed_or_replaced_with_its_claim(self, store: Store):
        mine = new_owner()
        gone, old = put(store, "a", LONG, owner=mine), put(store, "b", LONG, owner=mine)
        assert store.remove(gone)
        new = put(store, "b", SHORT, replaced=old)
        assert store.release(mine) == [] and [one.id for one in store.get([gone, old, new])] == [new]


class CopiesContract:
    """What a store keeps to that remembers dropped keys and times; one's own need not."""

    def test_copies_are_remembered_with_the_kept_one(self, store: Store):
        a, b = put(store, "a", LONG, "s"), put(store, "b", SHORT, "s")
        for key, kept in (("a1", a), ("b1", b), ("a2", a), ("ключ\n 2", a), ("a1", b)):
            store.note(kept, Name(key, "s", "group"), 100)
        store.note(a, Name("other", "s"), 0)
        store.note(999, Name("of nothing", "s"), 100)
        assert [(one.key, one.kept) for one in store.copies()] == [
            ("b1", "b"),
            ("a2", "a"),
            ("ключ\n 2", "a"),
            ("a1", "b"),
        ]
        assert [one.key for one in store.copies(Name("a", "s", "x"))] == ["a2", "ключ\n 2"]
        assert list(store.copies(Name("a"))) == [] and store.copy_named(Name("a1")) is None
        copy = store.copy_named(Name("a2", "s"))
        assert copy and copy[:3] == ("a2", "s", "a") and abs(copy.time - time.time()) < 60
        assert store.remove_copy(Name("a2", "s")) and not store.remove_copy(Name("a2", "s"))
        assert store.copy_named(Name("a2", "s")) is None
        assert store.problems() == []

    def test_the_oldest_copies_are_forgotten_first(self, store: Store):
        kept = put(store, "a", LONG)
        for number in [*range(10), 5, 6]:
            store.note(kept, Name(f"a{number}"), 4)
        assert {"a5", "a6"} <= {one.key for one in store.copies()} <= {"a5", "a6", "a8", "a9"}

    def test_a_group_ends_with_its_text_and_outlives_its_updates(self, store: Store):
        mine = new_owner()
        removed, updated = put(store, "removed", LONG, "s"), put(store, "updated", LONG, "s")
        withdrawn, released = put(store, "w", LONG, "s", owner=mine), put(store, "r", LONG, "s", owner=mine)
        for number, key in ((removed, "1"), (updated, "2"), (withdrawn, "3"), (released, "4"), (updated, "5")):
            store.note(number, Name(key, "s"), 100)
        assert store.remove(removed) and store.release(mine, withdrawn) and store.release(mine) == [released]
        put(store, "updated", SHORT, "s", replaced=updated)
        assert [(one.key, one.kept) for one in store.copies()] == [("2", "updated"), ("5", "updated")]
        put(store, "2", EMPTY, "s")
        put(store, "5", EMPTY)  # of another scope
        assert [one.key for one in store.copies(Name("updated", "s"))] == ["5"]
        assert store.problems() == []

    def test_times_are_those_of_the_last_sight(self, store: Store):
        first, second = put(store, "a", LONG), put(store, "b", SHORT)
        if not store.last_seen([first]):
            return
        assert all(abs(at - time.time()) < 60 for at in store.last_seen([first, second, 999]).values())
        store.set_last_seen({first: 1000.0, 999: 1000.0})
        assert store.last_seen([first, 999]) == {first: 1000.0}
        store.note(first)
        assert abs(store.last_seen([first])[first] - time.time()) < 60
        recent = int(time.time()) - 600
        store.set_last_seen({second: recent})
        store.note(second)
        assert store.last_seen([second]) == {second: recent}, "written once an hour at most"
        third = put(store, "b", LONG, replaced=second)
        assert [*store.last_seen([second, third])] == [third]
