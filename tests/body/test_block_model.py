"""The model file, and the reasons it gives."""

import json
from pathlib import Path

import numpy as np
import pytest

import training
from denoise_scrapy.body.kind import KINDS
from denoise_scrapy.body.strategies.combined import BlockModel, CombinedStrategy, block_model, contributions, view_of
from denoise_scrapy.body.taste import LEARNED
from denoise_scrapy.core.features import FAMILIES, NAMES
from denoise_scrapy.core.judge import Neighbours
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics
from training.model_file import save_model
from training.tables import below

STORY = "The bridge was closed on Monday because of the flood, said the mayor, and would open again in a week."
HTML = (
    "<title>Flood</title><nav><a href=/>Home</a></nav><p>Subscribe to our paper and read it every morning.</p>"
    f"<article><h1>Flood</h1><p>{STORY}</p></article>"
)


def test_the_model_belongs_to_the_features():
    assert block_model().names == NAMES, "fit the model to these features: make train CORPORA=path"
    assert set(block_model().provenance) >= {"corpora", "cross-validated F1", "seed", "features"}


def test_cross_validation_reached_the_floors():
    floors = json.loads(Path(training.__file__).with_name("floors.json").read_text("utf-8"))
    scores = block_model().provenance["cross-validated F1"]
    assert scores.keys() >= floors.keys()
    assert below(scores, floors) == []


def test_a_model_survives_its_file(tmp_path):
    model = block_model()
    save_model(model, tmp_path / "model.npz")
    again = BlockModel.load(tmp_path / "model.npz")
    assert (again.names, again.provenance) == (model.names, model.provenance)
    small = {"content", *(f"part {name}" for name in LEARNED), *(f"kind {name}" for name in KINDS)}
    assert model.forests.keys() == again.forests.keys() == {"second", "last", *small}
    parts = [(model.network, again.network), *((trees, again.forests[name]) for name, trees in model.forests.items())]
    for one, other in ((part.arrays(), back.arrays()) for part, back in parts):
        assert one.keys() == other.keys()
        assert all(np.array_equal(one[name], other[name]) for name in one)
    assert again.vocabulary.class_words == model.vocabulary.class_words
    assert np.array_equal(again.vocabulary.text_words, model.vocabulary.text_words)
    assert np.array_equal(again.wording, model.wording)
    assert np.array_equal(again.phrases, model.phrases)
    assert (tmp_path / "model.npz").stat().st_size < 640_000


def test_a_reason_tells_on_how_many_pages_a_text_is():
    others = [Page.parse(HTML.replace(STORY, text)) for text in ("Quite another story.", "Nothing new.")]
    rows = dict(zip(NAMES, view_of(Page.parse(HTML), SiteStatistics(others)).features, strict=True))
    said = [FAMILIES["site"].say(rows, block) for block in range(4)]
    assert said == [*["repeats on both other pages"] * 3, "its text is on no other page"]


def test_some_of_the_reasons_are_read_as_all_are():
    reasons = CombinedStrategy().decide(Page.parse(HTML), SiteStatistics()).reasons
    assert [*reasons[1:]] == [*reasons][1:]


def test_parts_say_how_the_odds_change_without_a_family():
    page = Page.parse(HTML)
    model, neighbours = block_model(), Neighbours.of(page.tree)
    features = view_of(page, SiteStatistics(), model.vocabulary).features
    found = contributions(features, neighbours, model)["links"]
    without = features.copy()
    rows = [model.names.index(name) for name in FAMILIES["links"].names]
    without[rows] = model.network.mean[rows, None]

    def odds(p):
        return np.log(p / (1 - p))

    expected = odds(model.judge(features, neighbours)[0]) - odds(model.judge(without, neighbours)[0])
    assert found == pytest.approx(expected, abs=1e-6)
    assert found.shape == (len(page.blocks),)
