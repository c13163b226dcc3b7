"""Several pages of one site: their URLs, comparison pages, facts for the next crawl, and health.

`memory` remembers pages and says what a page shares with the most similar ones; `urls` says which URLs are one page,
one site or one template; `facts_store` keeps pages between crawls; `crawl_history` compares crawls of a site.
"""

from denoise_scrapy.site.facts_store import FactsStore, RedisFacts, SQLiteFacts, facts_store
from denoise_scrapy.site.memory import PageMemory, SiteStatistics, likest_first, template_similarity
from denoise_scrapy.site.urls import VisitedShapes, page_identity, sibling_links, site_key, url_likeness

__all__ = [
    "FactsStore",
    "PageMemory",
    "RedisFacts",
    "SQLiteFacts",
    "SiteStatistics",
    "VisitedShapes",
    "facts_store",
    "likest_first",
    "page_identity",
    "sibling_links",
    "site_key",
    "template_similarity",
    "url_likeness",
]
