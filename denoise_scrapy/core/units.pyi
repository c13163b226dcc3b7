from collections.abc import Callable, Iterator

MOST_LEVELS: int
MOST_WITHIN: int
LONGEST: int

def packed(
    markdown: str, count: Callable[[str], int], most: float, overlap: float
) -> Iterator[tuple[tuple[str, ...], str]]: ...
