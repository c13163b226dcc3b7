"""All our counters in Scrapy's stats, each declared once: the package counts, this says what. Tests compare both."""

from __future__ import annotations

STATS: dict[str, str] = {
    "pages/parsed": "pages parsed",
    "pages/too_large": "pages above 10 MB, left alone",
    "pages/lacking_styles": "pages whose styles take too long to read; text that these hide may be kept",
    "geometry/attached": "rendered pages with layout",
    "geometry/missing": "rendered pages without layout, or whose elements had changed since",
    "body/items": "items that received a text",
    "body/empty": "items that received an empty text",
    "body/lost": "items without the text of their page, of which workers died",
    "body/unset/*": "fields that were not set: kept (the spider had filled it), refused (by the item's class), "
    "no_field (the item has none)",
    "body/lost_later": "items with a text that failed or were dropped in later pipelines",
    "body/none/*": "items without a text, by reason: several, elsewhere, no_html, no_markup, no_page "
    "(docs/symptoms.md)",
    "body/fallback/*": "items with a text from this fallback",
    "pages/joined": "items with the text of several pages",
    "pages/waited_in_vain": "items that waited for a page of their article, and went on without it",
    "examples/*": "pages of crawls with examples: taught (an example is of their template), unlike (of others), "
    "set_aside (almost without its places, as after a redesign), none (of their site); refused: examples that their "
    "page lacks",
    "teacher/*": "templates for which DENOISE_TEACHER was asked, and its answers: used (an example now), none, "
    "refused (not on the page), failed, slow; over_budget: pages after the last call",
    "fallback/*": "pages for which DENOISE_FALLBACK was asked, and its answers: used, failed, slow",
    "body/confidence/*": "pages by the confidence of their body, in steps of .05",
    "body/evidence/*": "items by the evidence for their text",
    "body/evidence/*/*": "items whose field holds no page but a picture, JSON and the like, by its type; no text",
    "workers/started": "workers that extract pages",
    "workers/died": "deaths of workers; they are started anew",
    "health/sites": "sites with enough pages to be compared with earlier crawls",
    "health/alarms": "sites with an alarm (docs/health.md)",
    "site/*/*": "data of sites with an alarm, by host",
    "site_memory/loaded": "sites with pages from earlier crawls",
    "site_memory/corrupt": "damaged rows, skipped",
    "site_memory/failed": "failed reads and writes of the store",
    "site_memory/slow": "slow ones, after which it rests",
    "comparison/waits": "pages that waited for other pages of the crawl",
    "comparison/requests": "comparison pages fetched",
    "comparison/failed": "fetches without a comparison page",
    "comparison/given_up/*": "sites left alone, by reason: timeout, slow, broken, redirects, busy, address",
    "dedup/checked": "items compared",
    "dedup/duplicates": "near-duplicates, dropped or marked",
    "dedup/passed/*": "items that passed for another reason than a new text: variant_of, update_of, contains, "
    "no_content (of a wall or an error page), too_short, same_page (as the kept item), other_feed (than the one that "
    "rejected that), waited_in_vain (copies, after a minute)",
    "dedup/not_compared/*": "items not compared: no_text, not_ours (but the spider's), html, no_key (and no page), "
    "unwritable (lone surrogates), shared (with other items of the page)",
    "dedup/expired": "texts forgotten after DENOISE_DEDUP_DAYS",
    "dedup/unchanged": "items delivered before, unchanged",
    "dedup/updated": "items kept before with another text or other fields",
    "dedup/kept_texts": "texts in the index at the end",
    "dedup/withdrawn": "texts withdrawn: a later pipeline lost their item, or all feeds rejected it",
    "dedup/unchecked": "items not compared because the index failed; passed",
    "dedup/store_failed": "failures of the index",
    "dedup/store_slow": "slow calls of the index, after which it rests",
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
