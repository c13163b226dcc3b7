"""Minimum sizes for releasing the interpreter's lock: for less work, getting it back takes longer than the work."""

cdef enum:
    # Bytes of a page, blocks, or units of a text that take some 50 µs.
    WORTH_BYTES = 1 << 18
    WORTH_BLOCKS = 1 << 11
    WORTH_UNITS = 1 << 11
