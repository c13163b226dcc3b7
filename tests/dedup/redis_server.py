"""A real Redis server for tests, on its own socket."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import redis

INSTALL = "redis-server is not on PATH: apt-get install redis-server"
START_SECONDS = 10  # a server is up within 50 ms; machines that run tests are slow at times


class RedisServer:
    """Starts, stops and kills a server; a restarted one reads what the one before has written.

    Args:
        folder: Where its socket and its files lie; a short path, for sockets allow some 100 characters.
        options: Settings as on the command line: `appendonly="yes"`.
    """

    def __init__(self, folder: str, **options: str):
        if shutil.which("redis-server") is None:
            (pytest.fail if os.environ.get("DENOISE_REQUIRE_SERVERS") else pytest.skip)(INSTALL)
        self.folder = Path(folder)
        self.url = f"unix://{self.folder}/redis.sock"
        self._options = {"port": "0", "unixsocket": f"{folder}/redis.sock", "dir": folder, "save": "", **options}
        self.start()

    def start(self) -> None:
        command = ["redis-server"]
        for name, value in self._options.items():
            command += [f"--{name}", value]
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        self.client = redis.Redis.from_url(self.url)
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                self.client.ping()
                return
            except redis.ConnectionError:  # also while it loads
                if self.process.poll() is not None or time.monotonic() > end:
                    pytest.fail(f"redis-server did not start: {(self.folder / 'server.log').read_text()}")
                time.sleep(0.01)

    def kill(self) -> None:
        """Kill the server, without a last write, as in a crash."""
        self.client.close()
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> "RedisServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


@pytest.fixture(scope="session")
def shared_server():
    with tempfile.TemporaryDirectory(prefix="redis") as folder, RedisServer(folder, appendonly="no") as server:
        yield server


@pytest.fixture
def redis_server(shared_server):
    """A server with nothing in it."""
    shared_server.client.flushall()
    return shared_server
