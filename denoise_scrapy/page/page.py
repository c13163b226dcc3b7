"""One page: its blocks, texts and links; the facts that others are compared with; and its tree for LCS matching."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any
from urllib.parse import urldefrag, urljoin

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.features import Words, read_words
from denoise_scrapy.core.sharing import columns_of, facts_of
from denoise_scrapy.core.source import is_too_large, text_alone
from denoise_scrapy.core.tree import Tree, tree_of
from denoise_scrapy.page.attributes import MAX_URL_LENGTH, Noted, read_notes
from denoise_scrapy.page.columns import Blocks, BoolArray, Boxes, Elements, FloatArray, IntArray
from denoise_scrapy.page.parse import root_of, to_utf8
from denoise_scrapy.page.selectors import Match, TooLargeError, compile_all, find_elements, removed_elements


@dataclass(frozen=True, eq=False)
class PageFacts:
    """Facts of a page of m blocks, which other pages are compared with: 20 bytes a block.

    Attributes:
        url: Its URL.
        data: All of them (`core.sharing.facts_of`).
        title: Its title; facts from a file have none.
    """

    url: str
    data: bytes = field(repr=False)
    title: str = ""

    @property
    def facts(self) -> PageFacts:
        """These facts: they stand for the page where only its facts count."""
        return self

    @property
    def nbytes(self) -> int:
        """About what they occupy in memory, in bytes."""
        return 400 + len(self.data) + 2 * (len(self.url) + len(self.title))

    @property
    def signature(self) -> npt.NDArray[np.uint64]:
        """Hashes of the page's layout containers, sorted, each once, shape (containers,)."""
        return columns_of(self.data)[0]

    @property
    def tokens(self) -> npt.NDArray[np.int64]:
        """Tokens of each block, shape (m,)."""
        return (columns_of(self.data)[3] >> 1).astype(np.int64)


#: Characters of a page's addresses, made absolute: so many at all, so many times what it writes of them, and so many
#: for each of its elements. A link of 10 characters may stand for an address of 2,000. No recorded page of 229
#: has more than a fifth of it.
URL_CHARS, URL_TIMES, URL_CHARS_AN_ELEMENT = 20_000, 4, 60
#: Characters of the paths of a page's blocks for each of its elements: those of a nested page are its square.
MAX_DESCRIBED = 100

_NOTHING_LEFT_OUT = np.zeros((0, 2), np.int32)


class Page:
    """A parsed page. Made by `Page.parse`; its columns are computed when first read.

    Attributes:
        url: Where the page came from, "" where unknown.
        tree: What the core has read of it.
        kept_by_user: What each of the user's selectors of content found.
        removed_by_user: What each of their selectors of noise found.
        is_too_large: Whether it is over a bound of the parser's or the selectors', so that all of its text is its body.

    Example:
        >>> page = Page.parse("<title>T</title><p>One <b>bold</b> word.<p><a href=/x>two</a>", url="http://a.example/")
        >>> page.title, page.links
        ('T', ('http://a.example/x',))
        >>> page.block_text(0), page.blocks.tokens.tolist()
        ('One bold word.', [3, 1])
    """

    def __init__(self, tree: Tree, *, url: str = "", boxes: Boxes | None = None, is_too_large: bool = False) -> None:
        self.url = url
        self.tree = tree
        self._boxes: Boxes | None = None
        self.boxes = boxes
        self.kept_by_user: tuple[Match, ...] = ()
        self.removed_by_user: tuple[Match, ...] = ()
        self.is_too_large = is_too_large

    @classmethod
    def parse(
        cls,
        html: str | bytes,
        *,
        url: str | None = None,
        encoding: str | None = None,
        boxes: Boxes | None = None,
        keep: str | Iterable[str] = (),
        remove: str | Iterable[str] = (),
        root: Any | None = None,
    ) -> Page:
        """Parse any HTML, however broken; nothing that a page holds raises.

        A page that the parser would take too long for (`core/source.pyx`), or of a tree over `core.tree.MAX_ELEMENTS`
        and its like, is read as text without structure.

        Args:
            html: The page. Bytes are decoded as browsers do.
            url: Where it came from; relative links are resolved against it.
            encoding: Encoding that the server names, for bytes.
            boxes: Layout geometry of its elements; dropped where it does not fit the page's elements.
            keep: CSS selectors or XPaths of what is content whatever a strategy says. A host, a colon and a blank in
                front, as in `example.com: div.story`, limit one to pages of that host and its subdomains.
            remove: The same of what is none; what `keep` finds too, or is inside of that, stays.
            root: Root element of the page where lxml has parsed it: it is read in place of `html`, and not changed.

        Raises:
            TypeError: `html` is neither str nor bytes.
            ValueError: A selector is invalid.
        """
        if not isinstance(html, (str, bytes)):
            raise TypeError(f"html must be str or bytes, got {type(html).__name__}")
        selectors = [[one for one in compile_all(some) if one.is_for(url or "")] for some in (keep, remove)]
        body = b""
        if root is None:
            body = to_utf8(html, encoding)
            root = None if is_too_large(body) else root_of(body, collect_ids=any(selectors))
        tree = tree_of(root, keep_nodes=any(selectors)) if root is not None else Tree()
        if root is None or tree.is_too_large:
            tree = _text_alone(body or to_utf8(html, encoding))
        page = cls(tree, url=url or "", boxes=boxes, is_too_large=tree.is_too_large)
        if any(selectors) and not page.is_too_large:
            try:
                found = find_elements(tree, root, [*selectors[0], *selectors[1]])
            except TooLargeError:
                page.is_too_large = True
            else:
                kept = len(selectors[0])
                page.kept_by_user, page.removed_by_user = tuple(found[:kept]), tuple(found[kept:])
        return page

    def __repr__(self) -> str:
        return f"<Page {self.url or '(no URL)'} {len(self.tree.element_rows)} elements>"

    @property
    def boxes(self) -> Boxes | None:
        """Layout geometry, None where the page was not rendered; what does not fit the page's elements is dropped."""
        return self._boxes

    @boxes.setter
    def boxes(self, boxes: Boxes | None) -> None:
        self._boxes = boxes if boxes is not None and len(boxes) == len(self.tree.element_rows) else None
        self.__dict__.pop("blocks", None)
        if self._boxes is not None:
            _ = self.blocks  # what the browser hides is noted in the rows, which the core reads

    @property
    def title(self) -> str:
        """Text of its title element, white space collapsed; the first `core.tree.MAX_TITLE` characters."""
        return self.tree.title

    @cached_property
    def _noted(self) -> Noted:
        return read_notes(self.tree.noted_values, self.tags())

    @property
    def sizes(self) -> Sequence[tuple[int, str, str]]:
        """(element, width, height) as written, "" for none, of the frames that have one (`markup.SIZED_TAGS`)."""
        return self._noted.sizes

    @property
    def attributes(self) -> Sequence[tuple[int, str, str]]:
        """(element, name, value) of images, cells and lists, as written (`attributes`)."""
        return self._noted.attributes

    @cached_property
    def declared_types(self) -> frozenset[str]:
        """Types that the page declares: "newsarticle", "og:article", "generator:wordpress" (`attributes`)."""
        return read_declared(self.tree.declared_values)

    @property
    def references(self) -> Sequence[tuple[int, str]]:
        """(element, href or src as written) of links and images, in document order."""
        return self._noted.references

    @property
    def places(self) -> Sequence[tuple[int, str]]:
        """(element, id) of the elements that links of the page lead to, some of other pages' links too."""
        return self._noted.places

    def tags(self) -> list[str]:
        """Tag of each element, in document order."""
        return self.tree.tags()

    @cached_property
    def nbytes(self) -> int:
        """About what the page occupies in memory, in bytes."""
        found = sum(match.elements.nbytes for match in (*self.kept_by_user, *self.removed_by_user))
        return 1000 + self.tree.nbytes + found + (0 if self.boxes is None else self.boxes.nbytes)

    @cached_property
    def elements(self) -> Elements:
        """Columns of the page's elements."""
        return Elements(self.tree)

    @cached_property
    def blocks(self) -> Blocks:
        """Columns of the page's blocks."""
        return Blocks(self.elements, self.boxes)

    @cached_property
    def words(self) -> Words:
        """Announcements in the words of short blocks, and their share of the title."""
        return read_words(self.tree)

    @cached_property
    def facts(self) -> PageFacts:
        """Facts of the page."""
        return PageFacts(self.url, facts_of(self.tree, self.url), self.title)

    def drop_columns(self) -> None:
        """Forget what numpy made of the columns; it is made anew when read."""
        for name in (
            *("elements", "blocks", "words", "block_texts", "inner_hashes", "code_lengths", "removed_text"),
            "_left_out",
        ):
            self.__dict__.pop(name, None)

    def block_text(self, block: int) -> str:
        """Text of a block: white space collapsed, lines broken at `<br>`; as it is in preformatted text.

        What the user removes is left out, unless that is all of it.
        """
        return self.tree.block_text(block, self._left_out)

    def text_of(self, wanted: BoolArray) -> str:
        """Texts of the wanted of the blocks, a line each."""
        return self.tree.text_of(np.ascontiguousarray(wanted, np.uint8), self._left_out)

    @cached_property
    def block_texts(self) -> list[str]:
        """Text of each block; see `block_text`."""
        return [self.block_text(block) for block in range(len(self.tree.block_rows))]

    @cached_property
    def removed_text(self) -> BoolArray:
        """Return whether the user removes the text after each mark, shape (marks,)."""
        removed = removed_elements(self.elements, self.kept_by_user, self.removed_by_user)
        return np.append(removed, False)[self.elements.text_owner]  # owner -1 is the last value

    @cached_property
    def _left_out(self) -> npt.NDArray[np.int32]:
        """Positions in the text of what is left out, shape (any, 2)."""
        if not self.removed_by_user:
            return _NOTHING_LEFT_OUT
        e = self.elements
        spans = np.stack([e.marks, e.text_ends], axis=1)[self.removed_text]
        return np.ascontiguousarray(spans, np.int32)

    def without(self, elements: IntArray) -> Page:
        """The page less the text of some elements, by their numbers: left out as what the user removes is."""
        if not len(elements):
            return self
        less = copy(self)
        less.removed_by_user = (*self.removed_by_user, Match("", elements))
        inside = self.elements.inside(elements)
        less.removed_text = self.removed_text | np.append(inside, False)[self.elements.text_owner]
        for name in ("block_texts", "_left_out"):
            less.__dict__.pop(name, None)
        return less

    def unselected(self) -> Page:
        """The page with the text that the user's selectors remove."""
        whole = copy(self)
        whole.kept_by_user = whole.removed_by_user = ()
        for name in ("block_texts", "removed_text", "_left_out"):
            whole.__dict__.pop(name, None)
        return whole

    def block_paths(self) -> list[str]:
        """Path of each block's element, as `html/body/div#main.story/p`; digits of ids and classes are left out.

        Of a long path it is the end: all of them have `MAX_DESCRIBED` characters an element of the page.
        """
        elements = self.blocks.element.tolist()
        return self.paths_of(elements, MAX_DESCRIBED * len(self.elements) // max(1, len(elements)))

    def paths_of(self, elements: Sequence[int], most: int = 10_000) -> list[str]:
        """Path of each of some elements; of one of more than so many characters the end: `…/div/div/p`."""
        known = {-1: ""}
        parent = self.elements.parent
        for element in elements:
            climbed, at = list[int](), element
            while at not in known:
                climbed.append(at)
                at = int(parent[at])
            for one in reversed(climbed):
                above, step = known[int(parent[one])], self.elements.step(one)
                whole = f"{above}/{step}" if above else step
                known[one] = whole if len(whole) <= most else f"…/{whole[-most:].partition('/')[2]}"
        return [known[element] for element in elements]

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Absolute http(s) URLs of the page's links in document order, each once, without fragments.

        Those past the page's bound (`url_chars`) are left out.
        """
        return self.first_links(len(self.tree.element_rows))

    def first_links(self, most: int) -> tuple[str, ...]:
        """Return `links`, but of no more than the first `most` addresses that stand in the page."""
        left = self.url_chars
        found: dict[str, None] = {}
        hrefs = dict.fromkeys(self.tree.links())
        for href in islice(hrefs, most):
            url = self.absolute(href)
            left -= len(url)
            if left < 0:
                break
            found[url] = None
        found.pop("", None)
        return tuple(found)

    @property
    def url_chars(self) -> int:
        """Characters that the page's addresses may have as absolute ones, which are as long as the page likes."""
        return URL_CHARS + URL_TIMES * self.tree.written_urls + URL_CHARS_AN_ELEMENT * len(self.tree.element_rows)

    @cached_property
    def base_url(self) -> str:
        """URL that the page's references are relative to: of its `base` element, where that has one."""
        base = self.tree.first_value("base")
        try:
            base = urljoin(self.url, base.strip()) if len(base) <= MAX_URL_LENGTH else ""
        except ValueError:
            return self.url
        return base if base.startswith(("http://", "https://")) else self.url

    def absolute(self, reference: str) -> str:
        """A reference of the page as an absolute http(s) URL without fragment, "" where it is none."""
        if len(reference) > MAX_URL_LENGTH:  # data:, for the most; the standard library would remember it
            return ""
        try:
            url = urldefrag(urljoin(self.base_url, reference.strip())).url
        except ValueError:
            return ""
        return url if url.startswith(("http://", "https://")) else ""

    def leads_here(self, reference: str) -> bool:
        """Return whether a reference leads to a place on the page itself."""
        address, _, place = reference.strip().partition("#")
        return bool(place) and (not address or self.absolute(reference) == self.absolute(self.url) != "")

    @cached_property
    def inner_hashes(self) -> npt.NDArray[np.uint64]:
        """A hash of each element's innerHTML, shape (elements,). Source: Song et al. (2011), section 3, rule 5."""
        urls = np.zeros(len(self.elements), np.uint64)
        for element, url in self.references:
            urls[element] = hash(url) & 0xFFFFFFFFFFFFFFFF  # of one process: never stored
        return self.tree.inner_hashes(urls)

    @cached_property
    def code_lengths(self) -> npt.NDArray[np.int64]:
        """Characters of each element's outerHTML, shape (elements,): tags with class and id, URLs, visible text."""
        own = np.asarray(self.elements.column("markup"), np.int64) + self.elements.own_chars
        for element, url in self.references:
            own[element] += len(url) + 8  # ` href=""` or ` src=""`
        return np.asarray(self.elements.subtree_sums(own))


def _text_alone(body: bytes) -> Tree:
    """The tree of a page that is too large: its text without structure; of one without any an empty one."""
    root = root_of(text_alone(body))
    tree = Tree() if root is None else tree_of(root, break_lines=True)
    tree.is_too_large = len(tree.block_rows) > 0
    return tree


#: Characters of JSON-LD that are looked at on a page: 2 of 1,570 recorded pages have more, 98% have 14,000 or fewer.
MAX_JSON = 200_000
#: Types that are kept of a page: recorded pages declare up to 28.
MAX_TYPES = 40
#: Characters of an attribute that are looked at: several schema.org URLs fit.
MAX_VALUE = 300

_JSON_TYPE = re.compile(r'"@type"\s{0,20}:\s{0,20}(?:"([^"]{1,100})"|\[([^\]]{1,300})\])')
_NAME = re.compile(r"[a-z][a-z0-9_.-]{1,39}")
_PREFIXES = {"og:type": "og:", "generator": "generator:"}


def read_declared(values: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return what a page says it is, by the (name, value) of what it declares (`Tree.declared_values`).

    Types are the last segments of their addresses, in lower case; those of Open Graph begin with `og:`, the first word
    of the generator's name with `generator:`.

    Example:
        >>> json = '{"@context": "https://schema.org", "@type": ["NewsArticle", "schema:Thing"]}'
        >>> sorted(read_declared([("json", json), ("og:type", "article"), ("itemtype", "http://schema.org/Product")]))
        ['newsarticle', 'og:article', 'product', 'thing']
    """
    found: set[str] = set()
    json_left = MAX_JSON

    def add(prefix: str, written: Iterable[str]) -> None:
        for one in written:
            name = re.split(r"[/#:]", one.rstrip("/\\"))[-1].lower()
            if len(found) < MAX_TYPES and _NAME.fullmatch(name):
                found.add(prefix + name)

    in_body = list[str]()
    for name, value in values:
        if name == "json":
            text = value[:json_left]
            json_left -= len(text)
            for match in _JSON_TYPE.finditer(text):
                add("", (match[1] or match[2]).replace('"', " ").replace(",", " ").split())
        elif name == "itemtype":
            add("", value[:MAX_VALUE].split())
        elif name == "og:type in body":
            in_body.append(value)
        elif name in _PREFIXES:
            add(_PREFIXES[name], value[:MAX_VALUE].split()[:1])
    # of meta elements outside the head Open Graph's type counts, where the head has none
    if not any(name.startswith("og:") for name in found):
        for value in in_body:
            add("og:", value[:MAX_VALUE].split()[:1])
    return frozenset(found)


#: A node with more than this share of its subtree's text as its own is a content node (the source's value).
CONTENT_TEXT_RATE = 0.75


class FeatureTree:
    """Columns of the n nodes of a page's body, level by level (breadth first), each of shape (n,).

    Source: Song, Zhi, Zhou, Luo and An, Web page noise removal by LCS-based maximum similarity matching of feature
    trees (2011), section 2. Its fourteen attributes are here, but for the children, as `tag`, `id`, `class_` (codes,
    equal where the names are), `outer_length` (outerHTML), `inner_hash` (innerHTML), `text_length` (innerText),
    `text_rate`; `parent` (-1 for a root), `depth` (0 for BODY); and `boxes` (left, top, width, height; shape (n, 4),
    NaN where unknown). Markup that shows nothing (scripts, styles, templates …) has no nodes.

    Attributes:
        element: Index of the node's element in the page.
        levels: First node of each level, and n as last value.

    Example:
        >>> page = Page.parse("<body><div id=a><p>One two.</p><p>Three.</p></div><script>x</script>")
        >>> tree = FeatureTree(page)
        >>> tree.depth.tolist(), tree.text_rate.tolist()
        ([0, 1, 2, 2], [0.0, 0.0, 1.0, 1.0])
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        elements = page.elements
        # roots are BODY and, where markup follows its end, what hangs beside it
        is_root = elements.has_tag({"html"}) & (elements.depth == 1)
        members = np.flatnonzero(elements.shown & ~is_root)
        self.element = members[np.argsort(elements.depth[members], kind="stable")]
        node_of = np.full(len(elements) + 1, -1)  # the last one answers for parent -1
        node_of[self.element] = np.arange(len(self.element))
        self.parent: IntArray = node_of[elements.parent[self.element]]
        depth = elements.depth[self.element]
        self.depth: IntArray = depth - depth[0] if len(depth) else depth
        self.levels: IntArray = np.append(np.flatnonzero(np.diff(self.depth, prepend=-1)), len(depth))
        self.tag = self._column("tag")
        self.id = self._column("id")
        self.class_ = self._column("class_")
        self.token = self._column("token")

    def __len__(self) -> int:
        return len(self.element)

    def _column(self, name: str) -> npt.NDArray[np.generic]:
        return self.page.elements.column(name)[self.element]

    @cached_property
    def inner_hash(self) -> npt.NDArray[np.uint64]:
        """Stands for innerHTML: equal where it is."""
        return self.page.inner_hashes[self.element]

    @cached_property
    def text_length(self) -> IntArray:
        """Visible characters of innerText."""
        elements = self.page.elements
        return np.asarray(elements.subtree_sums(elements.own_chars))[self.element]

    @cached_property
    def text_rate(self) -> FloatArray:
        """Own text / text of the subtree, 0 where there is none."""
        own = self.page.elements.own_chars[self.element]
        return np.asarray(own / np.maximum(self.text_length, 1))

    @cached_property
    def outer_length(self) -> IntArray:
        """Characters of outerHTML, about: tags with class and id, URLs, visible text."""
        return np.asarray(self.page.code_lengths)[self.element]

    @cached_property
    def is_content(self) -> npt.NDArray[np.bool_]:
        """Content node: a content tag, or more than three quarters of its subtree's text is its own."""
        return np.asarray(self._column("content"), bool) | (self.text_rate > CONTENT_TEXT_RATE)

    @cached_property
    def boxes(self) -> FloatArray:
        """left, top, width, height in CSS pixels, NaN where unknown, shape (n, 4)."""
        boxes = self.page.boxes
        if boxes is None:
            return np.full((len(self), 4), np.nan)
        return np.stack([boxes.x, boxes.y, boxes.width, boxes.height], axis=1).astype(np.float64)[self.element]
