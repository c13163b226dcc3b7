"""The server for agents, by the protocol's own client, over standard input and output."""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.llm.mcp import GivenPage, Tools, main
from tests.crawl.web import Reply, Web, article, story
from tests.processes import ROOT, Forked

LONGEST = 120  # seconds; a crawl of three pages takes some ten
PRIVATE = "no public address (the server's option --private allows it)"
Call = Callable[..., list[Any]]


@contextmanager
def server(folder: Path, *options: str) -> Iterator[Call]:
    """Run a server in a folder; its function calls tools, and returns the list of them, what they give, errors."""
    from anyio import fail_after
    from anyio.from_thread import start_blocking_portal
    from mcp import Client, StdioServerParameters

    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "denoise_scrapy.llm.mcp", *options],
        env={"PYTHONPATH": path, "PATH": os.environ["PATH"]},
        cwd=folder,
    )
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(command)) as client:

        async def session(calls: Sequence[tuple[str, dict[str, Any]]]) -> list[Any]:
            with fail_after(LONGEST):
                found: list[Any] = [await client.call_tool(tool, arguments) for tool, arguments in calls]
                results = [one.content[0].text if one.is_error else one.structured_content for one in found]
                return [(await client.list_tools()).tools, *results]

        yield lambda *calls: portal.call(session, calls)


class Fetching:
    """The process in which a tool crawls, forked."""

    returncode: int | None = None

    def __init__(self, *command: str):
        self._command = command[1:]

    async def communicate(self, asked: bytes) -> tuple[bytes, bytes]:
        given, out, err = (Path(self._command[-1]).with_name(name) for name in ("given", "out", "err"))
        given.write_bytes(asked)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        process = Forked(self._command, Path.cwd(), environment, given=given, out=out, err=err)
        self.returncode = await asyncio.to_thread(process.wait)
        return b"", err.read_bytes()


Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Calls one of the tools as they are, in an empty folder."""

    async def start(*command: str, **_: Any) -> Fetching:
        return Fetching(*command)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(asyncio, "create_subprocess_exec", start)

    def called(tool: str, *given: Any, private: bool = True) -> dict[str, Any]:
        return dict(asyncio.run(getattr(Tools(private=private), tool)(*given)))

    return called


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Call]:
    """Calls tools of one server without a project, which may fetch from this machine."""
    with server(tmp_path_factory.mktemp("server"), "--private") as called:
        yield called


@pytest.fixture
def site(web: Web) -> Web:
    for number in range(4):
        web.pages[f"/{number}"] = article(number, [f"/{n}{place}" for n in range(4) for place in ("", "#top")])
    web.pages["/copy"] = article(9, text=story(0))
    web.pages["/secret"] = article(5)
    web.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /secret", headers={"Content-Type": "text/plain"})
    return web


def test_pages_and_texts_that_are_handed_over(call: Call) -> None:
    pages = [{"url": f"http://a.example/{n}", "html": article(n)} for n in range(3)]
    longer = {"text": story(1, 12) + " " + story(2, 12)}
    listed, found, cut, compared, *errors = call(
        ("extract", {"pages": [*pages, {"html": article(3)}, {}]}),
        ("extract", {"pages": pages[:1], "form": "text", "max_chars": 10}),
        ("compare", {"first": {"text": story(1, 12)}, "second": longer}),
        ("compare", {"first": {"text": "a"}, "second": {}}),
        ("extract", {"pages": [], "follow": 99}),
        ("extract", {"pages": [], "form": "pdf"}),
        ("extract", {"pages": [], "max_chars": -5}),
        ("extract", {"pages": [], "format": "markdwn"}),
        ("extract", {"pages": [{"url": "http://a.example/", "htm": "<p>a"}]}),
    )
    tools = {tool.name: tool for tool in listed}
    assert sorted(tools) == ["compare", "dedup", "extract"]
    assert all(len(tool.description) > 100 for tool in listed)
    assert set(tools["extract"].input_schema["properties"]) == {"pages", "form", "follow", "max_chars"}

    assert [page["url"] for page in found["pages"]] == [*(page["url"] for page in pages), ""]
    assert [page["evidence"] for page in found["pages"]] == ["comparison pages"] * 3 + ["page alone"]
    for number, page in enumerate(found["pages"][:3]):
        assert page["markdown"].startswith(f"# Heading of {number}\n")
        assert story(number).rpartition(". ")[2] in page["markdown"]
    assert found["problems"] == [{"url": "page 5", "problem": "neither html nor text nor url"}]
    assert (cut["pages"][0]["text"], cut["pages"][0]["cut"]) == ("Heading of", True)

    assert compared["first_is_new"]["duplicate"]
    assert not compared["second_is_new"]["duplicate"]
    assert 0 < compared["second_is_new"]["shares"]["c2"] < 1
    said = ["there are not two texts", "follow is 0 to 50, not 99", "form", "max_chars is 0 or more, not -5"]
    said += ["format\n  Extra inputs are not permitted", "htm\n"]
    assert all(part in error for part, error in zip(said, errors, strict=True))


def test_a_crawl_obeys_robots_and_follows_links(call: Call, site: Web) -> None:
    pages = [{"url": site(path)} for path in ("/0", "/secret", "/none")]
    [_, found] = call(("extract", {"pages": pages, "follow": 2, "form": "text"}))
    assert sorted(page["url"] for page in found["pages"]) == [site(f"/{n}") for n in range(3)]
    assert site.count("/secret") == 0
    problems = {one["url"]: one["problem"] for one in found["problems"]}
    assert problems == {site("/secret"): "Forbidden by robots.txt", site("/none"): "status 404"}
    assert all(page["text"].startswith("Heading of ") for page in found["pages"])


def test_pages_are_plain_urls_too(ask: Ask, site: Web) -> None:
    found = ask("extract", [site("/0"), "ferry", "", site("/1"), GivenPage(text="Rain.")])
    compared = ask("compare", site("/0"), site("/copy"))
    assert sorted(page["url"] for page in found["pages"]) == ["", site("/0"), site("/1")]
    problems = {one["url"]: one["problem"] for one in found["problems"]}
    assert problems == {"ferry": "not a valid http(s) URL", "page 3": "neither html nor text nor url"}
    assert compared["second_is_new"]["shares"]["c1"] > 0.9


def test_urls_that_cannot_be_requested_take_no_other_with_them(ask: Ask, site: Web) -> None:
    """By the tools themselves: a client of the protocol refuses to send lone surrogates, which JSON may contain."""
    bad = ["http://[::1", "http://" + "a." * 200, "http://\udfff.example/", "http:///", "http://a b/", "http://a:x/"]
    given = [{"url": "http://a.example/\udc00", "html": article(1) + "\ud800"}, {"text": "Rain \ud83d\ude00 \ud83d."}]
    pages = [*bad, site("/0\ud800"), site("/1"), *(GivenPage(**one) for one in given)]
    found = ask("extract", pages, "text")
    assert [page["url"] for page in found["pages"]] == ["http://a.example/\ufffd", "", site("/1")]
    assert found["pages"][1]["text"] == "Rain \U0001f600 \ufffd."
    assert len(found["problems"]) == len(bad) + 1
    assert json.dumps(found, ensure_ascii=False).encode()


def test_a_crawl_keeps_the_rules_of_its_project(ask: Ask, site: Web, tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = conf\n")
    (tmp_path / "conf.py").write_text(
        "USER_AGENT = 'ours'\nITEM_PIPELINES = {'none.Such': 1}\nFEEDS = {'out.jsonl': {'format': 'jsonlines'}}\n"
        "DOWNLOAD_DELAY = 0\nDENOISE_FAVOR = 'recall'\n"
    )
    assert [page["url"] for page in ask("extract", [site("/0")])["pages"]] == [site("/0")]
    assert not (tmp_path / "out.jsonl").exists()
    (tmp_path / "conf.py").write_text("DENOISE_FAVOR = 'more'\n")
    with pytest.raises(ValueError, match="the crawl failed: "):
        ask("extract", [site("/0")])


def test_leave_is_an_option_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    from mcp.server.mcpserver import MCPServer

    leave: list[bool] = []
    monkeypatch.setattr(MCPServer, "add_tool", lambda _, tool: leave.append(tool.__self__._private))
    monkeypatch.setattr(MCPServer, "run", lambda *_: None)
    assert main([]) == main(["--private"]) == 0
    assert leave == [False] * 3 + [True] * 3


def test_nothing_is_fetched_from_this_machine_without_leave(ask: Ask, site: Web, tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = conf\n")
    (tmp_path / "conf.py").write_text("TWISTED_REACTOR = 'twisted.internet.selectreactor.SelectReactor'\n")
    found = ask("extract", [site("/0"), "http://localhost:1/", "file:///etc/passwd"], private=False)
    of_no_web = ask("extract", [Path(__file__).as_uri(), "data:text/html,<p>A</p>"], private=False)
    assert found["pages"] == []
    assert {one["url"].partition(":")[0] for one in found["problems"]} == {"http", "file"}
    assert sorted(one["problem"].partition(" has ")[2] for one in found["problems"]) == ["", *[PRIVATE] * 2]
    assert site.asked == []
    assert of_no_web["pages"] == []
    assert {one["problem"] for one in of_no_web["problems"]} == {"not a valid http(s) URL"}


def test_nothing_is_read_from_a_name_that_leads_to_this_machine_after_it_was_checked(
    ask: Ask, site: Web, tmp_path: Path
) -> None:
    """A project without Scrapy's cache of names, and a name that has become private when the page is fetched."""
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = conf\n")
    (tmp_path / "conf.py").write_text(
        "import __main__\nDNSCACHE_ENABLED = False\nDOWNLOAD_DELAY = 0\n"
        "async def public(*given): return True\n__main__.leads_to_public_only = public\n"
    )
    found = ask("extract", [site("/0")], "text", 2, private=False)
    assert found["pages"] == []
    assert [one["problem"] for one in found["problems"]] == [f"127.0.0.1 has {PRIVATE}"]
    assert site.count("/0") == 1


def test_pages_of_one_url_have_keys_of_their_own(call: Call) -> None:
    pages = [{"url": f"http://a.example/1{end}", "text": story(n)} for end, n in (("", 1), ("#2", 2), ("", 3), ("", 1))]
    [_, found] = call(("dedup", {"pages": pages}))
    assert found["kept"] == ["http://a.example/1", "http://a.example/1#2", "http://a.example/1#3"]
    assert [(one["key"], one["of"]) for one in found["duplicates"]] == [("http://a.example/1#4", "http://a.example/1")]


def test_copies_are_found_among_pages_texts_and_urls(ask: Ask, site: Web) -> None:
    texts = [GivenPage(text=story(1)), GivenPage(text="News. " + story(1))]
    found = ask("dedup", [site("/0"), site("/copy"), *texts])
    duplicates = {one["key"]: one["of"] for one in found["duplicates"] + found["variants"]}
    assert duplicates["page 4"] == "page 3"
    assert {site("/0"), site("/copy")} & {*duplicates}
    assert "page 3" in found["kept"]


def test_titles_tell_similar_pages_of_a_site_apart(ask: Ask) -> None:
    page = f"<title>{{}}</title><p>{story(1)}"
    pages = [
        GivenPage(f"http://a.example/{at}", page.format(one)) for at, one in enumerate(("Rain in Oban", "Snow in Mull"))
    ]
    found = ask("dedup", pages)
    assert found["duplicates"] == []
    assert found["variants"] == [{"key": pages[1].url, "of": pages[0].url}]
