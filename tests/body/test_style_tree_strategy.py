"""The style-tree strategy on small sites."""

from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.body.strategies.style_tree import StyleTreeStrategy
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics

FRAME = (
    "<body><div id=menu><a href=/>Home</a><a href=/n>News</a></div><div id=story><h1>{0}</h1><p>{1}</p></div>"
    "<div id=foot><p>All rights reserved</p></div></body>"
)
SITE = [
    Page.parse(FRAME.format(f"Title {word}", f"The {word} came first, and then {word} came again."))
    for word in ("ship", "train", "plane")
]


def decide(page: Page, *others: Page) -> Decision:
    return StyleTreeStrategy().decide(page, SiteStatistics(others))


def texts(page: Page, *others: Page) -> list[str]:
    return [page.block_text(i) for i, kept in enumerate(decide(page, *others).kept) if kept]


def test_the_story_is_kept():
    assert texts(SITE[0], *SITE[1:]) == ["Title ship", "The ship came first, and then ship came again."]


def test_a_page_alone_is_kept_whole():
    assert decide(SITE[0]).kept.all()


def test_mixed_blocks_go_by_the_share_of_their_text():
    # "Read on at once" is the same on both pages, the link's text is not: 12 of 13, and 12 of 30 characters
    site = [
        [Page.parse(f"<body><p>Read on at once<b>{name}</b></p><p>x</p></body>") for name in names]
        for names in (("1", "a"), ("The whole, long story", "Another one, as long"))
    ]
    assert [texts(*pair) for pair in site] == [[], ["Read on at onceThe whole, long story"]]


def test_hidden_blocks_are_dropped_unless_they_are_all_there_is():
    hidden = "<body><div hidden>Secret {0}</div><p>Open {0}</p></body>"
    assert texts(*(Page.parse(hidden.format(word)) for word in ("ship", "train"))) == ["Open ship"]
    streamed = "<body><p>Loading</p><div hidden>Story of the {0}</div></body>"
    assert texts(*(Page.parse(streamed.format(word)) for word in ("ship", "train"))) == ["Story of the ship"]
