"""Items of the newsroom."""

from dataclasses import dataclass, field


@dataclass
class Story:
    """A story; all but its URL is filled by the plugin."""

    url: str
    body: str | None = None
    title: str | None = None
    authors: list = field(default_factory=list)
    published: str | None = None
    modified: str | None = None
    confidence: float | None = None
    paywalled: bool | None = None
    pages: list = field(default_factory=list)
    updates: list = field(default_factory=list)
    no_content: bool | None = None
    seen: dict | None = None  # how it differs from its last delivery
    update_of: str | None = None  # the story that it says more of
    variant_of: str | None = None
