"""The meaning of style attributes and style sheets for what can be seen.

A declaration is read as browsers do, without comments and with escapes decoded. Of a style sheet, those rules are
applied that concern sight and whose selectors are compounds, or descendants and children of compounds; rules that hold
in a state only, as after a click, tell what may be shown. What is not understood hides nothing.

Source: W3C, *CSS Syntax Module Level 3* (2021), *CSS Cascading and Inheritance Level 4* (2022).
"""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport strcmp, strlen, strncmp, strstr
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector
from cython.operator cimport dereference
from lxml.includes.tree cimport XML_ELEMENT_NODE, xmlNode

from denoise_scrapy.core.characters cimport is_blank, lower
from denoise_scrapy.core.formulas cimport attribute_of

cdef enum:
    # Bytes of a style attribute that are read; recorded pages have up to 2,000.
    MOST_BYTES = 4096
    # Levels above an element at which the compounds of a selector are looked for.
    LEVELS_UP = 32

#: An offset beyond this many pixels leaves the screen: -999em and -9999px are usual.
cdef double FAR = 500
#: A page scrolls down: pages of boxes with places, as site builders write them, have boxes 9,000 pixels below its top.
cdef double BELOW = 9999
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
        value[0] *= FAR / 100  # a whole screen is far; boxes as wide as the screen begin half of one to the left
    elif strncmp(unit, b"in", 2) == 0 or strncmp(unit, b"cm", 2) == 0:
        value[0] *= 40
    return unit


cdef inline bint is_far(const char* value, double most = 10 * FAR) noexcept nogil:
    """Return whether a length moves a box off the screen."""
    cdef double pixels
    return pixels_at(value, &pixels) != NULL and (pixels <= -FAR or pixels >= most)


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
    cdef double grows
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
        bit, off = P_OFFSET, is_far(value, BELOW if name[0] == 116 else 10 * FAR)  # top
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
    elif strncmp(name, b"flex", 4) == 0 and (name[4] == 0 or strcmp(name + 4, b"-grow") == 0):
        bit, off = P_FILLS, number_at(value, &grows) != NULL and grows > 0
    elif strcmp(name, b"padding") == 0 or strcmp(name, b"padding-top") == 0 or strcmp(name, b"padding-bottom") == 0:
        bit, off = P_FILLS, strstr(value, b"%") != NULL
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

    What is moved or animated is about to fade in, a block that is animated unfolds, and a strip that is moved has slides.
    A box without height or width is seen if it fills what is left of a row, or has the height of its padding.
    """
    cdef int32_t off = style.off
    cdef bint moves = style.off & P_MOVES or (style.said & P_TRANSFORM and not off & P_TRANSFORM)
    if off & P_DISPLAY:
        return BY_DISPLAY
    if off & P_OPACITY and not moves:
        return BY_OPACITY
    if (off & P_OFFSET and off & P_POSITION) or off & (P_INDENT | P_MARGIN):
        return BY_PLACE
    if off & P_TRANSFORM and (off & P_POSITION or not off & P_MOVES):
        return BY_PLACE
    if off & P_CLIP:
        return BY_CLIP
    if off & P_OVERFLOW and off & (P_HEIGHT | P_WIDTH) and not off & P_FILLS and not (moves and is_block):
        return BY_SIZE
    return SEEN

# ---- style sheets ----------------------------------------------------------------------------------------------------

cdef bint has_name(const char* names, const string& name) noexcept nogil:
    """Return whether a class attribute has a name."""
    cdef size_t size = name.size()
    cdef const char* at = names
    while True:
        at = strstr(at, name.c_str())
        if at == NULL:
            return False
        if (at == names or is_blank((at - 1)[0])) and (at[size] == 0 or is_blank(at[size])):
            return True
        at += size


cdef int32_t missing(const Compound* compound, const xmlNode* node) noexcept nogil:
    """Return how many classes an element lacks to match a compound; 1,000 if that cannot make it match."""
    cdef const char* names
    cdef const char* id_
    cdef int32_t lacks = 0
    cdef size_t i
    if compound.tag.size() and strcmp(compound.tag.c_str(), <const char*>node.name) != 0:
        return 1000
    if compound.id_.size():
        id_ = <const char*>attribute_of(node, b"id")
        if id_ == NULL or strcmp(id_, compound.id_.c_str()) != 0:
            return 1000
    if compound.classes.size():
        names = <const char*>attribute_of(node, b"class")
        for i in range(compound.classes.size()):
            lacks += names == NULL or not has_name(names, compound.classes[i])
    return lacks


cdef bint is_around(const Rule* rule, const xmlNode* node, int64_t* steps) noexcept nogil:
    """Return whether the compounds of a rule before its last match the ancestors of an element.

    Nearest ancestors are taken first, which misses few selectors in which children follow descendants. No rule matches
    once there are no `steps` left.
    """
    cdef size_t i
    cdef int level = 0
    cdef bint is_child
    for i in range(1, rule.compounds.size()):
        if steps[0] <= 0:
            return False
        is_child = rule.compounds[i - 1].is_child
        node = node.parent
        while node != NULL and node.type == XML_ELEMENT_NODE and not is_child and level < LEVELS_UP and (
                missing(&rule.compounds[i], node)):
            node = node.parent
            level += 1
        steps[0] -= level + 1
        if node == NULL or node.type != XML_ELEMENT_NODE or missing(&rule.compounds[i], node):
            return False
    return True


cdef int add_rules_of(
    const Sheet* sheet, const string& name, const xmlNode* node, vector[int32_t]& found
) except -1 nogil:
    """Add the rules whose last compound has a name and matches an element."""
    cdef unordered_map[string, vector[int32_t]].const_iterator named = sheet.by_name.const_find(name)
    cdef size_t i
    cdef int32_t rule
    if named == sheet.by_name.const_end():
        return 0
    for i in range(dereference(named).second.size()):
        rule = dereference(named).second[i]
        if missing(&sheet.rules[rule].compounds[0], node) == 0:
            found.push_back(rule)
    return 0


cdef int find_rules(const Sheet* sheet, const xmlNode* node, vector[int32_t]& found) except -1 nogil:
    """Find the rules, other than those of states, whose last compound matches an element, in order."""
    cdef const unsigned char* names = attribute_of(node, b"class")
    cdef const unsigned char* id_ = attribute_of(node, b"id")
    cdef string name
    cdef size_t i, j
    cdef int32_t rule
    add_rules_of(sheet, string(b"*"), node, found)
    name.assign(<const char*>node.name)
    add_rules_of(sheet, name, node, found)
    if id_ != NULL:
        name.assign(b"#").append(<const char*>id_)
        add_rules_of(sheet, name, node, found)
    while names != NULL and names[0]:
        while is_blank(names[0]):
            names += 1
        name.assign(b".")
        while names[0] and not is_blank(names[0]):
            name.push_back(<char>names[0])
            names += 1
        if name.size() > 1:
            add_rules_of(sheet, name, node, found)
    for i in range(1, found.size()):  # few
        rule, j = found[i], i
        while j > 0 and found[j - 1] > rule:
            found[j] = found[j - 1]
            j -= 1
        found[j] = rule
    return 0


cdef bint may_show(const Sheet* sheet, const xmlNode* node, int64_t* steps) noexcept nogil:
    """Return whether a rule would show an element in another state of the page.

    That is one whose selector matches in a state, or lacks one class of the element, or one of an ancestor. No rule
    does once there are no `steps` left.
    """
    cdef const Rule* rule
    cdef int32_t lacks
    cdef size_t i
    if steps[0] <= 0:
        return False
    steps[0] -= <int64_t>sheet.rules.size()
    for i in range(sheet.rules.size()):
        rule = &sheet.rules[i]
        if not rule.style.said & P_SWITCHED or rule.style.off & P_SWITCHED:
            continue
        lacks = missing(&rule.compounds[0], node)
        if lacks == 1 and rule.compounds[0].id_.size() == 0 and rule.compounds[0].classes.size() == 1:
            # nothing of the element itself is selected: what is around it has to be
            if rule.compounds.size() > 1 and rule.compounds[0].is_child and is_around(rule, node, steps):
                return True
        elif lacks == 1 or (lacks == 0 and (rule.is_state or not is_around(rule, node, steps))):
            return True
    return False


cdef class StyleSheet:
    """The rules of a page's style sheets that concern sight.

    Args:
        rules: Of each rule in the order of the cascade, its selector's compounds as (tag, id, classes, is_child), the
            last one first; its declarations; and whether it holds in a state only.
        is_all: Whether the page loads no other style sheet.
    """

    def __init__(self, rules, bint is_all=False):
        cdef Rule rule
        cdef Compound part
        self.sheet.is_all = is_all
        for compounds, declarations, is_state in rules:
            rule.compounds.clear()
            for tag, id_, classes, is_child in compounds:
                part.tag, part.id_, part.is_child = tag.encode(), id_.encode(), is_child
                part.classes.clear()
                for name in classes:
                    part.classes.push_back(<bytes>name.encode())
                rule.compounds.push_back(part)
            rule.style.said = rule.style.important = rule.style.off = 0
            rule.style.colour = rule.style.back = UNKNOWN
            data = declarations.encode()
            read_style(data, &rule.style)
            rule.is_state = is_state
            if not is_state:
                tag, id_, classes, _ = compounds[0]
                name = f"#{id_}" if id_ else f".{classes[0]}" if classes else tag or "*"
                self.sheet.by_name[<bytes>name.encode()].push_back(<int32_t>self.sheet.rules.size())
            self.sheet.rules.push_back(rule)
