"""A page's title without its site's name: what tells that name, and what is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy import extract
from denoise_scrapy.body.title import title_of
from denoise_scrapy.page import Page


def titled(title: str, rest: str = "", url: str = "") -> Page:
    return Page.parse(f"<title>{title}</title>{rest}<p>It rained all night.", url=url)


def og(name: str, content: str) -> str:
    return f'<meta property="og:{name}" content="{content}">'


def ld(script: str) -> str:
    return f'<script type="application/ld+json">{script}</script>'


RACE, CUT = "Fox wins the race in the snow, and nobody saw it", "Fox wins the race in the ..."
HERALD, AGAIN = "Fox wins - Daily Herald", "Fox wins - again - Herald"


@pytest.mark.parametrize(
    ("page", "others", "expected"),
    [
        # other titles show it
        (titled("Fox wins - The Herald"), ["Bridge closed - The Herald"], "Fox wins"),
        (titled("The Herald | Fox wins"), ["The Herald | Bridge closed", "The Herald | Lynx"], "Fox wins"),
        (titled("Fox wins - again - Sport - Herald"), ["Dog loses - Sport - Herald"], "Fox wins - again"),
        (titled("狐狸赢了_新闻网"), ["桥关闭了_新闻网"], "狐狸赢了"),
        (titled("狐の勝ち（新報） - まとめ", "<h1>狐の勝ち</h1>"), [], "狐の勝ち"),
        (titled("（写真） 新しい橋が完成"), [], "（写真） 新しい橋が完成"),
        (titled("アニメ（第3期） 第1話"), ["アニメ（第3期） 第2話", "アニメ（第3期） 第3話"], "（第3期） 第1話"),
        (titled("Report - Part 1 - Herald"), ["Report - Part 2 - Herald"], "Report - Part 1"),
        (titled("Fox wins - The Herald"), ["Fox wins - The Herald"], "Fox wins - The Herald"),
        (titled("狐狸赢了丨体育丨新闻网"), ["桥关闭了丨体育丨新闻网"], "狐狸赢了"),
        (titled(" | "), ["x | "], "|"),
        (titled("Fox wins - Sport"), ["Dog loses - Sport", "Rain - News", "Snow - News"], "Fox wins - Sport"),
        # so does the host
        (titled(HERALD, url="https://www.daily-herald.example/1"), [], "Fox wins"),
        (titled(HERALD, url="https://herald.example"), [], HERALD),
        (titled(HERALD), [], HERALD),
        # and a heading
        (titled("Fox wins - Herald", "<h1>Fox wins</h1>"), [], "Fox wins"),
        (titled(AGAIN, "<h1><a href=/>Herald</a></h1><h2>Fox wins - again</h2>"), [], "Fox wins - again"),
        (titled(AGAIN, "<h1><a href=/>Herald</a></h1>"), [], AGAIN),
        (titled("Fox wins - Herald", "<h1><a href=/fox>Fox wins</a></h1>"), [], "Fox wins"),
        # or a block that is no heading
        (titled("狐狸赢了-体育-新闻", "<div>狐狸赢了</div>"), [], "狐狸赢了"),
        (titled("新闻-体育-狐狸赢了", "<div>狐狸赢了</div>"), [], "新闻-体育-狐狸赢了"),
        # the only one, if nothing says which part is the title
        (titled("Daily :: Handbook", "<h1>How it opens</h1>"), [], "How it opens"),
        (titled("Daily :: Handbook", "<h1>How it opens</h1><h1>How it closes</h1>"), [], "Daily :: Handbook"),
        (titled("Daily :: Handbook", og("title", "Daily :: Handbook") + "<h1>Open</h1>"), [], "Daily :: Handbook"),
        (titled("How: today - Post", og("site_name", "Post") + "<h1>Post</h1>"), [], "How: today"),
        # whose quotation marks, dashes and colons may be others
        (titled("'Fox wins': a race | Herald", "<h1>“Fox wins”: a race</h1>"), [], "“Fox wins”: a race"),
        (titled("Fox wins: a race | Herald", "<h1>Fox wins – a race</h1>"), [], "Fox wins: a race"),
        (titled("Fox wins - Herald", "<h1>FOX WINS</h1>"), [], "Fox wins"),
        # and which is a work's title
        (titled("Journal - Vol. 2", "<meta name=citation_title content='Fox wins'><h1>Fox Wins</h1>"), [], "Fox Wins"),
        (titled("Journal - Vol. 2", "<meta name=citation_title content='Fox wins'><h1>2</h1>"), [], "Journal - Vol. 2"),
        # which has all of a title that is cut
        (titled("Fox wins the race in the… | Herald", f"<h1>{RACE}</h1>"), [], RACE),
        (titled(CUT, f"<h2>Fox wins</h2><h1>{RACE}</h1>"), [], RACE),
        (titled(CUT, f"<h1 hidden>{RACE}</h1>"), [], CUT),
        (
            titled("Fox wins the race in the ... - Sport", "<h1>Fox wins the race in the ... - Sport"),
            ["Ox - Sport"],
            CUT,
        ),
        (titled("Fox wins … - Herald", f"<h1>{RACE}</h1>", url="http://herald.example"), [], "Fox wins …"),
        (titled("Fox wins - Sport - The Herald", og("site_name", "The Herald")), [], "Fox wins - Sport"),
        (titled("The Herald | Sport: Fox wins", og("site_name", "The Herald | Sport")), [], "Fox wins"),
        (titled("Fox wins - Sport - The Herald", og("title", "Fox wins")), [], "Fox wins"),
        (titled("The Herald: Fox wins", og("title", "Fox wins") + og("site_name", "The Herald")), [], "Fox wins"),
        (titled("Fox wins: How it ran", og("title", "Fox wins")), [], "Fox wins: How it ran"),
        (titled("Fox wins again", og("title", "Fox wins")), [], "Fox wins again"),
        (titled("Fox wins by The Herald", og("title", "Fox wins") + og("site_name", "The Herald")), [], "Fox wins"),
        (
            titled("Fox wins - The Herald", og("title", "Lynx") + og("site_name", "{{site}}")),
            [],
            "Fox wins - The Herald",
        ),
        (titled("Fox wins – Sport – Herald", ld('{"@type":"Article","headline":"Fox wins"}')), [], "Fox wins"),
        (titled("Sport | Fox wins - Herald", "<h1>Fox wins</h1>"), [], "Fox wins"),
        (titled("狐狸赢了：先驱报"), ["山猫来了：先驱报"], "狐狸赢了"),
        # a title that all pages have says nothing
        (titled("Herald", "<h1>Herald</h1><h1>Fox\n wins</h1>"), ["Herald", "Herald"], "Fox wins"),
        (titled("Herald"), ["Herald", "Herald"], "Herald"),
        (Page.parse("<h1>Fox wins</h1>"), [], "Fox wins"),
        # nor does that of the site, or of a template without one
        (titled("Herald", f"{og('site_name', 'Herald')}{og('title', 'Fox')}<h1>Fox wins</h1>"), [], "Fox wins"),
        (titled("Herald", f"{og('site_name', 'Herald')}{og('title', 'Herald')}<h1>Fox wins</h1>"), [], "Herald"),
        (titled(" | Herald", "<h1>Fox wins</h1>"), [], "Fox wins"),
        (titled("Herald", "<h1>Fox wins</h1>"), ["Dog - Herald", "Ox - Herald", "Ox"], "Fox wins"),
        (titled("Ox", "<h1>Fox wins</h1>"), ["Dog - Herald", "Ox"], "Ox"),
        # signs at the ends, and brackets
        (titled("• Fox wins —"), [], "Fox wins"),
        (titled("fox_wins [Herald]"), ["dog [Herald]", "ox [Herald]"], "fox_wins"),
        (titled("Fox wins [video] "), ["Dog", "Ox"], "Fox wins [video]"),
        # a quotation is no sign at an end
        (titled("« Fox » : wins - Herald"), ["Dog - Herald", "Ox - Herald"], "« Fox » : wins"),
        (titled("Fox : « I win » - Herald"), ["Dog - Herald", "Ox - Herald"], "Fox : « I win »"),
        (titled("Fox wins « Herald"), ["Dog « Herald", "Ox « Herald"], "Fox wins"),
    ],
)
def test_the_name_of_the_site_is_left_out(page: Page, others: list[str], expected: str) -> None:
    assert title_of(page, others) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("", "Foxes"),
        (og("title", "Fox wins"), "Fox wins"),
        ("<title>Herald</title>" + og("site_name", "Herald"), "Herald"),
    ],
)
def test_without_a_title_it_is_what_is_declared_or_the_first_heading_of_the_body(head: str, expected: str) -> None:
    story = "<p>The race was won in the snow by a fox that nobody in the town had seen before, or since." * 3

    assert extract(f"{head}<nav><h2>Menu</h2><a href=/a>A</a></nav><h2>Foxes</h2>{story}").title == expected


def test_the_sign_that_leads_to_a_heading_is_none_of_the_title() -> None:
    assert extract("<h1 id=a>Fox wins<a href='#a'>¶</a></h1>").title == "Fox wins"


PIECES = st.lists(st.sampled_from(["Fox", "wins", " - ", "|", ": ", "_", "新", "-", " ", "Herald", "İ"]), max_size=12)


@given(PIECES, st.lists(PIECES, max_size=4), PIECES)
def test_it_is_of_the_title_element_or_a_heading_or_declared(
    pieces: list[str], others: list[list[str]], heading: list[str]
) -> None:
    declared = "".join(og(name, "".join(other)) for name, other in zip(("title", "site_name"), others, strict=False))
    page = titled("".join(pieces), f"{declared}<h1>{''.join(heading)}</h1>", "https://herald.example/")
    title = title_of(page, [" ".join("".join(other).split()) for other in others])
    said = [" ".join("".join(one).split()) for one in (heading, *others[:1])]
    assert title in page.title or title in said
    assert bool(title) >= bool(page.title)
    assert title == title.strip()
