"""From a page's columns to the tokens of a rendering: one walk over the marks of what is kept."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.rendering.images import image_attributes, kept_images
from denoise_scrapy.body.rendering.tables import read_tables, span
from denoise_scrapy.body.rendering.tags import CONTAINERS, INLINES, Attributes, Token
from denoise_scrapy.body.rendering.writer import Writer
from denoise_scrapy.page import Page
from denoise_scrapy.page.markup import HEADING_TAGS
from denoise_scrapy.page.references import safe_url

BoolArray = npt.NDArray[np.bool_]

#: How highlighters name a language in the classes of `code`, `pre`, or one of the two elements around it.
_LANGUAGE = re.compile(
    r"[.](?:language|lang|highlight-source|highlight)-([a-z][a-z+#-]{0,20})(?![\w+#-])", re.IGNORECASE
)
_NUMBER = re.compile(r"-?\d{1,9}", re.ASCII)
_SCOPES = frozenset(["row", "col", "rowgroup", "colgroup"])
_NO_LANGUAGE = frozenset(["default", "none", "text", "plain", "plaintext", "txt", "notranslate"])


def render(page: Page, kept: BoolArray) -> list[Token]:
    """The kept blocks in reading order, with the structure they stand in.

    Args:
        page: A page of m blocks.
        kept: Which of them are kept, shape (m,).

    Returns:
        Start tags, end tags and texts, well-formed, of the whitelist in `tags` alone.

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
        tables = read_tables(self._page, self._kept, live)
        self._layout = tables.layout
        self._walk(live | tables.empty, in_kept)
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
