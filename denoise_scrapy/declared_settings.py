"""Every ``DENOISE_*`` setting, declared once, and the table of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import Field, dataclass, fields
from typing import Any

from denoise_scrapy.body import DEFAULT_STRATEGY, STRATEGIES, find_strategy
from denoise_scrapy.body.taste import FAVORS, SWITCHES
from denoise_scrapy.compared_fields import ComparedFields
from denoise_scrapy.dedup import RULES, SEARCHES
from denoise_scrapy.dedup.decision import MOST_NEW
from denoise_scrapy.own_store import check_store
from denoise_scrapy.page.selectors import compile_all
from denoise_scrapy.setting_values import PREFIX, Declaration, check_redis_url, setting

SWITCH: dict[str, Any] = {"choices": SWITCHES, "per_page": True}
FIELD: dict[str, Any] = {"may_be_empty": True, "per_page": True}
SELECTORS: dict[str, Any] = {"check": compile_all, "per_page": True}


@dataclass(frozen=True)
class DeclaredSettings:
    """What there is to set, with types, defaults and limits.

    The setting of a field is its name in upper case after ``DENOISE_``; types are those of the
    annotations. `docs/settings.md` is rendered from this class.
    """

    enabled: bool = setting(True, "Whether anything is done at all.", per_page=True)
    every_page: bool = setting(True, 'Treat every page; False: only requests with meta["denoise"] set.')
    strategy: str = setting(
        DEFAULT_STRATEGY,
        "How the content is told from the rest; a class of one's own is a Strategy.",
        choices=tuple(STRATEGIES),
        or_path=True,
        check=find_strategy,
        per_page=True,
    )
    favor: str = setting(
        "balanced",
        "Which error is worse: noise that is kept (precision), content that is lost (recall), or neither.",
        choices=FAVORS,
        per_page=True,
    )
    title: str = setting("auto", "The page's heading: as the strategy says, always, never.", **SWITCH)
    captions: str = setting("auto", "The same of captions of pictures and tables.", **SWITCH)
    bylines: str = setting("auto", "The same of lines that say who wrote it and when.", **SWITCH)
    comments: str = setting("auto", "The same of what readers wrote under it.", **SWITCH)
    tables: str = setting("auto", "The same of tables of data; tables that lay out the page are none.", **SWITCH)
    keep: tuple[str, ...] = setting(
        (), "CSS selectors or XPaths of what belongs to the body, whatever the strategy says.", **SELECTORS
    )
    remove: tuple[str, ...] = setting(
        (), "CSS selectors or XPaths of what does not. What DENOISE_KEEP finds too stays.", **SELECTORS
    )
    body_field: str = setting("body", "Item field that receives the text.", per_page=True)
    html_field: str = setting("", "Item field that receives the body as clean HTML; empty: none.", **FIELD)
    markdown_field: str = setting("", "The same as Markdown.", **FIELD)
    confidence_field: str = setting("", "Item field that receives how sure the text is, 0 to 1.", **FIELD)
    kind_field: str = setting("", "Item field that receives what the page is: article, forum, listing …", **FIELD)
    title_field: str = setting(
        "",
        "Item field that receives the page's title, without the site's name where other pages tell it. "
        "DENOISE_TITLE is about the heading in the text.",
        **FIELD,
    )
    lang_field: str = setting(
        "",
        "Item field that receives the language of the text: en, de, zh …; empty text: unknown. Needs "
        "denoise-scrapy[meta].",
        **FIELD,
    )
    published_field: str = setting(
        "",
        "Item field that receives the day on which the page was published, as 2024-03-12; empty text: unknown. Needs "
        "denoise-scrapy[meta].",
        **FIELD,
    )
    comparison_field: str = setting("", "Item field that receives the URLs of the comparison pages.", **FIELD)
    blocks_field: str = setting(
        "",
        "Item field that receives all blocks of the page: path, text, probability, kept or not, reasons.",
        **FIELD,
    )
    url_field: str = setting("url", "Item field that names the page the item is about.")
    shared_body: bool = setting(
        False,
        "Give the text of a page also to each of several items that its callback yields, though it is no single one's; "
        "they are not compared by it.",
        per_page=True,
    )
    overwrite: bool = setting(False, "Replace what the spider has put into such a field itself.", per_page=True)
    comparison_pages: int = setting(
        5,
        "How many other pages of the site a page is compared with, at most.",
        unit="pages",
        low=0,
        high=64,
        per_page=True,
    )
    comparison_min: int = setting(
        2,
        "Fetch comparison pages only while fewer than this many of the page's template are known. Most of the gain "
        "comes with the first; a second tells copies of the page from its template.",
        unit="pages",
        low=0,
        high=64,
        per_page=True,
    )
    comparison_fetch: bool = setting(
        True, "Fetch comparison pages at all; False: only pages of the crawl serve.", per_page=True
    )
    comparison_timeout: float = setting(
        10.0,
        "download_timeout of a fetch; all fetches from one site together take no longer.",
        unit="seconds",
        low=0.1,
        high=600,
    )
    comparison_wait: float = setting(
        0.5,
        "How long an item waits for the crawl itself to bring pages, before anything is fetched; while "
        "the site has fewer pages of any template and the crawl is asking for some, up to "
        "DENOISE_COMPARISON_TIMEOUT. 0: not at all.",
        unit="seconds",
        low=0,
        high=60,
        per_page=True,
    )
    comparison_free: int = setting(4, "Fetches allowed in a crawl before the share counts.", unit="fetches", low=0)
    comparison_share: float = setting(
        0.05,
        "Fetches the spider did not ask for later, per crawled page, beyond the free ones.",
        unit="fetches per page",
        low=0,
        high=64,
    )
    comparison_per_site: int = setting(8, "Most fetches from one site.", unit="fetches", low=0)
    memory_mb: float = setting(64.0, "Memory for pages to compare with, oldest out first.", unit="MB", low=0)
    paths_mb: float = setting(
        160.0,
        "Memory for the element paths of sites, .2 to 2 MB each, which make all pages but the first "
        "of a site cheaper; sites used longest ago out first.",
        unit="MB",
        low=0,
    )
    pages_per_site: int = setting(32, "How many pages of one site are remembered.", unit="pages", low=1)
    site_memory_path: str = setting(
        "",
        "Where crawls keep facts of the newest pages of sites, for the next and for each other: a file, or a server as "
        "redis://host:6379/0 (#name after it: another than DENOISE_DEDUP_REDIS_NAME). Empty: on the server of "
        "DENOISE_DEDUP_STORE = 'redis', else denoise-sites.sqlite in the folder of DENOISE_DEDUP_PATH or in the job "
        "directory, if one is set. :memory: for nowhere.",
        may_be_empty=True,
    )
    reuse_mb: float = setting(
        16.0,
        "Memory for fetched responses that answer the spider's own request later.",
        unit="MB",
        low=0,
    )
    max_page_mb: float = setting(10.0, "Larger pages pass untreated; their items pass unchanged.", unit="MB", low=0.001)
    geometry: str = setting(
        "auto",
        "Use where elements lie on the screen, if scrapy-playwright rendered a page; require: say so where that is not "
        "known of a rendered page.",
        choices=("auto", "require", "off"),
        per_page=True,
    )
    dedup: str = setting(
        "drop",
        "What happens to a near-duplicate: dropped, marked, or nothing is compared.",
        choices=("drop", "mark", "off"),
        per_page=True,
    )
    dedup_rule: str = setting(
        "part",
        "What makes a duplicate: nearly all of the text is in a kept one (part), and the other way round (near-copy), "
        "or the literal rule of the source (patent).",
        choices=tuple(RULES),
    )
    dedup_threshold: float = setting(
        0.0,
        "Likeness of two texts from which they are near-duplicates; 0: the rule's own, 0.6 (patent: 0.8).",
        low=0,
        high=1,
    )
    dedup_most_new: float = setting(
        MOST_NEW, "How much of a near-duplicate may be new, as a share of its text.", low=0, high=1
    )
    dedup_extends: bool = setting(
        False, "Also mark an item whose text contains a kept one and much more; it is never dropped for that."
    )
    dedup_short: bool = setting(
        False, "Also drop or mark texts under 20 words whose words are exactly those of a kept one."
    )
    dedup_key_field: str = setting("url", "Item field that identifies an item; the same key again is an update.")
    dedup_fields: tuple[str, ...] = setting(
        (),
        "Item fields that decide: the one with the text to compare (none: the body field); =NAME: only items that "
        'agree in it are duplicates; !NAME: only items that differ in it. Example: ["body", "=sku"].',
        check=ComparedFields.parse,
    )
    dedup_scope: str = setting(
        "site",
        "Whether a text is compared with those of its own site or with all.",
        choices=("site", "global"),
    )
    dedup_search: str = setting(
        "auto",
        "How kept texts are searched: by MinHash first (prefilter; misses one duplicate in 300), or every one, by the "
        "edit-distance tree (tree). auto: prefilter; the tree of the patent rule.",
        choices=("auto", *SEARCHES),
    )
    dedup_store: str = setting(
        "auto",
        "Where the index lives; auto: in DENOISE_DEDUP_PATH or the job directory if one is set, else in memory. "
        "A class of one's own is a Store, made by its from_settings(settings), or without arguments.",
        choices=("auto", "memory", "sqlite", "redis"),
        or_path=True,
        check=check_store,
    )
    dedup_path: str = setting("", "File of the index; empty: a file in the job directory.", may_be_empty=True)
    dedup_redis_url: str = setting(
        "redis://localhost:6379/0",
        "Server of DENOISE_DEDUP_STORE = 'redis'; crawls share it, and what they learn.",
        check=check_redis_url,
    )
    dedup_redis_name: str = setting("denoise", "Name of the index there; crawls of one name share one index.")
    dedup_groups: int = setting(
        100_000,
        "How many dropped keys an index in a file or on a server remembers with the kept one (`scrapy denoise dedup "
        "groups`), those dropped first out first; 0: none.",
        unit="keys",
        low=0,
    )
    dedup_wait: float = setting(
        60.0,
        "How long a near-duplicate waits, at most, while the item that it repeats is in the pipelines still: that may "
        "be dropped or fail there. Then it passes.",
        unit="seconds",
        low=0,
        high=3600,
    )
    dedup_mark_field: str = setting(
        "near_duplicate",
        'Item field that receives {"of": key, "score": c2, "c1": c1, "new": share that is new, "form": whether other '
        'numbers stand in it}; for a longer text "extends" in place of "of".',
    )
    progress_interval: float = setting(
        60.0, "Time between two lines of progress in the log; 0: none.", unit="seconds", low=0
    )


def declarations() -> Iterator[tuple[str, Field[Any], Declaration]]:
    """Yield name, dataclass field and declaration of each setting, in order."""
    for option in fields(DeclaredSettings):
        yield option.name, option, option.metadata["declaration"]


def settings_table() -> str:
    """Render all settings as a Markdown table."""
    rows = [
        "| setting | valid | default | unit | per page | meaning |",
        "|---|---|---|---|---|---|",
    ]
    for name, option, declared in declarations():
        valid = declared.valid_values(str(option.type)).replace("|", "\\|")
        cells: Iterable[str] = (
            f"`{PREFIX}{name.upper()}`",
            valid,
            f"`{option.default!r}`",
            declared.unit,
            "yes" if declared.per_page else "",
            declared.meaning,
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows) + "\n"
