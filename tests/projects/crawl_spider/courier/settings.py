BOT_NAME = "courier"

SPIDER_MODULES = ["courier.spiders"]
NEWSPIDER_MODULE = "courier.spiders"

ADDONS = {"denoise_scrapy.DenoiseAddon": 500}

ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS_PER_DOMAIN = 8
FEED_EXPORT_ENCODING = "utf-8"
