"""Which response an item came from, for every kind of item, hashable or not."""

from __future__ import annotations

import weakref
from typing import Any

from scrapy.http import Response


class _Link:
    """An item and its changed copies, held so that no id is given to another object meanwhile."""

    def __init__(self, item: Any, response: weakref.ref[Response]):
        self.items = [item]
        self.response = response


class ItemLinks:
    """A table from the identity of an item to the response it was made from.

    An entry ends when the item has left the pipelines, at the latest when its response is gone:
    the engine holds the response until then.
    """

    def __init__(self) -> None:
        self._links: dict[int, _Link] = {}

    def __len__(self) -> int:
        return len(self._links)

    def add(self, item: Any, response: Response) -> None:
        """Note that `item` was made from `response`."""
        self.forget(item)  # the same object may be yielded again, from another page
        key = id(item)
        self._links[key] = _Link(item, weakref.ref(response, lambda _: self._forget_id(key)))

    def add_copy(self, item: Any, copy: Any) -> None:
        """Let `copy` stand for `item` from now on, beside it."""
        link = self._links.get(id(item))
        if link is not None and copy is not item:
            link.items.append(copy)
            self._links[id(copy)] = link

    def response(self, item: Any) -> Response | None:
        """Return the response `item` was made from, None where that is not known."""
        link = self._links.get(id(item))
        return None if link is None else link.response()

    def objects(self, item: Any) -> list[Any]:
        """Return `item`, and the other objects that it was or is on its way."""
        link = self._links.get(id(item))
        others = [] if link is None else [each for each in link.items if each is not item]
        return [item, *others]

    def forget(self, item: Any) -> None:
        """Drop the entry of `item` and its copies, if there is one."""
        self._forget_id(id(item))

    def _forget_id(self, key: int) -> None:
        link = self._links.pop(key, None)
        if link is not None:
            for item in link.items:
                self._links.pop(id(item), None)
