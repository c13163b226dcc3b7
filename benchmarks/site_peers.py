"""Extractors that read all pages of a site together: deboiler, where it is installed (`denoise-scrapy[bench]`).

deboiler (Globality) drops the subtrees that two neighbours in the order of URLs have in common. It has no threshold of
a site's size: of a site with one page nothing is dropped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from benchmarks.corpora import Site


def site_peers() -> dict[str, Callable[[Site], list[str]]]:
    """The installed ones by name: pages of a site to the text of each."""
    return {"deboiler": _deboiler} if find_spec("deboiler") else {}


def _deboiler(site: Site) -> list[str]:
    logging.getLogger("Deboiler").setLevel(logging.CRITICAL)
    records = {page.url: {"url": page.url, "content": page.html} for page in site}  # a URL is a key there
    readable = [record for record in records.values() if _parses(record)]
    data = _dataset(readable)
    model = import_module("deboiler").Deboiler(operation_mode="memory", verbose=False)
    model.fit(data)
    texts = dict[str, str]()
    for url in data.urls:
        try:
            texts[url] = model.transform_page(url, data).cleaned_text or ""
        except Exception:  # as its guess of the language does on a text without letters
            texts[url] = ""
    return [texts.get(page.url, "") for page in site]


def _dataset(records: list[dict[str, str]]) -> Any:
    """Its form of pages."""
    dataset = import_module("deboiler.dataset").ListDataset
    return dataset(records, status_key=None, content_type_key=None, verbose=False)


def _parses(record: dict[str, str]) -> bool:
    """Whether it can read a page at all; it raises on attributes without a name, and then of a whole site."""
    try:
        _dataset([record]).parse_page(record["url"])
    except Exception:
        return False
    return True
