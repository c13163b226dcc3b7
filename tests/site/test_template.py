"""Templates by their block paths, and copies among comparison pages."""

from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics, template_similarity

FRAME = "<body><div id=top>Menu</div><div id=story>{}</div><p>{}</p></body>"
LEGAL = "All of this is protected by the laws of the land, and by a very old and tired dog."


def prose(word: str, n: int = 3) -> list[str]:
    return [
        f"Paragraph {'abcdef'[i]} about {word}, which is as long as a paragraph of {word} has to be today."
        for i in range(n)
    ]


def page(*paragraphs: str) -> Page:
    return Page.parse(FRAME.format("".join(f"<p>{p}</p>" for p in paragraphs), LEGAL))


def without_copies(target: Page, others: list[Page]) -> list[Page]:
    left = SiteStatistics.of(others).for_page(target).pages
    return [other for other in others if other in left]


def test_similarity_is_containment_of_the_smaller():
    small, large = Page.parse("<div class=a></div>"), Page.parse("<div class=a></div><div class=b><ul><li>x</ul></div>")
    assert template_similarity(small, large) == template_similarity(large, small) == 1.0
    assert template_similarity(Page.parse(""), large) == 0.0
    assert template_similarity(Page.parse("<div class=a></div><div class=c></div>"), large) == 0.5


def test_a_copy_is_no_comparison_page():
    target, other, third = page(*prose("foxes")), page(*prose("owls")), page(*prose("cats"))
    copy = page(*prose("foxes"), "And one more.")
    cut = page(*prose("foxes")[:2])
    assert without_copies(target, [copy, other, third]) == [other, third]
    assert without_copies(target, [cut, other, third]) == [other, third]
    assert without_copies(target, [copy]) == []


def test_prose_of_the_template_makes_no_copies():
    target, others = page(prose("foxes")[0]), [page(prose(word)[0]) for word in ("owls", "cats", "dogs")]
    # half of each page's prose is the legal text
    assert without_copies(target, others) == others


def test_the_page_under_other_urls_is_no_comparison_page():
    target, others = page(*prose("foxes")), [page(*prose("foxes")) for _ in range(3)]
    assert without_copies(target, others) == []
    assert without_copies(target, [*others, page(*prose("owls"))]) != []


def test_pages_without_prose():
    target, other = Page.parse("<p>Short.</p>"), Page.parse("<p>Shorter.</p>")
    assert without_copies(target, [target, other]) == [other]
    assert without_copies(target, []) == []
