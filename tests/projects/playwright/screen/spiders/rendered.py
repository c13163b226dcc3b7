import scrapy
from scrapy_playwright.page import PageMethod


class RenderedSpider(scrapy.Spider):
    """Lists are plain pages; the text of a story is put there by a script."""

    name = "rendered"

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]

    def parse(self, response):
        for link in response.css(".links a"):
            yield response.follow(
                link,
                self.parse_story,
                meta={"playwright": True, "playwright_page_methods": [PageMethod("wait_for_selector", ".main p")]},
            )

    def parse_story(self, response):
        yield {"url": response.url, "title": response.css("h1::text").get()}
