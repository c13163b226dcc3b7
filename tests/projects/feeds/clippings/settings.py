BOT_NAME = "clippings"

SPIDER_MODULES = ["clippings.spiders"]
NEWSPIDER_MODULE = "clippings.spiders"

ADDONS = {"denoise_scrapy.DenoiseAddon": 500}

FEEDS = {
    "items.jsonl": {"format": "jsonlines", "encoding": "utf8"},
    "items.csv": {"format": "csv"},
    "chosen.csv": {"format": "csv", "fields": ["title", "body", "url"]},
    "items.xml": {
        "format": "xml",
        "fields": {"url": "link", "body": "text"},
        "item_export_kwargs": {"item_element": "story"},
    },
}
