"""Several pages of one site: memory, templates, LCS matching, repeats, and what bodies teach."""

from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.memory import PageMemory
from denoise_scrapy.site.rules_file import RulesFile
from denoise_scrapy.site.siblings import sibling_links
from denoise_scrapy.site.site_memory import SiteMemory
from denoise_scrapy.site.sqlite_store import SQLiteSiteStore
from denoise_scrapy.site.statistics import SiteStatistics
from denoise_scrapy.site.store import SiteStore
from denoise_scrapy.site.stored_site import Unsaved
from denoise_scrapy.site.template import likest_first, template_similarity, without_copies
from denoise_scrapy.site.url_shapes import VisitedShapes
from denoise_scrapy.site.urls import page_identity, site_key, url_likeness

__all__ = [
    "LearnedRule",
    "LearnedTemplate",
    "PageMemory",
    "RulesFile",
    "SQLiteSiteStore",
    "SiteMemory",
    "SiteStatistics",
    "SiteStore",
    "Unsaved",
    "VisitedShapes",
    "likest_first",
    "page_identity",
    "sibling_links",
    "site_key",
    "template_similarity",
    "url_likeness",
    "without_copies",
]
