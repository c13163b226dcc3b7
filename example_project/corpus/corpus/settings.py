"""A corpus of many sites' texts, each of them once; later crawls add what is new."""

BOT_NAME = "corpus"
SPIDER_MODULES = ["corpus.spiders"]
ROBOTSTXT_OBEY = True
FEEDS = {
    "texts-%(time)s.jsonl.gz": {
        "format": "jsonlines",
        "postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"],
    }
}
ITEM_PIPELINES = {"corpus.pipelines.TextPipeline": 300}

ADDONS = {"denoise_scrapy.DenoiseAddon": 500}
DENOISE_PARTS = {"bylines": "drop", "comments": "drop", "captions": "drop"}
DENOISE_FIELDS = {
    "body": "text",
    "title": "title",
    "language": "language",
    "published": "published",
    "kind": "kind",
    "confidence": "confidence",
    "no_content": "no_content",
    "seen": "seen",
    "variant_of": "variant_of",
}
DENOISE_DEDUP_STORE = "texts.sqlite"  # all texts that a crawl has kept
DENOISE_DEDUP_SCOPE = "global"  # a text counts once, on whatever site it stands
DENOISE_SEEN = "drop-unchanged"
