import scrapy

from clippings.items import Clipping


class ClipsSpider(scrapy.Spider):
    name = "clips"
    # -a kind=dict: items without declared fields
    kind = "item"

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [f"{start}evening/"]

    def parse(self, response):
        yield from response.follow_all(css=".card h2 a", callback=self.parse_clip)

    def parse_clip(self, response):
        values = {"title": response.css("h1::text").get(), "section": "evening", "url": response.url}
        yield values if self.kind == "dict" else Clipping(values)
