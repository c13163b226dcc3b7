"""Interned element paths: what depends only on where an element stands is computed once a site.

A path is (parent path, tag, class, id, role, hidden). Digits are taken out of class and id before
interning, so that `post-1234` makes no new path on every page, and so that two pages of one template meet.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import lru_cache
from zlib import crc32

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.markup import (
    CONTAINER_TAGS,
    CONTENT_TAGS,
    SKIPPED_TAGS,
    Flag,
    is_block_tag,
    style_hides,
    tag_flags,
    word_flags,
)

_DIGITS = re.compile(r"\d+")
#: Class and id values longer than this are cut: front-end frameworks write pages of class names.
MAX_NAME_LENGTH = 200
#: A table with more paths is not used for further pages (about 20 MB); its pages keep it alive.
MAX_PATHS = 100_000

ROOT_TAGS = frozenset({"html", "body"})
#: Attributes beside the class that make another path of an element.
_RARE_NAMES = frozenset(["id", "role", "itemprop", "style", "hidden"])

#: dtype of each column of the table, indexed by path id.
COLUMNS: dict[str, type[np.generic]] = {
    "parent": np.int32,  # path id of the parent; the virtual root (0) is its own
    "depth": np.int32,  # 0 is the virtual root, 1 html
    "tag": np.uint32,  # crc32 of the string, 0 for none: equal where the strings are, in every table
    "class_": np.uint32,
    "id": np.uint32,
    "token": np.uint64,  # hash of (tag, class, id), the same in every process
    "key": np.uint64,  # hash of the path of such tokens, the same in every process
    "shape": np.uint64,  # the same without ids, which are a page's own at times: section#how-to-install
    "own_flags": np.int32,  # Flag bits of the element itself
    "flags": np.int32,  # and of all its ancestors too
    "block": np.bool_,  # ends a block of text
    "block_path": np.int32,  # nearest block-level path, itself included
    "container": np.bool_,  # a frame of the layout
    "content": np.bool_,  # Song's content tags
    "br": np.bool_,
    "skipped": np.bool_,  # shows nothing: its subtree is not read, but for a noscript's at times
    "markup": np.int32,  # characters of its start and end tags, without URLs
}


@lru_cache(maxsize=16_384)
def _without_digits(name: str) -> str:
    return " ".join(_DIGITS.sub("", name[:MAX_NAME_LENGTH]).split())


@lru_cache(maxsize=16_384)
def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def name_code(text: str) -> int:
    """The code of a tag, class or id in the columns, 0 for none."""
    return crc32(text.encode("utf-8", "replace"))


def _chain(above: np.generic, own: int) -> int:
    return (int(above) * 0x9E3779B97F4A7C15 + own) & 0xFFFFFFFFFFFFFFFF


@lru_cache(maxsize=16_384)
def _names_flags(tag: str, names: str) -> Flag:
    # the root elements carry words for the whole site ("has-sidebar"): they say nothing of a block
    return Flag(0) if tag in ROOT_TAGS else word_flags(names)


class PathTable:
    """The interned paths of one site's pages, with a numpy column for each fact about a path.

    Pages parsed with one table share its work; pages of different tables still compare, for what crosses
    pages are the columns `key` and `token`, which do not depend on the table.
    """

    def __init__(self) -> None:
        self.columns: dict[str, npt.NDArray[np.generic]] = {
            name: np.zeros(256, dtype) for name, dtype in COLUMNS.items()
        }
        self.parent: list[int] = [0]  # plain lists beside the columns: the event loop reads single values
        self.skipped: list[str] = [""]  # the tag where the path's subtree is skipped, else ""
        self.start_marks: list[str] = [""]  # what the marked string gets where such an element starts
        self.tags: list[str] = [""]
        self._steps: list[str] = [""]  # "div#main.story"
        self.transitions: dict[tuple[object, ...], int] = {}

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def full(self) -> bool:
        """Whether further pages should get a new table."""
        return len(self.parent) > MAX_PATHS or len(self.transitions) > 4 * MAX_PATHS

    def child(self, path: int, tag: str, attributes: Mapping[str, str]) -> int:
        """Path id of a child element of `path`, interned where it is new."""
        class_ = attributes.get("class")
        if _RARE_NAMES.isdisjoint(attributes):  # 87% of those with attributes: .27 µs in place of .32
            short = (path, tag) if class_ is None else (path, tag, class_)
            found = self.transitions.get(short)
            if found is None:
                found = self.transitions[short] = self._intern((path, tag, class_, None, None, None, False))
            return found
        style = attributes.get("style")
        hides = "hidden" in attributes or (style is not None and style_hides(style))
        raw = (path, tag, class_, attributes.get("id"), attributes.get("role"), attributes.get("itemprop"), hides)
        found = self.transitions.get(raw)
        if found is None:
            found = self.transitions[raw] = self._intern(raw)
        return found

    def describe(self, path: int) -> str:
        """The path as people read it: `html/body/div#main.story/p`."""
        steps = []
        while path:
            steps.append(self._steps[path])
            path = self.parent[path]
        return "/".join(reversed(steps))

    def step(self, path: int) -> str:
        """The path's last step: `div#main.story`."""
        return self._steps[path]

    def _intern(self, raw: tuple[int, str, str | None, str | None, str | None, str | None, bool]) -> int:
        path, tag, class_, id_, role, itemprop, hides = raw
        names = _without_digits(class_ or ""), _without_digits(id_ or "")
        key = (
            path,
            tag,
            *names,
            role,
            hides,
            None,
        )  # one longer than a raw key: the two never meet
        found = self.transitions.get(key)
        if found is None:
            flags = tag_flags(tag, role) | (Flag.HIDDEN if hides else Flag(0))
            words = " ".join(filter(None, (*names, role, itemprop)))
            if words:
                flags |= _names_flags(tag, words)
            found = self.transitions[key] = self._append(path, tag, *names, flags)
        return found

    def _append(self, parent: int, tag: str, class_: str, id_: str, flags: Flag) -> int:
        columns, new = self.columns, len(self.parent)
        if new == len(columns["parent"]):
            for name, column in columns.items():
                columns[name] = np.concatenate([column, np.zeros_like(column)])
        token = _hash(f"{tag}\0{class_}\0{id_}")
        # names of the root elements tell of the page ("category-sports"), and would part all paths below
        in_key, in_shape = (_hash(tag),) * 2 if tag in ROOT_TAGS else (token, _hash(f"{tag}\0{class_}"))
        block = is_block_tag(tag)
        values: dict[str, int | bool | np.generic] = {
            "parent": parent,
            "depth": columns["depth"][parent] + 1,
            "tag": name_code(tag),
            "class_": name_code(class_),
            "id": name_code(id_),
            "token": token,
            "key": _chain(columns["key"][parent], in_key),
            "shape": _chain(columns["shape"][parent], in_shape),
            "own_flags": int(flags),
            "flags": int(columns["flags"][parent]) | int(flags),
            "block": block,
            "block_path": new if block else columns["block_path"][parent],
            "container": tag in CONTAINER_TAGS,
            "content": tag in CONTENT_TAGS,
            "br": tag == "br",
            "skipped": tag in SKIPPED_TAGS,
            "markup": 2 * len(tag) + 5 + (len(class_) + 9) * bool(class_) + (len(id_) + 6) * bool(id_),
        }
        for name, value in values.items():
            columns[name][new] = value
        self.parent.append(parent)
        self.skipped.append(tag if tag in SKIPPED_TAGS else "")
        self.start_marks.append("\x01\x0b" if tag == "br" else "\x01")
        self.tags.append(tag)
        self._steps.append(tag + (f"#{id_}" if id_ else "") + "".join(f".{c}" for c in class_.split()))
        return new
