"""Questions come from the truth alone, and a hit is a chunk of the right page with the answer."""

import pytest

from benchmarks import retrieval
from benchmarks.retrieval import cutters, measure, questions, windows, words_of
from denoise_scrapy.body.chunks import estimate_tokens
from evaluation.corpora import RecordedPage
from tests.crawl.web import article, story


def pages() -> list[RecordedPage]:
    return [
        RecordedPage(
            f"http://a.example/{n}", article(n), story(n).replace("number", f"in the year {1800 + n}"), name=str(n)
        )
        for n in range(6)
    ]


def test_an_answer_is_in_one_truth_alone_and_not_in_its_question() -> None:
    site = pages()
    site[0] = RecordedPage(
        site[0].url,
        site[0].html,
        site[0].gold + " Nobody knows how tall the marzipan lighthouse was at first, or whether sailors ever noticed.",
    )
    found = questions(site)
    assert found and found == questions(site)
    for one in found:
        assert [page.url for page in site if one.answer in words_of(page.gold)] == [one.page.url]
        assert one.answer not in one.text.split() and len(one.text.split()) == retrieval.WORDS


def test_hits_of_each_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieval, "TOKENS", 60)
    page = "<p>{} was a quiet harbour town until the {} railway brought visitors from every larger city nearby.</p>"
    names = ["Arlington", "Brackenford", "Cotterdale", "Dunmere"]
    site = [
        RecordedPage(
            f"http://a.example/{n}",
            f"<h1>{n}</h1>{page.format(name, name * 2)}" + "<script>x</script>",
            page.format(name, name * 2)[3:-4],
        )
        for n, name in enumerate(names)
    ]
    rows = list(measure("made", [site], ["BM25", "LSA"], cutters()))
    assert {(row.cut, row.finder) for row in rows} >= {("bare text", "BM25"), ("ours", "LSA")}
    assert all(row.questions == 4 and row.hits == 4 for row in rows)
    assert "| ours, chunks |" in retrieval.text_of(rows)


def test_windows_hold_all_words_and_no_more_tokens() -> None:
    text = story(1, 200)
    found = list(windows(text))
    assert " ".join(found) == " ".join(text.split())
    assert len(found) > 3 and max(map(estimate_tokens, found)) <= retrieval.TOKENS + 1
