"""One contract for every store of ours, and what a file adds to it."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial

import pytest

from denoise_scrapy.dedup import SQLiteStore
from denoise_scrapy.dedup.rules import CONSTANTS
from tests.dedup.store_contract import LONG, StoreContract, put


class TestContract(StoreContract):
    """The contract itself."""


def changed(path, *statements):
    with closing(sqlite3.connect(path)) as link, link:
        for statement in statements:
            link.execute(statement)


class TestFile:
    def test_the_mode_of_the_log_is_waited_for(self, tmp_path, monkeypatch):
        """While another process sets it, SQLite refuses at once, whatever the timeout."""

        class Refused(sqlite3.Connection):
            left = 2

            def execute(self, statement, *more):
                if "journal_mode" in statement and Refused.left:
                    Refused.left -= 1
                    raise sqlite3.OperationalError("database is locked")
                return super().execute(statement, *more)

        monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Refused))
        with SQLiteStore(tmp_path / "a.db") as store:
            store.open(CONSTANTS)
        assert Refused.left == 0

    def test_a_text_is_kept_with_its_bands_or_not_at_all(self, tmp_path):
        path = tmp_path / "a.db"
        with SQLiteStore(path) as store:
            store.open(CONSTANTS)
            changed(path, "DROP TABLE bands")
            with pytest.raises(sqlite3.OperationalError, match="bands"):
                put(store, "a", replace(LONG, bands=bytes(4)))
            assert len(store) == 0

    def test_a_digest_of_another_length_is_not_used(self, tmp_path):
        with SQLiteStore(tmp_path / "a.db") as store:
            store.open(CONSTANTS)
            put(store, "a", replace(LONG, digest=bytes(15)))
            with pytest.raises(ValueError, match="text 1 is damaged"):
                store.get([1])

    def test_any_client_reads_it(self, tmp_path):
        with SQLiteStore(tmp_path / "a.db") as store:
            store.open(CONSTANTS)
            put(store, "/page", LONG, "site")
        query = "SELECT key, scope, n, length(s1) / 2 FROM texts"
        with closing(sqlite3.connect(f"file:{tmp_path / 'a.db'}?mode=ro", uri=True)) as link:
            assert link.execute(query).fetchall() == [("/page", "site", LONG.n, len(LONG.units))]

    def test_not_opened_is_an_error(self, tmp_path):
        with pytest.raises(ValueError, match="is not open"):
            len(SQLiteStore(tmp_path / "a.db"))
