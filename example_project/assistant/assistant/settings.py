"""An assistant that answers from a site: each crawl writes what its vector store must add and delete."""

BOT_NAME = "assistant"
SPIDER_MODULES = ["assistant.spiders"]
ROBOTSTXT_OBEY = True
FEEDS = {"changes-%(time)s.jsonl": {"format": "chunk-changes"}}

ADDONS = {"denoise_scrapy.DenoiseAddon": 500}
DENOISE_PARTS = {"comments": "drop"}  # answers cite the page
DENOISE_FIELDS = {"chunks": "chunks", "language": "language", "published": "published", "no_content": "no_content"}
DENOISE_CHUNK_TOKENS = 400  # at most what the embedder reads at once; the estimate is rather high
DENOISE_DEDUP_STORE = "texts.sqlite"  # remembers the ids of each page's chunks
DENOISE_SEEN = "drop-unchanged"
