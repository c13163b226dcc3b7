"""The pages of the documentation, and what they show."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
# What a line of commands begins with; other lines of such blocks are what was printed.
PROGRAMS = ("scrapy", "python", "pip", "make", "bash", "cd", "redis-server", "apt-get", "docker", "export")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@dataclass(frozen=True)
class Block:
    """A block of code: its language, its text, and the line on which it begins."""

    language: str
    text: str
    line: int


@dataclass(frozen=True)
class Command:
    """A command line that a page shows."""

    page: str
    line: int
    text: str

    @property
    def words(self) -> list[str]:
        return shlex.split(re.sub(r"\s+# .*", "", self.text))

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"


def blocks_of(page: Path) -> Iterator[Block]:
    for token in MarkdownIt().parse(page.read_text("utf-8")):
        if token.type in {"fence", "code_block"} and token.map:
            yield Block(token.info.strip(), token.content, token.map[0] + 1)


def commands_of(page: Path) -> Iterator[Command]:
    """Command lines in blocks, and `python -m …`, `scrapy …` and `make …` in the running text."""
    text = page.read_text("utf-8")
    for block in blocks_of(page):
        if block.language in {"", "console", "sh", "bash"}:
            lines = block.text.replace("\\\n", " ").splitlines()
            asked = [line for line in lines if line.startswith("$ ")]
            for number, line in enumerate(lines, block.line + 1):
                plain = line.removeprefix("$ ")
                if line.startswith("$ ") if asked else line.split(" ")[0] in PROGRAMS:
                    yield Command(name_of(page), number, plain)
    outside = re.sub(r"^```.*?^```", lambda found: "\n" * found[0].count("\n"), text, flags=re.S | re.M)
    for found in re.finditer(r"`((?:python -m|scrapy|make) [^`]+)`", outside):
        yield Command(name_of(page), outside.count("\n", 0, found.start()) + 1, " ".join(found[1].split()))
