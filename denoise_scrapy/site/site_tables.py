"""Tables of the site memory's file, and its rows in and out."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from denoise_scrapy.page import PageFacts
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.rows import (
    FACTS_ARRAYS,
    TEMPLATE_ARRAYS,
    checksum,
    facts_arrays,
    from_bytes,
    read_facts,
    read_template,
    template_arrays,
    template_text,
    to_bytes,
)
from denoise_scrapy.site.stored_site import StoredSite
from denoise_scrapy.storage import FileKind

SITES = FileKind(
    application_id=0x64737369,  # 'dssi'
    what="a site memory of denoise_scrapy",
    schema=(
        f"""CREATE TABLE IF NOT EXISTS templates (
            site TEXT NOT NULL, name TEXT NOT NULL, saved REAL NOT NULL, told TEXT NOT NULL, crc INTEGER NOT NULL,
            {", ".join(f"{name} BLOB NOT NULL" for name in TEMPLATE_ARRAYS)}, PRIMARY KEY (site, name))""",
        f"""CREATE TABLE IF NOT EXISTS facts (
            id INTEGER PRIMARY KEY AUTOINCREMENT, site TEXT NOT NULL, template TEXT NOT NULL, url TEXT NOT NULL,
            crc INTEGER NOT NULL, {", ".join(f"{name} BLOB NOT NULL" for name in FACTS_ARRAYS)}, UNIQUE (site, url))""",
        "CREATE TABLE IF NOT EXISTS sites (site TEXT PRIMARY KEY, version TEXT NOT NULL, head TEXT NOT NULL)",
        "CREATE TABLE IF NOT EXISTS pins (site TEXT PRIMARY KEY, rules TEXT NOT NULL)",
    ),
    advice="Delete the file to learn the sites anew, or use the version that wrote it.",
)
_TEMPLATE = f"told, crc, {', '.join(TEMPLATE_ARRAYS)}"
_FACTS = f"template, url, crc, {', '.join(FACTS_ARRAYS)}"
TEMPLATES_OF_SITE = f"SELECT {_TEMPLATE} FROM templates WHERE site = ? ORDER BY saved"
HEAD_OF_SITE = "SELECT version, head FROM sites WHERE site = ?"
FACTS_OF_SITE = f"SELECT {_FACTS} FROM facts WHERE site = ? ORDER BY id"


def put_template(link: sqlite3.Connection, site: str, template: LearnedTemplate, saved: float) -> None:
    """Write a template of a site, in place of the one of its name.

    Args:
        link: The file.
        site: See `site_key`.
        template: The template.
        saved: When, in seconds since 1970.
    """
    row = (site, template.name, saved, *template_row(template))
    link.execute(f"INSERT OR REPLACE INTO templates VALUES ({_marks(row)})", row)


def put_facts(link: sqlite3.Connection, site: str, name: str, page: PageFacts, most: int) -> None:
    """Write a page's facts, in place of those of its URL; the oldest of the template leave.

    Args:
        link: The file.
        site: See `site_key`.
        name: Name of the page's template.
        page: The facts.
        most: How many pages of a template stay.
    """
    row = (site, *facts_row(name, page))
    link.execute(f"INSERT OR REPLACE INTO facts (site, {_FACTS}) VALUES ({_marks(row)})", row)
    link.execute(
        "DELETE FROM facts WHERE site = ? AND template = ? AND id NOT IN "
        "(SELECT id FROM facts WHERE site = ? AND template = ? ORDER BY id DESC LIMIT ?)",
        (site, name, site, name, most),
    )


def put_head(link: sqlite3.Connection, site: str, stored: StoredSite) -> None:
    """Write what is kept of a site beside its templates.

    Args:
        link: The file.
        site: See `site_key`.
        stored: The site.
    """
    row = (site, stored.version, json.dumps(stored.head()))
    link.execute(f"INSERT OR REPLACE INTO sites VALUES ({_marks(row)})", row)


def put_pins(link: sqlite3.Connection, site: str, rules: Sequence[LearnedRule]) -> None:
    """Write the pinned rules of a site in place of those it had.

    Args:
        link: The file.
        site: See `site_key`.
        rules: Pinned rules, the first to be tried first.
    """
    link.execute("DELETE FROM pins WHERE site = ?", (site,))
    if rules:
        link.execute("INSERT INTO pins VALUES (?, ?)", (site, text_of_pins(rules)))


def text_of_pins(rules: Sequence[LearnedRule]) -> str:
    """Pinned rules as text, "" for none."""
    return json.dumps([rule.as_dict() for rule in rules]) if rules else ""


def pins_of(text: str | bytes) -> list[LearnedRule]:
    """The rules of `text_of_pins`.

    Raises:
        ValueError: The row is damaged.
    """
    return [LearnedRule.from_dict(rule) for rule in json.loads(text)]


def template_row(template: LearnedTemplate) -> tuple[Any, ...]:
    """A row of `TEMPLATES_OF_SITE`: what else a template is, a checksum, and its arrays."""
    blobs, told = to_bytes(template_arrays(template), TEMPLATE_ARRAYS), template_text(template)
    return (told, checksum(blobs, told), *blobs)


def facts_row(name: str, page: PageFacts) -> tuple[Any, ...]:
    """A row of `FACTS_OF_SITE`: names of the template and the page, a checksum, and its arrays."""
    blobs, url = to_bytes(facts_arrays(page), FACTS_ARRAYS), plain(page.url)
    return (name, url, checksum(blobs, url), *blobs)


def template_of(row: tuple[Any, ...]) -> LearnedTemplate:
    """The template of a row of `TEMPLATES_OF_SITE`.

    Raises:
        ValueError: The row is damaged.
    """
    told, crc, *blobs = row
    _check(crc, blobs, told)
    return read_template(from_bytes(blobs, TEMPLATE_ARRAYS), told)


def facts_of(row: tuple[Any, ...]) -> tuple[str, PageFacts]:
    """Name of the template and facts of a row of `FACTS_OF_SITE`.

    Raises:
        ValueError: The row is damaged.
    """
    name, url, crc, *blobs = row
    _check(crc, blobs, url)
    return name, read_facts(from_bytes(blobs, FACTS_ARRAYS), url)


def plain(text: str) -> str:
    """Text that SQLite takes: lone surrogates, which hostile pages hold, are replaced."""
    return text.encode("utf-8", "replace").decode()


def _check(crc: int, blobs: list[bytes], text: str) -> None:
    if checksum(blobs, text) != crc:
        raise ValueError("damaged")


def _marks(row: tuple[object, ...]) -> str:
    return ", ".join("?" * len(row))
