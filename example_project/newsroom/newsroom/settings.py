"""A newsroom that crawls the same papers every morning, and reads only what is new or corrected."""

BOT_NAME = "newsroom"
SPIDER_MODULES = ["newsroom.spiders"]
ROBOTSTXT_OBEY = True
FEEDS = {"%(time)s.jsonl": {"format": "jsonlines"}}  # JSON lines: a cell of CSV holds no list

ADDONS = {"denoise_scrapy.DenoiseAddon": 500}
DENOISE_PARTS = {"bylines": "drop", "comments": "drop"}  # the author has a field; comments change all day
DENOISE_FIELDS = {
    "title": "title",
    "authors": "authors",
    "published": "published",
    "modified": "modified",
    "confidence": "confidence",
    "no_content": "no_content",  # walls and error pages
    "paywalled": "paywalled",
    "pages": "pages",
    "updates": "updates",
}
DENOISE_DEDUP_STORE = "texts.sqlite"  # what the days before have delivered
DENOISE_DEDUP_SCOPE = "global"  # agencies' stories are on many sites
DENOISE_DEDUP_DAYS = 90
DENOISE_SEEN = "drop-unchanged"
