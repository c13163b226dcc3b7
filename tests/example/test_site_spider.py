"""The spider for any sites: limits a host, and nothing lost, on pages of every kind."""

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from example_project.portal import build, serve

HTML = "text/html; charset=utf-8"
ODD = {
    "/": (200, HTML, b'<title> The\n odd </title><a href="/empty">a</a><a href="/picture">b</a><a href="http://[x/">c</a>'
          b'<a href="/broken">d</a><a href="/gone">e</a><a href="/away">f</a><a href="/back">g</a><a href="/last">h</a>'
          b'<a href="javascript:void(0)">i</a><a href="/plain">j</a><a href="/none">k</a><a href="http://%zz/">l</a>'),
    "/empty": (200, HTML, b""),
    "/picture": (200, "image/png", b"\x89PNG\r\n\x1a\n\x00\x00"),
    "/broken": (200, HTML, b"\xff\xfe\x00<\x00a href=/last><p>\xe4\xbd"),
    "/gone": (410, HTML, b"gone"),
    "/away": (302, "http://elsewhere.invalid/", b""),
    "/back": (302, "/", b""),
    "/plain": (200, "text/plain", b"no page"),
    "/none": (204, HTML, b""),
    "/last": (200, HTML, b"<title>Last</title>"),
}  # fmt: skip


class OddHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        status, kind, data = ODD.get(self.path, (404, HTML, b""))
        self.send_response(status)
        self.send_header("Location" if status == 302 else "Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


@contextmanager
def odd_server():
    with ThreadingHTTPServer(("127.0.0.1", 0), OddHandler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def crawl(tmp_path, *arguments):
    out = tmp_path / "items.jsonl"
    command = [sys.executable, "-m", "scrapy", "crawl", "site", "-O", str(out)]
    for argument in arguments:
        command += ["-s" if argument[0].isupper() else "-a", argument]
    settings = ("ADDONS={}", "DOWNLOAD_DELAY=0", "RETRY_ENABLED=False", "ROBOTSTXT_OBEY=True")
    command += [part for setting in settings for part in ("-s", setting)]
    env = {**os.environ, "SCRAPY_SETTINGS_MODULE": "example_project.settings"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    items = [json.loads(line) for line in out.read_text().splitlines()]
    return items, done.stderr


def test_every_page_of_a_site_is_an_item(tmp_path):
    with serve() as base:
        items, log = crawl(tmp_path, f"start={base}/")
    assert "ERROR" not in log
    expected = {path for path in build().pages if not path.startswith("/private/")}
    assert Counter(urlsplit(item["url"]).path for item in items) == Counter(expected)


def test_the_limit_holds_for_each_host_and_is_used_up(tmp_path):
    with serve() as one, serve() as other:
        hosts = ",".join(urlsplit(base).netloc for base in (one, other))
        items, _ = crawl(tmp_path, f"hosts={hosts}", "pages=23")
    assert set(Counter(urlsplit(item["url"]).netloc for item in items).values()) == {23}
    assert len({item["url"] for item in items}) == 46


def test_odd_answers_leave_no_error(tmp_path):
    with odd_server() as base:
        items, log = crawl(tmp_path, f"start={base}/", "pages=4")
    assert "ERROR" not in log
    assert "Traceback" not in log
    titles = {urlsplit(item["url"]).path: item["title"] for item in items}
    assert titles == {"/": "The odd", "/empty": "", "/broken": titles["/broken"], "/last": "Last"}
