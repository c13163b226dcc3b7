"""Several crawlers of one spider share a frontier in Redis: scrapy-redis, and leases, so that a kill loses nothing.

`docs/several-crawlers.md` has the settings to write. What is in here needs the extra `several`.
"""

try:
    import redis as _redis
    import scrapy_redis as _scrapy_redis
except ImportError as error:
    raise ImportError(
        "Several crawlers of one spider need scrapy-redis, which is not installed: pip install denoise-scrapy[several]"
    ) from error

__all__: list[str] = []
del _redis, _scrapy_redis
