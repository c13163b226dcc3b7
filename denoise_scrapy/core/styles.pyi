from collections.abc import Callable, Iterable, Sequence

from lxml.etree import _Element

Compound = tuple[str, str, Sequence[str], bool]
Condition = tuple[str, str, str]
Selector = tuple[tuple[int, int, int], Sequence[Compound], bool, Sequence[Condition]]

def styles_of(root: _Element) -> tuple[bytes, bool]: ...

class StyleSheet:
    def __init__(self, text: bytes, is_all: bool, read_hard: Callable[[str], Iterable[Selector]]) -> None: ...
