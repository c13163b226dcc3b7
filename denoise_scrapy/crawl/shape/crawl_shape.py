"""The shape of a crawl: how many pages a host gave, how much of their text was kept, how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from denoise_scrapy.crawl.shape.host_shape import MAX_URL, HostShape, host_of

#: Hosts that are counted by themselves, some 500 bytes each; crawls of more are wide, and nobody reads so many lines.
MAX_HOSTS = 10_000
#: The name under which all further hosts are counted together.
OTHERS = "others"
#: Classes of a share or a confidence, from 0 to 1.
CLASSES = 20
#: Raise with any change that earlier versions cannot read.
FORMAT = 1

HISTOGRAMS = ("kept", "confidence", "lengths")


class CrawlShape:
    """Sums by host, and histograms of all pages, bounded.

    Attributes:
        hosts: Sums by host; those beyond `MAX_HOSTS` under `OTHERS`.
        histograms: Pages by class: "kept" and "confidence" in twentieths, "lengths" by the power of two.
        kinds: Pages by what they are, where that is known.
        runs: Crawls that were added up.
        others: Pages that were counted under `OTHERS` for want of room.

    Example:
        >>> shape = CrawlShape()
        >>> shape.add("http://a.example/1", chars=800, page_chars=1000, confidence=0.9)
        >>> shape.add("http://a.example/2", chars=0, page_chars=600, confidence=0.3)
        >>> host = shape.hosts["a.example"]
        >>> host.pages, host.empty, host.kept, host.mean, host.url
        (2, 1, 0.5, 0.6, 'http://a.example/2')
    """

    def __init__(self) -> None:
        self.hosts: dict[str, HostShape] = {}
        self.histograms: dict[str, Counter[int]] = {name: Counter() for name in HISTOGRAMS}
        self.kinds: Counter[str] = Counter()
        self.runs = 1
        self.others = 0

    @property
    def total(self) -> HostShape:
        """The sums over all hosts."""
        total = HostShape()
        for host in self.hosts.values():
            total.add(host)
        return total

    def largest(self, most: int) -> list[tuple[str, HostShape]]:
        """The hosts with most pages."""
        return sorted(self.hosts.items(), key=lambda one: (-one[1].pages, one[0]))[:most]

    def add(
        self, url: str, *, chars: int, page_chars: int = 0, confidence: float | None = None, fallback: bool = False
    ) -> None:
        """Count a page.

        Args:
            url: Its URL.
            chars: Visible characters of its body.
            page_chars: The same of all its text, 0 where it is not known.
            confidence: Confidence of its body, None where it is not known.
            fallback: Whether the body came from a fallback.
        """
        page = HostShape(1, int(not chars), int(fallback), chars, page_chars)
        if confidence is not None:
            page.judged, page.confidence, page.least = 1, confidence, confidence
            page.url = url if len(url) <= MAX_URL else ""
            self.histograms["confidence"][_class(confidence)] += 1
        if page.kept is not None:
            self.histograms["kept"][_class(page.kept)] += 1
        self.histograms["lengths"][chars.bit_length()] += 1
        self._host(host_of(url)).add(page)

    def merge(self, other: CrawlShape) -> None:
        """Add the sums of another crawl."""
        for name, host in other.hosts.items():
            self._host(name).add(host)
        for name, counts in other.histograms.items():
            self.histograms[name].update(counts)
        self.kinds.update(other.kinds)
        self.runs += other.runs

    def as_dict(self) -> dict[str, Any]:
        """The sums as plain values, for JSON."""
        return {
            "denoise_scrapy": "shape",
            "format": FORMAT,
            "runs": self.runs,
            "hosts": {name: asdict(host) for name, host in self.hosts.items()},
            **{name: dict(sorted(counts.items())) for name, counts in self.histograms.items()},
            "kinds": dict(self.kinds),
        }

    @classmethod
    def from_dict(cls, values: Any) -> CrawlShape:
        """The shape of `as_dict`.

        Raises:
            ValueError: It is none.
        """
        if not isinstance(values, Mapping) or values.get("denoise_scrapy") != "shape":
            raise ValueError("it is no shape of a crawl")
        if values.get("format") != FORMAT:
            raise ValueError(f"its format is {values.get('format')!r}, and this version reads {FORMAT}")
        shape = cls()
        try:
            for name, sums in values["hosts"].items():
                shape._host(name).add(HostShape.from_dict(sums))
            for name in HISTOGRAMS:
                shape.histograms[name].update({int(key): int(count) for key, count in values[name].items()})
            shape.kinds.update({str(kind): int(count) for kind, count in values["kinds"].items()})
            shape.runs = int(values["runs"])
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError):
            raise ValueError("it is damaged") from None
        return shape

    def _host(self, name: str) -> HostShape:
        if name not in self.hosts and len(self.hosts) >= MAX_HOSTS:
            name = OTHERS
            self.others += 1
        return self.hosts.setdefault(name, HostShape())


def length_name(power: int) -> str:
    """Name a class of lengths.

    Example:
        >>> length_name(0), length_name(1), length_name(10)
        ('0', '1', '512-1023')
    """
    return str(power) if power < 2 else f"{1 << (power - 1)}-{(1 << power) - 1}"


def _class(share: float) -> int:
    return min(CLASSES - 1, max(0, int(share * CLASSES + 1e-9)))
