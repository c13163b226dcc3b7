"""One contract for every store, and what a file adds to it."""

import shutil
import sqlite3
import subprocess

import pytest

from denoise_scrapy.dedup import Fingerprint, MemoryStore, SQLiteStore, Store, StoreMismatch
from denoise_scrapy.dedup.fingerprint import CONSTANTS
from tests.dedup.made_texts import english

LONG = Fingerprint.of(" ".join(english(1, 3000)))
SHORT = Fingerprint.of("a few words")
EMPTY = Fingerprint.of("")


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    with MemoryStore() if request.param == "memory" else SQLiteStore(tmp_path / "a.db") as one:
        one.open(CONSTANTS)
        yield one


class TestContract:
    def test_gives_back_what_it_took(self, store: Store):
        with store.transaction():
            given = [store.put(f"k{i}", "s", f) for i, f in enumerate((LONG, SHORT, EMPTY))]
        with store.transaction():
            assert list(store.newer(0)) == given
            assert list(store.newer(given[0].id)) == given[1:]
            assert list(store.newer(given[2].id)) == []
            assert len(store) == 3

    def test_ids_grow_and_never_come_back(self, store: Store):
        with store.transaction():
            first = store.put("a", "", LONG).id
            assert store.remove("a", "")
            second = store.put("b", "", LONG).id
        assert first < second
        assert not store.contains(first) and store.contains(second)

    def test_put_replaces_within_a_scope(self, store: Store):
        with store.transaction():
            old, other = store.put("a", "x", LONG), store.put("a", "y", LONG)
            new = store.put("a", "x", SHORT)
            assert list(store.newer(0)) == [other, new]
            assert not store.contains(old.id)

    def test_remove_tells_whether_it_was_there(self, store: Store):
        with store.transaction():
            store.put("a", "x", LONG)
            assert not store.remove("a", "")
            assert store.remove("a", "x")
            assert not store.remove("a", "x")
            assert len(store) == 0

    def test_odd_names(self, store: Store):
        names = ["ключ", "'; DROP TABLE texts; --", "a\x00b", "x" * 5000]
        with store.transaction():
            for name in names:
                store.put(name, name, SHORT)
            assert [(r.key, r.scope) for r in store.newer(0)] == [(n, n) for n in names]

    def test_open_twice_and_close_twice(self, store: Store):
        store.open(CONSTANTS)
        store.close()
        store.close()

    def test_other_constants_are_refused(self, store: Store, tmp_path):
        again = SQLiteStore(tmp_path / "a.db") if isinstance(store, SQLiteStore) else store
        with pytest.raises(StoreMismatch) as caught:
            again.open({**CONSTANTS, "pair cap": "999"})
        error = caught.value
        assert (error.constant, error.stored, error.current) == ("pair cap", "256", "999")
        assert "'pair cap' is 256 there and 999 here" in str(error)


class TestFile:
    def test_a_failed_transaction_leaves_nothing(self, tmp_path):
        with SQLiteStore(tmp_path / "a.db") as store:
            store.open(CONSTANTS)
            with pytest.raises(RuntimeError), store.transaction():
                store.put("a", "", LONG)
                raise RuntimeError
            assert len(store) == 0

    def test_survives_closing(self, tmp_path):
        with SQLiteStore(tmp_path / "a.db") as store:
            store.open(CONSTANTS)
            with store.transaction():
                kept = store.put("a", "s", LONG)
        with SQLiteStore(str(tmp_path / "a.db")) as store:
            store.open(CONSTANTS)
            assert list(store.newer(0)) == [kept]

    @pytest.mark.parametrize("content", [b"text", b"\x00" * 200, b"SQLite format 3\x00"])
    def test_a_foreign_file_is_refused_untouched(self, tmp_path, content):
        path = tmp_path / "notes.txt"
        path.write_bytes(content)
        with pytest.raises(StoreMismatch, match="Give another path"):
            SQLiteStore(path).open(CONSTANTS)
        assert path.read_bytes() == content
        assert [p.name for p in tmp_path.iterdir()] == ["notes.txt"]

    def test_a_foreign_database_is_refused_untouched(self, tmp_path):
        path = tmp_path / "app.db"
        with sqlite3.connect(path) as link:
            link.execute("CREATE TABLE meta (name, value)")
        link.close()
        before = path.read_bytes()
        with pytest.raises(StoreMismatch, match="another program's database"):
            SQLiteStore(path).open(CONSTANTS)
        assert path.read_bytes() == before

    def test_a_folder_is_refused(self, tmp_path):
        with pytest.raises(StoreMismatch, match="Give the path of a file"):
            SQLiteStore(tmp_path).open(CONSTANTS)

    def test_an_empty_file_is_taken(self, tmp_path):
        (tmp_path / "a.db").touch()
        with SQLiteStore(tmp_path / "a.db") as store:
            store.open(CONSTANTS)
            assert len(store) == 0

    def test_a_missing_folder_says_so(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="its folder does not exist"):
            SQLiteStore(tmp_path / "no" / "a.db").open(CONSTANTS)

    def test_other_format_is_refused(self, tmp_path):
        SQLiteStore(tmp_path / "a.db").open(CONSTANTS)
        with sqlite3.connect(tmp_path / "a.db") as link:
            link.execute("UPDATE meta SET value = '0' WHERE name = 'format'")
        link.close()
        with pytest.raises(StoreMismatch, match="'format' is 0 there and 1 here"):
            SQLiteStore(tmp_path / "a.db").open(CONSTANTS)

    def test_mode_is_write_ahead(self, tmp_path):
        SQLiteStore(tmp_path / "a.db").open(CONSTANTS)
        with sqlite3.connect(tmp_path / "a.db") as link:
            assert link.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert dict(link.execute("SELECT * FROM meta"))["minhash scheme"] == "affine32"
        link.close()

    @pytest.mark.skipif(shutil.which("sqlite3") is None, reason="no sqlite3 client here")
    def test_the_plain_client_reads_it(self, tmp_path):
        with SQLiteStore(tmp_path / "a.db") as store:
            store.open(CONSTANTS)
            with store.transaction():
                store.put("/page", "site", LONG)
        query = "SELECT key, scope, n, length(s1) / 4 FROM texts"
        seen = subprocess.run(["sqlite3", tmp_path / "a.db", query], capture_output=True, text=True, check=True)
        assert seen.stdout.strip() == f"/page|site|{LONG.n}|{len(LONG.units)}"

    def test_not_opened_is_an_error(self, tmp_path):
        with pytest.raises(ValueError, match="is not open"):
            len(SQLiteStore(tmp_path / "a.db"))
        with pytest.raises(ValueError, match="timeout must be 0 or more"):
            SQLiteStore(tmp_path / "a.db", timeout=-1)
