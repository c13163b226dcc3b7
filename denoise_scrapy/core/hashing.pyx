"""The table of CRC-32 by bytes; see `hashing.pxd`."""

from libc.stdint cimport uint32_t

cdef uint32_t _crc_steps[256]


cdef int _fill() except -1:
    """The reflected polynomial 0x04C11DB7."""
    cdef uint32_t byte, crc
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (<uint32_t>0xEDB88320 if crc & 1 else 0)
        _crc_steps[byte] = crc
    return 0


_fill()
CRC_STEPS = _crc_steps
