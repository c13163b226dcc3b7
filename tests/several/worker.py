"""A crawler in small, for tests that kill it: takes requests, writes what it did, and tells that it is done.

python worker.py URL KEY DUPEFILTER FILE
"""

import os
import sys
import time
from pathlib import Path

import redis

from denoise_scrapy.several.leases import Leases

AT_ONCE = 8  # requests in progress


def work(url: str, key: str, dupefilter: str, file: Path) -> None:
    leases = Leases(redis.Redis.from_url(url), key, dupefilter)
    leases.join()
    held: dict[bytes, bytes] = {}
    beaten = 0.0
    with file.open("ab", buffering=0) as out:
        while leases.count()[0]:
            if time.monotonic() > beaten + 0.1:
                leases.beat(held)
                beaten = time.monotonic()
            while len(held) < AT_ONCE and (lease := leases.pop()[0]) is not None:
                held[lease.number] = lease.data
            time.sleep(0.01)
            for number, data in list(held.items())[::2]:
                kind, name = data.split()
                os.write(out.fileno(), data + b"\n")
                if kind == b"page":
                    leases.push(b"link " + name, 1, f"link {name.decode()}")
                leases.count([number])
                del held[number]
    leases.leave()


if __name__ == "__main__":
    work(*sys.argv[1:4], Path(sys.argv[4]))
