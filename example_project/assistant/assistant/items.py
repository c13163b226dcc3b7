"""Items of the assistant."""

from dataclasses import dataclass, field


@dataclass
class Page:
    """A page; all but its URL is filled by the plugin."""

    url: str
    body: str | None = None
    chunks: list = field(default_factory=list)
    language: str | None = None
    published: str | None = None
    no_content: bool | None = None  # a wall or an error page, whose chunks are not listed
