"""Columns that numpy and the core share, by what they hold; those that a function writes end in Out."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t

ctypedef const uint8_t[::1] Flags       # truths, or bits
ctypedef uint8_t[::1] FlagsOut
ctypedef const uint16_t[::1] Shorts     # short hashes
ctypedef const int32_t[::1] Ints
ctypedef const int32_t[:, ::1] Spans    # a start and an end each
ctypedef const int64_t[::1] Longs
ctypedef const float[::1] Floats
ctypedef float[:, ::1] FloatRowsOut     # a row for each feature
ctypedef const double[::1] Doubles
ctypedef double[::1] DoublesOut
