"""Meaning of HTML tags, roles and class words: which end a block, which show nothing, which frame a page.

Tags and ARIA roles may decide; class words are only features that a strategy weighs.
"""

from __future__ import annotations

import re
from enum import IntFlag
from functools import lru_cache

#: Elements whose subtrees show no page text, or only form values; for `math`, only TeX generated from it; for `rt`, how
#: the words before it are said, which would run into them. They stay in the feature tree as leaves.
SKIPPED_TAGS = frozenset(
    "script style noscript template svg math head iframe object embed applet canvas audio video map select option "
    "textarea input datalist frame frameset noframes noembed progress meter rt rp rtc title".split()
)

#: Elements that a head may contain; any other ends it (HTML's "in head" insertion mode).
HEAD_TAGS = SKIPPED_TAGS | frozenset("base basefont bgsound isindex link meta title".split())

#: Elements that begin and end a block of text (HTML's rendering section, plus table cells and form labels).
BLOCK_TAGS = frozenset(
    "html body address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr li main menu nav ol p pre search section summary table tbody "
    "td tfoot th thead tr caption ul legend button label".split()
)

#: Frames of the page's layout: the block nodes of the template signature. Wang, Chen and Dai (2018) use div and table;
#: section, article, main and the other sectioning tags have since taken their place.
CONTAINER_TAGS = frozenset("div table section article main aside nav header footer form ul ol dl".split())

#: Song et al. (2011), section 2: the tags that carry content, plus modern ones (i, em, li …), for which the source's P
#: SPAN B STRONG H1..H6 stand.
CONTENT_TAGS = frozenset("p span b strong h1 h2 h3 h4 h5 h6".split())

#: What declarations of styles say: bits of `Style` in `core/styles.pxd`, which has their meaning.
Property = IntFlag(
    "Property",
    "DISPLAY VISIBILITY OPACITY TEXT_SIZE COLOUR BACKGROUND POSITION OFFSET INDENT MARGIN TRANSFORM CLIP HEIGHT WIDTH "
    "OVERFLOW MOVES TEXT_CLIP FIXED BEYOND PUSHED ROOM RELATIVE AHEAD LINES",
)
#: Why nothing shows an element, in words, by the number of the reason in `core/styles.pxd`.
REASONS = (
    "",
    "the attribute hidden",
    "display: none",
    "visibility: hidden",
    "opacity: 0",
    "text without size",
    "text in the colour of its background",
    "off the screen",
    "clipped",
    "without height or width",
    "a closed dialog",
    "aria-hidden",
)

#: What linked style sheets do: classes by which frameworks clip text that is for screen readers, and elements in which
#: an icon font shows a sign in place of its name; MediaWiki's links that edit a section, which its styles for print
#: hide; and classes that keep the ends of lines.
USUAL_SHEET = b"""
.sr-only, .is-sr-only, .show-for-sr, .visually-hidden, .visuallyhidden, .cdk-visually-hidden, .element-invisible,
.screen-reader-text, .screen-reader-only, .screenreader-text, .assistive-text, .a11y-hidden, .u-visually-hidden,
.usa-sr-only, .govuk-visually-hidden, .hide-accessible, .ui-helper-hidden-accessible, .p-hidden-accessible,
.material-icons, .material-icons-outlined, .material-icons-round, .material-icons-sharp, .material-symbols-outlined,
.material-symbols-rounded, .material-symbols-sharp, mat-icon, md-icon,
.mw-editsection, .editsection { clip: rect(0, 0, 0, 0) }
.whitespace-pre-line, .whitespace-pre-wrap { white-space: pre-line }
"""

ROOT_TAGS = frozenset(["html", "body"])
HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6".split())
#: Elements whose text is exact: no space is added.
EXACT_TAGS = frozenset("pre code kbd samp tt var textarea".split())

#: What an element is by its tag: bits of `ElementKind.kind`.
Kind = IntFlag(
    "Kind",
    "BLOCK CONTAINER SKIPPED BREAK ROOT EXACT IN_HEAD LIST CONTENT PICTURE TERM DIV QUOTE STORY FORM "
    "CAPTION TIME ITEM GRAPHIC SUBMITTABLE",
)
_TAGS_OF_KIND = {
    Kind.BREAK: "br",
    Kind.LIST: "ul ol dl",
    Kind.PICTURE: "img",
    Kind.TERM: "dt",
    Kind.DIV: "div",
    Kind.QUOTE: "blockquote q cite",
    Kind.STORY: "article",
    Kind.FORM: "form",
    Kind.CAPTION: "figcaption caption",
    Kind.TIME: "time address",
    Kind.ITEM: "li",
    Kind.GRAPHIC: "img picture video svg",
    Kind.SUBMITTABLE: "button input select textarea",  # the name in the standard of HTML
}
KIND_TAGS: dict[Kind, frozenset[str]] = {
    Kind.BLOCK: BLOCK_TAGS,
    Kind.CONTAINER: CONTAINER_TAGS,
    Kind.SKIPPED: SKIPPED_TAGS,
    Kind.ROOT: ROOT_TAGS,
    Kind.EXACT: EXACT_TAGS,
    Kind.IN_HEAD: HEAD_TAGS,
    Kind.CONTENT: CONTENT_TAGS,
    **{kind: frozenset(tags.split()) for kind, tags in _TAGS_OF_KIND.items()},
}


#: Kinds of elements and of their ancestors, the second half by words of class, id, role or itemprop: bits of
#: `ElementKind.flags` and `Element.flags`.
Flag = IntFlag(
    "Flag",
    "LINK HIDDEN HEADING NAV HEADER FOOTER ASIDE ARTICLE CONTROL FIGURE LIST_ITEM TABLE_CELL PREFORMATTED "
    "NAV_WORD HEADER_WORD FOOTER_WORD SIDE_WORD AD_WORD COMMENT_WORD RELATED_WORD "
    "SHARE_WORD CAPTION_WORD BYLINE_WORD CONTENT_WORD CONSENT_WORD",
)

TAG_FLAGS: dict[str, Flag] = {
    "a": Flag.LINK,
    "nav": Flag.NAV,
    "header": Flag.HEADER,
    "footer": Flag.FOOTER,
    "aside": Flag.ASIDE,
    "article": Flag.ARTICLE,
    "main": Flag.ARTICLE,
    "button": Flag.CONTROL,
    "label": Flag.CONTROL,
    "figure": Flag.FIGURE,
    "figcaption": Flag.FIGURE,
    "li": Flag.LIST_ITEM,
    "dt": Flag.LIST_ITEM,
    "dd": Flag.LIST_ITEM,
    "td": Flag.TABLE_CELL,
    "th": Flag.TABLE_CELL,
    "pre": Flag.PREFORMATTED,
    **dict.fromkeys(HEADING_TAGS, Flag.HEADING),
}
ROLE_FLAGS: dict[str, Flag] = {
    "navigation": Flag.NAV,
    "menu": Flag.NAV,
    "menubar": Flag.NAV,
    "search": Flag.NAV,
    "banner": Flag.HEADER,
    "contentinfo": Flag.FOOTER,
    "complementary": Flag.ASIDE,
    "main": Flag.ARTICLE,
    "article": Flag.ARTICLE,
    "button": Flag.CONTROL,
    "heading": Flag.HEADING,
}
#: Roles of lists and of parts of a table (ARIA 1.2, section 5.3), by the tag with that role.
TAG_ROLES = {
    "table": "table grid treegrid",
    "tbody": "rowgroup",
    "tr": "row",
    "td": "cell gridcell",
    "th": "columnheader rowheader",
    "ul": "list",
    "li": "listitem",
}
# The words are those of front-end code, English in nearly every country. Each is matched at the start of a word in
# class, id, role and itemprop (split at camelCase, - and _).
_WORDS: dict[Flag, str] = {
    Flag.NAV_WORD: r"nav|menu|breadcrumb|crumb|pager|pagination|tabs?\b|skip|toolbar",
    Flag.HEADER_WORD: r"header|masthead|banner|logo|topbar|top bar",
    Flag.FOOTER_WORD: r"foot|copyright|bottom|legal|disclaimer",
    Flag.SIDE_WORD: r"side|rail\b|right col|left col|widget|aside",
    Flag.AD_WORD: r"ads?\b|advert|sponsor|promo|outbrain|taboola|newsletter|subscri|signup|paywall",
    Flag.RELATED_WORD: r"relat|recommend|more from|read more|most (read|popular)|popular|trending|teaser|also|see all",
    Flag.SHARE_WORD: r"shar(e|ing)|social|tweet|twitter|facebook|bookmark|print|email|follow",
    Flag.CAPTION_WORD: r"caption|credit|photo|image|gallery",
    Flag.BYLINE_WORD: r"byline|author|dateline|date\b|time\b|publish|posted|meta\b|info\b",
    Flag.CONTENT_WORD: r"article|content|entry|post\b|story|body|text\b|main\b",
    Flag.CONSENT_WORD: r"cookie|consent|gdpr|privacy",
}
_WORD_PATTERN = re.compile("|".join(rf"(?P<{f.name}>\b(?:{words}))" for f, words in _WORDS.items()))
# plain numbers: Flag arithmetic takes a microsecond
_FLAG_BITS = {str(flag.name): int(flag) for flag in _WORDS}
#: The first three letters of all word beginnings searched for; of "ads?" two as well.
_BEGINNINGS = frozenset(re.findall(r"(?:^|\|)([a-z]{1,3})", "|".join(_WORDS.values()))) | {"ad"}
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NOT_A_LETTER = re.compile(r"[\W_\d]+")
#: Longer attribute values are cut before the search, which bounds its time.
MAX_WORDS_LENGTH = 400


@lru_cache(maxsize=4_096)  # about 10 MB at most for hostile pages
def word_flags(names: str) -> int:
    """Return the `Flag` bits that words in `names` (class, id, role and itemprop values, joined by spaces) suggest."""
    text = split_name(names[:MAX_WORDS_LENGTH])
    # most names contain none of the words: a search takes 2 µs a word. Lower-casing may add non-letters beyond ASCII,
    # which separate words
    if text.isascii() and _BEGINNINGS.isdisjoint([word[:3] for word in text.split()]):
        return 0
    bits = 0
    for match in _WORD_PATTERN.finditer(text):
        bits |= _FLAG_BITS[match.lastgroup or ""]
    return bits


def split_name(name: str) -> str:
    """Return a class name or id as words: lower case, no digits, separated by spaces."""
    return _NOT_A_LETTER.sub(" ", _CAMEL.sub(" ", name)).lower()


#: What browsers percent-encode in a path, and what ends an address within a text.
ENCODED = str.maketrans({char: f"%{ord(char):02X}" for char in ' "<>`\\^{|}'})
