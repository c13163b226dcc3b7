"""What an index has claimed, and how many of its items are still on their way."""

from __future__ import annotations

from dataclasses import dataclass

from denoise_scrapy.dedup.store import Name


@dataclass(slots=True)
class _Claim:
    """Items of one key on their way.

    Attributes:
        number: Id of the claimed text; 0 where nothing is claimed. The store knows whether it still is.
        items: How many of them there are.
        mixed: Whether they have had several texts, so that the end of one does not tell whose end it is.

    """

    number: int = 0
    items: int = 0
    mixed: bool = False


class Claims:
    """Claims of one index by key and scope. Holds what is on its way, nothing of what has arrived.

    Items are told apart by key alone. Where two of one key are on their way with different texts, the later text is
    only final when both have arrived: in doubt a text is forgotten, which costs a copy, not an item.

    Example:
        >>> claims = Claims()
        >>> claims.pass_on(Name("/a"), 7, new=True)
        >>> claims.number(Name("/a"), delivered=True)
        7
        >>> claims.end(Name("/a"))
        >>> claims.held
        False

    """

    def __init__(self) -> None:
        self._claims: dict[tuple[str, str], _Claim] = {}

    @property
    def held(self) -> bool:
        """Whether any text may be claimed."""
        return any(claim.number for claim in self._claims.values())

    def pass_on(self, name: Name, number: int, *, new: bool) -> None:
        """Note that an item is on its way.

        Args:
            name: Its name.
            number: Id of its text where this index has claimed it, else 0.
            new: Whether its text was kept just now; False for one that was kept already.

        """
        claim = self._claims.setdefault(name[:2], _Claim())
        claim.mixed = claim.mixed or (new and claim.items > 0)
        claim.number = number
        claim.items += 1

    def number(self, name: Name, *, delivered: bool) -> int:
        """Give the id of the text that is to be settled or withdrawn when an item ends; 0 for none."""
        claim = self._claims.get(name[:2])
        if claim is None or (delivered and claim.mixed and claim.items > 1):
            return 0
        return claim.number

    def end(self, name: Name) -> None:
        """Note that an item is no longer on its way, after `number` was settled or withdrawn."""
        claim = self._claims.get(name[:2])
        if claim is None:
            return
        claim.items -= 1
        if not claim.items:
            del self._claims[name[:2]]
