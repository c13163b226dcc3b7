"""The cluster strategy on small sites."""

from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.body.strategies.cluster import ClusterStrategy
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics

FRAME = (
    "<body><div id=menu><a href=/>Home</a></div><div id=story><h1>Title</h1><p>{}</p></div><div id=talk>{}</div></body>"
)
LONG = "A story of so many words that nothing on the page outweighs it, whatever people say."
SITE = [Page.parse(FRAME.format(f"{LONG} {word}", "Yes.")) for word in ("ship", "train", "plane")]
#: The story is shorter than what people say about it: the source's case for clusters.
SHORT = Page.parse(FRAME.format("Nothing new.", "A comment that is much, much longer than its story."))


def decide(page: Page, *others: Page) -> Decision:
    return ClusterStrategy().decide(page, SiteStatistics(others))


def texts(page: Page, *others: Page) -> list[str]:
    return [page.block_text(i) for i, kept in enumerate(decide(page, *others).kept) if kept]


def test_the_rule_of_the_cluster_beats_the_page_itself():
    assert texts(SHORT) == ["A comment that is much, much longer than its story."]
    assert texts(SHORT, *SITE) == ["Title", "Nothing new."]


def test_the_rule_is_told():
    decision = decide(SHORT, *SITE)
    assert decision.reasons[1] == "in the cluster's block #story"
    assert decision.reasons[0] == "outside the content's block"


def test_where_the_rule_finds_nothing_the_page_decides():
    # similar to its cluster by the paths it has (id does not count), but without #story
    target = Page.parse("<body><div>Some text of its own</div><div><a href=/>Home</a></div></body>")
    decision = decide(target, *(Page.parse(f"<body><div id=story>{LONG}</div></body>") for _ in range(3)))
    assert decision.kept.tolist() == [True, False]
    assert decision.reasons[0] == "in the page's block of highest H"


def test_what_size_costs_goes_by_the_page():
    # a box of teasers about the story: in a small page it is most of the elements, in a large one a part
    teasers = "<p>More text</p>" * 12
    story = f"<div id=all><div id=story><p>{LONG}</p></div>{teasers}</div>"
    assert texts(Page.parse(f"<body>{story}</body>")) == [LONG]
    assert len(texts(Page.parse(f"<body>{story}<ul>{'<li></li>' * 400}</ul></body>"))) == 13
