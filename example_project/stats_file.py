"""An extension that leaves the crawl's statistics in a file, for programs that start a crawl."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector
    from typing_extensions import Self


class StatsFile:
    """Writes all statistics as JSON to the file named in the setting STATS_FILE, if it is set."""

    def __init__(self, path: Path, stats: StatsCollector):
        self.path, self.stats = path, stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make one where STATS_FILE is set.

        Raises:
            NotConfigured: It is not set.

        """
        name = crawler.settings.get("STATS_FILE")
        if not name or crawler.stats is None:
            raise NotConfigured
        extension = cls(Path(name), crawler.stats)
        # Later than spider_closed, at which other components still count.
        crawler.signals.connect(extension.write, signals.engine_stopped)
        return extension

    def write(self) -> None:
        """Write the file; times become text."""
        text = json.dumps(self.stats.get_stats(), default=str, indent=1, sort_keys=True)
        self.path.write_text(text + "\n", "utf-8")
