from tests.dedup.redis_server import redis_server, shared_server

__all__ = ["redis_server", "shared_server"]
