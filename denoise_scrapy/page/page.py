"""One page: its feature tree in columns, its blocks, its links; and the facts that others are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from urllib.parse import urldefrag, urljoin

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.attributes import MAX_URL_LENGTH
from denoise_scrapy.page.blocks import Blocks
from denoise_scrapy.page.columns import BoolArray, Boxes, Elements, IntArray
from denoise_scrapy.page.marked_text import PREFORMATTED, collapsed, cut_slices, mix
from denoise_scrapy.page.markup import Flag
from denoise_scrapy.page.parse import parse_markup, to_utf8
from denoise_scrapy.page.paths import PathTable
from denoise_scrapy.page.reader import ParsedMarkup
from denoise_scrapy.page.selectors import Match, TooLargeError, compile_all, find_elements, removed_elements


@dataclass(frozen=True, eq=False)
class PageFacts:
    """Facts of a page of m blocks, which other pages are compared with: some 50 bytes a block.

    Attributes are those of `Page` and `Blocks`, of shape (m,); facts from a file have no title.
    """

    url: str
    signature: frozenset[int]
    text_hashes: npt.NDArray[np.uint64]
    path_keys: npt.NDArray[np.uint64]
    tokens: npt.NDArray[np.int64]
    title: str = ""

    @property
    def facts(self) -> PageFacts:
        """These facts: they stand for the page where only its facts count."""
        return self

    @property
    def nbytes(self) -> int:
        """About what they occupy in memory, in bytes."""
        # a set of integers takes some 70 bytes an entry, arrays and objects about two kilobytes; as many bytes a block
        # again are the numbers of what it shares with others (`site/shared.py`)
        return 2000 + 48 * len(self.tokens) + 80 * len(self.signature) + 2 * len(self.title)


#: Each word of a page is looked for in its title: of recorded pages the longest has 228 characters.
MAX_TITLE = 1000
#: Characters of a page's addresses, made absolute: so many at all, so many times what it writes of them, and so many
#: for each of its elements. A link of 10 characters may stand for an address of 2,000. No recorded page of 229
#: has more than a fifth of it.
URL_CHARS, URL_TIMES, URL_CHARS_AN_ELEMENT = 20_000, 4, 60
#: Characters of the paths of a page's blocks for each of its elements: those of a nested page are its square.
MAX_DESCRIBED = 100
_PREFORMATTED = int(Flag.PREFORMATTED)  # as an enum it takes microseconds


class Page:
    """A parsed page. Made by `Page.parse`; its columns are computed when first read.

    Attributes:
        url: Where the page came from, "" where unknown.
        title: Text of its title element, white space collapsed; the first `MAX_TITLE` characters.
        boxes: Layout geometry, None where the page was not rendered.
        sizes: (element, width, height) as written, "" for none, of the frames that have one (`markup.SIZED_TAGS`).
        attributes: (element, name, value) of images, cells and lists, as written (`attributes`).
        noscript_read: Whether the text inside `noscript` was taken as the page's, for it holds the most.
        declared_types: What the page says it is: "newsarticle", "og:article", "generator:wordpress" (`attributes`).
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

    def __init__(self, parsed: ParsedMarkup, table: PathTable, *, url: str = "", boxes: Boxes | None = None) -> None:
        self.url = url
        self.title = " ".join(parsed.title.split())[:MAX_TITLE]
        self.boxes = boxes if boxes is not None and len(boxes) == len(parsed.paths) else None
        self.sizes = parsed.sizes
        self.attributes = parsed.attributes
        self.noscript_read = parsed.noscript_read
        self.declared_types = frozenset(parsed.declared.names)
        self.kept_by_user: tuple[Match, ...] = ()
        self.removed_by_user: tuple[Match, ...] = ()
        self.is_too_large = parsed.is_too_large
        self._base = parsed.base
        self._paths = parsed.paths
        self._text = parsed.text
        self._urls = parsed.urls
        self._table = table

    @classmethod
    def parse(
        cls,
        html: str | bytes,
        *,
        url: str | None = None,
        encoding: str | None = None,
        boxes: Boxes | None = None,
        paths: PathTable | None = None,
        keep: str | Iterable[str] = (),
        remove: str | Iterable[str] = (),
    ) -> Page:
        """Parse any HTML, however broken; nothing that a page holds raises.

        Of a page over `parse.MAX_ELEMENTS` and its like the rest is read as text without structure.

        Args:
            html: The page. Bytes are decoded as browsers do.
            url: Where it came from; relative links are resolved against it.
            encoding: Encoding that the server names, for bytes.
            boxes: Layout geometry of its elements; dropped where it does not fit the page's elements.
            paths: Path table shared by the pages of a site, which makes all but the first page cheaper.
            keep: CSS selectors or XPaths of what is content whatever a strategy says. A host, a colon and a blank in
                front, as in `example.com: div.story`, limit one to pages of that host and its subdomains.
            remove: The same of what is none; what `keep` finds too, or is inside of that, stays.

        Raises:
            TypeError: `html` is neither str nor bytes.
            ValueError: A selector is invalid.
        """
        if not isinstance(html, (str, bytes)):
            raise TypeError(f"html must be str or bytes, got {type(html).__name__}")
        table = PathTable() if paths is None or paths.full else paths
        kept, removed = (
            [one for one in compile_all(selectors) if one.is_for(url or "")] for selectors in (keep, remove)
        )
        body = to_utf8(html, encoding)
        page = cls(parse_markup(body, table), table, url=url or "", boxes=boxes)
        if (kept or removed) and not page.is_too_large:
            try:
                found = find_elements(body, [*kept, *removed], keep_noscript=page.noscript_read)
            except TooLargeError:
                page.is_too_large = True
            else:
                page.kept_by_user, page.removed_by_user = tuple(found[: len(kept)]), tuple(found[len(kept) :])
        return page

    def __repr__(self) -> str:
        return f"<Page {self.url or '(no URL)'} {len(self._paths)} elements>"

    @property
    def path_table(self) -> PathTable:
        """The path table the page was parsed with; other pages of its site may share it."""
        return self._table

    def tags(self) -> list[str]:
        """Tag of each element, in document order."""
        tags = self._table.tags
        return [tags[path] for path in self._paths.tolist()]

    @cached_property
    def nbytes(self) -> int:
        """About what the page occupies in memory, in bytes, its share of the path table included."""
        # some 300 bytes for each of its paths in the table; URLs are strings with a tuple each
        distinct = np.count_nonzero(np.bincount(self._paths))  # a quarter of the time of `np.unique`
        paths = 300 * int(distinct) + 12 * len(self._paths)
        urls = 150 * len(self._urls) + sum([len(url) for _, url in self._urls])
        more = (
            sum(len(value) + 150 for _, _, value in self.attributes)
            + 250 * len(self.sizes)
            + 100 * len(self.declared_types)
            + sum(match.elements.nbytes for match in (*self.kept_by_user, *self.removed_by_user))
            + (0 if self.boxes is None else self.boxes.nbytes)
        )
        return 1000 + len(self._text.data) + paths + urls + more

    @cached_property
    def elements(self) -> Elements:
        """Columns of the page's elements."""
        return Elements(self._paths, self._text, self._table)

    @cached_property
    def blocks(self) -> Blocks:
        """Columns of the page's blocks."""
        return Blocks(self.elements, self.boxes)

    @cached_property
    def facts(self) -> PageFacts:
        """Facts of the page. Computing them leaves no other columns behind."""
        blocks = self.__dict__.get("blocks") or Blocks(Elements(self._paths, self._text, self._table))
        # copies: views would hold all columns
        hashes, keys, tokens = (c.copy() for c in (blocks.text_hashes, blocks.path_keys, blocks.tokens))
        return PageFacts(self.url, self.signature, hashes, keys, tokens, self.title)

    def drop_columns(self) -> None:
        """Forget the columns, some five times the size of the page itself; they are made anew when read."""
        _ = self.facts
        columns = "elements blocks block_texts marked_texts _marked_string inner_hashes code_lengths removed_text"
        for name in columns.split():
            self.__dict__.pop(name, None)

    def leave_table(self) -> None:
        """Go on with a path table of the page's own paths alone, where no more pages are to be parsed with its own."""
        self._table, self._paths = self._table.part(self._paths)
        for name in ("elements", "blocks"):  # they know the old one
            self.__dict__.pop(name, None)

    def apart(self) -> Page:
        """The page with a path table of its own, for a thread of its own."""
        other = copy(self)
        other.leave_table()
        return other

    def block_text(self, block: int) -> str:
        """Text of a block: white space collapsed, lines broken at `<br>`; as it is in preformatted text."""
        made = self.__dict__.get("block_texts")
        return collapsed(self.marked_texts[block]) if made is None else made[block]

    def text_of(self, wanted: BoolArray) -> str:
        """Texts of the wanted of the blocks, a line each."""
        return "\n".join(map(collapsed, self.marked_texts_of(wanted.nonzero()[0])))

    @cached_property
    def block_texts(self) -> list[str]:
        """Text of each block; see `block_text`."""
        return list(map(collapsed, self.marked_texts))

    @cached_property
    def marked_texts(self) -> list[str]:
        """Slice of the marked string for each block: all that its text depends on."""
        return self._marked_texts(np.arange(len(self.blocks)))

    def marked_texts_of(self, blocks: IntArray) -> list[str]:
        """Those of `marked_texts` of some blocks, by their numbers; the others are not made."""
        made = self.__dict__.get("marked_texts")
        return self._marked_texts(blocks) if made is None else list(map(made.__getitem__, blocks.tolist()))

    @cached_property
    def _marked_string(self) -> str:
        return self._text.slice(0, len(self._text.codes))

    def _marked_texts(self, numbers: IntArray) -> list[str]:
        blocks = self.blocks
        starts, ends = blocks.start.take(numbers), blocks.end.take(numbers)
        if self.removed_by_user:
            marked = [self._left_text(*bounds) for bounds in zip(starts.tolist(), ends.tolist(), strict=True)]
        else:
            marked = cut_slices(self._text, self._marked_string, starts, ends)
        for i in ((blocks.flags.take(numbers) & _PREFORMATTED) != 0).nonzero()[0].tolist():
            marked[i] = PREFORMATTED + marked[i]
        return marked

    def _left_text(self, start: int, end: int) -> str:
        """The marked string between two positions, without what the user removes unless that is all of it."""
        marks = self.elements.marks
        first, last = np.searchsorted(marks, [start - 1, end])
        edges = [*marks[first:last].tolist(), end]
        left = "".join(
            self._text.slice(edges[run] + 1, edges[run + 1])
            for run in np.flatnonzero(~self.removed_text[first:last]).tolist()
        )
        return left if left.strip() else self._text.slice(start, end)

    @cached_property
    def removed_text(self) -> BoolArray:
        """Whether the user removes the text after each mark, shape (marks,)."""
        removed = removed_elements(self.elements, self.kept_by_user, self.removed_by_user)
        return np.append(removed, False)[self.elements.text_owner]  # owner -1 is the last value

    def without(self, elements: IntArray) -> Page:
        """The page less the text of some elements, by their numbers: left out as what the user removes is."""
        if not len(elements):
            return self
        inside = self.elements.inside(elements)
        touched = self.blocks.share_owned_by(inside).nonzero()[0]
        less, texts = copy(self), self.marked_texts.copy()
        less.removed_by_user = (*self.removed_by_user, Match("", elements))
        less.removed_text = self.removed_text | np.append(inside, False)[self.elements.text_owner]
        for block, text in zip(touched.tolist(), less._marked_texts(touched), strict=True):
            texts[block] = text
        less.marked_texts = texts
        less.__dict__.pop("block_texts", None)
        return less

    def block_paths(self) -> list[str]:
        """Path of each block's element, as `html/body/div#main.story/p`; digits of ids and classes are left out.

        Of a long path it is the end: all of them have `MAX_DESCRIBED` characters an element of the page.
        """
        paths = self._paths[self.blocks.element].tolist()
        names = self._table.describe(paths, MAX_DESCRIBED * len(self._paths) // max(1, len(paths)))
        return [names[path] for path in paths]

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Absolute http(s) URLs of the page's links in document order, each once, without fragments.

        Those past the page's bound (`url_chars`) are left out.
        """
        return self.first_links(len(self._urls))

    def first_links(self, most: int) -> tuple[str, ...]:
        """Return `links`, but of no more than the first `most` addresses that stand in the page."""
        tags, paths, left = self._table.tags, self._paths, self.url_chars
        found: dict[str, None] = {}
        hrefs = dict.fromkeys(url for element, url in self._urls if tags[paths[element]] != "img")
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
        written = sum([len(url) for _, url in self._urls])
        return URL_CHARS + URL_TIMES * written + URL_CHARS_AN_ELEMENT * len(self._paths)

    @cached_property
    def base_url(self) -> str:
        """URL that the page's references are relative to: of its `base` element, where that has one."""
        try:
            base = urljoin(self.url, self._base.strip()) if len(self._base) <= MAX_URL_LENGTH else ""
        except ValueError:
            return self.url
        return base if base.startswith(("http://", "https://")) else self.url

    @property
    def references(self) -> Sequence[tuple[int, str]]:
        """(element, href or src as written) of links and images, in document order."""
        return self._urls

    def absolute(self, reference: str) -> str:
        """A reference of the page as an absolute http(s) URL without fragment, "" where it is none."""
        if len(reference) > MAX_URL_LENGTH:  # data:, for the most; the standard library would remember it
            return ""
        try:
            url = urldefrag(urljoin(self.base_url, reference.strip())).url
        except ValueError:
            return ""
        return url if url.startswith(("http://", "https://")) else ""

    @cached_property
    def inner_hashes(self) -> npt.NDArray[np.uint64]:
        """A hash of each element's innerHTML, shape (elements,). Source: Song et al. (2011), section 3, rule 5."""
        urls = np.zeros(len(self._paths), np.uint64)
        for element, url in self._urls:
            urls[element] = hash(url) & 0xFFFFFFFFFFFFFFFF  # of one process: never stored
        return self.elements.inner_hashes(np.where(urls, mix(urls), 0).astype(np.uint64))

    @cached_property
    def code_lengths(self) -> npt.NDArray[np.int64]:
        """Characters of each element's outerHTML, shape (elements,): tags with class and id, URLs, visible text."""
        own = np.asarray(self.elements.column("markup"), np.int64) + self.elements.own_chars
        for element, url in self._urls:
            own[element] += len(url) + 8  # ` href=""` or ` src=""`
        return np.asarray(self.elements.subtree_sums(own))

    @cached_property
    def signature(self) -> frozenset[int]:
        """Path hashes of the page's layout containers.

        Source: Wang, Chen and Dai (2018): the set of a page's block paths, here without sibling positions
        and ids, which would keep pages of one template apart.
        """
        return frozenset(layout_shapes(self._paths, self._table).tolist())


def layout_shapes(paths: npt.NDArray[np.int32], table: PathTable) -> npt.NDArray[np.uint64]:
    """Return the hashes of `Page.signature` as an array, the same one several times, shape (containers,)."""
    containers = paths.compress(np.asarray(table.columns["container"], np.bool_).take(paths))
    return np.asarray(table.columns["shape"], np.uint64).take(containers)
