"""The features in plain Python, as slow as they are plain: what the compiled ones are held to."""

import math
from collections import Counter
from typing import Any

import numpy as np

from denoise_scrapy.core.characters import Class
from denoise_scrapy.core.features import COMMENTS_BIT, META_BIT, Compared, read_words, words_of
from denoise_scrapy.core.markup import Flag
from denoise_scrapy.core.tree import Tree

FAR, LEVELS = 20, 8
NAN = math.nan


class Literal:
    """A page of m blocks, its comparison pages, and all features of a block; those of words alone are elsewhere."""

    def __init__(self, tree: Tree, compared: Compared | None = None) -> None:
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
        """Features of a block by name."""
        found: dict[str, float] = {}
        for family in FAMILIES:
            found |= getattr(self, f"_{family}")(i, self.blocks[i])
        return {name: float(value) for name, value in found.items()}

    def _text(self, i: int, block: Any) -> dict[str, float]:
        chars = max(int(block["chars"]), 1)
        kinds = {"stops": Class.STOP, "digits": Class.DIGIT, "capitals": Class.UPPER, "cjk": Class.CJK}
        return {
            "tokens": math.log1p(block["tokens"]),
            "word_length": chars / max(int(block["tokens"]), 1),
            **{name: block["counts"][kind] / chars for name, kind in kinds.items()},
            "ends_in_stop": block["ends_in_stop"],
        }

    def _links(self, i: int, block: Any) -> dict[str, float]:
        some = {"ld": [i], "ld_up1": self.up(i, 1), "ld_up3": self.up(i, 3)}
        return {name: self.sum(one, "link_chars") / max(self.sum(one, "chars"), 1) for name, one in some.items()}

    def _tags(self, i: int, block: Any) -> dict[str, float]:
        flags = {"in_hidden": Flag.HIDDEN, "in_article": Flag.ARTICLE, "in_control": Flag.CONTROL}
        return {
            "heading": block["heading"],
            "tag_div": self.tags[block["element"]] == "div",
            **{name: bool(block["flags"] & flag) for name, flag in flags.items()},
        }

    def _announcements(self, i: int, block: Any) -> dict[str, float]:
        long = [int(one["tokens"]) * (one["tokens"] >= 14) for one in self.blocks]
        comments = [
            j for j in range(i + 1) if self.words.bits[j] & COMMENTS_BIT and sum(long[: j + 1]) > 0.03 * sum(long)
        ]
        dated = np.flatnonzero(self.words.bits & META_BIT)
        before, title = sum(dated <= i), sum(dated <= (self.titles[0] if self.titles else 0))
        return {
            "after_comments": bool(comments),
            "since_dated": min(i - max([-FAR, *dated[dated <= i].tolist()]), FAR),
            "dated_before": capped(before - title),
        }

    def _surroundings(self, i: int, block: Any) -> dict[str, float]:
        one, three = self.up(i, 1), self.up(i, 3)
        above = self.above(i)
        box = above[min(2, len(above) - 1)]
        pictures = self.tags[box : self.elements[box]["end"]].count("img")
        path = [j for j in range(self.m) if self.blocks[j]["path"] == block["path"]]
        return {
            "prose_up1": self.sum(one, "prose") / max(self.sum(one, "tokens"), 1),
            "prose_up3": self.sum(three, "prose") / max(self.sum(three, "tokens"), 1),
            "share_up1": self.sum(one, "tokens") / self.whole,
            "share_up3": self.sum(three, "tokens") / self.whole,
            "tokens_up1": math.log1p(self.sum(one, "tokens")),
            "pictures_up2": math.log1p(pictures),
            "path_count": math.log1p(len(path)),
            "path_share": self.sum(path, "tokens") / self.whole,
        }

    def _place(self, i: int, block: Any) -> dict[str, float]:
        prose = [int(one["prose"]) for one in self.blocks]
        return {
            "in_container": i in self.box,
            "from_first": capped(i - self.first),
            "from_last": capped(i - self.last),
            "prose_before": sum(prose[:i]) / max(sum(prose), 1),
            "position": self.sum(range(i + 1), "tokens") / self.whole,
            "levels_to_prose": min(self.levels_to(i, prose.index(max(prose)))[0], FAR),
        }

    def _wording(self, i: int, block: Any) -> dict[str, float]:
        words, first = self.long_words, self.first
        begins = {word for j in range(first, self.m) if sum(map(len, words[first:j])) <= 80 for word in words[j]}
        found, count = Counter[str](), 0
        for j in range(max(i - 2, 0), min(i + 3, self.m)):
            count += len(words[j])
            for word in words[j]:
                found["words_before"] += any(word in some for some in words[:j])
                found["words_of_beginning"] += word in begins
                found["words_elsewhere"] += any(word in some for k, some in enumerate(words) if k != j)
        return {name: found[name] / (count + 2) for name in ("words_before", "words_of_beginning", "words_elsewhere")}

    def _headline(self, i: int, block: Any) -> dict[str, float]:
        share = float(self.words.title_share[i])
        if not self.titles:
            return {"title_share": share} | dict.fromkeys(HEADLINE, NAN)
        title = self.titles[0]
        levels, shared = self.levels_to(i, title)
        alike = [one["slot"] == self.blocks[title]["slot"] for one in self.blocks]
        values = (
            capped(i - title),
            min(levels, FAR),
            self.sum(self.inside(shared), "tokens") / self.whole,
            min(sum(alike[: i + 1]) - sum(alike[: title + 1]), FAR),
        )
        return {"title_share": share, **dict(zip(HEADLINE, values, strict=True))}

    def _section(self, i: int, block: Any) -> dict[str, float]:
        at = self.heading(i)
        some = [j for j in range(self.m) if self.heading(j) == at and not self.blocks[j]["heading"]]
        level, linked = (0, 0.0) if at < 0 else (int(self.blocks[at]["heading"]), self._links(at, None)["ld"])
        return {
            "section_tokens": math.log1p(self.sum(some, "tokens")),
            "section_level": level,
            "section_linked": linked,
        }

    def _site(self, i: int, block: Any) -> dict[str, float]:
        shared = self.compared
        if shared is None:
            return {**dict.fromkeys(SITE, NAN), "k": 0.0}
        slots = Counter(int(one["slot"]) for one in self.blocks)
        own = [shared.own_tokens[j] / slots[int(one["slot"])] for j, one in enumerate(self.blocks)]
        under = [sum(own[j] for j in self.inside(element)) for element in range(self.n)]
        copies = [int(one["tokens"]) * shared.text_share[j] for j, one in enumerate(self.blocks)]
        half = [e for e in range(self.n) if under[e] >= max(under) / 2 - 1e-9]
        smallest = min(half, key=lambda e: (self.elements[e]["end"] - e, e))
        three = self.up(i, 3)
        values = (
            *(shared.text_share[i], shared.placed_share[i], shared.slot_share[i]),
            sum(copies[j] for j in three) / max(self.sum(three, "tokens"), 1),
            math.log1p(own[i]),
            sum(own[j] for j in self.up(i, 1)) / max(*under, 1e-9),
            i in self.inside(smallest) if max(under) >= 20 else NAN,
            shared.stock[i],
            shared.pages,
            sum(copies) / self.whole,
        )
        return dict(zip(SITE, values, strict=True))

    def _records(self, i: int, block: Any) -> dict[str, float]:
        lists = [found for found in map(self.list_of, self.above(i)[:LEVELS]) if found]
        outer = max(lists, key=lambda found: found[1], default=(0, 0, 0))
        inner = lists[0] if lists else (0, 0, 0)
        values = {f"record_outer_{name}": value for name, value in zip(("count", "share", "prose"), outer, strict=True)}
        return values | {"record_inner_count": inner[0], "record_inner_share": inner[1]}

    def list_of(self, element: int) -> tuple[float, float, float] | None:
        """(count, share, prose) of the list that an element is a record of, or None."""
        parent, kind = self.elements[element]["parent"], self.own[element]
        alike = [
            e
            for e in range(self.n)
            if self.elements[e]["parent"] == parent and self.own[e] == kind and self.sum(self.inside(e), "tokens")
        ]
        some = [i for e in alike for i in self.inside(e)]
        size, tokens = sum(int(self.elements[e]["end"]) - e for e in alike), self.sum(some, "tokens")
        if element not in alike or len(alike) < 3 or size < 3 * len(alike) or tokens < 2 * len(alike):
            return None
        return math.log1p(len(alike)), tokens / self.whole, self.sum(some, "prose") / max(tokens, 1)

    def _page(self, i: int, block: Any) -> dict[str, float]:
        every = range(self.m)

        def share(flag: Flag) -> float:
            return self.sum([j for j in every if self.blocks[j]["flags"] & flag], "tokens") / self.whole

        return {
            "page_tokens": math.log1p(self.whole),
            "page_blocks": math.log1p(self.m),
            "page_longest": math.log1p(max(int(one["tokens"]) for one in self.blocks)),
            "page_prose": self.sum(every, "prose") / self.whole,
            "page_ld": self.sum(every, "link_chars") / max(self.sum(every, "chars"), 1),
            "page_headings": math.log1p(sum(bool(one["heading"]) for one in self.blocks)),
            "page_pictures": math.log1p(self.tags.count("img")),
            "page_in_comment_word": share(Flag.COMMENT_WORD),
            "page_in_list_item": share(Flag.LIST_ITEM),
            "page_in_article": share(Flag.ARTICLE),
        }


FAMILIES = "text links tags announcements surroundings place wording headline section site records page".split()
HEADLINE = ("from_title", "levels_to_title", "share_with_title", "titles_before")
SITE = (
    *("repeated", "repeated_in_place", "repeated_slot", "repeated_up3", "own_here", "own_up1", "in_own_half"),
    *("stock", "k", "same_as_all"),
)


def capped(distance: float) -> float:
    return max(min(distance, FAR), -FAR)


def literal_name_odds(tree: Tree, odds: dict[int, float], block: int) -> tuple[float, float, float, float]:
    """What the names of a block's element and of all above say: (sum, least, most, near)."""
    element, own = int(tree.block_rows["element"][block]), []
    while element >= 0:
        said = [odds.get(code, 0) for code in words_of(tree, int(tree.element_rows["token"][element]))]
        own.append((min([0, *said]), max([0, *said])))
        element = int(tree.element_rows["parent"][element])
    near = sum((low + high) * 0.5**level for level, (low, high) in enumerate(own))
    lows, highs = zip(*own, strict=True)
    return sum(map(sum, own)), min(lows), max(highs), near
