"""Settings of several crawlers of one spider: those of one, and where they meet.

The server's address is in the environment, so that no two copies of these settings differ in it.
"""

import os

from example_project.settings import *  # noqa: F403

REDIS_URL = os.environ.get("REDIS_URL", "redis://localhost:6379/0")

# The frontier, and what was asked for before.
SCHEDULER = "denoise_scrapy.several.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"

# The index of texts, and the site memory.
DENOISE_DEDUP_STORE = "redis"
DENOISE_DEDUP_REDIS_URL = REDIS_URL

# Limits of Scrapy are those of one process: a host sees four times as many requests from four of them. And what a
# process has taken from the frontier waits for its turn there, while others may be idle.
CONCURRENT_REQUESTS_PER_DOMAIN = 2
CONCURRENT_REQUESTS = 4

# Bytes of the pages in progress, some ten of the portal's: what a killed process had in progress is done again.
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 80_000
