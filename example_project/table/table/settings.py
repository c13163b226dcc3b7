"""A project that stores headlines in a table, and now their texts as well."""

BOT_NAME = "table"
SPIDER_MODULES = ["table.spiders"]
ROBOTSTXT_OBEY = True
ITEM_PIPELINES = {"table.pipelines.TablePipeline": 300}

ADDONS = {"denoise_scrapy.DenoiseAddon": 500}
DENOISE_DEDUP = "mark"  # nothing is dropped: a copy names the story that it copies
DENOISE_DEDUP_STORE = "texts.sqlite"
