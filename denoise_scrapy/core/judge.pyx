# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Score blocks with small networks, and refine with trees that see the neighbours' scores.

All sums run in the same order on every machine: wide registers take several blocks or units at a time, and never split
a sum.

Sources: Tu, *Auto-context and Its Application to High-level Vision Tasks* (2008), sections 2 and 3: a classifier that
is given, beside the features, another classifier's results around each pixel. Around a block are the blocks before and
after it, its enclosing boxes, and the blocks with the same path. Prokhorenkova, Gusev, Vorobev, Dorogush, Gulin,
*CatBoost: unbiased boosting with categorical features* (2018), section 3: "oblivious" trees ask the same question at
all nodes of a depth, so that the answers are the number of the leaf.
"""

import numpy as np

from libc.math cimport NAN, exp, log1p
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memcpy, memset
from libcpp.vector cimport vector

from denoise_scrapy.core.arrays cimport DoublesOut, FloatRowsOut, Floats
from denoise_scrapy.core.tree cimport HEADING, Tree
from denoise_scrapy.core.wide cimport wide_void

# ---- the network ----------------------------------------------------------------------------------------------------

cdef enum:
    # Blocks that are judged together, one per lane: their values stay in the nearest cache, and compilers turn loops of
    # this length into wide instructions.
    LANES = 32
    # Inputs that a unit adds at a time.
    INPUTS = 4

cpdef enum:
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
    cdef:
        float[LANES] so_far
        const float* a
        const float* w
        int32_t i, j
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
    cdef:
        float[LANES] sums
        int32_t unit, j
        float bias, none = 0
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
    rows = array.reshape(-1, array.shape[array.ndim - 1])
    wide = np.zeros((len(rows), whole(rows.shape[1])), np.float32)
    wide[:, :rows.shape[1]] = rows
    return wide.ravel().tolist()


cdef class Network:
    """The mean of k networks: two layers of rectified units each, and a linear part for all, of float32.

    `mean`, `deviation` and the weights `direct` of the n features have shape (n,); `inner` (k, n, a), `outer` (k, a, b)
    and `last` (k, b) are the weights of the a and b units; each unit has a bias, and so has the sum.
    """

    cdef:
        readonly object mean
        dict _arrays
        int32_t features                 # n
        int32_t networks                 # k
        int32_t inner_units              # of each
        int32_t outer_units
        vector[float] means
        vector[float] deviations
        vector[float] inner_weights      # (networks, inner units, n)
        vector[float] inner_biases
        vector[float] outer_weights      # (networks, outer units, inner units)
        vector[float] outer_biases
        vector[float] last_weights
        vector[float] direct_weights
        float first_bias

    def __init__(self, mean, deviation, inner, inner_bias, outer, outer_bias, last, direct, bias):
        self._arrays = {
            "mean": mean, "deviation": deviation, "inner": inner, "inner_bias": inner_bias, "outer": outer,
            "outer_bias": outer_bias, "last": last, "direct": direct, "bias": bias,
        }
        self._arrays = {name: np.asarray(part, np.float32, order="C") for name, part in self._arrays.items()}
        self.mean, deviation, inner, inner_bias, outer, outer_bias, last, direct, bias = self._arrays.values()
        n, (k, a), b = len(self.mean), np.atleast_2d(inner_bias).shape, np.atleast_2d(outer_bias).shape[1]
        shapes = [part.shape for part in self._arrays.values()]
        if shapes != [(n,), (n,), (k, n, a), (k, a), (k, a, b), (k, b), (k, b), (n,), ()]:
            raise ValueError(f"the shapes of a network's arrays do not match: {shapes}")
        self.features, self.networks, self.inner_units, self.outer_units = n, k, a, b
        self.means, self.deviations = filled(self.mean), filled(deviation)
        self.inner_weights, self.inner_biases = filled(inner.swapaxes(1, 2)), filled(inner_bias)
        self.outer_weights, self.outer_biases = filled(outer.swapaxes(1, 2)), filled(outer_bias)
        self.last_weights, self.direct_weights, self.first_bias = filled(last), filled(direct), bias

    def arrays(self) -> dict:
        """Return all arrays by name, for a file."""
        return dict(self._arrays)

    def __reduce__(self):
        return Network, tuple(self._arrays.values())

    def odds(self, features) -> np.ndarray:
        """Return the log odds of m blocks, shape (m,), from features of shape (n, m), NaN where unknown."""
        cdef const float[:, ::1] values = np.ascontiguousarray(features, np.float32)
        if values.shape[0] != self.features:
            raise ValueError(f"the network takes {self.features} features, got {values.shape[0]}")
        found = np.empty(values.shape[1], np.float32)
        cdef float[::1] out = found
        if out.shape[0]:
            with nogil:
                self.read_odds(&values[0, 0], values.shape[1], &out[0])
        return found

    cdef int read_odds(self, const float* features, int32_t m, float* odds) except -1 nogil:
        """Compute the log odds of m blocks from features of shape (n, m)."""
        cdef:
            int32_t n = self.features, a = self.inner_units, b = self.outer_units, chunk, start, some, i, j
            float[LANES] sums, direct
            vector[float] inputs, inner, outer
        inputs.assign(LANES * whole(n), 0)
        inner.assign(LANES * whole(a), 0)
        outer.assign(LANES * whole(b), 0)
        for chunk in range((m + LANES - 1) // LANES):
            start = chunk * LANES
            some = min(m - start, LANES)
            for i in range(n):
                scale(features + <size_t>i * m + start, some, self.means[i], self.deviations[i], &inputs[LANES * i])
            memset(sums, 0, sizeof(sums))
            memset(direct, 0, sizeof(direct))
            for i in range(self.networks):
                read_layer(
                    inputs.data(), whole(n), &self.inner_weights[i * a * whole(n)], &self.inner_biases[i * whole(a)], a,
                    inner.data(),
                )
                read_layer(
                    inner.data(), whole(a), &self.outer_weights[i * b * whole(a)], &self.outer_biases[i * whole(b)], b,
                    outer.data(),
                )
                add_inputs(outer.data(), whole(b), &self.last_weights[i * whole(b)], sums)
            add_inputs(inputs.data(), whole(n), self.direct_weights.data(), direct)
            for j in range(some):
                odds[start + j] = sums[j] / self.networks + direct[j] + self.first_bias


# ---- surroundings of a block -----------------------------------------------------------------------------------------

cdef enum:
    # Blocks before and after in each window, and levels of boxes. Wider windows and more boxes gained nothing.
    NARROW = 1
    WIDE = 3
    LEVELS = 3
    SHARE_LEVELS = 2
    # Blocks before and after whose own odds count. With the odds of the first block of each box and of the last heading,
    # fitted to three tenths, 290 and 286 of 465 unseen pages are right instead of 278 and 277 (two seeds).
    NEAR = 2
    # Longer distances in blocks are clipped.
    FAR = 30

cdef struct Around:       # what is around a block
    int32_t tokens
    int32_t slot          # number of its path
    bint is_heading
    int32_t in_order      # the block that has its number in the order of their elements
    int32_t[LEVELS] start  # place in that order where the enclosing box 1 to LEVELS levels up begins
    int32_t[LEVELS] end   # where it ends

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
    *(f"first_head{level}" for level in range(1, LEVELS + 1)),
    *(f"first_{side}{distance}" for distance in range(1, NEAR + 1) for side in ("back", "on")),
    "first_heading",
    "first_from_heading",
)

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


cdef int find_around(Tree tree, vector[Around]& around) nogil:
    """Write what is around each block; blocks are in element order, so that boxes are ranges of them."""
    cdef:
        size_t m = tree.blocks.size(), n = tree.elements.size(), i
        int32_t level, element
        vector[int32_t] before, place
    around.resize(m)
    before.assign(n + 1, 0)           # blocks of the elements before each
    for i in range(m):
        before[tree.blocks[i].element + 1] += 1
    for i in range(n):
        before[i + 1] += before[i]
    place = before
    for i in range(m):
        element = tree.blocks[i].element
        around[i].tokens = tree.blocks[i].tokens
        around[i].slot = tree.blocks[i].slot
        around[i].is_heading = tree.blocks[i].own_flags & HEADING != 0
        around[place[element]].in_order = i
        place[element] += 1
        for level in range(LEVELS):
            if tree.elements[element].parent >= 0:
                element = tree.elements[element].parent
            around[i].start[level] = before[element]
            around[i].end[level] = before[tree.elements[element].end]


cdef class Neighbours:
    """The surroundings of each of a page's m blocks; can be pickled."""

    cdef vector[Around] blocks

    @staticmethod
    def of(Tree tree not None) -> Neighbours:
        """Return the neighbours of a page's blocks."""
        cdef Neighbours found = Neighbours()
        with nogil:
            find_around(tree, found.blocks)
        return found

    def features(self, odds) -> np.ndarray:
        """Return the features from the first log odds, rows as in `NEIGHBOUR_NAMES`, shape (rows, m).

        Means are weighted by the logarithm of a block's length; shares are of the text expected to be kept.
        """
        cdef Floats first = np.ascontiguousarray(odds, np.float32)
        if <size_t>first.shape[0] != self.blocks.size():
            raise ValueError(f"expected {self.blocks.size()} odds, got {first.shape[0]}")
        found = np.empty((len(NEIGHBOUR_NAMES), first.shape[0]), np.float32)
        cdef FloatRowsOut out = found
        if out.shape[1]:
            with nogil:
                self.read_features(&first[0], &out[0, 0])
        return found

    def added_to(self, features, odds) -> np.ndarray:
        """Return features of shape (n, m), and below them those from the first log odds, shape (n + rows, m)."""
        return np.concatenate([features, self.features(odds)])

    cdef int read_features(self, const float* odds, float* features) except -1 nogil:
        """Write the features, rows as in `NEIGHBOUR_NAMES`."""
        cdef:
            const Around* around = self.blocks.data()
            int32_t m = <int32_t>self.blocks.size(), i, level, start, end, distance, best = 0, heading = -1
            int64_t tokens = 0
            double whole, most = -1
            Judged none
            vector[Judged] own, in_line, in_order, of_path
            Judged* sums
        none.judged = none.weight = none.expected = 0
        own.resize(m)
        in_line.assign(m + 1, none)   # running sums over the blocks in page order …
        in_order.assign(m + 1, none)  # … and in the order of their elements
        of_path.assign(m, none)       # sums of each path
        for i in range(m):
            own[i].weight = log1p(around[i].tokens)
            own[i].judged = own[i].weight / (1 + exp(-<double>odds[i]))
            own[i].expected = around[i].tokens / (1 + exp(-<double>odds[i]))
            tokens += around[i].tokens
            if own[i].expected > most:
                best, most = i, own[i].expected
        for i in range(m):
            add(&in_line[i], &own[i], &in_line[i + 1])
            add(&in_order[i], &own[around[i].in_order], &in_order[i + 1])
            sums = &of_path[around[i].slot]
            add(sums, &own[i], sums)
        whole = max(in_line[m].expected, 1e-6)
        for i in range(m):
            features[0 * m + i] = odds[i]
            features[1 * m + i] = mean_around(in_line, i, NARROW)
            features[2 * m + i] = mean_around(in_line, i, WIDE)
            for level in range(LEVELS):
                start, end = around[i].start[level], around[i].end[level]
                features[(3 + level) * m + i] = mean_between(&in_order[start], &in_order[end])
                if level < SHARE_LEVELS:
                    features[(6 + level) * m + i] = (in_order[end].expected - in_order[start].expected) / whole
            features[8 * m + i] = mean_between(&none, &of_path[around[i].slot])
            features[9 * m + i] = in_line[i].expected / whole
            features[10 * m + i] = min(max(i - best, -FAR), FAR)
            features[11 * m + i] = whole / max(tokens, 1)
            features[12 * m + i] = log1p(whole)
            for level in range(LEVELS):  # of the box's first block, mostly its heading
                features[(13 + level) * m + i] = odds[around[around[i].start[level]].in_order]
            for distance in range(1, NEAR + 1):
                features[(14 + 2 * distance) * m + i] = odds[i - distance] if i >= distance else NAN
                features[(15 + 2 * distance) * m + i] = odds[i + distance] if i + distance < m else NAN
            if around[i].is_heading:
                heading = i
            features[20 * m + i] = odds[heading] if heading >= 0 else NAN
            features[21 * m + i] = min(i - heading, FAR) if heading >= 0 else NAN


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
    cdef:
        size_t q
        int32_t j
        float threshold
    for q in range(count):
        threshold = questions[q].threshold
        for j in range(LANES):
            answers[q * LANES + j] = values[j] > threshold


cdef inline void find_leaves(const uint8_t* answers, const int32_t* asked, uint8_t* leaves) noexcept nogil:
    """Write the number of each block's leaf: the answers to the tree's questions, bit by bit."""
    cdef:
        const uint8_t* a = answers + asked[0] * LANES
        const uint8_t* b = answers + asked[1] * LANES
        const uint8_t* c = answers + asked[2] * LANES
        const uint8_t* d = answers + asked[3] * LANES
        const uint8_t* e = answers + asked[4] * LANES
        const uint8_t* f = answers + asked[5] * LANES
        const uint8_t* g = answers + asked[6] * LANES
        const uint8_t* h = answers + asked[7] * LANES
        uint8_t number
        int32_t j
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
    cdef:
        uint8_t[LANES] leaf
        float[LANES] sums
        size_t tree
        int32_t j
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

    cdef:
        readonly object feature
        readonly object threshold
        readonly object value
        int32_t leaves           # of a tree
        int32_t features         # the minimum number of features it can be applied to
        vector[Question] questions
        vector[int32_t] asked    # number of the question at each depth of each tree, (t, DEPTH)
        vector[float] values     # (t, leaves)

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

    def odds(self, features) -> np.ndarray:
        """Return the log odds of m blocks, shape (m,), from features, shape (any, m), NaN where unknown."""
        cdef const float[:, ::1] values = np.ascontiguousarray(features, np.float32)
        if values.shape[0] < self.features:
            raise ValueError(f"the trees need {self.features} features, got {values.shape[0]}")
        found = np.empty(values.shape[1], np.float32)
        cdef float[::1] out = found
        if out.shape[0]:
            with nogil:
                self.read_odds(&values[0, 0], values.shape[1], &out[0])
        return found

    def probability(self, features) -> np.ndarray:
        """Return the probability of each of m blocks, shape (m,), from features as `odds` takes them."""
        cdef:
            Floats odds = self.odds(features)
            DoublesOut out
            Py_ssize_t i
        found = np.empty(odds.shape[0])
        out = found
        for i in range(odds.shape[0]):
            out[i] = 1 / (1 + exp(-<double>odds[i]))
        return found

    cdef int read_odds(self, const float* features, int32_t m, float* odds) except -1 nogil:
        """Compute the log odds of m blocks: first the answers to all questions, then the leaves."""
        cdef:
            int32_t chunk, start, some, feature
            size_t q, first  # of a feature's questions
            vector[uint8_t] answers
            float[LANES] row, sums
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
                answers.data(), self.asked.data(), self.asked.size() // DEPTH, self.values.data(), self.leaves, sums
            )
            memcpy(odds + start, sums, some * sizeof(float))


def judge(
    Network network not None, Forest second not None, Forest last not None, Neighbours neighbours not None, features
) -> tuple:
    """Return the probability of each of m blocks, and its log odds from the network alone, shape (m,) each.

    The second judgement uses the features, and the neighbour features computed from the network's odds: they come
    third. The last one also uses the neighbour features computed from the odds of the second.

    Args:
        network: The first judgement.
        second: The second one, over the n features and those of `NEIGHBOUR_NAMES`.
        last: The last one, over these and once more those of `NEIGHBOUR_NAMES`.
        neighbours: The surroundings of the blocks.
        features: Shape (n, m), NaN where unknown.

    Raises:
        ValueError: The shapes do not match.
    """
    odds = network.odds(features)
    seen = neighbours.added_to(features, odds)
    return last.probability(neighbours.added_to(seen, second.odds(seen))), odds, seen
