"""The add-on in projects of the shapes that people's projects have: one line in their settings, no other change."""

import csv
from pathlib import Path
from xml.etree import ElementTree

from tests.crawl.web import Web
from tests.projects.portal_site import check_bodies, check_one_of_each, paths_of, serve
from tests.projects.running import Run


def test_item_loaders_pipelines_of_ones_own_and_feeds_of_all_formats(web: Web, tmp_path: Path) -> None:
    pages = serve(web, "news", "evening")
    done = Run("loaders", tmp_path, "desk", web("/"))
    items = paths_of(done.lines())
    check_bodies(items, pages)
    for item in items.values():
        assert item["headline"].isupper()
        assert len(item["topics"]) == 1
        assert item["words"] == len(item["body"].split())
    dropped = {path for path, page in pages.items() if '"tg">Tags: <a href="/tag/school/"' in page.html}
    after_copy = {path for path in dropped if f"{path}: near-duplicate of" in done.log}  # which came first this time
    assert done.stats["item_dropped_reasons_count/DropItem"] == len(dropped - after_copy) > 0
    # a story that the project's own pipeline drops is no reason to drop its copy
    assert done.stat("dedup/withdrawn") == len(dropped - after_copy)
    check_one_of_each(items, {path: page for path, page in pages.items() if path not in dropped})

    texts = [item["body"] for item in done.lines()]
    names = ["url", "headline", "topics", "body", "words"]
    assert [[*item] for item in done.lines()] == [names] * len(items)
    for file, fields in {"items.csv": names, "chosen.csv": ["headline", "body", "url"]}.items():
        with (done.folder / file).open(encoding="utf-8", newline="") as rows:
            head, *found = csv.reader(rows)
        assert head == fields
        assert [row[head.index("body")] for row in found] == texts
    stories = ElementTree.parse(done.folder / "items.xml").getroot().findall("story")
    assert [[field.tag for field in each] for each in stories] == [["link", "text"]] * len(items)
    assert [each.findtext("text") for each in stories] == texts


def test_page_objects_of_scrapy_poet(web: Web, tmp_path: Path) -> None:
    pages = {path: page for path, page in serve(web, "docs").items() if "/3.0/" in path}
    done = Run("poet", tmp_path, "manual", web("/"), "-O", "items.jsonl")
    items = paths_of(done.lines())
    check_bodies(items, pages)
    assert set(items) == set(pages)
    assert list(next(iter(items.values()))) == ["url", "title", "body"]
    assert done.stat("body/none/no_page") == 0
