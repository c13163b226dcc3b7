"""Near-duplicates are dropped or marked, and nothing else is."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from denoise_scrapy.pipelines import NearDuplicate
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article, story


@pytest.fixture
def copies(web: Web) -> Web:
    web.pages |= {f"/a/{n}": article(n) for n in range(3)}
    web.pages["/copy"] = article(1, text=story(1) + " Shared by a reader of ours.")
    return web


def urls(web: Web) -> list[str]:
    return [web(path) for path in ("/a/0", "/a/1", "/a/2", "/copy")]


ONE_BY_ONE = {"CONCURRENT_REQUESTS": 1}


def crawl_of(spider: Any, settings: dict[str, Any] | None = None) -> Any:
    """A crawl in which the texts that the spider itself gives its items are compared."""
    return crawl(spider, {"DENOISE_DEDUP_FIELDS": "body", **(settings or {})})


def test_a_near_duplicate_is_dropped_with_its_reason(copies: Web) -> None:
    done = crawl(spider_of(*urls(copies)), ONE_BY_ONE)
    assert len(done.items) == 3
    [(item, reason)] = done.dropped
    assert isinstance(reason, NearDuplicate)
    assert reason.of is not None and reason.of != item["url"]
    assert reason.score > 0.7
    assert str(reason).startswith(f"near-duplicate of {reason.of} (score 0.")
    assert done.stats["item_dropped_reasons_count/NearDuplicate"] == 1
    assert done.stat("dedup/dropped") == 1
    assert "INFO Near-duplicate: " in done.log
    assert "scrapy.core.scraper DEBUG Dropped: near-duplicate of" in done.log


def test_marking_keeps_every_item(copies: Web) -> None:
    done = crawl(spider_of(*urls(copies)), {**ONE_BY_ONE, "DENOISE_DEDUP": "mark"})
    assert len(done.items) == 4
    [mark] = [item["near_duplicate"] for item in done.items if "near_duplicate" in item]
    assert mark["of"].startswith(copies.url)
    assert mark["score"] > 0.7
    assert done.stat("dedup/marked") == 1


def test_nothing_is_compared_where_a_page_or_the_crawl_says_so(copies: Web) -> None:
    class Choosing(spider_of()):  # type: ignore[misc]
        async def start(self) -> Any:
            import scrapy

            for url in urls(copies):
                yield scrapy.Request(url, meta={"denoise": {"dedup": "off"}})

    assert len(crawl(Choosing).items) == 4
    done = crawl(spider_of(*urls(copies)), {"DENOISE_DEDUP": "off"})
    assert len(done.items) == 4
    assert done.stat("dedup/checked") == 0


def test_texts_are_compared_within_a_site_or_over_all(copies: Web, other_web: Web) -> None:
    other_web.pages["/copy"] = copies.pages["/copy"]
    started = [copies("/a/1"), other_web("/copy")]
    assert len(crawl(spider_of(*started)).items) == 2
    assert len(crawl(spider_of(*started), {"DENOISE_DEDUP_SCOPE": "global"}).items) == 1


def test_the_items_of_one_list_page_are_not_duplicates_of_each_other(copies: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        for n in range(5):
            yield {"url": response.urljoin(f"/never-crawled/{n}"), "n": n}
            yield {"name": n}

    done = crawl(spider_of(copies("/a/1"), parse=parse))
    assert len(done.items) == 10
    assert not done.dropped


def test_own_texts_of_one_page_get_keys_of_their_own(copies: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        numbers = (20, 21, 22) if response.url.endswith("0") else (21,)
        for n in numbers:
            yield {"url": response.url, "body": story(n)}

    done = crawl_of(spider_of(copies("/a/0"), copies("/a/1"), parse=parse), ONE_BY_ONE)
    assert len(done.items) == 3
    [(_, reason)] = done.dropped
    assert str(reason.of) == copies("/a/0#2")  # type: ignore[attr-defined]


def test_a_second_run_drops_under_other_urls_what_the_first_kept(copies: Web, tmp_path: Path) -> None:
    settings = {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": tmp_path / "texts.sqlite"}
    first = crawl(spider_of(*(copies(f"/a/{n}") for n in range(3))), settings)
    assert len(first.items) == 3
    again = crawl(spider_of(*(copies(f"/a/{n}") for n in range(3))), settings)
    assert len(again.items) == 3
    other = crawl(spider_of(copies("/copy"), copies("/a/0?b=1&a=2")), settings)
    copies.pages["/moved/0"] = copies.pages["/a/0"]
    moved = crawl(spider_of(copies("/moved/0")), settings)
    assert [item["url"] for item, _ in other.dropped] == [copies("/copy")]
    assert [str(reason.of) for _, reason in moved.dropped] == [copies("/a/0")]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("first", "second", "third"),
    [
        ("/a/{}?PHPSESSID=0a1b", "/a/{}?PHPSESSID=77ff", "/a/{}"),
        ("/a/{};jsessionid=0A", "/a/{};jsessionid=7F", "/a/{}/"),
        ("/a/{}", "/a/{}/", "/a/{}?sid=0123456789abcdef"),
        ("/a/{}?x=1&y=2", "/a/{}?y=2&x=1", "/a/{}?sid=0123456789abcdef&x=1&y=2"),
    ],
)
def test_a_page_is_the_same_item_whatever_its_address(
    web: Web, tmp_path: Path, first: str, second: str, third: str
) -> None:
    settings = {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": str(tmp_path / "texts.sqlite")}

    def day(*addresses: str, price: str) -> Any:
        texts = {address.format(n): story(n) + price for n in range(8) for address in addresses}
        web.pages.update({path: article(3, text=text) for path, text in texts.items()})
        return crawl(spider_of(*map(web, texts)), settings)

    assert len(day(first, price="").items) == 8
    assert len(day(second, price=" It costs 20 euro, or 15 for members.").items) == 8
    again = day(third, first, price=" It costs 25 euro.")
    assert len(again.items) == len(again.dropped) == 8  # met twice in one crawl, it is a copy


def test_routes_of_scripts_are_pages_and_places_in_a_page_are_none(tmp_path: Path) -> None:
    settings = {"DENOISE_DEDUP_FIELDS": "body", "DENOISE_DEDUP_STORE": str(tmp_path / "texts.sqlite")}
    for ends in (["#!/1", "#!/2", "#/3", ""], ["#!/1", "#!/2", "#/3", "#top"]):
        items = [{"url": f"https://a.example/7{end}", "body": story(n)} for n, end in enumerate(ends)]
        done = crawl_of(started_items(*items), settings)
        assert len(done.items) == done.stat("dedup/kept_texts") == 4
        assert done.stat("dedup/updated") == 0


def test_items_without_text_or_key_pass(copies: Web) -> None:
    class Early(spider_of()):  # type: ignore[misc]
        async def start(self) -> Any:
            yield {"url": "https://a.example/"}
            yield {"body": story(1)}
            yield {"body": story(1)}
            yield {"body": 5, "url": "https://a.example/1"}

    done = crawl_of(Early)
    assert len(done.items) == 4
    assert done.stat("dedup/no_text") == 2
    assert done.stat("dedup/no_key") == 2


def test_another_field_may_be_compared_and_another_be_the_key(copies: Web) -> None:
    class Early(spider_of()):  # type: ignore[misc]
        async def start(self) -> Any:
            for n in (1, 2, 2):
                yield {"id": n, "text": story(1), "body": story(n)}

    settings = {"DENOISE_DEDUP_FIELDS": "text", "DENOISE_DEDUP_KEY_FIELD": "id"}
    done = crawl_of(Early, settings)
    assert [item["id"] for item in done.items] == [1]
    assert [str(reason.of) for _, reason in done.dropped] == ["1", "1"]  # type: ignore[attr-defined]


def started_items(*items: dict[str, Any]) -> Any:
    """A spider that yields items without pages."""

    class Early(spider_of()):  # type: ignore[misc]
        async def start(self) -> Any:
            for item in items:
                yield item

    return Early


def shop(seller: str, sku: int, url: str) -> dict[str, Any]:
    return {"url": f"https://shop.example/{url}", "sku": sku, "seller": seller, "body": story(1)}


def test_items_that_must_agree_in_a_field_are_else_no_duplicates() -> None:
    items = [shop("a", 7, "1"), shop("a", 8, "2"), shop("a", 7, "3")]
    done = crawl_of(started_items(*items), {"DENOISE_DEDUP_FIELDS": ["body", "=sku"]})
    assert [item["url"][-1] for item in done.items] == ["1", "2"]
    assert [str(reason.of)[-1] for _, reason in done.dropped] == ["1"]  # type: ignore[attr-defined]


def test_items_that_must_differ_in_a_field_are_else_no_duplicates() -> None:
    items = [shop("a", 7, "1"), shop("a", 8, "2"), shop("b", 7, "3")]
    done = crawl_of(started_items(*items), {"DENOISE_DEDUP_FIELDS": ["body", "!seller"]})
    assert [item["url"][-1] for item in done.items] == ["1", "2"]
    assert [str(reason.of)[-1] for _, reason in done.dropped] == ["1"]  # type: ignore[attr-defined]


def test_a_part_is_dropped_unless_only_near_copies_are() -> None:
    items = [
        {"url": "https://a.example/1", "body": story(1)},
        {"url": "https://a.example/2", "body": part_of(story(1))},
    ]
    assert len(crawl_of(started_items(*items)).items) == 1
    assert len(crawl_of(started_items(*items), {"DENOISE_DEDUP_RULE": "near-copy"}).items) == 2
    assert (
        len(crawl_of(started_items(*items), {"DENOISE_DEDUP_RULE": "patent", "DENOISE_DEDUP_SCOPE": "global"}).items)
        == 1
    )


def part_of(text: str) -> str:
    return text[: len(text) * 2 // 3].rsplit(" ", 1)[0]


def test_equal_short_texts_are_dropped_by_option_only() -> None:
    items = [{"url": f"https://a.example/{n}", "body": "Page not found"} for n in range(3)]
    plain = crawl_of(started_items(*items))
    assert len(plain.items) == 3 and plain.stat("dedup/too_short") == 3
    assert len(crawl_of(started_items(*items), {"DENOISE_DEDUP_SHORT": True}).items) == 1


def test_the_stats_say_what_was_found() -> None:
    items = [{"url": f"https://a.example/{n}", "body": story(1) + f" Note {n}."} for n in range(4)]
    done = crawl_of(started_items(*items, {"url": "https://a.example/0", "body": story(2)}))
    assert done.stat("dedup/most_copied") == "https://a.example/0"
    assert done.stat("dedup/most_copies") == 3
    assert sum(n for name, n in done.stats.items() if name.startswith("denoise/dedup/score/")) == 3
    assert (done.stat("dedup/kept_texts"), done.stat("dedup/updated")) == (1, 1)
    assert done.stat("dedup/verified") >= 3


def test_crawls_share_an_index_in_redis(copies: Web, redis_server: Any) -> None:
    settings = {"DENOISE_DEDUP_STORE": redis_server.url}
    one = crawl(spider_of(copies("/a/1")), settings)
    two = crawl(spider_of(copies("/copy")), settings)
    other = crawl(spider_of(copies("/copy")), {"DENOISE_DEDUP_STORE": f"{redis_server.url}#other"})
    assert [len(done.items) for done in (one, two, other)] == [1, 0, 1]
    assert redis_server.client.exists("{denoise}:log", "{other}:log") == 2


def test_what_was_dropped_is_remembered_with_the_item_that_was_kept(copies: Web, tmp_path: Path) -> None:
    path = tmp_path / "texts.sqlite"
    done = crawl(spider_of(*urls(copies)), {**ONE_BY_ONE, "DENOISE_DEDUP_STORE": str(path)})
    [(item, reason)] = done.dropped
    with DuplicateIndex(store=SQLiteStore(path)) as index:
        [group] = index.groups()
    assert (group.kept, group.copies) == (reason.of, (item["url"],))  # type: ignore[attr-defined]


def lot(n: int, extra: str = "") -> str:
    sums = " ".join(f"{story(90 + k, 1).partition(' number')[0]} at {1000 * n + 37 * k} euro" for k in range(6))
    return f"{sums} {extra}"


def test_the_mark_says_how_much_is_new_and_a_form_filled_in_anew_is_marked_as_variant() -> None:
    items = [
        {"url": "https://a.example/1", "body": lot(1)},
        {"url": "https://a.example/2", "body": lot(2)},
        {"url": "https://a.example/3", "body": lot(1, story(5, 1))},
    ]
    done = crawl_of(started_items(*items), {"DENOISE_DEDUP": "mark"})
    form, longer = done.items[1:]
    assert form["variant_of"] == longer["near_duplicate"]["of"] == "https://a.example/1"
    assert "near_duplicate" not in form and "variant_of" not in longer
    assert 0 < longer["near_duplicate"]["new"] <= 0.3
    assert (done.stat("dedup/variants"), done.stat("dedup/duplicates")) == (1, 1)
    dropped = crawl_of(started_items(*items), {"DENOISE_DEDUP_VARIANTS": "drop"})
    assert [item["url"] for item in dropped.items] == ["https://a.example/1"]
    assert len(crawl_of(started_items(*items), {"DENOISE_DEDUP_MOST_NEW": 0.01}).items) == 3


SAID = "items were dropped as near-duplicates"


def started(texts: list[int]) -> Any:
    return started_items(*({"url": f"https://a.example/{n}", "body": story(text)} for n, text in enumerate(texts)))


def test_a_row_of_drops_is_said_once_and_the_sum_at_the_end() -> None:
    log = crawl_of(started([1, 2] + [1] * 50), {"CONCURRENT_ITEMS": 1}).log
    assert log.count(SAID) == 2
    assert f"WARNING 20 of 22 {SAID}, 20 of them of https://a.example/0" in log
    assert f"WARNING 50 of 52 {SAID}, 50 of them of https://a.example/0" in log
    assert "'Everything is a duplicate' in docs/symptoms.md" in log


class SlowAtFirst:
    """A pipeline of the user's that holds the first item for a while."""

    async def process_item(self, item: Any) -> Any:
        if item["url"].endswith("/0"):
            await asyncio.sleep(0.5)
        return item


def test_items_that_wait_are_not_counted_yet() -> None:
    log = crawl_of(started([1] * 60), {"CONCURRENT_ITEMS": 100, "ITEM_PIPELINES": {SlowAtFirst: 900}}).log
    said = re.findall(f"(\\d+) of (\\d+) {SAID}", log)
    assert said == [("20", "21"), ("59", "60")]


def test_a_warning_needs_more_than_half_of_twenty_or_more() -> None:
    half = [number for n in range(15) for number in (n, n)]
    assert SAID not in crawl_of(started(half)).log
    assert SAID not in crawl_of(started([1] * 19)).log
    assert SAID in crawl_of(started([*half, 1, 1])).log
    assert SAID not in crawl_of(started([*half, 1, 1]), {"DENOISE_DEDUP": "mark"}).log


def test_a_crawl_without_copies_warns_of_nothing() -> None:
    assert SAID not in crawl_of(started([*range(30)])).log


PAGE = "<!DOCTYPE html><html><body><nav>" + story(1) + "</nav><p>{}</p></body></html>"
FRAGMENT = "<div class=a>" + story(1) + "</div><p>{}</p>"
FEED = "\ufeff  <?xml version='1.0'?><item>" + story(1) + "</item>"
LATE = story(1) + "</body> {}"


@pytest.mark.parametrize("html", [PAGE, FRAGMENT, FEED, LATE])
def test_html_is_never_compared(html: str) -> None:
    items = [{"url": f"https://a.example/{n}", "body": html.format(n), "page": html.format(n)} for n in range(4)]
    for field in ("body", "page"):
        done = crawl_of(started_items(*items), {"DENOISE_DEDUP_FIELDS": field})
        assert len(done.items) == 4
        assert (done.stat("dedup/html"), done.stat("dedup/checked")) == (4, 0)
        assert done.log.count("holds HTML") == 1
    assert len(crawl(started_items(*items)).items) == 4


def test_html_of_ours_is_not_compared_either(copies: Web) -> None:
    settings = {"DENOISE_FIELDS": {"html": "page"}, "DENOISE_DEDUP_FIELDS": "page"}
    done = crawl(spider_of(*urls(copies)), settings)
    assert (len(done.items), done.stat("dedup/html")) == (4, 4)


class Trimming:
    """A pipeline of the user's that changes the texts."""

    def process_item(self, item: Any) -> Any:
        return {**item, "body": item["body"].upper()}


def test_only_a_text_of_ours_is_compared_unless_a_setting_names_the_field(copies: Web) -> None:
    def parse(self: Any, response: Any) -> Any:
        yield {"url": response.url, "body": story(1)}

    own = spider_of(*urls(copies), parse=parse)
    done = crawl(own)
    assert (len(done.items), done.stat("dedup/not_ours"), done.stat("dedup/checked")) == (4, 4, 0)
    assert done.log.count("DENOISE_DEDUP_FIELDS names a field to compare") == 1
    assert len(crawl(own, {"DENOISE_DEDUP_FIELDS": "body"}).items) == 1
    assert len(crawl(own, {"DENOISE_DEDUP_FIELDS": "=url"}).items) == 4
    assert len(crawl(own, {"DENOISE_OVERWRITE": True}).items) == 3  # the text is ours then
    assert len(crawl(spider_of(*urls(copies)), {"ITEM_PIPELINES": {Trimming: 150}}).items) == 3


def test_the_duplicate_pipeline_alone_compares_what_a_setting_names() -> None:
    items = [{"url": f"https://a.example/{n}", "body": story(1)} for n in range(4)]
    alone = {"ADDONS": {}, "ITEM_PIPELINES": {"denoise_scrapy.pipelines.NearDuplicatePipeline": 300}}
    assert len(crawl(started_items(*items), alone).items) == 4
    assert len(crawl_of(started_items(*items), alone).items) == 1
