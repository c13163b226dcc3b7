"""The contract of a store: a literal model of it, held beside a store through generated steps; and a few cases by hand.

The tests of every store inherit `StoreContract`.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from denoise_scrapy.dedup import Fingerprint, Group, Store
from denoise_scrapy.dedup.store import Name, Record, new_owner
from tests.dedup.made_texts import english

LONG = Fingerprint.of(" ".join(english(1, 3000)))
SHORT = Fingerprint.of("a few words")
EMPTY = Fingerprint.of("")
OLD = 1000.0  # seconds since the epoch
OWNERS = [new_owner(), new_owner()]
LATEST = st.integers(0, 3)  # how far from the end of the records, or of all ids


def put(store, key, fingerprint, scope="", group="", replaced=0, owner=""):
    """Keep a text as an index does that has seen all."""
    last = max((one.id for batch in store.newer(0) for one in batch), default=0)
    return store.put(Name(key, scope, group), fingerprint, last, replaced, owner).id


@dataclass
class Kept:
    """A record of the model; `copies` are keys that were dropped for it, with the number of the drop."""

    record: Record
    copies: dict[str, int]
    old: bool = False


class Machine(RuleBasedStateMachine):
    """A store and its literal model, a list that is looked through for every question."""

    def __init__(self, made: Callable[[], Store], *, remembers: bool) -> None:
        super().__init__()
        self.store, self.remembers = made(), remembers
        self.kept: list[Kept] = []
        self.last = self.drops = 0

    def teardown(self) -> None:
        self.store.close()
        self.store.close()

    def at(self, place: int) -> Kept | None:
        return self.kept[-1 - place] if place < len(self.kept) else None

    def forget(self, *gone: Kept) -> list[int]:
        self.kept = [one for one in self.kept if one not in gone]
        return [one.record.id for one in gone]

    @rule(
        name=st.builds(Name, st.sampled_from("abc"), st.sampled_from("st"), variant_of=st.sampled_from(["", "", "a"])),
        fingerprint=st.sampled_from([LONG, SHORT, EMPTY, replace(SHORT, title=b"\1\0\2\0", values=b"\0" * 16)]),
        stale=st.sampled_from([0, 0, 0, 0, 1, 3]),
        owner=st.sampled_from(["", *OWNERS]),
        version=st.binary(max_size=3),
    )
    def put(self, name, fingerprint, stale, owner, version) -> None:
        """What is newer is told; it may stop the text only where it is not known yet."""
        same = next((one for one in self.kept if one.record.name[:2] == name[:2]), None)
        seen = max(0, self.last - stale)
        newer = [one.record.listing for one in self.kept if one.record.id > seen]
        replaced = same.record.id if same else 0
        done = self.store.put(name, fingerprint, seen, replaced, owner, version)
        if not done.id:
            assert newer and list(done.newer) == newer
            return
        assert done.id > self.last and (not newer or list(done.newer) == newer)
        told = [one for one in newer if one.scope == name.scope]
        assert not any(one.key == name.key or one.digest == fingerprint.digest for one in told), "not judged against"
        self.last = done.id
        for one in self.kept:
            if one.record.name.scope == name.scope:
                one.copies.pop(name.key, None)
        copies = same.copies if same else {}
        self.kept = [one for one in self.kept if one is not same]
        self.kept.append(Kept(Record(done.id, name, fingerprint, owner, version), copies))

    @rule(place=LATEST)
    def remove(self, place) -> None:
        one = self.at(place)
        assert self.store.remove(one.record.id if one else self.last + 1) == (one is not None)
        self.forget(*[one] * (one is not None))

    @rule(place=LATEST, owner=st.sampled_from(OWNERS))
    def settle(self, place, owner) -> None:
        one = self.at(place)
        if one is not None:
            mine = one.record.owner == owner
            assert self.store.settle(one.record.id, owner) == mine
            one.record = one.record._replace(owner="") if mine else one.record

    @rule(place=LATEST, owner=st.sampled_from(OWNERS))
    def withdraw(self, place, owner) -> None:
        one = self.at(place)
        if one is not None:
            assert self.store.release(owner, one.record.id) == self.forget(*[one] * (one.record.owner == owner))

    @rule(owner=st.sampled_from(OWNERS))
    def release(self, owner) -> None:
        self.store.beat(owner)
        assert self.store.lives(owner)
        gone = self.forget(*[one for one in self.kept if one.record.owner == owner])
        assert sorted(self.store.release(owner)) == gone and not self.store.lives(owner)

    @rule(place=LATEST, key=st.sampled_from(["a", "b", "c", "ключ\n 2"]), most=st.sampled_from([0, 100, 100, 100]))
    def note(self, place, key, most) -> None:
        one = self.at(place)
        scope = one.record.name.scope if one else "s"
        self.store.note(one.record.id if one else self.last + 1, Name(key, scope, "group"), most)
        if one is None:
            return
        one.old = False
        if most:
            self.drops += 1
            for other in self.kept:
                if other.record.name.scope == scope:
                    other.copies.pop(key, None)
            one.copies[key] = self.drops

    @rule(key=st.sampled_from(["a", "b"]))
    def remove_copy(self, key) -> None:
        of = [one for one in self.kept if one.record.name.scope == "s" and key in one.copies]
        assert self.store.remove_copy(Name(key, "s")) == bool(of and self.remembers)
        for one in of:
            del one.copies[key]

    @rule(place=LATEST)
    def age(self, place) -> None:
        one = self.at(place)
        if one is not None:
            one.old = True
            self.store.set_last_seen({one.record.id: OLD, self.last + 1: OLD})

    @rule()
    def expire(self) -> None:
        if self.remembers:
            assert self.store.expire(OLD - 1, 100) == []
            old = self.forget(*[one for one in self.kept if one.old and not one.record.owner])
            assert sorted(self.store.expire(OLD + 1, 100)) == old

    @invariant()
    def it_has_what_the_model_has(self) -> None:
        records = [one.record for one in self.kept]
        assert self.store.get([one.id for one in records[::-1]]) == records
        assert list(self.store.records()) == [one._replace(owner="") for one in records]
        seen = max(0, self.last - 2)
        listings = [one for batch in self.store.newer(seen) for one in batch]
        assert listings == [one.listing for one in records if one.id > seen]
        assert list(self.store.variants()) == [one.name for one in records if one.name.variant_of]
        assert len(self.store) == len(records) and self.store.problems() == []

    @invariant()
    def it_remembers_what_the_model_remembers(self) -> None:
        if not self.remembers:
            return
        drops = sorted((drop, key, one.record.name) for one in self.kept for key, drop in one.copies.items())
        expected = [(key, name.scope, name.key) for _, key, name in drops]
        assert [one[:3] for one in self.store.copies()] == expected
        for _, key, name in drops[:1]:
            found = self.store.copy_named(Name(key, name.scope))
            assert found and found[:3] == (key, name.scope, name.key) and abs(found.time - time.time()) < 60
            assert (key, name.scope, name.key) in [one[:3] for one in self.store.copies(name._replace(group="x"))]
        times = self.store.last_seen(range(1, self.last + 2))
        assert [times[one.record.id] == OLD for one in self.kept] == [one.old for one in self.kept]
        assert all(at == OLD or abs(at - time.time()) < 60 for at in times.values()) and len(times) == len(self.kept)


class StoreContract:
    """What every store keeps to. A subclass has a fixture `made`, a function that makes a new, empty, open store.

    Attributes:
        remembers: False for a store that keeps neither dropped keys nor times.
    """

    remembers = True

    @pytest.fixture
    def store(self, made):
        with made() as store:
            yield store

    def test_it_does_what_the_model_does(self, made):
        slow = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
        how = settings(max_examples=60, stateful_step_count=30, deadline=None, suppress_health_check=slow)
        run_state_machine_as_test(lambda: Machine(made, remembers=self.remembers), settings=how)

    def test_gives_back_all_of_a_name_and_a_fingerprint(self, store: Store):
        name = Name("ключ", "s", "g", "a.example", "первый")
        full = replace(LONG, title=b"\x01\x00\x02\x00", values=b"\x00" * 16)
        assert all(field not in {b"", ""} for field in (*name, *(getattr(full, one.name) for one in fields(full))))
        number = store.put(name, full, 0, 0, "", bytes(range(256))).id
        assert store.get([number]) == list(store.records()) == [Record(number, name, full, "", bytes(range(256)))]
        assert store.get([]) == [] and store.get([999]) == [] and store.get([0]) == []

    def test_odd_names(self, store: Store):
        names = ["ключ", "'; DROP TABLE texts; --", "a\x00b", "x" * 5000]
        for name in names:
            put(store, name, SHORT, name, name)
        assert [record.name for record in store.records()] == [Name(name, name, name) for name in names]

    def test_groups_are_of_copies_and_variants(self, store: Store):
        names = [Name("a", "s"), Name("b", "s", variant_of="a"), Name("c", "s", "g", "x.example", "a"), Name("d", "s")]
        names += [Name("e", "s", variant_of="d"), Name("b", "t", variant_of="a"), Name("z", variant_of="a")]
        for last, name in enumerate(names):
            assert store.put(name, SHORT, last).id
        assert list(store.variants(Name("a", "s", "g2"))) == names[1:3]
        assert list(store.variants(Name("a"))) == names[6:] and list(store.variants(Name("b", "s"))) == []
        assert store.group("b", "s") == store.group("a", "s") == Group("a", "s", (), ("b", "c"))
        assert store.group("e", "s") == Group("d", "s", (), ("e",)) and store.group("none", "s") is None
        assert [one.members for one in store.groups()] == [("a", "b", "c"), ("a", "z"), ("d", "e"), ("a", "b")]

    def test_the_oldest_copies_are_forgotten_first(self, store: Store):
        kept = put(store, "a", LONG)
        for number in [*range(10), 5, 6]:
            store.note(kept, Name(f"a{number}"), 4)
        known = {one.key for one in store.copies()}
        assert not self.remembers or {"a5", "a6"} <= known <= {"a5", "a6", "a8", "a9"}

    def test_a_time_is_written_once_an_hour_at_most(self, store: Store):
        number, recent = put(store, "b", SHORT), int(time.time()) - 600
        store.set_last_seen({number: recent})
        store.note(number)
        assert not self.remembers or store.last_seen([number]) == {number: recent}
