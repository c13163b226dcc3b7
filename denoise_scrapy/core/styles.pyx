# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The meaning of style attributes and style sheets for what can be seen.

A declaration is read as browsers do, without comments and with escapes decoded. Of a style sheet, those rules are
applied that concern sight and whose selectors are compounds, or descendants and children of compounds; rules that hold
in a state only, as after a click, tell what may be shown. What is not understood hides nothing.

Source: W3C, *CSS Syntax Module Level 3* (2021), *CSS Cascading and Inheritance Level 4* (2022).
"""

import re
from base64 import b64decode
from collections import Counter
from contextlib import suppress
from urllib.parse import unquote_to_bytes

import tinycss2.color3

from libc.math cimport fabs, fmod
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport strtol
from libc.string cimport memset, strchr, strcspn, strlen, strspn, strstr
from libcpp.algorithm cimport reverse
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector
from cython.operator cimport dereference
from lxml.includes.etreepublic cimport _Element

from denoise_scrapy.core.characters cimport (
    Bytes, Chars, begins, behind_blanks, hex_of, is_blank, is_digit, is_letter, lower, starts,
)
from denoise_scrapy.core.hashing cimport number_of, open_table
from denoise_scrapy.core.nodes cimport MOST_PASSED

from denoise_scrapy.core.markup import USUAL_SHEET, Property

cdef enum:
    # Bytes of a custom property's value that is put where it is used: longer ones are lists and pictures.
    LONG_VALUE = 40
    # Steps that a selector takes, beside those for its bytes: 30,000 selectors take 8 MB.
    A_RULE = 1000
    # Functions in one another.
    MOST_AROUND = 8

cdef enum:
    # Characters around the part of a selector that adds nothing to its weight.
    FREE = 1
    COUNTED

cdef enum:
    # Whether a condition holds on the screens that pages are made for: always, on some, never.
    ALWAYS
    SOMETIMES
    NEVER

# Conditions of a selector that a click changes.
cdef vector[string] STATES = b"""
:checked :target :target-within :open :popover-open :focus-within [open [aria-expanded [aria-selected
""".split()
# Beginnings of attributes that scripts change, as those of parts that are shown when a page is ready: no condition on
# them hides.
cdef vector[string] CHANGED = b"""
hidden style aria- data-state data-open data-active data-show data-visible data-collapsed
cloak v-cloak x-cloak ng-cloak data-cloak data-ng-cloak
""".split()
# Conditions that hold, as nobody points at anything.
cdef vector[string] UNPOINTED = b":not(:hover) :not(:focus) :not(:active)".split()
#: An offset beyond this many pixels leaves the screen: -999em and -9999px are usual.
cdef double FAR_OFF = 500
#: And beyond so many per cent of the box around it.
cdef double LEFT_SHARE = 200
#: An offset that takes a line out of what is around it, or out of the page.
cdef double AHEAD = 100
#: A page scrolls down: pages of boxes with places, as site builders write them, have boxes 9,000 pixels below its top.
cdef double BELOW = 9999
#: Sizes of text and boxes up to this many pixels show nothing; of a line that is cut to so many none can be read.
cdef double NOTHING = 1, SLIVER = 4
#: A lower opacity cannot be seen.
cdef double LEAST_OPACITY = 0.05
#: Colours whose channels differ by no more cannot be told apart.
cdef int32_t CLOSE = 8
#: Pixels of the narrowest and the widest screens that pages are made for.
cdef double NARROW = 320, WIDE = 4000
#: Padding of so many pixels shows a line of a box without height.
cdef double ROOM = 8
# In lower case, as declarations are read.
cdef Chars LETTERS = b"abcdefghijklmnopqrstuvwxyz"
cdef Chars BLANKS = b" \t\n\r\f"
# Words of the colours that CSS names.
_NAMES = """
aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood
cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray
darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen
darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue
firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew
hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray
lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue
mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred
midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid
palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple red
rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray
slategrey snow springgreen steelblue tan teal thistle tomato turquoise violet wheat white whitesmoke yellow
yellowgreen
"""
cdef unordered_map[string, int32_t] _colours, _units
_colours[b"transparent"] = TRANSPARENT
_colours[b"inherit"] = _colours[b"unset"] = INHERITED
_colours[b"currentcolor"] = CURRENT
_colours[b"canvas"] = _colours[b"window"] = _colours[b"field"] = 0xFFFFFF
_colours[b"rebeccapurple"] = 0x663399
for _name in _NAMES.split():
    _red, _green, _blue, _ = tinycss2.color3.parse_color(_name)
    _colours[<bytes>_name.encode()] = round(255 * _red) << 16 | round(255 * _green) << 8 | round(255 * _blue)
# A tenth of the pixels of a length, roughly, or of the degrees of an angle. A whole screen is far; boxes as wide as the
# screen begin half of one to the left.
_UNITS = """
160 em rem ex ch pc
50 vw vh vmin vmax dvw dvh svw svh lvw lvh
400 in cm
40 mm
3600 turn
573 rad
9 grad
"""
for _line in _UNITS.strip().splitlines():
    _size, *_names = _line.split()
    for _name in _names:
        _units[<bytes>_name.encode()] = int(_size)

(
    P_DISPLAY, P_VISIBILITY, P_OPACITY, P_TEXT_SIZE, P_COLOUR, P_BACKGROUND, P_POSITION, P_OFFSET, P_INDENT, P_MARGIN,
    P_TRANSFORM, P_CLIP, P_HEIGHT, P_WIDTH, P_OVERFLOW, P_MOVES, P_TEXT_CLIP, P_FIXED, P_BEYOND, P_PUSHED, P_ROOM,
    P_RELATIVE, P_AHEAD, P_LINES,
) = Property
P_SWITCHED = P_DISPLAY | P_VISIBILITY | P_OPACITY | P_HEIGHT | P_WIDTH | P_POSITION | P_OFFSET | P_TRANSFORM | P_CLIP
#: Properties that say by themselves nothing about what shows.
cdef int32_t PLACES = P_OFFSET | P_MARGIN | P_WIDTH | P_BEYOND | P_PUSHED | P_ROOM | P_LINES

# ---- the table of properties -----------------------------------------------------------------------------------------

cpdef enum Test:
    # What a value is tested for.
    WORD       # one of the words of a row
    MOVING     # anything but `none`
    FUNCTION   # one of its functions leaves nothing to see
    ARGUMENTS  # what the function with the property's name would do
    MASK       # all of it is transparent
    COLOUR
    BACK
    PICTURE
    FAINT
    SMALL      # at most the limit of a row, in pixels
    SIZE       # so is the first one that is a size
    RELATIVE   # the first one that is a size is one of the size around it
    FAR        # as many pixels as the limit of a row to the left or above, or off the page
    MARGIN     # so is the first or the last of four
    ACROSS     # the whole box or screen
    ROOMY      # padding shows a line of a box without height

cdef struct Row:          # a row of the table
    int32_t bit
    int32_t test
    bint is_only          # a value that does not hide says nothing
    bint is_any_edge      # the property once hides, no later value undoes it
    string words          # which hide, with blanks around them
    string others         # which do not, "" for any: browsers ignore a declaration without either
    double limit

cdef unordered_map[string, vector[Row]] _properties

# Properties; the bits that they set; the test of a value that hides; its words, behind a stroke those that do not hide,
# or its limit in pixels. A line that is indented goes on with the one before.
_PROPERTIES = f"""
display; DISPLAY; WORD; none table-column table-column-group | block inline inline-block flex inline-flex grid
    inline-grid table inline-table table-row table-cell table-caption table-row-group table-header-group
    table-footer-group list-item contents flow-root flow ruby ruby-text math run-in -webkit-box -webkit-inline-box
    -webkit-flex -ms-flexbox -moz-box initial inherit unset revert revert-layer
content-visibility; DISPLAY; WORD ONLY; hidden
visibility; VISIBILITY; WORD; hidden collapse | visible initial inherit unset revert
opacity; OPACITY; FAINT; {LEAST_OPACITY}
filter; OPACITY; FUNCTION ONLY;
font-size font; TEXT_SIZE; SIZE; {NOTHING}
font-size font; RELATIVE; RELATIVE;
color text-fill-color; COLOUR; COLOUR;
background-color background; BACKGROUND; BACK;
background-image; BACKGROUND; PICTURE ONLY;
background-clip; TEXT_CLIP; WORD; text
text-shadow text-stroke; TEXT_CLIP; MOVING ONLY;
position; POSITION; WORD; absolute fixed relative
position; FIXED; WORD; fixed
left top inset inset-block inset-block-start inset-inline inset-inline-start right bottom inset-block-end
    inset-inline-end; OFFSET; FAR ANY_EDGE; {FAR_OFF}
left top inset inset-block inset-block-start inset-inline inset-inline-start right bottom inset-block-end
    inset-inline-end; BEYOND; ACROSS ONLY;
left top inset inset-block inset-block-start inset-inline inset-inline-start; AHEAD; FAR ONLY; {AHEAD}
text-indent; INDENT; FAR; {FAR_OFF}
letter-spacing; INDENT; FAR ONLY; {FAR_OFF}
margin margin-top margin-left margin-block margin-block-start margin-inline margin-inline-start margin-start
    margin-before; MARGIN; MARGIN ANY_EDGE; {FAR_OFF}
text-indent; PUSHED; ACROSS ONLY;
padding-left; PUSHED; FAR ONLY; {FAR_OFF}
padding padding-top padding-bottom flex flex-grow min-width min-height min-inline-size min-block-size; ROOM; ROOMY; {ROOM}
zoom; TRANSFORM; ARGUMENTS ONLY;
scale translate rotate; TRANSFORM; ARGUMENTS;
transform; TRANSFORM; FUNCTION;
clip clip-path; CLIP; FUNCTION;
mask mask-image; CLIP; MASK ONLY;
mask-size; CLIP; SMALL ONLY; {NOTHING}
height max-height block-size max-block-size; HEIGHT; SMALL ANY_EDGE; {SLIVER}
grid-template-rows; HEIGHT OVERFLOW; WORD ONLY; 0fr
width max-width inline-size max-inline-size; WIDTH; SMALL ANY_EDGE; {SLIVER}
overflow overflow-x overflow-y; OVERFLOW; WORD; hidden clip scroll auto overlay
contain; OVERFLOW; WORD ONLY; paint strict content
white-space white-space-collapse; LINES; WORD; pre pre-wrap pre-line break-spaces preserve preserve-breaks preserve-spaces
will-change transition transition-property transition-duration animation animation-name animation-duration; MOVES; MOVING;
"""


#: Properties, the bits that they set, the test of a value that hides, and its words or limit.
PROPERTIES = []
cdef Row _row
for _line in _PROPERTIES.replace("\n    ", " ").strip().splitlines():
    _names, _bits, _tests, _given = [part.strip() for part in _line.split(";")]
    _row.bit = sum(Property[bit] for bit in _bits.split())
    _test, *_ways = _tests.split()
    _row.test, _row.is_only, _row.is_any_edge = Test[_test], "ONLY" in _ways, "ANY_EDGE" in _ways
    _row.limit = 0 if _test == "WORD" else float(_given or 0)
    _row.words, _, _row.others = f" {_given} ".encode().partition(b"|")
    for _name in _names.split():
        _properties[<bytes>_name.encode()].push_back(_row)
    PROPERTIES.append((_names, Property(_row.bit), Test[_test], _row.limit or _given))

# ---- declarations ----------------------------------------------------------------------------------------------------

cdef int32_t named(const unordered_map[string, int32_t]& values, Chars name, size_t size) noexcept nogil:
    """Return the value of a name, `UNKNOWN` for none."""
    cdef string key
    cdef unordered_map[string, int32_t].const_iterator found
    key.assign(name, size)
    found = values.const_find(key)
    return UNKNOWN if found == values.const_end() else dereference(found).second


cdef Bytes behind_comment(Bytes at) noexcept nogil:
    """Return what follows the comment that a position is in; the end of the text if the comment has none."""
    cdef Chars end = strstr(<Chars>at, b"*/")
    return <Bytes>end + 2 if end else at + strlen(<Chars>at)


cdef Bytes behind_string(Bytes at) noexcept nogil:
    """Return what follows a string in quotes, or the line that it does not end in."""
    cdef unsigned char quote = at[0]
    at += 1
    while at[0] and at[0] != quote and at[0] != c'\n':
        at += 2 if at[0] == c'\\' and at[1] else 1
    return at + (at[0] == quote)


cdef size_t up_to(char end, Chars text) noexcept nogil:
    """Return the length of a text up to a character that is in no brackets of it, nor escaped."""
    cdef size_t size = 0
    cdef int depth = 0
    while text[size] and (depth or text[size] != end):
        depth += text[size] in b"(["
        depth -= depth > 0 and text[size] in b")]"
        size += 2 if text[size] == c'\\' and text[size + 1] else 1
    return size


cdef Bytes write_escaped(Bytes at, string& out) nogil:
    """Write the character that an escape behind a backslash stands for, if it is of one byte; return what follows."""
    cdef uint32_t code = 0
    cdef int digits = 0
    while digits < 6 and hex_of(at[0]) >= 0:
        code = code * 16 + hex_of(at[0])
        at += 1
        digits += 1
    if digits == 0:
        code = at[0]
        at += 1
    elif is_blank(at[0]):
        at += 1
    out.push_back(code if 32 < code < 256 else 63)
    return at


cdef int write_clean(Bytes text, string& out) nogil:
    """Write CSS in lower case without comments, escapes, the contents of strings, and needless white space."""
    while text[0]:
        if text[0] == c'/' and text[1] == c'*':
            text = behind_comment(text + 2)
            continue
        if text[0] in b"\"'":
            text = behind_string(text)
            out.push_back(c'"')
            continue
        if text[0] == c'\\' and text[1]:
            text = write_escaped(text + 1, out)
            out[out.size() - 1] = lower(out.back())
            continue
        if not is_blank(text[0]):
            out.push_back(lower(text[0]))
        elif not out.empty() and out.back() != c' ':
            out.push_back(c' ')
        text += 1


cdef Chars number_at(Chars at, double* value) noexcept nogil:
    """Read a number; return what follows it, NULL if there is none."""
    cdef double sign = -1 if at[0] == c'-' else 1, parts = 0
    cdef char* end
    at += at[0] in b"-+"
    if not is_digit(at[at[0] == c'.']):
        return NULL
    value[0] = 0
    while is_digit(at[0]) or (at[0] == c'.' and not parts):
        if at[0] == c'.':
            parts = 1
        else:
            value[0] = value[0] * 10 + (at[0] - c'0')
            parts *= 10
        at += 1
    value[0] *= sign / parts if parts else sign
    if at[0] == c'e' and is_digit(at[1 + (at[1] == c'-')]):  # 1e-3
        value[0] *= 10. ** strtol(at + 1, &end, 10)
        at = end
    return at


cdef inline Chars behind_space(Chars at) noexcept nogil:
    while at[0] == c' ':
        at += 1
    return at


cdef Chars sum_at(Chars at, double* value, char* unit, int depth) noexcept nogil:
    """Read a sum of products of lengths and numbers; return what follows, NULL if it is none."""
    cdef double sum = 0, factor
    cdef char sign
    at = length_at(behind_space(at), value, unit, depth)
    while at:
        at = behind_space(at)
        sign = at[0]
        if sign in b"+-":
            sum += value[0]
            at = length_at(behind_space(at + 1), value, unit, depth)
            value[0] = -value[0] if sign == c'-' else value[0]
        elif sign in b"*/":
            at = length_at(behind_space(at + 1), &factor, unit, depth)
            value[0] *= factor if sign == c'*' else 1 / factor if factor else 0
        else:
            break
    value[0] += sum
    return at


cdef Chars length_at(Chars at, double* value, char* unit, int depth) noexcept nogil:
    """Read a length, an angle or a share, or a function of them: calc, min, max, clamp; return what follows, or NULL.

    They are passed in pixels, degrees, and per cent, with the first letter of the unit.
    """
    cdef:
        Chars name = at
        double part
        int32_t tenths
        int count = 0
    at += strspn(at, LETTERS)
    if at[0] != c'(':
        at = number_at(name, value)
        if not at:
            return NULL
        unit[0], name = at[0], at
        at += strspn(at, LETTERS)
        tenths = named(_units, name, at - name)
        if tenths != UNKNOWN:
            value[0] *= tenths / 10.
        return at + (at[0] == c'%')
    if depth >= MOST_AROUND:
        return NULL
    while at[0] in b"(,":
        at = sum_at(at + 1, &part, unit, depth + 1)
        if not at:
            return NULL
        # clamp begins with its least value
        if not count or (starts(name, b"max") or (name[0] == c'c' and count == 1)) == (part > value[0]):
            value[0] = part
        count += 1
    unit[0] = 0  # it may be of several
    return at + 1 if at[0] == c')' else NULL


cdef int arguments_of(Chars* place, double* found, char* units, int most) noexcept nogil:
    """Read the numbers up to a closing bracket, words between them left out, and pass them; return how many there are."""
    cdef:
        Chars at = place[0]
        Chars after
        char before = c' '
        int count = 0
    while at[0] and at[0] != c')' and count < most:
        after = length_at(at, &found[count], &units[count], 0) if strchr(b" ,/(", before) else NULL
        count += after != NULL
        before = c'0' if after else at[0]
        at = after if after else at + 1
    place[0] = at
    return count


cdef inline int32_t seen_through(int32_t rgb, double opacity, bint is_back) noexcept nogil:
    """Return a colour as it shows: a background through which others show is unknown."""
    return TRANSPARENT if opacity < LEAST_OPACITY else UNKNOWN if is_back and opacity < 1 else rgb


cdef int32_t colour_of(Chars value, bint is_back) noexcept nogil:
    """Read a colour: `UNKNOWN`, `TRANSPARENT` or RGB."""
    cdef:
        uint64_t number = 0
        bint has_mark
        Chars at
        size_t count, i
    while starts(value, b"light-dark("):  # screens are light
        value = behind_space(strchr(value, c'(') + 1)
    has_mark = value[0] == c'#'
    at = value + has_mark
    count = strspn(at, b"0123456789abcdefABCDEF")
    if has_mark or (count == 6 and (at[6] == 0 or at[6] == c' ')):  # attributes may lack the mark
        if count not in (3, 4, 6, 8):
            return UNKNOWN
        for i in range(count):
            number = number << 8 | hex_of(at[i]) * 17 if count < 6 else number << 4 | hex_of(at[i])
        return seen_through(number >> 8, (number & 255) / 255., is_back) if count % 4 == 0 else <int32_t>number
    at += strspn(at, b"-abcdefghijklmnopqrstuvwxyz")
    return colour_in(value, at + 1, is_back) if at[0] == c'(' else named(_colours, value, at - value)


cdef int32_t colour_in(Chars name, Chars at, bint is_back) noexcept nogil:
    """Read a colour that is written as a function; one by lightness, as `lab` and `oklch`, if it is a grey."""
    cdef:
        double[4] n
        char[4] units
        double light, spread, turn
        int32_t count = arguments_of(&at, n, units, 4), rgb = 0, i
    if count < 3:
        return UNKNOWN
    for i in range(count):
        n[i] /= 100 if units[i] == c'%' else 255 if name[0] == c'r' and i < 3 else 1
    if name[0] == c'h':  # hsl, hwb
        light, spread = n[2], n[1] * min(n[2], 1 - n[2])
        if name[1] == c'w':
            light, spread = (1 - n[2] + n[1]) / 2, max(0., (1 - n[2] - n[1]) / 2)
        turn = n[0]
        for i in range(3):
            n[i] = fmod(fmod(turn / 30, 12) + 12 + 8 * i, 12)
            n[i] = light - spread * max(-1., min(1., min(n[i] - 3, 9 - n[i])))
    elif name[0] in b"lo":
        if fabs(n[1]) > .02 or (name[strcspn(name, b"(") - 1] == c'b' and fabs(n[2]) > .02):
            return UNKNOWN
        light = n[0] if name[0] == c'o' else (n[0] * (100 if units[0] == c'%' else 1) + 16) / 116
        n[0] = n[1] = n[2] = 1.055 * max(0., light) ** 1.25 - .055
    elif name[0] != c'r' and not starts(name, b"color("):
        return UNKNOWN
    for i in range(3):
        rgb = rgb << 8 | <int32_t>(255 * max(0., min(1., n[i])) + .5)
    return seen_through(rgb, n[3] if count == 4 else 1, is_back)


cdef bint is_picture(Chars value) noexcept nogil:
    return strstr(value, b"url(") or strstr(value, b"gradient")


cdef int32_t back_of(Chars value) noexcept nogil:
    """Return the colour of a background: the part of it that is one, `UNKNOWN` below a picture."""
    cdef:
        int32_t colour = UNKNOWN
        int depth = 0
        char before = c' '
    if is_picture(value):
        return UNKNOWN
    while value[0] and colour == UNKNOWN:
        if before == c' ' and not depth:
            colour = colour_of(value, True)
        depth += (value[0] == c'(') - (value[0] == c')')
        before = value[0]
        value += 1
    return colour


cdef bint is_close(int32_t colour, int32_t back) noexcept nogil:
    """Return whether two known colours cannot be told apart."""
    cdef int32_t shift
    cdef bint found = colour >= 0 and back >= 0
    for shift in range(0, 24, 8):
        found &= fabs((colour >> shift & 255) - (back >> shift & 255)) <= CLOSE
    return found


cdef bint masks_all(Chars value) noexcept nogil:
    """Return whether all colours of a mask are transparent."""
    cdef Chars at = strchr(value, c'(')
    cdef bint is_clear = False
    if not strstr(value, b"gradient"):
        return False
    while at and at[0] and at[0] != c')':
        at = behind_space(at + 1)
        is_clear = colour_of(at, False) == TRANSPARENT
        if not is_clear and not starts(at, b"to ") and not is_digit(at[0]):
            return False
        at += strcspn(at, b",)")
    return is_clear


cdef inline bint is_faint(double share, char unit) noexcept nogil:
    return (share / 100 if unit == c'%' else share) < LEAST_OPACITY


cdef bint is_lost(Chars function, double number) noexcept nogil:
    """Return whether one of a function's first two arguments leaves nothing of a box, or moves it off the screen."""
    if starts(function, b"translate"):
        return number <= -FAR_OFF or number >= BELOW
    if starts(function, b"scale"):
        return fabs(number) <= .01
    if starts(function, b"ellipse"):
        return number <= NOTHING
    if starts(function, b"rotatex") or starts(function, b"rotatey") or starts(function, b"skew"):  # turned away
        return fabs(fmod(fabs(number), 180) - 90) < 1
    return False


cdef bint leaves_nothing(Chars name, Chars* values) noexcept nogil:
    """Return whether a function shrinks a box to nothing, cuts it away or moves it off the screen; pass its arguments."""
    cdef:
        double[16] n
        char[16] units
        int count = arguments_of(values, n, units, 16), i, row
        bint is_flat = True, is_thin = True
    if count == 0 or name[strcspn(name, b"(") - 1] == c'z':
        return False
    if count == 1:
        n[1] = n[0]
    if starts(name, b"opacity") or starts(name, b"zoom"):  # browsers ignore a zoom of 0 or less
        return (n[0] > 0 or name[0] == c'o') and is_faint(n[0], units[0])
    if starts(name, b"matrix") and count in (6, 16):
        row = 2 if count == 6 else 4
        return is_lost(b"scale", n[0] * n[row + 1] - n[row] * n[1]) or (
            is_lost(b"translate", n[count - row]) or is_lost(b"translate", n[count - row + 1]))
    if starts(name, b"rotate") and count == 4:
        return (n[0] or n[1]) and n[2] == 0 and is_lost(b"skew", n[3])
    if starts(name, b"rect"):
        return count == 4 and (n[1] - n[3] <= NOTHING or n[2] - n[0] <= NOTHING or n[0] >= FAR_OFF)
    if starts(name, b"inset"):
        for i in range(count, 4):
            n[i] = n[max(0, i - 2)]
        return max(n[0] + n[2], n[1] + n[3]) >= (100 if strchr(name, c'%') else BELOW)
    if starts(name, b"polygon"):
        for i in range(2, count - 1, 2):
            is_flat &= fabs(n[i + 1] - n[1]) <= NOTHING
            is_thin &= fabs(n[i] - n[0]) <= NOTHING
        return is_flat or is_thin
    if starts(name, b"circle"):
        return n[0] <= NOTHING or (count == 3 and (n[0] + n[1] < 0 or n[0] + n[2] < 0))
    return is_lost(name, n[0]) or is_lost(name, n[1])


cdef bint is_any_nothing(Chars value) noexcept nogil:
    """Return whether one of the functions in a value leaves nothing."""
    cdef Chars at = strchr(value, c'(')
    cdef Chars name
    while at:
        name = at
        while name > value and (is_letter((name - 1)[0]) or (name - 1)[0] == c'3'):  # 3d
            name -= 1
        at += 1
        if leaves_nothing(name, &at):
            return True
        at = strchr(at, c'(')
    return False


cdef bint has_word(Chars value, const string& words) noexcept nogil:
    """Return whether a word of a value is among words with blanks around them."""
    cdef string word
    cdef size_t size
    while value[0]:
        size = strcspn(value, b" !")
        word.assign(b" ").append(value, size).push_back(c' ')
        if size and words.find(word) < words.size():
            return True
        value += size + (value[size] != 0)
    return False


cdef bint hides(const Row* row, Chars name, Chars value) noexcept nogil:
    """Return whether a value hides, by itself or with others, as a row of the table has it."""
    cdef:
        double[4] n
        char[4] units
        double one = 0
        int count, i
        int32_t test = row.test
        bint found, is_relative
    if test == WORD:
        return has_word(value, row.words)
    if test == MOVING:
        return not starts(value, b"none")
    if test == FUNCTION:
        return is_any_nothing(value)
    if test == ARGUMENTS:
        if value[0] in b"xy":
            name = b"rotatex"
        return leaves_nothing(name, &value)
    if test == MASK:
        return masks_all(value)
    if test == PICTURE:
        return is_picture(value)
    count = arguments_of(&value, n, units, 4)
    for i in range(count):
        one = n[i]
        if test == MARGIN and i % 3:
            continue
        if test == FAINT:
            found = is_faint(one, units[i])
        elif test == SMALL:
            found = (one >= 0 or not units[i]) and one <= (0 if units[i] == c'%' else row.limit)
        elif test in (SIZE, RELATIVE):
            if one and not is_letter(units[i]) and units[i] != c'%':  # the weight of a font
                continue
            is_relative = units[i] in b"%e"
            return is_relative if test == RELATIVE else 0 <= one <= (0 if is_relative else row.limit)
        elif test == ACROSS:
            found = fabs(one) >= (100 if units[i] == c'%' else FAR_OFF) and units[i] in b"%v"
        elif test == ROOMY:
            found = one > (row.limit if is_letter(units[i]) else 0)
        else:
            found = one <= -(min(row.limit, LEFT_SHARE) if units[i] == c'%' else row.limit)
            found |= one >= BELOW and (i == 0 or test != MARGIN)  # a large margin at the left undoes another's
        if found:
            return True
    return False


cdef int declare(Style* style, Chars name, Chars value) nogil:
    """Add a declaration in lower case, unless custom properties make up its value."""
    cdef:
        string key
        Chars mark
        const Row* row
        bint off, important
        unordered_map[string, vector[Row]].const_iterator found
        size_t i
    name += 8 if starts(name, b"-webkit-") else 0
    key.assign(name)
    found = _properties.const_find(key)
    mark = strchr(value, c'!')
    important = mark and starts(behind_space(mark + 1), b"important")
    if found == _properties.const_end() or strstr(value, b"var(") or (mark and not important):  # !ie
        return 0
    for i in range(dereference(found).second.size()):
        row = &dereference(found).second[i]
        off = hides(row, name, value)
        if (style.important & row.bit and not important) or (row.is_only and not off) or (
                row.others.size() and not off and not has_word(value, row.others)):
            continue
        if row.bit == P_COLOUR:
            style.colour = colour_of(value, False)
        elif row.bit == P_BACKGROUND:
            style.back = back_of(value)
        style.said |= row.bit
        if off:
            style.off |= row.bit
        elif not row.is_any_edge:
            style.off &= ~row.bit
        style.important |= row.bit if important else 0


cdef int read_style(Bytes text, Style* style) except -1 nogil:
    """Add the declarations of a style attribute, or of a rule."""
    cdef:
        string clean
        char* at
        char* name
        char* value
    write_clean(text, clean)
    clean.push_back(c';')
    at = &clean[0]
    while at[0]:
        at += strspn(at, b" ;")
        name = at
        at += strcspn(at, b":;")
        if at[0] != c':':
            continue
        at[0] = 0
        if at > name and (at - 1)[0] == c' ':
            (at - 1)[0] = 0
        at += 1
        value = at + (at[0] == c' ')
        at += up_to(c';', at)
        if at[0]:
            at[0] = 0
            at += 1
        declare(style, name, value)


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


cdef int32_t reason_of(const Style* style, bint is_block, bint is_bare) noexcept nogil:
    """Return why declarations hide an element, and all in it: what its text inherits is for the caller.

    What is moved or animated is about to fade in, a block that is animated unfolds, and a strip that is moved has slides,
    unless an element is bare: it has no name by which a script or a rule would find it.
    A box without height or width is seen if it fills what is left of a row, or has the height of its padding.
    """
    cdef int32_t off = style.off
    cdef bint moves = not is_bare and (off & P_MOVES or (style.said & P_TRANSFORM and not off & P_TRANSFORM))
    if off & P_DISPLAY:
        return BY_DISPLAY
    if off & P_OPACITY and not moves:
        return BY_OPACITY
    if (off & P_OFFSET and off & P_POSITION) or off & (P_INDENT | P_MARGIN) or (
            (off & P_BEYOND and off & P_FIXED) or (off & P_PUSHED and off & P_OVERFLOW)) or (
                is_bare and off & P_AHEAD and off & P_POSITION):
        return BY_PLACE
    if off & P_TRANSFORM and (is_bare or off & P_POSITION or not off & P_MOVES):
        return BY_PLACE
    if off & P_CLIP:
        return BY_CLIP
    if off & P_OVERFLOW and off & (P_HEIGHT | P_WIDTH) and not off & P_ROOM and not (moves and is_block):
        return BY_SIZE
    return SEEN

cdef bint holds(const Condition* condition, Chars given) noexcept nogil:
    """Return whether the value of an attribute, NULL if missing, meets a condition of a selector."""
    cdef:
        unsigned char sign = condition.operator
        Chars value = condition.value.c_str()
        size_t size = condition.value.size(), i
        Chars at
        string lowered
    if not given or not sign:
        return given != NULL
    if condition.any_case:
        lowered.assign(given)
        for i in range(lowered.size()):
            lowered[i] = lower(lowered[i])
        given = lowered.c_str()
    if not size:
        return sign == c'=' and not given[0]
    at = strstr(given, value)
    while at:
        if (at == given or sign in b"$*" or (sign == c'~' and is_blank((at - 1)[0]))) and (
                at[size] == 0 or sign in b"^*" or (sign == c'|' and at[size] == c'-')
                or (sign == c'~' and is_blank(at[size]))):
            return True
        at = strstr(at + 1, value)
    return False


# ---- style sheets ----------------------------------------------------------------------------------------------------

cdef struct Around:       # a block that is open
    string prelude        # its selectors, or its condition
    string declarations   # before the blocks in it
    int32_t holds         # whether rules in it do
    bint is_layered


_USUAL = re.compile(
    rb"only|and|screen|all|not(?:print|speech)|\((?:color|orientation:landscape|prefers-color-scheme:light|"
    rb"(?:any-)?hover(?::hover)?|(?:any-)?pointer:fine|prefers-reduced-motion:no-preference|scripting:enabled|"
    rb"forced-colors:none|display-mode:browser|monochrome:0|update:fast)\)"
)
_SCREEN = re.compile(rb"\((?:(min|max)-(?:width|height):|(?:width|height)([<>])=?)(\d{0,9}\.?\d{1,9})(px|r?em)?\)")
# Blocks whose rules hold on all screens, on some that a condition tells, and on others.
_AT_RULE = re.compile(rb"@(?:(media)|(container)|layer|supports(?!\s*not))\b", re.IGNORECASE)
# A block whose rules hold in elements of a selector, as if within it.
_SCOPE = re.compile(rb"@scope\s*\(([^()]*)\)")
# A custom property and its value, the root, and where a value is used, with another if there is none. A row of hyphens is
# tried once, not from each of them.
_DECLARED = re.compile(rb"(?<![\w-])(--[\w-]+)\s*:([^;{}]*)")
_ROOT = re.compile(rb":root\b")
_USED = re.compile(rb"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")


def _without_size(size):
    """Return what is left of a condition on the size of the screen: nothing if all that pages are made for meet it."""
    pixels = float(size[3]) * (16 if size[4] and size[4] != b"px" else 1)
    is_least = size[1] == b"min" or size[2] == b">"
    return b"" if (pixels <= NARROW if is_least else pixels >= WIDE) else size[0]


def _media_holds(bytes media):
    """Return whether one of a list of media queries holds: `ALWAYS`, `SOMETIMES` or `NEVER`."""
    found = NEVER
    for query in b"".join(media.lower().split()).split(b","):
        left = _SCREEN.sub(_without_size, _USUAL.sub(b"", query))
        found = min(found, NEVER if left.startswith(b"print") else SOMETIMES if left else ALWAYS)
    return found


def _with_values(bytes text):
    """Return style sheets with values in place of custom properties, if they set them once, at the root, or never."""
    often = Counter(name for name, _ in _DECLARED.findall(text))
    values = {}
    for block in text.rpartition(b"}")[0].split(b"}"):
        selectors, _, declarations = block.rpartition(b"{")
        if _ROOT.search(selectors.rpartition(b"{")[2]):
            found = _DECLARED.findall(declarations)
            values.update((name, value) for name, value in found if often[name] == 1 and len(value) <= LONG_VALUE)
    return _USED.sub(lambda used: values.get(used[1], used[0] if often[used[1]] else used[2] or used[0]), text)


def _holds_in(bytes prelude):
    """Return whether what is in a block with a condition holds."""
    rule = _AT_RULE.match(prelude)
    if not rule:
        return NEVER
    return _media_holds(prelude[rule.end():]) if rule[1] else SOMETIMES if rule[2] else ALWAYS


cdef vector[string] parts_of(const string& selectors):
    """Return the selectors of a list, without white space around them."""
    cdef:
        vector[string] found
        string one
        size_t start = 0, first
    while start < selectors.size():
        one = selectors.substr(start, up_to(c',', selectors.c_str() + start))
        start += one.size() + 1
        first = one.find_first_not_of(BLANKS)
        if first < one.size():
            found.push_back(one.substr(first, one.find_last_not_of(BLANKS) + 1 - first))
    return found


cdef string nested(const string& around, const string& selectors):
    """Return the selectors of a block in another one's, which stand in place of `&` or in front."""
    cdef string found, one, outer = b":is(" + around + b")"
    cdef size_t at
    if around.size() > MOST_PASSED or selectors.size() > MOST_PASSED:
        return string(b"(")  # which matches nothing, as it is too long, and those in it too
    for one in parts_of(selectors):
        at = one.find(b"&")
        if at >= one.size():
            one.insert(0, b"& ")
            at = 0
        while at < one.size() <= MOST_PASSED:  # what is longer is not read
            one.replace(at, 1, outer)
            at = one.find(b"&", at + outer.size())  # the outer one may contain it, where nothing is around
        found.append(one).push_back(c',')
    return found


cdef inline bint is_in_name(unsigned char byte) noexcept nogil:
    return is_letter(byte) or is_digit(byte) or byte in b"-_" or byte >= 0x80


cdef Bytes read_name(Bytes at, string& name) nogil:
    """Read a name; return what follows it, the same place if there is none."""
    cdef Bytes first = at + (at[0] == c'-')
    name.clear()
    if c'-' <= first[0] <= c'9':
        return at
    while True:
        first = at
        while is_in_name(at[0]):
            at += 1
        name.append(<Chars>first, at - first)
        if at[0] != c'\\' or not at[1]:
            return at
        at = write_escaped(at + 1, name)


cdef Bytes skip_condition(Bytes at) nogil:
    """Return what follows `:name`, `:name(...)`, `::name` or `[...]`."""
    cdef char close = c']'
    cdef string name
    if at[0] == c':':
        close = c')'
        at = read_name(at + 1 + (at[1] == c':'), name)
        if at[0] != c'(':
            return at
    at += 1 + up_to(close, <Chars>at + 1)
    return at + (at[0] != 0)


cdef bint begins_any(Bytes text, vector[string]& words) noexcept nogil:
    """Return whether a text begins with one of some lower-case words."""
    cdef size_t i
    for i in range(words.size()):
        if begins(text, words[i].c_str()):
            return True
    return False


cdef Bytes read_condition(Bytes at, Condition* condition, bint is_still) nogil:
    """Read a condition on an attribute; return what follows, NULL if it is not understood, or scripts may change it."""
    cdef Bytes first
    cdef size_t i
    at = behind_blanks(read_name(behind_blanks(at + 1), condition.name))
    if condition.name.empty() or (not is_still and begins_any(<Bytes>condition.name.c_str(), CHANGED)):
        return NULL
    condition.operator, condition.any_case = 0, False
    if at[0] != c']':
        condition.operator = at[0]
        at += strspn(<Chars>at, b"~|^$*")
        first = behind_blanks(at + 1)
        if at[0] != c'=' or first[0] == c']':
            return NULL
        if first[0] in b"\"'":
            at = behind_string(first)
            condition.value.assign(<Chars>first + 1, max(at - first, 2) - 2)
        else:
            at = read_name(first, condition.value)
        at = behind_blanks(at)
        condition.any_case = at[0] | 0x20 == c'i'
        for i in range(condition.value.size() if condition.any_case else 0):
            condition.value[i] = lower(condition.value[i])
        if condition.any_case or at[0] | 0x20 == c's':
            at = behind_blanks(at + 1)
    return at + 1 if at[0] == c']' else NULL


cdef int32_t place_in(Bytes at, Chars name) noexcept nogil:
    """Return the number in brackets behind a name, 0 for anything else."""
    cdef Chars digits = <Chars>at + strlen(name)
    if not begins(at, name) or digits[strspn(digits, b"0123456789")] != c')':
        return 0
    return <int32_t>strtol(digits, NULL, 10)


cdef bint read_simple(Bytes at, Condition* condition, bint is_still) nogil:
    """Read a condition on an attribute or a place; return False if it is not understood, or scripts may change it."""
    condition.is_not = is_still and begins(at, b":not(")
    at += 5 * condition.is_not
    condition.first = begins(at, b":first-child") or begins(at, b":only-child") or place_in(at, b":nth-child(")
    condition.last = begins(at, b":last-child") or begins(at, b":only-child") or place_in(at, b":nth-last-child(")
    if condition.first or condition.last:
        at = skip_condition(at)
    elif at[0] in b".#":
        condition.name.assign(b"id" if at[0] == c'#' else b"class")
        condition.operator = c'=' if at[0] == c'#' else c'~'
        at = read_name(at + 1, condition.value)
    else:
        at = read_condition(at, condition, is_still) if at[0] == c'[' else NULL
    return at and (not condition.is_not or at[0] == c')')


cdef inline bint is_combinator(unsigned char byte) noexcept nogil:
    return byte in b">+~"


cdef bint read_selector(Bytes at, Rule* rule, bint is_still) nogil:
    """Read a selector; return False if it is not understood. Conditions are, of its last compound."""
    cdef:
        Compound part
        Condition condition
        Bytes first, behind
        unsigned char mark, kind
        string name
        bint is_child = False, is_unknown = False, is_clicked = False, is_free = False, is_top
        size_t i
    rule.compounds.clear()
    rule.conditions.clear()
    rule.beside.clear()
    rule.weight, rule.is_state = 0, False
    at = behind_blanks(at)
    while at[0]:
        mark = at[0]
        if is_combinator(mark):
            if is_child or not rule.compounds.size():
                return False
            is_child = mark == c'>'
            if not is_child:
                # what is before it may change, if more than one simple compound is
                rule.is_state |= is_unknown or is_clicked or (
                    rule.compounds.size() + rule.beside.size() + rule.conditions.size() > 1)
                rule.beside.swap(rule.compounds)
                rule.is_next = mark == c'+'
                rule.compounds.clear()
                rule.conditions.clear()
            at = behind_blanks(at + 1)
            continue
        is_unknown |= rule.conditions.size() > 0
        part.names.clear()
        part.is_child, is_child, is_top, first = is_child, False, False, at
        while at[0] and not is_blank(at[0]) and not is_combinator(at[0]):
            mark, kind = at[0], OF_CLASS
            if mark in (FREE, COUNTED) or (mark == c'*' and at == first):
                is_free = mark == FREE
                first += at == first
                at += 1
                continue
            if mark in b":[":
                behind = skip_condition(at)
                if begins_any(at, STATES) and (behind - 1)[0] != c')':
                    rule.is_state = is_clicked = True
                elif begins(at, b":root") and behind == at + 5:
                    part.names.push_back(name_of(b"html", 4, OF_TAG))
                    is_top = True
                elif read_simple(at, &condition, is_still):
                    rule.conditions.push_back(condition)
                    rule.weight += <uint64_t>(not is_free) << 8
                else:
                    is_unknown |= not begins_any(at, UNPOINTED)
            else:
                if mark != c'.':
                    kind = OF_ID if mark == c'#' else OF_TAG
                at += kind != OF_TAG
                behind = read_name(at, name)
                if behind == at or (kind == OF_TAG and at != first):
                    return False
                for i in range(name.size() if kind == OF_TAG else 0):
                    name[i] = lower(name[i])
                is_top |= kind == OF_TAG and (name.compare(b"html") == 0 or name.compare(b"body") == 0)
                part.names.push_back(name_of(<Bytes>name.data(), name.size(), kind))
            rule.weight += <uint64_t>(not is_free) << 8 * (kind - OF_TAG)
            # scripts change the classes of the page
            rule.is_state |= not is_still and is_top and mark == c'.'
            at = behind
        rule.compounds.push_back(part)
        at = behind_blanks(at)
    if rule.is_state or rule.compounds.size() > 1:
        rule.is_state |= rule.beside.size() > 0
        rule.beside.clear()
    reverse(rule.compounds.begin(), rule.compounds.end())
    return rule.compounds.size() and not is_child and (is_clicked or not is_unknown)


cdef int add_rule(Sheet* sheet, Rule* rule) nogil:
    """Add a rule whose selector and style are read, to be found by a name of its last compound."""
    cdef:
        int32_t number = <int32_t>sheet.rules.size(), found
        uint64_t name, rarest = ANY
        size_t i
    rule.weight = (rule.weight | <uint64_t>(not sheet.is_layered) << 24) << 32 | number
    memset(rule.filter, 0, sizeof(rule.filter))
    for i in range(1, rule.compounds.size()):
        for name in rule.compounds[i].names:
            add_to(rule.filter, name)
    for name in rule.compounds[0].names:
        rarest = max(rarest, name)
    if not rule.is_state:
        found = number_of(sheet.names, rarest)
        if found == <int32_t>sheet.by_name.size():
            sheet.by_name.push_back(vector[int32_t]())
        sheet.by_name[found].push_back(number)
    if rule.style.said & P_SWITCHED and rule.style.said & ~PLACES and not rule.style.off & P_SWITCHED and (
            not rule.conditions.size() or of_what(rarest) > OF_TAG):
        sheet.showing.push_back(number)
    sheet.rules.push_back(rule[0])


cdef string spread(const string& selector):
    """Return the list of selectors that one with a group such as `:is(a, b)` stands for, "" if it has none.

    What was in `:where(...)`, which adds nothing to the weight, stands between `FREE` and `COUNTED`.
    """
    # of the last one, which has no other in it
    cdef size_t at = max(selector.rfind(b":is(") + 1, selector.rfind(b":where(") + 1) - 1, first = at, inner, end
    cdef string found, one, whole
    cdef bint is_tag
    # its compound, which a tag has to begin
    if selector.size() > MOST_PASSED:
        return found
    while 0 < first < selector.size() and not strchr(b" \t\n>+~(,", selector[first - 1]):
        first -= 1
    inner = selector.find(b"(", at) + 1
    end = selector.find_first_of(b"()", inner)
    if at >= selector.size() or end >= selector.size() or selector[end] != c')':
        return found
    for one in parts_of(selector.substr(inner, end - inner)):
        is_tag = is_letter(<unsigned char>one[0])
        whole = selector.substr(0, at)
        if selector[at + 1] == c'w':
            one = string(1, FREE) + one + string(1, COUNTED)
        whole.insert(first if is_tag else at, one)
        found.append(whole).append(selector.c_str() + end + 1).push_back(c',')
    return found


cdef int add_selectors(Sheet* sheet, const string& selectors, const Style* style, bint is_some):
    """Add the rules of a list of selectors, while there are `steps` left."""
    cdef Rule rule
    cdef string one, several
    rule.style = style[0]
    for one in parts_of(selectors):
        if sheet.steps <= 0:
            break
        sheet.steps -= A_RULE + A_PART * <int64_t>one.size()
        several = spread(one)
        if several.size():
            add_selectors(sheet, several, style, is_some)
        elif read_selector(<Bytes>one.c_str(), &rule, sheet.is_still):
            rule.is_state |= is_some
            add_rule(sheet, &rule)


cdef int add_block(Sheet* sheet, const string& selectors, const string& declarations, bint is_some):
    """Add the rules of a block of declarations, if they concern what can be seen."""
    cdef Style style
    memset(&style, 0, sizeof(Style))
    style.colour = style.back = UNKNOWN
    read_style(<Bytes>declarations.c_str(), &style)
    # where a box is and how wide says nothing by itself, unless it is far away or has no width
    if style.said & (~PLACES | P_LINES) or style.off:
        add_selectors(sheet, selectors, &style, is_some)


cdef int read_sheet(Sheet* sheet, Bytes text):
    """Read the rules of a style sheet, which its braces tell; in comments and strings they count for nothing."""
    cdef:
        vector[Around] around  # the sheet itself is the first
        Around block
        string piece
        Bytes first
        size_t size
        unsigned char byte = 1
    block.holds, block.is_layered = ALWAYS, False
    around.push_back(block)
    while byte:
        size = strcspn(<Chars>text, b"{};/\"'")
        piece.append(<Chars>text, size)
        text += size
        byte = text[0]
        text += byte != 0
        if byte == c'/' and text[0] == c'*':
            piece.push_back(c' ')
            text = behind_comment(text + 1)
        elif byte == c'/':
            piece.push_back(c'/')
        elif byte in b"\"'":
            first, text = text - 1, behind_string(text - 1)
            piece.append(<Chars>first, text - first)
        elif byte == c';':
            around.back().declarations.append(piece).push_back(c';')
            piece.clear()
        elif byte == c'{':
            block.prelude.assign(<Chars>behind_blanks(<Bytes>piece.c_str()))
            block.holds, block.is_layered = around.back().holds, around.back().is_layered
            if block.prelude[0] == c'@':
                block.prelude = _SCOPE.sub(rb"\1", block.prelude)
            if around.size() > MOST_PASSED:  # selectors around it would add up
                block.prelude.clear()
                block.holds = NEVER
            elif block.prelude[0] == c'@':
                block.holds = max(block.holds, _holds_in(block.prelude))
                block.is_layered |= begins(<Bytes>block.prelude.c_str(), b"@layer")
            elif around.back().prelude[0] not in b"@\0":
                block.prelude = nested(around.back().prelude, block.prelude)
            around.push_back(block)
            piece.clear()
        elif around.size() > 1:
            block = around.back()
            around.pop_back()
            if block.holds != NEVER and block.prelude[0] != c'@':
                sheet.is_layered = block.is_layered
                add_block(sheet, block.prelude, block.declarations + piece, block.holds == SOMETIMES)
            block.declarations.clear()
            piece.clear()
        elif byte:  # a stray brace is part of what follows
            piece.push_back(c'}')


def _written_in(address):
    """Return the style sheet that an address contains, "" for another one."""
    head, _, data = address.partition(",")
    if head.startswith("data:text/css"):
        with suppress(ValueError):
            return b64decode(data) if head.endswith(";base64") else unquote_to_bytes(data)
    return b""


def styles_of(_Element root not None) -> tuple[bytes, bool, bool]:
    """Return the text of the style sheets in a page's tree, whether it loads no others, and whether no script runs.

    Example:
        >>> from lxml import etree
        >>> styles_of(etree.fromstring("<p><style>p { color: red }</style></p>"))
        (b'p { color: red }', True, True)
    """
    texts, is_all, is_still = [], True, True
    for one in root.iter("style", "link", "script") if root._c_node else ():
        kind = one.get("type", "").lower()
        if one.tag == "script":  # it runs if it is no data, no template; its text may be long
            if is_still and (not kind or "javascript" in kind or kind == "module"):
                is_still = not (one.get("src") is not None or one.text)
            continue
        is_link = one.tag == "link"
        words = one.get("rel", "").lower().split() if is_link else ["stylesheet"]
        if "stylesheet" not in words or (
                next(one.iterancestors("noscript", "template"), None) is not None or one.get("disabled") is not None):
            continue
        inner = _written_in(one.get("href", "")) if is_link else (one.text or "").encode() * (kind in ("", "text/css"))
        if "alternate" not in words and _media_holds(one.get("media", "").encode()) == ALWAYS:
            texts.append(inner)
        is_all = is_all and (inner != b"" or not is_link)
    text = b"".join(texts)
    return text, is_all and b"@import" not in text, is_still


cdef class StyleSheet:
    """The rules of a page's style sheets that concern sight, behind those that most sheets have.

    Args:
        text: The sheets.
        is_all: Whether the page loads no other one.
        is_still: Whether no script runs on it.
    """

    def __init__(self, bytes text, bint is_all, bint is_still=False):
        self.sheet.is_all, self.sheet.is_still = is_all, is_still
        open_table(self.sheet.names, 64)
        text = USUAL_SHEET + text
        text = text.replace(b"<!--", b" ").replace(b"-->", b" ").replace(b"*|", b"")  # of any namespace
        self.sheet.steps = LEAST_STEPS + STEPS_A_BYTE * <int64_t>len(text)
        if is_all and b"var(" in text:
            text = _with_values(text)
        read_sheet(&self.sheet, text)
