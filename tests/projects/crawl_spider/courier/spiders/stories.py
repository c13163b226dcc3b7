from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from courier.items import StoryItem


class StoriesSpider(CrawlSpider):
    name = "stories"

    rules = (
        Rule(LinkExtractor(allow=(r"/news/$", r"/evening/$", r"/page-\d+\.html$"), deny=r"/(forum|docs|xinwen)/")),
        Rule(LinkExtractor(allow=r"/(news|evening)/[\w-]+\.html$"), callback="parse_story", follow=True),
    )

    def __init__(self, start="http://127.0.0.1:8808/news/", *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.start_urls = [start]
        self.allowed_domains = ["127.0.0.1"]

    def parse_story(self, response):
        item = StoryItem()
        item["url"] = response.url
        item["title"] = response.css("h1::text").get()
        item["found_by"] = response.meta["link_text"]
        return item
