from scrapy.spiders import SitemapSpider


class GazetteSpider(SitemapSpider):
    name = "gazette"
    sitemap_rules = [
        (r"/xinwen/", "parse_story"),
        (r"/docs/3\.0/", "parse_chapter"),
    ]

    def __init__(self, start, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.sitemap_urls = [f"{start}robots.txt"]

    def parse_story(self, response):
        yield {"url": response.url, "kind": "story", "headline": response.xpath("//h1/text()").get()}

    def parse_chapter(self, response):
        yield {"url": response.url, "kind": "chapter", "headline": response.xpath("//h1/text()").get()}
