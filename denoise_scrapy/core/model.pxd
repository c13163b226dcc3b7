"""What judges blocks: a small network, what it says of a block's neighbours, then trees over both."""

from libc.stdint cimport int32_t, uint8_t
from libcpp.vector cimport vector

from denoise_scrapy.core.tree cimport Tree


cdef class Network:
    cdef readonly object mean
    cdef readonly object deviation
    cdef readonly object inner
    cdef readonly object inner_bias
    cdef readonly object outer
    cdef readonly object outer_bias
    cdef readonly object last
    cdef readonly object direct
    cdef readonly object bias
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
    cdef int read_odds(self, const float* features, int32_t m, float* odds) except -1 nogil


cdef class Neighbours:
    cdef readonly object around   # int32, shape (9, m): see `model.pyx`
    cdef const int32_t[:, ::1] rows
    cdef int read_features(self, const float* odds, float* features) except -1 nogil


cdef struct Question:             # whether a feature is above a threshold; in the order of the features
    int32_t feature
    float threshold


cdef class Forest:
    cdef readonly object feature
    cdef readonly object threshold
    cdef readonly object value
    cdef int32_t leaves           # of a tree
    cdef int32_t features         # the least number of features that it can be asked with
    cdef vector[Question] questions
    cdef vector[int32_t] asked    # number of the question at each depth of each tree, (t, DEPTH)
    cdef vector[float] values     # (t, leaves)
    cdef int read_probability(self, const float* features, int32_t m, double* probability) except -1 nogil
