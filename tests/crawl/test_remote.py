"""A running crawl shows the health of its sites, and explains pages, to whoever runs code in it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Reply, Web, sentence

CODE = """
from denoise_scrapy.crawl.remote import explain, health
print(health(crawler))
print(await explain(crawler, {url!r}))
"""


def test_by_the_remote_control_of_scrapy(articles: Web, tmp_path: Path) -> None:
    pytest.importorskip("scrapy.extensions.remote_control")  # from Scrapy 2.19 on
    import aiohttp

    articles.pages["/api"] = Reply(b"{}", headers={"Content-Type": "application/json"})
    told: list[dict[str, Any]] = []

    async def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url}
        if response.url.endswith("/a/3"):
            job = json.loads(next(tmp_path.glob("*.json")).read_text("utf-8"))  # noqa: ASYNC240 - a small file
            address, token = f"http://127.0.0.1:{job['port']}/execute", {"Authorization": f"Bearer {job['token']}"}
            async with aiohttp.ClientSession(headers=token) as session:
                for url in (articles("/a/5"), articles("/api")):
                    async with session.post(address, json={"code": CODE.format(url=url)}) as answer:
                        told.append(await answer.json())

    settings = {"REMOTE_CONTROL_JOBS_DIR": str(tmp_path), "CONCURRENT_REQUESTS": 1}
    done = crawl(spider_of(*articles.urls(range(4)), parse=parse), settings)
    assert len(done.items) == 4 and done.stat("errors") == 0
    (ok, refused) = told
    assert ok["status"] == "ok", ok
    health, head, *blocks = ok["output"].splitlines()
    assert health.startswith(articles.url) and "pages, 0 empty" in health
    assert head.startswith(f"{articles('/a/5')}: status 200, confidence 0.") and "compared with 0" not in head
    assert any(block.startswith("kept 0.") and sentence(5)[:40] in block for block in blocks)
    assert any(block.startswith("     0.") and "rights reserved" in block for block in blocks)
    assert refused["status"] == "error" and "no page that the crawl processes" in refused["traceback"]
