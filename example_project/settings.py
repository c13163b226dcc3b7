"""Settings of the example project; see the Scrapy documentation for all except the first."""

ADDONS = {"denoise_scrapy.DenoiseAddon": 500}

BOT_NAME = "example_project"
SPIDER_MODULES = ["example_project.spiders"]
NEWSPIDER_MODULE = "example_project.spiders"
USER_AGENT = "denoise_scrapy example project"

# Polite by default; the demo, which crawls its own server, waits for a fifth of that.
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 0.05
CONCURRENT_REQUESTS_PER_DOMAIN = 4
CONCURRENT_REQUESTS = 32
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 16 * 1024 * 1024

# Breadth first, all hosts in turn: links of a page come after the other pages of its index.
DEPTH_PRIORITY = 1
SCHEDULER_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"
SCHEDULER_PRIORITY_QUEUE = "scrapy.pqueues.DownloaderAwarePriorityQueue"

LOG_LEVEL = "INFO"
TELNETCONSOLE_ENABLED = False
FEED_EXPORT_ENCODING = "utf-8"
EXTENSIONS = {"example_project.stats_file.StatsFile": 500}
