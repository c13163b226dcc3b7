import scrapy

from newsroom.loaders import StoryLoader


class DeskSpider(scrapy.Spider):
    name = "desk"

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [f"{start}news/", f"{start}evening/"]

    def parse(self, response):
        yield from response.follow_all(css=".pp a")
        yield from response.follow_all(css=".k3 > a, .card h2 a", callback=self.parse_story)

    def parse_story(self, response):
        loader = StoryLoader(response=response)
        loader.add_value("url", response.url)
        loader.add_css("headline", "h1::text")
        loader.add_css("topics", ".tg a:first-child::text, .kicker::text")
        yield loader.load_item()
        yield from response.follow_all(css="a[href^='/evening/'][href$='.html']", callback=self.parse_story)
