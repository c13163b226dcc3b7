"""Runs and their frequencies as the documentation defines them, on plain lists of words."""

from collections import Counter

from denoise_scrapy.core.feature_strings import is_stop, read_units

Run = tuple[str, ...]


def runs_of(words: list[str]) -> list[Run | None]:
    """The run that begins at each unit: three from an ideograph, else five; None where it would not end."""
    lengths = [3 if "\u4e00" <= word <= "\u9fff" else 5 for word in words]
    return [tuple(words[i : i + k]) if i + k <= len(words) else None for i, k in enumerate(lengths)]


def distinct_runs(words: list[str]) -> set[Run]:
    return {run for run in runs_of(words) if run}


def frequencies(words: list[str]) -> Counter[str]:
    """Of how many different runs each unit is the first; those that begin none count each time."""
    begin_none = [word for word, run in zip(words, runs_of(words), strict=True) if run is None]
    return Counter([run[0] for run in distinct_runs(words)] + begin_none)


def is_stop_word(word: str) -> bool:
    return bool(is_stop(read_units(word).hashes)[0])
