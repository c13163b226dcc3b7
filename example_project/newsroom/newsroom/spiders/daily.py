"""Stories of the front pages, with the further pages of each."""

import scrapy

from newsroom.items import Story


class DailySpider(scrapy.Spider):
    """Yields an item for each story; the pages that a story goes on need none."""

    name = "daily"

    def __init__(self, start, **more):
        super().__init__(**more)
        self.start_urls = start.split(",")

    def parse(self, response):
        """Follow the links to stories."""
        yield from response.follow_all(css="a.story", callback=self.parse_story)

    def parse_story(self, response):
        """Yield a story, and follow its pager."""
        yield Story(response.url)
        yield from response.follow_all(css="a[rel=next]", callback=self.parse_page)

    def parse_page(self, response):
        """Follow the pager."""
        yield from response.follow_all(css="a[rel=next]", callback=self.parse_page)
