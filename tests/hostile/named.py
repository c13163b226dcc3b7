"""Pages that were made to break programs, each of any size: at size 1 as large as its name says."""

from __future__ import annotations

from collections.abc import Callable, Mapping

SENTENCE = "The quick brown fox jumps over the lazy dog near the river bank. "
STORY = "<p>The old bridge was closed on Monday, for the river had risen in the night and nobody dared to cross.</p>"


def letters(number: int) -> str:
    """A name of letters alone: digits of names are left out."""
    name = ""
    while number or not name:
        number, letter = divmod(number, 26)
        name += chr(97 + letter)
    return name


def repeated(before: str, unit: str, count: float, after: str = "") -> Callable[[float], str]:
    """A page of so many units at size 1, each with its number for `@`."""
    return lambda x: before + "".join(unit.replace("@", str(number)) for number in range(int(count * x))) + after


def _names(count: int) -> str:
    return " ".join(f"a{number}=1" for number in range(count))


def _bomb(levels: int) -> str:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, levels))
    return f'<!DOCTYPE html [<!ENTITY a0 "ha">{entities}]><p>&a{levels - 1}; story</p>'


#: A selector of a hundred classes, and a class attribute that lacks one of them.
SELECTOR, LACKING = "".join(f".c{n}" for n in range(100)), " ".join(f"c{n}" for n in range(99))
#: A title that ends in an ellipsis, marks of two classes on a letter, which a normal form has in another order.
CUT, MARKS = "The old bridge was closed for the", "\u0301\u0323"
SHADOW = "<div><template shadowrootmode=open><slot></template>"
#: Pages that took time by the square of their size; as `CASES`.
BOUNDED: Mapping[str, Callable[[float], str]] = {
    "a heading behind a cut title": lambda x: f"<title>{CUT}...</title></head><h1>{CUT} {'-' * int(1e7 * x)}</h1>",
    "names of sites": lambda x: "<title>A bridge x</title>" + (
        "<meta property=og:site_name content=qq><meta property=og:title content=x>" * int(1.3e5 * x) + "</head>"
    ),
    "marks on a letter": lambda x: "<p>a" + MARKS * int(2.5e6 * x),
    "marks in a note": lambda x: f"<p>{SENTENCE}<a href=#n id=r>[1]</a><p id=n><a href=#r>[1]</a> a" + (
        MARKS * int(2.5e6 * x)
    ),
    "white space beside hidden boxes": lambda x: "<div>" + " " * int(5e6 * x) + "<div class=x>" + (
        "<p hidden>a</p><h2>b</h2>" * int(2e5 * x)
    ),
    "attributes around formulas": lambda x: f"<p {_names(min(int(8e5 * x), 9000))}>" + (
        "<math>x</math>" * int(3.5e5 * x)
    ),
    "headings of the title's letters": lambda x: f"<title>{'a' * 1000}</title></head>" + (
        f"<h1>{'a' * 498}b</h1>" * int(2e4 * x)
    ),
    "shadow trees within others": lambda x: SHADOW * min(int(2e5 * x), 240) + "<b>x</b>" * int(1e6 * x),
}  # fmt: skip
#: By name: from a size between 0 and 1 to the page. Each holds the story, which no body may lose as a whole.
CASES: Mapping[str, Callable[[float], str]] = {
    **BOUNDED,
    "a million elements": lambda x: "<p>word here</p>" * int(1e6 * x),
    "a million in one line": lambda x: "<p>" + "<b>w</b> " * int(1e6 * x),
    "a million without text": lambda x: "<div></div>" * int(1e6 * x),
    "a million breaks": lambda x: "<p>" + "w<br>" * int(1e6 * x),
    "a million class names": lambda x: "".join(f"<p class={letters(n)}>word</p>" for n in range(int(1e6 * x))),
    "a million inside a head": lambda x: "<head>" + "<meta name=a content=b>" * int(1e6 * x) + "</head>",
    "a million inside a noscript": lambda x: "<noscript>" + "<i>a</i>" * int(1e6 * x) + "</noscript>",
    "a million cells": lambda x: "<table><tr>" + "<td>a" * int(1e6 * x) + "</table>",
    "nested 100,000 times": lambda x: "<div>word " * int(1e5 * x),
    "nested and closed": lambda x: "<div>word " * int(1e5 * x) + "</div> more" * int(1e5 * x),
    "nested with names": lambda x: "".join(f"<div class={letters(n)}>word " for n in range(int(1e5 * x))),
    "nested lists": lambda x: "<ul><li>word " * int(5e4 * x),
    "nested tables": lambda x: "<table><tr><td>word " * int(3e4 * x),
    "nested quotes": lambda x: "<blockquote><p>word " * int(5e4 * x),
    "nested in line": lambda x: "<p>" + "<b><i><a href=x>word " * int(3e4 * x),
    "end tags of nothing": lambda x: "<div>" * int(1e5 * x) + "</b>" * int(1e5 * x),
    "roots within": lambda x: "<div>" * int(1e5 * x) + "<body><html><head>" * int(1e5 * x),
    "a text of 50 MB": lambda x: "<p>" + SENTENCE * int(5e7 / len(SENTENCE) * x),
    "a word of 50 MB": lambda x: "<p>" + "a" * int(5e7 * x),
    "a line of 10 MB in Chinese": lambda x: "<p>" + "新闻文章很长。" * int(5e5 * x),
    "a title of 10 MB": lambda x: "<title>" + SENTENCE * int(1.5e5 * x) + "</title>" + "<h1>The quick fox</h1>" * 9,
    "spaces": lambda x: "<p>a" + " \n\t" * int(5e6 * x) + "b",
    "100,000 attributes": lambda x: f"<p {_names(int(1e5 * x))}>word",
    "attributes of 10 MB": lambda x: "<p class='" + "name " * int(1e6 * x) + "' id='" + "x" * int(5e6 * x) + "'>word",
    "addresses of 10 MB": lambda x: f"<a href='//b/{'a' * int(5e6 * x)}'>x</a><img src='{'b' * int(5e6 * x)}'>",
    "entity bomb": lambda x: _bomb(2 + int(30 * x)),
    "entities": lambda x: "<p>" + "&amp;&lt;&#x41;&nbsp;&#0;&#xD800;&#1;&#2;" * int(3e5 * x),
    "numbers of no character": lambda x: "<p>&#" + "9" * int(1e6 * x) + ";&#x" + "f" * int(1e6 * x) + ";",
    "ampersands": lambda x: "<p>" + "&" * int(5e6 * x) + "<" * int(5e6 * x),
    "half characters": lambda x: "<p>" + "\ud800a\udfff\x00 \ufdd0\ufffe\uffff\x01\x02 " * int(5e5 * x),
    "open tags": lambda x: "<p>word" + "<a " * int(1e6 * x) + ">",
    "comments": lambda x: "<p>word" + "<!-- x --><!-->" * int(5e5 * x),
    "quotes that do not end": lambda x: "<p>word" + "<a title=\">\"'\" href='" * int(3e5 * x) + "'\">",
    "links": lambda x: "".join(f"<a href='/{n}'>Link {n}</a> " for n in range(int(3e5 * x))),
    "images": lambda x: "<p>word " + "".join(f"<img src=/{n}.png alt=x>" for n in range(int(3e5 * x))),
    "cells over others": lambda x: "<table>" + "<tr><td colspan=1000 rowspan=65534>a" * int(1e5 * x) + "</table>",
    "headings of comments": lambda x: "<h2>Comments</h2><p>It was good, and long.</p>" * int(2e5 * x),
    "marks of Markdown": lambda x: "<p>" + "*_`[]()#< - \\ " * int(3e5 * x),
    "fences": lambda x: "<pre>" + "\n".join("`" * (n % 99) for n in range(int(1e5 * x))) + "</pre>",
    "JSON-LD": lambda x: "<script type=application/ld+json>" + '{"@type": ["' * int(1e6 * x) + "</script>",
    "items": lambda x: "<b itemscope itemtype='http://schema.org/Product'>w</b> " * int(2e5 * x),
    "hidden": lambda x: "<p style='display: none'>word</p>" * int(2e5 * x),
    "options": lambda x: "<select>" + "<option>a" * int(5e5 * x) + "</select>",
    "pictures": lambda x: "<picture>" + "<source srcset='a.png 1x, b.png 2x'>" * int(3e5 * x) + "<img></picture>",
    "documents in a document": lambda x: "<html><body><p>word</body></html>" * int(2e5 * x),
    "widths": lambda x: "<div style='width: 99%'>" * 200 + "<table width='5%'><tr><td width=3>a</table>" * int(1e5 * x),
    "rules of many classes": lambda x: "<style>" + f"{SELECTOR} .x {{ display: none }}" * 500 + "</style>" + (
        f"<div class='{LACKING}'>" * 30 + "<p class=x>a</p>" * int(1e5 * x)
    ),
    "rules of one name": lambda x: f"<style>{'.x { display: none }' * 3000}</style>" + "".join(
        f"<p class=x id=i{n}>a</p>" for n in range(int(1e5 * x))
    ),
    "numbers of lines in blocks": lambda x: "<pre>" + "".join(
        f"<div><i>{n}</i> a\n<i>{n + 1}</i> b\n</div>" for n in range(1, int(2e4 * x), 2)
    ),
    "selectors with conditions": lambda x: "<style>" + (
        ".x[data-a] b:is(a, b) { display: none }" * int(1e5 * x) + "</style>"
    ),
}  # fmt: skip


def with_story(source: str) -> str:
    """A source with the story before what stands behind its head, which may be inside of a tag that does not end."""
    head, end, rest = source.rpartition("</head>")
    return f"<html>{head}{end}<body>{STORY}{rest}"


def page_of(name: str, size: float) -> str:
    """A case with the story."""
    return with_story(CASES[name](size))
