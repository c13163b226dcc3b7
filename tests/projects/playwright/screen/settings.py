import shutil

BOT_NAME = "screen"

SPIDER_MODULES = ["screen.spiders"]
NEWSPIDER_MODULE = "screen.spiders"

ADDONS = {"denoise_scrapy.DenoiseAddon": 500}

DOWNLOAD_HANDLERS = {
    "http": "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler",
    "https": "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler",
}
PLAYWRIGHT_LAUNCH_OPTIONS = {
    "executable_path": shutil.which("chromium"),
    "args": ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
}
