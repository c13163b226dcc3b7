"""Made walls: pages without content, in twelve languages, worded otherwise for each fold."""

from itertools import combinations

import numpy as np

from evaluation.corpora import RecordedPage
from training.dataset import examples, site_publisher
from training.made import TEXTS

FRAME = "<title>Rain | Post</title><body><nav><a href=/>Home</a></nav><div><p>{}</p></div><footer>All rights</footer>"
STORIES = [
    f"It rained all night long for the {n}th time, and nobody in the town knew why it had to be so." for n in range(3)
]
SITE = [RecordedPage(f"http://a.example/{n}", FRAME.format(story * 2), story * 2) for n, story in enumerate(STORIES)]


def test_texts_of_two_folds_share_few_words():
    for kinds in TEXTS.values():
        for texts in kinds.values():
            for one, other in combinations((set(text.lower().split()) for text in texts), 2):
                assert len(one & other) <= 0.6 * min(len(one), len(other))


def test_nothing_on_a_wall_is_content(monkeypatch):
    monkeypatch.setattr("training.dataset.WALLS", 1.0)
    found = [one for one in examples("news", [SITE], {site_publisher(SITE): 0}, (0,), made=1.0) if one.made == "wall"]
    assert len(found) == len(SITE)
    assert all(np.array_equal(one.share, np.zeros(len(one.page.blocks))) for one in found)
