"""The fixed rules around the model: each on a page made for it, and all against plain loops."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.core.choice import choose, expected_f1, select_by_expected_f1
from denoise_scrapy.page import Flag, Page
from tests.html_strategies import SOUP, pages

PROSE = "A paragraph of prose that goes on for a while, so that it is long enough to count as one."


def tags_around(page, block):
    """The tags of eight elements around a block."""
    around, element, tags = set(), int(page.blocks.element[block]), page.tags()
    for _level in range(8):
        if element >= 0:
            around.add(tags[element])
            element = int(page.elements.parent[element])
    return around


def literal_once(page, kept):
    """What is kept after the first shown copy of each text."""
    kept, first = list(kept), {}
    for i, text in enumerate("".join(text.split()) for text in page.block_texts):
        if not kept[i] or page.blocks.tokens[i] < 6 or {"blockquote", "q", "cite"} & tags_around(page, i):
            continue
        if page.blocks.flags[i] & Flag.PREFORMATTED:
            continue
        before = first.setdefault(text, i)
        hidden = [bool(page.blocks.flags[one] & Flag.HIDDEN) for one in (before, i)]
        shapes = page.elements.rows["shape"][page.blocks.element[[before, i]]]
        if shapes[0] != shapes[1]:
            kept[before if hidden == [True, False] else i] = False
            first[text] = i if hidden == [True, False] else before
    return kept


def literal_pulled(page, kept):
    """What is kept without quotations of one of the next ten blocks."""
    kept, rows, shapes = list(kept), page.tree.word_rows, page.elements.rows["shape"][page.blocks.element].tolist()
    words = [tuple(rows["number"][rows["block"] == i].tolist()) for i in range(len(kept))]
    for i, n in enumerate(page.blocks.tokens.tolist()):
        if not any(kept[j] and page.blocks.tokens[j] >= 20 and not page.blocks.rows["heading"][j] for j in range(i)):
            continue
        own = words[i]
        for j in range(i + 1, min(i + 11, len(kept))):
            is_part = any(words[j][at : at + len(own)] == own for at in range(len(words[j]) - len(own) + 1))
            if is_part and kept[j] and shapes[i] != shapes[j] and 3 * len(own) <= 2 * len(words[j]):
                is_text = not page.blocks.rows["heading"][i] and not page.blocks.flags[i] & Flag.PREFORMATTED
                kept[i] = kept[i] and not (10 <= n <= 50 and is_text and not {"ul", "ol", "dl"} & tags_around(page, i))
    return kept


@pytest.mark.parametrize("name", ["stock", "layout"])
def test_arrays_of_another_page(name):
    tree = Page.parse("<p>One.<p>Two.").tree
    with pytest.raises(ValueError, match="there are 2 blocks"):
        choose(tree, np.ones(2), **{name: np.zeros((3, 3) if name == "layout" else 3)})
    with pytest.raises(ValueError, match="there are 2 blocks"):
        choose(tree, np.zeros(3))


def literal_stock(page, chances, stock):
    """Numbers of the blocks that are of a common stock."""
    blocks, m = page.blocks, len(chances)
    tokens, slots = blocks.tokens.tolist(), blocks.rows["slot"].tolist()
    shared = [value > 0 for value in stock]
    of_stock = [tokens[i] >= 8 and shared[i] for i in range(m)]
    story = {slots[i] for i in range(m) if tokens[i] >= 8 and not of_stock[i]}

    def alone(these, i):
        return not (i > 0 and these[i - 1]) and not (i + 1 < m and these[i + 1])

    found = [
        i
        for i in range(m)
        if of_stock[i] and slots[i] not in story and not blocks.rows["own_flags"][i] & Flag.HEADING and alone(shared, i)
    ]
    whole = sum(chance * n for chance, n in zip(chances, tokens, strict=True))
    return found if sum(chances[i] * tokens[i] for i in found) <= 0.3 * whole else []


def literal_lists(page, chances):
    """Probabilities after the blocks of each list have moved to their mean."""
    element, parent = page.blocks.element.tolist(), page.elements.parent.tolist()
    tags, tokens = page.tags(), page.blocks.tokens.tolist()
    boxes = {}
    for i, own in enumerate(element):
        around = [own]
        while len(around) < 8 and parent[around[-1]] >= 0:
            around.append(parent[around[-1]])
        lists = [one for one in around if tags[one] in ("ul", "ol", "dl")]
        if lists:
            boxes.setdefault(lists[-1], []).append(i)
    moved = list(chances)
    for members in boxes.values():
        weights = [np.log1p(tokens[i]) for i in members]
        values = [chances[i] for i in members]
        mean = sum(w * v for w, v in zip(weights, values, strict=True)) / max(sum(weights), 1e-9)
        square = sum(w * v * v for w, v in zip(weights, values, strict=True)) / max(sum(weights), 1e-9)
        if square - mean**2 <= 0.04:
            for i in members:
                moved[i] = mean
    return moved


def literal(page, chances, stock, layout):
    """All rules, one after the other."""
    chances, hidden = list(chances), page.unseen_blocks.tolist()
    for i in literal_stock(page, chances, stock):
        chances[i] *= 0.3
    chances = [0 if hides else chance for chance, hides in zip(chances, hidden, strict=True)]
    for i, (outside, font, pinned) in enumerate(np.nan_to_num(layout).T.tolist()):
        chances[i] /= chances[i] + (1 - chances[i]) * np.exp(outside + 0.5 * max(-font, 0) + pinned)
    return literal_lists(page, chances)


TAGS = (
    *("<p>", "<li>", "<h3>", "<dl><dt>", "<ul><li>", "</ul>", "<ol>", "<div hidden>", "</div>", "<section>", "<b>"),
    *("<blockquote>", "</blockquote>"),
)
LONGER = f"{PROSE} It is about nothing, but for the count of its words, as is said."
TEXTS = (PROSE, LONGER, "Short.", "Some eight words or more are in this one")
LONG = st.tuples(st.sampled_from(TAGS), st.sampled_from(TEXTS)).map("".join)


@given(st.lists(LONG, max_size=16).map("".join) | SOUP | pages(), st.integers(0, 2**32 - 1))
def test_all_rules_equal_plain_loops(html, seed):
    page = Page.parse(html)
    m, rng = len(page.blocks), np.random.default_rng(seed)
    known = {
        "stock": rng.choice([0, 0.5, 1, np.nan], m).astype(np.float32),
        "layout": rng.choice([0, 0.5, -1, np.nan], (3, m)),
    }
    chances = rng.random(m)
    found = choose(page.tree, chances, **known, unseen=page.unseen_blocks)
    chosen = select_by_expected_f1(found.probability, page.blocks.tokens)[0]
    assert found.kept.tolist() == literal_pulled(page, literal_once(page, chosen.tolist()))
    assert found.probability == pytest.approx(literal(page, chances, **known), abs=1e-12)


def test_texts_that_differ_in_digits_alone_are_all_kept():
    page = Page.parse("".join(f"<div><p>{PROSE} In {n} lines.</p></div><section>" for n in (12, 13)))
    assert choose(page.tree, np.full(2, 0.9)).kept.tolist() == [True, True]


@pytest.mark.parametrize(
    ("page", "kept"),
    [
        (f"<p>{LONGER}<aside>{PROSE}</aside><p>No.<p>Then: {LONGER}", [True, False, True, True]),
        (f"<p>{LONGER}<blockquote>“{PROSE.upper()}”</blockquote><p>Then: {LONGER}", [True, False, True]),
        (f"<aside>{PROSE}</aside><p>{LONGER}", [True, True]),  # a standfirst
        (f"<p>{LONGER}<aside>{PROSE}</aside><p>No.<p>{PROSE} Yes.", [True] * 4),  # nearly all of it
        (f"<p>{LONGER}<p>{PROSE}<p>Then: {LONGER}", [True] * 3),
        (f"<p>{LONGER}<h2>{PROSE}</h2><p>Then: {LONGER}", [True] * 3),
        (f"<p>{LONGER}<ul><li>{PROSE}</ul><p>Then: {LONGER}", [True] * 3),
        (f"<p>{LONGER}<pre>{PROSE}</pre><p>Then: {LONGER}", [True] * 3),
        (f"<p>{LONGER}<aside>{PROSE}</aside>{'<p>No.' * 10}<p>Then: {LONGER}", [True] * 13),
    ],
)
def test_a_quotation_that_is_pulled_out_of_the_text_goes(page, kept):
    tree = Page.parse(page).tree
    assert choose(tree, np.full(len(kept), 0.9)).kept.tolist() == kept


# ---- the highest expected F1, against every subset ----

PROBABILITIES = st.just(0.0) | st.floats(1e-6, 1)  # smaller ones are lost in rounding
BLOCKS = st.lists(st.tuples(PROBABILITIES, st.integers(1, 50)), min_size=1, max_size=7)


@given(BLOCKS, st.sampled_from([0.4, 1.0, 2.5]))
def test_no_subset_has_a_higher_f_beta(blocks, beta):
    probability, tokens = (np.array(column) for column in zip(*blocks, strict=True))
    kept, f1 = select_by_expected_f1(probability, tokens, beta=beta)

    def expected(chosen, beta) -> float:
        chosen = list(chosen)
        hits, all_hits = (probability * tokens)[chosen].sum(), (probability * tokens).sum()
        return (1 + beta**2) * hits / max(tokens[chosen].sum() + beta**2 * all_hits, 1e-9)

    n = len(blocks)
    best = max(expected(c, beta) for size in range(1, n + 1) for c in combinations(range(n), size))
    assert expected(np.flatnonzero(kept), beta) == pytest.approx(best) or best == 0
    assert (
        f1 == pytest.approx(expected(np.flatnonzero(kept), 1)) == pytest.approx(expected_f1(kept, probability, tokens))
    )


@given(BLOCKS)
def test_the_more_recall_counts_the_more_is_kept(blocks):
    probability, tokens = (np.array(column) for column in zip(*blocks, strict=True))
    kept = [select_by_expected_f1(probability, tokens, beta=beta)[0] for beta in (0.4, 1.0, 2.5)]
    assert (kept[0] <= kept[1]).all()
    assert (kept[1] <= kept[2]).all()


def test_what_is_not_a_number_is_not_likely():
    kept, f1 = select_by_expected_f1(np.array([np.nan, 0.9]), np.array([5, 5]))
    assert kept.tolist() == [False, True]
    assert f1 == 1.0 * 2 * 4.5 / (5 + 4.5)


def test_a_table_is_kept_or_dropped_by_the_likeliest_fifth_of_its_text():
    page = Page.parse(f"<p>{PROSE}<table>" + "".join(f"<tr><td>one{n}<td>two{n}" for n in range(5)) + "</table>")
    tables = np.array([-1, *[0] * 10])
    for sure, is_kept in ((3, True), (1, False)):
        probability = np.array([0.9, *[0.8] * sure, *[0.05] * (10 - sure)])
        assert choose(page.tree, probability, tables=tables).kept.tolist() == [True, *[is_kept] * 10]
