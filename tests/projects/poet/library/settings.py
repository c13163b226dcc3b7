BOT_NAME = "library"

SPIDER_MODULES = ["library.spiders"]
NEWSPIDER_MODULE = "library.spiders"

ADDONS = {
    "scrapy_poet.Addon": 300,
    "denoise_scrapy.DenoiseAddon": 500,
}
SCRAPY_POET_DISCOVER = ["library.pages"]
