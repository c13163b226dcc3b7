"""What is no markup gives no text, whatever its headers say: in a crawl, by `extract`, and by the commands."""

import codecs
import json
import zlib
from pathlib import Path

import pytest

from denoise_scrapy import extract
from denoise_scrapy.body.explanation import explain_page
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Reply, Web, article, sentence, story
from tests.processes import run_python

TEXT = story(1).encode()
OTHERS = {
    "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog /Lang (en) >>\nendobj\n" + TEXT,
    "pdf of text": b"\xef\xbb\xbf \n%PDF-1.4\n1 0 obj << /Length 44 >> stream\n(" + TEXT + b") Tj\nendstream",
    "png with text": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0tEXtComment\0<p>" + TEXT,
    "gif": b"GIF89a\x01\x00\x01\x00\x80\x00\x00" + TEXT,
    "jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01" + TEXT,
    "zip": b"PK\x03\x04\x14\x00\x08\x00" + TEXT,
    "gzip": zlib.compress(TEXT, wbits=31),
    "mp3": b"ID3\x04\x00\x00\x00\x00" + TEXT,
    "mp4": b"\x00\x00\x00\x18ftypmp42" + TEXT,
    "woff": b"wOFF\x00\x01\x00\x00" + TEXT,
    "sqlite": b"SQLite format 3\x00" + TEXT,
    "json": json.dumps({"title": "Rain", "text": f"<p>{story(1)}</p>"}).encode(),
    "json list": b" \n" + json.dumps([{"text": story(1)}], indent=1).encode(),
    "json lines": b"\n".join(json.dumps({"n": n, "text": f"<p>{story(1)}</p>"}).encode() for n in range(3)),
}
PAGES = {
    "a stray control": b"<div>\x0b\x00<p>" + TEXT,
    "utf-16": codecs.BOM_UTF16_LE + f"<p>{story(1)}".encode("utf-16-le"),
    "no tag": TEXT,
    "a brace": b"{{ title }} <p>" + TEXT,
    "data in front": b'{"error": null}<html><p>' + TEXT,
    "a terminal's colours": b"\x1b[31m" + TEXT,
    "a feed": b"<?xml version='1.0'?><rss><channel><item><description>"
    + TEXT
    + b"</description></item></channel></rss>",
    "code": b"var story = '" + TEXT.replace(b"'", b"") + b"';",
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_markup_has_no_text(name: str) -> None:
    body = extract(OTHERS[name], "http://a.example/1")
    assert (body.text, body.markdown, body.html, body.fallback) == ("", "", "", "no markup")
    assert "no markup" in explain_page(OTHERS[name]).html


@pytest.mark.parametrize("name", PAGES)
def test_text_is_kept_when_in_doubt(name: str) -> None:
    assert "number 1 line 5" in extract(PAGES[name]).text


def test_utf_16_without_a_mark_is_text_if_the_server_says_so(web: Web) -> None:
    plain = {"Content-Type": "text/html; charset=utf-16le"}
    web.pages["/a/1"] = Reply(article(1).encode("utf-16-le"), headers=plain)
    [item] = crawl(spider_of(web("/a/1"))).items
    assert sentence(1) in item["body"]


def test_items_of_what_is_no_markup_pass_without_text_and_are_no_copies(web: Web) -> None:
    web.pages |= {f"/{number}/{two}": Reply(data) for number, data in enumerate(OTHERS.values()) for two in "ab"}
    done = crawl(spider_of(*map(web, web.pages)), {"DENOISE_COMPARISON_SHARE": 0})
    assert len(done.items) == done.stat("body/none/no_markup") == 2 * len(OTHERS)
    assert not any(item.get("body") for item in done.items)
    assert not done.lines(" WARNING ") and done.stat("dedup/checked") == 0


def test_the_command_line_says_so(tmp_path: Path) -> None:
    for name in ("pdf of text", "json"):
        (tmp_path / "page.html").write_bytes(OTHERS[name])
        done = run_python(tmp_path, ["-m", "denoise_scrapy", "page.html"])
        assert done.returncode and "neither HTML nor text" in done.stdout + done.stderr
