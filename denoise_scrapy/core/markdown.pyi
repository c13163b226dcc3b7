from collections.abc import Iterable

from denoise_scrapy.core.tokens import Token

PLACES_A_CELL: int
MAX_ITEM_NUMBER: int
MAX_MARGIN: int
LINKS: tuple[str, ...]
IMAGES: tuple[str, ...]

def to_markdown(tokens: Iterable[Token], links: str = "keep", images: str = "keep") -> str: ...
