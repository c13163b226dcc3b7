"""What gets into the corpus."""

from scrapy.exceptions import DropItem


class TextPipeline:
    """Drops walls, error pages, texts that are not sure, and short ones."""

    def process_item(self, item):
        """Return the item, or drop it."""
        text, confidence = item.get("text"), item.get("confidence")
        if item.get("no_content") or not text or len(text) < 200:
            raise DropItem("no text", log_level="DEBUG")
        if confidence is not None and confidence < 0.7:
            raise DropItem("not sure", log_level="DEBUG")
        return item
