from collections.abc import Iterable, Sequence

Compound = tuple[str, str, Sequence[str], bool]

class StyleSheet:
    def __init__(self, rules: Iterable[tuple[Sequence[Compound], str, bool]], is_all: bool = False) -> None: ...
