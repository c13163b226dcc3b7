"""The spider for any sites: limits a host, and nothing lost, on pages of every kind."""

import json
import os
import subprocess
import sys
from collections import Counter
from urllib.parse import urlsplit

from example_project.portal import build, serve


def crawl(tmp_path, *arguments):
    out = tmp_path / "items.jsonl"
    command = [sys.executable, "-m", "scrapy", "crawl", "site", "-O", str(out)]
    for argument in arguments:
        command += ["-s" if argument[0].isupper() else "-a", argument]
    settings = ("ADDONS={}", "DOWNLOAD_DELAY=0", "RETRY_ENABLED=False", "ROBOTSTXT_OBEY=True")
    command += [part for setting in settings for part in ("-s", setting)]
    env = {**os.environ, "SCRAPY_SETTINGS_MODULE": "example_project.settings"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    items = [json.loads(line) for line in out.read_text().splitlines()]
    return items, done.stderr


def test_every_page_of_a_site_is_an_item(tmp_path):
    with serve() as base:
        items, log = crawl(tmp_path, f"start={base}/")
    assert "ERROR" not in log
    expected = {path for path in build().pages if not path.startswith("/private/")}
    assert Counter(urlsplit(item["url"]).path for item in items) == Counter(expected)


def test_the_limit_holds_for_each_host_and_is_used_up(tmp_path):
    with serve() as one, serve() as other:
        hosts = ",".join(urlsplit(base).netloc for base in (one, other))
        items, _ = crawl(tmp_path, f"hosts={hosts}", "pages=23")
    assert set(Counter(urlsplit(item["url"]).netloc for item in items).values()) == {23}
    assert len({item["url"] for item in items}) == 46
