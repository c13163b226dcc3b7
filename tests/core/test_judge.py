"""The model in plain Python: the network unit by unit, neighbours by loops, a walk down each tree."""

import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.strategies.combined import block_model, view_of
from denoise_scrapy.core.judge import NEIGHBOUR_NAMES, Forest, Neighbours, Network
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics
from tests.html_strategies import SOUP, pages

# ---- the network ----

FARTHEST = 4.0


def literal_odds(network, values):
    """The log odds of one block."""
    parts = SimpleNamespace(**network.arrays())
    scaled = [
        0.0 if math.isnan(x) else min(max((x - mean) / deviation, -FARTHEST), FARTHEST)
        for x, mean, deviation in zip(values, parts.mean, parts.deviation, strict=True)
    ]

    def units(inputs, weights, bias):
        sums = [sum(x * w for x, w in zip(inputs, column, strict=True)) for column in weights.T]
        return [max(total + b, 0.0) for total, b in zip(sums, bias, strict=True)]

    above = 0.0
    for inner, inner_bias, outer, outer_bias, last in zip(
        parts.inner, parts.inner_bias, parts.outer, parts.outer_bias, parts.last, strict=True
    ):
        found = units(units(scaled, inner, inner_bias), outer, outer_bias)
        above += sum(x * w for x, w in zip(found, last, strict=True)) / len(parts.last)
    return above + sum(x * w for x, w in zip(scaled, parts.direct, strict=True)) + parts.bias


def made_network(n, k, a, b, rng):
    layers = {"inner": (k, n, a), "inner_bias": (k, a), "outer": (k, a, b), "outer_bias": (k, b), "last": (k, b)}
    sizes = layers | dict.fromkeys(["mean", "deviation", "direct"], n) | {"bias": ()}
    return Network(**{name: rng.normal(size=size) for name, size in sizes.items()})


SIZES = st.tuples(st.integers(1, 9), st.integers(1, 3), st.integers(1, 16), st.integers(1, 7))


@given(st.none() | SIZES, st.integers(1, 70), st.integers(0, 2**32 - 1))
def test_a_network_equals_its_formula(sizes, m, seed):
    rng = np.random.default_rng(seed)
    network = block_model().network if sizes is None else made_network(*sizes, rng)
    mean, deviation = network.mean[:, None], network.arrays()["deviation"][:, None]
    features = (mean + rng.normal(0, 3, (len(mean), m)) * deviation).astype(np.float32)
    features[rng.random(features.shape) < 0.2] = np.nan
    some = sorted({0, m // 2, m - 1})
    expected = [literal_odds(network, features[:, i].tolist()) for i in some]
    assert network.odds(features)[some] == pytest.approx(expected, abs=1e-3, rel=1e-3)


def test_values_without_bounds_are_cut():
    network = block_model().network
    features = np.repeat(network.mean[:, None], 3, axis=1)
    features[:, 1], features[:, 2] = np.float32(1e30), np.inf
    assert np.isfinite(network.odds(features)).all()


def test_layers_that_do_not_fit_are_refused():
    network = block_model().network
    with pytest.raises(ValueError, match="do not match"):
        Network(**network.arrays() | {"last": [1.0]})
    with pytest.raises(ValueError, match=f"{len(network.mean)} features, got 3"):
        network.odds(np.zeros((3, 2)))


# ---- neighbours ----

WINDOWS, LEVELS, SHARE_LEVELS, FAR = (1, 3), 3, 2, 30


def literal_neighbours(page, odds):
    """Rows by name, block after block."""
    m, blocks = len(odds), page.blocks
    first = 1 / (1 + np.exp(-odds.astype(float)))
    tokens = blocks.tokens.astype(float)
    whole = max((first * tokens).sum(), 1e-6)

    def mean(members):
        weight = np.log1p(tokens[members])
        return (first[members] * weight).sum() / (weight.sum() + 1e-3)

    def share(members):
        return (first[members] * tokens[members]).sum() / whole

    rows = {name: np.zeros(m) for name in NEIGHBOUR_NAMES}
    for i in range(m):
        rows["first_odds"][i] = odds[i]
        for width in WINDOWS:
            rows[f"first_window{width}"][i] = mean([j for j in range(m) if abs(i - j) <= width])
        box = int(blocks.element[i])
        for level in range(1, LEVELS + 1):
            box = max(int(page.elements.parent[box]), 0)
            inside = [j for j in range(m) if box <= blocks.element[j] < page.elements.end[box]]
            rows[f"first_up{level}"][i] = mean(inside)
            rows[f"first_head{level}"][i] = odds[min(inside, key=lambda j: (blocks.element[j], j))]
            if level <= SHARE_LEVELS:
                rows[f"first_share_up{level}"][i] = share(inside)
        rows["first_path"][i] = mean([j for j in range(m) if blocks.rows["slot"][j] == blocks.rows["slot"][i]])
        rows["first_before"][i] = share(list(range(i)))
        rows["first_from_best"][i] = np.clip(i - (first * tokens).argmax(), -FAR, FAR)
        rows["first_page_share"][i] = whole / max(tokens.sum(), 1)
        rows["first_page_tokens"][i] = np.log1p(whole)
        for distance in (1, 2):
            rows[f"first_back{distance}"][i] = odds[i - distance] if i >= distance else np.nan
            rows[f"first_on{distance}"][i] = odds[i + distance] if i + distance < m else np.nan
        headings = [j for j in range(i + 1) if blocks.rows["heading"][j]]
        rows["first_heading"][i] = odds[headings[-1]] if headings else np.nan
        rows["first_from_heading"][i] = min(i - headings[-1], FAR) if headings else np.nan
    return rows


@given(SOUP | pages(), st.integers(0, 2**32 - 1))
def test_features_equal_plain_loops(html, seed):
    page = Page.parse(html)
    if not len(page.blocks):
        return
    odds = np.random.default_rng(seed).normal(0, 3, len(page.blocks)).astype(np.float32)
    found = dict(zip(NEIGHBOUR_NAMES, Neighbours.of(page.tree).features(odds), strict=True))
    for name, row in literal_neighbours(page, odds).items():
        assert found[name] == pytest.approx(row, abs=1e-4, nan_ok=True), name


def test_neighbours_are_of_one_page():
    neighbours = Neighbours.of(Page.parse("<p>One two.<p>Three.").tree)
    with pytest.raises(ValueError, match="expected 2 odds, got 3"):
        neighbours.features([1, 2, 3])
    back = pickle.loads(pickle.dumps(neighbours))
    assert np.array_equal(back.features([1, 2]), neighbours.features([1, 2]), equal_nan=True)


# ---- trees ----

FOREST = block_model().forests["last"]
ROWS = len(block_model().names) + 2 * len(NEIGHBOUR_NAMES)


def walk(forest, tree, values):
    leaf = 0
    for feature, threshold in zip(forest.feature[tree].tolist(), forest.threshold[tree].tolist(), strict=True):
        leaf = 2 * leaf + (not math.isnan(values[feature]) and values[feature] > threshold)
    return float(forest.value[tree, leaf])


@given(st.none() | st.integers(0, 8), st.integers(0, 2**32 - 1))
def test_probabilities_equal_a_walk(depth, seed):
    rng = np.random.default_rng(seed)
    forest = FOREST
    if depth is not None:
        feature, threshold = rng.integers(0, 5, (9, depth)), rng.normal(size=(9, depth)).round(1)
        forest = Forest(feature, threshold, rng.normal(size=(9, 1 << depth)))
    features = (rng.normal(size=(ROWS, 40)) * rng.choice([0.5, 5, 50], (ROWS, 1))).round(1).astype(np.float32)
    features[rng.random(features.shape) < 0.2] = np.nan  # of the others some are at a threshold
    some = (0, 31, 32, 39)
    odds = [sum(walk(forest, tree, features[:, i].tolist()) for tree in range(len(forest.value))) for i in some]
    assert forest.odds(features)[[*some]] == pytest.approx(odds, abs=1e-4)
    assert forest.probability(features)[[*some]] == pytest.approx([1 / (1 + math.exp(-o)) for o in odds], abs=1e-5)


@pytest.mark.parametrize(
    "parts",
    [
        ([[0] * 9], [[0.0] * 9], [[0.0] * 512]),
        ([[0]], [[0.0]], [[0.0]]),
        ([[0]], [[0.0, 1.0]], [[0.0, 1.0]]),
        ([[-1]], [[0.0]], [[0.0, 1.0]]),
    ],
)
def test_what_is_no_forest(parts):
    with pytest.raises(ValueError, match="do not match"):
        Forest(*parts)


def test_features_that_are_missing():
    with pytest.raises(ValueError, match=f"{ROWS} features, got 3"):
        FOREST.probability(np.zeros((3, 2), np.float32))


# ---- all of them ----


def test_each_judgement_sees_those_before():
    page, model = Page.parse(STORIES), block_model()
    features, neighbours = view_of(page, SiteStatistics(), model.vocabulary).features, Neighbours.of(page.tree)
    first = model.network.odds(features)
    seen = np.concatenate([features, [*literal_neighbours(page, first).values()]]).astype(np.float32)
    second = model.forests["second"].odds(seen)
    all_seen = np.concatenate([seen, [*literal_neighbours(page, second).values()]])
    found, odds, between = model.judge(features, neighbours)
    assert found == pytest.approx(model.forests["last"].probability(all_seen), abs=0.02)
    assert np.array_equal(odds, first)
    assert between == pytest.approx(seen, abs=1e-4, nan_ok=True)


STORIES = "<h1>Two bridges</h1>" + "<div><h2>One</h2><p>It stands over the river.<p>Since May.</div><p>Share" * 3
