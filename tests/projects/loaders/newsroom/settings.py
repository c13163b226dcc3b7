BOT_NAME = "newsroom"

SPIDER_MODULES = ["newsroom.spiders"]
NEWSPIDER_MODULE = "newsroom.spiders"

ADDONS = {"denoise_scrapy.DenoiseAddon": 500}

ITEM_PIPELINES = {
    "newsroom.pipelines.OtherDeskPipeline": 300,
    "newsroom.pipelines.WordsPipeline": 310,
}

FEEDS = {
    "items.jsonl": {"format": "jsonlines", "encoding": "utf8"},
    "items.csv": {"format": "csv"},
    "chosen.csv": {"format": "csv", "fields": ["headline", "body", "url"]},
    "items.xml": {
        "format": "xml",
        "fields": {"url": "link", "body": "text"},
        "item_export_kwargs": {"item_element": "story"},
    },
}
