"""Look-up of kept texts: by key, by equal words, by shared MinHash bands.

Texts are in segments in order of id. A segment has the sorted 32-bit hashes of its texts' keys, at six bytes per entry.
The newest texts are in a tail, which is searched linearly; a full tail is merged into the last segment, until that has
32,768 texts. So no text waits more than some 5 ms for others to be rearranged. A text removed or replaced leaves a
tombstone.
"""

from typing import NamedTuple

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.algorithm cimport lower_bound, sort
from libcpp.vector cimport vector

from denoise_scrapy.core.feature_strings cimport BANDS

from denoise_scrapy.core.feature_strings import EVERY

TAIL = 512  # texts searched linearly: 10 µs
SEGMENT = 1 << 15  # texts of a full segment; rows have 16 bits
MOST_FINDS = 4096  # by bands: a sentence on every page of a site finds them all, and is no evidence

cdef enum:
    # Places of a text's keys; their maximum number.
    NAME = 0
    WORDS = 1
    FIRST_BAND = 2
    MOST_KEYS = FIRST_BAND + BANDS
    # 512 bits per text indicate which runs its sample may have. By these, unrelated texts lack 69 to 83 in 100 of a
    # full sample's runs, and 40 are already too many. A text of 440 units among a million shares a band with 37
    # unrelated ones; fetching and judging them would cost more than everything else.
    RUN_WORDS = 8
    RUN_SHIFT = 7  # the upper nine of a run's 16 bits select its bit
    # A key is first searched for this many entries around its share of the number range: four standard deviations in a
    # full segment.
    NEAR = 2048
    NO_SCOPE = -1
    DEAD = -2
    UNKNOWN = 33  # the store did not give the number of halvings, or this version does not produce it

cdef struct KeptText:
    int64_t id
    int32_t scope             # its number; `DEAD` for a tombstone
    uint8_t halved            # number of times its sample was halved
    uint64_t[RUN_WORDS] runs  # the runs its sample may have

cdef struct Segment:
    size_t start            # of its texts
    size_t end
    size_t dead             # number of tombstones among them
    vector[uint32_t] keys   # hashes of keys, sorted
    vector[uint16_t] rows   # of their texts, counted from `start`

cdef struct Hit:
    size_t row
    int key  # its place in a text's keys

_HALVED = {EVERY >> halved: halved for halved in range(UNKNOWN)}


cdef bint is_before(const Hit& one, const Hit& other) noexcept nogil:
    return one.row < other.row or (one.row == other.row and one.key < other.key)


cdef size_t place_in(const vector[uint32_t]& keys, uint64_t key) noexcept nogil:
    """Find the position of a key: near its share of the number range, since keys are hashes."""
    cdef const uint32_t* first = keys.data()
    cdef size_t size = keys.size(), guess = key * size >> 32
    cdef size_t low = guess - NEAR if guess > NEAR else 0, high = min(guess + NEAR, size)
    if (low and first[low - 1] >= key) or (high < size and first[high] < key):
        low, high = 0, size
    return lower_bound(first + low, first + high, key) - first


class Candidates(NamedTuple):
    """Ids of kept texts in a scope that a look-up found, in ascending order."""

    same_name: list   # with the same key; in one of some hundred look-ups also a different one
    same_words: list  # with the same units in the same order, likewise
    alike: list       # with a common MinHash band, if they may have enough runs in common


cdef class Catalog:
    """Kept texts by key, by equal words, by shared bands.

    Args:
        bands: Whether to remember the texts' bands.
        short: Whether to remember the words of texts too short for similarity, which repeat without end.

    Attributes:
        last: The highest id so far, 0 for none.
    """

    cdef readonly int64_t last
    cdef bint _bands
    cdef bint _short
    cdef dict _scopes
    cdef size_t _dead
    cdef size_t _full_tail
    cdef size_t _full_segment
    cdef size_t _width  # keys per text
    cdef vector[KeptText] _texts
    cdef vector[Segment] _segments
    cdef vector[uint32_t] _tail  # keys of the texts outside the segments, 0 for none

    def __init__(self, *, bint bands=True, bint short=True):
        self._bands, self._short, self._scopes = bands, short, {}
        self._width = MOST_KEYS if bands else FIRST_BAND
        self._full_tail, self._full_segment = TAIL, SEGMENT

    def __len__(self):
        return self._texts.size() - self._dead

    @property
    def nbytes(self):
        """Approximate size in bytes."""
        cdef size_t entries = 0, i
        for i in range(self._segments.size()):
            entries += self._segments[i].keys.size()
        return 200 * len(self._scopes) + self._texts.size() * sizeof(KeptText) + 4 * self._tail.size() + 6 * entries

    @property
    def segments(self):
        """Number of texts in each segment, including tombstones."""
        return [self._segments[i].end - self._segments[i].start for i in range(self._segments.size())]

    def extend(self, listings not None):
        """Add texts in order of id, above all ids so far."""
        cdef uint32_t[MOST_KEYS] keys
        cdef KeptText text
        cdef size_t i
        for listing in listings:
            number, key, scope, _, digest, bands, runs, limit = listing
            self._read_keys(key, scope, digest, bands, keys)
            text.id, text.scope = number, self._scopes.setdefault(scope, len(self._scopes))
            text.halved = _HALVED.get(limit, UNKNOWN)
            sign_runs(runs, text.runs)
            self._texts.push_back(text)
            for i in range(self._width):
                self._tail.push_back(keys[i])
            self.last = number
            if self._tail.size() == self._full_tail * self._width:
                with nogil:
                    self._close_tail()

    def discard(self, int64_t number):
        """Replace a text by a tombstone, and return whether it existed."""
        cdef size_t row = self._row_after(number - 1), i
        cdef Segment* segment
        if row == self._texts.size() or self._texts[row].id != number or self._texts[row].scope == DEAD:
            return False
        self._texts[row].scope = DEAD
        self._dead += 1
        for i in range(self._segments.size()):
            segment = &self._segments[i]
            if segment.start <= row < segment.end:
                segment.dead += 1
                if 2 * segment.dead == segment.end - segment.start:  # its entries are dropped when half of it is dead
                    self._drop_dead(segment)
        return True

    def ids_after(self, int64_t number):
        """Return the existing ids above a number, ascending."""
        cdef size_t row
        rows = range(self._row_after(number), self._texts.size())
        return [self._texts[row].id for row in rows if self._texts[row].scope != DEAD]

    def find(
        self, key not None, scope not None, bytes digest not None, bytes bands not None, most=1 << 62, query=None
    ):
        """Look a text up.

        Args:
            key: Its key.
            scope: Its scope.
            digest: Digest of its fingerprint.
            bands: Bands of its fingerprint.
            most: Maximum number of alike texts; of more, those with the most bands in common.
            query: What a duplicate sampled at a limit has in common with the text's auxiliary string; None if nothing
                is required.

        Returns:
            The texts found in its scope.
        """
        cdef uint32_t[MOST_KEYS] keys
        cdef vector[Hit] hits
        cdef int32_t scope_number = self._scopes.get(scope, NO_SCOPE)
        cdef int finds = MOST_FINDS
        cdef size_t i
        self._read_keys(key, scope, digest, bands, keys)
        with nogil:
            self._look_up(keys, scope_number, finds, hits)
            sort(hits.begin(), hits.end(), is_before)
        found = Candidates([], [], [])
        shared = {}  # number of common bands by row, in row order
        for i in range(hits.size()):
            if hits[i].key < FIRST_BAND:
                (found.same_name if hits[i].key == NAME else found.same_words).append(self._texts[hits[i].row].id)
            else:
                shared[hits[i].row] = shared.get(hits[i].row, 0) + 1
        rows = list(shared)
        if len(rows) > most:
            rows = sorted(sorted(rows, key=shared.__getitem__, reverse=True)[:most])
        if query is not None and rows:
            rows = self._possible(rows, query)
        found.alike.extend([self._texts[<size_t>row].id for row in rows])
        return found

    cdef int _look_up(self, const uint32_t* keys, int32_t scope, int finds, vector[Hit]& hits) except -1 nogil:
        """List the texts of a scope with any of some keys, once for each of the keys."""
        cdef vector[size_t] starts, ends
        cdef size_t[MOST_KEYS] counts
        cdef bint[MOST_KEYS] used
        cdef size_t width = self._width, s, i, at, row, total = 0
        cdef size_t first = self._tail_start()
        cdef Segment* segment
        starts.resize(self._segments.size() * width)
        ends.resize(starts.size())
        for i in range(width):
            counts[i], used[i] = 0, keys[i] != 0
        for s in range(self._segments.size()):
            segment = &self._segments[s]
            for i in range(width):
                if keys[i]:
                    at = place_in(segment.keys, keys[i])
                    starts[s * width + i] = at
                    if at < segment.keys.size() and segment.keys[at] == keys[i]:
                        at = place_in(segment.keys, <uint64_t>keys[i] + 1)
                    ends[s * width + i] = at
                    counts[i] += at - starts[s * width + i]
                    total += at - starts[s * width + i]
        if total > <size_t>finds:
            use_rarest(counts, width, finds, used)
        for s in range(self._segments.size()):
            segment = &self._segments[s]
            for i in range(width):
                if used[i]:
                    for at in range(starts[s * width + i], ends[s * width + i]):
                        row = segment.start + segment.rows[at]
                        if self._texts[row].scope == scope:
                            hits.push_back(Hit(row, <int>i))
        for row in range(first, self._texts.size()):
            if self._texts[row].scope == scope:
                for i in range(width):
                    if keys[i] and self._tail[(row - first) * width + i] == keys[i]:
                        hits.push_back(Hit(row, <int>i))
        return 0

    def _possible(self, rows, query):
        """Return the texts that may have enough in common with a new one, including those of unknown sample."""
        # runs of the new text whose bit is clear are not in a kept one: an upper bound, which loses no duplicate
        cdef size_t row
        cdef int kind
        cdef Py_ssize_t i, common, need
        cdef const uint16_t[::1] units
        queries, found = {}, []
        for row in rows:
            kind = self._texts[row].halved
            if kind != UNKNOWN:
                if kind not in queries:
                    queries[kind] = query(EVERY >> kind)
                units, need = queries[kind]
                common = 0
                for i in range(units.shape[0]):
                    common += has_run(self._texts[row].runs, units[i])
                if common < need:
                    continue
            found.append(row)
        return found

    cdef int _read_keys(self, key, scope, bytes digest, bytes bands, uint32_t* keys) except -1:
        """Hash the keys of a text; 0 for none."""
        cdef uint64_t salt, wide
        cdef uint32_t band
        cdef const unsigned char* data
        cdef size_t i
        salt = <uint64_t><int64_t>hash(scope)
        keys[NAME] = short_key(<uint64_t><int64_t>hash((key, scope)))
        data = digest
        memcpy(&wide, data, 8)
        keys[WORDS] = short_key(wide ^ salt) if bands or self._short else 0
        data = bands
        for i in range(self._width - FIRST_BAND):
            keys[FIRST_BAND + i] = 0
            if bands:
                memcpy(&band, data + 4 * i, 4)
                keys[FIRST_BAND + i] = short_key((<uint64_t>i << 32 | band) ^ salt)
        return 0

    cdef size_t _row_after(self, int64_t number) noexcept nogil:
        """Find the first text with a higher id."""
        cdef size_t low = 0, high = self._texts.size(), middle
        while low < high:
            middle = (low + high) // 2
            if self._texts[middle].id <= number:
                low = middle + 1
            else:
                high = middle
        return low

    cdef size_t _tail_start(self) noexcept nogil:
        return self._segments.back().end if self._segments.size() else 0

    cdef int _close_tail(self) except -1 nogil:
        """Merge the tail into the last segment, or into a new one if that is full."""
        cdef Segment merged
        cdef Segment* last
        cdef vector[uint64_t] newer  # (key, row)
        cdef size_t first = self._tail_start(), row, i, old = 0, new = 0
        merged.start, merged.end, merged.dead = first, self._texts.size(), 0
        if self._segments.size() and first - self._segments.back().start < self._full_segment:
            last = &self._segments.back()
            merged.start, merged.dead = last.start, last.dead
        else:
            self._segments.push_back(merged)
            last = &self._segments.back()
        for row in range(first, self._texts.size()):
            if self._texts[row].scope == DEAD:
                merged.dead += 1
                continue
            for i in range((row - first) * self._width, (row - first + 1) * self._width):
                if self._tail[i]:
                    newer.push_back(<uint64_t>self._tail[i] << 16 | (row - merged.start))
        sort(newer.begin(), newer.end())
        merged.keys.reserve(last.keys.size() + newer.size())
        merged.rows.reserve(last.keys.size() + newer.size())
        while old < last.keys.size() or new < newer.size():
            if new == newer.size() or (old < last.keys.size() and last.keys[old] <= newer[new] >> 16):
                merged.keys.push_back(last.keys[old])
                merged.rows.push_back(last.rows[old])
                old += 1
            else:
                merged.keys.push_back(<uint32_t>(newer[new] >> 16))
                merged.rows.push_back(<uint16_t>newer[new])
                new += 1
        last.start, last.end, last.dead = merged.start, merged.end, merged.dead
        last.keys.swap(merged.keys)
        last.rows.swap(merged.rows)
        self._tail.clear()
        return 0

    cdef int _drop_dead(self, Segment* segment) except -1 nogil:
        """Drop the entries of tombstones."""
        cdef size_t i, kept = 0
        for i in range(segment.keys.size()):
            if self._texts[segment.start + segment.rows[i]].scope != DEAD:
                segment.keys[kept], segment.rows[kept] = segment.keys[i], segment.rows[i]
                kept += 1
        segment.keys.resize(kept)
        segment.rows.resize(kept)
        return 0


cdef int use_rarest(const size_t* counts, size_t width, size_t finds, bint* used) except -1 nogil:
    """Choose keys by number of texts: name, words, the rarest bands; up to a total of texts, but at least one key."""
    cdef vector[size_t] order  # (number of texts, place)
    cdef size_t i, total = 0, chosen = 0
    for i in range(FIRST_BAND, width):
        if counts[i]:
            order.push_back(counts[i] << 8 | i)
    sort(order.begin(), order.end())
    for i in range(order.size()):
        total += order[i] >> 8
        used[order[i] & 255] = total <= finds or not chosen
        chosen += 1
    return 0


cdef inline uint32_t short_key(uint64_t key) noexcept nogil:
    """Return the upper half of a product with the golden ratio: it depends on all bits of a key. 0 is none."""
    cdef uint32_t short = <uint32_t>(key * <uint64_t>0x9E3779B97F4A7C15 >> 32)
    return short if short else 1


cdef inline bint has_run(const uint64_t* runs, uint16_t run) noexcept nogil:
    cdef uint16_t bit = run >> RUN_SHIFT
    return runs[bit >> 6] >> (bit & 63) & 1


cdef int sign_runs(bytes sample, uint64_t* runs) except -1:
    """Set the bits of a sample's runs, given as uint16 bytes."""
    cdef const unsigned char* data = sample
    cdef Py_ssize_t i
    cdef uint16_t run, bit
    for i in range(RUN_WORDS):
        runs[i] = 0
    for i in range(0, len(sample) - 1, 2):
        memcpy(&run, data + i, 2)
        bit = run >> RUN_SHIFT
        runs[bit >> 6] |= <uint64_t>1 << (bit & 63)
    return 0
