"""One page: its elements, blocks, texts and links as numpy views of the core's rows; and its facts for comparisons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, ClassVar
from urllib.parse import urldefrag, urljoin

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.features import Words, best_box, read_words
from denoise_scrapy.core.markup import REASONS, Flag, Kind, word_flags
from denoise_scrapy.core.sharing import columns_of, facts_of
from denoise_scrapy.core.source import is_too_large, text_alone
from denoise_scrapy.core.styles import StyleSheet, styles_of
from denoise_scrapy.core.tree import Tree, tree_of
from denoise_scrapy.exceptions import TooLargeError
from denoise_scrapy.page.attributes import MAX_URL_LENGTH, Noted, read_notes
from denoise_scrapy.page.columns import BoolArray, Boxes, FloatArray, IntArray, layout_of
from denoise_scrapy.page.parse import DECLARING, MAX_JSON, json_strings, media_type, read_declared, root_of, to_utf8
from denoise_scrapy.page.selectors import Match, compile_all, compile_selector, find_elements
from denoise_scrapy.page.shadow import shown_tree


def _of_texts(number: int) -> cached_property[IntArray]:
    """Return a cached property: a column of the texts after the marks."""

    def read(of: Any) -> IntArray:
        column: IntArray = of._texts[number]
        return column

    return cached_property(read)


_KINDS = {str(kind.name).lower(): int(kind) for kind in Kind}  # plain numbers: Flag arithmetic takes a microsecond
_CODES = {"tag": "tag_code", "class_": "class_code", "id": "id_code", "token": "own", "markup": "markup"}


class _Columns:
    """Columns of the core's `rows`, one for each element or block."""

    rows: npt.NDArray[Any]

    def __len__(self) -> int:
        return len(self.rows)

    def has(self, flag: Flag) -> BoolArray:
        """Return which of them, or elements around, have any of these flags of tags; `flags` has those of names."""
        return np.asarray((self.rows["flags"] & int(flag)) != 0)  # an enum is slow


class Elements(_Columns):
    """Columns of a page's n elements in document order. All arrays have shape (n,) unless stated otherwise.

    The core's `rows` have one entry per element, `tokens` one per kind of elements (`core/tree.pxd`).
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.rows = rows = tree.element_rows
        self.tokens = tree.token_rows
        self.parent: IntArray = rows["parent"].astype(np.int64)  # -1 for the roots
        # first index after the subtree, so `cumsum[end] - cumsum[i]` sums over it
        self.end: IntArray = rows["end"].astype(np.int64)
        self.token: IntArray = rows["token"].astype(np.int64)  # number of the element's token
        self._columns: dict[str, npt.NDArray[np.generic]] = {}
        self._steps = dict[int, str]()

    @cached_property
    def depth(self) -> IntArray:
        """Number of elements around each, and itself: roots have 1."""
        return np.asarray(self.rows["depth"], np.int64)

    @cached_property
    def parent_or_self(self) -> IntArray:
        """The parent element, for a root itself. Applied repeatedly it climbs and stays at the top."""
        return np.where(self.parent >= 0, self.parent, np.arange(len(self.rows)))

    def holds_tag(self, tags: Collection[str]) -> bool:
        """Return whether any element has one of these tags."""
        return 1 in self.tree.tagged(tags)

    def has_tag(self, tags: Collection[str]) -> BoolArray:
        """Return which elements have one of these tags."""
        return np.frombuffer(self.tree.tagged(tags), np.bool_).take(self.token)

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return a read-only column by name: one of `_KINDS` and `_CODES`."""
        if name not in self._columns:
            if name in _KINDS:
                of_tokens = (self.tokens["kind"] & _KINDS[name]) != 0
            else:
                of_tokens = np.ascontiguousarray(self.tokens[_CODES[name]])
            self._columns[name] = of_tokens.take(self.token)
        return self._columns[name]

    @cached_property
    def flags(self) -> IntArray:
        """Flags of each element and its ancestors, with those of words in names; the core has only comment words."""
        words = np.zeros(len(self.tokens), np.int64)
        for token, kind in enumerate(self.tokens["kind"].tolist()):
            _, id_, class_, others = self.tree.name_of(token)
            names = " ".join(filter(None, (class_, id_, others)))
            if names and not kind & _KINDS["root"]:
                words[token] = word_flags(names)
        return np.asarray(self.tree.inherited(words) | self.rows["flags"])

    def step(self, element: int) -> str:
        """Return a readable name for an element, without digits: `div#main.story`."""
        token = int(self.token[element])
        if token not in self._steps:
            tag, id_, class_, _ = self.tree.name_of(token)
            self._steps[token] = tag + (f"#{id_}" if id_ else "") + ".".join(["", *class_.split()])
        return self._steps[token]

    @cached_property
    def shown(self) -> BoolArray:
        """Elements that may show something: all but skipped ones, and a noscript that was read."""
        inhabited = self.end - np.arange(len(self.rows)) > 1
        return ~np.asarray(self.column("skipped"), bool) | inhabited | (self.own_chars > 0)

    @cached_property
    def own_chars(self) -> IntArray:
        """Visible characters of the element's own text, without its children's."""
        seen = self.rows["seen"]
        whole = (seen["end"] - seen["start"]).astype(np.int64)
        inner = np.bincount(self.parent + 1, whole, len(self.rows) + 1)[1:]  # the first value is for the roots
        return np.asarray(whole - inner.astype(np.int64))

    # ---- the marks in the page's text: where its elements start and end. All have shape (2n,) ----

    def texts_of(self, elements: BoolArray, *, others: bool = False) -> IntArray:
        """Return the texts after marks that some elements own (`Tree.texts_of`), with `others` those without owner."""
        return np.asarray(self.tree.texts_of(elements.view(np.uint8), others), np.int64)

    @cached_property
    def _texts(self) -> IntArray:
        return np.ascontiguousarray(self.texts_of(np.ones(len(self.rows), np.bool_), others=True).T)

    mark_element = _of_texts(0)
    text_owner = _of_texts(1)  # element that owns the text after the mark, -1 for none
    marks = _of_texts(2)  # positions in the text
    text_ends = _of_texts(3)  # end of the text after the mark
    visible_after = _of_texts(4)  # visible characters of it
    block_after = _of_texts(5)  # its block, -1 if none is visible

    @cached_property
    def is_start(self) -> BoolArray:
        """True for marks of a start."""
        return np.asarray(self.text_owner == self.mark_element)

    def of_text(self, elements: BoolArray) -> BoolArray:
        """Return whether the text after each mark is owned by one of these elements."""
        return np.append(elements, False)[self.text_owner]  # the last value is for owner -1

    def subtree_sums(self, values: npt.NDArray[np.generic]) -> npt.NDArray[Any]:
        """Return the sum of a column over each element's subtree, including itself."""
        running = values.cumsum()
        before = np.zeros(len(self.rows) + 1, running.dtype)
        before[1:] = running
        return np.asarray(before.take(self.end) - before[:-1])

    def inside(self, roots: IntArray) -> BoolArray:
        """Return the elements in the subtrees of `roots`, which may be in any order, including the roots."""
        n = len(self.rows)
        edges = np.bincount(roots, minlength=n + 1) - np.bincount(self.end[roots], minlength=n + 1)
        return np.asarray(np.cumsum(edges[:n]) > 0)

    def nearest(self, marked: BoolArray) -> IntArray:
        """Return the nearest marked ancestor or self, -1 if there is none."""
        return self.tree.nearest(np.ascontiguousarray(marked, np.uint8))


class Blocks(_Columns):
    """Columns of a page's m blocks in order, of shape (m,) unless stated otherwise; and the core's `rows`."""

    def __init__(self, elements: Elements, boxes: Boxes | None) -> None:
        self.elements = elements
        self.rows = rows = elements.tree.block_rows
        self.element: IntArray = rows["element"].astype(np.int64)  # nearest block-level element of the block's text
        self.chars: IntArray = rows["chars"].astype(np.int64)  # visible ones
        self.link_chars: IntArray = rows["link_chars"].astype(np.int64)  # visible ones inside links
        # runs of word characters, and CJK characters one by one
        self.tokens: IntArray = rows["tokens"].astype(np.int64)
        self._boxes = boxes
        if boxes is not None:
            seen = self._seen(self.rows["flags"].astype(np.int64), boxes)
            elements.tree.set_hidden((seen & Flag.HIDDEN).astype(bool).view(np.uint8))

    @cached_property
    def start(self) -> IntArray:
        """Position of the block's first character in the page's text."""
        return np.asarray(self.rows["text"]["start"], np.int64)

    @cached_property
    def paragraph_tokens(self) -> IntArray:
        """The block's tokens if it is a paragraph of prose, else 0."""
        return np.asarray(self.rows["prose"], np.int64)

    def inside(self, element: int) -> BoolArray:
        """Return the blocks in an element's subtree."""
        return np.asarray((self.element >= element) & (self.element < self.elements.rows["end"][element]))

    def inside_tags(self, tags: Collection[str]) -> BoolArray:
        """Return the blocks in elements with some tags."""
        tagged = np.frombuffer(self.elements.tree.tagged(tags), np.uint8).astype(np.int64)
        return np.asarray(self.elements.tree.inherited(tagged).take(self.element) > 0)

    def subtree_sums(self, values: npt.NDArray[np.generic]) -> FloatArray:
        """Return the sum of a column over the blocks in each element's subtree, shape (elements,)."""
        return self.elements.subtree_sums(np.bincount(self.element, values, len(self.elements)))

    def in_best_box(self, prose: npt.NDArray[np.generic]) -> BoolArray:
        """Return which blocks are in the element that comes closest to holding all prose and nothing else.

        All blocks of a page without prose are; `prose` is that of each block, shape (m,).
        """
        box = best_box(self.subtree_sums(prose), self.subtree_sums(self.tokens), float(prose.sum()))
        return self.inside(box) if box >= 0 else np.ones(len(self), np.bool_)

    def share_owned_by(self, elements: BoolArray) -> FloatArray:
        """Return the share of each block's visible characters that are own text of the marked elements."""
        chars, block = self.elements.texts_of(elements).T[4:]
        chars = np.bincount(block[block >= 0], chars[block >= 0], len(self.rows))
        return np.asarray(chars / np.maximum(self.chars, 1))

    @cached_property
    def link_density(self) -> FloatArray:
        """Visible characters inside links / visible characters."""
        return np.asarray(self.link_chars / np.maximum(self.chars, 1))

    @cached_property
    def flags(self) -> IntArray:
        """Flags of the block's element and its ancestors; for HIDDEN the browser overrides markup."""
        flags = self.elements.flags.take(self.element)
        return flags if self._boxes is None else self._seen(flags, self._boxes)

    def _seen(self, flags: IntArray, boxes: Boxes) -> IntArray:
        known, shows = ~np.isnan(boxes.width[self.element]), boxes.visible[self.element]
        seen = np.where(shows, flags & ~np.int64(Flag.HIDDEN), flags | Flag.HIDDEN)
        return np.where(known, seen, flags)

    @property
    def layout(self) -> FloatArray | None:
        """Layout of the blocks of a rendered page (`columns.layout_of`), shape (3, m); None without boxes."""
        if self._boxes is None:
            return None
        return layout_of(self._boxes, self.element, self.elements.parent_or_self, self.paragraph_tokens, self.tokens)


@dataclass(frozen=True, eq=False)
class PageFacts:
    """Facts of a page of m blocks, with which other pages are compared: 20 bytes per block.

    Attributes:
        url: Its URL.
        data: All facts as bytes (`core.sharing.facts_of`).
        title: Its title; "" if loaded from a file.
    """

    url: str
    data: bytes = field(repr=False)
    title: str = ""
    media_type: ClassVar[str] = ""  # as that of a page

    @property
    def facts(self) -> PageFacts:
        """Return self, so that pages and facts are interchangeable."""
        return self

    @property
    def nbytes(self) -> int:
        """Approximate memory use in bytes."""
        return 400 + len(self.data) + 2 * (len(self.url) + len(self.title))

    @property
    def signature(self) -> npt.NDArray[np.uint64]:
        """Hashes of the page's layout containers, sorted, without repeats, shape (containers,)."""
        return columns_of(self.data)[0]

    @property
    def tokens(self) -> npt.NDArray[np.int64]:
        """Tokens of each block, shape (m,)."""
        return (columns_of(self.data)[3] >> 1).astype(np.int64)


#: Maximum characters of a page's absolute addresses: a total, times the characters it writes of them, and per element.
#: A link of 10 characters may stand for an address of 2,000. None of 229 recorded pages has more than a fifth of it.
URL_CHARS, URL_TIMES, URL_CHARS_AN_ELEMENT = 20_000, 4, 60
#: The selector that keeps ruby readings. They are part of their words, not content whatever else is decided.
_READINGS = compile_selector("rt")
#: Maximum characters of the paths of elements, per element of the page: on a nested page they grow with its square.
MAX_DESCRIBED = 100

# The reason for text that the boxes of a rendered page hide.
_BY_BROWSER = "not shown by the browser"
# Caches that depend on the text removed by the user's selectors, and other caches of the columns.
_OF_REMOVED = ("removed_elements", "removed_text", "_left_out", "block_texts", "unseen_blocks")
_OF_COLUMNS = ("elements", "blocks", "words", "json_ld", "articles", "unseen_elements", *_OF_REMOVED)


class Page:
    """A parsed page, made by `Page.parse`; its columns are computed when first read.

    Attributes:
        url: Its address, "" if unknown.
        tree: The core's tree.
        kept_by_user: Matches of each of the user's selectors of content.
        removed_by_user: Matches of each of the user's selectors of noise.
        is_too_large: Whether it exceeds a limit of the parser or the selectors, so that all of its text is its body.
        lacks_styles: Whether its styles take too long to read: hidden text may be kept.
        media_type: The type of what is no page, as a picture, and so has no text; "" for a page.

    Example:
        >>> page = Page.parse("<title>T</title><p>One <b>bold</b> word.<p><a href=/x>two</a>", url="http://a.example/")
        >>> page.title, page.links
        ('T', ('http://a.example/x',))
        >>> page.block_text(0), page.blocks.tokens.tolist()
        ('One bold word.', [3, 1])
    """

    def __init__(self, tree: Tree, *, url: str = "", boxes: Boxes | None = None) -> None:
        self.url = url
        self.tree = tree
        self.boxes = boxes
        self.kept_by_user: tuple[Match, ...] = ()
        self.removed_by_user: tuple[Match, ...] = ()
        self.is_too_large = tree.is_too_large
        self.lacks_styles = tree.lacks_styles
        self.media_type = ""

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
        """Parse any HTML, however broken; no page content raises an error.

        A page that would take the parser too long (`core/source.pyx`), or exceeds limits such as
        `core.tree.MAX_ELEMENTS`, is read as text without structure. What is neither markup nor text is empty.

        Args:
            html: The page. Bytes are decoded as browsers do.
            url: Its address, against which relative links are resolved.
            encoding: Encoding declared by the server, for bytes.
            boxes: Layout of its elements; dropped if it does not match the page's elements.
            keep: CSS selectors or XPaths of content, whatever the strategy decides. A host, a colon and a blank before
                one, as in `example.com: div.story`, limit it to pages of that host and its subdomains. `rt` keeps the
                readings of ruby text, in brackets.
            remove: CSS selectors or XPaths of noise; elements that `keep` matches, and those inside, stay.
            root: Root element of the page, or of a part of it, if lxml has parsed it: it is read instead of `html`, and
                not changed.

        Raises:
            TypeError: `html` is neither str nor bytes.
            ValueError: A selector is invalid, or the root is no node of a tree.
        """
        if not isinstance(html, (str, bytes)):
            raise TypeError(f"html must be str or bytes, got {type(html).__name__}")
        given = [compile_all(some) for some in (keep, remove)]
        if root is None and (kind := media_type(html)):
            page = cls(Tree(), url=url or "")
            page.media_type = kind
            return page
        selectors = [[one for one in some if one.is_for(url or "")] for some in given]
        keep_readings = any(one.paths == _READINGS.paths for one in selectors[0])
        selectors[0] = [one for one in selectors[0] if one.paths != _READINGS.paths]
        body, has_selectors = b"", any(selectors)
        if root is None:
            body = to_utf8(html, encoding)
            root = None if is_too_large(body) else root_of(body, for_selectors=has_selectors)
        tree = Tree()
        if root is not None:
            options = {"sheet": _sheet(*styles_of(root)), "size": len(html), "is_shared": not body}
            options |= {"keep_nodes": has_selectors, "keep_readings": keep_readings}
            root, tree = shown_tree(root, is_ours=bool(body), **options)
        if root is None or tree.is_too_large:
            tree = _text_alone(body or to_utf8(html, encoding))
        page = cls(tree, url=url or "", boxes=boxes)
        if has_selectors and not page.is_too_large:
            try:
                page.kept_by_user, page.removed_by_user = (find_elements(tree, root, some) for some in selectors)
            except TooLargeError:
                page.is_too_large = True
        return page

    @classmethod
    def without_structure(cls, html: str | bytes, *, url: str | None, encoding: str | None) -> Page:
        """Return a page of all text of some HTML, as for a page that is too large; this takes linear time."""
        page = cls(_text_alone(to_utf8(html, encoding)), url=url or "")
        page.is_too_large = True
        return page

    def __repr__(self) -> str:
        return f"<Page {self.url or '(no URL)'} {len(self.tree.element_rows)} elements>"

    @property
    def boxes(self) -> Boxes | None:
        """Layout of the elements, None if the page was not rendered; dropped if it does not match the elements."""
        return self._boxes

    @boxes.setter
    def boxes(self, boxes: Boxes | None) -> None:
        self._boxes = boxes if boxes is not None and len(boxes) == len(self.tree.element_rows) else None
        self.__dict__.pop("blocks", None)
        if self._boxes is not None:
            _ = self.blocks  # stores which blocks the browser hides in the rows, which the core reads

    @property
    def title(self) -> str:
        """Text of the title element, white space collapsed; the first `core.tree.MAX_TITLE` characters."""
        return self.tree.title

    @cached_property
    def noted(self) -> Noted:
        """Attributes that the columns do not hold."""
        return read_notes(self.tree.noted_values, self.tags())

    @cached_property
    def json_ld(self) -> list[str]:
        """The texts of the page's JSON-LD, each up to a limit."""
        return [text[:MAX_JSON] for text in self.tree.declared(b"json")]

    @cached_property
    def articles(self) -> list[str]:
        """The different texts that the page's JSON-LD gives as articles (`articleBody`)."""
        return json_strings(self.json_ld, "articleBody") if self.json_ld else []

    @cached_property
    def declared_types(self) -> frozenset[str]:
        """Types that the page declares: "newsarticle", "og:article", "generator:wordpress" (`parse`)."""
        return read_declared(dict(zip(DECLARING, map(self.tree.declared, map(str.encode, DECLARING)), strict=True)))

    def tags(self) -> list[str]:
        """Tag of each element, in document order."""
        return self.tree.tags()

    @cached_property
    def nbytes(self) -> int:
        """Approximate memory use of the page in bytes."""
        found = sum(match.elements.nbytes for match in (*self.kept_by_user, *self.removed_by_user))
        return 1000 + self.tree.nbytes + found + (0 if self.boxes is None else self.boxes.nbytes)

    @cached_property
    def elements(self) -> Elements:
        """Columns of the page's elements."""
        return Elements(self.tree)

    @cached_property
    def blocks(self) -> Blocks:
        """Columns of the page's blocks."""
        return Blocks(self.elements, self._boxes)

    @cached_property
    def words(self) -> Words:
        """Announcements in short blocks, and the share of their words that is in the title."""
        return read_words(self.tree)

    @cached_property
    def facts(self) -> PageFacts:
        """Facts of the page."""
        return PageFacts(self.url, facts_of(self.tree, self.url), self.title)

    @cached_property
    def data(self) -> bytes:
        """All its facts as bytes, as those of `PageFacts`."""
        return self.facts.data

    def drop_columns(self, names: Iterable[str] = _OF_COLUMNS) -> None:
        """Drop cached columns, by default all; they are computed again when read."""
        for name in names:
            self.__dict__.pop(name, None)

    def block_text(self, block: int) -> str:
        """Return the text of a block: white space collapsed, lines broken at `<br>`; preformatted text as it is.

        Text that the user removes is left out, unless that is all of it.
        """
        return self.tree.block_text(block, self._left_out)

    def text_of(self, wanted: BoolArray) -> str:
        """Return the texts of the wanted blocks, one per line."""
        return self.tree.text_of(np.ascontiguousarray(wanted, np.uint8), self._left_out)

    @cached_property
    def block_texts(self) -> list[str]:
        """Text of each block; see `block_text`."""
        return [self.block_text(block) for block in range(len(self.tree.block_rows))]

    @cached_property
    def unseen_elements(self) -> BoolArray:
        """Elements that nothing shows and the user does not keep; as in the browser on a rendered page."""
        e = self.elements
        unseen = e.has(Flag.HIDDEN)
        if self._boxes is not None:
            unseen = np.where(np.isnan(self._boxes.width), unseen, ~self._boxes.visible)
        if self.kept_by_user:
            unseen &= ~self._inside(self.kept_by_user)
        return np.asarray(unseen, np.bool_)

    @cached_property
    def unseen_blocks(self) -> BoolArray:
        """Blocks of which nothing shows anything, shape (m,)."""
        if not self.unseen_elements.any():
            return np.zeros(len(self.tree.block_rows), np.bool_)
        return np.asarray(self.blocks.share_owned_by(self.unseen_elements) == 1)

    def _unseen_texts(self) -> Iterator[tuple[int, int]]:
        """Yield the mark before each text that nothing shows, and the outermost element that hides it."""
        e, unseen = self.elements, self.unseen_elements
        outermost = e.nearest(unseen & ~np.where(e.parent >= 0, unseen[e.parent], False))
        marks = np.flatnonzero(e.of_text(unseen) & (e.visible_after > 0))
        return zip(marks.tolist(), outermost[e.text_owner[marks]].tolist(), strict=True)

    def _why_unseen(self, element: int) -> str:
        return REASONS[int(self.elements.tokens["reason"][self.elements.token[element]])] or _BY_BROWSER

    def hidden_texts(self) -> Iterator[tuple[str, str, str]]:
        """Yield path, text and reason of each outermost element that nothing shows, if it has any such text."""
        e, texts = self.elements, defaultdict[int, list[str]](list)
        for mark, element in self._unseen_texts():
            texts[element] += self.tree.slice(int(e.marks[mark]) + 1, int(e.text_ends[mark])).split()
        for element, path in zip(sorted(texts), self.paths_of(sorted(texts)), strict=True):
            yield path, " ".join(texts[element]), self._why_unseen(element)

    def unseen_reasons(self) -> dict[int, str]:
        """Return why nothing shows the text after a mark, by mark."""
        return {mark: self._why_unseen(element) for mark, element in self._unseen_texts()}

    def unseen_pieces(self) -> frozenset[str]:
        """Return the texts between tags that only elements which nothing shows have, white space collapsed."""
        e = self.elements
        unseen, is_text = e.of_text(self.unseen_elements), e.visible_after > 0

        def pieces(chosen: BoolArray) -> frozenset[str]:
            texts = map(self.tree.slice, (e.marks[chosen] + 1).tolist(), e.text_ends[chosen].tolist())
            return frozenset([" ".join(text.split()) for text in texts])

        found = pieces(unseen & is_text)
        return found - pieces(~unseen & is_text) if found else found

    def _inside(self, matches: Iterable[Match]) -> BoolArray:
        return self.elements.inside(np.concatenate([np.zeros(0, np.int64), *(match.elements for match in matches)]))

    @cached_property
    def removed_elements(self) -> BoolArray:
        """Elements that nothing shows, or that the user's selectors remove and do not keep, shape (elements,)."""
        if not self.removed_by_user:
            return self.unseen_elements
        removed = self._inside(self.removed_by_user) & ~self._inside(self.kept_by_user)
        return np.asarray(removed | self.unseen_elements)

    @cached_property
    def removed_text(self) -> BoolArray:
        """True if the user removes the text after each mark, shape (marks,)."""
        return self.elements.of_text(self.removed_elements)

    @cached_property
    def _left_out(self) -> npt.NDArray[np.int32]:
        """Positions in the text that are left out, shape (any, 2)."""
        if not self.removed_elements.any():
            return np.zeros((0, 2), np.int32)
        return np.ascontiguousarray(self.elements.texts_of(self.removed_elements)[:, 2:4], np.int32)

    def without(self, elements: IntArray) -> Page:
        """Return the page without the text of some elements, given their numbers, as if the user removed them."""
        if not len(elements):
            return self
        return self._but(removed_elements=self.removed_elements | self.elements.inside(elements))

    def unselected(self) -> Page:
        """Return the page with the text that the user's selectors remove, and that nothing shows."""
        return self._but(removed_elements=np.zeros(len(self.elements), np.bool_))

    def with_unseen(self) -> Page:
        """Return the page as if it hid nothing."""
        return self._but(unseen_elements=np.zeros(len(self.elements), np.bool_))

    def _but(self, **columns: BoolArray) -> Page:
        other = copy(self)
        other.drop_columns(_OF_REMOVED)
        other.__dict__.update(columns)
        return other

    def block_paths(self) -> list[str]:
        """Path of each block's element, as `html/body/div#main.story/p`; digits of ids and classes are left out."""
        return self.paths_of(self.blocks.element.tolist())

    def paths_of(self, elements: Sequence[int], most: int = 10_000) -> list[str]:
        """Return the path of each of some elements; longer ones than `most` characters are cut: `…/div/div/p`.

        So are those above the mean: all together have `MAX_DESCRIBED` characters per element of the page.
        """
        most = min(most, MAX_DESCRIBED * len(self.elements) // max(1, len(elements)))
        known = {-1: ""}
        parent = self.elements.parent.tolist()
        for element in elements:
            climbed, at = list[int](), element
            while at not in known:
                climbed.append(at)
                at = parent[at]
            for one in reversed(climbed):
                above, step = known[parent[one]], self.elements.step(one)
                whole = f"{above}/{step}" if above else step
                known[one] = whole if len(whole) <= most else f"…/{whole[-most:].partition('/')[2]}"
        return [known[element] for element in elements]

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Absolute http(s) URLs of the page's links in document order, without repeats or fragments.

        Those beyond the page's limit (`url_chars`) are left out.
        """
        return self.first_links(len(self.tree.element_rows))

    def first_links(self, most: int) -> tuple[str, ...]:
        """Return `links`, but of at most the first `most` addresses on the page."""
        left, found = self.url_chars, dict[str, None]()
        for href in islice(dict.fromkeys(href for _, href in self.tree.values_of(b"href")), most):
            url = self.absolute(href)
            left -= len(url)
            if left < 0:
                break
            found[url] = None
        found.pop("", None)
        return tuple(found)

    @property
    def url_chars(self) -> int:
        """Maximum characters of the page's absolute addresses, whose length the page chooses."""
        written = sum(len(url) for name in (b"href", b"src") for _, url in self.tree.values_of(name))
        return URL_CHARS + URL_TIMES * written + URL_CHARS_AN_ELEMENT * len(self.tree.element_rows)

    @cached_property
    def base_url(self) -> str:
        """URL that the page's references are relative to: that of its `base` element, if it has one."""
        return _absolute(self.url, next(iter(self.tree.declared(b"base")), "")) or self.url

    def absolute(self, reference: str) -> str:
        """Return a reference as an absolute http(s) URL without fragment, "" if it is invalid."""
        return _absolute(self.base_url, reference)

    @cached_property
    def _own_address(self) -> str:
        return self.absolute(self.url)

    def leads_here(self, reference: str) -> bool:
        """Return whether a reference leads to a place on the page itself."""
        address, _, place = reference.strip().partition("#")
        return bool(place) and (not address or self.absolute(reference) == self._own_address != "")


def _absolute(base: str, reference: str) -> str:
    if len(reference) > MAX_URL_LENGTH:  # mostly data:, which the standard library would cache
        return ""
    try:
        url = urldefrag(urljoin(base, reference.strip())).url
    except ValueError:
        return ""
    return url if url.startswith(("http://", "https://")) else ""


#: Sheets are kept for other pages of a site.
_sheet = lru_cache(64)(StyleSheet)


def _text_alone(body: bytes) -> Tree:
    """Return the tree of a page that is too large: its text without structure; an empty tree if it has none."""
    root = root_of(text_alone(body))
    tree = Tree() if root is None else tree_of(root, break_lines=True)
    tree.is_too_large = len(tree.block_rows) > 0
    return tree
