"""Minimum sizes for releasing the interpreter's lock: for less work, getting it back takes longer than the work."""

cdef enum:
    # Bytes of a page, or units of a text, that take some 50 µs. What takes a page's blocks one by one holds it: there are
    # 25,000 at most.
    WORTH_BYTES = 1 << 18
    WORTH_UNITS = 1 << 11
