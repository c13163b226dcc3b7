"""The tags that may be written in a rendering, and their allowed places."""

from __future__ import annotations

from collections.abc import Set

from denoise_scrapy.core.markup import HEADING_TAGS

Attributes = tuple[tuple[str, str], ...]

#: Elements that hold blocks: the tag written for each. Others are left out, but not their content.
_TAGS = "ul ol li dl dt dd blockquote figure figcaption table caption thead tbody tfoot tr td th".split()
CONTAINERS = {tag: tag for tag in _TAGS} | {"menu": "ul", "dir": "ul"}
#: Elements inside a line of text: the tag written for each.
INLINES = {
    **{tag: tag for tag in "a b strong i em code sub sup q cite abbr kbd s del ins u small mark math".split()},
    "tt": "code",
    "samp": "code",
    "strike": "s",
    **dict.fromkeys(["script", "img"], "math"),  # their text is the TeX of a formula
}
#: Delimiters of formulas, inline and displayed: scripts that render formulas look for these.
FORMULAS = {"math": (r"\(", r"\)"), "display": (r"\[", r"\]")}
#: Only for Markdown: the start of a footnote, a link to or from one without an address, and a check box.
MARKS = {"note", "reference", "box"}
#: Elements that hold only text, inline elements and images. White space counts in `pre`.
LEAVES = HEADING_TAGS | {"p", "pre"}
#: All tags that are ever written, with their attributes.
WRITTEN: dict[str, Set[str]] = {
    **dict.fromkeys([*CONTAINERS.values(), *INLINES.values(), *LEAVES, "br"], frozenset()),
    "a": {"href"},
    "img": {"src", "alt", "width", "height"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "ol": {"start"},
    "li": {"value"},
    "code": {"class"},
    "div": {"dir"},  # around everything, on a right-to-left page
}

_SECTIONS = ("thead", "tbody", "tfoot")
#: Tags allowed only inside certain others; elsewhere they are left out, but not their content.
PARENTS: dict[str, tuple[str, ...]] = {
    "li": ("ul", "ol"),
    **dict.fromkeys(["dt", "dd"], ("dl",)),
    **dict.fromkeys(["caption", *_SECTIONS], ("table",)),
    "tr": ("table", *_SECTIONS),
    **dict.fromkeys(["td", "th"], ("tr",)),
    "figcaption": ("figure",),
}
#: Tags written around other content in such a container: text directly in a list becomes an item.
IMPLIED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(["ul", "ol"], ("li",)),
    "dl": ("dd",),
    **dict.fromkeys(["table", *_SECTIONS], ("tr", "td")),
    "tr": ("td",),
}
#: Containers whose text needs no `p` if it is the only one.
BARE = frozenset("li dt dd td th caption figcaption".split())


#: A line end follows the end of these; it is invisible there, and separates blocks for readers of the source.
LINES = LEAVES.union(CONTAINERS.values())
