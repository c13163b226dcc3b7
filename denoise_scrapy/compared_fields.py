"""Which fields of two items decide whether they are duplicates."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from denoise_scrapy.items import get_field


@dataclass(frozen=True, slots=True)
class ComparedFields:
    """The fields of DENOISE_DEDUP_FIELDS.

    Attributes:
        text: Field with the text to compare; "" for the body field.
        agree: Fields in which two items must agree to be duplicates.
        differ: Fields in which they must differ.
    """

    text: str = ""
    agree: tuple[str, ...] = ()
    differ: tuple[str, ...] = ()

    @classmethod
    def parse(cls, names: Sequence[str]) -> ComparedFields:
        """Read the setting.

        Args:
            names: Field names; "=" before those that must agree, "!" before those that must differ.

        Raises:
            ValueError: A name is missing, or there are two texts.

        Example:
            >>> ComparedFields.parse(["body", "=sku", "!seller"])
            ComparedFields(text='body', agree=('sku',), differ=('seller',))
        """
        parts: dict[str, list[str]] = {"": [], "=": [], "!": []}
        for name in names:
            sign = name[:1] if name[:1] in {"=", "!"} else ""
            field = name.removeprefix(sign).strip()
            if not field:
                raise ValueError(f"{name!r} names no field")
            parts[sign].append(field)
        if len(parts[""]) > 1:
            raise ValueError(
                f"one field holds the text to compare, not {len(parts[''])}; write '=' or '!' before others"
            )
        return cls("".join(parts[""]), agree=tuple(parts["="]), differ=tuple(parts["!"]))

    def scope(self, item: Any, site: str) -> str:
        """The scope of an item: its site, and what must agree."""
        return "\n".join([site, *_values(item, self.agree)])

    def group(self, item: Any) -> str:
        """The group of an item: what must differ; "" where nothing must."""
        return "\n".join(_values(item, self.differ))


def _values(item: Any, fields: Iterable[str]) -> list[str]:
    """The fields as text that is equal for equal values of any type."""
    return [f"{field}={json.dumps(get_field(item, field), default=str, sort_keys=True)}" for field in fields]
