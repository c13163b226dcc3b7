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
