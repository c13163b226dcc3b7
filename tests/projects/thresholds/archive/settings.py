BOT_NAME = "archive"

SPIDER_MODULES = ["archive.spiders"]
NEWSPIDER_MODULE = "archive.spiders"

ADDONS = {"denoise_scrapy.DenoiseAddon": 500}
