"""Metadata of a page: title, authors, dates, site, image and the like. It requires the extra `meta`.

Markup is read in one pass, with positions: a date or byline counts if it is in the body or next to the headline, not in
a dropped block. Month names are read by dateparser, languages identified by py3langid. JSON-LD and microdata are read
here: extruct gives values without positions, and imports an RDF library for it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import chain, compress, islice
from urllib.parse import urlsplit

from denoise_scrapy.core.characters import fold, letters
from denoise_scrapy.metadata.annotations import (
    AUTHOR_CLASS,
    DATE_CLASS,
    LIBRARIES,
    LINE_CHARS,
    MAX_CHARS,
    MAX_ELEMENTS,
    MAX_NAME,
    MAX_TEXTS,
    MOST_LISTED,
    JsonLd,
    Mark,
    Node,
    PageAnnotations,
    clean,
    is_said,
    joined,
    load,
    same_address,
    string_of,
)
from denoise_scrapy.metadata.dates import CHANGED, Dated, date_in, dates_in, day_in_address, has_year, is_date
from denoise_scrapy.metadata.names import AGENCY, ROLES, is_person, names_in, reporters_in
from denoise_scrapy.page.attributes import host_of
from denoise_scrapy.support.shown import logger_of

logger = logger_of(__name__)

#: With fewer letters no language is detected: the page's own declaration counts.
MIN_LETTERS = 50
#: Characters of a text that are read; more add nothing, and take a millisecond per thousand.
MAX_TEXT = 5_000
#: Lines before and after the headline, and after the text, that are near it: bylines are among share links.
BEFORE, BEHIND, AFTER = 3, 10, 2
#: Lines before the text and behind it within which a date is looked for last; characters of its line, and of a line
#: before it that may be its label, or the "by" of the name in the next one.
FAR, FAR_BEHIND, MOST_DATED, MOST_LABEL = 15, 5, 70, 30
#: Bytes of a line above which it is text and not around it; half of the longest one where all are shorter.
LONG = 80
#: Characters of a date with time and offset; texts near the headline in which they are looked for.
WITH_OFFSET, MOST_NEAR = 25, 8
#: Languages that py3langid distinguishes, and others do not.
SAME_LANGUAGE = {"wuu": "zh", "yue": "zh", "hak": "zh", "cdo": "zh", "gan": "zh"}


@dataclass(frozen=True)
class Metadata:
    """Metadata of a page. Fields without a value are "", or ().

    Attributes:
        title: Its title without the name of its site: its body's title.
        authors: Authors; the site itself does not count as one.
        description: Its description for search results.
        site_name: The name of its site.
        tags: Its keywords.
        language: Language of its body as an ISO 639-1 code, "en".
        published: ISO 8601: a day, with time and offset if the page has them.
        modified: The same for its last change.
        image: Absolute address of its main picture.
        canonical: Absolute address that it declares canonical.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    description: str = ""
    site_name: str = ""
    tags: tuple[str, ...] = ()
    language: str = ""
    published: str = ""
    modified: str = ""
    image: str = ""
    canonical: str = ""

    def front_matter(self) -> str:
        r"""Return the known fields as front matter in YAML, to precede a text or its Markdown.

        Example:
            >>> print(Metadata(title='The "old" bridge', authors=("Ann Reed",)).front_matter())
            ---
            title: "The \"old\" bridge"
            authors: ["Ann Reed"]
            ---
        """
        # any JSON value is valid YAML too
        known = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in asdict(self).items() if value)
        return "\n".join(("---", *known, "---"))

    def with_taught(self, taught: Mapping[str, tuple[str, float]]) -> Metadata:
        """Return the metadata with the title, author or authors, and date or published that examples of the site name.

        Args:
            taught: Texts of the page and their certainty, by name. What is no date leaves the date as it is.

        Example:
            >>> given = {"author": ("By Ann Reed", 0.9), "date": ("Read on 2026-11-03", 0.9)}
            >>> Metadata(authors=("Admin",)).with_taught(given).authors
            ('Ann Reed',)
        """
        said = {name: text for name, (text, _) in taught.items()}
        author = said.get("author", said.get("authors", ""))
        date = said.get("date", said.get("published", ""))
        days = [date_in(date, self.language), *(one.day for one in dates_in(date, self.language))] if date else []
        return replace(
            self,
            title=said.get("title", self.title),
            authors=tuple(names_in(author, language=self.language) or [author]) if author else self.authors,
            published=next(filter(None, days), self.published),
        )


def metadata_of(
    html: str | bytes, url: str | None, text: str, title: str = "", unseen: Collection[str] = frozenset()
) -> Metadata:
    """Return the metadata of a page.

    Args:
        html: The page. Its first `MAX_HTML` bytes are read.
        url: Address of the page.
        text: Text of its body: metadata outside it is ignored, unless next to the headline.
        title: Title of its body.
        unseen: Texts between tags that nothing shows, white space collapsed: only microdata counts there.

    Raises:
        ImportError: A library of the extra `meta` is not installed.
    """
    for name in LIBRARIES:
        load(name)
    language = ""
    try:
        read = PageAnnotations(html, text, unseen=unseen)
        if 2 * sum(map(len, compress(read.lines, read.kept))) < len(text):  # the page's text is in noscript
            read = PageAnnotations(html, text, read_noscript=True, unseen=unseen)
        with suppress(Exception):  # a failing library costs only its own field
            language = language_of(text, read.language)
        return _Fields(read, url or "", title, language).metadata()
    except Exception as error:  # metadata must not cost the page, whatever it contains
        logger.debug("No metadata of %s: %r", url, error)
        return Metadata(title=title, language=language)


def language_of(text: str, declared: str = "") -> str:
    """Return the language of a text, as its ISO 639-1 code.

    Args:
        text: The text. With fewer than `MIN_LETTERS` letters its language is not detected.
        declared: Language that its page declares, as "pt-BR": used for such a text.

    Returns:
        "en", "de", "zh" …, "" if unknown.

    Raises:
        ImportError: py3langid is not installed.

    Example:
        >>> language_of("OK", "pt-BR"), language_of("OK")
        ('pt', '')
    """
    classify = load("py3langid").classify
    start = text[:MAX_TEXT]
    if next(islice(filter(str.isalpha, start), MIN_LETTERS - 1, None), ""):
        found = str(classify(start)[0])
        return SAME_LANGUAGE.get(found, found)
    code = re.match(r"\s*([a-z]{2,3})(?![a-z])", declared.lower())
    return code[1] if code else ""


#: Names of meta elements with the date of publication or change, most reliable first; and of neither:
#: "date" is the day of the crawl on some pages.
_PUBLISHED = (
    re.compile(r"^(?:article|og):published_time$|^datepublished$"),
    re.compile(
        r"(?!.*creat)(?:publish|pub(?:lication)?_?(?:date|time)|issue|posted|sailthru\.date|parsely-pub|article[.:_]date"
        r"|^(?:dc\w*[.:]|citation_(?:online_)?)date|^pdate$)"
    ),
    re.compile("creat"),
)
_NOT_PUBLISHED = re.compile(r"submit|modif|update|expir|valid|revis|publisher|creator|event|start|last|publication$")
_MODIFIED = (
    re.compile(r"^article:modified_time$|^datemodified$"),
    re.compile(r"modif|updated|^revised|lastmod|lastdate"),
)
#: Words or classes of a line at the end of a text with its author or date.
_SIGNS = re.compile(r"entry|\bpost(?:ed|-meta|-date|-info)?\b|publish|written|byline|auth?or|permalink", re.IGNORECASE)
#: Boxes behind a text that present its author, by class.
_BOX = re.compile(r"auth?or[-_]?(?:box|bio|card|info|about|profile|desc)|(?:about|bio|info)[-_]?(?:the[-_])?auth?or")
#: An editor's name, which Chinese pages have at their end.
_EDITOR = re.compile(r"(?:责编|编辑|选稿|編輯)\s?[：:]\s?(\w{2,4})")
#: Top-level domains where English dates have the month first.
_AMERICAN = {"com", "org", "net", "us", "gov", "edu", "info", "tv", ""}
#: Countries where they have it so too.
_MONTH_FIRST = {"us", "ph", "ca"}
_AUTHOR_METAS = (
    "author authors article:author citation_author dc.creator dc:creator dcterms.creator parsely-author "
    "sailthru.author byl byline vr:author"
)
#: Items that are the page itself, rather than what it is about, such as a book, which others may have written.
_OWN = re.compile("(?:page|question|videoobject)$", re.IGNORECASE)
#: A name as libraries write it: "Reed, Ann".
_TURNED = re.compile(r"^([^\s,]+), ([^,]+)$")
_SITE_PARTS = re.compile(r"\s+[-–—|·•»›/~:]+\s+|\s*[|_｜丨]+\s*|:\s+|\s*[-–—]{2,}\s*")
_NO_SITE = re.compile(r"^(?:|blog|home|news|index|homepage|startseite|main)$|://", re.IGNORECASE)
#: Files that are not main pictures: logos, cards of a whole site, design elements; and folders of such.
_NO_LEAD = re.compile(
    r"(?<![a-z])(?:logos?|favicon|default|placeholder|blank|spacer|trans(?:parent)?|pixel|avatar|icon|sprite|fallback|fb|og"
    r"|gravatar|noimage|facebook|twitter|open-?graph|social|shar(?:e|ing)|badge|touch|profile|print)(?![a-z])|button|logo\w*\."
    r"|defaultog|\.(?:gif|svg|ico)$|[{}]|(?<!\d)\d\dx\d\d(?!\d)",
    re.IGNORECASE,
)
_NO_LEADS = re.compile(
    r"/(?:plugins|themes?|avatars?|customavatars|icons?|buttons|emoji|smilies|default(?!/files)|design|homepics|__tpl_asset"
    r"|blavatar)/",
    re.IGNORECASE,
)

# asked thrice of an element, and elements of one kind repeat their classes
_changed = lru_cache(MAX_ELEMENTS)(CHANGED.search)


def _is_dated(mark: Mark) -> bool:
    return mark.tag == "time" or DATE_CLASS.search(mark.kind) is not None


def _is_site(name: str, site: str) -> bool:
    """Return whether a site's name begins with a name, and is not "Ann's Blog"."""
    return fold(site).startswith(fold(name)) and site[len(name) :][:1] not in ("'", "’")


class _Fields:
    """Selects each field from a page's annotations."""

    def __init__(self, read: PageAnnotations, url: str, title: str, language: str) -> None:
        self.read, self.url, self.title, self.language = read, url, title, language
        self.lines, self.kept, self.marks, self.metas = read.lines, read.kept, read.marks, read.metas
        self.host = host_of(url)
        locale = read.language or self._meta("og:locale", "content-language")
        region = re.match(r"en[-_]([a-z]{2})\b", locale.lower())
        written = region[1] in _MONTH_FIRST if region else self.host.rpartition(".")[2] in _AMERICAN
        american = language == "en" and written
        self.names_in = partial(names_in, language=language)
        self.date_in = partial(date_in, language=language, american=american)
        self.dates_in = partial(dates_in, language=language, american=american)
        self.base = joined(url, read.base) or url
        canonical, graph = read.links.get("canonical", ""), read.metas.get("og:url", [""])
        self.canonical = joined(self.base, canonical) or joined(self.base, graph[0])
        addresses = {same_address(url), same_address(self.canonical)} - {""}
        said = letters(title)
        self.ld = JsonLd(read.scripts, said, addresses)
        lines = list(enumerate(read.lines))
        short = {i: letters(line) for i, line in lines if len(line) <= 300}
        titles = [i for i, one in short.items() if is_said(one, said)]
        titles = [i for i in titles if short[i] == said] or titles
        text = ((i, line) for i, line in compress(lines, read.kept) if i not in titles)
        widths = {i: len(line.encode("utf-8", "replace")) for i, line in text}  # ideographs are wide: three bytes
        least = min(LONG, max(widths.values(), default=0) / 2)
        long = [i for i, width in widths.items() if width > least] or [-BEHIND]
        self.first, self.last = long[0], long[-1]
        before = [i for i in titles if i <= max(self.first, 0)]
        if not before and (starts := [(i, one) for i in titles for one in long if i < one <= i + BEHIND]):
            before, self.first = [starts[0][0]], starts[0][1]  # what was kept above the title is no text
        # the last line before the text with the title; or the text's start
        self.headline = before[-1] if before else max(self.first, 0)

    def metadata(self) -> Metadata:
        """Return all fields."""
        site, published, modified = self._site_name(), self._published(), self._modified()
        return Metadata(
            title=self.title,
            authors=self._authors(site),
            description=self._meta("description", "og:description", "twitter:description", "dc.description")
            or clean(self.ld.string(self.ld.work, "description")),
            site_name=site,
            tags=self._tags(),
            language=self.language,
            published=published,
            modified=modified if modified[:10] >= published[:10] else "",
            image=next((one for given in self._images() if (one := self._lead(given))), ""),
            canonical=self.canonical,
        )

    def _is_near(self, line: int) -> bool:
        """Return whether a line is next to the headline or the beginning of the text, and not after its end."""
        near_headline = self.headline - BEFORE <= line <= self.headline + BEHIND
        near_text = self.first - BEFORE <= line <= self.first + 1
        return (near_headline or near_text) and line <= max(self.last, self.headline)

    def _signs(self, line: int, words: str) -> bool:
        """Return whether a line is at the end of the text, and has words of a signature."""
        return self.last <= line <= self.last + AFTER and bool(_SIGNS.search(words))

    def _marks(self, fits: Callable[[Mark], object], only_near: bool = False) -> list[Mark]:
        """Return the marked elements that count, next to the headline or in the body, nearest to the headline first."""
        repeated = {mark.kind for mark in self.marks if mark.line > self.last + AFTER}  # as of remarks
        found = [
            mark
            for mark in self.marks
            if fits(mark)
            and (
                self._is_near(mark.line)
                or mark.tag == "meta"
                or (not only_near and mark.line < len(self.kept) and self.kept[mark.line])
                or (mark.kind not in repeated and self._signs(mark.line, mark.kind))
            )
        ]
        return sorted(found, key=lambda mark: abs(mark.line - self.headline))

    @cached_property
    def _near_lines(self) -> list[tuple[int, str]]:
        """Short lines next to the headline, numbered, those after it first; and those that sign the text."""
        near = (
            (i, line)
            for i, line in enumerate(self.lines)
            if i != self.headline and len(line) <= LINE_CHARS and (self._is_near(i) or self._signs(i, line))
        )
        return sorted(near, key=lambda numbered: numbered[0] < self.headline)

    def _meta(self, *names: str) -> str:
        return next((given for name in names for raw in self.metas.get(name, ()) if (given := clean(raw))), "")

    def _site_name(self) -> str:
        ld = self.ld
        given = [
            self._meta("og:site_name"),
            clean(ld.string(ld.site, "name")),
            *(clean(ld.string(item, "publisher")) for item in (ld.work, ld.page)),
            self._title_rest(),
            self._meta("application-name", "dc.publisher"),
            self._meta("twitter:site").lstrip("@"),
        ]
        return next((name for name in given if len(name) <= MAX_NAME and not _NO_SITE.search(name)), "")

    def _title_rest(self) -> str:
        """Return the part of the title element outside the title that is in the host's name too, else the last part."""
        whole = clean(self.read.title)
        title = clean(self.title)
        said = letters(title)
        if not said:
            return ""
        split = _SITE_PARTS.split(whole.replace(title, " | ", 1))
        if title not in whole:  # it may have other quotation marks or dashes there
            rest = [part for part in split if not is_said(letters(part), said) and letters(part) not in said]
            split = rest if len(rest) < len(split) else []
        stripped = (part.strip(" -–—|:·•").lstrip("»«›‹<>/~[ ") for part in split)
        parts = [part for part in stripped if not _NO_SITE.search(part)]
        host = letters(self.host)
        named = [
            part
            for part in parts
            if any(len(word) > 3 and word in host for word in map(letters, (*part.split(), part)))
        ]
        return (named or parts or [""])[-1]

    def _authors(self, site: str) -> tuple[str, ...]:
        editors = {name for line in self.lines if len(line) <= LINE_CHARS for name in _EDITOR.findall(line)}
        of_site, agencies = Counter[str](), list[str]()
        for found in (next(filter(None, way), []) for way in self._names()):
            names = [name for name in found if name not in editors and not _is_site(name, site)]
            if not all(map(AGENCY.search, names)):
                # beside a person, a role or a paper is no author
                named = list(filter(is_person, names)) if is_person(names[0]) else names
                return tuple(dict.fromkeys(named))[:20]
            agencies += names
            of_site.update({name for name in found if name not in editors and " " in name})
        # a site that has the name of its only writer: the page says so twice, or that it is a person
        people = {
            string_of(value.get("name"))
            for value in self.ld.values(self.ld.work or self.ld.page, "author", "creator")
            if isinstance(value, dict) and string_of(value.get("@type")) == "Person"
        }
        named_so = (name for name, times in of_site.items() if (times > 1 or name in people) and is_person(name))
        return (*named_so, *agencies)[:1]

    def _names(self) -> Iterator[Iterable[list[str]]]:
        """Yield what each method of finding authors finds, most reliable first."""
        is_own = _OWN.search(self.ld.string(self.ld.page, "@type"))
        values = self.ld.values(self.ld.work or (self.ld.page if is_own else {}), "author", "creator")
        given = [self._person(value) if isinstance(value, dict) else string_of(value) for value in values]
        yield [[name for one in given for name in self.names_in(one)]]
        yield [self._marked(lambda mark: mark.prop in ("author", "creator") or "author" in mark.rel.split())]
        yield (self.names_in(line, True) for line in self._bylines())
        yield [self._marked(lambda mark: AUTHOR_CLASS.search(mark.kind) and mark.is_inner)]
        texts = (
            [
                _TURNED.sub(r"\2 \1", text) if name.startswith(("citation", "dc")) else text
                for text in self.metas.get(name, ())
            ]
            for name in _AUTHOR_METAS.split()
        )
        yield ([name for text in some for name in self.names_in(text)] for some in texts)
        cards = (f"{self._meta(f'twitter:label{n}')} {self._meta(f'twitter:data{n}')}" for n in (1, 2))
        yield (self.names_in(card, True) for card in cards)
        yield map(self._names_beside_date, self._near_lines)
        marked = (
            one
            for one in self.marks
            if (self.first - FAR <= one.line < self.first and AUTHOR_CLASS.search(one.kind))
            or (one.line >= self.last - AFTER and _BOX.search(one.kind))
        )
        yield (self._people(text) for one in marked for text in one.texts)
        bylines = (
            self.names_in(line, True)
            for i, line in enumerate(self.lines)
            if len(line) <= LINE_CHARS and (i <= self.last or _SIGNS.search(line))
        )
        signed = [names for names in bylines if names and all(map(is_person, names))]
        yield signed if len(signed) == 1 else ()  # several are of other pages, or a menu
        behind = list(compress(self.lines[self.last + 1 :], self.kept[self.last + 1 :]))
        yield map(self._people, behind[-1:] if len(behind) <= AFTER else ())

    def _person(self, value: Node) -> str:
        parts = (self.ld.string(value, part) for part in ("givenName", "familyName"))
        return _TURNED.sub(r"\2 \1", self.ld.string(value, "name")) or " ".join(filter(None, parts))

    def _bylines(self) -> Iterator[str]:
        """Yield lines that may be bylines; a short one, as "By", also with the name in the line behind it."""
        for i, line in self._near_lines:
            yield reporters_in(line) or line
            if len(line) <= MOST_LABEL and any(map(is_person, self.lines[i + 1 : i + 2])):
                yield f"{line} {self.lines[i + 1]}"

    def _names_beside_date(self, numbered: tuple[int, str]) -> list[str]:
        """Return names that stand with a date, or next to a line of only a date."""
        i, line = numbered
        below = "".join(self.lines[i + 1 : i + 2])
        is_role = len(below) <= MOST_LABEL and ROLES.search(below)
        places = (i - 1, i + 2 if is_role else i + 1) if self.headline < i else ()
        beside = (is_date(self.lines[j], self.language) for j in places if j < len(self.lines))
        return self._people(line) if has_year(line) or any(beside) else []

    def _people(self, line: str) -> list[str]:
        """Return the names in a line of only names of people."""
        names = self.names_in(line)
        return names if all(map(is_person, names)) else []

    def _marked(self, way: Callable[[Mark], object]) -> list[str]:
        """Return names in the marked element that is nearest to the headline, and in similar ones next to it."""
        first: Mark | None = None
        found: list[str] = []
        for mark in self._marks(way, only_near=True):
            text = self._parted(mark)
            names = self.names_in(text) if len(text) <= LINE_CHARS else []
            if names and (first is None or (mark.kind == first.kind and abs(mark.line - first.line) < BEFORE)):
                first = first or mark
                found += names
        if first and first.line < len(self.lines):  # a second one may stand unmarked behind it
            line = self.lines[first.line]
            whole = self.names_in(line, True) if len(line) <= LINE_CHARS else []
            found = whole if set(found) < set(whole) else found
        return found

    def _parted(self, mark: Mark) -> str:
        """Return the text of an element, with commas between its parts where the first is a name by itself."""
        parts = [part.strip() for part in mark.texts if part.strip()]
        if len(parts) > 1 and not mark.given:
            is_account = " " not in parts[0] and not parts[0].istitle()
            if (is_account or is_person(parts[0])) and self.names_in(parts[0]):
                return ", ".join(parts)
        return mark.text

    def _published(self) -> str:
        day = (
            self._first_date(self._published_dates())
            or day_in_address(self.url)
            or day_in_address(self.canonical)
            or self._first_date([self.ld.string(self.ld.page, "datePublished", "dateCreated", "uploadDate")])
            or next((one.day for one in self._visible_dates() if one.is_publication), "")
            or self._only_date()
        )
        if 0 < len(day) < WITH_OFFSET:  # what is near the headline may have the time, or its offset
            near = (self._first_date([text]) for text in self._near_dates()[:MOST_NEAR])
            return max([day, *(time for time in near if time.startswith(day))], key=len)
        return day

    def _only_date(self) -> str:
        """Return the day that all dated elements far from the text have, "" if they have several."""
        days = {
            self.date_in(mark.text)
            for mark in self.marks
            if (mark.line <= self.last or _SIGNS.search(mark.kind))
            and (_is_dated(mark) and len(mark.text) <= MOST_DATED and not self._is_change(mark))
        } - {""}
        return days.pop() if len(days) == 1 else ""

    def _published_dates(self) -> Iterator[str]:
        yield self.ld.string(self.ld.work, "datePublished", "dateCreated", "uploadDate", "datePosted")
        yield from self._meta_dates(_PUBLISHED, _NOT_PUBLISHED)
        given = self._marks(lambda mark: mark.prop in ("datepublished", "datecreated"))
        yield from (mark.text for mark in given if mark.line <= self.last)
        yield from self._near_dates()
        yield from (mark.text for mark in given if mark.line > self.last)  # perhaps of a remark

    def _near_dates(self) -> list[str]:
        """Return texts with dates next to the headline: those between it and the text, marked ones, nearest first."""
        near = [
            (mark.line, 1, not mark.given, mark.text)
            for mark in self._marks(_is_dated, only_near=True)
            if len(mark.text) <= LINE_CHARS and not self._is_change(mark)
        ]
        for i, line in self._near_lines:
            is_text = i >= self.first and self.kept[i] and not is_date(line, self.language)
            # of a sentence, its place and day
            shown = line[:MOST_LABEL].rpartition(" ")[0] if is_text and line[-1] in ".!?。)”" else line
            near.append((i, 2, True, shown))

        def rank(one: tuple[int, int, bool, str]) -> tuple[int, int, bool]:
            line, way, is_shown, _ = one
            return 0 if self.headline <= line <= self.first + 1 else way, abs(line - self.headline), is_shown

        return [text for *_, text in sorted(near, key=rank)]

    def _is_change(self, mark: Mark) -> bool:
        """Return whether an element's date is of a change, by its classes or the words before it."""
        return "published" not in mark.kind and _changed(f"{mark.prop} {mark.kind} {mark.label}") is not None

    def _visible_dates(self) -> Iterator[Dated]:
        """Yield the dates in short lines farther before the text, or behind it, nearest first."""
        behind = range(max(self.last + 1, 0), min(self.last + FAR_BEHIND + 1, len(self.lines)))
        for i in range(self.first - 1, max(self.first - FAR, -1), -1):
            yield from self._dates_of(i)
        dated = [one for i in behind for one in self._dates_of(i)]
        several = len({one.day[:10] for one in dated if one.is_publication}) > 1  # of comments, of other pages
        yield from (one for one in dated if one.is_change or not several)

    def _dates_of(self, i: int) -> Iterator[Dated]:
        """Yield the dates of a short line, with the line before it as their label if they have none."""
        lines = self.lines
        if len(lines[i]) <= MOST_DATED and has_year(lines[i]):
            label = lines[i - 1] if i and len(lines[i - 1]) <= MOST_LABEL else ""
            for one in self.dates_in(lines[i]):
                yield one if one.words else one._replace(words=label)

    def _modified(self) -> str:
        near = filter(self._is_change, self._marks(_is_dated, only_near=True))
        given = [
            self.ld.string(self.ld.work, "dateModified"),
            *self._meta_dates(_MODIFIED),
            *(mark.text for mark in self._marks(lambda mark: mark.prop == "datemodified")),
            self.ld.string(self.ld.page, "dateModified"),
            *(mark.text for mark in near if len(mark.text) <= LINE_CHARS),
        ]
        lines = (one for _, line in self._near_lines for one in self.dates_in(line))
        changes = (one.day for one in chain(lines, self._visible_dates()) if one.is_change)
        return self._first_date(given) or next(changes, "")

    def _meta_dates(self, kinds: Iterable[re.Pattern[str]], but: re.Pattern[str] | None = None) -> Iterator[str]:
        for kind in kinds:
            for name, given in self.metas.items():
                if kind.search(name) and not (but and but.search(name)):
                    yield given[0]

    def _first_date(self, given: Iterable[str]) -> str:
        dated = islice((one for one in given if has_year(one[:MAX_CHARS]) or one[:14].strip().isdecimal()), MAX_TEXTS)
        return next(filter(None, map(self.date_in, dated)), "")

    def _tags(self) -> tuple[str, ...]:
        metas, beside = self.metas, range(self.headline - BEFORE, self.last + 1 + AFTER)
        ways: tuple[Iterable[str], ...] = (
            metas.get("article:tag", ()),
            map(string_of, self.ld.values(self.ld.work, "keywords")),
            metas.get("news_keywords", ()),
            (mark.text for mark in self.marks if "tag" in mark.rel.split() and mark.line in beside),
            metas.get("keywords", ()),
        )
        for way in ways:
            tags = [part.strip(" #") for given in way for part in re.split(r"[,;、，]", clean(given))]
            if tags := [tag for tag in dict.fromkeys(tags) if tag and len(tag) <= MAX_NAME]:
                return tuple(tags[:MOST_LISTED])
        return ()

    def _images(self) -> Iterator[str]:
        for name in ("og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"):
            yield from self.metas.get(name, ())
        for value in self.ld.values(self.ld.work, "image", "thumbnailUrl"):
            yield self.ld.string(value, "url", "contentUrl") if isinstance(value, dict) else string_of(value)
        yield self.read.links.get("image_src", "")
        for mark in self.marks:
            line, kept = mark.line, self.kept
            between_kept = self.first <= line <= self.last and (kept[line] or kept[line - 1])
            if mark.tag == "img" and (between_kept or self.headline < line <= self.first):
                yield mark.given

    def _lead(self, given: str) -> str:
        """Return the absolute address of an image that may be the main picture, "" for others."""
        address = joined(self.base, given.replace("&amp;", "&"))
        path = urlsplit(address).path
        return "" if _NO_LEADS.search(path) or _NO_LEAD.search(path.rpartition("/")[2]) or "{" in address else address
