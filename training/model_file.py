"""Writing a model's file, which `BlockModel.load` reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from denoise_scrapy.body.strategies.combined import BlockModel
from denoise_scrapy.core.judge import Forest, Network

#: Folder of the models that come with the package.
OUTPUT = Path("denoise_scrapy/body/models")


def save_model(model: BlockModel, path: Path) -> None:
    """Write a model to a file, without pickles."""
    owners: dict[str, Network | Forest] = {**model.forests, "network": model.network}
    arrays: dict[str, Any] = {
        f"{owner}/{name}": array for owner, part in owners.items() for name, array in part.arrays().items()
    }
    class_words, text_words = model.vocabulary.class_words, model.vocabulary.text_words
    words = sorted(class_words.items())
    arrays["words/code"] = np.array([code for code, _ in words], np.uint32)
    arrays["words/odds"] = np.array([odds for _, odds in words], np.float16)
    arrays["texts/gap"] = np.diff(text_words.nonzero()[0], prepend=0).astype(np.uint32)  # smaller, compressed
    arrays["texts/odds"] = text_words[text_words != 0].astype(np.float16)
    arrays["wording"] = model.wording.astype(np.float16)
    arrays["phrases"] = model.phrases.astype(np.float16)
    arrays["names"] = np.array(model.names)
    arrays["provenance"] = np.array(json.dumps(model.provenance, sort_keys=True))
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)
