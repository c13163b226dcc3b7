"""Several crawlers of one spider share a frontier in Redis: scrapy-redis, and leases, so that a kill loses nothing.

`docs/several-crawlers.md` has the settings to write.
"""
