"""Sets of 16-bit numbers, a bit for each."""

from libc.stdint cimport uint16_t, uint64_t
from libc.string cimport memset

cdef enum:
    BIT_WORDS = 1024

cdef struct BitSet:
    uint64_t[BIT_WORDS] words


cdef inline void clear(BitSet& bits) noexcept nogil:
    memset(&bits, 0, sizeof(BitSet))


cdef inline bint has_bit(const BitSet& bits, uint16_t number) noexcept nogil:
    """Return whether a number is in a set."""
    return bits.words[number >> 6] >> (number & 63) & 1


cdef inline bint add_bit(BitSet& bits, uint16_t number) noexcept nogil:
    """Add a number to a set, and return whether it is new."""
    cdef bint new = not has_bit(bits, number)
    bits.words[number >> 6] |= <uint64_t>1 << (number & 63)
    return new


cdef inline const uint16_t* start_of(const uint16_t[::1] numbers) noexcept nogil:
    """Return where an array's numbers begin, NULL for an empty one."""
    return &numbers[0] if numbers.shape[0] else NULL


cdef inline void set_bits(BitSet& bits, const uint16_t* numbers, size_t count) noexcept nogil:
    """Make a set of numbers."""
    cdef size_t i
    clear(bits)
    for i in range(count):
        add_bit(bits, numbers[i])


cdef inline int count_bits(const BitSet& bits, const uint16_t* numbers, size_t count) noexcept nogil:
    """Count the numbers that are in a set."""
    cdef size_t i
    cdef int common = 0
    for i in range(count):
        common += has_bit(bits, numbers[i])
    return common
