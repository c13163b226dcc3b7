"""Settings of all tests, and which of them `make unit` leaves out."""

import gc
from pathlib import Path

import pytest
from hypothesis import settings

# Machines that run tests are slow at times; time is measured in benchmarks. The same examples in each run: what passed
# passes again, and `make explore` looks for new ones, over a hundred times as many.
settings.register_profile("denoise", deadline=None, derandomize=True, max_examples=24)
settings.register_profile("explore", deadline=None, max_examples=3000)
# Under other versions the first of the same examples hold for the most part: `noxfile.py`.
settings.register_profile("compat", deadline=None, derandomize=True, max_examples=10)
settings.load_profile("denoise")

# Folders and files of `tests/` whose tests start many processes, take long, or need npm or a browser; and fixtures of
# servers.
SERVICES = {
    *("contributing", "docs", "example", "faults", "mcp_server", "package", "projects", "readers", "rendered"),
    *("several", "test_start.py", "test_many_crawls.py", "test_reactors.py", "test_extras.py"),
    *("test_workers.py", "test_odd_workers.py"),
    *("test_many_pages.py", "test_memory.py", "test_processes.py", "test_runs.py", "test_pauses.py"),
}
SERVERS = {"redis_server", "server", "shared_server", "web"}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "service: needs a server, a browser or npm, crawls, or starts processes")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        params = getattr(item, "callspec", None)
        places = {*item.path.relative_to(here).parts} if item.path.is_relative_to(here) else set[str]()
        fixtures = {*getattr(item, "fixturenames", ())}
        if places & SERVICES or fixtures & SERVERS or (params and "redis" in params.params.values()):
            item.add_marker("service")


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # thousands of tests live to the end: a twentieth of all time went to looking at them
