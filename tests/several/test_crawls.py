"""Some processes crawl the example portal: together they keep what one keeps."""

import json
import subprocess
import sys
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

import example_project.several.redis_server
from example_project.portal import build
from example_project.several.__main__ import CrawlersError, main, several_crawlers
from example_project.several.redis_server import MISSING, MISSING_EXTRA, ServerError, redis_server
from tests.processes import Forked


def test_two_crawlers_keep_what_one_keeps(shared_server, tmp_path, monkeypatch):
    def forked(command, cwd, env, stderr):
        return Forked(command[1:], cwd, env, out=tmp_path / "out", err=tmp_path / "out")

    monkeypatch.setattr("example_project.several.__main__.subprocess", SimpleNamespace(Popen=forked, DEVNULL=None))
    portal = build()
    outcome = several_crawlers(portal, tmp_path, 2)
    found = outcome.found
    assert len(outcome.items) == 2
    assert found.wrongly_dropped == ()
    assert len(found.dropped) > 15
    lines = [line for feed in tmp_path.glob("items-*.jsonl") for line in feed.read_text("utf-8").splitlines()]
    kept = list(map(json.loads, lines))
    marked = {urlsplit(item["url"]).path for item in kept if item.get("variant_of") or item.get("update_of")}
    for path in found.missed:
        story = portal.pages[path].copy_of
        # a part that comes before the whole is no copy of it; a variant is kept and marked, whichever comes first, and
        # so is an update: a first text, made beside few pages, may lack a line of advertising that a later one has
        assert portal.pages[path].how == "cut" or marked & {story, *portal.groups[story]}, path


def test_a_crawler_that_fails_is_told(shared_server, tmp_path, monkeypatch):
    def failing(*_):
        return subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])

    monkeypatch.setattr("example_project.several.__main__.start_crawler", failing)
    with pytest.raises(CrawlersError, match=r"crawler 1 failed: see .*crawl-1\.log"):
        several_crawlers(build(), tmp_path, 1)


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
