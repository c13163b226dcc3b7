# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The TeX of a formula: from the page if it contains TeX, else generated from MathML; each formula once.

Source: W3C, *Mathematical Markup Language (MathML) 3.0* (2014), sections 3.1.3, the arguments of elements, and 5.2,
annotations.
"""

from libc.string cimport strlen, strncmp, strstr
from libcpp.string cimport string
from libcpp.vector cimport vector
from lxml.includes.tree cimport XML_ELEMENT_NODE, XML_TEXT_NODE

from denoise_scrapy.core.characters cimport Chars, begins, equal, is_letter
from denoise_scrapy.core.nodes cimport LEVELS, MOST_DEPTH, Node, attribute_of, is_named, shown_from, told_of, type_of

cdef enum:
    # A formula without any TeX symbol has no more words.
    MOST_WORDS = 3

# How elements are written: name, beginning, and separators before the second and the third part.
_NOTATIONS = br"""
msub  _
msup  ^
msubsup  _ ^
munder  _
mover  ^
munderover  _ ^
mfrac \frac
msqrt \sqrt
mroot \sqrt
"""
cdef vector[vector[string]] NOTATIONS = [
    (*line.split(b" "), b"", b"")[:4] for line in _NOTATIONS.strip().splitlines()
]


cdef inline bint is_name_byte(char byte) noexcept nogil:
    return is_letter(byte) or <unsigned char>byte >= 0x80


cdef bint has_word(Chars names, Chars word) noexcept nogil:
    """Return whether names contain a word, with no letter right before or after it."""
    cdef Chars found = strstr(names, word)
    while found:
        if (found == names or not is_name_byte((found - 1)[0])) and not is_name_byte(found[strlen(word)]):
            return True
        found = strstr(found + 1, word)
    return False


cdef int write_source(Chars text, string& out, bint is_tex) nogil:
    """Write a text, reducing white space to single spaces and dropping the invisible operators U+2061 to U+2064.

    TeX is written without comments, which include the ends of their lines.
    """
    while text[0]:
        if is_tex and text[0] == c'%':
            while text[0] and text[0] != c'\n':
                text += 1
            if not text[0]:
                return 0
        elif <unsigned char>text[0] <= 32:
            if not out.empty() and out.back() != c' ':
                out.push_back(c' ')
        elif <unsigned char>text[0] == 0xE2 and <unsigned char>text[1] == 0x81 and (
                0xA1 <= <unsigned char>text[2] <= 0xA4):
            text += 2
        else:
            out.push_back(text[0])
            if is_tex and text[0] == c'\\' and text[1] in b"%\\":
                text += 1
                out.push_back(text[0])
        text += 1


cdef Node second_in(Node node) noexcept nogil:
    """Return the second child element, NULL for none."""
    cdef Node child = node.children
    cdef int part = 0
    while child:
        part += child.type == XML_ELEMENT_NODE
        if part == 2:
            return child
        child = child.next
    return NULL


cdef int write_parts(Node node, string& out, int depth) nogil:
    """Write an element by its parts: fractions, roots, scripts; the children of others in sequence."""
    cdef:
        Node child = node.children
        Node index = second_in(node) if is_named(node, b"mroot") else NULL
        const string* notation = NULL
        size_t i
        int part = 0
    if depth > MOST_DEPTH:
        return 0
    for i in range(NOTATIONS.size()):
        if equal(<Chars>node.name, NOTATIONS[i][0].c_str()):
            notation = NOTATIONS[i].data()
            out.append(notation[1])
    if index:
        out.push_back(c'[')
        write_parts(index, out, depth + 1)
        out.push_back(c']')
    while child:
        if child.type == XML_TEXT_NODE and child.content and not notation:
            write_source(<Chars>child.content, out, False)
        elif child.type == XML_ELEMENT_NODE and child != index and not is_named(child, b"annotation") and not (
                is_named(child, b"annotation-xml") or is_named(child, b"mphantom") or attribute_of(child, b"hidden")):
            part += 1
            if notation and 2 <= part <= 3:
                out.append(notation[part])
            if notation and (part > 1 or not notation[1].empty()):
                out.push_back(c'{')
                write_parts(child, out, depth + 1)
                out.push_back(c'}')
            else:
                write_parts(child, out, depth + 1)
        child = child.next


cdef Node tex_in(Node math) noexcept nogil:
    """Return the TeX annotation of a formula, NULL for none."""
    cdef:
        Node semantics = math.children
        Node child
        Chars encoding
    while semantics:
        child = semantics.children if is_named(semantics, b"semantics") else NULL
        while child:
            if is_named(child, b"annotation") and child.children and child.children.content:
                encoding = told_of(child, b"encoding")
                if equal(encoding, b"application/x-tex") or equal(encoding, b"TeX"):
                    return child.children
            child = child.next
        semantics = semantics.next
    return NULL


cdef bint is_display(Node node) noexcept nogil:
    """Return whether a formula is displayed on a line of its own, according to it or MathJax's container."""
    cdef Chars told
    cdef int _level
    if not is_named(node, b"math"):
        return has_word(told_of(node, b"type" if is_named(node, b"script") else b"class"), b"display")
    for _level in range(LEVELS):
        told = told_of(node, b"display")
        if equal(told, b"block") or equal(told, b"true"):
            return True
        node = node.parent
        if not node or node.type != XML_ELEMENT_NODE:
            break
    return False


cdef bint strip(string& out, Chars before, Chars behind) nogil:
    """Strip delimiters if they enclose the whole formula."""
    cdef size_t first = strlen(before), last = strlen(behind), size = out.size()
    if size <= first + last or strncmp(out.data(), before, first) or strncmp(out.data() + size - last, behind, last):
        return False
    out.resize(size - last)
    out.erase(0, first)
    return True


cdef bint write_formula(Node node, string& out) except -1 nogil:
    """Write a formula as TeX, and return whether it is displayed on a line of its own.

    The source is the annotation, `alttext` or elements of `math`, the text of a script, the `alt` of an image.
    """
    cdef:
        bint is_image = is_named(node, b"img"), alone = is_display(node)
        Node tex = tex_in(node) if is_named(node, b"math") else node.children
        Chars told = told_of(node, b"alt" if is_image else b"alttext")
    if not is_image and is_prose(told):
        told = b""
    if tex and tex.type != XML_ELEMENT_NODE and tex.content and is_prose(<Chars>tex.content):
        tex = NULL
        if not is_named(node, b"math"):
            return False
    if tex:
        while tex:
            if tex.type != XML_ELEMENT_NODE and tex.content:
                write_source(<Chars>tex.content, out, True)
            tex = tex.next
    elif told[0]:
        write_source(told, out, strstr(told, b"%\n") != NULL)  # LaTeXML's line breaks; others write "5%"
    else:
        write_parts(node, out, 0)
    if not out.empty() and out.back() == c' ':
        out.pop_back()
    # display styles of Wikipedia and others; delimiters of images
    strip(out, b"{\\displaystyle ", b"}")
    if is_image:
        if strip(out, b"$$", b"$$") or strip(out, b"\\[", b"\\]"):
            alone = True
        elif not strip(out, b"$", b"$"):
            strip(out, b"\\(", b"\\)")
    return alone


# ---- formulas, and their repetitions ---------------------------------------------------------------------------------

cdef bint is_tex_script(Node node) noexcept nogil:
    """Return whether an element is a script with TeX, as MathJax 2 reads and leaves it."""
    return is_named(node, b"script") and begins(type_of(node), b"math/tex")


cdef bint looks_like_tex(Chars text) noexcept nogil:
    """Return whether a text contains a TeX symbol, or no word: no two adjacent letters."""
    cdef Chars at = text
    cdef bint in_words = False
    while at[0]:
        if at[0] in b"\\^_=":
            return True
        in_words |= is_name_byte(at[0]) and is_name_byte(at[1])
        at += 1
    return at > text and not in_words


cdef bint is_tex(Chars text) noexcept nogil:
    """Return whether a text is TeX by itself: between delimiters, or with a command or script and its argument."""
    cdef size_t size = strlen(text), i
    cdef bint in_command = False
    if size > 2 and text[0] == c'$' and text[size - 1] == c'$':
        return looks_like_tex(text)
    if size > 4 and text[0] == c'\\' and text[size - 2] == c'\\' and (
            (text[1] == c'(' and text[size - 1] == c')') or (text[1] == c'[' and text[size - 1] == c']')):
        return True
    for i in range(size - 1 if size else 0):
        if text[i] == c'\\':
            in_command = is_name_byte(text[i + 1])
        elif text[i + 1] == c'{' and (text[i] in b"^_" or (in_command and is_name_byte(text[i]))):
            return strstr(text + i, b"}") != NULL
        else:
            in_command &= is_name_byte(text[i])
    return False


cdef bint is_prose(Chars text) noexcept nogil:
    """Return whether a text is words and no TeX: nobody sees what stands for a formula, but in a formula."""
    cdef Chars at = text
    cdef int words = 0
    while at[0]:
        words += is_name_byte(at[0]) and is_name_byte(at[1]) and (at == text or not is_name_byte((at - 1)[0]))
        at += 1
    return words > MOST_WORDS and not looks_like_tex(text)


cdef bint is_formula_image(Node node) noexcept nogil:
    """Return whether an image shows the formula in its `alt`, according to that, a word in its class or its address."""
    cdef:
        Chars alt = told_of(node, b"alt")
        Chars names = told_of(node, b"class") if alt[0] else alt
        Chars source = told_of(node, b"src") if alt[0] else alt
    return is_tex(alt) or (has_word(names, b"latex") or has_word(names, b"tex") or has_word(names, b"math") or (
        strstr(source, b"latex") or strstr(source, b"math/render"))) and looks_like_tex(alt)


cdef bint is_math_alone(Node node) noexcept nogil:
    """Return whether a node is a formula in MathML, or contains nothing but one."""
    cdef int _level
    for _level in range(LEVELS):
        if not node or node.type != XML_ELEMENT_NODE or is_named(node, b"math"):
            break
        node = shown_from(node.children, False)
        if node and shown_from(node.next, False):
            return False
    return node and is_named(node, b"math")


cdef bint is_before_source(Node node) noexcept nogil:
    """Return whether a script with TeX follows an element of MathJax's, with only such elements between."""
    cdef int _passed
    for _passed in range(LEVELS):  # the rendering follows the preview
        node = shown_from(node.next, False)
        if not node or node.type != XML_ELEMENT_NODE:
            return False
        if is_tex_script(node):
            return True
        if not is_of_mathjax(told_of(node, b"class")):
            return False
    return False


cdef bint is_twin(Node node) noexcept nogil:
    """Return whether an element repeats a formula: by MathJax, a script, an image, or hidden from screen readers.

    Beside the visual rendering there is MathML for those readers. If MathJax 2 has its source in a script, all its
    output before that is dropped, including MathML.
    """
    cdef Node before = shown_from(node.prev, True)
    if is_named(node, b"script"):
        return is_math_alone(before) and not is_of_mathjax(told_of(before, b"class"))
    if is_of_mathjax(told_of(node, b"class")) and is_before_source(node):
        return True
    if not is_named(node, b"img") and not equal(told_of(node, b"aria-hidden"), b"true"):
        return False
    return (is_math_alone(before) or is_math_alone(shown_from(node.next, False))) and not is_math_alone(node)
