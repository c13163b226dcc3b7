"""Every counter of ours in Scrapy's stats, declared once."""

from __future__ import annotations

PREFIX = "denoise/"

STATS: dict[str, str] = {
    "pages/parsed": "pages that were read",
    "pages/opted_out": 'pages left alone by meta["denoise"]',
    "pages/too_large": "pages above DENOISE_MAX_PAGE_MB, left alone",
    "pages/evicted": "remembered pages that made room for newer ones",
    "geometry/attached": "rendered pages with a layout from the browser",
    "geometry/elements": "elements with a place on these pages",
    "geometry/missing": "rendered pages without one",
    "geometry/mismatch": "rendered pages whose elements had changed; used without layout",
    "body/items": "items that received a text",
    "body/empty": "items that received an empty text: no content found",
    "body/kept": "fields that the spider had filled",
    "body/no_field": "items without the field to fill",
    "body/several": "items that share their page with others; they received no text",
    "body/elsewhere": "items that name a page which was not fetched; no text",
    "body/no_page": "items without an HTML page",
    "body/opted_out": "items of pages left alone",
    "body/fallback/*": "items whose text came from a fallback, by its name",
    "body/confidence/*": "pages by confidence of their body, in twentieths",
    "body/evidence/*": "items by what their text rests on",
    "meta/lang": "pages whose language was found",
    "meta/no_lang": "pages of unknown language",
    "meta/published": "pages whose date of publication was found",
    "meta/no_date": "pages without a date",
    "meta/too_large": "pages too large to look for a date (2 MB)",
    "meta/no_html": "pages whose HTML was gone when the date was looked for",
    "health/sites": "sites with pages enough to be compared with their last crawls",
    "health/alarms": "sites that something is wrong with (docs/health.md)",
    "site/*/*": "what the crawl brought of the ten worst sites, by host",
    "site_memory/loaded": "sites with pages of other crawls",
    "site_memory/saved": "times that a site's pages were saved",
    "site_memory/corrupt": "damaged rows that were skipped",
    "site_memory/evicted": "pages (in Redis: sites) that made room for others",
    "site_memory/failed": "times that the store could not be read or written",
    "comparison/from_memory": "pages compared with pages of the crawl",
    "comparison/none": "pages without any page to compare with",
    "comparison/waits": "pages that waited for the crawl to bring another page",
    "comparison/requests": "comparison pages fetched",
    "comparison/failed": "fetches that gave no page to compare with",
    "comparison/over_budget": "pages for which a fetch was beyond the limits",
    "comparison/given_up/*": "sites left alone, by reason: timeout, slow, broken, redirects, busy, address",
    "comparison/forgotten": "sites forgotten in the record of fetches",
    "dedup/checked": "items whose text was compared",
    "dedup/duplicates": "near-duplicates found",
    "dedup/dropped": "near-duplicates dropped",
    "dedup/marked": "near-duplicates marked",
    "dedup/score/*": "near-duplicates by their score (c2), in twentieths",
    "dedup/variants": "items like a kept one, but with another title, other values or something else filled in; passed",
    "dedup/no_content": "items with the text of a wall or an error page, which others have too; passed",
    "dedup/most_copied": "key of the kept item with the most near-duplicates",
    "dedup/most_copies": "how many it has",
    "dedup/expired": "texts forgotten, for no crawl has met them in DENOISE_DEDUP_DAYS",
    "dedup/too_short": "items too short to be judged; passed",
    "dedup/unchanged": "items that were delivered before, and have not changed since",
    "dedup/unchanged_dropped": "those of them that were dropped (DENOISE_SEEN)",
    "dedup/updated": "items that were kept before with another text or other fields",
    "dedup/kept_texts": "texts in the index at the end",
    "dedup/verified": "kept texts compared with a new one",
    "dedup/no_text": "items without a text to compare",
    "dedup/not_ours": "items with a text of the spider's own in the body field; not compared unless a setting names it",
    "dedup/html": "items with HTML in the field to compare; not compared",
    "dedup/no_key": "items without key and page; passed",
    "dedup/unwritable": "items with half characters in text or key; passed",
    "dedup/same_page": "items with the text of the same page as the kept item; passed",
    "dedup/other_feed": "near-duplicates for a feed that has refused the kept item; passed",
    "dedup/shared": "items that share a page's text; not compared",
    "dedup/no_field": "near-duplicates without the field for the mark; passed",
    "dedup/waits": "times that a near-duplicate waited for the kept item's delivery",
    "dedup/waited_in_vain": "near-duplicates that waited a minute and passed",
    "dedup/withdrawn": "texts taken back: a later pipeline lost their item, or all feeds refused it",
    "dedup/unchecked": "items that passed because the index failed",
    "dedup/store_failed": "times that the index failed",
    "dedup/unwritten": "times that a feed could not be written",
    "errors": "errors of ours; the page or item passed unchanged",
    "errors/*": "the same by place",
    "memory/bytes": "bytes held by all memories and the index at the end",
    "memory/bytes/*": "the same by memory",
    "memory/evicted/*": "what left bounded memories, by memory (docs/memory.md)",
    "invalid_meta": 'requests whose meta["denoise"] was invalid',
}


def meaning_of(name: str) -> str:
    """Return what a stat counts, by its name without the prefix; "" for one that is not declared."""
    family = name.rpartition("/")[0]
    return STATS.get(name) or STATS.get(f"{family}/*") or STATS.get(f"{family.rpartition('/')[0]}/*/*", "")


def twentieth(share: float) -> str:
    """Return the class of a share, in twentieths: "0.70", "0.75" … "1.00".

    Example:
        >>> twentieth(0.749), twentieth(1.0)
        ('0.70', '1.00')
    """
    return f"{int(share * 20 + 1e-9) / 20:.2f}"
