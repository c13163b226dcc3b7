"""The projects of the docs beside the newsroom, some days long: for a language model, a corpus, and a table."""

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.crawl.web import Web, sentence
from tests.projects.herald import COPIED, CORRECTED, STORIES, copy_of, page, print_morning, run_crawl
from tests.projects.running import ROOT

FILES = {
    "assistant": ("language-models.md", "settings.py", "items.py", "spiders/site.py"),
    "corpus": ("corpus.md", "settings.py", "pipelines.py", "spiders/texts.py"),
    "newsroom": ("newsroom.md", "settings.py", "items.py", "spiders/daily.py"),
    "table": ("existing-project.md", "settings.py", "items.py", "pipelines.py"),
}
ENTRY = tuple[str, str]


def read_changes(project: Path, number: int) -> list[dict[str, Any]]:
    feeds = sorted(project.glob("changes-*.jsonl"))
    assert len(feeds) == number
    return [json.loads(line) for line in feeds[-1].read_text("utf-8").splitlines()]


def apply(changes: list[dict[str, Any]], store: dict[str, ENTRY]) -> dict[str, ENTRY]:
    """Do with a store of vectors what a feed says: to delete what is there, and to add what is not."""
    store = {**store}
    for row in changes:
        if row["op"] == "delete":
            del store[row["id"]]
        else:
            assert row["id"] not in store
            store[row["id"]] = row["url"], row["text"]
    return store


def test_a_store_of_vectors_follows_a_site(tmp_path: Path, web: Web) -> None:
    project = copy_of("assistant", tmp_path)
    start = ("site", "-a", f"start={web('/')}")
    print_morning(web, 1)
    run_crawl(project, *start)
    first = apply(read_changes(project, 1), {})
    assert {url for url, _ in first.values()} == {web(f"/story/{number}") for number in range(STORIES - 2)}
    assert not any("I agree" in text or "Imprint" in text for _, text in first.values())

    print_morning(web, 2)
    for path in ("/story/1", f"/agency/{COPIED}"):
        del web.pages[path]
    run_crawl(project, *start)
    changes = read_changes(project, 2)
    second = apply(changes, first)
    changed = {row["url"].removeprefix(web.url) for row in changes}
    assert changed == {f"/story/{number}" for number in (1, *CORRECTED, 12, 13)}
    assert not any(url == web("/story/1") for url, _ in second.values())
    corrected = " ".join(text for url, text in second.values() if url == web(f"/story/{CORRECTED[0]}"))
    assert "Correction" in corrected and sentence(CORRECTED[0]) in corrected

    print_morning(web, 2, is_broken=True)
    run_crawl(project, *start)
    assert read_changes(project, 3) == []

    print_morning(web, 2)
    del web.pages[f"/agency/{COPIED}"]  # either of both is kept, whichever comes first
    run_crawl(project, *start)
    back = read_changes(project, 4)
    assert {row["url"] for row in back} == {web("/story/1")}
    anew = copy_of("assistant", tmp_path / "anew")
    run_crawl(anew, *start)
    assert apply(back, second) == apply(read_changes(anew, 1), {})


def read_texts(project: Path, number: int) -> dict[str, dict[str, Any]]:
    shards = sorted(project.glob("texts-*.jsonl.gz"))
    assert len(shards) == number
    return {row["url"]: row for row in map(json.loads, gzip.decompress(shards[-1].read_bytes()).decode().splitlines())}


def list_pages(web: Web) -> None:
    paths = "".join(f"<url><loc>{web(path)}</loc></url>" for path in web.pages if path != "/")
    web.pages |= {"/robots.txt": f"Sitemap: {web('/map.xml')}\n", "/map.xml": f"<urlset>{paths}</urlset>"}


def test_a_corpus_has_each_text_once(tmp_path: Path, web: Web) -> None:
    project, other = copy_of("corpus", tmp_path), Web()
    try:
        sites = ("texts", "-a", f"sites={web.url},{other.url}")
        print_morning(web, 1)
        other.pages = {
            f"/n/{number}": page(number, 1).replace("Herald", "Gazette") for number in (COPIED, *range(20, 28))
        }
        list_pages(web)
        list_pages(other)
        run_crawl(project, *sites)
        first = read_texts(project, 1)
        numbers = sorted(int(url.rpartition("/")[2]) for url in first)
        assert numbers == [*range(STORIES - 2), *range(20, 28)]  # that of both sites once
        for url, row in first.items():
            assert sentence(int(url.rpartition("/")[2])) in row["text"] and row["language"] == "en"
            assert not any(words in row["text"] for words in ("I agree", "By ", "Related", "rights"))

        print_morning(web, 2)
        list_pages(web)
        other.pages = dict.fromkeys(other.pages, "<title>Checking</title><h1>Checking your browser</h1>")
        list_pages(other)
        run_crawl(project, *sites)
        second = {url.removeprefix(web.url) for url in read_texts(project, 2)}
        assert second == {f"/story/{number}" for number in (*CORRECTED, 12, 13)}
    finally:
        other.close()


def test_a_table_gets_texts_and_loses_none(tmp_path: Path, web: Web) -> None:
    project = copy_of("table", tmp_path)

    def rows() -> dict[str, tuple[str, str | None, str | None]]:
        with sqlite3.connect(project / "stories.sqlite") as table:
            found = table.execute("SELECT url, headline, body, copy_of FROM stories").fetchall()
        return {url.removeprefix(web.url): (*more,) for url, *more in found}

    with sqlite3.connect(project / "stories.sqlite") as table:  # as it was before
        table.execute("CREATE TABLE stories (url PRIMARY KEY, headline)")
        table.execute("INSERT INTO stories VALUES (?, 'An old one')", [web("/story/99")])
    start = ("headlines", "-a", f"start={web('/')}")
    print_morning(web, 1)
    run_crawl(project, *start)
    first = rows()
    assert first.pop("/story/99") == ("An old one", None, None)
    assert len(first) == STORIES - 2
    for path, (headline, body, copied) in first.items():
        number = int(path.rpartition("/")[2])
        assert headline == f"Heading of {number}" and sentence(number) in str(body) and copied is None

    print_morning(web, 2)
    run_crawl(project, *start)
    second = rows()
    assert second[f"/agency/{COPIED}"][2] == web(f"/story/{COPIED}")
    changed = {path for path, row in second.items() if path in first and row != first[path]}
    assert changed == {f"/story/{number}" for number in CORRECTED}

    print_morning(web, 2, is_broken=True)
    run_crawl(project, *start)
    assert rows() == second


@pytest.mark.parametrize("project", FILES)
def test_a_page_shows_its_project(project: str) -> None:
    name, *files = FILES[project]
    text = (ROOT / "docs" / name).read_text("utf-8")
    for file in files:
        code = (ROOT / "example_project" / project / project / file).read_text("utf-8").partition('"""\n')[2].strip()
        assert code in text, file
