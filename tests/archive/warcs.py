"""WARC files of tests, written byte by byte."""

import gzip
import random
from collections.abc import Sequence

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("n", "ring", "st", "lo")]


def record(
    url: str = "http://a.example/",
    body: bytes = b"<html><p>Rain.",
    *,
    kind: str = "text/html",
    status: str = "200 OK",
    headers: str = "",
    warc_type: str = "response",
    date: str = "2031-05-01T00:00:00Z",
) -> bytes:
    """A record, not compressed."""
    block = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n{headers}\r\n".encode() + body
    head = f"WARC/1.0\r\nWARC-Type: {warc_type}\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
    head += f"Content-Type: application/http; msgtype={warc_type}\r\nContent-Length: {len(block)}\r\n\r\n"
    return head.encode() + block + b"\r\n\r\n"


def members(records: Sequence[bytes]) -> list[bytes]:
    return [gzip.compress(one, mtime=0) for one in records]


def story(number: int, words: int = 90) -> str:
    """Return a text of made-up words, always the same for a number."""
    rng = random.Random(number)
    return " ".join(rng.choices(WORDS, k=words)) + "."


def page(text: str, site: str = "Daily") -> bytes:
    return (
        f"<html><head><title>{text[:20]} - {site}</title></head><body><div class=nav><a href=/>{site} home</a></div>"
        f"<p class=s>{text}</p><div class=foot>All rights reserved by {site}</div></body></html>"
    ).encode()


def archive(sites: int, pages: int, copies: int = 3) -> list[bytes]:
    """Return records of some sites; each site's first stories are near-copies of those of the first site."""
    found = []
    for site in range(sites):
        for number in range(pages):
            text = story(100 * site + number)
            if site and number < copies:
                text = f"By our own staff. {story(number)}"
            url, date = f"http://s{site}.example/{number}", f"2031-0{1 + (site + number) % 9}-01T00:00:00Z"
            found.append(record(url, page(text, f"Daily {site}"), date=date))
    random.Random(1).shuffle(found)
    return found


#: One record of each kind that is bad, or looks so: its problem ("" for a page) and its bytes.
ODD: dict[str, tuple[str, bytes]] = {
    "gone": ("status", record(status="404 Not Found")),
    "moved": ("status", record(status="301 Moved Permanently", headers="Location: /b\r\n", body=b"")),
    "no status": ("status", record().replace(b"HTTP/1.1 200 OK\r\n", b"HTTP/9 no reply\r\n")),
    "empty": ("empty", record(body=b"")),
    "white space": ("empty", record(body=b" \r\n ")),
    "picture as HTML": ("no HTML", record(body=b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR<p>")),
    "words as HTML": ("no HTML", record(body=b'{"title": "Rain"}')),
    "script": ("type", record(kind="text/javascript", body=b"let a = '<p>'")),
    "no type, HTML": ("", record(kind="", body=b"<!doctype html><p>Rain.")),
    "no type, words": ("no HTML", record(kind="", body=b"Rain <b>and</b> wind.")),
    "revisit": ("revisit", record(warc_type="revisit", body=b"")),
    "name": ("no URL", record("urn:uuid:7")),
    "no address": ("no URL", record("")),
    "gzip": ("", record(body=gzip.compress(b"<html><p>Rain."), headers="Content-Encoding: gzip\r\n")),
    "gzip, not said": ("", record(body=gzip.compress(b"<html><p>Rain."))),
    "gzip, a lie": ("", record(headers="Content-Encoding: gzip\r\n")),
    "brotli, a lie": ("", record(headers="Content-Encoding: br\r\n")),
    "gzip, cut": ("", record(body=gzip.compress(b"<html><p>Rain." * 500)[:60], headers="Content-Encoding: gzip\r\n")),
    "brotli, damaged": ("encoding", record(body=b"\0\1\2\3", headers="Content-Encoding: br\r\n")),
    "unknown encoding": ("encoding", record(body=b"\0\1\2\3", headers="Content-Encoding: rot13\r\n")),
    "chunked": ("", record(body=b"e\r\n<html><p>Rain.\r\n0\r\n\r\n", headers="Transfer-Encoding: chunked\r\n")),
    "chunked, a lie": ("", record(headers="Transfer-Encoding: chunked\r\n")),
    "too large": ("too large", record(body=b"<html><p>" + b"Rain. " * 2_000_000)),
    "bomb": ("too large", record(body=gzip.compress(b"<html>" + bytes(b"a" * 20_000_000)))),
}
