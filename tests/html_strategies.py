"""Hypothesis strategies: small pages that look like what sites serve, and like what they should not."""

from hypothesis import strategies as st

TAGS = "div p span b a ul li table tr td h1 nav section br script noscript em pre".split()
VOID = {"br"}
WORDS = st.sampled_from(["one", "Two", "3rd", "news", "中文", "文", "é", "😀", "&amp;", " ", "\n", "a.b", "x,"])
TEXT = st.lists(WORDS, max_size=4).map(" ".join)
NAMES = st.sampled_from(["", "", "", "a", "b", "menu", "post-12", "post-7"])


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> str:
    """Markup of one element with its subtree."""
    tag = draw(st.sampled_from(TAGS))
    attributes = "".join(f' {key}="{value}"' for key in ("class", "id") if (value := draw(NAMES)))
    if tag == "a":
        attributes += f' href="/{draw(st.sampled_from("xyz"))}"'
    if tag in VOID:
        return f"<{tag}{attributes}>"
    children = st.just([]) if depth == 0 else st.lists(st.one_of(TEXT, elements(depth=depth - 1)), max_size=4)
    inner = draw(TEXT) + "".join(draw(children)) + draw(TEXT)
    return f"<{tag}{attributes}>{inner}</{tag}>"


def pages(max_elements: int = 5) -> st.SearchStrategy[str]:
    """Whole pages."""
    body = st.lists(st.one_of(TEXT, elements()), max_size=max_elements).map("".join)
    return body.map(lambda inner: f"<html><head><title>T</title></head><body>{inner}</body></html>")


_PIECES = (
    "<div> </div> <p> </p> <a href=x> </a> <td> </table> <table> <br> <noscript> </noscript> <script> </script> "
    "<!-- --> <![CDATA[ ]]> &#1; &#2; &#0; &#xD800; &lt; <b <x-y> </x-y> </body> </html> <body> <html> <head> "
    "</head> <svg/> <title> text 中 < > \" ' ="
).split()
_ODD = [" ", "\x00", "\x01", "\x02", "\x0b", "\ud800", "\ufeff", "<body hidden>", "<base href='//b/'>"]
#: Broken markup: pieces of tags, entities and control characters in any order.
SOUP = st.lists(st.sampled_from([*_PIECES, *_ODD]), max_size=30).map("".join)

_NAMES = (
    "a", "post-12 wide", "menu", "7", "中文", "commentList", "userComments", "reply", "replies-3", "replied",
    "responds", "Disqus", "uncommented", "é-comment", "x" * 199 + "é comment", "pingback", "trackbacks", "discussions",
    " \t a\n1 b",
)  # fmt: skip
_ATTRIBUTES = {
    "class": _NAMES,
    "id": _NAMES,
    "role": ("navigation", " Main ", "button x", "none", "", "complementary", "x" * 40, "comment"),
    "itemprop": ("comment", "name", ""),
    "style": ("display:none", "DISPLAY : None", "color:red;visibility:hidden", "display: block", "display",
              "xdisplay:none"),
    "hidden": ("",),
    "href": ("/x", "#a", "", "http://a.example/中"),
    "src": ("/i.png",),
}  # fmt: skip
_ODD_TAGS = (
    "x-y my-story header main h2 h6 label button td th tr table li ul dl dt dd pre code span b i a em font div p br "
    "noscript script style template svg select textarea head title meta base link body html article img sub o:p "
    "ruby rt rp"
).split()
_ODD_TEXTS = (
    "One", "Two", "word", "w", "W", "2026", "7", "½", "_", "中文网页", "文", "ア", "한국", "اقرأ", "É", "ß", "İ", "😀",
    "\U00020000", "\U0001d400b", ".", "End.", "?", "、", ",", " ", "  ", "\n", "\n  ", "\t", "\xa0", "\u3000", "\u200b",
    "\xad", "\ufeff", "می\u200cخ", "\u200c", "\u200d", "\U0001f468", "\U000e0041", "\U000e0100", "\u180e",
    "&#1;", "&#2;", "&#11;", "&#12;", "&#28;", "&#31;", "&#13;", "&#133;", "&#0;", "&amp;", "&nbsp;",
    "five words of some letters, more than twelve in all as prose has them. ", "text " * 30,
)  # fmt: skip


@st.composite
def _odd_piece(draw: st.DrawFn) -> str:
    """A tag, an end tag or a text of those that rules are about."""
    kind = draw(st.integers(0, 5))
    if kind <= 1:
        tag = draw(st.sampled_from(_ODD_TAGS))
        names = draw(st.lists(st.sampled_from(sorted(_ATTRIBUTES)), unique=True, max_size=2))
        values = [(name, draw(st.sampled_from(_ATTRIBUTES[name]))) for name in names]
        return f"<{tag}" + "".join(f' {name}="{value}"' for name, value in values) + ">"
    if kind == 2:
        return f"</{draw(st.sampled_from(_ODD_TAGS))}>"
    if kind == 3:  # inline elements that follow each other
        tags = draw(st.lists(st.sampled_from(["a", "a", "b", "span", "code", "x-y"]), min_size=2, max_size=3))
        return "".join(f"<{tag}>{draw(st.sampled_from(_ODD_TEXTS))}</{tag}>" for tag in tags)
    return draw(st.sampled_from(_ODD_TEXTS))


#: Pages of what the rules of the walk are about: heads without end, custom elements, breaks, words that meet, scripts
#: of all kinds, control characters by reference, names of comments, hidden elements, text after the end.
ODD_PAGES = st.lists(_odd_piece(), max_size=25).map("".join)
