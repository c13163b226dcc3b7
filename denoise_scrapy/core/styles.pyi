from lxml.etree import _Element

PROPERTIES: tuple[tuple[str, int, int, str | float | None], ...]

def styles_of(root: _Element) -> tuple[bytes, bool, bool]: ...

class StyleSheet:
    def __init__(self, text: bytes, is_all: bool, is_still: bool = False) -> None: ...
