import scrapy


class PaperSpider(scrapy.Spider):
    """What the two spiders have in common."""

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [f"{start}news/", f"{start}evening/"]

    def parse(self, response):
        if response.css(".by, .d8 + .sh"):
            yield {"url": response.url}
        yield from response.follow_all(css="a[href^='/evening/'], a[href^='/news/']")


class EveryVersionSpider(PaperSpider):
    """Edited versions are kept; only reprints that say the same are marked."""

    name = "every_version"
    custom_settings = {
        "DENOISE_DEDUP": "mark",
        "DENOISE_DEDUP_THRESHOLD": 0.93,
        "FEEDS": {"every_version.jsonl": {"format": "jsonlines"}},
    }


class OneVersionSpider(PaperSpider):
    """One version of each story is kept, under a name of its own."""

    name = "one_version"
    custom_settings = {
        "DENOISE_BODY_FIELD": "text",
        "DENOISE_DEDUP_THRESHOLD": 0.7,
        "FEEDS": {"one_version.jsonl": {"format": "jsonlines"}},
    }
