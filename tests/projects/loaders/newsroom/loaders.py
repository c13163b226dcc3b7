from itemloaders.processors import Identity, MapCompose, TakeFirst
from scrapy.loader import ItemLoader

from newsroom.items import Story


class StoryLoader(ItemLoader):
    default_item_class = Story
    default_output_processor = TakeFirst()

    headline_in = MapCompose(str.strip, str.upper)
    topics_in = MapCompose(str.strip)
    topics_out = Identity()
