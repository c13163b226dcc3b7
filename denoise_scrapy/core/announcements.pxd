"""Bits of what a short block announces; see `announcements.pyx`."""

cdef enum:
    COMMENTS = 1          # a heading of comments
    META = 2              # a name or a date
