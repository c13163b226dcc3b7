"""Comparison pages and learned template of a model as one file, so that a body can be made again."""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path

import numpy as np

from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.rows import (
    FACTS_ARRAYS,
    TEMPLATE_ARRAYS,
    Arrays,
    constants,
    facts_arrays,
    read_facts,
    read_template,
    template_arrays,
    template_text,
)
from denoise_scrapy.site.statistics import SiteStatistics


def save_model(statistics: SiteStatistics, pinned: LearnedRule | None, path: Path) -> None:
    """Write a model as a compressed npz file, without pickles.

    Of comparison pages their facts are kept: strategies that read no more (`combined`, `repetition`, and those that
    read the page alone) make the very same body from the loaded model. `lcs`, `style-tree` and `cluster` read the
    elements of comparison pages, and find none in it.

    Args:
        statistics: Comparison pages and learned template.
        pinned: The pinned rule, None for none.
        path: The file, replaced where it is there.

    Raises:
        OSError: The file cannot be written.
    """
    learned = statistics.learned
    told = {
        "constants": constants(),
        "urls": [page.url for page in statistics.pages],
        "learned": None if learned is None else template_text(learned),
        "pinned": None if pinned is None else pinned.as_dict(),
    }
    arrays: Arrays = {"told": np.frombuffer(json.dumps(told).encode(), np.uint8)}
    for number, page in enumerate(statistics.pages):
        arrays |= {f"{name}_{number}": values for name, values in facts_arrays(page.facts).items()}
    if learned is not None:
        arrays |= {f"learned_{name}": values for name, values in template_arrays(learned).items()}
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def load_model(path: Path) -> tuple[SiteStatistics, LearnedRule | None]:
    """Comparison pages with learned template, and pinned rule, of a file that `save_model` wrote.

    Args:
        path: The file.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no such file, or one of another version.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            told = json.loads(file["told"].tobytes())
            if told["constants"] != constants():
                raise ValueError(f"of another version: {told['constants']} there and {constants()} here")
            pages = [
                read_facts({name: file[f"{name}_{number}"] for name in FACTS_ARRAYS}, url)
                for number, url in enumerate(told["urls"])
            ]
            columns = {name: file[f"learned_{name}"] for name in TEMPLATE_ARRAYS} if told["learned"] else {}
    except (ValueError, LookupError, TypeError, AttributeError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise ValueError(f"{path}: no model of denoise_scrapy that can be read: {error}") from error
    learned = read_template(columns, told["learned"]) if told["learned"] else None
    pinned = LearnedRule.from_dict(told["pinned"]) if told["pinned"] else None
    return SiteStatistics(tuple(pages), learned), pinned
