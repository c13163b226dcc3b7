"""All our counters in Scrapy's stats, each declared once."""

from __future__ import annotations

PREFIX = "denoise/"

STATS: dict[str, str] = {
    "pages/parsed": "pages parsed",
    "pages/opted_out": 'pages left alone by meta["denoise"]',
    "pages/too_large": "pages above DENOISE_MAX_PAGE_MB, left alone",
    "pages/evicted": "comparison pages removed for newer ones",
    "geometry/attached": "rendered pages with layout",
    "geometry/elements": "elements of these pages with a box",
    "geometry/missing": "rendered pages without layout",
    "geometry/mismatch": "rendered pages whose elements had changed; used without layout",
    "body/items": "items that received a text",
    "body/empty": "items that received an empty text",
    "body/kept": "fields that the spider had filled",
    "body/no_field": "items without the field",
    "body/several": "items that share their page with others; no text",
    "body/elsewhere": "items that name a page that was not fetched; no text",
    "body/no_page": "items without an HTML page",
    "body/opted_out": "items of pages left alone",
    "body/fallback/*": "items with a text from this fallback",
    "body/confidence/*": "pages by the confidence of their body, in steps of .05",
    "body/evidence/*": "items by the evidence for their text",
    "meta/lang": "pages with a language",
    "meta/no_lang": "pages without a language",
    "meta/published": "pages with a date of publication",
    "meta/no_date": "pages without a date",
    "meta/too_large": "pages too large to search for a date (2 MB)",
    "meta/no_html": "pages whose HTML was released before the search for a date",
    "health/sites": "sites with enough pages to be compared with earlier crawls",
    "health/alarms": "sites with an alarm (docs/health.md)",
    "site/*/*": "data of the ten worst sites, by host",
    "site_memory/loaded": "sites with pages from earlier crawls",
    "site_memory/saved": "times that pages of a site were saved",
    "site_memory/corrupt": "damaged rows, skipped",
    "site_memory/evicted": "pages (in Redis: sites) removed for others",
    "site_memory/failed": "failed reads and writes of the store",
    "comparison/from_memory": "pages compared with pages of the crawl",
    "comparison/none": "pages without a comparison page",
    "comparison/waits": "pages that waited for other pages of the crawl",
    "comparison/requests": "comparison pages fetched",
    "comparison/failed": "fetches without a comparison page",
    "comparison/over_budget": "pages without a fetch because of the limits",
    "comparison/given_up/*": "sites left alone, by reason: timeout, slow, broken, redirects, busy, address",
    "comparison/forgotten": "sites removed from the record of fetches",
    "dedup/checked": "items compared",
    "dedup/duplicates": "near-duplicates found",
    "dedup/dropped": "near-duplicates dropped",
    "dedup/marked": "near-duplicates marked",
    "dedup/score/*": "near-duplicates by their score (c2), in steps of .05",
    "dedup/variants": "variants; passed",
    "dedup/no_content": "items with the text of a wall or an error page; passed",
    "dedup/most_copied": "key of the kept item with the most copies",
    "dedup/most_copies": "number of these copies",
    "dedup/expired": "texts forgotten after DENOISE_DEDUP_DAYS",
    "dedup/too_short": "items with too short a text; passed",
    "dedup/unchanged": "items delivered before, unchanged",
    "dedup/unchanged_dropped": "those that were dropped (DENOISE_SEEN)",
    "dedup/updated": "items kept before with another text or other fields",
    "dedup/kept_texts": "texts in the index at the end",
    "dedup/verified": "kept texts compared with a new one",
    "dedup/no_text": "items without a text to compare",
    "dedup/not_ours": "items with a text of the spider's own; not compared",
    "dedup/html": "items with HTML in the field; not compared",
    "dedup/no_key": "items without key and page; passed",
    "dedup/unwritable": "items with lone surrogates in text or key; passed",
    "dedup/same_page": "items with the text of the kept item's page; passed",
    "dedup/other_feed": "copies for a feed that rejected the kept item; passed",
    "dedup/shared": "items that share a page's text; not compared",
    "dedup/no_field": "near-duplicates without the field for the mark; passed",
    "dedup/waits": "times that a near-duplicate waited for the kept item's delivery",
    "dedup/waited_in_vain": "near-duplicates that waited a minute and passed",
    "dedup/withdrawn": "texts withdrawn: a later pipeline lost their item, or all feeds rejected it",
    "dedup/unchecked": "items not compared because the index failed; passed",
    "dedup/store_failed": "failures of the index",
    "dedup/unwritten": "feeds that could not be written",
    "errors": "errors in the plugin; the page or item passed unchanged",
    "errors/*": "the same, by place",
    "memory/bytes": "bytes held at the end",
    "memory/bytes/*": "the same, by structure",
    "memory/evicted/*": "evictions, by structure (docs/memory.md)",
    "invalid_meta": 'requests with an invalid meta["denoise"]',
}


def meaning_of(name: str) -> str:
    """Return the meaning of a stat by its name without the prefix; "" if it is not declared."""
    family = name.rpartition("/")[0]
    return STATS.get(name) or STATS.get(f"{family}/*") or STATS.get(f"{family.rpartition('/')[0]}/*/*", "")


def twentieth(share: float) -> str:
    """Return a share rounded down to twentieths: "0.70", "0.75" … "1.00".

    Example:
        >>> twentieth(0.749), twentieth(1.0)
        ('0.70', '1.00')
    """
    return f"{int(share * 20 + 1e-9) / 20:.2f}"
