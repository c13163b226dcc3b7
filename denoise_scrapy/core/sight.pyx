"""The visible elements of a page: by attributes and styles and by the controls that may show them.

What a click shows is content: a panel that a tab, a button or a link of the page names, or that follows one. What
nothing shows is not.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset, strchr, strcmp, strlen
from libcpp.vector cimport vector
from lxml.includes.tree cimport XML_ELEMENT_NODE, XML_TEXT_NODE, xmlAttr, xmlNode

from denoise_scrapy.core.characters cimport begins, is_blank
from denoise_scrapy.core.formulas cimport attribute_of, is_math_alone, value_of
from denoise_scrapy.core.hashing cimport Table, find, hash_bytes, number_of, open_table
from denoise_scrapy.core.styles cimport (
    BY_ARIA, BY_ATTRIBUTE, BY_CLIP, BY_COLOUR, BY_DIALOG, BY_OPACITY, BY_TEXT_SIZE, BY_VISIBILITY, P_BACKGROUND,
    P_COLOUR, P_DISPLAY, P_POSITION, P_SWITCHED, P_TEXT_CLIP, P_TEXT_SIZE, P_VISIBILITY, SEEN, TRANSPARENT, UNKNOWN,
    Rule, Sheet, Style, add_style, colour_of, is_around, is_close, may_show, read_style, reason_of,
)

cdef enum:
    SEED = 11
    # Bytes of an attribute of a control in which ids are looked for.
    MOST_BYTES = 400
    # Slides beside a hidden one that are compared with it.
    MOST_SLIDES = 40
    # Elements beside a hidden one that are hidden just as it is: one or two may be meant for machines.
    HIDDEN_ALIKE = 3
    # Bytes of a script in which ids are looked for: those that fill in streamed content are short.
    MOST_SCRIPT = 8000
    # Levels from a heading down to the button that is all of it.
    LEVELS = 4
    # Comparisons of style rules with elements for one page, .1 s. Recorded pages need fewer; of a page that needs more,
    # further elements are judged without its sheets: their text stays.
    MOST_STEPS = 20_000_000

# The background of a page that nothing colours.
cdef int32_t WHITE = 0xFFFFFF


cdef int open_sight(Sight* sight, const Sheet* sheet, const xmlNode* root) except -1 nogil:
    """Prepare for the elements of a page."""
    sight.sheet, sight.root = sheet, root
    sight.inherited.clear()
    sight.knows_controls = False
    sight.steps = MOST_STEPS
    return 0


cdef inline bint is_named(const xmlNode* node, const char* name) noexcept nogil:
    return node.type == XML_ELEMENT_NODE and strcmp(<const char*>node.name, name) == 0


cdef inline bint has_value(const xmlNode* node, const char* name, const char* value) noexcept nogil:
    """Return whether an attribute of an element has a value."""
    cdef const unsigned char* given = attribute_of(node, name)
    return given != NULL and begins(given, value) and given[strlen(value)] == 0

# ---- controls: what a reader clicks ----------------------------------------------------------------------------------

cdef bint is_control(const xmlNode* node) noexcept nogil:
    """Return whether an element is clicked to change the page, not to leave it."""
    cdef const unsigned char* href
    if is_named(node, b"button") or is_named(node, b"summary") or is_named(node, b"label"):
        return True
    if has_value(node, b"role", b"button") or has_value(node, b"role", b"tab"):
        return True
    if attribute_of(node, b"aria-expanded") != NULL or attribute_of(node, b"aria-controls") != NULL:
        return True
    if is_named(node, b"a"):
        href = attribute_of(node, b"href")
        return href == NULL or href[0] == 0 or href[0] == 35 or begins(href, b"javascript:")
    return attribute_of(node, b"onclick") != NULL


cdef bint is_plain_link(const xmlNode* node) noexcept nogil:
    """Return whether an element is a link that only scrolls: no attribute of it is for a script."""
    cdef const xmlAttr* attribute = node.properties
    while attribute != NULL:
        if begins(attribute.name, b"data-") or begins(attribute.name, b"aria-") or begins(attribute.name, b"on") or (
                begins(attribute.name, b"role")):
            return False
        attribute = attribute.next
    return is_named(node, b"a")


cdef int add_ids(Sight* sight, const unsigned char* value) except -1 nogil:
    """Add the words of an attribute that may be ids: `#one`, `one two`, `show('one')`."""
    cdef const unsigned char* end = value + MOST_BYTES
    cdef const unsigned char* first
    while value[0] and value < end:
        # what separates words in lists of ids, in selectors and in scripts
        while value[0] and strchr(b" \t\n#.,;:'\"()[]{}", value[0]) != NULL:
            value += 1
        first = value
        while value[0] and strchr(b" \t\n#.,;'\"()[]{}", value[0]) == NULL:
            value += 1
        if value > first:
            number_of(sight.controlled, hash_bytes(first, value - first, SEED))
    return 0


cdef int add_strings(Sight* sight, const unsigned char* script) except -1 nogil:
    """Add the strings of a script."""
    cdef const unsigned char* first
    while script[0]:
        if script[0] == 34 or script[0] == 39:
            first = script + 1
            script += 1
            while script[0] and script[0] != (first - 1)[0]:
                script += 1
            number_of(sight.controlled, hash_bytes(first, script - first, SEED + 1))
        script += 1 if script[0] else 0
    return 0


cdef int read_controls(Sight* sight) except -1 nogil:
    """Read which ids the page's controls name, in any attribute; and those of the controls themselves."""
    cdef const xmlNode* node = sight.root
    cdef const xmlAttr* attribute
    open_table(sight.controlled, 64)
    sight.knows_controls = True
    while node != NULL:
        if node.type == XML_ELEMENT_NODE and is_control(node) and not is_plain_link(node):
            attribute = node.properties
            while attribute != NULL:
                if strcmp(<const char*>attribute.name, b"class") != 0 and strcmp(<const char*>attribute.name, b"style"):
                    add_ids(sight, value_of(attribute))
                attribute = attribute.next
        elif is_named(node, b"script") and node.children != NULL and node.children.content != NULL and (
                strlen(<const char*>node.children.content) < MOST_SCRIPT):
            add_strings(sight, node.children.content)
        if node.type == XML_ELEMENT_NODE and node.children != NULL:
            node = node.children
            continue
        while node != sight.root and node.next == NULL:
            node = node.parent
        if node == sight.root:
            return 0
        node = node.next
    return 0


cdef bint is_controlled(Sight* sight, const unsigned char* id_, uint64_t seed) except -1 nogil:
    """Return whether a control names an id, or has it; by another seed, whether a short script does."""
    if id_ == NULL or not id_[0]:
        return False
    if not sight.knows_controls:
        read_controls(sight)
    return find(sight.controlled, hash_bytes(id_, strlen(<const char*>id_), seed)) >= 0


cdef const xmlNode* beside(const xmlNode* node, bint before) noexcept nogil:
    """Return the element next to an element, NULL for none, or if there is text between."""
    cdef const unsigned char* text
    node = node.prev if before else node.next
    while node != NULL and node.type != XML_ELEMENT_NODE:
        if node.type == XML_TEXT_NODE and node.content != NULL:
            text = node.content
            while is_blank(text[0]):
                text += 1
            if text[0]:
                return NULL
        node = node.prev if before else node.next
    return node


cdef bint is_only_control(const xmlNode* node) noexcept nogil:
    """Return whether an element is a control, or begins with one at which its text begins too."""
    cdef int _level
    for _level in range(LEVELS):
        if node == NULL or node.type != XML_ELEMENT_NODE:
            return False
        if is_control(node):
            return True
        node = node.children
        if node != NULL and node.type != XML_ELEMENT_NODE:
            node = beside(node, False) if node.content == NULL or is_blank(node.content[0]) else NULL
    return False


cdef bint is_same_value(const xmlNode* a, const xmlNode* b, const char* name) noexcept nogil:
    """Return whether two elements have the same value of an attribute, or both have none."""
    cdef const unsigned char* mine = attribute_of(a, name)
    cdef const unsigned char* other = attribute_of(b, name)
    return (mine == NULL) == (other == NULL) and (mine == NULL or strcmp(<const char*>mine, <const char*>other) == 0)


cdef bint is_like(const xmlNode* a, const xmlNode* b) noexcept nogil:
    """Return whether two elements have one tag and one class."""
    return a != NULL and b != NULL and strcmp(<const char*>a.name, <const char*>b.name) == 0 and (
        is_same_value(a, b, b"class"))


cdef bint is_item_like(const xmlNode* item, const xmlNode* node) noexcept nogil:
    """Return whether an element is like that around another one, and ends with an element like it."""
    cdef const xmlNode* last
    if not is_like(item, node.parent):
        return False
    last = item.last
    if last != NULL and last.type != XML_ELEMENT_NODE:
        last = beside(last, True)
    return last != NULL and is_like(last, node)


cdef bint is_slide(const xmlNode* node) noexcept nogil:
    """Return whether an element that is hidden from screen readers has one of its kind beside it."""
    cdef const xmlNode* other = node.parent.children if node.parent != NULL else NULL
    cdef int left = MOST_SLIDES
    while other != NULL and left:
        if other != node and other.type == XML_ELEMENT_NODE and strcmp(
                <const char*>other.name, <const char*>node.name) == 0:
            left -= 1
            if shares_class(other, node):
                return True
        other = other.next
    return False


cdef bint is_one_of_many(const xmlNode* node) noexcept nogil:
    """Return whether elements beside an element are hidden just as it is: parts that are shown one at a time.

    Each may be alone in a box.
    """
    cdef bint is_boxed = beside(node, True) == NULL and beside(node, False) == NULL
    cdef const xmlNode* box = node
    cdef const xmlNode* part
    cdef int left = MOST_SLIDES, alike = 0
    if is_boxed:
        box = node.parent
    if attribute_of(node, b"class") == NULL or box == NULL or box.parent == NULL:
        return False
    box = box.parent.children
    while box != NULL and left and alike < HIDDEN_ALIKE:
        part = box
        if is_boxed and box.type == XML_ELEMENT_NODE:
            part = box.children
        if part != NULL and part != node and part.type == XML_ELEMENT_NODE:
            left -= 1
            alike += is_like(part, node) and is_same_value(part, node, b"style") and (
                is_same_value(part, node, b"hidden"))
        box = box.next
    return alike == HIDDEN_ALIKE


cdef bint shares_class(const xmlNode* a, const xmlNode* b) noexcept nogil:
    """Return whether the class names of two elements begin with the same name."""
    cdef const unsigned char* mine = attribute_of(a, b"class")
    cdef const unsigned char* other = attribute_of(b, b"class")
    if mine == NULL or other == NULL:
        return False
    while mine[0] and mine[0] == other[0] and not is_blank(mine[0]):
        mine += 1
        other += 1
    return (mine[0] == 0 or is_blank(mine[0])) and (other[0] == 0 or is_blank(other[0]))


cdef bint is_answer(const xmlNode* node) noexcept nogil:
    """Return whether an element is one of several, each below a heading of its kind: an accordion without buttons."""
    cdef const xmlNode* above = beside(node, True)
    cdef const xmlNode* other
    if above == NULL:
        return False
    if is_named(node, b"dd") and is_named(above, b"dt"):
        return True
    if is_like(above, node):
        return False
    if is_item_like(beside(node.parent, True), node) or is_item_like(beside(node.parent, False), node):
        return True
    other = beside(node, False)
    if is_like(other, above) and is_like(beside(other, False), node):
        return True
    other = beside(above, True)
    return is_like(other, node) and is_like(beside(other, True), above)


cdef inline bint is_streamed(const unsigned char* id_) noexcept nogil:
    return id_ != NULL and begins(id_, b"s:")


cdef bint is_apart(const unsigned char* role) noexcept nogil:
    """Return whether a role is that of what lies above the page, such as dialogs: it is none of its text."""
    return role != NULL and (
        begins(role, b"dialog") or begins(role, b"alert") or begins(role, b"menu") or begins(role, b"tooltip")
        or begins(role, b"listbox") or begins(role, b"status"))


cdef bint a_click_shows(
    Sight* sight, const xmlNode* node, const unsigned char* role, int32_t reason, bint is_block
) except -1 nogil:
    """Return whether a control of the page shows a hidden element."""
    if BY_TEXT_SIZE <= reason <= BY_CLIP or reason == BY_DIALOG or is_apart(role):
        return False
    if role != NULL and begins(role, b"tabpanel"):
        return True
    if is_controlled(sight, attribute_of(node, b"id"), SEED) or (
            is_controlled(sight, attribute_of(node, b"aria-labelledby"), SEED)):
        return True
    # browsers get streamed content in hidden elements, and scripts that move it; React numbers them S:0, S:1 …
    if reason == BY_ATTRIBUTE and (is_streamed(attribute_of(node, b"id")) or (
            is_controlled(sight, attribute_of(node, b"id"), SEED + 1))):
        return True
    if reason == BY_ARIA:
        return is_block and (is_slide(node) or is_only_control(beside(node, True)))
    return is_block and (
        is_one_of_many(node) or is_only_control(beside(node, True)) or is_only_control(beside(node, False)) or (
            is_answer(node)))

# ---- elements --------------------------------------------------------------------------------------------------------

cdef int inherit(Sight* sight, const Style* style, Inherited* text, bint is_named) noexcept nogil:
    """Set what the text of an element has from its own styles and from those around it.

    An element with a class or an id may be styled by a sheet that is not on the page, as on one without any rule: what
    it inherits is unknown.
    """
    if is_named and (sight.sheet == NULL or not sight.sheet.is_all or not sight.sheet.rules.size()):
        text.back = text.colour = UNKNOWN
        text.hides = text.hides if text.hides == BY_VISIBILITY else SEEN
    if style.off & P_POSITION:  # it may lie on a picture
        text.back = UNKNOWN
    if style.said & P_COLOUR:
        text.colour = style.colour
    if style.said & P_BACKGROUND and style.back != TRANSPARENT:
        text.back = style.back
    if style.said & P_TEXT_SIZE:
        text.hides = BY_TEXT_SIZE if style.off & P_TEXT_SIZE else SEEN
    if style.said & P_VISIBILITY:
        text.hides = BY_VISIBILITY if style.off & P_VISIBILITY else SEEN
    return 0


cdef inline bint is_unreadable(const Inherited* text, const Style* style) noexcept nogil:
    """Return whether text has the colour of its background."""
    return (text.colour == TRANSPARENT or is_close(text.colour, text.back)) and not style.off & P_TEXT_CLIP


cdef inline bint is_in_ruby(const xmlNode* node) noexcept nogil:
    """Return whether an element is the base of a reading, which is read aloud in its place."""
    return is_named(node, b"ruby") or is_named(node, b"rb") or (node.parent != NULL and is_named(node.parent, b"ruby"))


cdef int32_t of_box(
    const xmlNode* node, const Attributes* given, const Style* style, bint is_block, bint is_dialog
) noexcept nogil:
    """Return why an element is hidden with all in it, by itself."""
    cdef int32_t reason
    if given.hidden != NULL and not begins(given.hidden, b"until-found") and (
            not style.said & P_DISPLAY or style.off & P_DISPLAY):
        return BY_ATTRIBUTE
    if (is_dialog and attribute_of(node, b"open") == NULL) or given.popover != NULL:
        return BY_DIALOG
    reason = reason_of(style, is_block)
    if reason == BY_OPACITY and is_named(node, b"figure"):  # it fades in when its picture is loaded
        return SEEN
    # pictures of formulas, captions and links that repeat what is beside them are hidden from screen readers only
    if reason == SEEN and given.aria_hidden != NULL and begins(given.aria_hidden, b"true") and (
            not is_in_ruby(node) and not is_named(node, b"img") and not is_named(node, b"figcaption") and (
                attribute_of(node, b"href") == NULL)):
        return BY_ARIA
    return reason


cdef int32_t look_at(
    Sight* sight, const xmlNode* node, const Attributes* given, const vector[int32_t]* rules, int32_t parent,
    bint is_block, bint is_dialog, bint is_named
) except -1 nogil:
    """Return why nothing shows the next element of a page, SEEN if it can be seen or a click shows it.

    `rules` are those of the style sheet whose last compound matches it, NULL for none.
    """
    cdef Style style
    cdef Inherited text
    cdef const Rule* rule
    cdef int32_t reason, of_parent
    cdef bint is_all = sight.sheet != NULL and sight.sheet.is_all, by_sheet
    cdef size_t i
    memset(&style, 0, sizeof(Style))
    style.colour = style.back = UNKNOWN
    if parent >= 0:
        text = sight.inherited[parent]
    else:
        memset(&text, 0, sizeof(Inherited))
        text.colour, text.back = UNKNOWN, WHITE if is_all else UNKNOWN
    of_parent = text.hides
    if given.back != NULL:
        style.said |= P_BACKGROUND
        style.back = colour_of(<const char*>given.back)
    if given.picture != NULL:
        text.back = UNKNOWN
    if given.colour != NULL:
        style.said |= P_COLOUR
        style.colour = colour_of(<const char*>given.colour)
    if rules != NULL:
        for i in range(rules.size()):
            rule = &sight.sheet.rules[rules[0][i]]
            if is_around(rule, node, &sight.steps):
                add_style(&style, &rule.style)
    by_sheet = style.off & P_SWITCHED != 0
    if given.style != NULL:
        read_style(given.style, &style)
    reason = of_box(node, given, &style, is_block, is_dialog)
    # a formula in MathML stands hidden beside its picture
    if reason and (is_math_alone(node) or a_click_shows(sight, node, given.role, reason, is_block) or (
            by_sheet and may_show(sight.sheet, node, &sight.steps))):
        reason = SEEN
    if sight.shells.size() and sight.shells[sight.inherited.size()]:
        reason, style.off = SEEN, 0
    inherit(sight, &style, &text, is_named)
    if text.hides == BY_VISIBILITY and of_parent != BY_VISIBILITY and (
            a_click_shows(sight, node, given.role, BY_VISIBILITY, is_block) or (
                by_sheet and may_show(sight.sheet, node, &sight.steps))):
        text.hides = SEEN
    text.is_hidden |= reason != SEEN
    sight.inherited.push_back(text)
    if reason:
        return reason
    return text.hides if text.hides else BY_COLOUR if is_unreadable(&text, &style) else SEEN
