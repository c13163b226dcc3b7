"""The page on which a person teaches a site: who may ask its server what, and the command that opens it."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import date, timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.body import Example
from denoise_scrapy.body.example_files import examples_of, write_example
from denoise_scrapy.commands.teach import MOST_POSTED, TaughtPages, TeachServer
from denoise_scrapy.page import Page
from tests.body.test_examples import page
from tests.crawl.conftest import Told
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web
from tests.processes import run_python

URL = "http://a.example/1"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[TeachServer]:
    pages = TaughtPages([(URL, page(1)), *((f"http://a.example/{n}", page(n)) for n in (7, 8, 9))], URL)
    with TeachServer(pages, lambda example: write_example(tmp_path, example)) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def ask(
    server: TeachServer, method: str, path: str, body: Any = None, **headers: str
) -> tuple[int, str, dict[str, str]]:
    link = HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    link.request(method, path, data, {name.replace("_", "-"): value for name, value in headers.items()})
    reply = link.getresponse()
    found = reply.status, reply.read().decode(), {name.lower(): value for name, value in reply.getheaders()}
    link.close()
    return found


def post(server: TeachServer, what: str, body: Any, **headers: str) -> tuple[int, Any]:
    own = {"Origin": f"http://127.0.0.1:{server.server_port}", "Content_Type": "application/json", **headers}
    status, text, _ = ask(server, "POST", f"/{server.token}/{what}", body, **own)
    return status, json.loads(text) if status == 200 else text


def test_only_who_has_the_address_is_answered(server: TeachServer, tmp_path: Path) -> None:
    at = f"/{server.token}/"
    assert server.server_address[0] == "127.0.0.1"
    assert ask(server, "GET", at)[0] == ask(server, "GET", at + "page")[0] == 200
    for path in ("/", "//", "/page", at[:-1], at + "try", at + "x", at + "../", "/" + "x" * len(server.token) + "/"):
        assert ask(server, "GET", path)[0] == 404, path
    for host in ("evil.example", f"evil.example:{server.server_port}", "127.0.0.1", "127.0.0.1:1"):
        assert ask(server, "GET", at, Host=host)[0] == 403
    chosen = {"kept": [2, 3], "fields": {}}
    assert post(server, "try", chosen)[0] == 200
    for wrong in ({"Origin": "null"}, {"Origin": "http://evil.example"}, {"Content_Type": "text/plain"}):
        assert post(server, "save", chosen, **wrong)[0] == 403
    assert ask(server, "POST", at + "save", chosen, Content_Type="application/json")[0] == 403  # without an origin
    assert ask(server, "POST", "/x/save", chosen)[0] == 404
    assert ask(server, "OPTIONS", at + "try", Origin="http://evil.example")[0] == 501
    for size in (str(MOST_POSTED + 1), "9" * 5000, "-1"):
        assert post(server, "save", chosen, Content_Length=size)[0] == 403
    assert not list(tmp_path.iterdir())


def test_each_document_loads_nothing_and_runs_our_script_alone(server: TeachServer) -> None:
    for what in ("", "page"):
        _, text, headers = ask(server, "GET", f"/{server.token}/{what}")
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy and "http" not in policy
        assert f"script-src 'nonce-{server.nonce}'" in policy and "access-control-allow-origin" not in headers
        assert headers["referrer-policy"] == "no-referrer" and headers["cache-control"] == "no-store"
        assert text.count("<script") == text.count(f'<script nonce="{server.nonce}">') == 1
    assert "sandbox allow-scripts;" in policy


def test_what_is_posted_is_checked(server: TeachServer, tmp_path: Path) -> None:
    odd: list[Any] = [
        b"{", [], {}, {"kept": 1, "fields": {}}, {"kept": [], "fields": {}}, {"kept": [-1], "fields": {}},
        {"kept": [10**9], "fields": {}}, {"kept": ["1"], "fields": {}}, {"kept": [[]], "fields": {}},
        {"kept": [2], "fields": []}, {"kept": [2], "fields": {"a": 1}}, {"kept": [2], "fields": {"a b": "Story"}},
        {"kept": [2], "fields": {"author": "Nobody"}}, {"kept": [2], "fields": {"author": " "}}, b"[" * 100_000,
    ]  # fmt: skip
    for one in odd:
        status, found = post(server, "save", one)
        assert status == 200 and found["error"], one
    assert not list(tmp_path.iterdir())


def test_saved_is_what_was_tried(server: TeachServer, tmp_path: Path) -> None:
    texts = server.pages.page.block_texts
    kept = [number for number, text in enumerate(texts) if text == "Story 1" or "number 1 line" in text]
    status, tried = post(server, "try", {"kept": kept, "fields": {"title": "Story  1"}})
    assert status == 200 and tried["wrong"] == []
    assert ["3 less" in change["said"] for change in tried["changes"]] == [True] * 4
    status, found = post(server, "save", {"kept": kept, "fields": {"title": "Story  1"}})
    [example] = examples_of(str(tmp_path), URL)
    assert Path(found["place"]).parent == tmp_path and example.text.splitlines() == [texts[block] for block in kept]
    assert example.fields == {"title": "Story  1"}
    assert server.saved.get(timeout=9)[0].text == example.text


@pytest.mark.parametrize("html", ["", "<p hidden>x", "<script>alert(1)</script>", "\x89PNG\r\n\x1a\n"])
def test_a_page_without_text_is_shown_and_teaches_nothing(html: str) -> None:
    with TeachServer(TaughtPages([(URL, html)], URL), lambda example: "") as server:
        assert "The page has no text" in server.frame or "hidden" in server.frame
        with pytest.raises(ValueError, match="has a text or selectors"):
            server.example({"kept": [], "fields": {}})


def test_a_page_in_another_encoding_is_read_again_as_it_was(tmp_path: Path) -> None:
    html = "<meta charset=gbk><p>今天上午大桥关闭，无人知道何时重新开放。"
    pages = TaughtPages([(URL, html)], URL)
    write_example(tmp_path, pages.example([0], {}))
    [example] = examples_of(str(tmp_path), URL)
    assert Page.parse(example.html).block_texts == pages.page.block_texts


def test_examples_are_listed_with_their_site(web: Web, here: Path, told: Told) -> None:
    web.pages = {f"/{number}": page(number) for number in range(1, 6)}
    yesterday = (date.today() - timedelta(days=1)).isoformat()
    keep = ("h1", "div.body")
    write_example("mine", Example(page(1), keep=keep, url=web("/1"), date=yesterday))
    write_example("mine", Example("<table><tr><td>Old one</table>", "Old one", url=web("/old"), date="long ago"))
    write_example("mine", Example(page(2), "Not of it", url=web("/2"), date="2026-01-02"))
    write_example("mine", Example(page(2), keep=keep, url="http://b.example/"))
    settings = {"DENOISE_EXAMPLES": "mine", "DENOISE_SITE_MEMORY_PATH": "s.sqlite"}
    crawl(spider_of(*(web(f"/{number}") for number in range(1, 6))), settings)
    out, _ = told("site 127.0.0.1", **settings)
    assert f"{yesterday}     1  5 of 5" in out and "long ago       ?  0 of 5" in out
    assert "refused: its text is not on its page" in out and "b.example" not in out and web("/3") in out
    [found] = json.loads(told("site 127.0.0.1 --json", **settings)[0])
    assert [one["like"] for one in found["examples"]] == [0, 5, 5] and len(found["urls"]) == 5
    listed = json.loads(told("site --json", **settings)[0])
    assert [(one["pages"], len(one["examples"])) for one in listed] == [(5, 3), (0, 1)]


def test_the_settings_may_name_the_first_example(web: Web, tmp_path: Path) -> None:
    web.pages = {"/1": page(1)}
    settings = [
        "DENOISE_EXAMPLES=mine",
        'DENOISE_FIELDS={"taught.top": "top"}',
        'ADDONS={"denoise_scrapy.DenoiseAddon": 5}',
    ]
    words = ["-m", "scrapy", "denoise", "teach", web("/1"), "--field", "top=css:h1"]
    done = run_python(tmp_path, [*words, *(word for one in settings for word in ("-s", one))], apart=True)
    assert "written to mine" in done.stdout and done.returncode == 0, done.stderr


def started(folder: Path, *words: str) -> tuple[subprocess.Popen[str], str, str]:
    """The command, and host and token of the page that it serves."""
    line = [sys.executable, "-m", "scrapy", "denoise", "teach", *words, "--no-browser"]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        line, cwd=folder, stdout=pipe, stderr=pipe, text=True, env={**os.environ, "COLUMNS": "80"}
    )
    assert process.stderr is not None
    for said in process.stderr:
        if found := re.search(r"http://(127\.0\.0\.1:\d+)/([\w-]{40,})/", said):
            return process, found[1], found[2]
    raise AssertionError("no address")


def test_the_command_fetches_serves_and_ends(web: Web, tmp_path: Path) -> None:
    links = (
        "".join(f"<a href=/news/story-{n}>Story {n}</a> " for n in range(2, 9)) + "<a href=/news/story-9/delete>x</a>"
    )
    web.pages = {f"/news/story-{n}": page(n, links) for n in range(1, 9)} | {
        "/robots.txt": "User-agent: *\nDisallow: /news/story-3"
    }
    process, host, token = started(tmp_path, web("/news/story-1"), "-s", "DOWNLOAD_DELAY=0")
    assert {*web.asked} == {f"/{name}" for name in ("robots.txt", "news/story-1", "news/story-2", "news/story-4")}
    link = HTTPConnection(host)
    said = json.dumps({"kept": [2, 3], "fields": {}})
    headers = {"Content-Type": "application/json", "Origin": f"http://{host}"}
    link.request("POST", f"/{token}/save", said, headers)
    assert "place" in json.loads(link.getresponse().read())
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and "written to examples/127.0.0.1" in out
    assert out.count("than without the example") == 3 and 'DENOISE_EXAMPLES = "examples"' in out


def test_ctrl_c_ends_it_without_an_example(web: Web, tmp_path: Path) -> None:
    web.pages = {"/1": page(1)}
    process, *_ = started(tmp_path, web("/1"), "-s", "DOWNLOAD_DELAY=0")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "stopped" in err and not list(tmp_path.iterdir())
