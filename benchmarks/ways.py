"""Ways to get the text of a page: ours, compared with other pages of the site, and the extractors installed beside it.

`pip install --group bench` brings trafilatura, readability and resiliparse, which read one page alone, and
deboiler (Globality), which drops the text that neighbours in URL order have in common, and leaves a single page whole.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from lxml import html as lxml_html

from denoise_scrapy.body import DEFAULT_STRATEGY, Body, SiteModel, Taste
from denoise_scrapy.page import Page
from denoise_scrapy.site import likest_first
from evaluation.corpora import Site

#: Most comparison pages, unless a measurement sets its own.
COMPARED = 5

#: Texts of all pages of a site, in order; the pages are also given parsed, once for all ways.
Way = Callable[[Site, list[Page]], Iterable[str]]


def parsed(site: Site) -> list[Page]:
    """Parse the pages of a site."""
    return [Page.parse(page.html, url=page.url) for page in site]


def body(
    pages: list[Page], i: int, k: int = COMPARED, *, strategy: str = DEFAULT_STRATEGY, taste: Taste | None = None
) -> Body:
    """Extract a page of a site, compared with the k most similar others, as in a crawl."""
    others = likest_first(pages[i], [*pages[:i], *pages[i + 1 :]])[:k]
    return SiteModel(others).extract(pages[i], strategy=strategy, taste=taste or Taste())


def ours(k: int = COMPARED, *, strategy: str = DEFAULT_STRATEGY, taste: Taste | None = None) -> Way:
    """Return our extraction with k comparison pages."""

    def texts(site: Site, pages: list[Page]) -> Iterator[str]:
        return (body(pages, i, k, strategy=strategy, taste=taste).text for i in range(len(pages)))

    return texts


def others() -> dict[str, Way]:
    """Return the extraction functions of all installed extractors."""
    alone: dict[str, Way] = {name: _alone(extract) for name, extract in peers().items()}
    return alone | ({"deboiler": _deboiler} if find_spec("deboiler") else {})


def peers() -> dict[str, Callable[[str], str]]:
    """Return the installed extractors that read a single page: HTML to text."""
    candidates = {"trafilatura": _trafilatura, "readability": _readability, "resiliparse": _resiliparse}
    return {name: extract for name, extract in candidates.items() if find_spec(name)}


def _alone(extract: Callable[[str], str]) -> Way:
    return lambda site, pages: (extract(page.html) for page in site)


def _trafilatura(page: str) -> str:
    return import_module("trafilatura").extract(page, include_comments=False) or ""


def _readability(page: str) -> str:
    readability = import_module("readability")
    try:
        summary = readability.Document(page).summary(html_partial=True)
        return " ".join(lxml_html.fromstring(summary).itertext()) if summary.strip() else ""
    except Exception:  # it raises on pages that it cannot read
        return ""


def _resiliparse(page: str) -> str:
    clean = page.encode("utf-8", "replace").decode("utf-8")  # it refuses lone surrogates
    return str(import_module("resiliparse.extract.html2text").extract_plain_text(clean, main_content=True))


def _deboiler(site: Site, pages: list[Page]) -> list[str]:
    logging.getLogger("Deboiler").setLevel(logging.CRITICAL)
    records = {page.url: {"url": page.url, "content": page.html} for page in site}  # deboiler uses the URL as key
    data = _dataset([record for record in records.values() if _parses(record)])
    model = import_module("deboiler").Deboiler(operation_mode="memory", verbose=False)
    model.fit(data)
    texts = dict[str, str]()
    for url in data.urls:
        try:
            texts[url] = model.transform_page(url, data).cleaned_text or ""
        except Exception:  # its guess of the language fails on a text without letters
            texts[url] = ""
    return [texts.get(page.url, "") for page in site]


def _dataset(records: list[dict[str, str]]) -> Any:
    dataset = import_module("deboiler.dataset").ListDataset
    return dataset(records, status_key=None, content_type_key=None, verbose=False)


def _parses(record: dict[str, str]) -> bool:
    """Return whether deboiler can read a page; on attributes without a name it raises, for a whole site."""
    try:
        _dataset([record]).parse_page(record["url"])
    except Exception:
        return False
    return True
