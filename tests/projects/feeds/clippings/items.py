import scrapy


class Clipping(scrapy.Item):
    title = scrapy.Field()
    body = scrapy.Field()
    section = scrapy.Field(serializer=str.upper)
    url = scrapy.Field()
