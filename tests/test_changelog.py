"""CHANGELOG.md keeps the form of Keep a Changelog 1.1, and knows the version."""

import re
from datetime import date
from pathlib import Path

from denoise_scrapy import __version__

CHANGELOG = (Path(__file__).parent.parent / "CHANGELOG.md").read_text("utf-8")
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
RELEASE = re.compile(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})")


def releases() -> list[tuple[str, str]]:
    """Heading and text of each version, the newest first."""
    parts = re.split(r"^## (.*)\n", CHANGELOG, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


def test_what_is_not_released_comes_first_and_the_rest_has_versions_and_dates() -> None:
    (first, _), *rest = releases()
    assert first == "[Unreleased]"
    found = [RELEASE.fullmatch(heading) for heading, _ in rest]
    assert None not in found
    versions = [tuple(map(int, one[1].split("."))) for one in found if one]
    days = [date.fromisoformat(one[2]) for one in found if one]
    assert versions == sorted(set(versions), reverse=True)
    assert days == sorted(days, reverse=True)


def test_the_version_is_the_last_released_or_the_one_to_come() -> None:
    found = [one[1] for heading, _ in releases() if (one := RELEASE.fullmatch(heading))]
    assert found[:1] == [__version__] or (__version__ not in found and releases()[0][1].strip())


def test_changes_are_grouped_by_kind() -> None:
    for heading, text in releases():
        kinds = re.findall(r"^### (.*)$", text, re.MULTILINE)
        assert kinds == [kind for kind in KINDS if kind in kinds], heading
        for group in text.split("\n### ")[1:]:
            lines = group.splitlines()[1:]
            assert all(line.startswith(("- ", "  ")) or not line for line in lines), heading
            assert any(lines), heading
