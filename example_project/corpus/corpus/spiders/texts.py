"""All pages in the sitemaps of several sites."""

from scrapy.spiders import SitemapSpider


class TextsSpider(SitemapSpider):
    """Reads the sitemaps that the sites' robots.txt name."""

    name = "texts"

    def __init__(self, sites, **more):
        super().__init__(**more)
        self.sitemap_urls = [f"{site}/robots.txt" for site in sites.split(",")]

    def parse(self, response):
        """Yield the page."""
        yield {"url": response.url}
