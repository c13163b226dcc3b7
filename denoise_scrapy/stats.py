"""Every counter of ours in Scrapy's stats, declared once."""

from __future__ import annotations

PREFIX = "denoise/"

STATS: dict[str, str] = {
    "accelerator": "who does the work on arrays: native, or numpy and why (a text)",
    "pages/parsed": "pages that were read",
    "pages/opted_out": 'pages left alone at the request\'s wish (meta["denoise"])',
    "pages/too_large": "pages above DENOISE_MAX_PAGE_MB, left alone",
    "pages/evicted": "remembered pages that made room for newer ones (at the end of the crawl)",
    "geometry/attached": "rendered pages of which it is known where their elements lie",
    "geometry/elements": "elements with a place, of all these pages",
    "geometry/missing": "rendered pages of which the browser told no layout",
    "geometry/mismatch": "rendered pages whose elements had changed when their body was read; used without layout",
    "body/items": "items that received a text",
    "body/empty": "items whose page has no content in our eyes; they receive an empty text",
    "body/kept": "fields that held something of the spider's own, which was kept",
    "body/no_field": "items that lack a field they were to be given",
    "body/several": "items that share their page with others of its callback, so that its text is none of theirs",
    "body/elsewhere": "items that name a page which the spider has not fetched; they have no text of ours",
    "body/no_page": "items without a page, or whose page is no HTML",
    "body/opted_out": "items of pages left alone",
    "body/fallback/*": "items whose text came from a fallback, by its name",
    "body/evidence/*": "items by what their text rests on: comparison pages, page alone …",
    "body/confidence/*": "pages by the confidence of their body (expected F1), in twentieths",
    "meta/lang": "pages whose language was asked for and found",
    "meta/no_lang": "the same where nothing tells it: little text, and no lang attribute",
    "meta/published": "pages whose date of publication was asked for and found",
    "meta/no_date": "the same where neither markup nor URL tells it",
    "meta/too_large": "pages in which no date was looked for: above 2 MB, or too large to be judged",
    "meta/no_html": "pages whose HTML had gone when language or date were asked for: they have no date",
    "site_memory/loaded": "sites of which pages of earlier crawls, or of other processes, were loaded",
    "site_memory/saved": "times that pages of a site were saved",
    "site_memory/corrupt": "damaged rows of the store that were skipped",
    "site_memory/evicted": "pages of a file, or sites of a server, that made room for others",
    "site_memory/failed": "times that the store could not be read or written; the crawl went on without",
    "comparison/from_memory": "pages that were compared with pages the crawl had brought anyway",
    "comparison/none": "pages of a site of which no other page was to be had",
    "comparison/waits": "pages that waited for the crawl to bring another page",
    "comparison/requests": "comparison pages fetched",
    "comparison/failed": "fetches that gave no page to compare with",
    "comparison/reused": "fetched pages that answered the spider's own request later",
    "comparison/over_budget": "pages that wanted a fetch beyond the share or the site's limit",
    "comparison/given_up/*": "sites left alone, by reason: timeout, slow, broken, redirects, busy, address",
    "comparison/forgotten": "sites that made room for others in the record of what was fetched",
    "dedup/checked": "items whose text was compared",
    "dedup/duplicates": "near-duplicates found",
    "dedup/dropped": "near-duplicates dropped",
    "dedup/marked": "near-duplicates marked, and longer texts marked by DENOISE_DEDUP_EXTENDS",
    "dedup/extends": "items whose text contains a kept one and much more",
    "dedup/score/*": "near-duplicates by their score (c2), in twentieths",
    "dedup/forms": "near-duplicates with other numbers than the kept item: forms filled in anew, or updates",
    "dedup/most_copied": "key of the kept item with the most near-duplicates",
    "dedup/most_copies": "how many it has",
    "dedup/too_short": "items whose text is too short to be judged by similarity; passed",
    "dedup/updated": "items kept before with another text, which the new one replaced",
    "dedup/kept_texts": "texts in the index at the end",
    "dedup/verified": "kept texts that were compared with a new one",
    "dedup/no_text": "items without a text to compare",
    "dedup/no_key": "items with neither a key nor a page; passed without comparison",
    "dedup/same_page": "items whose text is that of a page, as is that of the item they repeat; passed",
    "dedup/shared": "items that hold the text of a page which they share with others; not compared by it",
    "dedup/no_field": "near-duplicates without a field to mark them in; passed",
    "dedup/waits": "times that a near-duplicate waited for what became of the item that it repeats",
    "dedup/waited_in_vain": "near-duplicates that waited for DENOISE_DEDUP_WAIT, and passed",
    "dedup/withdrawn": "texts that were kept, and taken back since a later pipeline dropped their item or failed",
    "dedup/unchecked": "items that passed without comparison, for the index could not be used",
    "dedup/store_failed": "times that the index could not be used; it is tried again with growing pauses",
    "dedup/unwritten": "times that a feed could not be written, so that it is open whether its items are delivered",
    "several/taken_back": "requests that another crawler had in progress when it died, and that wait again",
    "several/overtaken": "requests that others did too, for this crawler was silent for so long that it seemed dead",
    "several/unreadable": "requests of the shared frontier that could not be read; left out",
    "errors": "errors of ours that were caught; the page or the item passed unchanged",
    "errors/*": "the same by the place where they happened",
    "memory/bytes": "bytes that all memories and the index hold at the end of the crawl, about",
    "memory/bytes/*": "the same by memory: pages, path_tables, recent, reuse, index",
    "memory/evicted/*": "what left bounded memories, by memory (docs/memory.md); further ones: pages/evicted, "
    "site_memory/evicted, comparison/forgotten",
    "invalid_meta": 'requests whose meta["denoise"] was invalid; the settings were used',
}


def stats_table() -> str:
    """Render all counters as a Markdown table."""
    rows = [f"| `{PREFIX}{name}` | {meaning} |" for name, meaning in STATS.items()]
    return "\n".join(["| stat | counts |", "|---|---|", *rows]) + "\n"


def meaning_of(name: str) -> str:
    """Return what a stat counts; "" for one that is not declared.

    Args:
        name: Its name without the prefix.
    """
    return STATS.get(name) or STATS.get(f"{name.rpartition('/')[0]}/*", "")


def is_declared(name: str) -> bool:
    """Whether `name` (without our prefix) stands in the table, itself or as ``family/*``."""
    return bool(meaning_of(name))
