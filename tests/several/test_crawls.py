"""Four processes crawl the example portal: they keep what one keeps, also when one of them is killed."""

import json
import random
import time
from collections import Counter
from urllib.parse import urlsplit

import pytest

import example_project.several.redis_server
from example_project.portal import build
from example_project.several.__main__ import main, one_crawler, several_crawlers
from example_project.several.crawlers import Crawlers, CrawlersError
from example_project.several.outcome import outcome, table
from example_project.several.redis_server import MISSING, MISSING_EXTRA, ServerError, redis_server

CRAWLERS = 4


def feeds(folder):
    """The paths in each crawler's feed."""
    files = sorted(folder.glob("items-*.jsonl"))
    return [[urlsplit(json.loads(line)["url"]).path for line in file.read_text().splitlines()] for file in files]


def test_four_crawlers_keep_what_one_keeps(shared_server, tmp_path):
    portal = build()
    one = one_crawler(portal, tmp_path)
    found = several_crawlers(portal, tmp_path, CRAWLERS)
    assert found.same_items(one), (found.stories - one.stories, one.stories - found.stories)
    assert (found.missed, found.lost, found.again) == ((), (), ())
    assert found.dropped + len(found.early) == one.dropped + len(one.early) > 0
    assert len(found.crawlers) == CRAWLERS and sum(map(bool, found.crawlers)) > 1, "it was shared"
    assert f"items by crawler: 1: {len(feeds(tmp_path)[0])}, 2:" in table(one, found)


def test_the_others_do_what_a_killed_one_had_in_progress(shared_server, tmp_path):
    print(f"seed {(seed := time.time_ns())}")
    portal = build()
    found = several_crawlers(portal, tmp_path, CRAWLERS, random.Random(seed))
    killed = set(feeds(tmp_path)[random.Random(seed).randrange(CRAWLERS)])
    assert found.lost == ()
    assert set(found.again) <= killed, "only what the killed one had delivered comes again"
    beside = {portal.pages[path].copy_of for path in found.missed}
    known = {portal.pages[path].copy_of or path for path in killed}
    assert beside <= known, "only of what it had delivered, and the index had not heard of, is a copy kept"


def item(path):
    return {"url": f"http://127.0.0.1:1{path}", "body": "text"}


def test_an_outcome_tells_what_is_missing_and_what_is_there_twice():
    portal = build()
    original, (copy, *_) = next(iter(portal.groups.items()))
    good = outcome(portal, [[item(original)], []], ["/", original, "/robots.txt", "/robots.txt"], 1)
    assert (good.stories, good.again, good.missed, good.asked_again) == (Counter([original]), (), (), 0)
    assert original not in good.lost and len(good.lost) > 100
    other = outcome(portal, [[item(copy)], [item(copy)]], ["/", "/"], 1)
    assert other.same_items(good)
    assert (other.again, other.asked_again, other.crawlers) == ((copy,), 1, (1, 1))
    whole, part = next((page.copy_of, path) for path, page in portal.pages.items() if page.how == "cut")
    early = outcome(portal, [[item(whole), item(part)]], [], 1, [part, whole])
    assert (early.early, early.missed, early.stories) == ((part,), (), Counter([whole]))
    late = outcome(portal, [[item(whole), item(part)]], [], 1, [whole, part])
    assert (late.early, late.missed, late.stories) == ((), (part,), Counter([whole] * 2))
    both = outcome(portal, [[item(original)], [item(copy)]], [], 1)
    assert not both.same_items(good)
    assert both.missed == (copy,)


def test_a_crawler_that_fails_is_told(redis_server, tmp_path):
    with Crawlers(1, "http://127.0.0.1:9/", redis_server.url, tmp_path, ["DENOISE_FAVOR=much"]) as crawlers:
        with pytest.raises(CrawlersError, match="had ended before"):
            crawlers.kill_after(1, 0, 0)
        with pytest.raises(CrawlersError, match=r"crawler 1 ended with None: see .*crawl-1\.log"):
            crawlers.wait(10)


def test_a_crawl_that_does_not_end_is_told_and_ended(redis_server, tmp_path):
    with Crawlers(1, "http://127.0.0.1:9/", redis_server.url, tmp_path) as crawlers:
        with pytest.raises(CrawlersError, match="does not end: \\[0\\] items after 0 seconds"):
            crawlers.wait(0)
        process = crawlers.all[0].process
    assert process.returncode == -9


def test_a_line_that_a_kill_has_cut_off_is_no_item(redis_server, tmp_path):
    with Crawlers(1, "http://127.0.0.1:9/", redis_server.url, tmp_path) as crawlers:
        crawlers.all[0].process.kill()
        crawlers.all[0].process.wait()
    crawlers.all[0].file("items.jsonl").write_bytes(b'{"url": "a"}\n{"ur')
    assert crawlers.all[0].items() == [{"url": "a"}]
    assert crawlers.delivered() == [1]


def test_what_is_missing_is_said(monkeypatch, capsys, tmp_path):
    with monkeypatch.context() as patch:
        patch.setattr(example_project.several.redis_server, "find_spec", lambda name: None)
        assert main([]) == 1
    assert MISSING_EXTRA in capsys.readouterr().err
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([]) == 1
    assert MISSING in capsys.readouterr().err
    broken = tmp_path / "redis-server"
    broken.write_text("#!/bin/sh\necho no memory today\nexit 1\n")
    broken.chmod(0o755)
    with pytest.raises(ServerError, match="no memory today"), redis_server():
        pass
