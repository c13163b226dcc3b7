from collections.abc import Iterable

from denoise_scrapy.core.tokens import Token

LINKS: tuple[str, ...]
IMAGES: tuple[str, ...]

def to_markdown(tokens: Iterable[Token], links: str = "keep", images: str = "keep") -> str: ...
