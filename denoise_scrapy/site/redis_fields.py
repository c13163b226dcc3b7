"""A site as the fields of a Redis hash.

`version` (`StoredSite.version`); `head`, JSON: `StoredSite.head`, the order of its templates and facts; `t:` and a
template's name for each template; `f:` and a digest of its URL for each page of which facts are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import NamedTuple

from denoise_scrapy.page import PageFacts
from denoise_scrapy.site.known_site import MAX_FACTS
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.rows import FACTS_ARRAYS, TEMPLATE_ARRAYS, pack, unpack
from denoise_scrapy.site.site_tables import facts_of, facts_row, plain, template_of, template_row
from denoise_scrapy.site.stored_site import Merged

Fields = Mapping[bytes, bytes]


class Head(NamedTuple):
    """What stands under `head`.

    Attributes:
        text: All of it, as it is.
        order: Names of the templates, those saved longest ago first.
        facts: The template's name by the digest of each page's URL, oldest first.
    """

    text: bytes = b""
    order: tuple[str, ...] = ()
    facts: Mapping[str, str] = {}

    @classmethod
    def of(cls, text: bytes | None) -> Head:
        """Read a head.

        Raises:
            ValueError, TypeError, AttributeError: It is damaged.
        """
        told = json.loads(text) if text else {}
        facts = {str(digest): str(name) for digest, name in told.get("facts", [])}
        return cls(text or b"", tuple(map(str, told.get("order", []))), facts)


class Change(NamedTuple):
    """What a save changes of the fields.

    Attributes:
        put: Fields and values, one after the other.
        gone: Fields to delete.
    """

    put: list[str | bytes]
    gone: list[str]


def template_in(fields: Fields, name: str) -> LearnedTemplate:
    """The template of a name.

    Raises:
        ValueError, KeyError: It is damaged, or missing.
    """
    told, crc, blobs = unpack(fields[f"t:{name}".encode()], len(TEMPLATE_ARRAYS))
    return template_of((told, crc, *blobs))


def facts_in(fields: Fields, digest: str, name: str) -> tuple[str, PageFacts]:
    """Facts of a page and the name of its template.

    Raises:
        ValueError, KeyError: They are damaged, or missing.
    """
    url, crc, blobs = unpack(fields[f"f:{digest}".encode()], len(FACTS_ARRAYS))
    return facts_of((name, url, crc, *blobs))


def change_of(head: Head, merged: Merged) -> Change:
    """What a save changes.

    Args:
        head: The head as it was.
        merged: What becomes of the site.
    """
    put: dict[str, str | bytes] = {}
    for template in merged.written:
        told, _, *blobs = template_row(template)
        put[f"t:{template.name}"] = pack(blobs, told)
    facts = {digest: name for digest, name in head.facts.items() if name not in merged.gone}
    for name, page in merged.facts:
        digest = _digest(page.url)
        facts.pop(digest, None)  # the newest come last
        facts[digest] = name
    kept = _newest(facts)
    for name, page in merged.facts:
        if (digest := _digest(page.url)) in kept:
            _, url, _, *blobs = facts_row(name, page)
            put[f"f:{digest}"] = pack(blobs, url)
    order = [template.name for template in merged.site.templates]
    put["version"] = merged.site.version
    put["head"] = json.dumps({**merged.site.head(), "order": order, "facts": list(kept.items())})
    gone = [f"f:{digest}" for digest in head.facts if digest not in kept]
    gone += [f"t:{name}" for name in {*head.order, *merged.gone} - set(order)]
    return Change([part for item in put.items() for part in item], gone)


def _newest(facts: Mapping[str, str]) -> dict[str, str]:
    """The newest few pages of each template, oldest first."""
    kept: dict[str, str] = {}
    for digest, name in reversed(list(facts.items())):
        if list(kept.values()).count(name) < MAX_FACTS:
            kept[digest] = name
    return dict(reversed(kept.items()))


def _digest(url: str) -> str:
    return hashlib.blake2b(plain(url).encode(), digest_size=8).hexdigest()
