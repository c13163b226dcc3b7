"""Hashes that are the same in every process, and a table that numbers 64-bit keys in order of arrival."""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

cdef enum:
    NOT_THERE = -1
    # Units of a text, or nodes of a search, that take some 50 µs: for less work, getting the interpreter's lock back
    # takes longer than the work.
    WORTH = 2048


cdef inline uint64_t mix(uint64_t value) noexcept nogil:
    """Mix the bits of a number with the finaliser of splitmix64."""
    value += <uint64_t>0x9E3779B97F4A7C15
    value = (value ^ (value >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    value = (value ^ (value >> 27)) * <uint64_t>0x94D049BB133111EB
    return value ^ (value >> 31)


cdef inline uint64_t hash_bytes(const unsigned char* data, size_t size, uint64_t seed) noexcept nogil:
    """Hash bytes, eight at a time; the seed selects the hash."""
    cdef uint64_t word
    while size >= 8:
        memcpy(&word, data, 8)
        seed = (seed ^ word) * <uint64_t>0x9FB21C651E98DF25
        seed ^= seed >> 29
        data += 8
        size -= 8
    if size:
        word = 0
        memcpy(&word, data, size)
        seed = (seed ^ word ^ (<uint64_t>size << 56)) * <uint64_t>0x9FB21C651E98DF25
        seed ^= seed >> 32
    return seed


cdef struct Table:
    # Numbers of 64-bit keys, from 0 in order of arrival; open addressing, 0 is not a key.
    vector[uint64_t] keys
    vector[int32_t] numbers
    uint64_t mask
    int32_t count


cdef inline int open_table(Table& table, size_t most) nogil:
    """Reserve room for a number of keys; the table grows beyond it."""
    cdef size_t room = 16
    while room < 2 * most:
        room *= 2
    table.keys.assign(room, 0)
    table.numbers.resize(room)
    table.mask = room - 1
    table.count = 0


cdef inline uint64_t place_of(const Table& table, uint64_t key) noexcept nogil:
    """Find the slot of a key other than 0, or the slot it would take."""
    # the upper bits of a product with an odd number are best mixed
    cdef uint64_t at = ((key * <uint64_t>0x9E3779B97F4A7C15) >> 20) & table.mask
    while table.keys[at] != 0 and table.keys[at] != key:
        at = (at + 1) & table.mask
    return at


cdef inline int32_t find(const Table& table, uint64_t key) noexcept nogil:
    """Return the number of a key, `NOT_THERE` if it is missing."""
    key += key == 0
    cdef uint64_t at = place_of(table, key)
    return table.numbers[at] if table.keys[at] != 0 else NOT_THERE


cdef inline int grow(Table& table) nogil:
    """Double the capacity."""
    cdef:
        vector[uint64_t] keys = table.keys
        vector[int32_t] numbers = table.numbers
        int32_t count = table.count
        size_t i
        uint64_t at
    open_table(table, keys.size())
    table.count = count
    for i in range(keys.size()):
        if keys[i] != 0:
            at = place_of(table, keys[i])
            table.keys[at] = keys[i]
            table.numbers[at] = numbers[i]


cdef inline int32_t number_of(Table& table, uint64_t key) nogil:
    """Return the number of a key, adding it if needed."""
    key += key == 0
    cdef uint64_t at = place_of(table, key)
    if table.keys[at] == 0:
        if 2 * <uint64_t>table.count > table.mask:
            grow(table)
            at = place_of(table, key)
        table.keys[at] = key
        table.numbers[at] = table.count
        table.count += 1
    return table.numbers[at]
