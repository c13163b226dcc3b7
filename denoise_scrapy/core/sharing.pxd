"""Texts, paths and template that a page shares with others of its site; see `sharing.pyx`."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

cdef struct Facts:                # of a page of m blocks: where they stand in its bytes
    int32_t containers
    int32_t blocks
    const uint64_t* shapes        # of its containers (`Element.shape`), sorted, each once
    const uint64_t* texts         # `BlockRow.text_hash`
    const uint64_t* paths         # `BlockRow.path`
    const uint32_t* tokens        # `BlockRow.tokens` doubled, and one more where they are prose

cdef class Shared:
    cdef readonly object text_share
    cdef readonly object placed_share
    cdef readonly object slot_share
    cdef readonly object own_tokens
    cdef readonly object carried
    cdef readonly object likeness
    cdef bytes own
    cdef list others
