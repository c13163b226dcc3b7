"""What counts as kept by a person."""

from training.labels import gold_share


def shares(blocks: list[str], gold: str) -> list[float]:
    return gold_share([block.split() for block in blocks], gold).tolist()


def test_a_text_that_stands_twice_on_the_page_counts_once_and_among_its_like():
    blocks = [
        "buy now",
        "it rained all night long",
        "menu",
        "terms",
        "more",
        "why it rained",
        "it rained all night long",
        "and then it stopped",
    ]
    found = shares(blocks, "why it rained\nit rained all night long\nand then it stopped")
    assert found == [0, 0, 0, 0, 0, 1, 1, 1]


def test_short_blocks_between_kept_ones():
    blocks = ["home", "the first part of it", "two", "the second part of it", "home"]
    assert shares(blocks, "the first part of it two the second part of it") == [0, 1, 1, 1, 0]
