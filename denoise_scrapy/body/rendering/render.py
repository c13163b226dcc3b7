"""From a page's columns to the tokens of a rendering: one walk over what is kept, with its tables and images."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.rendering.html import CONTAINERS, INLINES, Attributes, Token
from denoise_scrapy.body.rendering.references import safe_image_url, safe_url
from denoise_scrapy.body.rendering.writer import Writer
from denoise_scrapy.body.tables import span, written_tables
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.markup import HEADING_TAGS
from denoise_scrapy.page.paths import ROOT_TAGS

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

#: An image at the edge of what it stands in stays where at least this share of the text in it is kept. Between
#: two kept blocks it stays whatever else is there.
MIN_KEPT_SHARE = 0.5
#: At the edge of the whole page stand mastheads and buttons: there all text must be kept (all 40 such images that
#: half the text let in on recorded pages were of that kind).
MIN_KEPT_SHARE_OF_PAGE = 1.0
#: Parts of the page whose images are none of the text around.
_APART = Flag.NAV | Flag.FOOTER | Flag.ASIDE | Flag.CONTROL
#: Images of no more in either direction count readers or are signs, not pictures.
MAX_PIXEL = 20
_PIXELS = re.compile(r"\s*(\d{1,5})(?:\.\d*)?\s*(?:px)?\s*", re.ASCII | re.IGNORECASE)


def kept_images(page: Page, kept: BoolArray) -> IntArray:
    """Elements of the images that belong to the kept blocks, in document order.

    An image in a line of text goes with the text. One that stands alone belongs to the nearest element
    around it that holds text (captions of figures aside): it stays where the texts next to it in there are kept,
    both of them, or one of them and most of the text. An image in a figure stays with any of its caption;
    where the caption is dropped, the figure counts as one image that stands alone.
    """
    e, blocks = page.elements, page.blocks
    images = np.flatnonzero(e.has_tag({"img"}))
    if not len(images) or not kept.any():
        return images[:0]
    mark = np.flatnonzero(e.is_start)[images]
    block = blocks.block_of_text[mark]
    with_text = (block >= 0) & kept[block]
    figure = e.nearest(e.has_tag({"figure"}))
    in_figure = figure[images] >= 0
    with_caption = in_figure & (blocks.subtree_sums(kept)[figure[images]] > 0)
    outside = np.flatnonzero(figure[blocks.element] < 0)
    around, alone = _stands_in_kept(page, kept, outside, images, e.marks[mark])
    alone &= (block < 0) | in_figure
    flags = np.asarray(e.column("flags"), np.int64)
    own = flags[images] & ~flags[np.where(block >= 0, blocks.element[block], around)]  # below what they stand in
    alone &= (own & _APART) == 0
    shown = ((own & Flag.HIDDEN) == 0) & ~page.removed_text[mark]
    return np.asarray(images[(with_text | with_caption | alone) & shown])


def _stands_in_kept(
    page: Page, kept: BoolArray, outside: IntArray, images: IntArray, position: IntArray
) -> tuple[IntArray, BoolArray]:
    """For images that stand alone: the element with text around each, and whether the image is part of what is kept.

    `outside` are the blocks outside of figures, `position` the places of the images in the marked text.
    """
    e, blocks = page.elements, page.blocks
    at, chars = blocks.element[outside], blocks.chars[outside]
    total = np.asarray(e.subtree_sums(np.bincount(at, chars, len(e))), np.float64)
    kept_total = np.asarray(e.subtree_sums(np.bincount(at, chars * kept[outside], len(e))), np.float64)
    around = e.nearest(total > 0)[images]
    after = np.searchsorted(blocks.start[outside], position)
    neighbours = np.concatenate([[-1], outside, [-1]])[np.stack([after, after + 1])]  # before, after
    element = blocks.element[neighbours]
    inside = (neighbours >= 0) & (around <= element) & (element < e.end[around]) & (around >= 0)
    stays = kept[neighbours] & inside
    at_root = np.asarray(e.has_tag(ROOT_TAGS))[around]
    mostly = kept_total[around] >= np.where(at_root, MIN_KEPT_SHARE_OF_PAGE, MIN_KEPT_SHARE) * total[around]
    return around, np.asarray((stays == inside).all(axis=0) & (inside.all(axis=0) | (inside.any(axis=0) & mostly)))


def image_attributes(base: str, source: str, told: Mapping[str, str]) -> Attributes:
    """What is written of an image, () for one that shows nothing: without an address, or a tracking pixel.

    Example:
        >>> image_attributes("http://a.example/", "b.png", {"alt": "B", "width": "90px", "height": "50%"})
        (('src', 'http://a.example/b.png'), ('alt', 'B'), ('width', '90'))
    """
    address = safe_image_url(base, told.get("src", "")) or safe_image_url(base, source)
    sizes = {name: int(size[1]) for name in ("width", "height") if (size := _PIXELS.fullmatch(told.get(name, "")))}
    if not address or min(sizes.values(), default=2) < 2 or (len(sizes) == 2 and max(sizes.values()) <= MAX_PIXEL):
        return ()
    alt = " ".join(told.get("alt", "").split())
    return (("src", address), ("alt", alt), *((name, str(size)) for name, size in sizes.items()))


#: How highlighters name a language in the classes of `code`, `pre`, or one of the two elements around it.
_LANGUAGE = re.compile(
    r"[.](?:language|lang|highlight-source|highlight)-([a-z][a-z+#-]{0,20})(?![\w+#-])", re.IGNORECASE
)
_NUMBER = re.compile(r"-?\d{1,9}", re.ASCII)
_SCOPES = frozenset(["row", "col", "rowgroup", "colgroup"])
_NO_LANGUAGE = frozenset(["default", "none", "text", "plain", "plaintext", "txt", "notranslate"])


def render(page: Page, kept: BoolArray) -> list[Token]:
    """The kept blocks in reading order, with the structure they stand in: well-formed, tags of `html.WRITTEN` alone.

    Example:
        >>> from denoise_scrapy.body.rendering import to_html
        >>> page = Page.parse("<div><h2>Title</h2><div>One<script>x</script></div></div><nav>Menu</nav>")
        >>> print(to_html(render(page, np.array([True, True, False]))))
        <h2>Title</h2>
        <p>One</p>
    """
    return _Walk(page, np.asarray(kept, bool)).tokens() if len(page.blocks) else []


class _Walk:
    """A walk over the marks of a page that hands what is kept to a `Writer`."""

    def __init__(self, page: Page, kept: BoolArray) -> None:
        self._page, self._kept = page, kept
        self._writer = Writer()
        self._paths = page.elements.paths.tolist()
        self._tags = page.path_table.tags
        self._ends_block = page.path_table.columns["block"]
        self._references = dict(page.references)
        self._told: dict[int, dict[str, str]] = defaultdict(dict)
        for element, name, value in page.attributes:
            self._told[element][name] = value
        self._url_chars = page.url_chars  # that are left; links and images past them are not written

    def tokens(self) -> list[Token]:
        """Walk, and return what was written."""
        e, blocks = self._page.elements, self._page.blocks
        in_kept = np.append(self._kept, False)[blocks.block_of_text] & ~self._page.removed_text
        self._images = self._shown_images()
        shown = in_kept & (np.diff(e.visible_before) > 0) & (e.text_owner >= 0)
        own = np.bincount(e.text_owner[shown], minlength=len(e))
        own[list(self._images)] += 1
        live = np.asarray(e.subtree_sums(own), np.int64) > 0
        layout, empty = written_tables(self._page, self._kept, live)
        self._layout = layout.tolist()
        self._walk(live | empty, in_kept)
        tokens = self._writer.finish()
        if self._direction() != "rtl" or not tokens:
            return tokens
        return [Token("start", "div", (("dir", "rtl"),)), *tokens, Token("end", "div")]

    def _walk(self, written: BoolArray, in_kept: BoolArray) -> None:
        """Go through the marks of written elements and the texts of kept blocks."""
        e, writer = self._page.elements, self._writer
        is_written = written[e.mark_element]
        breaks = np.asarray(e.column("br"), bool)[e.mark_element] & e.is_start
        after = np.append(e.marks, len(e.text.codes))[1:]
        chosen = np.flatnonzero(is_written | in_kept)
        columns = (e.mark_element, e.is_start, is_written, in_kept, breaks, self._page.blocks.block_of_text)
        rows = zip(*(column[chosen].tolist() for column in (*columns, e.marks + 1, after)), strict=True)
        for element, starts, is_tag, is_text, is_break, block, start, end in rows:
            if is_tag and starts:
                self._start(element, block)
            elif is_tag:
                self._end(element)
            if is_break:
                writer.break_line()
            if is_text and start + is_break < end:
                writer.text(e.text.slice(start + is_break, end), block)

    def _start(self, element: int, block: int) -> None:
        path, writer = self._paths[element], self._writer
        tag = self._tags[path]
        if self._ends_block[path]:
            writer.end_block()
        if element in self._images:
            writer.image(self._images[element], block)
        elif tag == "pre":
            writer.open_preformatted(element, self._language(element))
        elif tag in HEADING_TAGS:
            writer.open_heading(element, tag)
        elif tag in CONTAINERS:
            if not self._layout[element]:
                writer.open_container(element, CONTAINERS[tag], self._attributes(element, tag))
        elif tag == "a":
            url = self._counted(safe_url(self._page.base_url, self._references.get(element, "")))
            if url:
                writer.open_inline(element, tag, (("href", url),))
        elif tag in INLINES:
            writer.open_inline(element, INLINES[tag])

    def _end(self, element: int) -> None:
        if self._ends_block[self._paths[element]]:
            self._writer.end_block()
        self._writer.end(element)

    def _attributes(self, element: int, tag: str) -> Attributes:
        """Attributes of a container: numbers, and one of few words."""
        if element not in self._told:
            return ()
        written = []
        for name, value in self._told[element].items():
            if name in ("colspan", "rowspan") and span(value) > 1:
                written.append((name, str(span(value))))
            elif (name == "start" and tag == "ol" and _NUMBER.fullmatch(value)) or (
                name == "scope" and value in _SCOPES
            ):
                written.append((name, value))
        return tuple(written)

    def _shown_images(self) -> dict[int, Attributes]:
        """Attributes of each image that is written."""
        written = {}
        for element in kept_images(self._page, self._kept).tolist():
            source, told = self._references.get(element, ""), self._told.get(element, {})
            attributes = image_attributes(self._page.base_url, source, told)
            if attributes and self._counted(attributes[0][1]):
                written[element] = attributes
        return written

    def _counted(self, url: str) -> str:
        """The URL, "" where the rendering has too many characters of them already."""
        self._url_chars -= len(url)
        return url if self._url_chars >= 0 else ""

    def _language(self, element: int) -> str | None:
        """Language of preformatted text as its classes tell; "" for code of an unknown one, None for other text."""
        paths, table = self._paths, self._page.path_table
        own = paths[element]
        inner = paths[element + 1 : element + 2]
        is_code = bool(inner) and self._tags[inner[0]] == "code"
        for path in (*(inner if is_code else ()), own, table.parent[own], table.parent[table.parent[own]]):
            named = _LANGUAGE.search(table.step(path))
            if named and named[1].lower() not in _NO_LANGUAGE:
                return named[1].lower()
        return "" if is_code else None

    def _direction(self) -> str:
        """Reading direction that the root elements tell, the body's before the document's."""
        told = [of["dir"] for _, of in sorted(self._told.items()) if "dir" in of]
        return told[-1].strip().lower() if told else ""
