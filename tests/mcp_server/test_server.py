"""The server for agents, by the protocol's own client, over standard input and output."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.crawl.web import Reply, Web, article, story

ROOT = Path(__file__).parents[2]
LONGEST = 120  # seconds; a crawl of three pages takes some ten
Call = Callable[..., Any]


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """Calls a tool of a server of its own, which may fetch from this machine; returns what it gives, or its error."""

    def called(tool: str, *options: str, **arguments: Any) -> Any:
        async def session() -> Any:
            path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
            command = StdioServerParameters(
                command=sys.executable,
                args=["-m", "denoise_scrapy.mcp", *options],
                env={"PYTHONPATH": path, "PATH": os.environ["PATH"]},
                cwd=tmp_path,
            )
            async with Client(command) as client:
                if not tool:
                    return (await client.list_tools()).tools
                result: Any = await client.call_tool(tool, arguments)
                return result.content[0].text if result.is_error else result.structured_content

        return asyncio.run(asyncio.wait_for(session(), LONGEST))

    return called


@pytest.fixture
def site(web: Web) -> Web:
    for number in range(4):
        web.pages[f"/{number}"] = article(number, [f"/{n}{place}" for n in range(4) for place in ("", "#top")])
    web.pages["/copy"] = article(9, text=story(0))
    web.pages["/secret"] = article(5)
    web.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /secret", headers={"Content-Type": "text/plain"})
    return web


def test_three_tools_say_what_they_take(call: Call) -> None:
    tools = {tool.name: tool for tool in call("")}
    assert sorted(tools) == ["compare", "dedup", "extract"]
    for tool in tools.values():
        assert len(tool.description) > 100
    assert set(tools["extract"].input_schema["properties"]) == {"pages", "form", "follow", "max_chars"}


def test_pages_that_are_handed_over_are_compared(call: Call) -> None:
    pages = [{"url": f"http://a.example/{n}", "html": article(n)} for n in range(3)]
    found = call("extract", pages=[*pages, {"html": article(3)}, {}])
    assert [page["url"] for page in found["pages"]] == [*(page["url"] for page in pages), ""]
    assert [page["evidence"] for page in found["pages"]] == ["comparison pages"] * 3 + ["page alone"]
    for number, page in enumerate(found["pages"][:3]):
        assert page["markdown"].startswith(f"# Heading of {number}\n")
        assert story(number).rpartition(". ")[2] in page["markdown"]
    assert found["problems"] == [{"url": "page 5", "problem": "neither html nor text nor url"}]
    short = call("extract", pages=pages[:1], form="text", max_chars=10)["pages"][0]
    assert (short["text"], short["cut"]) == ("Heading of", True)


def test_a_crawl_obeys_robots_and_follows_links(call: Call, site: Web) -> None:
    pages = [{"url": site(path)} for path in ("/0", "/secret", "/none")]
    found = call("extract", "--private", pages=pages, follow=2, form="text")
    assert sorted(page["url"] for page in found["pages"]) == [site(f"/{n}") for n in range(3)]
    assert site.count("/secret") == 0
    problems = {one["url"]: one["problem"] for one in found["problems"]}
    assert problems == {site("/secret"): "Forbidden by robots.txt", site("/none"): "status 404"}
    assert all(page["text"].startswith("Heading of ") for page in found["pages"])


def test_a_crawl_keeps_the_rules_of_its_project(call: Call, site: Web, tmp_path: Path) -> None:
    (tmp_path / "scrapy.cfg").write_text("[settings]\ndefault = conf\n")
    (tmp_path / "conf.py").write_text(
        "USER_AGENT = 'ours'\nITEM_PIPELINES = {'none.Such': 1}\nFEEDS = {'out.jsonl': {'format': 'jsonlines'}}\n"
        "DOWNLOAD_DELAY = 0\nDENOISE_FAVOR = 'recall'\n"
    )
    found = call("extract", "--private", pages=[{"url": site("/0")}])
    assert [page["url"] for page in found["pages"]] == [site("/0")]
    assert not (tmp_path / "out.jsonl").exists()
    (tmp_path / "conf.py").write_text("DENOISE_FAVOR = 'more'\n")
    assert "the crawl failed: " in call("extract", "--private", pages=[{"url": site("/0")}])


def test_nothing_is_fetched_from_this_machine_without_leave(call: Call, site: Web) -> None:
    found = call("extract", pages=[{"url": site("/0")}, {"url": "http://localhost:1/"}, {"url": "file:///etc/passwd"}])
    assert found["pages"] == []
    assert {one["url"].partition(":")[0] for one in found["problems"]} == {"http", "file"}
    assert len(found["problems"]) == 3
    assert site.asked == []
    found = call("extract", "--private", pages=[{"url": Path(__file__).as_uri()}, {"url": "data:text/html,<p>A</p>"}])
    assert found["pages"] == []
    assert {one["problem"] for one in found["problems"]} == {"only http(s) URLs are fetched"}


def test_copies_are_found_among_pages_texts_and_urls(call: Call, site: Web) -> None:
    given = [{"url": site("/0")}, {"url": site("/copy")}, {"text": story(1)}, {"text": "News. " + story(1)}]
    found = call("dedup", "--private", pages=given)
    duplicates = {one["key"]: one["of"] for one in found["duplicates"] + found["variants"]}
    assert duplicates["page 4"] == "page 3"
    assert {site("/0"), site("/copy")} & {*duplicates}
    assert "page 3" in found["kept"]


def test_two_texts_are_compared_both_ways(call: Call) -> None:
    found = call("compare", first={"text": story(1, 12)}, second={"text": story(1, 12) + " " + story(2, 12)})
    assert found["first_is_new"]["duplicate"]
    assert not found["second_is_new"]["duplicate"]
    assert 0 < found["second_is_new"]["shares"]["c2"] < 1
    assert "there are not two texts" in call("compare", first={"text": "a"}, second={})


def test_wrong_arguments_are_told(call: Call) -> None:
    assert "follow is 0 to 50, not 99" in call("extract", pages=[], follow=99)
    assert "form" in call("extract", pages=[], form="pdf")
