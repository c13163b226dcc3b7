"""The versions that the core was compiled with, as the headers name them."""

cdef extern from "lxml-version.h":
    const char* LXML_VERSION_STRING
cdef extern from "libxml/xmlversion.h":
    const char* LIBXML_DOTTED_VERSION

LXML = (<bytes>LXML_VERSION_STRING).decode()
LIBXML2 = (<bytes>LIBXML_DOTTED_VERSION).decode()
