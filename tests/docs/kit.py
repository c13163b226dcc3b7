"""The folder in which the commands of the pages are run: the files that they name, made by us."""

import csv
import json
import re
import sqlite3
from pathlib import Path
from urllib.parse import urlsplit

from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article, story
from tests.dedup.redis_server import RedisServer
from tests.docs.pages import Command
from tests.projects.portal_site import serve

MADE_UP = re.compile(r"https?://(?:[\w.]+\.example|127\.0\.0\.1:8808)(/[^\s'\"]*)")


def lay_out(folder: Path, web: Web) -> None:
    """Make all that is named: texts, pages, indexes, a job with what it has learned, a feed."""
    (folder / "kept.txt").write_text(story(1), "utf-8")
    (folder / "new.txt").write_text(f"From our correspondent. {story(1)}", "utf-8")
    (folder / "old.html").write_text(article(3), "utf-8")
    (folder / "page.html").write_text(article(4), "utf-8")
    bodies = [{"url": f"https://a.example/{number}", "body": story(number % 5)} for number in range(12)]
    lines = [*map(json.dumps, bodies), "{"]
    (folder / "bodies.jsonl").write_text("\n".join(lines[:-1]) + "\n", "utf-8")
    (folder / "broken.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    with (folder / "old.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("id", "content", "day"), *((n, story(n % 3), f"2026-01-{n + 1:02}") for n in range(9))]
        )
    for name in ("news.sqlite", "other.sqlite"):
        with DuplicateIndex(store=SQLiteStore(folder / name), remember_copies=100) as index:
            for number in range(41):
                host = "b.example" if number % 3 else "a.example"
                index.add(f"https://{host}/{number}", story(number), scope=host)
            for number in (1, 1, 4):
                index.check_and_add(f"https://b.example/print/{number}", story(number), scope="b.example")
    with sqlite3.connect(folder / "other.sqlite") as file:
        file.execute("UPDATE texts SET s1 = x'00' WHERE id = 7")
    file.close()
    pages = serve(web, "news", "docs", "forum")
    few = [
        path for section in ("news", "docs", "forum") for path in sorted(p for p in pages if f"/{section}/" in p)[:9]
    ]
    spider = spider_of(*map(web, few))
    crawl(spider, {"JOBDIR": str(folder / "job"), "FEEDS": {folder / "items.jsonl": {"format": "jsonlines"}}})
    (folder / "denoise-sites.sqlite").write_bytes((folder / "job" / "denoise-sites.sqlite").read_bytes())


def local(command: Command, web: Web, server: RedisServer) -> list[str]:
    """The words of a command, with our servers in place of those that the page has made up."""
    words = []
    for word in command.words:
        for path in MADE_UP.findall(word):
            number = int(re.sub(r"\D", "", urlsplit(path).path) or 0)
            web.pages.setdefault(path, article(number))
        to_us = word if "dedup" in command.words else MADE_UP.sub(lambda found: web(found[1]), word)
        words.append(to_us.replace("redis://localhost:6379/0", server.url))
    return words
