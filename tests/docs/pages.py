"""The pages of the documentation, and the blocks of code that they show."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@dataclass(frozen=True)
class Block:
    """A block of code: its language, its text, and the line on which it begins."""

    language: str
    text: str
    line: int


def blocks_of(page: Path) -> Iterator[Block]:
    for token in MarkdownIt().parse(page.read_text("utf-8")):
        if token.type in {"fence", "code_block"} and token.map:
            yield Block(token.info.strip(), token.content, token.map[0] + 1)
