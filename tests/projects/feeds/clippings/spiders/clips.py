import scrapy

from clippings.items import Clipping


class ClipsSpider(scrapy.Spider):
    name = "clips"

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [f"{start}evening/"]

    def parse(self, response):
        yield from response.follow_all(css=".card h2 a", callback=self.parse_clip)

    def parse_clip(self, response):
        yield Clipping(title=response.css("h1::text").get(), section="evening", url=response.url)
