"""Settings of several crawlers of one spider: those of one, and where they meet.

The server's address is in the environment, so that no two copies of these settings differ in it.
"""

import os

from example_project.settings import *  # noqa: F403

SPIDER_MODULES = ["example_project.several.spider"]
REDIS_URL = os.environ.get("REDIS_URL", "redis://localhost:6379/0")

# The frontier, and what was asked for before.
SCHEDULER = "scrapy_redis.scheduler.Scheduler"
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
SCHEDULER_PERSIST = True  # or the first process that ends deletes what the others have to do
MAX_IDLE_TIME_BEFORE_CLOSE = 3  # seconds

# The index of texts, and facts of the sites.
DENOISE_DEDUP_STORE = REDIS_URL
DENOISE_FIELDS = {"variant_of": "variant_of", "update_of": "update_of"}

# Limits of Scrapy are those of one process: a host sees four times as many requests from four of them.
CONCURRENT_REQUESTS_PER_DOMAIN = 2
# A kill loses what a process has taken from the frontier; and others may be idle meanwhile.
CONCURRENT_REQUESTS = 4
