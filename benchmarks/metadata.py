"""Metadata against labels, beside trafilatura and newspaper4k: `python -m benchmarks.metadata --corpora DIR [DIR ...]`.

`metadata_labels.json` holds labels of recorded pages, one per site, by corpus/site/page; they were made by reading
head and text of each page, by these rules; 314 have authors and dates alone. The rules of `denoise_scrapy.metadata`
were made on 306; 199 are "fresh": labelled after that, or errors on them were not looked at. A label lists the
right values; "" or [] stands for none.

- authors: the names next to the headline or below the text; if nobody is named there, the names in the markup for
  this page; an agency or a paper if it alone is named; for a forum, the author of the first post. An editor is not an
  author. The site's own name, or an account called "admin", is neither right nor wrong.
- published: the day that the page shows, or that its markup gives; both if they differ, or if time zones do. For a page
  that shows only the date of its last change, either is right. Today's date and dates of comments are wrong.
- site_name: the site's name for itself in its markup, its title or its head line.
- language: the language of the text.
- image: part of the address of the picture that markup names, or of the first one in the text; none if there is
  only a logo, or a card that all pages of the site share.
- description: whether the head has one.

A field is right if it equals a label, ignoring case, spaces and the order of authors.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from denoise_scrapy.body import extract
from evaluation.corpora import Site, add_folders_argument, recorded
from evaluation.figures import table

LABELS = Path(__file__).with_name("metadata_labels.json")
FIELDS = ("authors", "published", "site_name", "language", "image", "description")
#: Most other pages of its site that a page is compared with.
PAGES = 5

Label = Mapping[str, Any]


class LabelledPage(NamedTuple):
    """A page with its labels, and other pages of its site."""

    url: str
    html: str
    label: Label
    others: list[str]


class Told(NamedTuple):
    """Fields that an extractor returns for a page; None: it lacks the field."""

    authors: Sequence[str]
    published: str
    site_name: str
    language: str | None
    image: str
    description: bool


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.metadata", description=(__doc__ or "").partition("\n")[0])
    add_folders_argument(ap)
    args = ap.parse_args()
    logging.disable(logging.CRITICAL)
    labelled = list(labelled_pages(recorded(args.corpora)))
    for title, is_fresh in (("made with", False), ("fresh", True)):
        chosen = [page for page in labelled if page.label.get("fresh", False) == is_fresh]
        rows = [scores(name, chosen) for name in EXTRACTORS]
        print(f"\n{len(chosen)} pages, {title}\n\n{table(['', *FIELDS], rows)}")


def labelled_pages(corpora: Iterable[tuple[str, list[Site]]]) -> Iterator[LabelledPage]:
    """Yield the labelled pages of some corpora."""
    labels = json.loads(LABELS.read_text())
    for name, sites in corpora:
        for site in sites:
            for page in site:
                key = f"{name}/{page.site}/{page.name}"
                if key in labels:
                    others = [other.html for other in site if other is not page][:PAGES]
                    yield LabelledPage("" if page.url == page.name else page.url, page.html, labels[key], others)


def _ours(page: LabelledPage, others: list[str]) -> Told:
    meta = extract(page.html, page.url, others).meta
    description = bool(meta.description)
    return Told(meta.authors, meta.published[:10], meta.site_name, meta.language, meta.image, description)


def _trafilatura(page: LabelledPage) -> Told:
    found = import_module("trafilatura").extract_metadata(page.html, default_url=page.url or None)
    authors = (found.author or "").split("; ") if found.author else []
    return Told(authors, found.date or "", found.sitename or "", None, found.image or "", bool(found.description))


def _newspaper(page: LabelledPage) -> Told:
    article = import_module("newspaper").Article(page.url or "http://site.example/page", fetch_images=False)
    article.download(input_html=page.html)
    try:
        article.parse()
    except ImportError:  # it splits words of some languages with a library that is not installed
        article.config.language = "en"
        article.parse()
    except ValueError:  # of a control character in the page
        return Told([], "", "", "", "", description=False)
    date = f"{article.publish_date:%Y-%m-%d}" if article.publish_date else ""
    site, language = article.meta_site_name or "", article.meta_lang or ""
    return Told(article.authors, date, site, language, article.top_image or "", bool(article.meta_description))


EXTRACTORS: Mapping[str, Callable[[LabelledPage], Told]] = {
    "denoise_scrapy": lambda page: _ours(page, page.others),
    "denoise_scrapy, page alone": lambda page: _ours(page, []),
    "trafilatura": _trafilatura,
    "newspaper4k": _newspaper,
}


def is_right(field: str, told: Told, label: Label) -> bool:
    """Return whether a field equals one of the values of its label."""
    value, wanted = getattr(told, field), label[field]
    if field in ("language", "description"):
        return bool(value == wanted)
    if field == "authors":
        return {_fold(name) for name in value} in [{_fold(name) for name in one if name} for one in wanted]
    if field == "image":
        return any(part in value if part else not value for part in wanted)
    return _fold(value) in map(_fold, wanted)


def _fold(text: str) -> str:
    return "".join(text.split()).lower()


def scores(name: str, labelled: list[LabelledPage]) -> list[str]:
    """Return a row of the table: the share of pages where each field is right."""
    right: dict[str, list[bool]] = {field: [] for field in FIELDS}
    for page in labelled:
        told = EXTRACTORS[name](page)
        for field in FIELDS:
            if field in page.label and getattr(told, field) is not None:
                right[field].append(is_right(field, told, page.label))
    return [name, *(f"{100 * sum(found) / len(found):.0f} %" if found else "–" for found in right.values())]


if __name__ == "__main__":
    main()
