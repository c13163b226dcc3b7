"""From where on the interpreter's lock is let go for short work: to have it back takes longer than the work on less."""

cdef enum:
    # On so many bytes of a page, blocks, or units of a text it works some 50 µs.
    WORTH_BYTES = 1 << 18
    WORTH_BLOCKS = 1 << 11
    WORTH_UNITS = 1 << 11
