BOT_NAME = "newsroom"

SPIDER_MODULES = ["newsroom.spiders"]
NEWSPIDER_MODULE = "newsroom.spiders"

ADDONS = {"denoise_scrapy.DenoiseAddon": 500}

ITEM_PIPELINES = {
    "newsroom.pipelines.OtherDeskPipeline": 300,
    "newsroom.pipelines.WordsPipeline": 310,
}
