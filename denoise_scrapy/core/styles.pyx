# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The meaning of style attributes and style sheets for what can be seen.

A declaration is read as browsers do, without comments and with escapes decoded. Of a style sheet, those rules are
applied that concern sight and whose selectors are compounds, or descendants and children of compounds; rules that hold
in a state only, as after a click, tell what may be shown. What is not understood hides nothing.

Source: W3C, *CSS Syntax Module Level 3* (2021), *CSS Cascading and Inheritance Level 4* (2022).
"""

from base64 import b64decode
from contextlib import suppress
from urllib.parse import unquote_to_bytes

import tinycss2.color3

from libc.math cimport fabs, fmod
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset, strchr, strcspn, strlen, strspn, strstr
from libcpp.algorithm cimport reverse
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector
from cython.operator cimport dereference
from lxml.includes.etreepublic cimport _Element
from lxml.includes.tree cimport xmlNode

from denoise_scrapy.core.characters cimport (
    begins, behind_blanks, equal, hex_of, is_blank, is_digit, is_letter, lower, starts,
)
from denoise_scrapy.core.hashing cimport number_of, open_table
from denoise_scrapy.core.nodes cimport add_text_of, attribute_of, is_named, next_in, told_of

cdef enum:
    # Bytes of a style attribute that are read; recorded pages have up to 2,000.
    MOST_BYTES = 40_000
    # Bytes of a page's style sheets that are read; the 95th percentile of recorded pages is 60,000.
    MOST_SHEET = 300_000
    # Selectors that are read, the first ones; and bytes of one that stands in another, or has a list in brackets.
    MOST_SELECTORS = 30_000
    MOST_SELECTOR = 500
    # Conditions around a rule, such as media queries.
    MOST_AROUND = 8
    # Whether a condition holds on the screens that pages are made for: always, on some, never.
    ALWAYS = 0
    SOMETIMES
    NEVER
    # Custom properties in a value, one in another.
    MOST_FILLED = 8
    # Properties that say by themselves nothing about what shows.
    PLACES = P_OFFSET | P_MARGIN | P_WIDTH | P_BEYOND | P_PUSHED | P_ROOM | P_LINES

# A selector that matches nothing.
cdef const char* UNREADABLE = b"("
# Conditions of a selector that a click changes.
cdef const char* STATES[9]
STATES[:] = [
    b":checked", b":target", b":target-within", b":open", b":popover-open", b":focus-within", b"[open",
    b"[aria-expanded", b"[aria-selected",
]
# What media queries for screens say, and what holds on a usual one: light, wide, in colours, with a mouse.
cdef const char* ON_SCREENS[20]
ON_SCREENS[:] = [
    b"only ", b"and", b"screen", b"all", b"not print", b"not speech", b"(color)", b"(orientation:landscape)",
    b"(prefers-color-scheme:light)", b"(hover)", b"(hover:hover)", b"(any-hover:hover)", b"(pointer:fine)",
    b"(any-pointer:fine)", b"(prefers-reduced-motion:no-preference)", b"(scripting:enabled)", b"(forced-colors:none)",
    b"(display-mode:browser)", b"(monochrome:0)", b"(update:fast)",
]
# Beginnings of attributes that scripts change, as those of parts that are shown when a page is ready: no condition on
# them hides.
cdef const char* CHANGED[9]
CHANGED[:] = [
    b"hidden", b"style", b"aria-", b"data-state", b"data-open", b"data-active", b"data-show", b"data-visible",
    b"data-collapsed",
]
#: An offset beyond this many pixels leaves the screen: -999em and -9999px are usual.
cdef double FAR = 500
#: An offset that takes a line out of what is around it, or out of the page.
cdef double AHEAD = 100
#: A page scrolls down: pages of boxes with places, as site builders write them, have boxes 9,000 pixels below its top.
cdef double BELOW = 9999
#: Sizes of text and boxes up to this many pixels show nothing; of a line that is cut to so many none can be read.
cdef double NOTHING = 1, SLIVER = 4
#: A lower opacity cannot be seen.
cdef double FAINT = 0.05
#: Colours whose channels differ by no more cannot be told apart.
cdef int32_t CLOSE = 8
#: Pixels of the narrowest and the widest screens that pages are made for.
cdef double NARROW = 320, WIDE = 4000
#: Padding of so many pixels shows a line of a box without height.
cdef double ROOM = 8
# Values of `display`; browsers ignore a declaration with another one.
cdef const char* DISPLAYS = (
    b" none block inline inline-block flex inline-flex grid inline-grid table inline-table table-row table-cell"
    b" table-caption table-column table-column-group table-row-group table-header-group table-footer-group list-item"
    b" contents flow-root flow ruby ruby-text math run-in -webkit-box -webkit-inline-box -webkit-flex -ms-flexbox -moz-box"
    b" initial inherit unset revert revert-layer "
)
_NAMES = (
    "aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood "
    "cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray "
    "darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen "
    "darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue "
    "firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew "
    "hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan "
    "lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen lightskyblue lightslategray "
    "lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon mediumaquamarine mediumblue "
    "mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen mediumturquoise mediumvioletred "
    "midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered orchid "
    "palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple red "
    "rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray "
    "slategrey snow springgreen steelblue tan teal thistle tomato turquoise violet wheat white whitesmoke yellow "
    "yellowgreen"
)
cdef unordered_map[string, int32_t] _colours, _properties
_colours[b"transparent"] = TRANSPARENT
_colours[b"canvas"] = _colours[b"window"] = _colours[b"field"] = 0xFFFFFF
_colours[b"rebeccapurple"] = 0x663399
for _name in _NAMES.split():
    _red, _green, _blue, _ = tinycss2.color3.parse_color(_name)
    _colours[<bytes>_name.encode()] = round(255 * _red) << 16 | round(255 * _green) << 8 | round(255 * _blue)

# ---- declarations ----------------------------------------------------------------------------------------------------

# The names of the properties that are read, by the bit that they set.
for _bit, _names in {
    P_DISPLAY: "display content-visibility",
    P_VISIBILITY: "visibility",
    P_OPACITY: "opacity filter",
    P_TEXT_SIZE: "font-size font",
    P_COLOUR: "color text-fill-color",
    P_BACKGROUND: "background-color background background-image",
    P_TEXT_CLIP: "background-clip",
    P_POSITION: "position",
    P_OFFSET: "left top right bottom inset inset-block inset-block-start inset-block-end inset-inline inset-inline-start "
    "inset-inline-end",
    P_INDENT: "text-indent letter-spacing",
    P_MARGIN: "margin margin-top margin-left margin-block margin-block-start margin-block-end margin-inline "
    "margin-inline-start margin-inline-end margin-start margin-end margin-before margin-after",
    P_PUSHED: "padding-left",
    P_ROOM: "padding padding-top padding-bottom flex flex-grow min-width min-height min-inline-size min-block-size",
    P_TRANSFORM: "zoom transform scale translate rotate",
    P_CLIP: "clip clip-path mask mask-image mask-size",
    P_HEIGHT: "height max-height block-size max-block-size grid-template-rows",
    P_WIDTH: "width max-width inline-size max-inline-size",
    P_LINES: "white-space white-space-collapse",
    P_OVERFLOW: "overflow overflow-x overflow-y contain",
    P_MOVES: "will-change transition transition-property transition-duration transition-delay transition-timing-function "
    "transition-behavior animation animation-name animation-duration animation-delay animation-timing-function "
    "animation-iteration-count animation-direction animation-fill-mode animation-play-state animation-composition "
    "animation-timeline animation-range animation-range-start animation-range-end",
}.items():
    for _name in _names.split():
        _properties[<bytes>_name.encode()] = _bit


cdef int32_t named(const unordered_map[string, int32_t]& values, const char* name, size_t size) noexcept nogil:
    """Return the value of a name, `UNKNOWN` for none."""
    cdef string key
    cdef unordered_map[string, int32_t].const_iterator found
    key.assign(name, size)
    found = values.const_find(key)
    return UNKNOWN if found == values.const_end() else dereference(found).second


cdef const unsigned char* behind_comment(const unsigned char* at) noexcept nogil:
    """Return what follows the comment that a position is in; the end of the text if the comment has none."""
    cdef const char* end = strstr(<const char*>at, b"*/")
    return at + strlen(<const char*>at) if end == NULL else <const unsigned char*>end + 2


cdef const unsigned char* write_escaped(const unsigned char* at, string& out) nogil:
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
    out.push_back(<char>code if 32 < code < 256 else 63)
    return at


cdef int write_clean(const unsigned char* text, string& out) nogil:
    """Write CSS in lower case without comments, escapes, the contents of strings, and needless white space."""
    cdef const unsigned char* end = text + MOST_BYTES
    cdef unsigned char quote
    while text[0] and text < end:
        if text[0] == c'/' and text[1] == c'*':
            text = behind_comment(text + 2)
            continue
        if text[0] == c'"' or text[0] == c'\'':
            quote = text[0]
            text += 1
            while text[0] and text[0] != quote:
                text += 2 if text[0] == c'\\' and text[1] else 1
            text += 1 if text[0] else 0
            out.push_back(c'"')
            continue
        if text[0] == c'\\' and text[1]:
            text = write_escaped(text + 1, out)
            out[out.size() - 1] = <char>lower(<unsigned char>out.back())
            continue
        if not is_blank(text[0]):
            out.push_back(<char>lower(text[0]))
        elif not out.empty() and out.back() != c' ':
            out.push_back(c' ')
        text += 1


cdef const char* number_at(const char* at, double* value) noexcept nogil:
    """Read a number; return what follows it, NULL if there is none."""
    cdef double sign = 1, tenth = 1, found = 0
    cdef bint has_digits = False
    if at[0] == c'-' or at[0] == c'+':
        sign = -1 if at[0] == c'-' else 1
        at += 1
    while is_digit(at[0]):
        found = found * 10 + (at[0] - c'0')
        has_digits = True
        at += 1
    if at[0] == c'.' and is_digit(at[1]):
        at += 1
        while is_digit(at[0]):
            tenth /= 10
            found += tenth * (at[0] - c'0')
            has_digits = True
            at += 1
    if at[0] == c'e' and has_digits and (is_digit(at[1]) or (at[1] == c'-' and is_digit(at[2]))):  # 1e-3
        found = 0 if at[1] == c'-' else found
        at += 2
        while is_digit(at[0]):
            at += 1
    value[0] = sign * found
    return at if has_digits else NULL


cdef inline const char* behind_space(const char* at) noexcept nogil:
    while at[0] == c' ':
        at += 1
    return at


cdef const char* product_at(const char* at, double* value, int depth) noexcept nogil:
    """Read a product of lengths and numbers; return what follows, NULL if it is none."""
    cdef double factor
    cdef char sign
    at = length_at(behind_space(at), value, depth)
    while at != NULL:
        at = behind_space(at)
        if at[0] != c'*' and at[0] != c'/':
            break
        sign = at[0]
        at = length_at(behind_space(at + 1), &factor, depth)
        value[0] *= factor if sign == c'*' else 1 / factor if factor else 0
    return at


cdef const char* length_at(const char* at, double* value, int depth) noexcept nogil:
    """Read a length in pixels or a function of lengths: calc, min, max, clamp; return what follows, NULL if none."""
    cdef const char* name = at
    cdef double part, term
    cdef int count = 0
    cdef char sign
    while is_letter(at[0]):
        at += 1
    if at[0] != c'(':
        at = pixels_at(name, value) if at == name else NULL
        while at != NULL and (is_letter(at[0]) or at[0] == c'%'):
            at += 1
        return at
    if depth >= MOST_AROUND:
        return NULL
    while at[0] == c'(' or at[0] == c',':
        at = product_at(at + 1, &part, depth + 1)
        while at != NULL and (at[0] == c'+' or at[0] == c'-'):
            sign = at[0]
            at = product_at(at + 1, &term, depth + 1)
            part += term if sign == c'+' else -term
        if at == NULL:
            return NULL
        if count == 0:
            value[0] = part
        elif starts(name, b"max") or (name[0] == c'c' and count == 1):  # clamp
            value[0] = max(value[0], part)
        else:
            value[0] = min(value[0], part)
        count += 1
    return at + 1 if at[0] == c')' else NULL


cdef int arguments_of(const char** place, double* found, int most) noexcept nogil:
    """Read the numbers up to a closing bracket, words between them left out, and pass them; return how many there are."""
    cdef const char* at = place[0]
    cdef const char* after
    cdef char before = c' '
    cdef int count = 0
    while at[0] and at[0] != c')' and count < most:
        after = length_at(at, &found[count], 0) if before == c' ' or before == c',' or before == c'(' else NULL
        count += after != NULL
        before = at[0] if after == NULL else 0
        at = after if after != NULL else at + 1
    place[0] = at
    return count


cdef const char* pixels_at(const char* at, double* value) noexcept nogil:
    """Read a length in pixels, or an angle in degrees, roughly; return what follows it, at its unit, NULL if none."""
    cdef const char* unit
    if is_letter(at[0]):
        return length_at(at, value, 0) if strchr(at, c'(') != NULL else NULL
    unit = number_at(at, value)
    if unit == NULL:
        return NULL
    if starts(unit, b"em") or starts(unit, b"rem") or starts(unit, b"ch") or (
            starts(unit, b"pc")):
        value[0] *= 16
    elif starts(unit, b"vw") or starts(unit, b"vh"):
        value[0] *= FAR / 100  # a whole screen is far; boxes as wide as the screen begin half of one to the left
    elif starts(unit, b"in") or starts(unit, b"cm"):
        value[0] *= 40
    elif starts(unit, b"mm"):
        value[0] *= 4
    elif starts(unit, b"turn"):
        value[0] *= 360
    elif starts(unit, b"rad"):
        value[0] *= 57.29578
    elif starts(unit, b"grad"):
        value[0] *= 0.9
    return unit


cdef inline bint is_away(double pixels, double most = 10 * FAR) noexcept nogil:
    return pixels <= -FAR or pixels >= most


cdef inline bint is_far(const char* value, double most = 10 * FAR) noexcept nogil:
    """Return whether a length moves a box off the screen."""
    cdef double pixels
    return pixels_at(value, &pixels) != NULL and is_away(pixels, most)


cdef inline bint is_nothing(const char* value, double most) noexcept nogil:
    """Return whether a length is so small that nothing shows."""
    cdef double pixels
    cdef const char* unit = pixels_at(value, &pixels)
    return unit != NULL and -NOTHING <= pixels <= (0 if unit[0] == c'%' else most)


cdef bint is_relative(const char* value) noexcept nogil:
    """Return whether a size is one of the size around it."""
    cdef double number
    cdef const char* unit = number_at(value, &number)
    return unit != NULL and (unit[0] == c'%' or unit[0] == c'e')


cdef inline bint is_faint(const char* value) noexcept nogil:
    cdef double share
    cdef const char* unit = pixels_at(value, &share)
    return unit != NULL and (share / 100 if unit[0] == c'%' else share) < FAINT


cdef int32_t colour_of(const char* value, bint is_back) noexcept nogil:
    """Read a colour: `UNKNOWN`, `TRANSPARENT` or RGB.

    A background through which others show is unknown.
    """
    cdef uint32_t number = 0
    cdef int32_t count = 0
    cdef bint has_mark = value[0] == c'#'
    cdef const char* at = value + has_mark
    while count < 8 and hex_of(at[count]) >= 0:
        number = number << 4 | hex_of(at[count])
        count += 1
    if has_mark or (count == 6 and (at[6] == 0 or at[6] == c' ')):  # attributes may lack the mark
        if (count == 4 and number & 15 == 0) or (count == 8 and (number & 255) < 255 * FAINT):
            return TRANSPARENT
        if is_back and (count == 4 or count == 8):
            return UNKNOWN
        if count == 3 or count == 4:
            number >>= 4 * (count - 3)
            return (number >> 8) * 0x110000 + (number >> 4 & 15) * 0x1100 + (number & 15) * 0x11
        return number >> 4 * (count - 6) if count >= 6 else UNKNOWN
    while is_letter(at[0]) or at[0] == c'-':
        at += 1
    return colour_in(value, at + 1, is_back) if at[0] == c'(' else named(_colours, value, at - value)


cdef int32_t colour_in(const char* name, const char* at, bint is_back) noexcept nogil:
    """Read a colour that is written as a function."""
    cdef double[4] channels
    cdef double hue, least, most, number
    cdef int32_t count = 0, rgb = 0, i, depth = 1
    cdef const char* end = at
    while end[0] and depth:
        depth += (end[0] == c'(') - (end[0] == c')')
        end += 1
    channels[3] = 1
    while at < end and count < 4:
        while at < end and (at[0] == c' ' or at[0] == c',' or is_letter(at[0])):
            at += 1
        count = 3 if at[0] == c'/' else count  # / before the opacity
        at = behind_space(at + <int>(at[0] == c'/'))
        at = pixels_at(at, &number)
        if at == NULL:
            break
        channels[count] = number
        if at[0] == c'%':
            channels[count] *= 2.55 if name[0] == c'r' and count < 3 else .01
            at += 1
        count += 1
    if starts(name, b"light-dark("):
        at = behind_space(name + 11)
        return UNKNOWN if starts(at, b"light-dark") else colour_of(at, is_back)
    if count == 4 and channels[3] < FAINT:
        return TRANSPARENT
    if count < 3 or (is_back and channels[3] < 1):
        return UNKNOWN
    if name[0] == c'l' or name[0] == c'o':  # lab, lch, oklab, oklch: of a grey, whose second number is nothing
        if fabs(channels[1]) > .02 or (name[strcspn(name, b"(") - 1] == c'b' and fabs(channels[2]) > .02):
            return UNKNOWN
        number = channels[0] if name[0] == c'o' or channels[0] <= 1 else (channels[0] + 16) / 116
        number = max(0., min(1., number)) ** 3
        number = 12.92 * number if number < .0031308 else 1.055 * number ** (1 / 2.4) - .055
        channels[0] = channels[1] = channels[2] = 255 * number
        name = b"rgb"
    elif starts(name, b"color("):
        channels[0], channels[1], channels[2] = 255 * channels[0], 255 * channels[1], 255 * channels[2]
        name = b"rgb"
    if name[0] == c'h':  # hsl, hwb
        hue = fmod(fmod(channels[0], 360) + 360, 360) / 60
        if name[1] == c's':
            most = channels[1] * min(channels[2], 1 - channels[2])
            least, most = channels[2] - most, channels[2] + most
        else:
            least, most = channels[1], 1 - channels[2]
            if least > most:
                least = most = least / (least + channels[2])
        channels[0] = 255 * (least + (most - least) * max(0., min(1., fabs(hue - 3) - 1)))
        channels[1] = 255 * (least + (most - least) * max(0., min(1., 2 - fabs(hue - 2))))
        channels[2] = 255 * (least + (most - least) * max(0., min(1., 2 - fabs(hue - 4))))
    elif name[0] != c'r':
        return UNKNOWN
    for i in range(3):
        rgb = rgb << 8 | <int32_t>max(0., min(255., channels[i]))
    return rgb


cdef int32_t back_of(const char* value) noexcept nogil:
    """Return the colour of a background: the part of it that is one, `UNKNOWN` below a picture."""
    cdef int32_t colour
    cdef int depth = 0
    if strstr(value, b"url(") != NULL or strstr(value, b"gradient") != NULL:
        return UNKNOWN
    while True:
        colour = colour_of(value, True)
        if colour != UNKNOWN:
            return colour
        while value[0] and (value[0] != c' ' or depth):
            depth += (value[0] == c'(') - (value[0] == c')')
            value += 1
        if not value[0]:
            return UNKNOWN
        value += 1


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
    cdef double[16] edges
    cdef const char* at = strchr(value, c'(')
    cdef int count = 0, i
    cdef bint is_flat = True, is_thin = True
    if at != NULL:
        at += 1
        count = arguments_of(&at, edges, 16)
    if count == 0 or starts(value, b"path"):
        return False
    if starts(value, b"rect"):
        return count == 4 and (edges[1] - edges[3] <= NOTHING or edges[2] - edges[0] <= NOTHING or edges[0] >= FAR)
    if starts(value, b"inset"):
        edges[1] = edges[1] if count > 1 else edges[0]
        edges[2] = edges[2] if count > 2 else edges[0]
        edges[3] = edges[3] if count > 3 else edges[1]
        return strchr(value, c'%') != NULL and (edges[0] + edges[2] >= 100 or edges[1] + edges[3] >= 100)
    if starts(value, b"polygon"):
        for i in range(2, count - 1, 2):
            is_flat &= fabs(edges[i + 1] - edges[1]) <= NOTHING
            is_thin &= fabs(edges[i] - edges[0]) <= NOTHING
        return is_flat or is_thin
    if starts(value, b"xywh"):
        return count == 4 and (edges[2] <= NOTHING or edges[3] <= NOTHING)
    if value[0] == c'c' and count == 3 and (edges[0] + edges[1] < 0 or edges[0] + edges[2] < 0):  # beside the box
        return True
    return edges[0] <= NOTHING or (value[0] == c'e' and count > 1 and edges[1] <= NOTHING)  # circle, ellipse


cdef bint masks_all(const char* value) noexcept nogil:
    """Return whether all colours of a mask are transparent."""
    cdef const char* at = strchr(value, c'(')
    cdef bint is_gradient = strstr(value, b"gradient") != NULL, is_clear
    while at != NULL and is_gradient:
        at = behind_space(at + 1)
        is_clear = colour_of(at, False) == TRANSPARENT
        if not is_clear and not starts(at, b"to ") and not is_digit(at[0]):
            return False
        at += strcspn(at, b",)")
        if is_clear and at[0] != c',':
            return True
        at = strchr(at, c',')
    return False


cdef inline bint is_zero(double number) noexcept nogil:
    return -0.01 <= number <= 0.01


cdef inline bint is_edgewise(double degrees) noexcept nogil:
    return fabs(fmod(fabs(degrees), 180) - 90) < 1


cdef bint removes(const char* name, const char** values, double* depth) noexcept nogil:
    """Return whether a function of `transform` shrinks a box to nothing or moves it off the screen; pass its values."""
    cdef double[16] n
    cdef int count = arguments_of(values, n, 16)
    if count == 0:
        return False
    if starts(name, b"scale"):
        return name[5] != c'z' and (is_zero(n[0]) or (count > 1 and is_zero(n[1])))
    if starts(name, b"translatez"):
        return 0 < depth[0] <= n[0]
    if starts(name, b"translate"):
        return is_away(n[0]) or (count > 1 and is_away(n[1]))
    if starts(name, b"matrix"):
        if count == 16:
            return is_zero(n[0] * n[5] - n[1] * n[4]) or is_away(n[12]) or is_away(n[13])
        return count == 6 and (is_zero(n[0] * n[3] - n[1] * n[2]) or is_away(n[4]) or is_away(n[5]))
    if starts(name, b"perspective"):
        depth[0] = n[0]
    if starts(name, b"rotate") and count == 4:
        return (n[0] or n[1]) and n[2] == 0 and is_edgewise(n[3])
    return (starts(name, b"rotatex") or starts(name, b"rotatey") or starts(name, b"skew")) and (
        is_edgewise(n[0]) or (count > 1 and is_edgewise(n[1])))


cdef bint moves_away(const char* value) noexcept nogil:
    """Return whether one of the functions of a `transform` removes a box."""
    cdef double depth = 0
    cdef const char* at = strchr(value, c'(')
    cdef const char* name
    while at != NULL:
        name = at
        while name > value and (is_letter((name - 1)[0]) or (name - 1)[0] == c'3'):  # 3d
            name -= 1
        at += 1
        if removes(name, &at, &depth):
            return True
        at = strchr(at, c'(')
    return False


cdef bint has_no_size(const char* font) noexcept nogil:
    """Return whether the size in a `font` is nothing: its first number with a unit, or zero."""
    cdef double size
    cdef const char* unit
    while True:
        unit = number_at(font, &size)
        if unit != NULL and (is_letter(unit[0]) or unit[0] == c'%' or unit[0] == c'/' or size == 0):
            return is_nothing(font, 0 if is_relative(font) else NOTHING)
        font = strchr(font, c' ')
        if font == NULL:
            return False
        font += 1


cdef bint is_past_edge(const char* value) noexcept nogil:
    """Return whether an offset from an edge of the screen leaves it."""
    cdef double share
    cdef const char* unit = number_at(value, &share)
    if unit == NULL or not (unit[0] == c'%' or unit[0] == c'v'):
        return False
    return share <= -100 or share >= 100


cdef bint is_left_behind(const char* name, const char* value) noexcept nogil:
    """Return whether a share of the box around it moves a box off the left or the top of the screen."""
    cdef double share
    cdef const char* unit = number_at(value, &share)
    return unit != NULL and unit[0] == c'%' and share <= -200 and strstr(name, b"right") == NULL and (
        strstr(name, b"bottom") == NULL and strstr(name, b"end") == NULL)


cdef bint is_any_far(const char* value, double most) noexcept nogil:
    """Return whether one of several lengths moves a box off the screen."""
    while value != NULL:
        value = behind_space(value)
        if is_far(value, most):
            return True
        value = strchr(value, c' ')
    return False


cdef bint is_listed(const char* value, const char* words) noexcept nogil:
    """Return whether the first word of a value is among words with spaces around them."""
    cdef char[34] word
    cdef int size = 1
    word[0] = c' '
    while size < 32 and value[0] and value[0] != c' ' and value[0] != c'!':
        word[size] = value[0]
        size += 1
        value += 1
    word[size], word[size + 1] = c' ', 0
    return strstr(words, word) != NULL


cdef int declare(Style* style, const char* name, const char* value) noexcept nogil:
    """Add a declaration in lower case."""
    cdef int32_t bit
    cdef bint off = False, important = strchr(value, c'!') != NULL
    cdef const char* at
    cdef double number = 0
    cdef double[4] margins
    if starts(name, b"-webkit-"):
        name += 8
    bit = named(_properties, name, strlen(name))
    if bit == UNKNOWN:
        return 0
    if equal(name, b"display"):
        if not is_listed(value, DISPLAYS):
            return 0
        off = starts(value, b"none")
    elif bit == P_DISPLAY:  # content-visibility
        off = starts(value, b"hidden")
    elif bit == P_VISIBILITY:
        if not is_listed(value, b" visible hidden collapse initial inherit unset revert "):
            return 0
        off = starts(value, b"hidden") or starts(value, b"collapse")
    elif equal(name, b"filter"):
        at = strstr(value, b"opacity(")
        if at == NULL:
            return 0
        off = not starts(value, b"alpha") and is_faint(at + 8)
    elif bit == P_OPACITY:
        off = is_faint(value)
    elif bit == P_TEXT_SIZE:
        off = has_no_size(value) if name[4] == 0 else is_nothing(value, 0 if is_relative(value) else NOTHING)
        if name[4] and is_relative(value):
            style.off |= P_RELATIVE
        else:
            style.off &= ~P_RELATIVE
    elif bit == P_COLOUR:
        if not style.important & P_COLOUR or important:
            style.colour = colour_of(value, False)
        off = style.colour == TRANSPARENT
    elif equal(name, b"background-image"):
        if starts(value, b"none") or style.important & P_BACKGROUND:
            return 0
        style.back = UNKNOWN
    elif bit == P_BACKGROUND:
        if not style.important & P_BACKGROUND or important:
            style.back = back_of(value)
    elif bit == P_TEXT_CLIP:
        off = starts(value, b"text")
    elif bit == P_POSITION:
        off = starts(value, b"absolute") or starts(value, b"fixed") or starts(value, b"relative")
        if off and value[0] != c'f':
            style.off &= ~P_FIXED
        else:
            bit |= P_FIXED
    elif bit == P_OFFSET:
        if is_past_edge(value):
            style.said |= P_BEYOND
            style.off |= P_BEYOND
        if pixels_at(value, &number) != NULL and number <= -AHEAD and not is_listed(name, b" right bottom "):
            style.off |= P_AHEAD
        if style.off & P_OFFSET:  # one far edge is enough
            return 0
        off = is_any_far(value, BELOW if name[0] == c't' else 10 * FAR) or is_left_behind(name, value)  # top
    elif bit == P_INDENT:
        off = is_far(value)
        if not off and name[0] == c'l':  # letter-spacing
            bit = 0
        if number_at(value, &number) != NULL and number >= 100 and strchr(value, c'%') != NULL:
            style.said |= P_PUSHED
            style.off |= P_PUSHED
    elif bit == P_PUSHED:
        if not is_far(value):
            return 0
        off = True
    elif bit == P_ROOM:  # the box has room after all
        off = number_at(value, &number) != NULL and (number >= ROOM or (name[0] == c'f' and number > 0) or (
            strchr(value, c'%') != NULL and (number > 0 or name[7] == 0)))
    elif bit == P_MARGIN:
        if style.off & P_MARGIN:
            return 0
        off = is_far(value) or is_left_behind(name, value)
        at = value
        if not off and equal(name, b"margin") and arguments_of(&at, margins, 4) == 4 and strchr(value, c' ') != NULL:
            off = margins[3] <= -FAR
    elif equal(name, b"zoom"):
        if not is_faint(value) or (number_at(value, &number) != NULL and number == 0):  # browsers ignore 0
            return 0
        off = True
    elif equal(name, b"transform"):
        off = moves_away(value)
    elif bit == P_TRANSFORM:  # scale, translate, rotate
        if name[0] == c'r' and (value[0] == c'x' or value[0] == c'y'):
            name = b"rotatex"
        off = removes(name, &value, &number)
    elif bit == P_CLIP and name[0] == c'c':  # clip, clip-path
        off = cuts_all(value)
    elif bit == P_CLIP:
        off = masks_all(value) or (equal(name, b"mask-size") and is_nothing(value, NOTHING))
        if not off:
            return 0
    elif bit & (P_HEIGHT | P_WIDTH):
        if style.off & bit and not starts(value, b"auto"):
            return 0
        off = is_nothing(value, SLIVER)
        if name[0] == c'g':  # grid-template-rows
            if not starts(value, b"0fr"):
                return 0
            off, bit = True, bit | P_OVERFLOW
    elif equal(name, b"contain"):
        off = strstr(value, b"paint") != NULL or strstr(value, b"strict") != NULL or strstr(value, b"content") != NULL
        if not off:
            return 0
    elif bit == P_LINES:  # pre, pre-line, preserve, break-spaces
        off = starts(value, b"pre") or starts(value, b"break")
    elif bit == P_OVERFLOW:
        off = not starts(value, b"visible")
    else:  # P_MOVES
        off = not starts(value, b"none")
    if style.important & bit and not important:
        return 0
    style.said |= bit
    style.off = style.off | bit if off else style.off & ~bit
    style.important |= bit if important else 0


cdef bint fill_in(string& value, const string& own, const Sheet* sheet, int64_t* steps) nogil:
    """Put the values of custom properties into a value; return False if one is unknown, or no `steps` are left.

    They are those of the same declarations, else those that the sheets set to one value only, else what `var` names.
    """
    cdef string name
    cdef unordered_map[string, string].const_iterator found
    cdef size_t at, end, behind, own_at, depth
    cdef int _filled
    for _filled in range(MOST_FILLED):
        at = value.find(b"var(")
        if at >= value.size():  # npos is larger
            return True
        steps[0] -= <int64_t>(own.size() + 2 * value.size())
        if steps[0] <= 0:
            return False
        end = at + 4
        while end < value.size() and value[end] == c' ':
            end += 1
        name.assign(value.c_str() + end, strcspn(value.c_str() + end, b" ,)"))
        behind, depth = at + 4, 1
        while behind < value.size() and depth:
            depth += value[behind] == c'('
            depth -= value[behind] == c')'
            behind += 1
        end += name.size()
        name.push_back(c':')
        own_at = own.find(name)
        name.pop_back()
        if own_at < own.size():
            own_at += name.size() + 1
            name.assign(own.c_str() + own_at, strcspn(own.c_str() + own_at, b";"))
        else:
            if sheet != NULL:
                found = sheet.custom.const_find(name)
            if sheet != NULL and found != sheet.custom.const_end():
                name = dereference(found).second
            elif sheet != NULL and sheet.is_all and value[end] == c',' and behind > end + 1:
                name.assign(value.c_str() + end + 1, behind - end - 2)
            else:
                name.clear()
        if name.empty() or value.size() + name.size() > MOST_BYTES:
            return False
        value.replace(at, behind - at, b" ").insert(at, name)
        while value[0] == c' ':
            value.erase(0, 1)
    return False


cdef int read_style(const unsigned char* text, Style* style, const Sheet* sheet, int64_t* steps) except -1 nogil:
    """Add the declarations of a style attribute, or of a rule; `sheet` has the custom properties.

    Each byte of an attribute is looked at a few times; `steps` are taken for what custom properties add.
    """
    cdef string clean, own, filled
    cdef char* at
    cdef char* name
    cdef char* value
    cdef size_t depth
    write_clean(text, clean)
    clean.push_back(c';')
    if clean.find(b"var(") < clean.size():
        own = clean
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
        depth = 0
        while at[0] and (depth or at[0] != c';'):
            depth += at[0] == c'('
            depth -= depth > 0 and at[0] == c')'
            at += 1
        if at[0]:
            at[0] = 0
            at += 1
        if strstr(value, b"var(") == NULL:
            declare(style, name, value)
        else:
            filled.assign(value)
            if fill_in(filled, own, sheet, steps):
                declare(style, name, filled.c_str())


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

cdef bint holds(const Condition* condition, const xmlNode* node) noexcept nogil:
    """Return whether an attribute of an element meets a condition of a selector."""
    cdef const char* given = <const char*>attribute_of(node, condition.name.c_str())
    cdef const char* value = condition.value.c_str()
    cdef size_t size = condition.value.size()
    cdef const char* at
    if given == NULL or condition.operator == EXISTS:
        return given != NULL
    if condition.operator == c'=':
        return equal(given, value)
    if not size:
        return False
    if condition.operator == c'^':
        return starts(given, value)
    if condition.operator == c'$':
        return strlen(given) >= size and equal(given + strlen(given) - size, value)
    if condition.operator == c'|':
        return starts(given, value) and (given[size] == 0 or given[size] == c'-')
    at = strstr(given, value)
    while at != NULL and condition.operator == c'~' and not (
            (at == given or is_blank((at - 1)[0])) and (at[size] == 0 or is_blank(at[size]))):
        at = strstr(at + 1, value)
    return at != NULL


# ---- style sheets ----------------------------------------------------------------------------------------------------

cdef struct Around:       # a block that is open
    string prelude        # its selectors, or its condition
    string declarations   # before the blocks in it
    int32_t holds         # whether rules in it do


cdef int32_t size_holds(const unsigned char* at) noexcept nogil:
    """Return whether a condition in brackets is true of all screens that pages are made for, or of some."""
    cdef double size
    cdef const char* behind
    cdef bint is_least = begins(at, b"(min-width:") or begins(at, b"(min-height:")
    if not is_least and not begins(at, b"(max-width:") and not begins(at, b"(max-height:"):
        return SOMETIMES
    behind = pixels_at(behind_space(strchr(<const char*>at, c':') + 1), &size)
    if behind == NULL or behind[strspn(behind, b"abcdefghijklmnopqrstuvwxyz ")] != c')':
        return SOMETIMES
    return ALWAYS if (size <= NARROW if is_least else size >= WIDE) else SOMETIMES


cdef size_t word_at(const unsigned char* at) noexcept nogil:
    """Return the length of a word that changes nothing about whether a media query holds, 0 for none."""
    cdef const unsigned char* behind
    cdef const char* word
    cdef int32_t i
    for i in range(20):
        word, behind = ON_SCREENS[i], at
        while word[0] and lower(behind[0]) == <unsigned char>word[0]:
            word += 1
            behind += 1
            while ON_SCREENS[i][0] == c'(' and is_blank(behind[0]):
                behind += 1
        if not word[0]:
            return behind - at
    return 0


cdef int32_t media_holds(const unsigned char* at) noexcept nogil:
    """Return whether one of a list of media queries holds: `ALWAYS`, `SOMETIMES` or `NEVER`."""
    cdef int32_t found = NEVER, one = ALWAYS
    while True:
        if is_blank(at[0]):
            at += 1
        elif at[0] == 0 or at[0] == c',':
            found = min(found, one)
            one = ALWAYS
            if at[0] == 0:
                return found
            at += 1
        elif word_at(at):
            at += word_at(at)
        else:
            one = max(one, size_holds(at) if at[0] == c'(' else NEVER if begins(at, b"print") else SOMETIMES)
            while at[0] and at[0] != c')' and at[0] != c',':
                at += 1
            at += at[0] == c')'


cdef int32_t holds_in(const string& prelude) noexcept nogil:
    """Return whether what is in a block holds: `ALWAYS`, `SOMETIMES` or `NEVER`."""
    cdef const unsigned char* at = <const unsigned char*>prelude.c_str()
    if at[0] != c'@' or begins(at, b"@supports") or begins(at, b"@layer") or begins(at, b"@-moz-document"):
        return ALWAYS
    if begins(at, b"@media"):
        return media_holds(at + 6)
    return SOMETIMES if begins(at, b"@container") else NEVER


cdef string trimmed(const string& text):
    """Return a text without white space around it, and without marks of HTML's comments in front."""
    cdef size_t start = 0, end = text.size()
    cdef const char* at
    while end > start and is_blank(text[end - 1]):
        end -= 1
    while start < end:
        at = text.c_str() + start
        if starts(at, b"<!--") or starts(at, b"-->"):
            start += 3 + (at[0] == c'<')
        elif is_blank(at[0]):
            start += 1
        else:
            break
    return text.substr(min(start, end), end - min(start, end))


cdef size_t length_of_first(const char* selectors) noexcept nogil:
    """Return the length of the first of a list of selectors; commas in brackets end none."""
    cdef size_t size = 0
    cdef int depth = 0
    while selectors[size] and (depth or selectors[size] != c','):
        depth += (selectors[size] == c'(' or selectors[size] == c'[') - (selectors[size] == c')' or selectors[size] == c']')
        size += 2 if selectors[size] == c'\\' and selectors[size + 1] else 1
    return size


cdef string nested(const string& around, const string& selectors):
    """Return the selectors of a block in another one's, which stand in place of `&` or in front."""
    cdef string found, one, outer = around
    cdef size_t start = 0, at
    if around.size() > MOST_SELECTOR or selectors.size() > MOST_SELECTOR:
        return string(UNREADABLE)  # as it is too long, and those in it too
    if length_of_first(around.c_str()) < around.size():
        outer = b":is(" + around + b")"
    while start <= selectors.size():
        one = selectors.substr(start, length_of_first(selectors.c_str() + start))
        start += one.size() + 1
        one = trimmed(one)
        at = one.find(b"&")
        if at >= one.size():
            one.insert(0, b"& ")
            at = 0
        while at < one.size():
            one.replace(at, 1, outer)
            at = one.find(b"&", at + outer.size())  # the outer one may contain it, where nothing is around
        found.append(one).push_back(44 if start <= selectors.size() else 32)
    return found


cdef inline bint is_in_name(unsigned char byte) noexcept nogil:
    return is_letter(byte) or is_digit(byte) or byte == c'-' or byte == c'_' or byte >= 0x80


cdef const unsigned char* read_name(const unsigned char* at, string& name) nogil:
    """Read a name; return what follows it, the same place if there is none."""
    cdef const unsigned char* first = at + (at[0] == c'-')
    name.clear()
    if c'-' <= first[0] <= c'9':
        return at
    while True:
        first = at
        while is_in_name(at[0]):
            at += 1
        name.append(<const char*>first, at - first)
        if at[0] != c'\\' or not at[1]:
            return at
        at = write_escaped(at + 1, name)


cdef const unsigned char* skip_condition(const unsigned char* at) nogil:
    """Return what follows `:name`, `:name(...)`, `::name` or `[...]`."""
    cdef unsigned char close = c']' if at[0] == c'[' else 0
    cdef int32_t depth = 0
    cdef string name
    if not close:
        at = read_name(at + 1 + (at[1] == c':'), name)
        if at[0] != c'(':
            return at
        close = c')'
    while at[0]:
        depth += at[0] == c'('
        depth -= at[0] == c')'
        at += 1
        if (at - 1)[0] == close and depth <= 0:
            break
    return at


cdef bint is_of_click(const unsigned char* condition) noexcept nogil:
    """Return whether a click changes a condition."""
    cdef const unsigned char* after
    cdef int32_t i
    for i in range(9):
        after = condition + strlen(STATES[i])
        if begins(condition, STATES[i]) and not is_in_name(after[0]) and after[0] != c'(':
            return True
    return False


cdef bint read_condition(const unsigned char* at, Condition* condition, bint is_still) nogil:
    """Read a condition on an attribute; return False if it is not understood, or scripts may change the attribute."""
    cdef const unsigned char* first
    cdef const char* end
    cdef int32_t i
    at = behind_blanks(read_name(behind_blanks(at + 1), condition.name))
    if condition.name.empty() or (not is_still and condition.name.find(b"cloak") < condition.name.size()):
        return False
    for i in range(0 if is_still else 9):
        if begins(<const unsigned char*>condition.name.c_str(), CHANGED[i]):
            return False
    if at[0] == c']':
        condition.operator = EXISTS
        return True
    condition.operator = at[0]
    at += strspn(<const char*>at, b"~|^$*")
    if at[0] != c'=':
        return False
    first = behind_blanks(at + 1)
    if first[0] == c'"' or first[0] == c'\'':
        end = strchr(<const char*>first + 1, first[0])
        if end == NULL:
            return False
        condition.value.assign(<const char*>first + 1, end - <const char*>first - 1)
        at = <const unsigned char*>end + 1
    else:
        at = read_name(first, condition.value)
    return at > first and behind_blanks(at)[0] == c']'


cdef bint read_selector(const unsigned char* at, Rule* rule, bint is_still) nogil:
    """Read a selector; return False if it is not understood. Conditions on attributes are, of its last compound."""
    cdef Compound part
    cdef Condition condition
    cdef const unsigned char* first
    cdef const unsigned char* behind
    cdef unsigned char mark
    cdef string tag, name
    cdef bint is_child = False, is_unknown = False, has_unknown = False, is_clicked = False
    rule.compounds.clear()
    rule.conditions.clear()
    rule.beside.clear()
    rule.weight, rule.is_state = 0, False
    while True:
        at = behind_blanks(at)
        if at[0] == 0:
            if rule.is_state or rule.compounds.size() > 1:
                rule.is_state |= rule.beside.size() > 0
                rule.beside.clear()
            reverse(rule.compounds.begin(), rule.compounds.end())
            return rule.compounds.size() and not is_child and not is_unknown and (is_clicked or not has_unknown)
        if at[0] == c'>' or at[0] == c'+' or at[0] == c'~':
            if is_child or not rule.compounds.size():
                return False
            is_child = at[0] == c'>'
            if not is_child:
                # what is before it may change, if more than one simple compound is
                if has_unknown or is_clicked or rule.compounds.size() + rule.beside.size() + rule.conditions.size() > 1:
                    rule.is_state = True
                rule.beside = rule.compounds
                rule.is_next = at[0] == c'+'
                rule.compounds.clear()
                rule.conditions.clear()
                is_unknown = False
            at += 1
            continue
        is_unknown |= rule.conditions.size() > 0
        part.tag = part.id_ = 0
        part.classes.clear()
        tag.clear()
        part.is_child, is_child = is_child, False
        first = at
        while at[0] and not is_blank(at[0]) and at[0] != c'>' and at[0] != c'+' and at[0] != c'~':
            mark = at[0]
            if mark == c'*' and at == first:  # *, of any namespace
                at += 1
                if at[0] == c'|':
                    at += 1
                    first = at
                continue
            if mark == c':' or mark == c'[':
                behind = skip_condition(at)
                if is_of_click(at):
                    rule.is_state = is_clicked = True
                elif begins(at, b":not(:hover)") or begins(at, b":not(:focus)") or begins(at, b":not(:active)"):
                    pass  # nobody points at it
                elif begins(at, b":root") and behind == at + 5:
                    rule.weight += 1 << 8
                    if tag.empty():
                        tag.assign(b"html")
                elif mark == c'[' and read_condition(at, &condition, is_still):
                    rule.weight += 1 << 8
                    rule.conditions.push_back(condition)
                else:
                    is_unknown = has_unknown = True
                at = behind
                continue
            if mark != c'#' and mark != c'.' and at != first:
                return False
            behind = at + (mark == c'#' or mark == c'.')
            at = read_name(behind, name)
            if at == behind:
                return False
            if mark == c'#':
                part.id_ = name_of(<const unsigned char*>name.data(), name.size(), OF_ID)
                rule.weight += 1 << 16
            elif mark == c'.':
                part.classes.push_back(name_of(<const unsigned char*>name.data(), name.size(), OF_CLASS))
                rule.weight += 1 << 8
            else:
                for letter in name:
                    tag.push_back(<char>lower(<unsigned char>letter))
                rule.weight += 1
        if tag.size():
            part.tag = name_of(<const unsigned char*>tag.data(), tag.size(), OF_TAG)
        # scripts change the classes of the page
        rule.is_state |= not is_still and part.classes.size() > 0 and (tag.compare(b"html") == 0 or tag.compare(b"body") == 0)
        rule.compounds.push_back(part)


cdef int add_rule(Sheet* sheet, Rule* rule) nogil:
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
    if rule.style.said & P_SWITCHED and rule.style.said & ~PLACES and not rule.style.off & P_SWITCHED and (
            not rule.conditions.size() or last.id_ or last.classes.size()):
        sheet.showing.push_back(number)
    sheet.rules.push_back(rule[0])


cdef string spread(const string& selector):
    """Return the list of selectors that one with a group such as `:is(a, b)` stands for, "" if it has none."""
    # of the last one, which has no other in it
    cdef size_t at = max(selector.rfind(b":is(") + 1, selector.rfind(b":where(") + 1) - 1, first = at, inner, end
    cdef string found, one, whole
    # its compound, which a tag has to begin
    if selector.size() > MOST_SELECTOR:
        return found
    while 0 < first < selector.size() and strchr(b" \t\n>+~(,", selector[first - 1]) == NULL:
        first -= 1
    inner = selector.find(b"(", at) + 1
    end = selector.find_first_of(b"()", inner)
    if at >= selector.size() or end >= selector.size() or selector[end] != c')':
        return found
    while inner < end:
        one = selector.substr(inner, min(strcspn(selector.c_str() + inner, b","), end - inner))
        inner += one.size() + 1
        one = trimmed(one)
        whole = selector.substr(0, at)
        whole.insert(first if is_letter(<unsigned char>one[0]) else at, one)
        found.append(whole).append(selector.c_str() + end + 1).push_back(c',')
    return found


cdef int add_selectors(Sheet* sheet, const string& selectors, const Style* style, bint is_some, int32_t* left):
    """Add the rules of a list of selectors, if there are some left to be read."""
    cdef Rule rule
    cdef string one, whole
    cdef size_t start = 0
    rule.style = style[0]
    while start <= selectors.size() and left[0] > 0:
        left[0] -= 1
        one = selectors.substr(start, length_of_first(selectors.c_str() + start))
        if read_selector(<const unsigned char*>one.c_str(), &rule, sheet.is_still):
            rule.is_state |= is_some
            add_rule(sheet, &rule)
        else:
            whole = spread(one)
            if whole.size():
                add_selectors(sheet, whole, style, is_some, left)
        start += one.size() + 1


cdef int add_block(Sheet* sheet, const string& selectors, const string& declarations, bint is_some, int32_t* left):
    """Add the rules of a block of declarations, if they concern what can be seen."""
    cdef Style style
    memset(&style, 0, sizeof(Style))
    style.colour = style.back = UNKNOWN
    read_style(<const unsigned char*>declarations.c_str(), &style, sheet, &sheet.steps)
    # where a box is and how wide says nothing by itself, unless it is far away or has no width
    if style.said & (~PLACES | P_LINES) or style.off:
        add_selectors(sheet, selectors, &style, is_some, left)


cdef int read_sheet(Sheet* sheet, const unsigned char* text):
    """Read the rules of a style sheet, which its braces tell; in comments and strings they count for nothing."""
    cdef vector[Around] around
    cdef Around block
    cdef string piece, declarations
    cdef const unsigned char* first
    cdef size_t size
    cdef int32_t left = MOST_SELECTORS, holds
    cdef unsigned char byte = 1
    while byte:
        size = strcspn(<const char*>text, b"{};/\"'")
        piece.append(<const char*>text, size)
        text += size
        byte = text[0]
        text += byte != 0
        if byte == c'/' and text[0] == c'*':
            piece.push_back(c' ')
            text = behind_comment(text + 1)
        elif byte == c'/':
            piece.push_back(c'/')
        elif byte == c'"' or byte == c'\'':
            first = text - 1
            while text[0] and text[0] != byte and text[0] != c'\n':
                text += 2 if text[0] == c'\\' and text[1] else 1
            piece.append(<const char*>first, text - first).push_back(<char>byte)
            text += text[0] == byte
        elif byte == c';':
            declarations.append(piece).push_back(c';')
            piece.clear()
        else:
            holds = around[around.size() - 2].holds if around.size() > 1 else ALWAYS
            if byte == c'{':
                block.prelude = trimmed(piece)
                if around.size():
                    around.back().declarations.append(declarations)
                    if around.size() > MOST_AROUND:  # it never holds, and selectors around it would add up
                        block.prelude.clear()
                    elif block.prelude[0] != c'@' and around.back().prelude[0] != c'@':
                        block.prelude = nested(around.back().prelude, block.prelude)
                block.declarations.clear()
                block.holds = NEVER if around.size() >= MOST_AROUND else max(
                    around.back().holds if around.size() else ALWAYS, holds_in(block.prelude))
                around.push_back(block)
            elif around.size():
                block = around.back()
                if holds != NEVER and block.prelude[0] != c'@':
                    block.declarations.append(declarations).append(piece)
                    add_block(sheet, block.prelude, block.declarations, holds == SOMETIMES, &left)
                around.pop_back()
            else:  # a stray brace is part of what follows
                piece.push_back(c'}')
                continue
            piece.clear()
            declarations.clear()


cdef int add_custom(Sheet* sheet, const char* text) nogil:
    """Find the custom properties that a sheet sets to one value only; the others become ""."""
    cdef string name, value
    cdef const char* at = strstr(text, b"--")
    cdef size_t size
    if strstr(text, b"var(") == NULL:
        return 0
    while at != NULL and sheet.custom.size() < MOST_SELECTORS:
        size = strcspn(at, b" :;,(){}'\"\n")
        name.assign(at, size)
        if at > text and strchr(b"{; \n\t\r/", (at - 1)[0]) != NULL and at[size + strspn(at + size, b" ")] == c':':
            at = behind_space(at + size + strspn(at + size, b" :"))
            size = strcspn(at, b";}")
            value.assign(at, size)
            while value.size() and is_blank(value.back()):
                value.pop_back()
            if sheet.custom.count(name) and value.compare(sheet.custom[name]):
                value.clear()
            sheet.custom[name] = value
        at = strstr(at + size, b"--")


cdef bint loads_style(const xmlNode* node) noexcept nogil:
    """Return whether a link element loads a style sheet."""
    cdef const unsigned char* rel = attribute_of(node, b"rel")
    while rel != NULL and rel[0]:
        if begins(rel, b"stylesheet"):
            return True
        rel += 1
    return False


cdef bint runs(const xmlNode* node) noexcept nogil:
    """Return whether an element is a script that runs: no data, no template."""
    cdef const char* kind
    if not is_named(node, b"script") or (node.children == NULL and attribute_of(node, b"src") == NULL):
        return False
    kind = told_of(node, b"type")
    return not kind[0] or strstr(kind, b"javascript") != NULL or equal(kind, b"module")


cdef bytes written_in(const char* address):
    """Return the style sheet that an address contains, "" for another one."""
    head, _, data = address.partition(b",")
    if not head.startswith(b"data:text/css"):
        return b""
    with suppress(ValueError):
        return b64decode(data) if head.endswith(b";base64") else unquote_to_bytes(data)
    return b""


def styles_of(_Element root not None) -> tuple[bytes, bool, bool]:
    """Return the text of the style sheets in a page's tree, whether it loads no others, and whether no script runs.

    Example:
        >>> from lxml import etree
        >>> styles_of(etree.fromstring("<p><style>p { color: red }</style></p>"))
        (b'p { color: red }', True, True)
    """
    cdef const xmlNode* node = root._c_node
    cdef string text
    cdef bytes inner
    cdef bint is_all = True, is_still = True
    while node != NULL:
        if is_named(node, b"style"):
            if media_holds(<const unsigned char*>told_of(node, b"media")) == ALWAYS:
                add_text_of(node, text, MOST_SHEET)
        elif is_named(node, b"link") and loads_style(node):
            inner = written_in(told_of(node, b"href"))
            text.append(inner)
            is_all &= len(inner) > 0
        is_still &= not runs(node)
        node = next_in(root._c_node, node)
    if text.size() > MOST_SHEET:
        text.resize(MOST_SHEET)
    return text.data()[:text.size()], is_all and strstr(text.c_str(), b"@import") == NULL, is_still


cdef class StyleSheet:
    """The rules of a page's style sheets that concern sight.

    Args:
        text: The sheets.
        is_all: Whether the page loads no other one.
        is_still: Whether no script runs on it.
    """

    def __init__(self, bytes text, bint is_all, bint is_still=False):
        self.sheet.is_all, self.sheet.is_still = is_all, is_still
        self.sheet.steps = LEAST_STEPS + STEPS_A_BYTE * <int64_t>len(text)
        open_table(self.sheet.names, 64)
        add_custom(&self.sheet, text)
        read_sheet(&self.sheet, text)
