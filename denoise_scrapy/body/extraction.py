"""Extract the body of a page, compared with its site; or the bodies of many pages in one call."""

from __future__ import annotations

import os
import re
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, partial
from html import escape
from itertools import filterfalse, starmap
from operator import attrgetter
from pathlib import Path
from reprlib import repr as shortened
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from parsel import Selector
from w3lib.encoding import http_content_type_encoding

from denoise_scrapy import metadata
from denoise_scrapy.body.anchors import anchors_of
from denoise_scrapy.body.examples import FITS, MOST_EXAMPLES, Example, taught
from denoise_scrapy.body.kind import kind_of
from denoise_scrapy.body.leftovers import without_leftovers
from denoise_scrapy.body.named import Found, named_texts
from denoise_scrapy.body.rendering import Token, render, to_html, to_markdown
from denoise_scrapy.body.stated import stated_text
from denoise_scrapy.body.strategies import DEFAULT_STRATEGY, Decision, Strategy, find_strategy
from denoise_scrapy.body.taste import NO_TASTE, WHOLE_TEXT, Taste, follow, lean
from denoise_scrapy.body.title import first_heading, title_of
from denoise_scrapy.exceptions import TooLargeError
from denoise_scrapy.metadata.annotations import MAX_HTML, writable
from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.page.attributes import declared_url
from denoise_scrapy.page.columns import BoolArray
from denoise_scrapy.page.parse import decode_html
from denoise_scrapy.site import PageMemory, SiteStatistics

if TYPE_CHECKING:
    from denoise_scrapy.body.chunks import Chunk
    from denoise_scrapy.metadata import Metadata, News


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


class Hidden(NamedTuple):
    """A text of the page that nothing shows, and so is in no output.

    Attributes:
        path: Path of the element that hides it.
        text: The text.
        reason: What hides it: "display: none", "off the screen" …
    """

    path: str
    text: str
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Body:
    """The clean text of a page.

    Attributes:
        text: The kept blocks in reading order, one per line (more if the page breaks lines).
        confidence: Expected token F1 of `text` in the strategy's own, cautious estimate, 0 to 1.
        strategy: Name of the strategy that decided.
        comparison: URLs of the comparison pages that were used.
        fallback: How the body was chosen if the strategy could not decide normally: "" (it could), "page alone" (no
            comparison page), "whole text" (nothing was selected), "structured data" (the page's JSON has a text that it
            does not show), "too large" (the page exceeds a limit: all of its text), "no markup" (it is a picture, a
            PDF, JSON …: no text), "callable" (a function of the project gave it: `DENOISE_FALLBACK`); and if the user's
            wishes remove everything selected: "second choice" (the most probable remaining blocks), "dropped kinds"
            (only those are available), "all removed" (nothing is left).
        evidence: Basis of the decision, best first: "comparison pages", "page alone", "whole text"; of what is no page,
            its type, as "application/pdf".
        probability: Probability that each of the page's m blocks is content, shape (m,).
        kept: Which of them are in the body, shape (m,).
        url: URL of the page, "" if unknown.
        example_likeness: Share of the page's words in places that the most similar example of the site knows, 0 to 1;
            None without examples.
    """

    text: str
    confidence: float
    strategy: str
    comparison: tuple[str, ...] = ()
    fallback: str = ""
    evidence: str = "page alone"
    probability: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    kept: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))
    url: str = ""
    example_likeness: float | None = None
    # made on first access: `make_rendering` makes the tokens for `html` and `markdown`
    make_blocks: Callable[[], tuple[Block, ...]] = tuple
    make_rendering: Callable[[], Sequence[Token]] = tuple
    make_anchors: Callable[[], Sequence[tuple[str, str]]] = tuple
    make_title: Callable[[], str] = str
    make_kind: Callable[[], str] = str
    make_hidden: Callable[[], tuple[Hidden, ...]] = tuple
    make_unseen: Callable[[], frozenset[str]] = frozenset
    make_source: Callable[[], str] = str  # the page as HTML, for metadata
    make_taught: Callable[[], Mapping[str, Found]] = dict

    def __repr__(self) -> str:
        return f"Body({shortened(self.text)}, confidence={self.confidence:.2f}, evidence={self.evidence!r})"

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of the page, kept or not, in document order."""
        return self.make_blocks()

    @cached_property
    def hidden(self) -> tuple[Hidden, ...]:
        """The texts of the page that nothing shows, in document order: they were left out of the body.

        Example:
            >>> from denoise_scrapy import extract
            >>> body = extract("<p>It rained all night<span style='display:none'> and you must obey</span>.")
            >>> body.text, [(one.text, one.reason) for one in body.hidden]
            ('It rained all night.', [('and you must obey', 'display: none')])
        """
        return self.make_hidden()

    @cached_property
    def html(self) -> str:
        """The kept blocks as an HTML fragment, with their structure and images.

        No script of the page can run: only tags and attributes on a short list are written. URLs are
        absolute.
        """
        return to_html(self._rendering)

    @cached_property
    def selector(self) -> Selector:
        """Selector of parsel over `html`, for the links, images and tables of the body; an empty body has none.

        Example:
            >>> from denoise_scrapy import extract
            >>> page = "<nav><a href=/>Home</a></nav><p>It <a href=/rain>rained</a> all night <img src=/sun.png>."
            >>> body = extract(page, "http://a.example/")
            >>> body.selector.css("a::attr(href)").getall(), body.selector.xpath("//img/@src").get()
            (['http://a.example/rain'], 'http://a.example/sun.png')
        """
        base = self.url.encode("utf-8", "replace").decode()  # lxml takes no lone surrogate
        return Selector(self.html, type="html", base_url=base or None)

    @cached_property
    def markdown(self) -> str:
        """The kept blocks as Markdown. HTML in the page's visible text is escaped."""
        return self.to_markdown()

    def to_markdown(self, links: str = "keep", images: str = "keep") -> str:
        """Return the Markdown with fewer links and images.

        Args:
            links: "keep", or "text" for their text without the URL. Footnotes stay.
            images: "keep", "text" for their alternative texts, or "drop".

        Raises:
            ValueError: `links` or `images` is not one of these.

        Example:
            >>> from denoise_scrapy import extract
            >>> page = "<p>It <a href=/rain>rained</a> all night <img src=/sun.png alt=sun> over the hills."
            >>> extract(page, "http://a.example/").to_markdown(links="text", images="drop")
            'It rained all night over the hills.'
        """
        return self._markdown(links, images)

    @cached_property
    def _rendering(self) -> Sequence[Token]:
        return self.make_rendering()

    @cached_property
    def _markdown(self) -> Callable[[str, str], str]:
        """`to_markdown` that makes each text once, as `chunks` are of one that is mostly read too."""
        return cache(partial(to_markdown, self._rendering))

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

        Sentences, table rows and functions of up to 2,000 tokens are not cut, nor items, quotes or code that fit.

        Args:
            max_tokens: Maximum number of tokens in a chunk, including its headings.
            overlap: Maximum number of tokens repeated from the previous chunk: whole sentences below the same headings.
            count: Function that counts the tokens of a text; the default estimates them.
            links: As in `to_markdown`.
            images: The same.

        Raises:
            ValueError: `links` or `images` is not valid, `max_tokens` is less than 1, or `overlap` is not between 0 and
                `max_tokens`.
        """
        markdown = self.to_markdown(links, images)
        from denoise_scrapy.body.chunks import chunk_markdown  # noqa: PLC0415 - for those that ask for it

        anchors = self.make_anchors()
        return chunk_markdown(markdown, max_tokens, overlap, count, url=self.url, title=self.title, anchors=anchors)

    @cached_property
    def title(self) -> str:
        """The page's title without the site's name, if that is found; "" if there is no title.

        Comparison pages are the best evidence of the name: their titles end, or begin, with it too. But a title that an
        example names is taken as it is.
        """
        return self.taught["title"].text if "title" in self.taught else self.make_title()

    @cached_property
    def kind(self) -> str:
        """The kind of page: article, thread, question, manual, shop, list, collection, service or none.

        It is "" for a page that exceeds a limit. `docs/main-text.md` says what each is, and how often it is right.

        Example:
            >>> from denoise_scrapy import extract
            >>> extract("<title>Not found</title><h1>404</h1><p>This page does not exist.").kind
            'none'
        """
        return self.make_kind()

    @cached_property
    def meta(self) -> Metadata:
        """Metadata: authors, dates, site, image …; only title and language for a parsed `Page`.

        Raises:
            ImportError: The extra `denoise-scrapy[meta]` is not installed.
        """
        found = metadata.metadata_of(
            self._source, self.url if self._source else None, self.text, self.title, self.make_unseen()
        )
        return found.with_taught(self.taught)

    @cached_property
    def news(self) -> News:
        """What newsrooms ask of the page: paywall, pages, updates, structured data; empty for a parsed `Page`."""
        return metadata.News(self._source, self.url, self.text, self.title, lambda: self.kind)

    @cached_property
    def _source(self) -> str:
        return "" if self.fallback == NO_MARKUP else self.make_source()

    @property
    def example(self) -> str:
        """What became of the site's examples: "used", "set aside" (like none, as after a redesign), "" without any."""
        if self.example_likeness is None:
            return ""
        return "used" if self.example_likeness >= FITS else SET_ASIDE

    @cached_property
    def taught(self) -> Mapping[str, Found]:
        """Texts of the page that examples name (`Example.fields`), each with its certainty; none for a parsed `Page`.

        Example:
            >>> from denoise_scrapy import Example, extract
            >>> page = "<h1>{}</h1><p>Only <b class=price>{}</b>.</p>"
            >>> example = Example(page.format("A kettle", "12.50 €"), fields={"price": "12.50 €"})
            >>> extract(page.format("A pot", "8 €"), examples=[example]).taught["price"].text
            '8 €'
        """
        return self.make_taught()

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle; everything lazy except the metadata is computed first."""
        state = {field.name: getattr(self, field.name) for field in fields(self)}
        lazy = [name for name in state if name.startswith("make_") and name != "make_source"]
        if "meta" in vars(self):
            state["meta"] = self.meta
        return state | {name: partial(_itself, state[name]()) for name in lazy}

    def __str__(self) -> str:
        return self.text


def _itself(value: Any) -> Any:
    return value


#: Fallback of a page that exceeds a limit on elements, depth, bytes, or the cost of its selectors and its strategy.
TOO_LARGE = "too large"
#: Fallback and evidence of a page without comparison pages.
ALONE = "page alone"
SET_ASIDE = "set aside"
#: Fallback of a page whose text is only in its JSON.
STATED = "structured data"
#: Fallback of what is no page (`page.parse.media_type`).
NO_MARKUP = "no markup"
#: Fallback of a page whose text is from a function of the project.
CALLABLE = "callable"


class SiteModel:
    """The comparison pages of a site. Immutable: `extract` is a pure function of the page and the model.

    Args:
        pages: Pages of the site, or their facts, in order of preference.
        examples: Pages of the site with their right texts.

    Example:
        >>> frame = "<body><div>Site menu</div><p>{}</p><div>All rights reserved</div>"
        >>> model = SiteModel([Page.parse(frame.format("Quite another story, told elsewhere."))])
        >>> model.extract(Page.parse(frame.format("The bridge was closed on Monday."))).text
        'The bridge was closed on Monday.'
    """

    def __init__(self, pages: Iterable[Page | PageFacts] = (), examples: Iterable[Example] = ()) -> None:
        self.examples = tuple(examples)
        self.statistics = SiteStatistics(filterfalse(attrgetter("media_type"), pages))

    def extract(self, page: Page, *, strategy: str = DEFAULT_STRATEGY, taste: Taste = NO_TASTE) -> Body:
        """Extract the body of a page of this site.

        Args:
            page: The page. The model may have learned from it: it is not compared with itself.
            strategy: A name in `STRATEGIES`, or the path of a class: see `find_strategy`.
            taste: The user's choices for the body. The selectors are those the page was parsed with.

        Raises:
            ValueError: There is no such strategy.
        """
        chosen = find_strategy(strategy)
        if page.media_type:
            return Body("", 0.0, chosen.name, fallback=NO_MARKUP, evidence=page.media_type, url=page.url)
        if not page.is_too_large:
            with suppress(TooLargeError):
                return self._judged(page, chosen, taste)
        kept = np.ones(len(page.blocks), bool)
        decision = Decision(kept, kept / 2, 0.0, [TOO_LARGE] * len(kept), is_rule=True)
        return _body(page, decision, chosen.name, TOO_LARGE, WHOLE_TEXT, attrgetter("title"))

    def _judged(self, page: Page, chosen: Strategy, taste: Taste) -> Body:
        """Return the body according to a strategy; raise `TooLargeError` if that would take too long."""
        if taste.hidden == "keep":
            page = page.with_unseen()
        example_likeness = None
        site = self.statistics.for_page(page, chosen.comparison_pages, whole=chosen.needs_elements)
        if not len(page.blocks):
            decision, lack = Decision(np.zeros(0, bool), np.zeros(0), 0.0, ()), WHOLE_TEXT
        else:
            decision = chosen.decide(page, site)
            if taste.favor != "balanced":
                decision = lean(page, site, chosen.name, decision, taste.favor)
            if (seen := decision.kept & ~page.unseen_blocks).any() and (seen != decision.kept).any():
                decision = decision.revised(seen, np.where(page.unseen_blocks, "hidden", "").astype(object))
            if self.examples:
                decision, example_likeness = taught(page, decision, self.examples)
            decision, lack = follow(page, site, decision, taste)
        fallback = lack or ("" if site.pages or not chosen.comparison_pages else ALONE)
        evidence = WHOLE_TEXT if lack == WHOLE_TEXT else "comparison pages" if site.pages else ALONE
        body = _body(
            page,
            decision,
            chosen.name,
            fallback,
            evidence,
            partial(title_of, titles=list(map(attrgetter("title"), site.pages))),
            comparison=tuple(map(attrgetter("url"), site.pages)),
            example_likeness=example_likeness,
            make_kind=partial(kind_of, page, site, decision.first),
        )
        return (_stated(page, decision, taste, body) if lack in {"", WHOLE_TEXT} else None) or body


def _body(
    page: Page,
    decision: Decision,
    strategy: str,
    fallback: str,
    evidence: str,
    title: Callable[[Page], str],
    **more: Any,
) -> Body:
    decision, gone = without_leftovers(page, decision)

    def blocks() -> tuple[Block, ...]:
        shown = page.without(gone)  # if kept, it would hold a second copy of the page's columns
        texts = map(shown.block_text, range(len(shown.blocks)))
        columns = (shown.block_paths(), texts, decision.probability.tolist(), decision.kept.tolist(), decision.reasons)
        return tuple(starmap(Block, zip(*columns, strict=True)))

    return Body(
        make_hidden=lambda: tuple(starmap(Hidden, page.hidden_texts())),
        make_unseen=page.unseen_pieces,
        text=page.without(gone).text_of(decision.kept) if len(decision.kept) else "",
        confidence=decision.confidence,
        strategy=strategy,
        fallback=fallback,
        evidence=evidence,
        probability=decision.probability,
        kept=decision.kept,
        url=page.url,
        make_blocks=blocks,
        make_title=lambda: title(shown := page.without(gone)) or first_heading(shown, decision.kept),
        make_rendering=lambda: render(page.without(gone), decision.kept),
        make_anchors=lambda: anchors_of(page.without(gone), decision.kept),
        **more,
    )


def _stated(page: Page, decision: Decision, taste: Taste, shown: Body) -> Body | None:
    """Return the body with the text of the page's data, None unless the page shows hardly any of it."""
    expected = (decision.probability * page.blocks.tokens)[decision.kept].sum()
    found = stated_text(page, 0 if shown.fallback == WHOLE_TEXT else float(expected))
    if found is None:
        return None
    nothing, seen = SiteStatistics(()), ~found.page.unseen_blocks
    whole = Decision(seen, np.ones(len(seen)), found.confidence, [STATED] * len(seen), is_rule=True)
    told, _ = follow(found.page, nothing, whole, taste)
    text, kind = found.page.text_of(told.kept), partial(kind_of, found.page, nothing)
    return _retold(shown, text, STATED, found.page, told.kept, confidence=told.confidence, make_kind=kind)


def _retold(body: Body, text: str, fallback: str, page: Page, kept: BoolArray, **more: Any) -> Body:
    """Return a body with a text from elsewhere, rendered as a page of its own; no block of the body's page is kept."""
    return replace(
        body,
        text=text,
        fallback=fallback,
        kept=np.zeros_like(body.kept),
        make_blocks=lambda: tuple(replace(block, kept=False, reason=fallback) for block in body.blocks),
        make_rendering=lambda: render(page, kept),
        **more,
    )


def with_text(body: Body, text: str, fallback: str) -> Body:
    r"""Return a body with another text, one paragraph per line, which its HTML and Markdown have too.

    Args:
        body: The body.
        text: The text; what no file of CSV or XML takes is replaced, as in pages.
        fallback: Where it comes from.

    Example:
        >>> found = with_text(extract("<p>Loading"), "Storm\n2 * 3 < 7", "callable")
        >>> found.text, found.markdown, found.fallback
        ('Storm\n2 * 3 < 7', 'Storm\n\n2 \\* 3 &lt; 7', 'callable')
    """
    text = writable(text.replace("\r\n", "\n").encode("utf-8", "replace").decode())
    page = Page.parse("".join(f"<p>{escape(line)}</p>" for line in text.splitlines()), url=body.url)
    return _retold(body, text, fallback, page, np.ones(len(page.blocks), np.bool_))


class Response(Protocol):
    """A response of Scrapy, requests or httpx; its bytes are in `body` or `content`."""

    @property
    def url(self) -> Any:
        """Its URL, after redirects."""

    @property
    def headers(self) -> Any:
        """Its headers."""


#: Source of a page: HTML, the path of an HTML file, a selector of an element, or a response.
Source = str | bytes | os.PathLike[str] | Selector | Response


def extract(
    html: Source | Page,
    url: str | None = None,
    comparison_pages: Iterable[Source | Page] = (),
    *,
    strategy: str = DEFAULT_STRATEGY,
    taste: Taste = NO_TASTE,
    keep: str | Iterable[str] = (),
    remove: str | Iterable[str] = (),
    examples: Iterable[Example] = (),
) -> Body:
    """Extract the body of one page in one call.

    Args:
        html: The page: HTML, the path of a file, a response of Scrapy, requests or httpx, a selector of parsel or
            Scrapy, or a parsed page. A str is HTML, never a path: a warning tells of one that looks like a path or a
            URL. Of a selector, the element that it selects is read.
        url: URL of the page. The default is the URL of the response or selector, or else the one the page declares
            (`link rel=canonical`), if any.
        comparison_pages: Other pages of the same site, in any of these forms; a few are enough.
        strategy: A name in `STRATEGIES`, or the path of a class: see `find_strategy`.
        taste: The user's choices for the body.
        keep: CSS selectors or XPaths of content to keep, whatever the strategy decides.
        remove: CSS selectors or XPaths of content to remove; `keep` wins where both match.
        examples: Pages of the same site with their right texts, which tell what belongs to the text in the same places.

    Raises:
        TypeError: A page has none of these types, or a selector selects no element.
        OSError: A file cannot be read.
        ValueError: There is no such strategy, or a selector is invalid.

    Example:
        >>> body = extract("<nav><a href=/>Home</a></nav><p>It rained all night.</p>")
        >>> body.text, body.fallback
        ('It rained all night.', 'page alone')
    """
    _refuse_one(comparison_pages)
    page, read = _parsed(html, url, keep, remove)
    others = (other if isinstance(other, Page) else _read(other).parse() for other in comparison_pages)
    some = tuple(examples)
    body = SiteModel(others, some).extract(page, strategy=strategy, taste=taste)
    return body if read is None else with_source(body, read.decoded, some)


def with_source(body: Body, make: Callable[[], str], examples: Iterable[Example] = ()) -> Body:
    """Return the body of a page with the page, and the texts that examples name unless it is larger than is read."""
    naming = [example for example in examples if example.fields][:MOST_EXAMPLES]
    if not naming:
        return replace(body, make_source=make)
    html = make()
    taught = partial(named_texts, html, naming) if len(html) <= MAX_HTML else body.make_taught
    return replace(body, make_source=partial(_itself, html), make_taught=taught)


# The address of a page, or the path of its file, in place of the page: its text would be that address. How it begins is
# looked at once, as a word of many endings would be read anew from each.
_ADDRESS = re.compile(r"\s*(?=https?://\S|[^<\s]+?\.x?html?)\S+\s*", re.IGNORECASE)


class _Read(NamedTuple):
    """A page as read, with its URL and the encoding that the server declared."""

    html: str | bytes
    url: str | None = None
    encoding: str | None = None

    def parse(self, keep: str | Iterable[str] = (), remove: str | Iterable[str] = ()) -> Page:
        return Page.parse(self.html, url=self.url, encoding=self.encoding, keep=keep, remove=remove)

    def decoded(self) -> str:
        """Return the page as the server declares it."""
        return self.html if isinstance(self.html, str) else decode_html(self.html, self.encoding)


def _parsed(
    source: Source | Page, url: str | None, keep: str | Iterable[str], remove: str | Iterable[str]
) -> tuple[Page, _Read | None]:
    """Return a page and its source as HTML, None if already parsed; its URL defaults to its declared one."""
    if isinstance(source, Page):
        return source, None
    read = _read(source, url)
    address = read.url or declared_url(read.html, read.encoding)
    return read._replace(url=address).parse(keep, remove), read


def _refuse_one(pages: object) -> None:
    """Raise `TypeError` for one page in place of several: a text is an iterable of letters."""
    if isinstance(pages, (str, bytes)):
        raise TypeError("several pages must be a list of pages, got one text")


def _read(source: Source, url: str | None = None) -> _Read:
    if isinstance(source, str) and _ADDRESS.fullmatch(source):
        warnings.warn(f"{source!r} is read as HTML: fetch the page of a URL, pass a file as a Path", stacklevel=2)
    if isinstance(source, (str, bytes)):
        return _Read(source, url)
    if isinstance(source, os.PathLike):
        return _Read(Path(source).read_bytes(), url)
    if isinstance(source, Selector):
        if not isinstance(getattr(source.root, "tag", None), str):  # a comment's is a function
            raise TypeError(f"a selector must select an element, got {source!r}")
        return _Read(source.get(), url or source.root.getroottree().docinfo.URL)
    data = source.body if hasattr(source, "body") else getattr(source, "content", None)
    if not isinstance(data, bytes) or not hasattr(source, "headers"):
        raise TypeError(f"a page must be HTML, a path, a selector or a response, got {type(source).__name__}")
    kind = source.headers.get("Content-Type") or ""
    told = http_content_type_encoding(kind.decode("latin-1") if isinstance(kind, bytes) else kind)
    return _Read(data, url or str(source.url), told or getattr(source, "_encoding", None))  # given to Scrapy


#: Pages that are parsed before the first body is returned, so that a site's first pages have comparison pages; of large
#: ones up to this many bytes or characters: a parsed page takes ten times that.
AHEAD, AHEAD_BYTES = 16, 6_000_000
#: Limits of the page memory: bytes, and pages per site. A page of usual size takes some 50 KB.
MEMORY_BYTES, PAGES_A_SITE = 32_000_000, 32


def extract_pages(
    pages: Iterable[tuple[str | None, Source | Page] | Source | Page],
    *,
    comparison_pages: int = 20,
    strategy: str = DEFAULT_STRATEGY,
    taste: Taste = NO_TASTE,
    keep: str | Iterable[str] = (),
    remove: str | Iterable[str] = (),
) -> Iterator[tuple[str, Body]]:
    """Extract the bodies of many pages, in order, in bounded memory.

    Each page is compared with others of its site, so keep the pages of a site together, and pages of one template near
    each other. This is faster and more accurate than calling `extract` for each page.

    Args:
        pages: Pages as `extract` takes them, or pairs of a URL and a page. Scheme, host and port of the URL
            identify the site; the URL defaults to the one a page declares. Pages without a URL count as one site.
        comparison_pages: Maximum number of pages of its site that a page is compared with.
        strategy: As in `extract`.
        taste: As in `extract`.
        keep: As in `extract`.
        remove: As in `extract`.

    Returns:
        URL and body of each page; if the URL is unknown, the path of the file, or "". Some pages are read
        ahead.

    Raises:
        TypeError: As in `extract`.
        OSError: As in `extract`.
        ValueError: As in `extract`.

    Example:
        >>> frame = "<div>Site menu</div><p>{}</p><div>All rights reserved</div>"
        >>> stories = ["The bridge was closed because of the flood.", "A lynx was seen near the station at dawn."]
        >>> pages = [(f"http://a.example/{n}", frame.format(story)) for n, story in enumerate(stories)]
        >>> [body.text for _, body in extract_pages(pages)] == stories
        True
        >>> [body.text for _, body in extract_pages(map(frame.format, stories))] == stories
        True
    """
    _refuse_one(pages)
    needs_elements = find_strategy(strategy).needs_elements
    keep, remove = ([name] if isinstance(name, str) else list(name) for name in (keep, remove))
    memory = PageMemory(MEMORY_BYTES, PAGES_A_SITE)

    def extracted(page: Page, known: Page | PageFacts, read: _Read | None, name: str) -> Iterator[tuple[str, Body]]:
        others = memory.comparison_pages(known, comparison_pages, whole=needs_elements)
        body = SiteModel(others).extract(page, strategy=strategy, taste=taste)
        if known is not page:  # made-up addresses
            urls = (url.partition(_NUMBER)[0] for url in body.comparison if _NO_SITE not in url)
            body = replace(body, comparison=tuple(urls))
        yield name, body if read is None else replace(body, make_source=read.decoded)
        page.drop_columns()  # the page is remembered; the body recreates the columns if needed

    waiting: deque[tuple[int, Iterator[tuple[str, Body]]]] = deque()  # size of a page, and its future body
    ahead = 0
    for number, given in enumerate(pages):
        url, source = given if isinstance(given, tuple) else (None, given)
        page, read = _parsed(source, url, keep, remove)
        known: Page | PageFacts = page
        if not (read.url if read else page.url) and (not page.url or page.url in memory):
            known = replace(page.facts, url=f"{page.url or _NO_SITE}{_NUMBER}{number}")
        if not page.media_type:
            memory.remember(known if needs_elements else known.facts)
        name = page.url or (os.fsdecode(source) if isinstance(source, os.PathLike) else "")
        waiting.append((len(read.html) if read else page.nbytes, extracted(page, known, read, name)))
        ahead += waiting[-1][0]
        while len(waiting) > (AHEAD if ahead <= AHEAD_BYTES else 1):
            size, bodies = waiting.popleft()
            ahead -= size
            yield from bodies
    for _, bodies in waiting:
        yield from bodies


# Made-up addresses for remembered pages that have none, or declare one that another page declares too.
_NO_SITE, _NUMBER = "http://no-address.invalid/", "#page="
