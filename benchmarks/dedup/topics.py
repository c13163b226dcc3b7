"""The nearest other text by TF-IDF: two texts on one topic."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from benchmarks.dedup.bases import Base
from benchmarks.dedup.pieces import GROUPS
from denoise_scrapy.core.units import tokens


def nearest(bases: Sequence[Base]) -> dict[str, Base]:
    """{name of a base: the base nearest to it, of another page}, within each language group."""
    found: dict[str, Base] = {}
    for group in GROUPS:
        some = [base for base in bases if base.group == group]
        if len({base.document for base in some}) > 1:
            found.update(_nearest(some))
    return found


def _nearest(bases: Sequence[Base]) -> dict[str, Base]:
    vectors = TfidfVectorizer(analyzer=_terms, sublinear_tf=True).fit_transform([base.text for base in bases])
    likeness = (vectors @ vectors.T).toarray()
    documents = np.array([base.document for base in bases])
    likeness[documents[:, None] == documents[None]] = -1
    return {base.name: bases[int(i)] for base, i in zip(bases, likeness.argmax(axis=1), strict=True)}


def _terms(text: str) -> list[str]:
    """Words; of scripts without spaces also two characters, for one is no term."""
    units = tokens(text)
    doubles = [a + b for a, b in pairwise(units) if len(a) == len(b) == 1]
    return [*(unit for unit in units if len(unit) > 1), *doubles]
