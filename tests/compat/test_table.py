"""The README's table of versions is what was run, and what was run covers what the package says of itself."""

import re
from typing import Any

from tests.compat.table import README, RENEW, ROOT, readme_with, recorded

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BOUND = re.compile(r"([\w-]+)>=([\d.]+)")
#: Extras of the project itself, not of its users.
OURS = {"bench", "dev", "docs", "train"}


def bounds() -> dict[str, str]:
    """The lowest version of each dependency, by its name in lower case."""
    optional = PROJECT["optional-dependencies"]
    named = [*PROJECT["dependencies"], *(one for extra in sorted(set(optional) - OURS) for one in optional[extra])]
    return {found[1].lower(): found[2] for found in map(BOUND.match, named) if found}


def same(version: str, bound: str) -> bool:
    """Whether they are equal but for zeros at the end."""
    return re.sub(r"(\.0)+$", "", version) == re.sub(r"(\.0)+$", "", bound)


def test_the_readme_has_the_table_of_what_was_run() -> None:
    text = README.read_text(encoding="utf-8")
    assert readme_with(text, recorded()) == text, RENEW
    assert all(f"| {one['Python']} |" in text for one in recorded().values())


def test_every_python_that_we_name_was_run() -> None:
    named = [one.rpartition(" ")[2] for one in PROJECT["classifiers"] if re.fullmatch(r".* :: 3\.\d+", one)]
    assert [f"newest-{python}" for python in named] == [name for name in recorded() if name.startswith("newest")]
    for name, one in recorded().items():
        assert one["Python"].startswith(f"{name.partition('-')[2] or named[0]}.")
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_the_lowest_versions_that_we_name_were_run() -> None:
    (lowest,) = (one for name, one in recorded().items() if name.startswith("lowest"))
    ran = {name.lower(): version for name, version in lowest["versions"].items()}
    assert {name: ran.get(name) for name, bound in bounds().items() if not same(ran.get(name, ""), bound)} == {}


def test_all_passed_on_the_asyncio_reactor() -> None:
    for one in recorded().values():
        assert one["failed"] == one["error"] == one["skipped"] == 0 < one["passed"]
        assert one["reactors"] == ["AsyncioSelectorReactor"]
