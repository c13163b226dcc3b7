"""Items in feed files: Python's buffers die with the process, the operating system's do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.extensions.feedexport import FeedExporter

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


def flush_feeds(crawler: Crawler) -> None:
    """Hand what the crawl's feeds have buffered to the operating system, which keeps it if the process is killed.

    A feed that is compressed, or stored at its end only, is lost with its process whatever is done here.

    Raises:
        OSError: A file cannot be written.
    """
    exporter: Any = crawler.get_extension(FeedExporter)
    for slot in getattr(exporter, "slots", ()):
        file: Any = getattr(slot, "file", None)
        if not getattr(file, "closed", True) and "postprocessing" not in getattr(slot, "feed_options", ()):
            file.flush()
