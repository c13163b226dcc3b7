import scrapy
from scrapy_poet import DummyResponse

from library.pages import FetchedPage, ListPage


class FetchedSpider(scrapy.Spider):
    """Requests of stories are never sent: a page object fetches the page itself."""

    name = "fetched"

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [f"{start}docs/2.8/"]

    def parse(self, response: DummyResponse, page: ListPage):
        for link in page.links("/docs/2.8/"):
            yield response.follow(link, self.parse_chapter)

    async def parse_chapter(self, response: DummyResponse, page: FetchedPage):
        yield await page.to_item()
