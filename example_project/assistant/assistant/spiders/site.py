"""All pages of a site."""

from urllib.parse import urlsplit

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from assistant.items import Page


class SiteSpider(CrawlSpider):
    """Follows each link within the site, and yields an item for each page but the front page."""

    name = "site"
    rules = (Rule(LinkExtractor(deny=r"^https?://[^/]+/$"), callback="parse_page", follow=True),)

    def __init__(self, start, **more):
        super().__init__(**more)
        self.start_urls = [start]
        self.allowed_domains = [urlsplit(start).hostname]

    def parse_page(self, response):
        """Yield the page."""
        yield Page(response.url)
