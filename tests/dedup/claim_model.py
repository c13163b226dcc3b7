"""The literal model of claims: a list of records, looked through from its start for every question."""

from dataclasses import dataclass, field

from denoise_scrapy.dedup import CLAIM_SECONDS
from tests.dedup.made_texts import english

FAMILIES, COPIES = 2, 2  # few, so that they meet often


def family_of(seed: int) -> list[str]:
    """Near copies of each other."""
    words = english(seed, 60)
    return [" ".join([f"byline{copy}", *words[1:]]) for copy in range(COPIES)]


TEXTS = [family_of(seed) for seed in range(FAMILIES)]


@dataclass
class Kept:
    """A kept text; `owner` is None when it is settled."""

    key: str
    text: tuple[int, int]
    owner: object
    number: int


@dataclass
class Owner:
    """What one index knows: the texts of its items on their way, by key, since none of that key was."""

    way: dict[str, list[int]] = field(default_factory=dict)
    left: dict[str, int] = field(default_factory=dict)
    claimed: dict[str, int] = field(default_factory=dict)
    beat: float = float("-inf")

    def pass_on(self, key: str, number: int, claimed: int) -> None:
        self.way.setdefault(key, []).append(number)
        self.left[key] = self.left.get(key, 0) + 1
        self.claimed[key] = claimed

    def arrive(self, key: str) -> None:
        self.left[key] -= 1
        if not self.left[key]:
            del self.left[key], self.way[key], self.claimed[key]


class Model:
    """All indexes on one store. `alone`: the store of one index, which is not told of time."""

    def __init__(self, alone: bool = False):
        self.kept: list[Kept] = []
        self.clock = 0.0
        self.alone = alone
        self.given = 0

    def is_dead(self, owner: Owner) -> bool:
        return not self.alone and self.clock - owner.beat >= CLAIM_SECONDS

    def release(self, owner: Owner) -> None:
        self.kept = [one for one in self.kept if one.owner is not owner]

    def open(self) -> Owner:
        for one in list(self.kept):
            if one.owner is not None and self.is_dead(one.owner):
                self.release(one.owner)
        return Owner()

    def base(self, me: Owner, key: str, text: tuple[int, int]) -> Kept | None:
        """What the answer rests on: the same item, the same words, a near copy; nothing of the dead."""
        tests = (
            lambda one: one.key == key,
            lambda one: one.text == text,
            lambda one: one.text[0] == text[0],
        )
        while True:
            found = next((one for test in tests for one in self.kept if test(one)), None)
            if found is None or found.owner in (None, me) or not self.is_dead(found.owner):
                return found
            self.release(found.owner)

    def check_and_add(self, me: Owner, key: str, text: tuple[int, int], claim: bool, keep: bool = True) -> tuple:
        """Duplicate, of, pending, updated."""
        base = self.base(me, key, text)
        if base is not None and base.key != key:
            return (True, base.key, base.owner is not None, False)
        same = base is not None and base.text == text
        if keep and same:
            self.repeat(me, base, claim)
        elif keep:
            self.put(me, key, text, claim)
        return (False, None, False, base is not None and not same)

    def repeat(self, me: Owner, same: Kept, claim: bool) -> None:
        if claim:
            me.pass_on(same.key, same.number, same.number if same.owner is me else 0)
        elif same.owner is not None:
            same.owner = None
            if same.key in me.claimed:
                me.claimed[same.key] = 0

    def put(self, me: Owner, key: str, text: tuple[int, int], claim: bool) -> None:
        self.given += 1
        self.kept = [one for one in self.kept if one.key != key]
        self.kept.append(Kept(key, text, me if claim else None, self.given))
        if claim:
            me.beat = self.clock
            me.pass_on(key, self.given, self.given)
        elif key in me.claimed:
            me.claimed[key] = 0

    def mine(self, me: Owner, key: str) -> Kept | None:
        return next((one for one in self.kept if one.owner is me and one.number == me.claimed.get(key)), None)

    def settle(self, me: Owner, key: str) -> bool:
        if key not in me.left:
            return False
        unclear = len(set(me.way[key])) > 1 and me.left[key] > 1
        found = None if unclear else self.mine(me, key)
        if found is not None:
            found.owner = None
        if not unclear:
            me.claimed[key] = 0
        me.arrive(key)
        return found is not None

    def withdraw(self, me: Owner, key: str) -> bool:
        if key not in me.left:
            return False
        found = self.mine(me, key)
        if found is not None:
            self.kept.remove(found)
        me.claimed[key] = 0
        me.arrive(key)
        return found is not None

    def beat(self, me: Owner) -> None:
        if any(me.claimed.values()):
            me.beat = self.clock

    def remove(self, me: Owner, key: str) -> bool:
        found = [one for one in self.kept if one.key == key]
        self.kept = [one for one in self.kept if one.key != key]
        if found and key in me.claimed:
            me.claimed[key] = 0
        return bool(found)
