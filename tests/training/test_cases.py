"""Cases as a corpus: each is a site, whose first page has the pieces."""

from base64 import b64encode

from training.cases import rows_of


def test_the_page_of_a_case_has_its_pieces_and_its_sisters_none():
    sister = {"base64": b64encode("<p>Ebbe für alle".encode()).decode()}
    case = {"url": "https://sea.example/1", "html": "<p>Tides", "sisters": [sister], "has": ["Tides"], "lacks": ["Ads"]}

    page, other = rows_of(case, "a.sea.example")

    assert page["html"] == "<p>Tides" and page["gold"] == ""
    assert page["with"] == ["Tides"] and page["without"] == ["Ads"]
    assert other["html"] == "<p>Ebbe für alle" and "with" not in other
    assert page["site"] == other["site"] == "a.sea.example" and page["page"] != other["page"]
