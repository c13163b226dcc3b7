import pytest

from tests.dedup.redis_server import redis_server, shared_server
from tests.dedup.store_contract import FilePlace, MemoryPlace, ServerPlace

__all__ = ["redis_server", "shared_server"]


def placed(request, tmp_path):
    made = {"memory": MemoryPlace, "sqlite": lambda: FilePlace(tmp_path)}
    if request.param == "redis":
        made["redis"] = lambda: ServerPlace(request.getfixturevalue("redis_server"))
    with made[request.param]() as one:
        yield one


place = pytest.fixture(params=["memory", "sqlite", "redis"])(placed)
shared = pytest.fixture(params=["sqlite", "redis"], name="shared")(placed)
