"""Score blocks with a small network, refine with trees that see the neighbours' scores, then choose what to keep.

The kept blocks are chosen by rules outside the model, then as the set with the highest expected F.

All sums run in the same order on every machine: wide registers take several blocks or units at a time, and never split
a sum.

Sources: Tu, *Auto-context and Its Application to High-level Vision Tasks* (2008), sections 2 and 3: a classifier that
is given, beside the features, another classifier's results around each pixel. Around a block are the blocks before and
after it, its enclosing boxes, and the blocks with the same path. Prokhorenkova, Gusev, Vorobev, Dorogush, Gulin,
*CatBoost: unbiased boosting with categorical features* (2018), section 3: "oblivious" trees ask the same question at
all nodes of a depth, so that the answers are the number of the leaf.
"""

from typing import NamedTuple

import numpy as np

from cython.operator cimport dereference
from libc.math cimport exp, log1p
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset
from libcpp.algorithm cimport sort
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.utility cimport pair
from libcpp.vector cimport vector

from denoise_scrapy.core.lock cimport WORTH_BLOCKS
from denoise_scrapy.core.tree cimport (
    HEADING, HIDDEN, IS_LIST, IS_QUOTE, PREFORMATTED, BlockRow, Span, Tree, is_within,
)
from denoise_scrapy.core.wide cimport wide_void

# ---- the network ----------------------------------------------------------------------------------------------------

cdef enum:
    # Blocks that are judged together, one per lane: their values stay in the nearest cache, and compilers turn loops of
    # this length into wide instructions.
    LANES = 32
    # Inputs that a unit adds at a time.
    INPUTS = 4
    # Values are clipped to this many standard deviations from the mean: a page may hold a paragraph of a million words.
    FARTHEST = 4


cdef wide_void scale(const float* values, int32_t count, float mean, float deviation, float* out) noexcept nogil:
    """Write values of a feature in standard deviations from its mean; an unknown value counts as the mean."""
    cdef int32_t j
    cdef float value, none = 0, highest = FARTHEST, lowest = -FARTHEST
    for j in range(count):
        value = (values[j] - mean) / deviation
        value = value if value == value else none
        value = value if value < highest else highest
        out[j] = value if value > lowest else lowest


cdef inline void add_inputs(const float* inputs, int32_t n, const float* weights, float* sums) noexcept nogil:
    """Add n inputs (n, LANES) times n weights to sums (LANES,), in order; n is a multiple of INPUTS."""
    cdef float[LANES] so_far
    cdef const float* a
    cdef const float* w
    cdef int32_t i, j
    memcpy(so_far, sums, sizeof(so_far))
    for i in range(n // INPUTS):
        a, w = inputs + INPUTS * LANES * i, weights + INPUTS * i
        for j in range(LANES):
            so_far[j] = (
                so_far[j] + a[j] * w[0] + a[LANES + j] * w[1] + a[2 * LANES + j] * w[2] + a[3 * LANES + j] * w[3]
            )
    memcpy(sums, so_far, sizeof(so_far))


cdef wide_void read_layer(
    const float* inputs, int32_t n, const float* weights, const float* biases, int32_t units, float* outputs
) noexcept nogil:
    """Compute the rectified units of a layer for some blocks.

    `inputs` are of shape (n, LANES), `weights` (units, n), `outputs` (units, LANES).
    """
    cdef float[LANES] sums
    cdef int32_t unit, j
    cdef float bias, none = 0
    for unit in range(units):
        memset(sums, 0, sizeof(sums))
        add_inputs(inputs, n, weights + unit * n, sums)
        bias = biases[unit]
        for j in range(LANES):
            sums[j] += bias
            sums[j] = sums[j] if sums[j] > none else none
        memcpy(outputs + unit * LANES, sums, sizeof(sums))


cdef inline int32_t whole(int32_t n) noexcept nogil:
    """Round a number of inputs up to whole steps."""
    return (n + INPUTS - 1) // INPUTS * INPUTS


cdef vector[float] filled(object array):
    """Return an array's numbers row by row, each row padded with zeros to whole steps of inputs."""
    rows = np.atleast_2d(array)
    wide = np.zeros((len(rows), whole(rows.shape[1])), np.float32)
    wide[:, :rows.shape[1]] = rows
    return wide.ravel().tolist()


cdef class Network:
    """Two layers of rectified units and a parallel linear part, all of float32.

    `mean`, `deviation` and the weights `direct` of the n features have shape (n,); `inner` (n, a), `outer` (a, b) and
    `last` (b,) are the weights of the a and b units; each unit has a bias, and so has the sum.
    """

    cdef readonly object mean
    cdef dict _arrays
    cdef int32_t features                 # n
    cdef int32_t inner_units
    cdef int32_t outer_units
    cdef vector[float] means
    cdef vector[float] deviations
    cdef vector[float] inner_weights      # (inner units, n)
    cdef vector[float] inner_biases
    cdef vector[float] outer_weights      # (outer units, inner units)
    cdef vector[float] outer_biases
    cdef vector[float] last_weights
    cdef vector[float] direct_weights
    cdef float first_bias

    def __init__(self, mean, deviation, inner, inner_bias, outer, outer_bias, last, direct, bias):
        self._arrays = {
            "mean": mean, "deviation": deviation, "inner": inner, "inner_bias": inner_bias, "outer": outer,
            "outer_bias": outer_bias, "last": last, "direct": direct, "bias": bias,
        }
        self._arrays = {name: np.asarray(part, np.float32, order="C") for name, part in self._arrays.items()}
        self.mean, deviation, inner, inner_bias, outer, outer_bias, last, direct, bias = self._arrays.values()
        n, a, b = len(self.mean), len(inner_bias), len(outer_bias)
        shapes = [part.shape for part in self._arrays.values()]
        if shapes != [(n,), (n,), (n, a), (a,), (a, b), (b,), (b,), (n,), ()]:
            raise ValueError(f"the shapes of a network's arrays do not match: {shapes}")
        self.features, self.inner_units, self.outer_units = n, a, b
        self.means, self.deviations = filled(self.mean), filled(deviation)
        self.inner_weights, self.inner_biases = filled(inner.T), filled(inner_bias)
        self.outer_weights, self.outer_biases = filled(outer.T), filled(outer_bias)
        self.last_weights, self.direct_weights, self.first_bias = filled(last), filled(direct), bias

    def arrays(self) -> dict:
        """Return all arrays by name, for a file."""
        return dict(self._arrays)

    def __reduce__(self):
        return Network, tuple(self._arrays.values())

    def inputs(self, features) -> np.ndarray:
        """Convert features of m blocks, shape (n, m), to standard deviations from their means, shape (m, n)."""
        cdef const float[:, ::1] values = self._values(features)
        found = np.empty((values.shape[0], values.shape[1]), np.float32)
        cdef float[:, ::1] out = found
        cdef Py_ssize_t i
        if values.shape[1]:
            for i in range(values.shape[0]):
                scale(&values[i, 0], <int32_t>values.shape[1], self.means[i], self.deviations[i], &out[i, 0])
        return np.ascontiguousarray(found.T)

    def odds(self, features) -> np.ndarray:
        """Return the log odds of m blocks, shape (m,), from features of shape (n, m), NaN where unknown."""
        cdef const float[:, ::1] values = self._values(features)
        found = np.empty(values.shape[1], np.float32)
        cdef float[::1] out = found
        if out.shape[0]:
            with nogil:
                self.read_odds(&values[0, 0], <int32_t>values.shape[1], &out[0])
        return found

    def _values(self, features):
        values = np.ascontiguousarray(features, np.float32)
        if len(values) != self.features:
            raise ValueError(f"the network takes {self.features} features, got {len(values)}")
        return values

    cdef int read_odds(self, const float* features, int32_t m, float* odds) except -1 nogil:
        """Compute the log odds of m blocks from features of shape (n, m)."""
        cdef int32_t n = self.features, chunk, start, some, i, j
        cdef float[LANES] sums, direct
        cdef vector[float] inputs, inner, outer
        inputs.assign(LANES * whole(n), 0)
        inner.assign(LANES * whole(self.inner_units), 0)
        outer.assign(LANES * whole(self.outer_units), 0)
        for chunk in range((m + LANES - 1) // LANES):
            start = chunk * LANES
            some = min(m - start, LANES)
            for i in range(n):
                scale(features + <size_t>i * m + start, some, self.means[i], self.deviations[i], &inputs[LANES * i])
            read_layer(
                inputs.data(), whole(n), self.inner_weights.data(), self.inner_biases.data(), self.inner_units,
                inner.data(),
            )
            read_layer(
                inner.data(), whole(self.inner_units), self.outer_weights.data(), self.outer_biases.data(),
                self.outer_units, outer.data(),
            )
            memset(sums, 0, sizeof(sums))
            memset(direct, 0, sizeof(direct))
            add_inputs(outer.data(), whole(self.outer_units), self.last_weights.data(), sums)
            add_inputs(inputs.data(), whole(n), self.direct_weights.data(), direct)
            for j in range(some):
                odds[start + j] = sums[j] + direct[j] + self.first_bias
        return 0


# ---- surroundings of a block -----------------------------------------------------------------------------------------

cdef enum:
    # Blocks before and after in each window, and levels of boxes. Wider windows and more boxes gained nothing.
    NARROW = 1
    WIDE = 3
    LEVELS = 3
    SHARE_LEVELS = 2
    # Longer distances in blocks are clipped.
    FAR = 30

cdef enum:
    # Rows of `Neighbours.around`, one value per block.
    TOKENS = 0
    SLOT = 1              # number of its path
    IN_ORDER = 2          # the blocks in the order of their elements
    START = 3             # place in that order where the enclosing box 1 to LEVELS levels up begins
    END = 6               # where it ends
    AROUND_ROWS = 9

#: Names of the features of neighbours, in their order.
NEIGHBOUR_NAMES = (
    "first_odds",
    *(f"first_window{width}" for width in (NARROW, WIDE)),
    *(f"first_up{level}" for level in range(1, LEVELS + 1)),
    *(f"first_share_up{level}" for level in range(1, SHARE_LEVELS + 1)),
    "first_path",
    "first_before",
    "first_from_best",
    "first_page_share",
    "first_page_tokens",
)
cdef enum:
    NEIGHBOUR_ROWS = 13

cdef struct Judged:       # sums of first judgements over some blocks
    double judged         # probability times weight; the weight is the logarithm of the block's length
    double weight
    double expected       # tokens expected to be kept


cdef inline double mean_between(const Judged* start, const Judged* end) noexcept nogil:
    """Return the mean judgement between two running sums."""
    return (end.judged - start.judged) / (end.weight - start.weight + 1e-3)


cdef inline void add(const Judged* left, const Judged* right, Judged* total) noexcept nogil:
    total.judged = left.judged + right.judged
    total.weight = left.weight + right.weight
    total.expected = left.expected + right.expected


cdef inline double mean_around(const vector[Judged]& running, int32_t block, int32_t width) noexcept nogil:
    """Return the mean judgement of a block and a number of blocks before and after it."""
    return mean_between(
        &running[max(block - width, 0)], &running[min(block + width + 1, <int32_t>running.size() - 1)]
    )


cdef int find_around(Tree tree, int32_t[:, ::1] rows) except -1 nogil:
    """Write the rows of `Neighbours.around`; blocks are in element order, so that boxes are ranges of them."""
    cdef size_t m = tree.blocks.size(), n = tree.elements.size(), i
    cdef int32_t level, element
    cdef vector[int32_t] before, place
    before.assign(n + 1, 0)           # blocks of the elements before each
    for i in range(m):
        before[tree.blocks[i].element + 1] += 1
    for i in range(n):
        before[i + 1] += before[i]
    place = before
    for i in range(m):
        element = tree.blocks[i].element
        rows[TOKENS, i] = tree.blocks[i].tokens
        rows[SLOT, i] = tree.blocks[i].slot
        rows[IN_ORDER, place[element]] = <int32_t>i
        place[element] += 1
        for level in range(LEVELS):
            if tree.elements[element].parent >= 0:
                element = tree.elements[element].parent
            rows[START + level, i] = before[element]
            rows[END + level, i] = before[tree.elements[element].end]
    return 0


cdef class Neighbours:
    """The surroundings of each of a page's m blocks, `around`: int32 of shape (9, m), rows as above; can be pickled."""

    cdef readonly object around   # int32, shape (9, m): see `model.pyx`
    cdef const int32_t[:, ::1] rows

    def __init__(self, around):
        self.around = np.array(around, np.int32, order="C")  # checked below, so nobody may change it
        self.around.setflags(write=False)
        self.rows = self.around
        m = self.rows.shape[1]
        if len(self.around) != AROUND_ROWS or m and not (
            self.around.min() >= 0 and self.around[SLOT:START].max() < m and self.around[START:].max() <= m
        ):
            raise ValueError("these are not the neighbours of blocks")

    @staticmethod
    def of(Tree tree not None) -> Neighbours:
        """Return the neighbours of a page's blocks."""
        cdef Neighbours found = Neighbours.__new__(Neighbours)
        found.around = np.empty((AROUND_ROWS, tree.blocks.size()), np.int32)
        cdef int32_t[:, ::1] rows = found.around
        found.around.setflags(write=False)
        found.rows = rows
        if tree.blocks.size() < WORTH_BLOCKS:
            find_around(tree, rows)
        else:
            with nogil:
                find_around(tree, rows)
        return found

    def __reduce__(self):
        return Neighbours, (self.around,)

    def __len__(self) -> int:
        return self.rows.shape[1]

    def features(self, odds) -> np.ndarray:
        """Return the features from the first log odds, rows as in `NEIGHBOUR_NAMES`, shape (rows, m).

        Means are weighted by the logarithm of a block's length; shares are of the text expected to be kept.
        """
        cdef const float[::1] first = np.ascontiguousarray(odds, np.float32)
        if first.shape[0] != self.rows.shape[1]:
            raise ValueError(f"expected {self.rows.shape[1]} odds, got {first.shape[0]}")
        found = np.empty((NEIGHBOUR_ROWS, first.shape[0]), np.float32)
        cdef float[:, ::1] out = found
        if out.shape[1]:
            with nogil:
                self.read_features(&first[0], &out[0, 0])
        return found

    cdef int read_features(self, const float* odds, float* features) except -1 nogil:
        """Write the features, rows as in `NEIGHBOUR_NAMES`."""
        cdef const int32_t[:, ::1] rows = self.rows
        cdef int32_t m = <int32_t>rows.shape[1], i, level, start, end, best = 0
        cdef int64_t tokens = 0
        cdef double whole, most = -1
        cdef Judged none
        cdef vector[Judged] own, in_line, in_order, of_path
        cdef Judged* sums
        none.judged = none.weight = none.expected = 0
        own.resize(m)
        in_line.assign(m + 1, none)   # running sums over the blocks in page order …
        in_order.assign(m + 1, none)  # … and in the order of their elements
        of_path.assign(m, none)       # sums of each path
        for i in range(m):
            own[i].weight = log1p(rows[TOKENS, i])
            own[i].judged = own[i].weight / (1 + exp(-<double>odds[i]))
            own[i].expected = rows[TOKENS, i] / (1 + exp(-<double>odds[i]))
            tokens += rows[TOKENS, i]
            if own[i].expected > most:
                best, most = i, own[i].expected
        for i in range(m):
            add(&in_line[i], &own[i], &in_line[i + 1])
            add(&in_order[i], &own[rows[IN_ORDER, i]], &in_order[i + 1])
            sums = &of_path[rows[SLOT, i]]
            add(sums, &own[i], sums)
        whole = max(in_line[m].expected, 1e-6)
        for i in range(m):
            features[0 * m + i] = odds[i]
            features[1 * m + i] = mean_around(in_line, i, NARROW)
            features[2 * m + i] = mean_around(in_line, i, WIDE)
            for level in range(LEVELS):
                start, end = rows[START + level, i], rows[END + level, i]
                features[(3 + level) * m + i] = mean_between(&in_order[start], &in_order[end])
                if level < SHARE_LEVELS:
                    features[(6 + level) * m + i] = (in_order[end].expected - in_order[start].expected) / whole
            features[8 * m + i] = mean_between(&none, &of_path[rows[SLOT, i]])
            features[9 * m + i] = in_line[i].expected / whole
            features[10 * m + i] = min(max(i - best, -FAR), FAR)
            features[11 * m + i] = whole / max(tokens, 1)
            features[12 * m + i] = log1p(whole)
        return 0


# ---- the trees ------------------------------------------------------------------------------------------------------

cdef enum:
    # Depth of a tree: the number of a leaf is a byte. Shallower trees first ask a question that is false for every
    # block.
    DEPTH = 8


cdef struct Question:             # whether a feature is above a threshold; sorted by feature
    int32_t feature
    float threshold


cdef wide_void answer(const float* values, const Question* questions, size_t count, uint8_t* answers) noexcept nogil:
    """Write, for each question, 1 for each value above its threshold, else 0."""
    cdef size_t q
    cdef int32_t j
    cdef float threshold
    for q in range(count):
        threshold = questions[q].threshold
        for j in range(LANES):
            answers[q * LANES + j] = values[j] > threshold


cdef inline void find_leaves(const uint8_t* answers, const int32_t* asked, uint8_t* leaves) noexcept nogil:
    """Write the number of each block's leaf: the answers to the tree's questions, bit by bit."""
    cdef const uint8_t* a = answers + asked[0] * LANES
    cdef const uint8_t* b = answers + asked[1] * LANES
    cdef const uint8_t* c = answers + asked[2] * LANES
    cdef const uint8_t* d = answers + asked[3] * LANES
    cdef const uint8_t* e = answers + asked[4] * LANES
    cdef const uint8_t* f = answers + asked[5] * LANES
    cdef const uint8_t* g = answers + asked[6] * LANES
    cdef const uint8_t* h = answers + asked[7] * LANES
    cdef uint8_t number
    cdef int32_t j
    # all processors double and add many bytes at a time; compilers would turn a loop over the depths inside out, three
    # times as slow
    for j in range(LANES):
        number = a[j] + a[j] + b[j]
        number += number + c[j]
        number += number + d[j]
        number += number + e[j]
        number += number + f[j]
        number += number + g[j]
        number += number + h[j]
        leaves[j] = number


cdef wide_void add_trees(
    const uint8_t* answers, const int32_t* asked, size_t trees, const float* values, int32_t leaves, float* odds
) noexcept nogil:
    """Add the values of the blocks' leaves, tree by tree."""
    cdef uint8_t[LANES] leaf
    cdef float[LANES] sums
    cdef size_t tree
    cdef int32_t j
    memset(sums, 0, sizeof(sums))
    for tree in range(trees):
        find_leaves(answers, asked + tree * DEPTH, leaf)
        for j in range(LANES):
            sums[j] += values[leaf[j]]
        values += leaves
    memcpy(odds, sums, sizeof(sums))


cdef class Forest:
    """t trees of depth d, at most 8.

    Depth i of a tree asks whether its `feature`, int16, is above its `threshold`, float32, both of shape (t, d); an
    unknown value is not. The answer is bit d - 1 - i of the leaf's number. The leaf's `value` is added to the log odds:
    float32, shape (t, 2 ** d).
    """

    cdef readonly object feature
    cdef readonly object threshold
    cdef readonly object value
    cdef int32_t leaves           # of a tree
    cdef int32_t features         # the minimum number of features it can be applied to
    cdef vector[Question] questions
    cdef vector[int32_t] asked    # number of the question at each depth of each tree, (t, DEPTH)
    cdef vector[float] values     # (t, leaves)

    def __init__(self, feature, threshold, value):
        self.feature = np.ascontiguousarray(feature, np.int16)
        self.threshold = np.ascontiguousarray(threshold, np.float32)
        self.value = np.ascontiguousarray(value, np.float32)
        t, d = self.feature.shape
        if d > DEPTH or self.threshold.shape != (t, d) or self.value.shape != (t, 1 << d) or (
            self.feature.size and self.feature.min() < 0
        ):
            raise ValueError(f"values of shape {self.value.shape} do not match {t} trees of depth {d}")
        self.features = int(self.feature.max(initial=-1)) + 1
        self.values, self.leaves = self.value.ravel().tolist(), 1 << d
        asked = np.array([self.feature.ravel(), self.threshold.ravel()], np.float64)
        once, number = np.unique(asked, axis=1, return_inverse=True)
        self.questions = [{"feature": int(feature), "threshold": limit} for feature, limit in once.T.tolist()]
        padded = np.full((t, DEPTH), len(self.questions), np.int32)  # of the answers after the last, which are 0
        padded[:, DEPTH - d:] = number.reshape(t, d)
        self.asked = padded.ravel().tolist()

    def arrays(self) -> dict:
        """Return all arrays by name, for a file: values at half precision."""
        return {"feature": self.feature, "threshold": self.threshold, "value": self.value.astype(np.float16)}

    def __reduce__(self):
        return Forest, (self.feature, self.threshold, self.value)

    def probability(self, features) -> np.ndarray:
        """Return the probability of each of m blocks, shape (m,), from features, shape (any, m), NaN where unknown."""
        cdef const float[:, ::1] values = np.ascontiguousarray(features, np.float32)
        if values.shape[0] < self.features:
            raise ValueError(f"the trees need {self.features} features, got {values.shape[0]}")
        found = np.empty(values.shape[1])
        cdef double[::1] out = found
        if out.shape[0]:
            with nogil:
                self.read_probability(&values[0, 0], <int32_t>values.shape[1], &out[0])
        return found

    cdef int read_probability(self, const float* features, int32_t m, double* probability) except -1 nogil:
        """Compute the probabilities of m blocks: first the answers to all questions, then the leaves."""
        cdef int32_t chunk, start, some, feature, j
        cdef size_t q, first  # of a feature's questions
        cdef vector[uint8_t] answers
        cdef float[LANES] row, odds
        answers.assign((self.questions.size() + 1) * LANES, 0)
        memset(row, 0, sizeof(row))
        for chunk in range((m + LANES - 1) // LANES):
            start = chunk * LANES
            some = min(m - start, LANES)
            q = 0
            while q < self.questions.size():
                feature, first = self.questions[q].feature, q
                while q < self.questions.size() and self.questions[q].feature == feature:
                    q += 1
                memcpy(row, features + <size_t>feature * m + start, some * sizeof(float))
                answer(row, &self.questions[first], q - first, &answers[first * LANES])
            add_trees(
                answers.data(), self.asked.data(), self.asked.size() // DEPTH, self.values.data(), self.leaves, odds
            )
            for j in range(some):
                probability[start + j] = 1 / (1 + exp(-<double>odds[j]))
        return 0


def judge(
    Network network not None, Forest forest not None, Neighbours neighbours not None, features
) -> tuple:
    """Return the probability of each of m blocks, and its log odds from the network alone, shape (m,) each.

    The trees use the features, and the neighbour features computed from the network's odds.

    Args:
        network: The first judgement.
        forest: The second one, over the n features and those of `NEIGHBOUR_NAMES`.
        neighbours: The surroundings of the blocks.
        features: Shape (n, m), NaN where unknown.

    Raises:
        ValueError: The shapes do not match.
    """
    values = network._values(features)
    n, m = values.shape
    if m != len(neighbours) or forest.features > n + NEIGHBOUR_ROWS:
        raise ValueError(f"features of shape {values.shape} do not match {len(neighbours)} blocks")
    seen, odds, found = np.empty((n + NEIGHBOUR_ROWS, m), np.float32), np.empty(m, np.float32), np.empty(m)
    seen[:n] = values
    cdef float[:, ::1] all_features = seen
    cdef float[::1] first = odds
    cdef double[::1] second = found
    cdef int32_t blocks = m, known = n
    if blocks:
        with nogil:
            network.read_odds(&all_features[0, 0], blocks, &first[0])
            neighbours.read_features(&first[0], &all_features[known, 0])
            forest.read_probability(&all_features[0, 0], blocks, &second[0])
    return found, odds


# ---- the choice -----------------------------------------------------------------------------------------------------

cdef enum:
    # On pages of up to this many blocks, text that every comparison page has in the same place is less probable: the
    # model, fitted on whole pages, is unsure about it. No corpus has such pages, but demos, tests and error pages do.
    FEW = 10
    # Minimum tokens of a text that may be stock, see `lower_stock`.
    STOCK_TOKENS = 8
    # Levels above a block that are searched for a list.
    LIST_LEVELS = 8
    # A text of at least this many tokens is kept once: shorter ones are prices, names, buttons. F1 of pages that
    # readers labelled +.004, `single` +.0035, `wcxb` +.003; forums whose truth repeats every copy -.009.
    ONCE_TOKENS = 6

cdef double REPEATED_FACTOR = 0.4, EVERY = 0.99
#: A text of at least this many tokens that another page has too is stock, an advertisement or an appeal, if the texts
#: beside it are the page's own; or at least the long ones, if this share of the pages' text in its place is shared,
#: over so many pages: in five threads of a forum two greetings are alike by chance. The model has a feature for it
#: (`features`, "stock"), but hardly any recorded site has the pages to train it. Portal +.013, no corpus -.001; if
#: texts beside it may be shared too, wcxb -.024 (variants of a product share their description). If it were more than a
#: share of the text to be kept, it would be the page.
cdef double STOCK_FACTOR = 0.3, STOCK_SHARE = 0.3, STOCK_PLACE = 0.7
#: Pages needed for that.
STOCK_PAGES = 10
#: A list whose probabilities have at most this standard deviation is kept or dropped whole: mean F1 on publishers left
#: out +.001, `wcxb` +.008; .15 gains a third of that, .25 the same. Tables and sections gain nothing, similar boxes
#: within one box lose.
cdef double AGREE = 0.2
#: The blocks of a list without links are at least this share as probable as the text right above it in the same box: an
#: introduction or a heading without its list is half a text.
cdef double OF_ABOVE = 0.5
#: A table of data is kept or dropped whole: each of its blocks has the probability that a fifth of its text reaches. F1
#: of 174 recorded pages with tables .8786; .8752 with the mean, as tables of prices and results have few sure cells;
#: .8669 if most of the text has to be kept by itself, which drops posts and the tables of lists.
cdef double TABLE_SHARE = 0.2
#: Log odds that layout subtracts from a block: for lying entirely beside the main column; for each halving of the font
#: size; for being pinned to the screen. No corpus of the study changes by .003 (docs/figures.md); twice as much costs
#: .004 on dragnet, whose pages have lost their style sheets. Fitted weights came out near zero.
cdef double BESIDE = 1.0, SMALLER = 0.5, PINNED = 1.0


cdef int lower_repeated(Tree tree, double[::1] probability, const float[::1] in_place) except -1 nogil:
    """On pages of few blocks, lower what every comparison page has in the same place, except headings."""
    cdef int32_t i, m = <int32_t>tree.blocks.size()
    if m <= FEW:
        for i in range(m):
            if in_place[i] >= EVERY and not tree.blocks[i].own_flags & HEADING:
                probability[i] *= REPEATED_FACTOR
    return 0


cdef struct Stock:
    bint is_long
    bint is_shared        # another page has the text too
    bint is_known         # most of the pages' text in its place is shared
    bint is_lowered


cdef inline bint is_stock(const Stock* text) noexcept nogil:
    return text.is_long and (text.is_shared or text.is_known)


cdef int lower_stock(
    Tree tree, double[::1] probability, const float[::1] stock, const double[::1] place
) except -1 nogil:
    """Lower a text, other than a heading, that another page has too, if the texts beside it are the page's own.

    Not if the page's own texts are under the same path: stories repeat paragraphs of earlier ones. In a place of stock
    a text is lowered even if no other page has it.
    """
    cdef const BlockRow* block
    cdef const Stock* before
    cdef const Stock* after
    cdef Stock* text
    cdef vector[Stock] texts
    cdef vector[bint] of_story    # by path
    cdef double expected = 0, lowered = 0
    cdef int32_t i, m = <int32_t>tree.blocks.size()
    texts.resize(m + 2)  # one before the first and one after the last
    of_story.resize(m)
    for i in range(m):
        block, text = &tree.blocks[i], &texts[i + 1]
        text.is_long, text.is_shared = block.tokens >= STOCK_TOKENS, stock[i] > 0
        text.is_known = place[i] >= STOCK_PLACE
        if text.is_long and not is_stock(text):
            of_story[block.slot] = True
        expected += probability[i] * block.tokens
    for i in range(m):
        block, before, text, after = &tree.blocks[i], &texts[i], &texts[i + 1], &texts[i + 2]
        if not is_stock(text) or of_story[block.slot] or block.own_flags & HEADING:
            continue
        text.is_lowered = (text.is_shared and not before.is_shared and not after.is_shared) or (
            text.is_known and not is_stock(before) and not is_stock(after)
        )
        if text.is_lowered:
            lowered += probability[i] * block.tokens
    if lowered <= STOCK_SHARE * expected:
        for i in range(m):
            if texts[i + 1].is_lowered:
                probability[i] *= STOCK_FACTOR
    return 0


cdef inline double known(double value) noexcept nogil:
    """Return a value, 0 if unknown."""
    return value if value == value else 0


cdef int lower_beside(double[::1] probability, const double[:, ::1] layout) except -1 nogil:
    """Lower blocks off the main column of a rendered page; unknown values change nothing."""
    cdef double loss
    cdef Py_ssize_t i
    for i in range(probability.shape[0]):
        loss = BESIDE * known(layout[0, i]) + SMALLER * max(-known(layout[1, i]), 0.0) + PINNED * known(layout[2, i])
        probability[i] /= probability[i] + (1 - probability[i]) * exp(loss)
    return 0


cdef int32_t outermost_list(Tree tree, int32_t element) noexcept nogil:
    """Return the outermost list within a few levels around a block's element, -1 for none."""
    cdef int32_t level, found = -1
    for level in range(LIST_LEVELS):
        if element < 0:
            break
        if tree.tokens[tree.elements[element].token].kind & IS_LIST:
            found = element
        element = tree.elements[element].parent
    return found


cdef struct Listed:               # sums over a list's blocks; weights are logarithms of block lengths
    double weight
    int32_t link_chars
    double above          # probability of the text above it in the same box, 0 for none
    double probability
    double square


cdef inline bint is_beside(Tree tree, int32_t element, int32_t other) noexcept nogil:
    """Return whether two elements are in the same box."""
    return tree.elements[element].parent == tree.elements[other].parent


cdef int move_to_list(Tree tree, double[::1] probability) except -1 nogil:
    """Move the blocks of a list to their mean, if they agree, and up to the text above: half of either is worse."""
    cdef vector[int32_t] box      # the list of each block
    cdef vector[Listed] lists     # by element
    cdef Listed* one
    cdef double weight, mean
    cdef int32_t i, m = <int32_t>tree.blocks.size()
    lists.resize(tree.elements.size())
    for i in range(m):
        box.push_back(outermost_list(tree, tree.blocks[i].element))
        if box[i] >= 0:
            one, weight = &lists[box[i]], log1p(tree.blocks[i].tokens)
            if i and box[i - 1] != box[i] and is_beside(tree, tree.blocks[i - 1].element, box[i]):
                one.above = probability[i - 1]
            one.link_chars += tree.blocks[i].link_chars
            one.weight += weight
            one.probability += probability[i] * weight
            one.square += probability[i] * probability[i] * weight
    for i in range(m):
        if box[i] >= 0:
            one = &lists[box[i]]
            weight = max(one.weight, 1e-9)
            mean = one.probability / weight
            if one.square / weight - mean * mean <= AGREE * AGREE:
                probability[i] = mean
            if one.link_chars == 0:
                probability[i] = max(probability[i], OF_ABOVE * one.above)
    return 0


cdef int move_to_table(
    Tree tree, double[::1] probability, const int32_t[::1] tables, const uint8_t[::1] unseen
) except -1 nogil:
    """Give the blocks of each table, except unseen ones, the probability that a share of its text reaches."""
    cdef unordered_map[int32_t, double] left    # tokens of each table until that probability
    cdef vector[pair[double, int32_t]] ranked
    cdef pair[double, int32_t] one
    cdef unordered_map[int32_t, double] found
    cdef int32_t i, m = <int32_t>tree.blocks.size()
    for i in range(m):
        if tables[i] >= 0 and not unseen[i]:
            left[tables[i]] += TABLE_SHARE * (1 + tree.blocks[i].tokens)
            one.first, one.second = -probability[i], i
            ranked.push_back(one)
    sort(ranked.begin(), ranked.end())
    for one in ranked:
        if left[tables[one.second]] > 0:
            found[tables[one.second]] = -one.first
            left[tables[one.second]] -= 1 + tree.blocks[one.second].tokens
    for one in ranked:
        probability[one.second] = found[tables[one.second]]
    return 0


cdef double select(
    const double[::1] probability, const vector[int32_t]& tokens, double beta, uint8_t[::1] kept
) except -1 nogil:
    """Keep the most probable blocks, as many as maximise the expected F_beta; return the expected F1.

    Equal ones, such as those of a list or table, are kept or dropped together.
    """
    cdef vector[pair[double, int32_t]] ranked
    cdef pair[double, int32_t] one
    cdef double whole = 0, expected = 0, chosen = 0, f, highest = -1, f1 = 0
    cdef size_t i, best = 0
    for i in range(tokens.size()):
        one.first, one.second = -known(probability[i]), <int32_t>i  # of equals the first comes first
        ranked.push_back(one)
    sort(ranked.begin(), ranked.end())
    for i in range(ranked.size()):
        whole -= ranked[i].first * tokens[ranked[i].second]
    for i in range(ranked.size()):
        expected -= ranked[i].first * tokens[ranked[i].second]
        chosen += tokens[ranked[i].second]
        if i + 1 < ranked.size() and ranked[i + 1].first == ranked[i].first:
            continue
        f = expected / max(chosen + beta * beta * whole, 1e-9)
        if f > highest:
            highest, best, f1 = f, i, 2 * expected / max(chosen + whole, 1e-9)
    for i in range(ranked.size()):
        kept[ranked[i].second] = f1 > 0 and i <= best
    return f1


cdef bint is_same_text(const string& text, Span a, Span b) noexcept nogil:
    """Return whether two pieces of text are equal, ignoring marks of elements and white space."""
    cdef int32_t i = a.start, j = b.start
    while True:
        while i < a.end and <unsigned char>text[i] <= 32:
            i += 1
        while j < b.end and <unsigned char>text[j] <= 32:
            j += 1
        if i == a.end or j == b.end:
            return i == a.end and j == b.end
        if text[i] != text[j]:
            return False
        i += 1
        j += 1


cdef int keep_once(Tree tree, const int32_t[::1] tables, uint8_t[::1] kept) except -1 nogil:
    """Of equal texts in different places, keep the first visible one: captions, menus for small screens.

    Within one place, whatever its ids, a repetition is intended, as a refrain, a row of a table or a step in several
    sections of a manual; so are quotations, commands and cells of data.
    """
    cdef unordered_map[uint64_t, int32_t] first
    cdef unordered_map[uint64_t, int32_t].iterator found
    cdef const BlockRow* block
    cdef const BlockRow* before
    cdef int32_t i, m = <int32_t>tree.blocks.size()
    for i in range(m):
        block = &tree.blocks[i]
        if not kept[i] or block.tokens < ONCE_TOKENS or is_within(tree, block.element, IS_QUOTE) or (
                tables[i] >= 0 or block.flags & PREFORMATTED):
            continue
        found = first.find(block.text_hash)
        if found == first.end():
            first[block.text_hash] = i
            continue
        before = &tree.blocks[dereference(found).second]
        if tree.elements[before.element].shape == tree.elements[block.element].shape or not is_same_text(
                tree.text, before.text, block.text):
            continue
        if before.flags & HIDDEN and not block.flags & HIDDEN:
            kept[dereference(found).second] = False
            first[block.text_hash] = i
        else:
            kept[i] = False
    return 0


def _filled(values, dtype, size_t m):
    """Return values as an array of m; None becomes zeros, which change nothing."""
    if values is None:
        return np.zeros(m, dtype)
    found = np.ascontiguousarray(values, dtype)
    if found.shape != (m,):
        raise ValueError(f"there are {m} blocks, got values of shape {found.shape}")
    return found


class Choice(NamedTuple):
    """The kept blocks of m and their probabilities after the rules, shape (m,) each, and the expected F1."""

    kept: np.ndarray
    probability: np.ndarray
    f1: float


cdef double choose_blocks(
    Tree tree, double[::1] chances, const float[::1] repeated, const float[::1] shared, const double[::1] places,
    const double[:, ::1] lies, const uint8_t[::1] unseen, const int32_t[::1] tables, double beta, uint8_t[::1] kept
) except? -1 nogil:
    """Apply the rules, then choose; arguments as in `choose`."""
    cdef int32_t i
    cdef vector[int32_t] tokens
    cdef double f1
    for i in range(<int32_t>tree.blocks.size()):
        tokens.push_back(tree.blocks[i].tokens)
    lower_repeated(tree, chances, repeated)
    lower_stock(tree, chances, shared, places)
    for i in range(<int32_t>tree.blocks.size()):
        if unseen[i]:
            chances[i] = 0
    if lies.shape[1]:
        lower_beside(chances, lies)
    move_to_list(tree, chances)
    move_to_table(tree, chances, tables, unseen)
    f1 = select(chances, tokens, beta, kept)
    keep_once(tree, tables, kept)
    return f1


def choose(
    Tree tree not None, probability, *, in_place=None, stock=None, place=None, layout=None, unseen=None, tables=None,
    double beta=1.0,
) -> Choice:
    """Choose the blocks of a page to keep, from the model's probabilities and the rules of this module.

    Args:
        tree: The page of m blocks.
        probability: The model's probability of each block, shape (m,).
        in_place: The feature "repeated_in_place", shape (m,).
        stock: The feature "stock", shape (m,).
        place: `sharing.Shared.slot_share`, for pages with `STOCK_PAGES` comparison pages, shape (m,).
        layout: Position of each block (`BlockLayout`: outside, font, pinned) on a rendered page, shape (3, m).
        unseen: Whether nothing shows each block, so that it is never kept, shape (m,).
        tables: The table of data around each block, -1 for none, shape (m,); each is kept whole or dropped.
        beta: How many times as much recall counts as precision.

    Raises:
        ValueError: An array has the wrong shape.
    """
    m = tree.blocks.size()
    found, kept = np.array(probability, np.float64), np.zeros(m, np.bool_)
    cdef double[::1] chances = _filled(found, np.float64, m)
    cdef const float[::1] repeated = _filled(in_place, np.float32, m)
    cdef const float[::1] shared = _filled(stock, np.float32, m)
    cdef const uint8_t[::1] hidden = _filled(unseen, np.uint8, m)
    cdef const int32_t[::1] of_table = np.full(m, -1, np.int32) if tables is None else _filled(tables, np.int32, m)
    cdef const double[::1] places = _filled(place, np.float64, m)
    cdef const double[:, ::1] lies = np.zeros((3, 0)) if layout is None else np.ascontiguousarray(layout, np.float64)
    cdef uint8_t[::1] chosen = kept.view(np.uint8)
    cdef double f1
    if layout is not None and (lies.shape[0] != 3 or lies.shape[1] != <Py_ssize_t>m):
        raise ValueError(f"there are {m} blocks, got a layout of shape {np.shape(layout)}")
    if m < WORTH_BLOCKS:
        f1 = choose_blocks(tree, chances, repeated, shared, places, lies, hidden, of_table, beta, chosen)
    else:
        with nogil:
            f1 = choose_blocks(tree, chances, repeated, shared, places, lies, hidden, of_table, beta, chosen)
    return Choice(kept, found, f1)


def select_by_expected_f1(probability, tokens, *, double beta=1.0) -> tuple:
    """Return the most probable blocks, as many as maximise the expected F_beta, and their expected F1.

    With calibrated probabilities the threshold adapts: about .5 on a page with confident blocks, .2 to .3 otherwise. No
    fixed threshold did as well on five corpora at once. All arrays have shape (m,).

    Example:
        >>> kept, f1 = select_by_expected_f1(np.array([0.1, 0.9, 0.8]), np.array([10, 50, 40]))
        >>> kept.tolist(), round(f1, 2)
        ([False, True, True], 0.92)
    """
    kept = np.zeros(len(probability), np.bool_)
    cdef const double[::1] chances = _filled(probability, np.float64, len(probability))
    cdef vector[int32_t] lengths = _filled(tokens, np.int32, len(probability)).tolist()
    cdef uint8_t[::1] chosen = kept.view(np.uint8)
    return kept, select(chances, lengths, beta, chosen)


def expected_f1(kept, probability, tokens) -> float:
    """Return the expected F1 of any choice among m blocks, from probabilities and tokens, shape (m,) each."""
    expected = np.asarray(probability) * tokens
    return float(2 * expected[kept].sum() / max(np.asarray(tokens)[kept].sum() + expected.sum(), 1e-9))
