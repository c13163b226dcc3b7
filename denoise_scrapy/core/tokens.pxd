"""Tokens of a rendering."""

cdef class Token:
    cdef:
        readonly str kind          # start, end, void or text
        readonly str value
        readonly tuple attributes  # of a tag, or what a text is
        readonly int block         # of a text or image, -1 for none


cdef inline Token text_token(str text, int block, tuple attributes=()):
    cdef Token token = Token.__new__(Token)
    token.kind, token.value, token.attributes, token.block = "text", text, attributes, block
    return token
