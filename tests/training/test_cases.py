"""Cases as a corpus: each is a site, whose first page has the pieces."""

from base64 import b64encode

from evaluation.corpora import RecordedPage
from training.cases import rows_of


def test_the_page_of_a_case_has_its_pieces_and_its_sisters_none():
    sister = {"base64": b64encode("<p>Ebbe für alle".encode()).decode()}
    case = {"url": "https://sea.example/1", "html": "<p>Tides", "sisters": [sister], "has": ["Tides"], "lacks": ["Ads"]}

    page, other = rows_of(case, "a.sea.example")

    assert page["html"] == "<p>Tides" and page["gold"] == ""
    assert page["with"] == ["Tides"] and page["without"] == ["Ads"]
    assert other["html"] == "<p>Ebbe für alle" and "with" not in other
    assert page["site"] == other["site"] == "a.sea.example" and page["page"] != other["page"]


def test_a_page_of_pieces_is_scored_by_them():
    page = RecordedPage("https://sea.example/1", "<p>Tides", "", wanted=("High tides", "Low tides"), unwanted=("Ads",))

    assert page.score("High tides. Low tides") == 1 and page.score("High tides. Ads") == 0.5
    assert RecordedPage("", "", "", unwanted=("Ads",)).score("Tides") == 1
    assert RecordedPage("", "", "Tides").score("Tides") == 1
    assert page.has_truth and not RecordedPage("", "", "").has_truth
