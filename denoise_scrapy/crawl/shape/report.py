"""What a crawl says of its shape at the end: a table in the log, a file in the job directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.job import job_dir

from denoise_scrapy.crawl.shape.crawl_shape import CrawlShape
from denoise_scrapy.crawl.shape.host_shape import HostShape, visible_chars
from denoise_scrapy.crawl.text_table import text_table
from denoise_scrapy.shown import logger_of
from denoise_scrapy.storage import replacing

if TYPE_CHECKING:
    from denoise_scrapy.body import Body
    from denoise_scrapy.crawl.state import CrawlState
    from denoise_scrapy.page import Page

logger = logger_of(__name__)

SHAPE_FILE = "denoise-shape.json"
#: Hosts of the table: what a person looks at after a crawl.
HOSTS_SHOWN = 10
HEAD = ("confidence", "pages", "empty", "fallback", "kept", "host", "least sure page")
#: Columns of the table that are text.
TEXTS = (5, 6)


class ShapeReport:
    """Counts the pages of one crawl, and tells their shape at its end.

    Args:
        state: The crawl.

    Attributes:
        shape: What was counted.
    """

    def __init__(self, state: CrawlState) -> None:
        self._state = state
        self.shape = CrawlShape()

    def add(self, page: Page, body: Body) -> None:
        """Count a page; to be called while its columns are there."""
        self.shape.add(
            page.url,
            chars=visible_chars(body.text),
            page_chars=int(page.blocks.chars.sum()),
            confidence=body.confidence,
            fallback=bool(body.fallback),
        )

    def finish(self) -> None:
        """Log the table and write the file; nothing where no body was made."""
        if not self.shape.hosts:
            return
        lines = shape_lines(least_confident(self.shape))
        told = "\n".join(["Where bodies are least sure (kept: share of the pages' text):", *lines])
        logger.info(told, extra={"spider": self._state.crawler.spider})
        directory = job_dir(self._state.crawler.settings)
        try:
            if directory:
                add_to_file(Path(directory, SHAPE_FILE), self.shape)
        except (OSError, ValueError) as error:
            self._state.report("shape", error)


def least_confident(shape: CrawlShape) -> list[tuple[str, HostShape]]:
    """The hosts with the least confident bodies, those with most pages first where equal."""
    judged = [(name, host) for name, host in shape.hosts.items() if host.mean is not None]
    return sorted(judged, key=lambda one: (one[1].mean, -one[1].pages, one[0]))[:HOSTS_SHOWN]


def shape_lines(hosts: list[tuple[str, HostShape]]) -> list[str]:
    """Lines of a table of hosts."""
    return text_table(HEAD, [_cells(name, host) for name, host in hosts], TEXTS)


def read_shape(path: Path) -> CrawlShape:
    """Read what `add_to_file` wrote.

    Raises:
        OSError: It cannot be read.
        ValueError: It is no such file; the message names it.
    """
    try:
        return CrawlShape.from_dict(json.loads(path.read_bytes()))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {error}") from error


def add_to_file(path: Path, shape: CrawlShape) -> None:
    """Add a crawl to what earlier runs of its job have counted. The file is replaced as a whole.

    Raises:
        OSError: The file cannot be read or written.
        ValueError: It is none of ours; it stays as it is.
    """
    if path.exists():
        earlier = read_shape(path)
        earlier.merge(shape)
        shape = earlier
    with replacing(path) as file:
        file.write(json.dumps(shape.as_dict(), indent=1) + "\n")


def _cells(name: str, host: HostShape) -> list[str]:
    return [
        "-" if host.mean is None else f"{host.mean:.2f}",
        f"{host.pages:,}",
        f"{host.empty:,}",
        f"{host.fallbacks:,}",
        "-" if host.kept is None else f"{host.kept:.0%}",
        name or "(no host)",
        host.url,
    ]
