"""Items of the table."""

import scrapy


class Story(scrapy.Item):
    """A story, as the table has it."""

    url = scrapy.Field()
    headline = scrapy.Field()
    body = scrapy.Field()  # new, and so is each below
    near_duplicate = scrapy.Field()
    no_content = scrapy.Field()
