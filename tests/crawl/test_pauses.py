"""A crawl that is stopped with its workers, longer than a page may take, goes on as if nothing had been."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from tests.crawl.test_workers import CRAWL, children_of
from tests.crawl.web import Web, article
from tests.processes import ROOT, Forked, wait_until

if sys.platform != "linux":
    pytest.skip("reads processes in /proc", allow_module_level=True)


@pytest.mark.parametrize("who", ["all", "worker", "crawl"])
def test_a_page_in_work_survives_a_pause(who: str, web: Web, tmp_path: Path) -> None:
    """Of more seconds than it may take of the processor, and more ticks than a worker may be silent."""
    leave, reached = tmp_path / "leave", tmp_path / "reached"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "LEAVE": str(leave), "REACHED": str(reached)}
    limits = "from denoise_scrapy.worker import worker; from denoise_scrapy.crawl import workers\n"
    limits += "worker.MAX_SECONDS, workers.TICK = 0.5, 0.1\n"
    web.pages["/waits"] = article(0)
    log = tmp_path / "log"
    process = Forked(["-c", limits + CRAWL, web("/waits")], tmp_path, environment, out=log, err=log)
    wait_until(reached.exists)
    stopped = {"all": [process.pid], "worker": [], "crawl": [process.pid]}[who]
    stopped += children_of(process.pid) if who != "crawl" else []
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(1.5 if who == "worker" else 4)
    if who != "worker":  # the crawl itself continues that
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
    leave.touch()
    process.wait()
    said = log.read_text("utf-8")
    assert "'denoise/body/items': 1" in said and "workers/died" not in said and "body/fallback/worker" not in said
