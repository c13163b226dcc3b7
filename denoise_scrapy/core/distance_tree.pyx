# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The edit-distance tree: finds sets of units by their overlap with a query.

D(A, B) = max(|A|, |B|) - |A & B| is a metric on sets. Every set Z below the edge labelled D of Y is at distance D from
Y, so |X & Z| <= |X & Y| + D: the edge is skipped if that is less than X needs.

A set comes with a sample of its text's runs, of which X needs a share as well. The sample is kept as a signature of 448
bits: a run of X whose bit is clear is not in the text, an upper bound which loses no match. The nodes are in order of
insertion, each after its parent, so that a search is one pass over them.

The texts that a longer one contains share too little of it for this. Each is found by two neighbouring runs from its
middle, which the longer text has side by side as well.

Source: patent text 'Method and system for web page de-duplication', edit-distance tree; Burkhard and Keller (1973).
Signatures, the search in order of insertion, and the search for parts are ours.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset
from libcpp.algorithm cimport lower_bound, partial_sort, sort, unique
from libcpp.vector cimport vector

from denoise_scrapy.core.arrays cimport Shorts
from denoise_scrapy.core.bits cimport BitSet, count_bits, set_bits, start_of
from denoise_scrapy.core.hashing cimport NOT_THERE, WORTH, Table, find, number_of, open_table
from denoise_scrapy.core.wide cimport wide_size

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define denoise_ones __builtin_popcountll
    #else
    static inline int denoise_ones(unsigned long long bits) {
        int count = 0;
        for (; bits; bits &= bits - 1) count++;
        return count;
    }
    #endif
    """
    int ones "denoise_ones"(uint64_t bits) noexcept nogil

cdef enum:
    # Maximum depth. Real texts reach a dozen; many equal sets, or sets with nothing in common, would form a chain, and
    # all become children of the last node instead.
    MAX_DEPTH = 64
    # Units are counted exactly at a node with at least this many below it: an edge skipped there saves more than that.
    WORTH_COUNTING = 1024
    # Words of a signature, so that a step is one cache line. By 448 bits, unrelated texts lack 53 to 80 in 100 of a full
    # sample's runs (99 of 100 pairs, on three streams), and 40 are already too many.
    RUN_WORDS = 7
    HALVINGS = 33     # possible numbers of halvings of a sample, 0 to 32
    NO_RUNS = HALVINGS  # in their place, of a set without runs
    SKIPPED = -(1 << 30)

cdef struct Signature:
    uint64_t[RUN_WORDS] bits

cdef struct Step:  # what a search reads of each node, side by side
    Signature runs
    uint32_t parent    # row
    uint16_t distance  # to the parent
    uint8_t halved     # number of times the sample of runs was halved
    uint8_t is_counted # whether units are counted exactly, since many nodes are below it

cdef struct Node:
    int64_t number     # of its text
    uint64_t start     # of its units
    uint32_t length    # of its text, in units
    uint32_t below     # number of nodes below it
    uint16_t size      # number of its units
    bint is_dropped

cdef struct Hit:
    int64_t lacks  # bits of runs, then units, that the query has and the set may lack; of parts: of the query
    int64_t number


cdef struct Query:
    BitSet units
    int size
    int need               # units that a match shares
    int64_t longest        # maximum length of a match
    # by halvings: the bits of its own sample, and how many of them a match may lack; -1 if there is none
    Signature[HALVINGS + 1] runs
    int[HALVINGS + 1] spare


cdef bint is_liker(const Hit& one, const Hit& other) noexcept nogil:
    return one.lacks < other.lacks or (one.lacks == other.lacks and one.number < other.number)


cdef bint is_below(const Node& node, const int64_t& number) noexcept nogil:
    return node.number < number


cdef inline void sign(const uint16_t* runs, size_t count, Signature& out) noexcept nogil:
    """Set the bits of some runs."""
    cdef size_t i
    cdef uint16_t bit
    memset(&out, 0, sizeof(Signature))
    for i in range(count):
        bit = 64 * RUN_WORDS * <uint32_t>runs[i] >> 16
        out.bits[bit >> 6] |= <uint64_t>1 << (bit & 63)


cdef inline int count_clear(const Signature& mine, const Signature& theirs) noexcept nogil:
    """Count the bits that only the first signature has."""
    cdef int i, count = 0
    for i in range(RUN_WORDS):
        count += ones(mine.bits[i] & ~theirs.bits[i])
    return count


cdef inline uint64_t pair_key(int halved, uint16_t one, uint16_t next) noexcept nogil:
    """Join two neighbouring runs of a sample."""
    return <uint64_t>(halved + 1) << 32 | <uint32_t>one << 16 | next


cdef wide_size search_nodes(
    const Step* steps, const Node* nodes, const uint16_t* units, size_t count, const Query& query, int32_t* most,
    vector[Hit]& found,
) noexcept nogil:
    """List the sets that may match; return how many were looked at. `most` has room for all nodes."""
    cdef:
        size_t row, visited = 0
        const Step* step
        const Node* node
        int lacks
    for row in range(count):
        step = steps + row
        if row and most[step.parent] + step.distance < query.need:
            most[row] = SKIPPED  # and so are all below it
            continue
        visited += 1
        most[row] = query.size
        lacks = count_clear(query.runs[step.halved], step.runs)
        if lacks <= query.spare[step.halved] or step.is_counted:
            node = nodes + row
            most[row] = count_bits(query.units, units + node.start, node.size)
            if (lacks <= query.spare[step.halved] and most[row] >= query.need and node.length <= query.longest
                    and not node.is_dropped):
                found.push_back(Hit((<int64_t>lacks << 16) + query.size - most[row], node.number))
    return visited


cdef class DistanceTree:
    """Sets of distinct 16-bit units, each under an ascending number above 0.

    Attributes:
        visited: Number of sets that searches have looked at, for measurements.
    """

    cdef:
        readonly size_t visited
        uint64_t _halvings     # a bit for each number of halvings
        vector[Node] _nodes
        vector[Step] _steps
        vector[uint16_t] _units
        Table _edges           # rows of nodes by parent and distance
        vector[int32_t] _most  # of each node: an upper bound of what it shares with the query
        Table _pairs           # pairs of neighbouring runs, one for each node
        vector[uint32_t] _of   # row of the node of each pair

    def __init__(self):
        open_table(self._edges, 1)
        open_table(self._pairs, 1)

    def __len__(self):
        return self._nodes.size()

    @property
    def nbytes(self):
        """Approximate size in bytes."""
        cdef size_t of_node = sizeof(Node) + sizeof(Step) + sizeof(int32_t)
        cdef size_t of_tables = 12 * (self._edges.keys.size() + self._pairs.keys.size()) + 4 * self._of.size()
        return self._nodes.size() * of_node + 2 * self._units.size() + of_tables

    @property
    def halvings(self):
        """The numbers of halvings of its samples."""
        return [halved for halved in range(HALVINGS) if self._halvings >> halved & 1]

    def add(self, int64_t number, bytes units not None, uint32_t length, bytes runs not None=b"", int halved=NO_RUNS):
        """Add a set.

        Args:
            number: Its number, above all numbers so far.
            units: The set, uint16 as bytes, without repeats, up to 65,535.
            length: Length of its text, in units.
            runs: A sample of the text's runs, uint16 as bytes.
            halved: Number of times the sample was halved, 0 to 32; 33 for a set without runs.

        Raises:
            ValueError: There are more units or halvings.
        """
        cdef:
            Node node
            Step step
            BitSet there
            uint64_t edge = 0
            size_t size = len(units) // 2, row = 0
            int32_t depth, child
            const uint16_t* data = <const uint16_t*><const char*>units
            const uint16_t* sample = <const uint16_t*><const char*>runs
        if not 0 <= halved <= NO_RUNS or size > 0xFFFF:
            raise ValueError(f"no sample is halved {halved} times, or no set has {size} units")
        sign(sample, len(runs) // 2, step.runs)
        set_bits(there, data, size)
        node.number, node.length, node.size = number, length, size
        node.start, node.below, node.is_dropped = self._units.size(), 0, False
        step.parent, step.distance, step.halved, step.is_counted = 0, 0, halved, False
        for depth in range(MAX_DEPTH if self._nodes.size() else 0):
            step.parent = row
            step.distance = max(size, <size_t>self._nodes[row].size) - self._common(row, there)
            self._nodes[row].below += 1
            self._steps[row].is_counted = self._nodes[row].below >= WORTH_COUNTING
            edge = <uint64_t>(row + 1) << 16 | step.distance
            child = find(self._edges, edge)
            if child == NOT_THERE:
                break
            row = child
        else:
            edge = <uint64_t>1 << 63 | self._nodes.size()  # no further node is found by it
        number_of(self._edges, edge)
        if halved != NO_RUNS:
            self._add_pair(sample, len(runs) // 2, halved)
        self._nodes.push_back(node)
        self._steps.push_back(step)
        self._units.insert(self._units.end(), data, data + size)
        self._halvings |= <uint64_t>1 << halved

    cdef int _add_pair(self, const uint16_t* sample, size_t count, int halved) except -1:
        """Choose the pair of a new node: the first in the second half of its sample that no other node has."""
        cdef size_t place
        cdef uint64_t key
        for place in range(max(1, count // 2), count):
            key = pair_key(halved, sample[place - 1], sample[place])
            if find(self._pairs, key) == NOT_THERE:
                number_of(self._pairs, key)
                self._of.push_back(self._nodes.size())
                break

    def drop(self, int64_t number):
        """Leave a set out of further results, if it is there."""
        cdef size_t row = lower_bound(self._nodes.begin(), self._nodes.end(), number, is_below) - self._nodes.begin()
        if row < self._nodes.size() and self._nodes[row].number == number:
            self._nodes[row].is_dropped = True

    def search(self, Shorts units not None, int need, int64_t longest, dict runs not None, size_t at_most):
        """Find the sets that share `need` units with a query and have enough of its runs, and some that have not.

        Args:
            units: The query, uint16 (n,) without repeats.
            need: Number of units that a match shares, 1 or more.
            longest: Maximum length of a match's text, in units.
            runs: By number of halvings: the query's sample, uint16 without repeats, and how many of its runs a match
                has; 0 if none matches. Samples of other numbers do not match. Sets without runs always may.
            at_most: Maximum number of sets to return: those that lack the fewest runs and units.

        Returns:
            Their numbers, the likest first.
        """
        cdef:
            Query query
            vector[Hit] found
            Shorts sample
            size_t row, size = units.shape[0]
            int halved, least
        memset(&query, 0, sizeof(Query))
        for halved in range(HALVINGS):
            query.spare[halved] = -1
        for halved, (sample, least) in runs.items():
            if least:
                query.spare[halved] = <int>sample.shape[0] - least
                sign(&sample[0], sample.shape[0], query.runs[halved])
        query.size, query.need, query.longest = size, need, longest
        set_bits(query.units, start_of(units), size)
        if self._nodes.size() < WORTH:
            self._search(query, found)
        else:
            with nogil:
                self._search(query, found)
        return first_numbers(found, at_most)

    cdef int _search(self, const Query& query, vector[Hit]& found) except -1 nogil:
        self._most.resize(self._nodes.size())
        self.visited += search_nodes(
            self._steps.data(), self._nodes.data(), self._units.data(), self._nodes.size(), query, self._most.data(),
            found,
        )

    def parts(self, Shorts units not None, int64_t longest, float share, dict runs not None, size_t at_most):
        """Find sets of which a query may have nearly all.

        A set whose runs stand side by side in the query is found, unless earlier sets have taken its pairs.

        Args:
            units: The query, uint16 (n,) without repeats.
            longest: Maximum length of a part's text, in units.
            share: Minimum share of a part's units that the query has, 0 to 1.
            runs: By number of halvings: the query's sample, uint16 in the order of the text, with repeats.
            at_most: Maximum number of sets to return, the largest ones.

        Returns:
            Their numbers, the largest first.
        """
        cdef:
            vector[uint32_t] rows
            vector[Hit] found
            const Node* node
            BitSet there
            Shorts sample
            Py_ssize_t place
            int halved
            int32_t pair
            uint32_t row
        for halved, sample in runs.items():
            for place in range(sample.shape[0] - 1):
                pair = find(self._pairs, pair_key(halved, sample[place], sample[place + 1]))
                if pair != NOT_THERE:
                    rows.push_back(self._of[pair])
        if rows.empty():
            return []
        sort(rows.begin(), rows.end())
        rows.erase(unique(rows.begin(), rows.end()), rows.end())
        set_bits(there, start_of(units), units.shape[0])
        for row in rows:
            node = &self._nodes[row]
            if node.length <= longest and not node.is_dropped and self._common(row, there) >= share * node.size:
                found.push_back(Hit(-<int64_t>node.length, node.number))
        return first_numbers(found, at_most)

    cdef inline size_t _common(self, size_t row, const BitSet& there) noexcept nogil:
        """Count the units of a node that are in a set."""
        return count_bits(there, self._units.data() + self._nodes[row].start, self._nodes[row].size)


cdef list first_numbers(vector[Hit]& found, size_t at_most):
    """Return the numbers of the likest sets."""
    cdef size_t i
    at_most = min(at_most, found.size())
    partial_sort(found.begin(), found.begin() + at_most, found.end(), is_liker)
    return [found[i].number for i in range(at_most)]
