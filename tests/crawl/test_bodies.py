"""Items get the text of their page."""

from typing import Any

import scrapy

from tests.crawl.crawling import crawl
from tests.crawl.web import Web, article, story


def spider_of(*urls: str, **attributes: Any) -> type[scrapy.Spider]:
    class ArticleSpider(scrapy.Spider):
        name = "articles"
        start_urls = list(urls)

        def parse(self, response: Any) -> Any:
            yield {"url": response.url}

    for name, value in attributes.items():
        setattr(ArticleSpider, name, value)
    return ArticleSpider


def test_one_line_of_settings_gives_every_item_a_body(web: Web) -> None:
    for n in range(4):
        web.pages[f"/a/{n}"] = article(n)
    done = crawl(spider_of(*(web(f"/a/{n}") for n in range(4))))
    assert len(done.items) == 4
    for n in range(4):
        body = done.bodies()[web(f"/a/{n}")]
        assert story(n).split(". ")[3] in body
        assert "rights reserved" not in body
    assert done.stat("body/items") == 4
    assert done.stat("errors") == 0
