from dataclasses import dataclass, field


@dataclass
class Story:
    url: str | None = None
    headline: str | None = None
    topics: list[str] = field(default_factory=list)
    body: str | None = None


@dataclass
class CountedStory(Story):
    words: int = 0
