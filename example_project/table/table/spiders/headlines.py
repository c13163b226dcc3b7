"""Headlines, and the stories below them."""

import scrapy

from table.items import Story


class HeadlinesSpider(scrapy.Spider):
    """Yields an item for each story."""

    name = "headlines"

    def __init__(self, start, **more):
        super().__init__(**more)
        self.start_urls = [start]

    def parse(self, response):
        """Follow the links to stories."""
        yield from response.follow_all(css="a.story", callback=self.parse_story)

    def parse_story(self, response):
        """Yield a story."""
        yield Story(url=response.url, headline=response.css("h1::text").get())
