"""Groups: a kept text, and the keys that were dropped as copies of it."""

from __future__ import annotations

from dataclasses import dataclass

from denoise_scrapy.dedup.store import Name, Store


@dataclass(frozen=True, slots=True)
class Group:
    """A kept key, and those that were dropped for it.

    Attributes:
        kept: Key of the kept text.
        scope: The scope of all.
        copies: Dropped keys, those dropped last at the end.

    Example:
        >>> Group("/a", "", ("/b", "/c")).members
        ('/a', '/b', '/c')

    """

    kept: str
    scope: str
    copies: tuple[str, ...]

    @property
    def members(self) -> tuple[str, ...]:
        """All keys, the kept one first."""
        return (self.kept, *self.copies)


def group_of(store: Store, key: str, scope: str) -> Group | None:
    """Return the group of a key, be it the kept one or a dropped one; None where nothing was dropped for it."""
    copy = store.copy_named(Name(key, scope))
    kept = key if copy is None else copy.kept
    copies = tuple(one.key for one in store.copies(Name(kept, scope)))
    return Group(kept, scope, copies) if copies else None


def all_groups(store: Store) -> list[Group]:
    """Return all groups, the largest first; they take some 200 bytes a copy."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in store.copies():
        found.setdefault((one.kept, one.scope), []).append(one.key)
    groups = [Group(kept, scope, tuple(copies)) for (kept, scope), copies in found.items()]
    return sorted(groups, key=lambda one: (-len(one.copies), one.scope, one.kept))
