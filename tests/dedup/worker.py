"""A process that keeps texts in a shared index, for tests: a line for each text, as soon as it is answered.

Arguments: place of the index, name of the process, options as JSON. It says "ready" and waits for lines of JSON, which
tell what to do, and says "done" after each: `["add", first, count]` or `["claim", first, count]` for texts of these
seeds, or `["settle"]` for what it has claimed.
"""

import json
import random
import sys
from typing import Any

from denoise_scrapy.dedup import DuplicateIndex, open_store
from tests.dedup.made_texts import english

LENGTH = 60
TOGETHER = 40  # texts that each process takes in an order of its own, or the quickest would be first with all


def text_of(seed: int) -> str:
    return " ".join(english(seed, LENGTH))


def near_copy_of(seed: int, who: str) -> str:
    words = english(seed, LENGTH)
    words[random.Random(f"{seed} {who}").randrange(LENGTH)] = f"changed{who}"
    return " ".join(words)


def print_line(*values: object) -> None:
    print(json.dumps(values), flush=True)


def main(place: str, who: str, *, near: bool = True, **options: Any) -> None:
    own, claims = random.Random(who), dict[int, int]()
    with DuplicateIndex(store=open_store(place), variants=False, **options) as index:
        print_line("ready")
        for what, *numbers in map(json.loads, sys.stdin):
            if what == "settle":
                for seed, claim in claims.items():
                    print_line(seed, index.settle(claim), False)
                claims.clear()
            else:
                seeds = range(numbers[0], numbers[0] + numbers[1])
                for seed in sorted(seeds, key=lambda seed: (seed // TOGETHER, own.random())):
                    text = near_copy_of(seed, who) if near else text_of(seed)
                    verdict = index.check_and_add(f"{who}-{seed}", text, claim=what == "claim")
                    claims.update({seed: verdict.claim} if verdict.claim else {})
                    print_line(seed, verdict.of, verdict.pending)
            print_line("done")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], **json.loads(sys.argv[3]))
