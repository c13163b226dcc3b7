"""Mutated pages through the accelerator and through numpy: `python -m tests.native.fuzz [--seconds N] [--seed N]`.

Each round takes a page of the example portal (of recorded ones too, where DENOISE_CORPORA names a folder), damages it,
and asks both ways for its columns, blocks, features and body. A difference ends the run with the round's seed, which
makes the same page again: `--seed N --rounds 1`. `tests.native.sanitize --fuzz N` runs it with sanitizers.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from denoise_scrapy.body import SiteModel
from denoise_scrapy.body.features import block_features
from denoise_scrapy.body.model import block_model
from denoise_scrapy.native import library, switched_off
from denoise_scrapy.page import Page, PathTable
from tests.hostile.mutations import round_of
from tests.hostile.rounds import arguments, known_sites, rounds_of


def everything(html: str, others: Sequence[str]) -> dict[str, object]:
    """All that a page gives, parsed anew, with values that are compared as they are and arrays that nearly are."""
    table = PathTable()
    facts = [Page.parse(other, url=f"http://a.example/{n}", paths=table).facts for n, other in enumerate(others)]
    page = Page.parse(html, url="http://a.example/page", paths=table)
    blocks, elements = page.blocks, page.elements
    found: dict[str, object] = {
        "links": page.links, "title": page.title, "tags": page.tags(), "texts": page.block_texts,
        "parent": elements.parent.tolist(), "end": elements.end.tolist(), "own_chars": elements.own_chars.tolist(),
        "element": blocks.element.tolist(), "tokens": blocks.tokens.tolist(), "counts": blocks.counts.tolist(),
        "hashes": blocks.text_hashes.tolist(), "keys": blocks.path_keys.tolist(),
        "link_chars": blocks.link_chars.tolist(),
    }  # fmt: skip
    model = SiteModel.fit(facts)
    if len(blocks):
        found["features"] = block_features(page, model.statistics.for_page(page).first(5), block_model().vocabulary)
    body = model.extract(page)
    return found | {"text": body.text, "probability": np.asarray(body.probability), "confidence": body.confidence}


def differences(html: str, others: Sequence[str]) -> list[str]:
    """Names of what the accelerator and numpy tell differently of a page."""
    native = everything(html, others)
    with switched_off():
        plain = everything(html, others)
    wrong = []
    for name, value in plain.items():
        if isinstance(value, np.ndarray):
            same = np.allclose(native[name], value, rtol=1e-5, atol=1e-5, equal_nan=True)
        elif isinstance(value, float):
            same = abs(native[name] - value) < 1e-5  # type: ignore[operator]
        else:
            same = native[name] == value
        if not same:
            wrong.append(name)
    return wrong


def main() -> int:
    """Run rounds until the time is over; give 1 at the first difference."""
    args = arguments("python -m tests.native.fuzz", __doc__).parse_args()
    if library() is None:
        print("there is no accelerator to be tested", file=sys.stderr)
        return 1
    sites, done = known_sites(), 0
    print(f"seed {args.seed}, pages of {len(sites)} sites", flush=True)
    for _, seed in rounds_of(args):
        try:
            wrong = differences(*round_of(seed, sites))
        except BaseException:
            print(f"round {seed} failed", flush=True)
            raise
        if wrong:
            print(f"round {seed}: {', '.join(wrong)} differ")
            return 1
        done += 1
    print(f"{done} rounds, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
