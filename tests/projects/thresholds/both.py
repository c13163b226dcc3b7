"""Runs both spiders in one process, as a cron job would."""

import sys

from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings

process = CrawlerProcess(get_project_settings())
for name in ("every_version", "one_version"):
    process.crawl(name, start=sys.argv[1])
process.start()
