"""The result of extraction: the body, its blocks, and how it was found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.chunks import Chunk, chunk_markdown
from denoise_scrapy.body.rendering import Token, to_html, to_markdown
from denoise_scrapy.metadata import Metadata, metadata_of

T = TypeVar("T")


@dataclass(frozen=True)
class Block:
    """A run of text between two block boundaries of the page.

    Attributes:
        path: Tags, ids and classes from the root to the block's element, as `html/body/div#main/p`.
        text: Its text, white space collapsed.
        probability: How likely it is content, 0 to 1, in the strategy's own estimate.
        kept: Whether it is part of the body.
        reason: The strategy's main reason in words.
    """

    path: str
    text: str
    probability: float
    kept: bool
    reason: str


@dataclass(frozen=True, eq=False)
class Body:
    """The clean text of a page.

    Attributes:
        text: The kept blocks in reading order, a line each (more where the page breaks lines).
        confidence: Expected token F1 of `text` in the strategy's own estimate, 0 to 1.
        strategy: Name of the strategy that decided.
        comparison: URLs of the comparison pages that were used.
        fallback: What was done where the strategy could not decide as it should: "" (nothing was
            lacking), "page alone" (no comparison page), "whole text" (nothing was selected), "too large" (the page
            is over a bound: all of its text); and where the user's wishes leave nothing of what was selected: "second
            choice" (the likeliest of the rest), "dropped kinds" (there is nothing else), "all removed" (nothing is
            left).
        evidence: What the body rests on, best first: "comparison pages", "page alone", "whole text".
        probability: How likely each of the page's m blocks is content, shape (m,).
        url: URL of the page, "" where it has none.
    """

    text: str
    confidence: float
    strategy: str
    comparison: tuple[str, ...] = ()
    fallback: str = ""
    evidence: str = "page alone"
    probability: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0), repr=False)
    url: str = ""
    # what is made when somebody looks: `make_rendering` makes what `html` and `markdown` are written from
    make_blocks: Callable[[], tuple[Block, ...]] = tuple
    make_rendering: Callable[[], Sequence[Token]] = tuple
    make_title: Callable[[], str] = str
    make_meta: Callable[[Body], Metadata] = field(default_factory=lambda: partial(metadata_of, "", None))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of the page, kept or not, in document order."""
        return self.make_blocks()

    @cached_property
    def html(self) -> str:
        """The kept blocks as a fragment of HTML, with the structure and the images they stand in.

        Nothing in it runs, whatever the page holds: only tags and attributes of a short list are written. Addresses
        are absolute.
        """
        return to_html(self.make_rendering())

    @cached_property
    def markdown(self) -> str:
        """The same as Markdown. HTML that the page's text shows is escaped."""
        return self.to_markdown()

    def to_markdown(self, links: str = "keep", images: str = "keep") -> str:
        """Return the Markdown with less of links and images.

        Args:
            links: "keep", or "text" for their texts without addresses. Footnotes stay.
            images: "keep", "text" for their alternative texts, or "drop".

        Raises:
            ValueError: `links` or `images` is none of these.

        Example:
            >>> from denoise_scrapy import extract
            >>> page = "<p>It <a href=/rain>rained</a> all night <img src=/sun.png alt=sun> over the hills."
            >>> extract(page, "http://a.example/").to_markdown(links="text", images="drop")
            'It rained all night over the hills.'
        """
        return to_markdown(self.make_rendering(), links, images)

    def chunks(
        self,
        max_tokens: int = 400,
        overlap: int = 0,
        count: Callable[[str], int] | None = None,
        *,
        links: str = "keep",
        images: str = "keep",
    ) -> list[Chunk]:
        """Return the Markdown in chunks for a language model, each with the headings above it.

        No sentence, row of a table or function is cut, nor an item, a quote or code that fits into a chunk.

        Args:
            max_tokens: Most tokens of a chunk, its headings included.
            overlap: Tokens that a chunk repeats of the one before, at most: whole sentences below the same headings.
            count: Counts the tokens of a text; the default estimates them.
            links: As in `to_markdown`.
            images: The same.

        Raises:
            ValueError: `links` or `images` is not valid, `max_tokens` is less than 1, or `overlap` is not between 0 and
                `max_tokens`.
        """
        markdown = self.to_markdown(links, images)
        return chunk_markdown(markdown, max_tokens, overlap, count, url=self.url, title=self.title)

    @cached_property
    def title(self) -> str:
        """The page's title without the name of its site, where that is found; "" where there is no title.

        Comparison pages show it best: their titles end, or begin, with the same.
        """
        return self.make_title()

    @cached_property
    def meta(self) -> Metadata:
        """Metadata: authors, dates, site, image …; title and language alone of a parsed `Page`.

        Raises:
            ImportError: The extra `denoise-scrapy[meta]` is not installed.
        """
        return self.make_meta(self)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle; all that is made on demand is made first, but for metadata."""
        state = {field.name: getattr(self, field.name) for field in fields(self)}
        state["make_blocks"] = partial(_itself, self.blocks)
        state["make_rendering"] = partial(_itself, tuple(self.make_rendering()))
        state["make_title"] = partial(_itself, self.title)
        if "meta" in vars(self):
            state["make_meta"] = partial(_itself, self.meta)
        return state

    def __str__(self) -> str:
        return self.text


def _itself(value: T, *_: Body) -> T:
    return value
