"""The meaning of style attributes and style sheets for what can be seen.

A declaration is read as browsers do, without comments and with escapes decoded. Of a style sheet, those rules are
applied that concern sight and whose selectors are compounds, or descendants and children of compounds; rules that hold
in a state only, as after a click, tell what may be shown. What is not understood hides nothing.

Source: W3C, *CSS Syntax Module Level 3* (2021), *CSS Cascading and Inheritance Level 4* (2022).
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset, strchr, strcmp, strcspn, strlen, strncmp, strstr
from libcpp.algorithm cimport reverse
from libcpp.string cimport string
from libcpp.vector cimport vector
from lxml.includes.etreepublic cimport _Element
from lxml.includes.tree cimport XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, xmlNode

from denoise_scrapy.core.characters cimport begins, is_blank, lower
from denoise_scrapy.core.formulas cimport attribute_of
from denoise_scrapy.core.hashing cimport number_of, open_table

cdef enum:
    # Bytes of a style attribute that are read; recorded pages have up to 2,000.
    MOST_BYTES = 4096
    # Bytes of a page's style sheets that are read; the 95th percentile of recorded pages is 60,000.
    MOST_SHEET = 300_000
    # Selectors that are read, the first ones; and bytes of a list of them.
    MOST_SELECTORS = 3000
    MOST_SELECTOR = 500
    # Conditions around a rule, such as media queries.
    MOST_AROUND = 8
    # Whether a condition holds on the screens that pages are made for: always, on some, never.
    ALWAYS = 0
    SOMETIMES = 1
    NEVER = 2

# Conditions of a selector that a click changes.
cdef const char* STATES[8]
STATES[:] = [
    b":checked", b":target", b":open", b":popover-open", b":focus-within", b"[open", b"[aria-expanded", b"[aria-selected",
]
#: An offset beyond this many pixels leaves the screen: -999em and -9999px are usual.
cdef double FAR = 500
#: Sizes of text and boxes up to this many pixels show nothing.
cdef double NOTHING = 1
#: A lower opacity cannot be seen.
cdef double FAINT = 0.05
#: Colours whose channels differ by no more cannot be told apart.
cdef int32_t CLOSE = 8

# ---- declarations ----------------------------------------------------------------------------------------------------

cdef inline int32_t hex_of(unsigned char byte) noexcept nogil:
    """Return the value of a hexadecimal digit, -1 for anything else."""
    byte = lower(byte)
    return byte - 48 if 48 <= byte <= 57 else byte - 87 if 97 <= byte <= 102 else -1


cdef int write_clean(const unsigned char* text, string& out) except -1 nogil:
    """Write CSS in lower case without comments, escapes, the contents of strings, and needless white space."""
    cdef const unsigned char* end = text + MOST_BYTES
    cdef uint32_t code
    cdef unsigned char quote
    cdef int digits
    while text[0] and text < end:
        if text[0] == 47 and text[1] == 42:  # /*
            text += 2
            while text[0] and not (text[0] == 42 and text[1] == 47):
                text += 1
            text += 2 if text[0] else 0
            continue
        if text[0] == 34 or text[0] == 39:
            quote = text[0]
            text += 1
            while text[0] and text[0] != quote:
                text += 2 if text[0] == 92 and text[1] else 1
            text += 1 if text[0] else 0
            out.push_back(34)
            continue
        if text[0] == 92 and text[1]:
            text += 1
            code = digits = 0
            while digits < 6 and hex_of(text[0]) >= 0:
                code = code * 16 + hex_of(text[0])
                text += 1
                digits += 1
            if digits == 0:
                code = text[0]
                text += 1
            elif is_blank(text[0]):
                text += 1
            out.push_back(<char>lower(<unsigned char>code) if 32 < code < 127 else 63)
            continue
        if not is_blank(text[0]):
            out.push_back(<char>lower(text[0]))
        elif not out.empty() and out.back() != 32:
            out.push_back(32)
        text += 1
    return 0


cdef const char* number_at(const char* at, double* value) noexcept nogil:
    """Read a number; return what follows it, NULL if there is none."""
    cdef double sign = 1, tenth = 1, found = 0
    cdef bint has_digits = False
    if at[0] == 45 or at[0] == 43:
        sign = -1 if at[0] == 45 else 1
        at += 1
    while 48 <= at[0] <= 57:
        found = found * 10 + (at[0] - 48)
        has_digits = True
        at += 1
    if at[0] == 46 and 48 <= at[1] <= 57:
        at += 1
        while 48 <= at[0] <= 57:
            tenth /= 10
            found += tenth * (at[0] - 48)
            has_digits = True
            at += 1
    value[0] = sign * found
    return at if has_digits else NULL


cdef const char* pixels_at(const char* at, double* value) noexcept nogil:
    """Read a length in pixels, roughly; return what follows its number, NULL if there is none."""
    cdef const char* unit = number_at(at, value)
    if unit == NULL:
        return NULL
    if strncmp(unit, b"em", 2) == 0 or strncmp(unit, b"rem", 3) == 0 or strncmp(unit, b"ch", 2) == 0:
        value[0] *= 16
    elif strncmp(unit, b"vw", 2) == 0 or strncmp(unit, b"vh", 2) == 0:
        value[0] *= 10
    elif strncmp(unit, b"in", 2) == 0 or strncmp(unit, b"cm", 2) == 0:
        value[0] *= 40
    return unit


cdef inline bint is_far(const char* value) noexcept nogil:
    """Return whether a length moves a box off the screen."""
    cdef double pixels
    return pixels_at(value, &pixels) != NULL and (pixels <= -FAR or pixels >= 10 * FAR)


cdef inline bint is_nothing(const char* value) noexcept nogil:
    """Return whether a length is so small that nothing shows."""
    cdef double pixels
    cdef const char* unit = pixels_at(value, &pixels)
    return unit != NULL and -NOTHING <= pixels <= (0 if unit[0] == 37 else NOTHING)  # %


cdef inline bint is_faint(const char* value) noexcept nogil:
    cdef double share
    cdef const char* unit = number_at(value, &share)
    return unit != NULL and (share / 100 if unit[0] == 37 else share) < FAINT


cdef int32_t colour_of(const char* value) noexcept nogil:
    """Read a colour that is written in numbers, or black, white or transparent."""
    cdef int32_t[8] digits
    cdef double[4] channels
    cdef int32_t count = 0
    cdef const char* at = value
    if at[0] == 35:  # #
        while count < 8 and hex_of(at[count + 1]) >= 0:
            digits[count] = hex_of(at[count + 1])
            count += 1
        if (count == 4 and digits[3] == 0) or (count == 8 and digits[6] == 0 and digits[7] == 0):
            return TRANSPARENT
        if count == 3 or count == 4:
            return digits[0] * 0x110000 + digits[1] * 0x1100 + digits[2] * 0x11
        if count >= 6:
            return (digits[0] << 20 | digits[1] << 16 | digits[2] << 12 | digits[3] << 8 | digits[4] << 4 | digits[5])
        return UNKNOWN
    if strncmp(at, b"rgb", 3) == 0:
        while at[0] and at[0] != 40:
            at += 1
        channels[3] = 1
        while at[0] and at[0] != 41 and count < 4:
            at += 1
            while at[0] == 32 or at[0] == 47 or at[0] == 44:
                at += 1
            if number_at(at, &channels[count]) == NULL:
                return UNKNOWN
            at = number_at(at, &channels[count])
            count += 1
        if count == 4 and channels[3] < FAINT:
            return TRANSPARENT
        return <int32_t>channels[0] << 16 | <int32_t>channels[1] << 8 | <int32_t>channels[2] if count >= 3 else UNKNOWN
    if strncmp(at, b"transparent", 11) == 0:
        return TRANSPARENT
    if strncmp(at, b"white", 5) == 0 and not 97 <= at[5] <= 122:
        return 0xFFFFFF
    return 0 if strncmp(at, b"black", 5) == 0 else UNKNOWN


cdef bint is_close(int32_t colour, int32_t back) noexcept nogil:
    """Return whether two known colours cannot be told apart."""
    cdef int32_t shift, difference
    if colour < 0 or back < 0:
        return False
    for shift in range(0, 24, 8):
        difference = (colour >> shift & 255) - (back >> shift & 255)
        if not -CLOSE <= difference <= CLOSE:
            return False
    return True


cdef bint cuts_all(const char* value) noexcept nogil:
    """Return whether a `clip` or `clip-path` leaves nothing to see."""
    cdef double[4] edges
    cdef int32_t count = 0
    cdef bint is_rect = strncmp(value, b"rect(", 5) == 0, is_inset = strncmp(value, b"inset(", 6) == 0
    cdef bint is_zero = True
    cdef const char* at = strstr(value, b"(")
    cdef const char* after
    if at == NULL:
        return False
    at += 1
    while at[0] and at[0] != 41:
        after = pixels_at(at, &edges[count & 3])
        if after == NULL:
            if is_rect and 97 <= at[0] <= 122:  # auto
                return False
            at += 1
            continue
        is_zero &= edges[count & 3] <= NOTHING
        if is_inset and count == 0 and after[0] == 37 and edges[0] >= 50:
            return True
        count += 1
        at = after
        while 97 <= at[0] <= 122 or at[0] == 37:
            at += 1
    if is_rect and count == 4:
        return edges[1] - edges[3] <= NOTHING or edges[2] - edges[0] <= NOTHING
    return count > 0 and is_zero and not is_inset


cdef bint moves_away(const char* value) noexcept nogil:
    """Return whether a `transform` shrinks a box to nothing or moves it off the screen."""
    cdef const char* at = strstr(value, b"scale")
    cdef double number
    if at != NULL:
        at = strstr(at, b"(")
        return at != NULL and number_at(at + 1, &number) != NULL and -0.01 <= number <= 0.01
    at = strstr(value, b"translate")
    if at != NULL:
        at = strstr(at, b"(")
    return at != NULL and is_far(at + 1)


cdef int declare(Style* style, const char* name, const char* value) noexcept nogil:
    """Add a declaration in lower case."""
    cdef int32_t bit = 0
    cdef bint off = False, important = strstr(value, b"!") != NULL
    cdef const char* at
    if strncmp(name, b"-webkit-", 8) == 0:
        name += 8
    if strcmp(name, b"display") == 0:
        bit, off = P_DISPLAY, strncmp(value, b"none", 4) == 0
    elif strcmp(name, b"visibility") == 0:
        bit, off = P_VISIBILITY, strncmp(value, b"hidden", 6) == 0 or strncmp(value, b"collapse", 8) == 0
    elif strcmp(name, b"content-visibility") == 0:
        bit, off = P_DISPLAY, strncmp(value, b"hidden", 6) == 0
    elif strcmp(name, b"opacity") == 0:
        bit, off = P_OPACITY, is_faint(value)
    elif strcmp(name, b"filter") == 0:
        at = strstr(value, b"opacity(")
        bit, off = P_OPACITY if at != NULL else 0, at != NULL and strncmp(value, b"alpha", 5) != 0 and is_faint(at + 8)
    elif strcmp(name, b"font-size") == 0:
        bit, off = P_TEXT_SIZE, is_nothing(value)
    elif strcmp(name, b"font") == 0:
        bit, off = P_TEXT_SIZE, strncmp(value, b"0/", 2) == 0 or strncmp(value, b"0 ", 2) == 0
    elif strcmp(name, b"color") == 0 or strcmp(name, b"text-fill-color") == 0:
        bit = P_COLOUR
        if not style.important & P_COLOUR or important:
            style.colour = colour_of(value)
        off = style.colour == TRANSPARENT
    elif strcmp(name, b"background-color") == 0 or strcmp(name, b"background") == 0:
        bit = P_BACKGROUND
        if not style.important & P_BACKGROUND or important:
            style.back = UNKNOWN if strstr(value, b"url(") != NULL or strstr(value, b"gradient") != NULL else (
                colour_of(value))
    elif strcmp(name, b"background-clip") == 0:
        bit, off = P_TEXT_CLIP, strncmp(value, b"text", 4) == 0
    elif strcmp(name, b"position") == 0:
        bit, off = P_POSITION, strncmp(value, b"absolute", 8) == 0 or strncmp(value, b"fixed", 5) == 0 or (
            strncmp(value, b"relative", 8) == 0)
    elif strcmp(name, b"left") == 0 or strcmp(name, b"top") == 0 or (
            strcmp(name, b"right") == 0 or strcmp(name, b"bottom") == 0 or strcmp(name, b"inset") == 0):
        if style.off & P_OFFSET:  # one far edge is enough
            return 0
        bit, off = P_OFFSET, is_far(value)
    elif strcmp(name, b"text-indent") == 0:
        bit, off = P_INDENT, is_far(value)
    elif strcmp(name, b"margin-left") == 0 or strcmp(name, b"margin-top") == 0 or strcmp(name, b"margin") == 0:
        if style.off & P_MARGIN:
            return 0
        bit, off = P_MARGIN, is_far(value)
    elif strcmp(name, b"transform") == 0 or strcmp(name, b"scale") == 0 or strcmp(name, b"translate") == 0:
        bit, off = P_TRANSFORM, moves_away(value) or (name[0] == 115 and is_faint(value)) or (
            name[1] == 114 and name[4] == 115 and name[5] == 108 and is_far(value))
    elif strcmp(name, b"clip") == 0 or strcmp(name, b"clip-path") == 0:
        bit, off = P_CLIP, cuts_all(value)
    elif strcmp(name, b"height") == 0 or strcmp(name, b"max-height") == 0:
        if style.off & P_HEIGHT and strncmp(value, b"auto", 4) != 0:
            return 0
        bit, off = P_HEIGHT, is_nothing(value)
    elif strcmp(name, b"width") == 0 or strcmp(name, b"max-width") == 0:
        if style.off & P_WIDTH and strncmp(value, b"auto", 4) != 0:
            return 0
        bit, off = P_WIDTH, is_nothing(value)
    elif strcmp(name, b"overflow") == 0 or strcmp(name, b"overflow-x") == 0 or strcmp(name, b"overflow-y") == 0:
        bit, off = P_OVERFLOW, strncmp(value, b"hidden", 6) == 0 or strncmp(value, b"clip", 4) == 0
    elif strncmp(name, b"transition", 10) == 0 or strncmp(name, b"animation", 9) == 0 or (
            strcmp(name, b"will-change") == 0):
        bit, off = P_MOVES, strncmp(value, b"none", 4) != 0
    if style.important & bit and not important:
        return 0
    style.said |= bit
    style.off = style.off | bit if off else style.off & ~bit
    style.important |= bit if important else 0
    return 0


cdef int read_style(const unsigned char* text, Style* style) except -1 nogil:
    """Add the declarations of a style attribute, or of a rule."""
    cdef string clean
    cdef size_t i = 0, name, value, depth
    write_clean(text, clean)
    clean.push_back(59)
    while i < clean.size():
        while i < clean.size() and (clean[i] == 32 or clean[i] == 59):
            i += 1
        name = i
        while i < clean.size() and clean[i] != 58 and clean[i] != 59:
            i += 1
        if i >= clean.size() or clean[i] == 59:
            continue
        clean[i] = 0
        if i > name and clean[i - 1] == 32:
            clean[i - 1] = 0
        i += 1
        value = i + (i < clean.size() and clean[i] == 32)
        depth = 0
        while i < clean.size() and (depth or clean[i] != 59):
            depth += clean[i] == 40
            depth -= depth > 0 and clean[i] == 41
            i += 1
        if i < clean.size():
            clean[i] = 0
            i += 1
        if value < clean.size():
            declare(style, clean.data() + name, clean.data() + value)
    return 0


cdef int add_style(Style* style, const Style* more) noexcept nogil:
    """Add declarations that follow in the cascade."""
    cdef int32_t taken = more.said & ~(style.important & ~more.important)
    style.said |= taken
    style.off = (style.off & ~taken) | (more.off & taken)
    style.important |= more.important
    if taken & P_COLOUR:
        style.colour = more.colour
    if taken & P_BACKGROUND:
        style.back = more.back
    return 0


cdef int32_t reason_of(const Style* style, bint is_block) noexcept nogil:
    """Return why declarations hide an element, and all in it: what its text inherits is for the caller.

    What is moved or animated is about to fade in, and a block that is animated unfolds.
    """
    cdef int32_t off = style.off
    cdef bint moves = style.off & P_MOVES or (style.said & P_TRANSFORM and not off & P_TRANSFORM)
    if off & P_DISPLAY:
        return BY_DISPLAY
    if off & P_OPACITY and not moves:
        return BY_OPACITY
    if (off & P_OFFSET and off & P_POSITION) or off & (P_INDENT | P_MARGIN | P_TRANSFORM):
        return BY_PLACE
    if off & P_CLIP:
        return BY_CLIP
    if off & P_OVERFLOW and off & (P_HEIGHT | P_WIDTH) and not (moves and is_block):
        return BY_SIZE
    return SEEN

# ---- style sheets ----------------------------------------------------------------------------------------------------

cdef struct Around:       # a block that is open
    string prelude        # its selectors, or its condition
    int32_t holds         # whether rules in it do


cdef int32_t holds_in(const string& prelude) noexcept nogil:
    """Return whether what is in a block holds: `ALWAYS`, `SOMETIMES` or `NEVER`."""
    cdef const unsigned char* at = <const unsigned char*>prelude.c_str()
    if begins(at, b"@supports") or begins(at, b"@layer") or begins(at, b"@-moz-document"):
        return ALWAYS
    if not begins(at, b"@media"):
        return SOMETIMES if begins(at, b"@container") else NEVER
    at += 6
    while is_blank(at[0]):
        at += 1
    if begins(at, b"print"):
        return NEVER
    if begins(at, b"only "):
        at += 5
    at += 6 if begins(at, b"screen") else 3 if begins(at, b"all") else 0
    return SOMETIMES if at[0] else ALWAYS


cdef inline bint begins_name(const unsigned char* at) noexcept nogil:
    at += at[0] == 45
    return 97 <= lower(at[0]) <= 122 or at[0] == 95


cdef inline bint is_in_name(unsigned char byte) noexcept nogil:
    return 97 <= lower(byte) <= 122 or 48 <= byte <= 57 or byte == 45 or byte == 95


cdef bint read_plain(const unsigned char* at, Rule* rule) except -1 nogil:
    """Read a selector of names, classes and ids, one inside another, as most are; return False for another one."""
    cdef Compound part
    cdef const unsigned char* first
    cdef const unsigned char* name
    cdef unsigned char mark
    cdef string tag
    cdef bint is_child = False
    rule.compounds.clear()
    rule.weight, rule.is_state = 0, False
    while True:
        while is_blank(at[0]):
            at += 1
        if at[0] == 0:
            reverse(rule.compounds.begin(), rule.compounds.end())
            return rule.compounds.size() and not is_child
        if at[0] == 62:  # >
            if is_child or not rule.compounds.size():
                return False
            is_child = True
            at += 1
            continue
        part.tag = part.id_ = 0
        part.classes.clear()
        tag.clear()
        part.is_child, is_child = is_child, False
        first = at
        while at[0] and at[0] != 62 and not is_blank(at[0]):
            mark = at[0]
            at += mark == 35 or mark == 46 or mark == 42  # # . *
            if mark == 42 and at == first + 1:
                continue
            name = at
            if not begins_name(at) or (at != first and mark != 35 and mark != 46):
                return False
            while is_in_name(at[0]):
                at += 1
            if mark == 35:
                part.id_ = name_of(name, at - name, OF_ID)
                rule.weight += 1 << 16
            elif mark == 46:
                part.classes.push_back(name_of(name, at - name, OF_CLASS))
                rule.weight += 1 << 8
            else:
                while name < at:
                    tag.push_back(<char>lower(name[0]))
                    name += 1
                part.tag = name_of(<const unsigned char*>tag.data(), tag.size(), OF_TAG)
                rule.weight += 1
        # scripts change the classes of the page
        rule.is_state |= part.classes.size() > 0 and (
            tag.compare(b"html") == 0 or tag.compare(b"body") == 0)
        rule.compounds.push_back(part)


cdef bint is_of_state(const string& selector) except -1 nogil:
    """Return whether a selector that is not plain may be understood: its conditions are those that a click changes."""
    cdef string small
    cdef size_t i
    for i in range(selector.size()):
        small.push_back(<char>lower(selector[i]))
    if strchr(small.c_str(), 58) == NULL and strchr(small.c_str(), 91) == NULL:
        return True
    for i in range(8):
        if strstr(small.c_str(), STATES[i]) != NULL:
            return True
    return False


cdef int add_rule(Sheet* sheet, Rule* rule) except -1 nogil:
    """Add a rule whose selector and style are read, to be found by a name of its last compound."""
    cdef const Compound* last = &rule.compounds[0]
    cdef int32_t number = <int32_t>sheet.rules.size(), found
    cdef size_t i, j
    rule.weight = rule.weight << 32 | number
    memset(rule.filter, 0, sizeof(rule.filter))
    for i in range(1, rule.compounds.size()):
        for j in range(rule.compounds[i].classes.size()):
            add_to(rule.filter, rule.compounds[i].classes[j])
        if rule.compounds[i].tag:
            add_to(rule.filter, rule.compounds[i].tag)
        if rule.compounds[i].id_:
            add_to(rule.filter, rule.compounds[i].id_)
    if not rule.is_state:
        found = number_of(sheet.names, last.id_ if last.id_ else last.classes[0] if last.classes.size() else (
            last.tag if last.tag else ANY))
        if found == <int32_t>sheet.by_name.size():
            sheet.by_name.push_back(vector[int32_t]())
        sheet.by_name[found].push_back(number)
    if rule.style.said & P_SWITCHED and not rule.style.off & P_SWITCHED:
        sheet.showing.push_back(number)
    sheet.rules.push_back(rule[0])
    return 0


cdef uint64_t hash_of(str name, uint64_t of):
    """Return the hash of a name, 0 for ""."""
    data = name.encode()
    return name_of(data, len(data), of) if data else 0


cdef int add_selector(Sheet* sheet, const string& selector, const Style* style, bint is_some, read_hard) except -1:
    """Add the rules of a selector."""
    cdef Rule rule
    cdef Compound part
    rule.style = style[0]
    if read_plain(<const unsigned char*>selector.c_str(), &rule):
        rule.is_state |= is_some
        add_rule(sheet, &rule)
    elif is_of_state(selector):
        for (ids, marks, tags), compounds, is_state in read_hard(selector.decode("utf-8", "replace")):
            rule.compounds.clear()
            for tag, id_, classes, is_child in compounds:
                part.tag, part.id_, part.is_child = hash_of(tag, OF_TAG), hash_of(id_, OF_ID), is_child
                part.classes = [hash_of(name, OF_CLASS) for name in classes]
                rule.compounds.push_back(part)
            rule.weight = (ids << 16) + (marks << 8) + tags
            rule.is_state = is_state or is_some
            add_rule(sheet, &rule)
    return 0


cdef int add_block(
    Sheet* sheet, const string& selectors, const string& declarations, bint is_some, int32_t* left, read_hard
) except -1:
    """Add the rules of a block of declarations, if they concern what can be seen."""
    cdef Style style
    cdef size_t start = 0, end
    cdef const char* text = selectors.c_str()
    memset(&style, 0, sizeof(Style))
    style.colour = style.back = UNKNOWN
    read_style(<const unsigned char*>declarations.c_str(), &style)
    if not style.said:
        return 0
    while start <= selectors.size():
        left[0] -= 1
        end = start + strcspn(text + start, b",")
        if selectors.size() <= MOST_SELECTOR:
            add_selector(sheet, selectors.substr(start, end - start), &style, is_some, read_hard)
        start = end + 1
    return 0


cdef string trimmed(const string& text) except *:
    """Return a text without white space around it."""
    cdef size_t start = 0, end = text.size()
    while end > start and is_blank(text[end - 1]):
        end -= 1
    while start < end and is_blank(text[start]):
        start += 1
    return text.substr(start, end - start)


cdef int read_sheet(Sheet* sheet, const unsigned char* text, read_hard) except -1:
    """Read the rules of a style sheet, which its braces tell; in comments and strings they count for nothing."""
    cdef vector[Around] around
    cdef Around block
    cdef string piece, declarations
    cdef size_t size
    cdef int32_t left = MOST_SELECTORS, holds
    cdef unsigned char byte = 1
    while byte:
        size = strcspn(<const char*>text, b"{};/\"'")
        piece.append(<const char*>text, size)
        text += size
        byte = text[0]
        text += byte != 0
        if byte == 47 and text[0] == 42:  # /*
            piece.push_back(32)
            text = <const unsigned char*>strstr(<const char*>text + 1, b"*/")
            if text == NULL:
                text = b""
            text += 2 if text[0] else 0
        elif byte == 47:
            piece.push_back(47)
        elif byte == 34 or byte == 39:
            piece.append(b'""')
            while text[0] and text[0] != byte and text[0] != 10:
                text += 2 if text[0] == 92 and text[1] else 1
            text += text[0] == byte
        elif byte == 59:  # ;
            declarations.append(piece).push_back(59)
            piece.clear()
        else:
            holds = around[around.size() - 2].holds if around.size() > 1 else ALWAYS
            if byte == 123:  # {
                block.prelude = trimmed(piece)
                block.holds = NEVER if around.size() >= MOST_AROUND else max(
                    around.back().holds if around.size() else ALWAYS, holds_in(block.prelude))
                around.push_back(block)
            elif around.size():
                block = around.back()
                if holds != NEVER and left > 0 and block.prelude[0] != 64:  # @
                    declarations.append(piece)
                    add_block(sheet, block.prelude, declarations, holds == SOMETIMES, &left, read_hard)
                around.pop_back()
            piece.clear()
            declarations.clear()
    return 0


cdef int add_text_of(const xmlNode* node, string& text) except -1 nogil:
    """Add the text of a style element."""
    node = node.children
    while node != NULL and text.size() < MOST_SHEET:
        if (node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE) and node.content != NULL:
            text.append(<const char*>node.content)
        node = node.next
    return 0


cdef bint loads_style(const xmlNode* node) noexcept nogil:
    """Return whether a link element loads a style sheet."""
    cdef const unsigned char* rel = attribute_of(node, b"rel")
    while rel != NULL and rel[0]:
        if begins(rel, b"stylesheet"):
            return True
        rel += 1
    return False


def styles_of(_Element root not None) -> tuple[bytes, bool]:
    """Return the text of the style sheets in a page's tree, and whether it loads no others.

    Example:
        >>> from lxml import etree
        >>> styles_of(etree.fromstring("<p><style>p { color: red }</style>"), etree.HTMLParser())
        (b'p { color: red }', True)
    """
    cdef const xmlNode* node = root._c_node
    cdef string text
    cdef bint is_all = True
    while True:
        if node.type == XML_ELEMENT_NODE:
            if strcmp(<const char*>node.name, b"style") == 0:
                add_text_of(node, text)
            elif strcmp(<const char*>node.name, b"link") == 0:
                is_all &= not loads_style(node)
            elif node.children != NULL:
                node = node.children
                continue
        while node != root._c_node and node.next == NULL:
            node = node.parent
        if node == root._c_node:
            break
        node = node.next
    if text.size() > MOST_SHEET:
        text.resize(MOST_SHEET)
    return text.data()[:text.size()], is_all and strstr(text.c_str(), b"@import") == NULL


cdef class StyleSheet:
    """The rules of a page's style sheets that concern sight.

    Args:
        text: The style sheets.
        is_all: Whether the page loads no other one.
        read_hard: Reads a selector that is more than names, classes and ids: returns of each one that is understood
            its specificity; its compounds as (tag, id, classes, is_child), the last one first; and whether it holds in
            a state only.
    """

    def __init__(self, bytes text, bint is_all, read_hard):
        self.sheet.is_all = is_all
        open_table(self.sheet.names, 64)
        read_sheet(&self.sheet, text, read_hard)
