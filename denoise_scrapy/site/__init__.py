"""Several pages of one site: memory, templates, LCS matching, repeats."""

from denoise_scrapy.site.memory import PageMemory
from denoise_scrapy.site.statistics import SiteStatistics
from denoise_scrapy.site.template import likest_first, template_similarity, without_copies
from denoise_scrapy.site.urls import sibling_links, site_key, url_likeness

__all__ = [
    "PageMemory",
    "SiteStatistics",
    "likest_first",
    "sibling_links",
    "site_key",
    "template_similarity",
    "url_likeness",
    "without_copies",
]
