"""A spider for any sites: every page becomes an item, and the plugin adds its text."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import scrapy
from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import HtmlResponse, Request, Response
from scrapy.linkextractors import LinkExtractor

from example_project.spiders.frontier import Host, host_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.python.failure import Failure
    from typing_extensions import Self


def _words(text: str) -> list[str]:
    """Return what a comma-separated argument names; @file names a file with one a line."""
    lines = Path(text[1:]).read_text("utf-8").splitlines() if text.startswith("@") else text.split(",")
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


class SiteSpider(scrapy.Spider):
    """scrapy crawl site -a hosts=a.example,b.example -a pages=50 -a depth=3 -O items.jsonl.

    Args:
        hosts: Hosts to crawl from their front pages, separated by commas.
        start: URLs to begin at, separated by commas, or @file with one a line; links are followed
            within the hosts of these and of `hosts`. http and https are one host.
        pages: Items a host, at most; 0 is no limit.
        depth: Links from a start page, at most; DEPTH_LIMIT counts where it is not given.

    """

    name = "site"
    # Requests wait for their turn here, so Scrapy cannot know from which page they came, and what
    # was asked for before is known here too.
    custom_settings = {  # noqa: RUF012
        "SPIDER_MIDDLEWARES": {"scrapy.spidermiddlewares.depth.DepthMiddleware": None},
        "REFERRER_POLICY": "no-referrer",
        "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    }

    def __init__(self, hosts: str = "", start: str = "", pages: str = "0", depth: str = "", **kwargs: Any):
        super().__init__(**kwargs)
        self.starts = [f"http://{host}/" for host in _words(hosts)] + _words(start)
        if not self.starts:
            raise ValueError("nothing to crawl: give -a hosts=a.example or -a start=URL")
        self.depth = int(depth) if depth else 0
        self.hosts: dict[str, Host] = {}
        for url in self.starts:
            self.hosts.setdefault(host_of(url), Host(int(pages)))
        if "" in self.hosts:
            raise ValueError(f"not all of these are http(s) URLs: {self.starts}")
        self.allowed_domains = [urlsplit(f"//{host}").hostname or "" for host in self.hosts]
        self.links = LinkExtractor()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make the spider of a crawl."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.depth = spider.depth or crawler.settings.getint("DEPTH_LIMIT")
        crawler.signals.connect(spider.dropped, signals.request_dropped)
        crawler.signals.connect(spider.resume, signals.spider_idle)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Yield requests for the start pages."""
        for url in self.starts:
            self.hosts[host_of(url)].offer(url, 0)
        for name in self.hosts:
            for request in self._requests(name):
                yield request

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        """Yield the item of a page, then requests for what waits on its host."""
        name, depth = kwargs["host"], kwargs["depth"]
        host = self.hosts[name]
        host.under_way -= 1
        if depth == 0:  # a site may redirect its front page to another host of its own
            self.hosts.setdefault(host_of(response.url), host)
        if self._is_page(response, host) and host.take(response.url):
            title = response.css("title::text").get(default="")
            yield {"url": response.url, "title": " ".join(title.split())}
            self._follow(response, depth + 1)
        yield from self._requests(name)

    def failed(self, failure: Failure) -> Iterator[Request]:
        """Give the place of a request that brought no page to the next of its host."""
        request: Request = failure.request  # type: ignore[attr-defined]
        name = request.cb_kwargs["host"]
        self.hosts[name].under_way -= 1
        yield from self._requests(name)

    def dropped(self, request: Request) -> None:
        """Give the place of a request that Scrapy dropped, such as a redirect elsewhere, to the next."""
        name = request.cb_kwargs.get("host")
        if name is not None and self.crawler.engine is not None:
            self.hosts[name].under_way -= 1
            for following in list(self._requests(name)):
                self.crawler.engine.crawl(following)

    def resume(self) -> None:
        """When nothing is under way, ask for what still waits: requests may get lost unseen.

        Raises:
            DontCloseSpider: Something waited.

        """
        waited = []
        for name, host in self.hosts.items():
            host.under_way = 0
            waited += list(self._requests(name))
        for request in waited:
            if self.crawler.engine is not None:
                self.crawler.engine.crawl(request)
        if waited:
            raise DontCloseSpider

    def _is_page(self, response: Response, host: Host) -> bool:
        known = self.hosts.get(host_of(response.url)) is host
        return known and response.status == 200 and isinstance(response, HtmlResponse)

    def _follow(self, response: Response, depth: int) -> None:
        if self.depth and depth > self.depth:
            return
        try:
            links = self.links.extract_links(response)  # type: ignore[arg-type]
        except Exception as error:
            self.logger.info("No links read from %s: %s", response.url, error)
            return
        for link in links:
            host = self.hosts.get(host_of(link.url))
            if host is not None:
                host.offer(link.url, depth)

    def _requests(self, name: str) -> Iterator[Request]:
        for url, depth in self.hosts[name].release():
            yield Request(
                url,
                callback=self.parse,
                errback=self.failed,
                cb_kwargs={"host": name, "depth": depth},
                # A front page may be redirected to another host of the site.
                meta={"allow_offsite": depth == 0 or host_of(url) != name},
            )
