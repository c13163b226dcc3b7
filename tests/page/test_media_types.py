"""What is no page, whatever its server calls it: no body anywhere, and its type; and what is still a page or a text."""

import gzip
import io
import json
import random
import tarfile
import time
import wave
import zipfile
import zlib
from collections.abc import Callable

import pytest

from denoise_scrapy import Page, SiteModel, extract, extract_pages
from denoise_scrapy.archive.records import ArchiveRecord
from denoise_scrapy.body.explanation import explain_page
from denoise_scrapy.page.parse import media_type
from tests.crawl.web import article, sentence

NOISE = random.Random(1).randbytes(3000)
TAGS = b"<html><body><p>It rained all night.</p></body></html>"
ROWS = [{"title": "Rain", "html": "<p>It rained all night.", "n": -1.5e3, "ok": True, "no": None}] * 3


def zipped(name: str, kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        archive.writestr(name, TAGS)
    return out.getvalue()


def tarred() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("a.html")
        info.size = len(TAGS)
        archive.addfile(info, io.BytesIO(TAGS))
    return out.getvalue()


def sound() -> bytes:
    """16 bits a value, as in UTF-16, which look like letters."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(bytes([32 + number % 90, 0]) for number in range(2000)))
    return out.getvalue()


PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\6\0\0\0"
#: Of each kind: its type, and bytes.
OTHERS: dict[str, tuple[str, bytes]] = {
    "PDF": ("application/pdf", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + NOISE),
    "PDF in ASCII": ("application/pdf", b"%PDF-1.3\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n" * 90),
    "PDF with markup": (
        "application/pdf",
        b"%PDF-1.6\n1 0 obj <</Type/Metadata>> stream\n<?xpacket?><x:xmpmeta>" + TAGS,
    ),
    "PDF, blanks before": ("application/pdf", b" \r\n\t%PDF-1.4\n" + NOISE),
    "PDF, BOM before": ("application/pdf", b"\xef\xbb\xbf%PDF-1.4\n" + NOISE),
    "PNG": ("image/png", PNG + NOISE),
    "PNG, cut": ("image/png", PNG[:10]),
    "PNG with texts": ("image/png", PNG + b"\0\0\0\x40tEXtComment\0" + TAGS + b"\0\0\0\x40iTXtXML\0" + TAGS * 40),
    "GIF": ("image/gif", bytes.fromhex("47494638396101000100800000000000ffffff2c00000000010001000002024401003b")),
    "JPEG": ("image/jpeg", b"\xff\xd8\xff\xe1\0\x40Exif\0\0" + TAGS + NOISE),
    "WebP": ("image/webp", b"RIFF\xc0\x0b\0\0WEBPVP8 " + NOISE),
    "ICO": ("image/vnd.microsoft.icon", b"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0" + NOISE),
    "BMP": ("image/bmp", b"BM\x36\0\1\0\0\0\0\0\x36\0\0\0\x28\0\0\0" + b"\x41\0" * 900),
    "MP3": ("audio/mpeg", b"ID3\4\0\0\0\0\1\0TIT2\0\0\0\x20\0\0" + TAGS + NOISE),
    "MP3 without tags": ("application/octet-stream", b"\xff\xfb\x90\x44" + bytes(40) + NOISE),
    "MP4": ("video/mp4", b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41" + NOISE),
    "WAV": ("audio/wav", sound()),
    "WOFF": ("font/woff", b"wOFF\0\1\0\0" + NOISE),
    "WOFF2": ("font/woff2", b"wOF2\0\1\0\0" + NOISE),
    "TrueType": ("font/ttf", b"\0\1\0\0\0\x10\1\0\0\4\0\0" + NOISE),
    "gzip of a page": ("application/gzip", gzip.compress(TAGS)),
    "ZIP of a page": ("application/zip", zipped("a.html")),
    "ZIP, stored": ("application/zip", zipped("a.html", zipfile.ZIP_STORED)),
    "OOXML": (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        zipped("word/document.xml"),
    ),
    "tar": ("application/x-tar", tarred()),
    "7z": ("application/x-7z-compressed", b"7z\xbc\xaf\x27\x1c\0\4" + NOISE),
    "an old Word file": ("application/octet-stream", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(90) + TAGS + NOISE),
    "deflated": ("application/octet-stream", zlib.compress(b"".join(b"Rain %d" % number for number in range(999)))),
    "JSON": ("application/json", json.dumps(ROWS[0]).encode()),
    "JSON, indented": ("application/json", b"\xef\xbb\xbf\n" + json.dumps(ROWS, indent=2).encode()),
    "JSON of other letters": ("application/json", json.dumps({"t": "Дождь шёл всю ночь"}, ensure_ascii=False).encode()),
    "JSON in windows-1251": ("application/json", '{"t": "Дождь"}'.encode("cp1251")),
    "JSON, large": ("application/json", json.dumps(ROWS * 5000).encode()),
    "JSON, cut": ("application/json", json.dumps(ROWS).encode()[:-40]),
    "JSON, deep": ("application/json", b"[" * 50_000 + b"]" * 50_000),
    "JSON, nothing": ("application/json", b"{}"),
    "JSON, not a number": ("application/json", b'{"rain": NaN, "wind": -Infinity}'),
    "JSON lines": ("application/json", "\n".join(map(json.dumps, ROWS)).encode()),
    "JSONP": ("application/json", b"/**/jQuery1_23(" + json.dumps(ROWS).encode() + b");"),
    "JSON, guarded": ("application/json", b")]}',\n" + json.dumps(ROWS).encode()),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_page_has_no_body(name: str) -> None:
    kind, data = OTHERS[name]
    body = extract(data, "http://a.example/1")
    assert (body.text, body.html, body.markdown, body.title, body.chunks(), body.blocks) == ("", "", "", "", [], ())
    assert (body.fallback, body.evidence, body.confidence) == ("no markup", kind, 0)
    explained = explain_page(data).html
    assert f"<dd>{kind}</dd>" in explained and "<dd>no markup</dd>" in explained
    record = ArchiveRecord("a.warc", 0, "http://a.example/1").page(data)
    # what has no tag is no HTML in an archive, either
    assert record.problem == "no HTML" and record.detail in {kind, ""}


@pytest.mark.parametrize("name", ["PDF", "PNG with texts", "MP4", "JSON", "JSON, cut"])
@pytest.mark.parametrize("decoded", [lambda data: data.decode("latin-1"), lambda data: data.decode("utf-8", "replace")])
def test_nor_has_it_as_text(name: str, decoded: Callable[[bytes], str]) -> None:
    assert extract(decoded(OTHERS[name][1])).fallback == "no markup"


def test_it_is_compared_with_no_page() -> None:
    others = [data for _, data in OTHERS.values()]
    assert extract(article(1), "http://a.example/1", others).comparison == ()
    pages = [(f"http://a.example/{number}", data) for number, data in enumerate([*others, article(1).encode()])]
    *nothing, (_, body) = extract_pages(pages)
    assert not any(one.text for _, one in nothing)
    assert sentence(1) in body.text and body.evidence == "page alone"
    lacks = explain_page(article(1), "http://a.example/1", [("x.png", PNG)]).comparison
    assert lacks == (("x.png", "left out: it is no page, but image/png"),)
    assert SiteModel([Page.parse(PNG)]).statistics.pages == ()


PAGE = "<html><head><title>Rain</title></head><body><p>It rained é all night.</p></body></html>"
TEXT = "It rained all night, and no one slept. "
#: Pages and texts, of which something is read.
PAGES: dict[str, bytes] = {
    "UTF-16": PAGE.encode("utf-16"),
    "UTF-16, big end": b"\xfe\xff" + PAGE.encode("utf-16-be"),
    "UTF-16 without BOM": PAGE.encode("utf-16-le"),
    "UTF-16 of other letters": ("<p>" + "Дождь шёл всю ночь. " * 9).encode("utf-16"),
    "UTF-32": PAGE.encode("utf-32"),
    "BOM": b"\xef\xbb\xbf" + PAGE.encode(),
    "null characters": PAGE.replace(" ", "\0").encode(),
    "null characters before tags": b"It rained\0 all night<p>and day.",
    "control characters": b"It rained\x01\x02 all night.\x1f <p>And day.",
    "a null character first": b"\0" + PAGE.encode(),
    "a page with bytes of a picture": PAGE.encode() + PNG + NOISE,
    "blank lines": b"\n" * 100_000 + PAGE.encode(),
    "a comment": b"<!-- \x00\x01\x02\x03\x04 -->" + PAGE.encode(),
    "ISO-2022-JP": "雨が降った。".encode("iso2022_jp") * 9,
    "text": TEXT.encode(),
    "text in latin-1": ("Él llovió. " * 9).encode("latin-1"),
    "letters of a picture": b"BMW built a car, MZ a bike. ID3 is not in it.",
    "letters of a font": b"OTTO and PAR1 and fLaC. " + TEXT.encode(),
    "notes": b"[1] It rained all night. [2] No one slept.",
    "braces": b"{rain} and {wind} all night",
    "wiki": b"[[Rain]] is {{weather|wet}}",
    "a script": b"let rain = ['night', 1];",
    "a call": b"rain({night: 1})",
    "a table": b"day,rain\nMonday,yes\nTuesday,no\n",
    "a quotation": b'"It rained," he said.',
    "JSON before a page": b'{"a": 1}' + PAGE.encode(),
    "Python": b"[print('rain') for night in week]",
    "a feed": b"<?xml version='1.0'?><rss><channel><item><title>Rain</title><description>It rained all night."
    b"</description></item></channel></rss>",
    "an entity": b"&lt;p&gt; is a tag.",
}


@pytest.mark.parametrize("name", PAGES)
def test_in_doubt_it_is_a_text(name: str) -> None:
    assert media_type(PAGES[name]) == ""
    assert extract(PAGES[name]).text
    assert media_type("") == media_type(b"") == ""
    drawing = extract("<svg xmlns='http://www.w3.org/2000/svg'><text>It rained all night.</text></svg>")
    assert (drawing.text, drawing.fallback) == ("", "whole text")


@pytest.mark.parametrize(
    "piece", ['{"', "[", '["a\\', '"', "\\", "a(", "1,", "%PDF-", "\0\1\2\3\4", "~{", "\xff\xfe", "é\0", " ", "BM\1"]
)
def test_it_is_found_in_linear_time(piece: str) -> None:
    def seconds(size: int) -> float:
        made = [(begin + piece * size)[:size].encode("latin-1") for begin in ("", "{", "a(")]
        start = time.process_time()
        for data in made:
            media_type(data)
        return time.process_time() - start

    media_type(PNG)  # loads chardet
    # a page of 64 KB is looked at as a whole: of a larger one no more
    assert seconds(65_536) < 0.5 and seconds(5_000_000) < 0.5
