"""The features in plain Python, as slow as they are plain: what the compiled ones are held to."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from denoise_scrapy.core.characters import CJK, DIGIT, STOP, UPPER
from denoise_scrapy.core.features import COMMENTS_BIT, FAMILIES, META_BIT, read_words
from denoise_scrapy.core.markup import Flag
from denoise_scrapy.core.tree import Tree

FAR, LEVELS = 20, 8
NAN = math.nan
Values = Iterator[float]


class Literal:
    """A page of m blocks, its comparison pages, and all features of a block; those of words alone are elsewhere."""

    def __init__(self, tree: Tree, compared: Any, *declares: bool) -> None:
        self.declares_article, self.declares_forum = declares
        self.blocks: list[Any] = list(tree.block_rows)
        self.elements: list[Any] = list(tree.element_rows)
        self.own = [int(tree.token_rows["own"][one["token"]]) for one in self.elements]
        self.tags = tree.tags()
        self.m, self.n = len(self.blocks), len(self.elements)
        self.compared = compared
        self.words = read_words(tree)
        self.titles = np.flatnonzero(self.words.titles).tolist()
        self.whole = max(1, self.sum(range(self.m), "tokens"))
        self.long_words = [
            [int(word["number"]) >> 16 for word in tree.word_rows if word["block"] == i and word["number"] & 1]
            for i in range(self.m)
        ]
        self.box, self.first, self.last = self.story()

    def sum(self, blocks: Any, column: str) -> int:
        return sum(int(self.blocks[i][column]) for i in blocks)

    def inside(self, element: int) -> list[int]:
        """Blocks in an element."""
        return [i for i in range(self.m) if element <= self.blocks[i]["element"] < self.elements[element]["end"]]

    def above(self, block: int) -> list[int]:
        """The element of a block, and those above it."""
        found = [int(self.blocks[block]["element"])]
        while self.elements[found[-1]]["parent"] >= 0:
            found.append(int(self.elements[found[-1]]["parent"]))
        return found

    def up(self, block: int, levels: int) -> list[int]:
        """Blocks in the element so many levels above a block's; the top stays the top."""
        above = self.above(block)
        return self.inside(above[min(levels, len(above) - 1)])

    def story(self) -> tuple[list[int], int, int]:
        """Blocks of the element with the highest F of the page's own prose, its first paragraph, and its last."""
        share = [0.0] * self.m if self.compared is None else self.compared.text_share.tolist()
        prose = [int(one["prose"]) * (1 - said) for one, said in zip(self.blocks, share, strict=True)]
        box = list(range(self.m))
        if sum(prose):
            boxes = [self.inside(element) for element in range(self.n)]
            fit = [
                2 * sum(prose[i] for i in some) / (self.sum(some, "tokens") + sum(prose)) if some else 0
                for some in boxes
            ]
            box = boxes[max(element for element in range(self.n) if fit[element] >= max(fit) - 1e-12)]
        paragraphs = [i for i in box if self.blocks[i]["prose"]]
        return box, *((paragraphs[0], paragraphs[-1]) if paragraphs else (0, self.m - 1))

    def levels_to(self, block: int, other: int) -> tuple[int, int]:
        """Levels up to the first element that holds another block too, and that; else the other's root."""
        above, way = self.above(block), self.above(other)
        level = next((level for level, element in enumerate(above) if element in way), len(above))
        return level, above[level] if level < len(above) else way[-1]

    def heading(self, block: int) -> int:
        """The heading at or above a block, -1 for none."""
        return max((i for i in range(block + 1) if self.blocks[i]["heading"]), default=-1)

    def features(self, i: int) -> dict[str, float]:
        """Features of a block by name, less those of words."""
        found: dict[str, float] = {}
        for family in LITERAL:
            names, values = FAMILIES[family].names, [*getattr(self, f"_{family}")(i, self.blocks[i])]
            assert len(values) == len(names), f"{__file__}: _{family} yields {len(values)} values of {', '.join(names)}"
            found |= zip(names, map(float, values), strict=True)
        return found

    def _text(self, i: int, block: Any) -> Values:
        chars = max(int(block["chars"]), 1)
        yield math.log1p(block["tokens"])
        yield chars / max(int(block["tokens"]), 1)
        for kind in (STOP, DIGIT, UPPER, CJK):
            yield block["counts"][kind] / chars
        yield block["ends_in_stop"]

    def _links(self, i: int, block: Any) -> Values:
        for some in ([i], self.up(i, 1), self.up(i, 3)):
            yield self.sum(some, "link_chars") / max(self.sum(some, "chars"), 1)

    def _tags(self, i: int, block: Any) -> Values:
        yield block["heading"]
        yield self.tags[block["element"]] == "div"
        for flag in (Flag.HIDDEN, Flag.ARTICLE, Flag.CONTROL):
            yield bool(block["flags"] & flag)

    def _announcements(self, i: int, block: Any) -> Values:
        long = [int(one["tokens"]) * (one["tokens"] >= 14) for one in self.blocks]
        announcing = np.flatnonzero(self.words.bits[: i + 1] & COMMENTS_BIT)
        dated = np.flatnonzero(self.words.bits & META_BIT)
        yield any(sum(long[: j + 1]) > 0.03 * sum(long) for j in announcing)
        yield min(i - max([-FAR, *dated[dated <= i].tolist()]), FAR)
        yield capped(sum(dated <= i) - sum(dated <= (self.titles[0] if self.titles else 0)))

    def _surroundings(self, i: int, block: Any) -> Values:
        around, above = (self.up(i, 1), self.up(i, 3)), self.above(i)
        box = above[min(2, len(above) - 1)]
        path = [j for j in range(self.m) if self.blocks[j]["path"] == block["path"]]
        yield from (self.sum(some, "prose") / max(self.sum(some, "tokens"), 1) for some in around)
        yield from (self.sum(some, "tokens") / self.whole for some in around)
        yield math.log1p(self.sum(around[0], "tokens"))
        yield math.log1p(self.tags[box : self.elements[box]["end"]].count("img"))
        yield math.log1p(len(path))
        yield self.sum(path, "tokens") / self.whole
        for levels in (0, 1, 3):
            box = above[min(levels, len(above) - 1)]
            tags = self.tags[box : self.elements[box]["end"]]
            yield math.log1p(sum(tag in {"button", "input", "select", "textarea"} for tag in tags))

    def _place(self, i: int, block: Any) -> Values:
        prose = [int(one["prose"]) for one in self.blocks]
        yield i in self.box
        yield capped(i - self.first)
        yield capped(i - self.last)
        yield sum(prose[:i]) / max(sum(prose), 1)
        yield self.sum(range(i + 1), "tokens") / self.whole
        yield min(self.levels_to(i, prose.index(max(prose)))[0], FAR)

    def _wording(self, i: int, block: Any) -> Values:
        words, first = self.long_words, self.first
        begins = {word for j in range(first, self.m) if sum(map(len, words[first:j])) <= 80 for word in words[j]}
        around = [(j, word) for j in range(max(i - 2, 0), min(i + 3, self.m)) for word in words[j]]
        yield sum(any(word in some for some in words[:j]) for j, word in around) / (len(around) + 2)
        yield sum(word in begins for _, word in around) / (len(around) + 2)
        yield sum(any(word in words[k] for k in range(self.m) if k != j) for j, word in around) / (len(around) + 2)

    def _headline(self, i: int, block: Any) -> Values:
        yield self.words.title_share[i]
        if not self.titles:
            yield from [NAN] * 4
            return
        title = self.titles[0]
        levels, shared = self.levels_to(i, title)
        alike = [one["slot"] == self.blocks[title]["slot"] for one in self.blocks]
        yield capped(i - title)
        yield min(levels, FAR)
        yield self.sum(self.inside(shared), "tokens") / self.whole
        yield min(sum(alike[: i + 1]) - sum(alike[: title + 1]), FAR)

    def _section(self, i: int, block: Any) -> Values:
        at = self.heading(i)
        some = [j for j in range(self.m) if self.heading(j) == at and not self.blocks[j]["heading"]]
        yield math.log1p(self.sum(some, "tokens"))
        yield 0 if at < 0 else self.blocks[at]["heading"]
        yield 0 if at < 0 else next(self._links(at, None))

    def _site(self, i: int, block: Any) -> Values:
        shared = self.compared
        if shared is None:
            yield from [NAN] * 8 + [0, NAN]
            return
        slots = Counter(int(one["slot"]) for one in self.blocks)
        own = [shared.own_tokens[j] / slots[int(one["slot"])] for j, one in enumerate(self.blocks)]
        under = [sum(own[j] for j in self.inside(element)) for element in range(self.n)]
        copies = [int(one["tokens"]) * shared.text_share[j] for j, one in enumerate(self.blocks)]
        half = [e for e in range(self.n) if under[e] >= max(under) / 2 - 1e-9]
        smallest = min(half, key=lambda e: (self.elements[e]["end"] - e, e))
        three = self.up(i, 3)
        yield from (shared.text_share[i], shared.placed_share[i], shared.slot_share[i])
        yield sum(copies[j] for j in three) / max(self.sum(three, "tokens"), 1)
        yield math.log1p(own[i])
        yield sum(own[j] for j in self.up(i, 1)) / max(*under, 1e-9)
        yield i in self.inside(smallest) if max(under) >= 20 else NAN
        stock = shared.slot_share[i] if shared.text_share[i] > 0 else 0
        yield from (stock, len(shared.likeness), sum(copies) / self.whole)

    def _records(self, i: int, block: Any) -> Values:
        lists = [found for found in map(self.list_of, self.above(i)[:LEVELS]) if found] or [(0, 0, 0)]
        yield from max(lists, key=lambda found: found[1])
        yield from lists[0][:2]

    def list_of(self, element: int) -> tuple[float, float, float] | None:
        """(count, share, prose) of the list that an element is a record of, or None."""
        kind = self.elements[element]["parent"], self.own[element]
        alike = [
            e
            for e in range(self.n)
            if (self.elements[e]["parent"], self.own[e]) == kind and self.sum(self.inside(e), "tokens")
        ]
        some = [i for e in alike for i in self.inside(e)]
        size, tokens = sum(int(self.elements[e]["end"]) - e for e in alike), self.sum(some, "tokens")
        if element not in alike or len(alike) < 3 or size < 3 * len(alike) or tokens < 2 * len(alike):
            return None
        return math.log1p(len(alike)), tokens / self.whole, self.sum(some, "prose") / max(tokens, 1)

    def _whole_page(self, i: int, block: Any) -> Values:
        every = range(self.m)
        yield from map(math.log1p, (self.whole, self.m, max(int(one["tokens"]) for one in self.blocks)))
        yield self.sum(every, "prose") / self.whole
        yield self.sum(every, "link_chars") / max(self.sum(every, "chars"), 1)
        yield math.log1p(sum(bool(one["heading"]) for one in self.blocks))
        yield math.log1p(self.tags.count("img"))
        yield from (self.declares_article, self.declares_forum)
        for flag in (Flag.COMMENT_WORD, Flag.LIST_ITEM, Flag.ARTICLE):
            yield self.sum([j for j in every if self.blocks[j]["flags"] & flag], "tokens") / self.whole


#: Families of features but for those of words.
LITERAL = [family for family in FAMILIES if family not in ("class_names", "text_words")]


def capped(distance: float) -> float:
    return max(min(distance, FAR), -FAR)
