from collections.abc import Iterable, Iterator
from typing import Any, Literal

from denoise_scrapy.core.written import Attributes

_Kind = Literal["start", "end", "void", "text"]

class Token:
    kind: _Kind
    value: str
    attributes: Attributes
    block: int
    def __init__(self, kind: _Kind, value: str, attributes: Attributes = (), block: int = -1) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...

def to_html(tokens: Iterable[Token]) -> str: ...
def write(token: Token) -> str: ...
