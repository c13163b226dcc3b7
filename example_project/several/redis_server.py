"""A Redis server of the run's own, on a socket in a temporary folder."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

MISSING = "redis-server is not installed; on Debian: apt-get install redis-server"
MISSING_EXTRA = "scrapy-redis is not installed: pip install denoise-scrapy[several], here pip install -e .[several]"
START_SECONDS = 10.0  # it is up within 50 ms; machines are busy at times


class ServerError(Exception):
    """There is no server; the message says why."""


@contextmanager
def redis_server() -> Iterator[str]:
    """Run a server while the block runs, and give its URL. Nothing of it is left.

    It holds as much as there is memory for and evicts nothing, as a frontier and an index need it. It writes no file,
    for with this process all of the crawl ends.

    Raises:
        ServerError: It, or what crawlers need for it, is not installed, or it does not start.

    """
    if find_spec("scrapy_redis") is None:
        raise ServerError(MISSING_EXTRA)
    program = shutil.which("redis-server")
    if program is None:
        raise ServerError(MISSING)
    with tempfile.TemporaryDirectory(prefix="redis") as folder:
        socket = f"{folder}/redis.sock"
        options = ["--port", "0", "--unixsocket", socket, "--dir", folder, "--save", "", "--appendonly", "no"]
        log = Path(folder, "server.log")
        with log.open("wb") as out, subprocess.Popen([program, *options], stdout=out, stderr=out) as process:
            try:
                _wait_for(f"unix://{socket}", process, log)
                yield f"unix://{socket}"
            finally:
                process.kill()


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    import redis  # noqa: PLC0415 - an extra

    end = time.monotonic() + START_SECONDS
    with redis.Redis.from_url(url) as client:
        while True:
            try:
                client.ping()
                return
            except redis.ConnectionError as error:
                if process.poll() is not None or time.monotonic() > end:
                    said = log.read_text(errors="replace")
                    raise ServerError(f"redis-server did not start: {said or error}") from error
                time.sleep(0.01)
