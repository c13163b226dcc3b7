"""One vocabulary: names of settings, stats and public API are words of the glossary; pages and docstrings are plain."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from denoise_scrapy.settings import declarations
from denoise_scrapy.stats import STATS
from tests.api.listing import LISTING
from tests.docs.pages import DOCS, PAGES, ROOT, name_of

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Words of the field and of Scrapy that need no explanation. So do participles, and words of at most three letters.
PLAIN = set(
    """
    addon alarm below box budget bytes candidate change chunk configuration content corrupt date days dedup deduplicate
    denoise document element elsewhere empty error evidence extract fact favor feature fetch field find first flag from
    geometry haystack health html identity invalid item keep kept lang langchain language large likeness likest link
    lite llama lost markdown meta metadata mismatch missing model most news node none other ours over overlap overwrite
    pair path redis remove request resolve row same score search several shape share short sibling similarity slow
    statistics threshold token tree unwritable vain verify version wait withdrawn
    """.split()
)
# Verbs of people, which pages and messages used of code; and words that the glossary replaces.
OF_PEOPLE = re.compile(r"\b(tells?|told|hears?|heard|asks?|asked|knows?|knew|wants?|likest|liker|knobs?)\b", re.I)
QUESTIONS = re.compile(r"(What|Whether|Which)\b")


def terms() -> set[str]:
    """The words of the glossary, one by one."""
    bold = re.findall(r"^- \*\*([\w ]+)\*\*", (DOCS / "glossary.md").read_text("utf-8"), re.M)
    assert 18 <= len(bold) <= 28
    return {word for term in bold for word in term.split()}


def words(name: str) -> dict[str, set[str]]:
    """The words of a name, each with what its singular may be."""
    found = [one[0].lower() for one in WORD.finditer(name)]
    return {one: {one, one.removesuffix("s"), one.removesuffix("es"), f"{one.removesuffix('ies')}y"} for one in found}


def strange(name: str) -> list[str]:
    """The words of a name that are neither in the glossary nor plain."""
    known = terms() | PLAIN
    long = [word for word, singulars in words(name).items() if len(word) > 3 and not known & singulars]
    return [word for word in long if not word.endswith(("ed", "en"))]


def docstrings(path: Path) -> Iterator[tuple[int, str]]:
    """The docstrings of a file, with their lines; of Cython, which no parser here reads, all triple-quoted openings."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""
    else:
        for found in re.finditer(r'(?<=^)\s*"""(.*)', text, re.M):
            yield text.count("\n", 0, found.start(1)) + 1, found[1]


PUBLIC = LISTING.read_text("utf-8").split("\n# classes by their path")[0]
NAMES = {
    "settings": [name for name, *_ in declarations()],
    "stats": list(STATS),
    "public names": re.findall(r"^(?:class|def) (\w+)", PUBLIC, re.M),
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_are_words_of_the_glossary(kind: str) -> None:
    assert len(NAMES[kind]) > 20
    assert {name: found for name in NAMES[kind] if (found := strange(name))} == {}


@pytest.mark.parametrize("name", ["dedup_likelihoods", "body/boilerplate", "PageScrubber"])
def test_another_word_is_found(name: str) -> None:
    assert strange(name) != []


def test_every_word_that_is_listed_is_used() -> None:
    used = set[str]().union(*(word for names in NAMES.values() for name in names for word in words(name).values()))
    assert sorted(PLAIN - used) == []
    pages = " ".join(page.read_text("utf-8").lower() for page in PAGES if page.name != "glossary.md")
    assert sorted(term for term in terms() if len(re.findall(rf"\b{term}", pages)) < 3) == []


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=name_of)
def test_code_does_not_tell_or_know(page: Path) -> None:
    """In the text of a page, without code, quoted names and addresses of links."""
    text = re.sub(r"^```.*?^```$", lambda m: "\n" * m[0].count("\n"), page.read_text("utf-8"), flags=re.S | re.M)
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)|^    .*|::test_\w+", "", text, flags=re.M)
    assert [f"{n}: {line}" for n, line in enumerate(prose.splitlines(), 1) if OF_PEOPLE.search(line)] == []


def test_docstrings_do_not_open_with_a_question() -> None:
    paths = sorted(path for path in (ROOT / "denoise_scrapy").rglob("*") if path.suffix in {".py", ".pyx"})
    found = [(path, line, text.partition("\n")[0]) for path in paths for line, text in docstrings(path)]
    assert [one for one in found if QUESTIONS.match(one[2])] == []
