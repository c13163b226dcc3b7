"""Fitting the networks: gradient descent in numpy, the same result for the same examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.model.network import SETS, BlockNetwork, Context, Values, Weights, forward
from training.dataset import CORPUS_WEIGHTS, Example

#: Outputs of the two layers.
BLOCK, CONTEXT = 32, 16
#: Networks that are averaged: each from other random weights.
NETWORKS = 3
EPOCHS, RATE, DECAY = 8, 2e-3, 1e-4
#: Share of the first layer's outputs that a step leaves out: it keeps the network from leaning on one of them.
DROPOUT = 0.15
#: Blocks a step.
BATCH = 4096


@dataclass(frozen=True, eq=False)
class _Page:
    """An example as the descent takes it: inputs (m, n), labels and weights (m,), and what a context needs."""

    inputs: Values
    label: Values
    weight: Values
    tokens: npt.NDArray[np.int64]
    paths: npt.NDArray[np.uint64]


def fit_network(examples: Sequence[Example], rows: Sequence[int], seed: int) -> BlockNetwork:
    """Fit the networks.

    Args:
        examples: Pages with features and shares of gold.
        rows: Which of the features.
        seed: Seed of the first network; the others take the next ones.
    """
    # a third of the examples is enough for means; the variants of a page stand together
    some = np.concatenate([example.features[rows] for example in examples[::3]], axis=1)
    mean, deviation = np.nanmean(some, axis=1), np.nanstd(some, axis=1) + 1e-6
    empty = BlockNetwork(mean.astype(np.float32), deviation.astype(np.float32), ())
    pages = [_prepare(empty, example, rows) for example in examples]
    networks = tuple(_descend(pages, np.random.default_rng(seed + i)) for i in range(NETWORKS))
    return BlockNetwork(empty.mean, empty.deviation, networks)


def _prepare(network: BlockNetwork, example: Example, rows: Sequence[int]) -> _Page:
    """A block counts as much as its tokens, up to all of the page's gold: a page is not lost in its long blocks."""
    gold = float(example.share @ example.lengths)
    weight = np.minimum(1, example.lengths / (gold + 50)) * CORPUS_WEIGHTS.get(example.corpus, 1.0)
    return _Page(
        network.inputs(example.features[rows]),
        (example.share > 0.5).astype(np.float32),
        weight.astype(np.float32),
        example.lengths,
        example.paths,
    )


def _descend(pages: Sequence[_Page], rng: np.random.Generator) -> Weights:
    """Adam (Kingma and Ba 2015) with a rate that falls like half a cosine."""
    weights = _start(pages[0].inputs.shape[1], rng)
    first = {name: np.zeros_like(values) for name, values in weights.items()}
    second = {name: np.zeros_like(values) for name, values in weights.items()}
    steps = EPOCHS * (sum(len(page.label) for page in pages) // BATCH + 1)
    batches = (batch for _ in range(EPOCHS) for batch in _batches(pages, rng))
    for step, batch in enumerate(batches, 1):
        keep = ((rng.random(BLOCK) >= DROPOUT) / (1 - DROPOUT)).astype(np.float32)
        found = gradients(weights, *batch, keep=keep)
        rate = RATE * (1 + np.cos(np.pi * min(step / steps, 1))) / 2
        for name, gradient in found.items():
            first[name] = 0.9 * first[name] + 0.1 * gradient
            second[name] = 0.999 * second[name] + 0.001 * gradient**2
            change = first[name] / (1 - 0.9**step) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)
            decay = 0.0 if name.endswith("bias") else DECAY
            weights[name] = (weights[name] - rate * (change + decay * weights[name])).astype(np.float32)
    return weights


def _start(n: int, rng: np.random.Generator) -> Weights:
    def random(*shape: int, spread: float) -> Values:
        return (rng.standard_normal(shape) * spread).astype(np.float32)

    around = BLOCK * (1 + SETS)
    return {
        "block": random(n, BLOCK, spread=n**-0.5),
        "block_bias": np.zeros(BLOCK, np.float32),
        "context": random(around, CONTEXT, spread=around**-0.5),
        "context_bias": np.zeros(CONTEXT, np.float32),
        "last": random(CONTEXT, spread=0.1),
        "direct": np.zeros(n, np.float32),
        "bias": np.zeros((), np.float32),
    }


def _batches(pages: Sequence[_Page], rng: np.random.Generator) -> Iterator[tuple[Values, Context, Values, Values]]:
    """Inputs, context, labels and weights of pages in random order, some BATCH blocks at a time."""
    some: list[_Page] = []
    for number in rng.permutation(len(pages)).tolist():
        some.append(pages[number])
        if sum(len(page.label) for page in some) >= BATCH:
            yield _joined(some)
            some = []
    if some:
        yield _joined(some)


def _joined(pages: Sequence[_Page]) -> tuple[Values, Context, Values, Values]:
    context = Context.join([(page.tokens, page.paths) for page in pages])
    inputs, labels = np.concatenate([p.inputs for p in pages]), np.concatenate([p.label for p in pages])
    return inputs, context, labels, np.concatenate([p.weight for p in pages])


def gradients(
    weights: Weights, inputs: Values, context: Context, label: Values, weight: Values, keep: Values | float = 1.0
) -> Weights:
    """Gradient of the mean cross entropy by each of a network's weights.

    Args:
        weights: The network's.
        inputs: Shape (m, n).
        context: Of the m blocks.
        label: 1 for content, 0 for the rest, shape (m,).
        weight: Weight of each block, shape (m,).
        keep: See `network.forward`.
    """
    seen = forward(weights, inputs, context, keep)
    odds = ((1 / (1 + np.exp(-np.clip(seen.odds, -30, 30))) - label) * weight / weight.sum()).astype(np.float32)
    inner = np.outer(odds, weights["last"]) * (seen.context > 0)
    around = inner @ weights["context"].T
    parts = np.split(around, 1 + SETS, axis=1)
    block = (parts[0] + context.gradient(parts[1:])) * (seen.block > 0) * np.float32(keep)
    return {
        "block": inputs.T @ block,
        "block_bias": block.sum(axis=0),
        "context": seen.around.T @ inner,
        "context_bias": inner.sum(axis=0),
        "last": seen.context.T @ odds,
        "direct": inputs.T @ odds,
        "bias": odds.sum(),
    }
