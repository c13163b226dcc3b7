from dataclasses import asdict

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

from newsroom.items import CountedStory


class OtherDeskPipeline:
    """Schools of the morning paper are another desk's."""

    def process_item(self, item):
        adapter = ItemAdapter(item)
        if "school" in adapter["topics"] and "/news/" in adapter["url"]:
            raise DropItem("another desk's", log_level="INFO")
        return item


class WordsPipeline:
    """Gives on another object than it was given."""

    def process_item(self, item):
        return CountedStory(**asdict(item), words=len(item.body.split()))
