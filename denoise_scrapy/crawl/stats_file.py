"""The stats of a crawl as a file in its job directory, which `scrapy denoise stats` reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.job import job_dir

from denoise_scrapy.storage import replacing

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

STATS_FILE = "denoise-stats.json"


def write_stats(crawler: Crawler) -> None:
    """Write all stats of a crawl, Scrapy's own too, over those of the job's run before; nothing without a JOBDIR.

    Raises:
        OSError: The file cannot be written.
    """
    directory = job_dir(crawler.settings)
    if directory:
        with replacing(Path(directory, STATS_FILE)) as file:
            json.dump(crawler.stats.get_stats(), file, default=str, indent=1, sort_keys=True)
