"""Kinds of units; measures of feature strings."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libcpp.vector cimport vector

from denoise_scrapy.core.bits cimport BitSet

cpdef enum:
    # Kinds of units; all others are 0.
    IDEOGRAPH = 1
    NUMBER  # a word with a digit in it
    # Units of a run, by its first one. Measured on 7,800 texts of four streams, each against all earlier ones: with
    # these lengths copies share more than .6 of their runs and other texts less; with pairs the ranges overlap (Chinese
    # .70 and .70), and with longer runs copies changed in many places fall below.
    RUN = 5
    RUN_OF_IDEOGRAPHS = 3
    SHINGLE = 3  # units of a shingle, for MinHash. 2: forty times the false candidates; 5: weaker on single-word edits

cdef enum:
    RUN_BITS = 32    # of a run's hash
    # Bits of the kinds that feature strings keep: of `IDEOGRAPH` and `NUMBER`; of stop units; of units that begin a
    # line, and a sentence.
    SORT = 3
    STOP = 4
    LINE = 8
    SENTENCE = 16


cdef inline uint16_t short_hash(uint32_t unit) noexcept nogil:
    """Hash a unit for the main feature string, by the golden ratio, since CRC-32's own low bits are less even."""
    return <uint16_t>((unit * <uint32_t>2654435769) >> 16)


cdef inline uint64_t fmix64(uint64_t key) noexcept nogil:
    """Apply the finaliser of MurmurHash3 (public domain): it spreads keys, and distinct ones stay distinct."""
    key = (key ^ (key >> 33)) * <uint64_t>0xFF51AFD7ED558CCD
    key = (key ^ (key >> 33)) * <uint64_t>0xC4CEB9FE1A85EC53
    return key ^ (key >> 33)


cdef inline uint64_t mixed(const uint32_t* units, int length) noexcept nogil:
    """Add up some units, at most `RUN`, each times an odd constant of xxHash."""
    cdef uint64_t found = (
        units[0] * <uint64_t>0x9E3779B97F4A7C15 + units[1] * <uint64_t>0xC2B2AE3D27D4EB4F
        + units[2] * <uint64_t>0x165667B19E3779F9
    )
    if length == RUN:
        found += units[3] * <uint64_t>0x85EBCA77C2B2AE63 + units[4] * <uint64_t>0x27D4EB2F165667C5
    return found


cdef inline uint64_t hash_run(const uint32_t* units, int length) noexcept nogil:
    """Hash a run; the lower half is its first unit."""
    return fmix64(mixed(units, length)) & <uint64_t>0xFFFFFFFF00000000 | units[0]


cdef class FeatureStrings:
    cdef:
        readonly Py_ssize_t n
        readonly Py_ssize_t ideographs
        readonly bytes digest
        readonly str text
        bytes _hashes            # of the units, uint32
        bytes _kinds             # of the units, uint8
        const uint32_t* _unit    # in these bytes
        const uint8_t* _kind
        vector[uint32_t] _units  # the distinct ones, and how many distinct runs each begins
        vector[uint32_t] _counts
        uint32_t[RUN_BITS + 1] _below  # number of distinct runs whose hash is below each power of two
        vector[BitSet] _there  # one, of the hashes of all units, once looked for
        bytes _names
        dict _samples

    cdef int _hold(self, bytes hashes, bytes kinds) except -1
    cdef uint64_t _run_at(self, Py_ssize_t place) noexcept nogil
    cdef int _count_units(self, vector[uint8_t]& kinds) except -1 nogil
    cdef int _list_units(self, uint32_t least, uint32_t most, vector[uint16_t]& out) except -1 nogil
    cdef tuple _sampled(self, uint64_t limit)
    cdef int _sample(
        self, uint64_t limit, vector[uint32_t]& places, vector[uint16_t]& runs, vector[uint16_t]& distinct
    ) except -1 nogil
    cdef int _list_shingles(self, vector[uint32_t]& found) except -1 nogil
    cdef int _find_novel(self, const BitSet& there, uint32_t below, vector[int64_t]& places) except -1 nogil
