"""A process that writes into shared indexes, for tests: a line for each text, as soon as it is acknowledged.

Arguments: URL, name of the process, then jobs as JSON (see `run`). Before each it says "ready" and waits for a line, so
that several begin at once.
"""

import hashlib
import json
import random
import sys
from dataclasses import replace

from denoise_scrapy.dedup import DuplicateIndex
from denoise_scrapy.dedup.index import RULES
from denoise_scrapy.dedup.redis_store import RedisStore
from denoise_scrapy.dedup.rules import PartRule
from tests.dedup.made_texts import english

LENGTH = 60
TOGETHER = 40  # texts that each process takes in an order of its own, or the quickest would be first with all


class Planted(PartRule):
    """Gives every eighth text the same first band, so that there are false candidates; or none a band in common."""

    def __init__(self, bands: str):
        self.bands = bands

    def fingerprint(self, new):
        made = super().fingerprint(new)
        if self.bands == "apart":
            return replace(made, bands=hashlib.blake2b(made.digest).digest() * 2)
        return replace(made, bands=bytes([made.digest[0] % 8, 0, 0, 0]) + made.bands[4:])


def text_of(seed: int) -> str:
    return " ".join(english(seed, LENGTH))


def near_copy_of(seed: int, who: str) -> str:
    words = english(seed, LENGTH)
    words[random.Random(f"{seed} {who}").randrange(LENGTH)] = f"changed{who}"
    return " ".join(words)


def print_line(*values: object) -> None:
    print(json.dumps(values), flush=True)


def run(url: str, who: str, name: str, count: int, first: int = 0, near=False, bands="", **options) -> None:
    """Check and add the texts of some seeds; `near`: with a word of one's own in each; `bands`: see `Planted`."""
    own = random.Random(who)
    seeds = sorted(range(first, first + count), key=lambda seed: (seed // TOGETHER, own.random()))
    texts = {seed: near_copy_of(seed, who) if near else text_of(seed) for seed in seeds}
    RULES["part"] = Planted(bands) if bands else PartRule()
    with DuplicateIndex(store=RedisStore(url, name=name), **options) as index:
        print_line("ready")
        sys.stdin.readline()
        for seed, text in texts.items():
            print_line(seed, index.check_and_add(f"{who}-{seed}", text).of)
        print_line("done", index.stats["verified"])


if __name__ == "__main__":
    for job in map(json.loads, sys.argv[3:]):
        run(sys.argv[1], sys.argv[2], **job)
