"""The add-on: one line in a project's settings enables everything."""

from __future__ import annotations

from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings
from typing_extensions import Self

from denoise_scrapy.crawl.parts import path_of, refusing_to_start
from denoise_scrapy.exporters import FORMATS, check_feeds
from denoise_scrapy.middlewares import ComparisonPagesMiddleware, ItemPageMiddleware
from denoise_scrapy.pipelines import BodyPipeline, DropLogFormatter, NearDuplicatePipeline
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings, hide_tracebacks
from denoise_scrapy.worker.worker import end_if_started_for_a_worker

# Default place of each component; entries in a project's settings override it.
COMPONENTS = (
    # Next to the engine, below all usual numbers: it sees responses last, as the spider receives them.
    ("DOWNLOADER_MIDDLEWARES", ComparisonPagesMiddleware, -1000),
    # Next to the engine: it sees items as they enter the pipelines.
    ("SPIDER_MIDDLEWARES", ItemPageMiddleware, 10),
    # Before users' pipelines (usually 0 to 1000), which may store the item or replace its object.
    ("ITEM_PIPELINES", BodyPipeline, -200),
    ("ITEM_PIPELINES", NearDuplicatePipeline, -100),
)
# Where scrapy-poet is enabled: named, since it is imported only there.
PROVIDER = ("SCRAPY_POET_PROVIDERS", "denoise_scrapy.poet.BodyProvider", 450)


class DenoiseAddon:
    """``ADDONS = {"denoise_scrapy.DenoiseAddon": 500}`` in a project's settings."""

    def __init__(self, crawler: Crawler):
        end_if_started_for_a_worker()
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create one for a crawl."""
        return cls(crawler)

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Check the project's settings before a crawler exists; raise `ConfigurationError` for an invalid one."""
        try:
            DenoiseSettings.from_settings(settings, imports=False)
        except ConfigurationError:
            hide_tracebacks()
            raise

    def update_settings(self, settings: BaseSettings) -> None:
        """Check all settings, including the spider's, and enable the components."""
        with refusing_to_start(self._crawler):
            ours = DenoiseSettings.from_settings(settings, self._crawler.spider, imports=False)
            settings["FEED_EXPORTERS_BASE"].update(FORMATS)  # the project's FEED_EXPORTERS override these
            check_feeds(settings, ours)
        if settings.getpriority("LOG_FORMATTER") == 0:  # Scrapy's own
            settings.set("LOG_FORMATTER", DropLogFormatter, "addon")
        parts = {**settings.getdict("ADDONS"), **settings.getdict("DOWNLOADER_MIDDLEWARES")}
        has_poet = any(path_of(part).startswith("scrapy_poet.") for part in parts)
        for group, component, priority in (*COMPONENTS, PROVIDER) if has_poet else COMPONENTS:
            given = settings.getdict(group)
            # compared by path: entries of the project are not imported before a reactor is installed
            if not {component, path_of(component)} & given.keys():
                settings.set(group, {**given, component: priority}, settings.getpriority(group) or 0)
