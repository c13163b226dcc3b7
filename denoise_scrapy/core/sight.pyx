# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""The visible elements of a page: by attributes and styles and by the controls that may show them.

What a click shows is content: a panel that a tab, a button or a link of the page names, or that follows one. What
nothing shows is not.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset, strcspn, strlen, strncmp, strspn
from libcpp.algorithm cimport count, sort
from libcpp.string cimport string
from libcpp.vector cimport vector
from lxml.includes.tree cimport XML_ELEMENT_NODE, xmlAttr

from denoise_scrapy.core.characters cimport Bytes, Chars, begins, behind_blanks, equal, is_blank, is_same
from denoise_scrapy.core.formulas cimport is_math_alone
from denoise_scrapy.core.hashing cimport find, number_of, open_table
from denoise_scrapy.core.nodes cimport (
    LEVELS, MOST_PASSED, Node, attribute_of, is_named, is_text, next_in, shown_from, told_of, value_of,
)
from denoise_scrapy.core.styles cimport (
    ANY, A_LOOK, A_PART, BY_ARIA, BY_ATTRIBUTE, BY_CLIP, BY_COLOUR, BY_DIALOG, BY_PLACE, BY_SIZE,
    BY_TEXT_SIZE, BY_VISIBILITY, INHERITED, OF_CLASS, OF_ID, OF_TAG, P_BACKGROUND, P_BEYOND, P_CLIP, P_COLOUR, P_DISPLAY, P_HEIGHT,
    P_LINES, P_OVERFLOW, P_POSITION, P_RELATIVE, P_SWITCHED, P_TEXT_CLIP, P_TEXT_SIZE, P_VISIBILITY, P_WIDTH, SEEN,
    TRANSPARENT, UNKNOWN, CURRENT, Compound, Condition, Rule, Sheet, Style, add_style, add_to, begins_any, colour_of, holds, is_close, name_of, of_what,
    read_style, reason_of,
)

cdef enum:
    # Elements beside a hidden one that are hidden just as it is: one or two may be meant for machines.
    HIDDEN_ALIKE = 3

# What separates words in lists of ids, in selectors and in scripts; the first one only before a word.
cdef Chars SEPARATORS = b": \t\n#.,;'\"()[]{}"
cdef vector[string] APART = b"dialog alert menu tooltip listbox status".split()
# The background of a page that nothing colours.
cdef int32_t WHITE = 0xFFFFFF


cdef int open_sight(Sight* sight, const Sheet* sheet, Node root) except -1 nogil:
    """Prepare for the elements of a page."""
    sight.sheet, sight.root = sheet, root
    sight.inherited.clear()
    sight.knows_controls = False
    open_table(sight.kinds, 64)
    sight.named.clear()


# ---- controls: what a reader clicks ----------------------------------------------------------------------------------

cdef bint is_control(Node node) noexcept nogil:
    """Return whether an element is clicked to change the page, not to leave it."""
    cdef Bytes role = attribute_of(node, b"role"), href = attribute_of(node, b"href")
    if is_named(node, b"button") or is_named(node, b"summary") or is_named(node, b"label") or (
            attribute_of(node, b"aria-expanded") or attribute_of(node, b"aria-controls") or (
                role and (is_same(role, b"button") or is_same(role, b"tab")))):
        return True
    if is_named(node, b"a"):
        return not href or href[0] in b"#\0" or begins(href, b"javascript:")
    return attribute_of(node, b"onclick") != NULL


cdef bint is_plain_link(Node node) noexcept nogil:
    """Return whether an element is a link that only scrolls: no attribute of it is for a script."""
    cdef const xmlAttr* attribute = node.properties
    while attribute:
        if begins(attribute.name, b"data-") or begins(attribute.name, b"aria-") or begins(attribute.name, b"on") or (
                begins(attribute.name, b"role")):
            return False
        attribute = attribute.next
    return is_named(node, b"a")


cdef int add_ids(Sight* sight, Chars value) nogil:
    """Add the words of an attribute that may be ids: `#one`, `one two`, `show('one')`."""
    cdef Chars end = value + MOST_PASSED
    cdef size_t size
    while value[0] and value < end:
        value += strspn(value, SEPARATORS)
        size = strcspn(value, SEPARATORS + 1)
        number_of(sight.controlled, name_of(<Bytes>value, size, OF_ID))
        value += size


cdef int read_controls(Sight* sight) nogil:
    """Read which ids the page's controls name, in any attribute; and those of the controls themselves."""
    cdef:
        Node node = sight.root
        const xmlAttr* attribute
        Chars name
    open_table(sight.controlled, 64)
    sight.knows_controls = True
    while node:
        if node.type == XML_ELEMENT_NODE and is_control(node) and not is_plain_link(node):
            attribute = node.properties
            while attribute:
                name = <Chars>attribute.name
                if not equal(name, b"class") and not equal(name, b"style"):
                    add_ids(sight, <Chars>value_of(attribute))
                attribute = attribute.next
        node = next_in(sight.root, node)


cdef bint is_controlled(Sight* sight, Bytes id_) nogil:
    """Return whether a control names an id, or has it."""
    if not id_ or not id_[0]:
        return False
    if not sight.knows_controls:
        read_controls(sight)
    return find(sight.controlled, name_of(id_, strlen(<Chars>id_), OF_ID)) >= 0


cdef Node beside(Node node, bint before) noexcept nogil:
    """Return the element next to an element, NULL for none, or if there is text between."""
    node = shown_from(node.prev if before else node.next, before)
    return node if node and node.type == XML_ELEMENT_NODE else NULL


cdef bint can_be_clicked(Node control) noexcept nogil:
    """Return whether a control has a text, a picture or a name: an empty one shows nothing."""
    cdef Node node = control
    cdef int left = MOST_PASSED
    if attribute_of(control, b"aria-label") or attribute_of(control, b"title"):
        return True
    while node and left:
        left -= 1
        if is_named(node, b"img") or is_named(node, b"svg") or is_named(node, b"i") or is_named(node, b"use") or (
                is_text(node) and behind_blanks(node.content)[0]):
            return True
        node = next_in(control, node)
    return left == 0


cdef bint is_only_control(Node node) noexcept nogil:
    """Return whether an element is a control, or begins with one at which its text begins too."""
    cdef int _level
    for _level in range(LEVELS):
        if not node or node.type != XML_ELEMENT_NODE:
            return False
        if is_control(node):
            return can_be_clicked(node)
        node = node.children
        if node and node.type != XML_ELEMENT_NODE:
            node = beside(node, False) if not node.content or is_blank(node.content[0]) else NULL
    return False


cdef bint is_same_value(Node a, Node b, Chars name) noexcept nogil:
    """Return whether two elements have the same value of an attribute, as far as it is compared, or both have none."""
    cdef Bytes mine = attribute_of(a, name)
    cdef Bytes other = attribute_of(b, name)
    return (not mine) == (not other) and (
        not mine or strncmp(<Chars>mine, <Chars>other, MOST_PASSED) == 0)


cdef bint is_like(Node a, Node b) noexcept nogil:
    """Return whether two elements have one tag and one class."""
    return a and b and equal(<Chars>a.name, <Chars>b.name) and (
        is_same_value(a, b, b"class"))


cdef bint is_item_like(Node item, Node node) noexcept nogil:
    """Return whether an element is like that around another one, and ends with an element like it."""
    return is_like(item, node.parent) and is_like(shown_from(item.last, True), node)


cdef int64_t attributes_of(Node node) noexcept nogil:
    """Return the steps that a look at the attributes of an element takes."""
    cdef const xmlAttr* attribute = node.properties
    cdef int64_t steps = A_LOOK
    while attribute:
        steps += A_PART
        attribute = attribute.next
    return steps


cdef bint is_of_kind(Node a, Node b) noexcept nogil:
    """Return whether two elements have one tag, and class names that begin with the same name."""
    cdef Chars mine = told_of(b, b"class")
    cdef size_t size = strcspn(mine, b" ")
    return a and size > 0 and equal(<Chars>a.name, <Chars>b.name) and (
        size == strcspn(told_of(a, b"class"), b" ") and strncmp(mine, told_of(a, b"class"), size) == 0)


cdef bint is_one_of_many(Sight* sight, Node node) noexcept nogil:
    """Return whether elements beside an element are hidden just as it is: parts that are shown one at a time.

    Each may be alone in a box.
    """
    cdef:
        bint is_boxed = not beside(node, True) and not beside(node, False)
        Node box = node
        Node part
        int left = MOST_PASSED, alike = 0
    if is_boxed:
        box = node.parent
    if not attribute_of(node, b"class") or not box or not box.parent:
        return False
    box = box.parent.children
    while box and left > 0 and alike < HIDDEN_ALIKE and sight.steps > 0:
        left -= 1
        part = box
        if is_boxed and box.type == XML_ELEMENT_NODE:
            part = box.children
        if part and part != node and part.type == XML_ELEMENT_NODE:
            sight.steps -= attributes_of(part)
            alike += is_like(part, node) and is_same_value(part, node, b"style") and (
                is_same_value(part, node, b"hidden"))
        box = box.next
    return alike == HIDDEN_ALIKE


cdef bint is_answer(Node node) noexcept nogil:
    """Return whether an element is one of several, each below a heading of its kind: an accordion without buttons."""
    cdef Node above = beside(node, True)
    cdef Node other
    if not above:
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


cdef bint is_apart(Bytes role) noexcept nogil:
    """Return whether a role is that of what lies above the page, such as dialogs: it is none of its text."""
    return role and begins_any(role, APART)


cdef bint is_below_control(Node node) noexcept nogil:
    """Return whether a control is beside an element, or one of several headings, each with an answer."""
    return is_only_control(beside(node, True)) or is_only_control(beside(node, False)) or is_answer(node)


cdef bint a_click_shows(
    Sight* sight, Node node, Bytes role, int32_t reason, bint is_block
) nogil:
    """Return whether a control of the page shows a hidden element."""
    if BY_TEXT_SIZE <= reason <= BY_CLIP or reason == BY_DIALOG or is_apart(role):
        return False
    if is_controlled(sight, attribute_of(node, b"id")) or is_controlled(sight, attribute_of(node, b"aria-labelledby")):
        return True
    if reason != BY_ARIA and sight.sheet and sight.sheet.is_still:  # no script shows what no control is for
        return is_block and is_below_control(node)
    if role and begins(role, b"tabpanel"):
        return True
    # browsers get streamed content in hidden elements, and scripts that move it; React numbers them S:0, S:1 …
    if reason == BY_ATTRIBUTE and begins(<Bytes>told_of(node, b"id"), b"s:"):
        return True
    if reason == BY_ARIA:
        return is_block and (  # a slide beside another one, or below a control
            is_of_kind(beside(node, True), node) or is_of_kind(beside(node, False), node)
            or is_only_control(beside(node, True)))
    return is_block and (is_one_of_many(sight, node) or is_below_control(node))

# ---- rules of style sheets ------------------------------------------------------------------------------------------

cdef int32_t missing(const Compound* compound, const vector[uint64_t]& names) noexcept nogil:
    """Return 0 if an element matches a compound, 1 if it would with one class more, else 2 or more.

    It would not if nothing but its tag matched besides.
    """
    cdef:
        int32_t lacks = 0, has = 0
        uint64_t name
        size_t i
    for i in range(compound.names.size()):
        name = compound.names[i]
        if count(names.const_begin(), names.const_end(), name):
            has += of_what(name) != OF_TAG
        else:
            lacks += 1 + (of_what(name) != OF_CLASS)
    return lacks if has or not lacks else lacks + 1


cdef inline int64_t steps_of(const Compound* compound, const Named* named) noexcept nogil:
    """Return how many bytes are looked at to match a compound: each of its names is looked for among all."""
    return A_LOOK + A_PART * <int64_t>(compound.names.size() * named.names.size())


cdef int add_rules_of(Sight* sight, uint64_t name, Named* named) nogil:
    """Add the rules whose last compound has a name and matches an element."""
    cdef:
        const Sheet* sheet = sight.sheet
        int32_t number = find(sheet.names, name)
        const Rule* rule
        size_t i
    if number < 0:
        return 0
    for i in range(sheet.by_name[number].size()):
        if sight.steps <= 0:
            return 0
        rule = &sheet.rules[sheet.by_name[number][i]]
        sight.steps -= steps_of(&rule.compounds[0], named)
        if missing(&rule.compounds[0], named.names) == 0:
            named.rules.push_back(rule.weight)


cdef int read_names(Node node, vector[uint64_t]& names) nogil:
    """Read the names of an element that selectors may have: its tag, id and classes."""
    cdef Bytes at = <Bytes>told_of(node, b"id")
    cdef size_t size
    names.push_back(name_of(node.name, strlen(<Chars>node.name), OF_TAG))
    if at[0]:
        names.push_back(name_of(at, strlen(<Chars>at), OF_ID))
    at = <Bytes>told_of(node, b"class")
    while at[0]:
        size = strcspn(<Chars>at, b" \t\n\r\f")
        if size:
            names.push_back(name_of(at, size, OF_CLASS))
        at += size + (at[size] != 0)


cdef int name_element(Sight* sight, Node node, Named* named) nogil:
    """Read an element's names, and find the rules, other than those of states, whose last compound matches it."""
    cdef uint64_t name
    memset(named.filter, 0, sizeof(named.filter))
    read_names(node, named.names)
    add_rules_of(sight, ANY, named)
    for name in named.names:
        add_to(named.filter, name)
        add_rules_of(sight, name, named)
    sort(named.rules.begin(), named.rules.end())


cdef int32_t kind_of(Sight* sight, Node node, uint64_t kind) except -2 nogil:
    """Return the number of an element's names among those of the page, -1 without rules; kinds have equal names."""
    cdef int32_t number
    if not sight.sheet or not node or not sight.sheet.rules.size():
        return -1
    number = number_of(sight.kinds, kind)
    if number == <int32_t>sight.named.size():
        sight.named.resize(number + 1)
        name_element(sight, node, &sight.named[number])
    return number


cdef inline bint is_missing(Sight* sight, const Compound* compound, int32_t element) noexcept nogil:
    """Return whether an element does not match a compound."""
    cdef int32_t kind = sight.inherited[element].kind
    if kind < 0:
        return True
    sight.steps -= steps_of(compound, &sight.named[kind])
    return missing(compound, sight.named[kind].names)


cdef bint is_around(Sight* sight, const Rule* rule, int32_t around) noexcept nogil:
    """Return whether the compounds of a rule before its last match the elements around one.

    Nearest elements are taken first, which misses few selectors in which children follow descendants. No rule matches
    once there are no `steps` left.
    """
    cdef size_t i
    cdef const Compound* part
    for i in range(4):
        if around >= 0 and rule.filter[i] & ~sight.inherited[around].filter[i]:
            return False
    for i in range(1, rule.compounds.size()):
        if sight.steps <= 0:
            return False
        part = &rule.compounds[i]
        while around >= 0 and not rule.compounds[i - 1].is_child and is_missing(sight, part, around):
            around = sight.inherited[around].parent
        if around < 0 or is_missing(sight, part, around):
            return False
        around = sight.inherited[around].parent
    return True


cdef bint is_beside(Sight* sight, const Rule* rule, Node node) noexcept nogil:
    """Return whether an element before another one, on its level, matches what a rule asks of it."""
    cdef vector[uint64_t] names
    cdef int left = MOST_PASSED
    node = node.prev
    while node and left > 0 and sight.steps > 0:
        if node.type == XML_ELEMENT_NODE:
            left -= 1
            sight.steps -= attributes_of(node) + A_PART * <int64_t>strlen(told_of(node, b"class"))
            names.clear()
            read_names(node, names)
            if missing(&rule.beside[0], names) == 0:
                return True
            if rule.is_next:
                return False
        node = node.prev
    return False


cdef bint is_at(Sight* sight, Node node, int32_t place, bint from_end) noexcept nogil:
    """Return whether an element has a place among its siblings, counted from 1; 0 stands for any."""
    cdef int32_t found = 0
    while place and node and found <= place and sight.steps > 0:
        sight.steps -= A_PART
        found += node.type == XML_ELEMENT_NODE
        node = node.next if from_end else node.prev
    return found == place


cdef bint holds_all(Sight* sight, const Rule* rule, Node node) noexcept nogil:
    """Return whether an element meets the conditions of a rule; none once there are no `steps` left."""
    cdef:
        const Condition* condition
        Chars given
        size_t i
        bint is_met
    if rule.beside.size() and not is_beside(sight, rule, node):
        return False
    for i in range(rule.conditions.size()):
        condition = &rule.conditions[i]
        if condition.first or condition.last:
            is_met = is_at(sight, node, condition.first, False) and is_at(sight, node, condition.last, True)
        else:
            given = <Chars>attribute_of(node, condition.name.c_str())
            sight.steps -= attributes_of(node) + (A_PART * <int64_t>strlen(given) if given else 0)
            is_met = holds(condition, given)
        if is_met == condition.is_not or sight.steps <= 0:
            return False
    return True


cdef int32_t shown_by(int32_t reason) noexcept nogil:
    """Return the properties of a rule that shows an element in another state: a script may undo the rest with it."""
    return P_CLIP if reason == BY_CLIP else P_HEIGHT | P_WIDTH if reason == BY_SIZE else P_SWITCHED & ~P_WIDTH


cdef bint may_show(Sight* sight, int32_t kind, int32_t around, int32_t reason) nogil:
    """Return whether a rule would show an element in another state of the page.

    That is one whose selector matches in a state, or lacks one class of the element, or one of an ancestor. No rule
    does once there are no `steps` left.
    """
    cdef:
        Named* named = &sight.named[kind]
        const Rule* rule
        size_t i
    if sight.steps <= 0:
        return False
    if not named.knows_showing:
        named.knows_showing = True
        for i in range(sight.sheet.showing.size()):
            rule = &sight.sheet.rules[sight.sheet.showing[i]]
            sight.steps -= steps_of(&rule.compounds[0], named)
            if sight.steps <= 0:
                break
            if missing(&rule.compounds[0], named.names) <= 1:
                named.showing.push_back(sight.sheet.showing[i])
    for i in range(named.showing.size()):
        if sight.steps <= 0:
            return False
        rule = &sight.sheet.rules[named.showing[i]]
        sight.steps -= steps_of(&rule.compounds[0], named)
        if rule.style.said & shown_by(reason) and (rule.is_state or (not sight.sheet.is_still and (
                rule.conditions.size() or missing(&rule.compounds[0], named.names) or not is_around(sight, rule, around)))):
            return True
    return False

# ---- elements --------------------------------------------------------------------------------------------------------

cdef int inherit(Sight* sight, const Style* style, Inherited* text, bint is_named) noexcept nogil:
    """Set what the text of an element has from its own styles and from those around it.

    An element with a class or an id may be styled by a sheet that the page loads: what it inherits is unknown.
    """
    if is_named and (not sight.sheet or not sight.sheet.is_all):
        text.back = text.colour = UNKNOWN
        text.hides = text.hides if text.hides == BY_VISIBILITY else SEEN
    if style.off & P_POSITION:  # it may lie on a picture
        text.back = UNKNOWN
    if style.said & P_COLOUR and style.colour not in (INHERITED, CURRENT):
        text.colour = style.colour
    if style.said & P_BACKGROUND and style.back != TRANSPARENT:
        text.back = style.back
        if style.back == CURRENT:  # whatever that is
            text.back = text.colour = max(text.colour, 0)
    if style.said & P_TEXT_SIZE:
        if style.off & P_TEXT_SIZE:
            text.hides = BY_TEXT_SIZE
        elif text.hides != BY_TEXT_SIZE or not style.off & P_RELATIVE:  # a share of nothing is nothing
            text.hides = SEEN
    if style.said & P_LINES:
        text.has_lines = style.off & P_LINES != 0
    if style.said & P_VISIBILITY:
        text.hides = BY_VISIBILITY if style.off & P_VISIBILITY else SEEN


cdef inline bint is_unreadable(const Inherited* text, const Style* style) noexcept nogil:
    """Return whether text has the colour of its background."""
    return (text.colour == TRANSPARENT or is_close(text.colour, text.back)) and not style.off & P_TEXT_CLIP


cdef inline bint is_in_ruby(Node node) noexcept nogil:
    """Return whether an element is the base of a reading, which is read aloud in its place."""
    return is_named(node, b"ruby") or is_named(node, b"rb") or (node.parent and is_named(node.parent, b"ruby"))


cdef bint is_bare(Node node) noexcept nogil:
    """Return whether an element has no attribute but its style; one that the parser adds, NULL, has none."""
    cdef const xmlAttr* attribute = node.properties if node else NULL
    return attribute and not attribute.next and equal(<Chars>attribute.name, b"style")


cdef int32_t of_box(
    Node node, const Bytes* given, const Style* style, bint is_block, bint is_dialog
) noexcept nogil:
    """Return why an element is hidden with all in it, by itself."""
    cdef int32_t reason
    if given[HIDDEN_ATTRIBUTE] and not begins(given[HIDDEN_ATTRIBUTE], b"until-found") and (
            not style.said & P_DISPLAY or style.off & P_DISPLAY):
        return BY_ATTRIBUTE
    if (is_dialog and not attribute_of(node, b"open")) or given[POPOVER]:
        return BY_DIALOG
    reason = reason_of(style, is_block, is_bare(node))
    # pictures of formulas, captions and links that repeat what is beside them are hidden from screen readers only
    if reason == SEEN and given[ARIA_HIDDEN] and begins(given[ARIA_HIDDEN], b"true") and (
            not is_in_ruby(node) and not is_named(node, b"img") and not is_named(node, b"figcaption") and (
                not attribute_of(node, b"href"))):
        return BY_ARIA
    return reason


cdef int32_t look_at(
    Sight* sight, Node node, const Bytes* given, uint64_t kind, int32_t parent, bint is_block, bint is_dialog
) except -1 nogil:
    """Return why nothing shows the next element of a page, SEEN if it can be seen or a click shows it.

    Elements of one `kind` have equal names.
    """
    cdef:
        Style style
        Inherited text
        const Named* named
        const Rule* rule
        int32_t reason, of_parent
        bint is_all = sight.sheet and sight.sheet.is_all, by_sheet
        size_t i
    memset(&style, 0, sizeof(Style))
    style.colour = style.back = UNKNOWN
    if parent >= 0:
        text = sight.inherited[parent]
    else:
        memset(&text, 0, sizeof(Inherited))
        text.colour, text.back = UNKNOWN, WHITE if is_all else UNKNOWN
    of_parent = text.hides
    text.parent, text.kind = parent, kind_of(sight, node, kind)
    if given[BACKGROUND]:
        style.said |= P_BACKGROUND
        style.back = colour_of(<Chars>given[BACKGROUND], True)
    if given[PICTURE]:
        text.back = UNKNOWN
    if given[COLOUR]:
        style.said |= P_COLOUR
        style.colour = colour_of(<Chars>given[COLOUR], False)
    if text.kind >= 0:
        named = &sight.named[text.kind]
        for i in range(named.rules.size()):
            if sight.steps <= 0:
                break
            sight.steps -= A_LOOK
            rule = &sight.sheet.rules[<uint32_t>named.rules[i]]
            if is_around(sight, rule, parent) and holds_all(sight, rule, node):
                add_style(&style, &rule.style)
        for i in range(4):
            text.filter[i] |= named.filter[i]
    by_sheet = style.off & P_SWITCHED != 0
    if given[STYLE]:
        read_style(given[STYLE], &style)
    reason = of_box(node, given, &style, is_block, is_dialog)
    if not reason and text.is_cut and style.off & P_BEYOND and style.off & P_POSITION and is_bare(node):
        reason = BY_PLACE
    if style.off & P_POSITION:
        text.is_cut = style.off & P_OVERFLOW != 0
    # a formula in MathML stands hidden beside its picture
    if reason and (is_math_alone(node) or a_click_shows(sight, node, given[ROLE], reason, is_block) or (
            by_sheet and may_show(sight, text.kind, parent, reason))):
        reason = SEEN
    if sight.shells.size() and sight.shells[sight.inherited.size()]:
        reason, style.off = SEEN, 0
    inherit(sight, &style, &text, given[CLASS] or given[ID])
    if text.hides == BY_VISIBILITY and of_parent != BY_VISIBILITY and (
            a_click_shows(sight, node, given[ROLE], BY_VISIBILITY, is_block) or (
                by_sheet and may_show(sight, text.kind, parent, BY_VISIBILITY))):
        text.hides = SEEN
    text.is_hidden |= reason != SEEN
    sight.inherited.push_back(text)
    if reason:
        return reason
    return text.hides if text.hides else BY_COLOUR if is_unreadable(&text, &style) else SEEN
