"""A learned rule: where a template's content lies, to print, export and pin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from denoise_scrapy.page import Page
from denoise_scrapy.site.rules import BoolArray, Rule

#: Cuts that are printed; JSON has them all.
TOLD_CUTS = 5


@dataclass(frozen=True)
class LearnedRule:
    """A rule, what speaks for it, and what below it is no content.

    Attributes:
        rule: Names of the element that holds the content.
        share: Its share of the template's votes, 0 to 1.
        pages: Pages that voted for it.
        content: Share of the text inside it that is content, 0 to 1.
        cuts: Paths below its element without content: `div#tools/ul`.
        template: Name of the template, "" for any of the site.
        example: URL of a page of the template.
        pinned: Whether it decides.

    Example:
        >>> rule = LearnedRule(Rule.parse("#main"), 0.93, 41, 0.97, ("div.related",), pinned=True)
        >>> print(rule)
        #main: 93% of the votes, 41 pages, 97% content, without div.related (pinned)
        >>> page = Page.parse("<div id=main><p>Story</p><div class=related>More</div></div><div>Menu</div>")
        >>> rule.blocks_inside(page).tolist()
        [True, False, False]
    """

    rule: Rule
    share: float = 0.0
    pages: int = 0
    content: float = 0.0
    cuts: tuple[str, ...] = ()
    template: str = ""
    example: str = ""
    pinned: bool = False

    def __str__(self) -> str:
        pages = f"{self.pages} page{'s' if self.pages > 1 else ''}"
        told = f"{self.share:.0%} of the votes, {pages}, {self.content:.0%} content" if self.pages else ""
        more = f" and {len(self.cuts) - TOLD_CUTS} more" if len(self.cuts) > TOLD_CUTS else ""
        without = f"without {', '.join(self.cuts[:TOLD_CUTS])}{more}" if self.cuts else ""
        rest = ", ".join(filter(None, [told, without]))
        return f"{self.rule}{': ' if rest else ''}{rest}{' (pinned)' if self.pinned else ''}"

    def as_dict(self) -> dict[str, Any]:
        """The rule as plain values, for JSON."""
        return {
            "rule": str(self.rule),
            "pinned": self.pinned,
            "cuts": list(self.cuts),
            "template": self.template,
            "example": self.example,
            "share": round(self.share, 4),
            "pages": self.pages,
            "content": round(self.content, 4),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> LearnedRule:
        """The rule of `as_dict`; all but `rule` may be missing.

        Raises:
            ValueError: A value is missing or of another type; the message names it.

        Example:
            >>> print(LearnedRule.from_dict({"rule": ".story", "pinned": True}))
            .story (pinned)
        """
        if not isinstance(values, Mapping):
            raise ValueError(f"a rule is an object with the key 'rule', not {values!r}")
        kinds: dict[str, Any] = {
            "rule": str,
            "pinned": bool,
            "cuts": list,
            "template": str,
            "example": str,
            "share": (int, float),
            "pages": int,
            "content": (int, float),
        }
        for name, kind in kinds.items():
            if name in values and not isinstance(values[name], kind):
                raise ValueError(f"{name!r} of a rule cannot be {values[name]!r}")
        if not values.get("rule"):
            raise ValueError("a rule needs a 'rule', as '#main', '.story' or 'html/body/div'")
        given = {name: values[name] for name in kinds if name in values}
        rule, cuts = Rule.parse(given.pop("rule")), tuple(map(str, given.pop("cuts", ())))
        return cls(rule, cuts=cuts, **given)

    def blocks_inside(self, page: Page) -> BoolArray:
        """Blocks of the page inside the rule's element and outside its cuts, shape (m,).

        All False where the page has no such element, or several. Elements that lay pages out come first, any other
        that bears the name is next.
        """
        element = self.rule.find(page)
        if element < 0:
            element = self.rule.find(page, np.ones(len(page.elements), bool))
        if element < 0:
            return np.zeros(len(page.blocks), bool)
        inside = np.zeros(len(page.elements), bool)
        inside[element : page.elements.end[element]] = True
        for cut in self._cut_elements(page, element):
            inside[cut : page.elements.end[cut]] = False
        return np.asarray(page.blocks.share_owned_by(inside) >= 0.5)  # most of the block's text lies there

    def _cut_elements(self, page: Page, element: int) -> list[int]:
        if not self.cuts:
            return []
        elements = page.elements
        above = len(page.path_table.describe(int(elements.paths[element]))) + 1
        below = np.arange(element + 1, elements.end[element])
        longest = max(cut.count("/") for cut in self.cuts) + 1  # steps at most, for a class may hold a slash
        below = below[elements.depth[below] <= elements.depth[element] + longest]
        names = {int(path): page.path_table.describe(int(path))[above:] for path in np.unique(elements.paths[below])}
        cut = [path for path, name in names.items() if name in self.cuts]
        return [int(i) for i in below[np.isin(elements.paths[below], cut)]]
