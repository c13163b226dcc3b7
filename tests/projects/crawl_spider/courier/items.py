import scrapy


class StoryItem(scrapy.Item):
    url = scrapy.Field()
    title = scrapy.Field()
    found_by = scrapy.Field()
    body = scrapy.Field()
