import scrapy
from scrapy_poet import DummyResponse

from library.items import Chapter
from library.pages import ListPage


class ManualSpider(scrapy.Spider):
    """No callback touches its response: pages are read by page objects."""

    name = "manual"

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [f"{start}docs/3.0/"]

    def parse(self, response: DummyResponse, page: ListPage):
        for link in page.links("/docs/3.0/"):
            yield response.follow(link, self.parse_chapter)

    def parse_chapter(self, response: DummyResponse, chapter: Chapter):
        yield chapter
