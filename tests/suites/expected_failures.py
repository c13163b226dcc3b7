"""Plugin for the tests of another project: those that a file lists are expected to fail, for the reason above them."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--expected-failures", type=open, required=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    listed, reason = {}, ""
    for line in config.getoption("--expected-failures").read().splitlines():
        if line.startswith("#"):
            reason = line.strip("# ")
        elif line:
            listed[line] = reason
    modules = {item.nodeid.partition("::")[0] for item in items}
    for item in items:
        if item.nodeid in listed:
            item.add_marker(pytest.mark.xfail(reason=listed.pop(item.nodeid), strict=False))
    missing = [name for name in listed if name.partition("::")[0] in modules]
    if missing:
        raise pytest.UsageError(f"listed, and not found: {', '.join(missing)}")
