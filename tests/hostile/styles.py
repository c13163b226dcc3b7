"""Pages of hostile styles, made from a grammar of the CSS that we read: `python -m tests.hostile.styles [--bytes N]`.

Each construct is repeated, stands within itself, or is cut off, in style attributes, declarations, selectors and
blocks. The command reads all of them by each output, and prints those that take more than half a second of processor
time a megabyte beyond the parser's, or more than five times as long for four times as much.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping

from lxml import etree

from denoise_scrapy import extract
from denoise_scrapy.body import Body
from denoise_scrapy.page.page import _sheet as _sheet_of_text

#: What values are made of; `(` opens what `)` would close.
VALUES = (
    *(
        "transform:(",
        "transform:translate(",
        "transform:scale(0) ",
        "transform:rotate3d(1,0,",
        "translate:1px ",
        "scale:1 ",
    ),
    *("left:calc(", "left:calc(1px + ", "left:min(1,", "left:clamp(1,"),
    *("top:-", "inset:1 ", "margin:1px ", "left:1e9"),
    *(
        "color:rgb(",
        "color:rgb(1,2,3) ",
        "color:hsl(1,1%,",
        "color:#",
        "background:a(1,2,3) ",
        "background:url(",
        "color:a ",
    ),
    *("mask:linear-gradient(", "mask:x(a,1,", "clip-path:polygon(0 0,", "clip:rect(0,", "clip-path:inset(50%) "),
    *(
        "font:a ",
        "font:0px/",
        "font-size:0.",
        "filter:opacity(",
        "opacity:0",
        "display:none",
        "display:\\64 ",
        "width:0",
    ),
    *(
        "color:var(--a",
        "--a:var(--a",
        "--a:b",
        "color:var(--a,",
        "/*",
        "*/",
        "'",
        '"',
        "\\",
        ":",
        ";",
        "!important",
        "}",
    ),
)
#: What selectors are made of.
SELECTORS = (
    *(".a", "#a", "a", "*", ".a ", ".a>", ".a~", ".a+"),
    *("a,", "&", "& ", "[a]", "[title~=a]", "[title*=a]", "[a=", "["),
    *(
        ":is(",
        ":is(a,b)",
        ":where(.a,",
        ":not(",
        ":not(.a)",
        ":nth-child(2)",
        ":nth-child(",
        ":checked",
        ":hover",
        "::before",
        ":root",
        "\\",
        "\\61 ",
        "é",
        "(",
        ")",
    ),
    *("<!--", "-->", "/*", "'", "@", ":has(a", "--a", "-", ":root "),
)
#: What stands around blocks.
BLOCKS = (
    *(
        "{",
        "}",
        ".a{",
        ".a{}",
        "@media{",
        "@media screen{",
        "@media (min-width:1px){",
        "@media (min-width:",
        "@layer a{",
    ),
    *(
        "@supports (a:b){",
        "@container (a){",
        "@import 'a';",
        "@scope(a){",
        "@scope(",
        "a{&{",
        "a,b,c{&,&,&{",
        "a{color:red;",
        "{}",
    ),
    *("<!--", "-->", "/*", "--a:b;", "a{--a:var(--a)}", "a{color:var(--a)}", ";", "\\", "'"),
    *(":root{--a:", ":root{--a:b}", "a{color:var(--a,b)}", "var(--a,"),
)
#: The part of a page whose styles are read, and how the text of a page looks at them.
BODY = "<div class='a b c' id=a title='aaaaaaaa'>" + "<p class=a>It rained all night.</p>" * 20
ATTRIBUTE = 4000  # bytes of one
#: Values that are read more than once, of as many bytes as are read.
LONG = ("background:a ", "background:urlurlg ", "mask:x(1,", "display:a ", "left:calc(", "color:rgb(1 2 3);")
ATTRIBUTES = " ".join(f"a{number}" for number in range(480))
#: Selectors of many rules, and elements of which each is matched with all of them, or looks at many beside it.
RULES = ("b", ".a", "*", ".a b", "b:is([c],[d])", "[a1][a9][c]", "[title*=aaab]", ".x~b", ".x+b", "b:target", "\\62")
RULES += ("b:nth-child(999)", "b:not(.a)")
WORDS = "It rained all night, and the river rose above the old bridge"
ELEMENTS = {
    "short": f"<b>{WORDS}</b>",
    "attributes": f"<b {ATTRIBUTES} title={'a' * 400}>x</b>",
    "attributes beside": f"<i {ATTRIBUTES}>x</i>" + f"<b>{WORDS}</b>" * 300,
    "hidden": f"<i {ATTRIBUTES} class=z>x</i>" * 20 + "<i aria-hidden=true class=q>x</i>" * 1000,
    "hidden deep": "<p class=a>" * 30 + f"<b hidden>{WORDS}</b>" * 200,
}
Page = Callable[[int], str]


def pages() -> Iterator[tuple[str, Page]]:
    """Yield each page's name, and a function from a number of bytes to its source."""
    for unit in VALUES:
        name, _, value = unit.rpartition(":") if unit[0] not in "-:" else ("", "", unit)
        for way, filled in (("repeated", unit + ";"), ("nested", value or unit)):
            begin = f"{name}:" if way == "nested" else ""
            yield f"attribute {unit} {way}", lambda n, unit=filled, begin=begin: _attributes(begin, unit, n)
            yield f"sheet {unit} {way}", lambda n, unit=filled, begin=begin: _sheet(f".a{{{begin}", unit, "}", n)
            yield (
                f"rules {unit} {way}",
                lambda n, unit=filled, begin=begin: _sheet("", f".a{{{begin}{unit * 9}}}", "", n),
            )
    for unit in SELECTORS:
        yield f"selector {unit}", lambda n, unit=unit: _sheet("", unit, "{display:none}", n)
        rule = f"{unit * (400 // len(unit))}{{display:none}}"
        yield f"selectors {unit}", lambda n, rule=rule: _sheet("", rule, "", n)
        yield f"rules of {unit}", lambda n, unit=unit: _sheet("", f"{unit}{{display:none}}", "", n)
        yield f"names {unit}", lambda n, unit=unit: _named(unit, n)
        yield f"values beside {unit}", lambda n, unit=unit: _sheet("", unit, "{}b{color:var(--a)}", n)
    for unit in BLOCKS:
        yield f"block {unit}", lambda n, unit=unit: _sheet("", unit, "", n)
        yield f"block {unit} closed", lambda n, unit=unit: _sheet("", unit, "}" * (n // (2 * len(unit))), n // 2)
        yield f"block beside values {unit}", lambda n, unit=unit: _sheet("", unit, "{}b{color:var(--a)}", n)
        yield f"block in one of many {unit}", lambda n, unit=unit: _sheet("a," * 400 + "b{", unit, "", n)
    for unit in LONG:
        name = unit.partition(":")[0]
        value = unit.removeprefix(f"{name}:") * (39_000 // len(unit))
        yield f"long {unit}", lambda n, css=f"{name}:{value}": f"<p style='{css}'>It rained.</p>" * max(1, n // 40_000)
    for rule in RULES:
        for kind, element in ELEMENTS.items():
            yield f"rules {rule} of {kind}", lambda n, rule=rule, element=element: _ruled(rule, element, n)
    yield "selectors in others", lambda n: _sheet(".a" * 240 + "{", "&" * 480 + "{color:red}", "}", n)
    yield "selectors of one byte", lambda n: _sheet("", "b,", "b{color:red}", n // 2) + f"<b>{WORDS}</b>" * (n // 99)


def _attributes(begin: str, unit: str, size: int) -> str:
    value = (begin + unit * (ATTRIBUTE // len(unit))).replace("'", "&#39;")
    return f"<p style='{value}'>It rained.</p>\n" * max(1, size // len(value))


def _sheet(begin: str, unit: str, end: str, size: int) -> str:
    return f"<style>{begin}{unit * (size // max(1, len(unit)))}{end}</style>{BODY}"


def _ruled(rule: str, element: str, size: int) -> str:
    """Return a page of many rules with one selector, and many elements; most of it is hidden, and read twice."""
    rules = f"{rule}{{color:red}}" * (size // 2 // len(rule))
    return f"<style>{rules}</style><div hidden>{BODY}{element * max(1, size // 2 // len(element))}</div>"


def _named(unit: str, size: int) -> str:
    """Return a page of few rules, and many elements whose names and attributes these are about."""
    names = " ".join(f"a{number}" for number in range(90))
    element = f"<b class='{names}' title='{'a' * 300}'>x</b>"
    rules = "".join(f".a{number % 90}{unit} {unit}.a{number % 7}{{display:none}}" for number in range(size // 60))
    numbered = (element.replace("<b", f"<b id=i{number}") for number in range(size // 1400))
    return f"<style>{rules}</style><p>{''.join(numbered)}"


#: What is made of a page, and may take long.
OUTPUTS: Mapping[str, Callable[[Body], object]] = {
    "text": lambda body: body.text,
    "markdown": lambda body: body.markdown,
    "html": lambda body: body.html,
    "chunks": lambda body: body.chunks(),
}


def seconds(source: str, outputs: Mapping[str, Callable[[Body], object]] = OUTPUTS) -> float:
    """Return the processor time that outputs of a page take beyond the parser's, the least of two."""
    found = []
    for _ in range(2):
        _sheet_of_text.cache_clear()  # else the second look would read no sheet
        began = time.process_time()
        etree.HTML(source)
        parsed = time.process_time()
        body = extract(source, "http://a.example/")
        for made in outputs.values():
            made(body)
        found.append(time.process_time() - parsed - (parsed - began))
    return min(found)


def problem(
    make: Page, size: int, slack: float, outputs: Mapping[str, Callable[[Body], object]] = OUTPUTS, each: float = 0.0
) -> str:
    """Return what is wrong with the times of a page of some bytes, and of one of four times as many; "" if nothing.

    Each tag may take `each` seconds beside what its bytes take.
    """

    def most(source: str) -> float:
        return 0.5 * len(source.encode()) / 1e6 + each * source.count("<") + slack

    small, large = make(size), make(4 * size)
    one = seconds(small, outputs)
    if one > most(small):
        return f"{one:.3f} s for {len(small):,} bytes"
    four = seconds(large, outputs)
    if four > most(large) or four > 5 * max(one, 0.0) + slack:
        return f"{one:.3f} s for {len(small):,} bytes, {four:.3f} s for {len(large):,}"
    return ""


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m tests.hostile.styles", description=__doc__)
    ap.add_argument("--bytes", type=int, default=100_000, help="of each page, and four times as many")
    args = ap.parse_args()
    seconds(BODY)
    found = [f"{name!r}: {why}" for name, make in pages() if (why := problem(make, args.bytes, 0.005))]
    print(f"{sum(1 for _ in pages()):,} pages read")
    sys.exit("\n".join(found) or None)


if __name__ == "__main__":
    main()
