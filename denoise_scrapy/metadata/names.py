"""Names of authors in bylines and marked elements."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from importlib import import_module

from denoise_scrapy.metadata.annotations import MAX_NAME, clean
from denoise_scrapy.metadata.dates import CHANGED, without_dates
from denoise_scrapy.page.attributes import letters

#: Words before a name in a byline, wherever they are.
_BY = re.compile(
    r"(?:^|(?<=[\s|•·–—:.,)\]\d-]))(?:[Bb]y|BY|[Ss]tarted by|[Tt]hread starter"
    r"|[Aa]ut(?:h?or|orin|eur|rice|ore|orka|ora)|Автор|Текст|Από|Του|Επιμέλεια|作者|记者|記者|撰文|文责|기자)"
    r"(?:\s?[:：/]\s?|\s)(?!\d)"
)
#: Those that are parts of names too, as in "di Stefano": only where nothing is before them, or what was done.
_OF = re.compile(
    r"^\W*(?:(?:(?:geschrieben|verfasst|veröffentlicht|(?:gast)?beitrag|artikel|kommentar|interview|écrit|publié|article|escrito"
    r"|publicado|scritto|pubblicato|napisan[aey]|opublikowan[aey]|geschreven|skrevet|skriven|posté|postado)\s)?"
    r"(?:von|par|por|di|da|door|av|af|przez)\s|(?:texte?|tekst|texto|testo|words|penulis|oleh)(?:\s?[:：]\s?|\sby\s))(?!\d)",
    re.IGNORECASE,
)
#: Words behind a name, with all after them: prepositions, verbs, and signs.
_BEHIND = re.compile(
    r"\s+(?:on|in|at|um|am|vom|for|is|with|dans|avec|mit|con|com|met|für|pour|para|per|bei|via|w dniu|z|updated"
    r"|published|posted|last|publi(?:é|cado|sh)\w*|veröffentlicht|aktualisiert|pubblicato|opublikowan\w*|mis à jour"
    r"|modifié|actualizado|aggiornato|atualizado|gepubliceerd|photos?|reviewed|fact[ -]checked)\b.*"
    r"|\s+(?:le|il|el|den)\s*(?=\||$).*|\s*[|•·⋅»<>(\[{@/].*|(?<!\w)\d.*|\s+[-–—]+\s.*|\s稿源.*",
    re.DOTALL | re.IGNORECASE,
)
_TITLES = (
    r"(?:(?:senior|staff|chief|executive|deputy|associate|assistant|managing|contributing|digital|trending|news|freelance"
    r"|sr\.|vice|co-?|guest|lead|head)\s?)*"
)
_ROLE = (
    r"(?:editor(?:a|ial)?|writer|correspondent|reporter|journalist\w*|contributor|columnist|engineer|manager|director"
    r"|redakt\w+(?<!redaktion)|redact\w+|ceo|cto|cfo|president|professor|analyst|ph\.?d|m\.?d|founder|author|autor\w*|chefr\w+"
    r"|korrespondent\w*|correspondant\w*|giornalista|periodista|jornalista|dziennikarz\w*|moderator|member|user|expert"
    r"|gardener|reviewer|producer|specialist|forumite)\b"
)
#: Also those of groups: after a comma they are no second author.
_ROLES = re.compile(rf"\b{_ROLE}|staff|redak|press\b|division|bureau|\bcorp\b|\bbio\b", re.IGNORECASE)
#: A role glued to a name of two words or more, before or behind it.
_GLUED = re.compile(rf"\s{_TITLES}\b{_ROLE}.*$|^{_TITLES}{_ROLE}:?\s(?=\S+\s\S)", re.IGNORECASE | re.DOTALL)
_NO_NAME = re.compile(
    r"^(?:admin\w*|webmaster|editor|staff|author|(?:die )?redaktion|unknown|guest|root|user|none|null|anonymous|default"
    r"|team|by|von|par|por|di|posted|publi\w*|veröffentlicht\w*|written|share|full bio|bio|fact.check\w*|last|most read"
    r"|email|contributor|(?:insights )?from|about|read|view .*|.* (?:or|from|by|the))$|[?{}]|\d{4}$|://|^www\.|\.[a-z]{2,4}$"
    r"|\bz o\.?o|\b(?:inc|ltd|gmbh|llc)\b|^\W|[:：]|^(?:[A-Z]{3,5}®|CFP|CFA|CPA|MS|RD|MD|PhD|RN)$"
    r"|^(?:afp|dpa|ansa|efe|lusa|pap|anp)$",
    re.IGNORECASE,
)
_AND = re.compile(r"\s*[;、&+]\s*|\s(?:[Aa]nd|AND|und|et|y|och|og|и|και|en|oraz|dan)\s(?![a-z])")
#: Those of initials are part of a name.
_DOTS = re.compile(r"(?<!\b[A-Z])(?<!\bJr)(?<!\bSr)[. ]+$")
_POSTED = {"", *"posted written published reported story text words am pm staff by uhr reviewed".split()}


@lru_cache(maxsize=64)
def _calendar(language: str) -> frozenset[str]:
    """Return the names of months and days of the week, in a language and in English."""
    names: set[str] = set()
    for known in ("en", language):
        with suppress(ImportError):
            info = import_module(f"dateparser.data.date_translation_data.{known}").info
            names.update(word.lower() for key in _NAMED_DAYS for word in info[key])
    return frozenset(names)


_NAMED_DAYS = (
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday"
).split()


def names_in(given: str, is_byline: bool = False, language: str = "en") -> list[str]:
    """Return the authors in a byline, after its "by", or in a text of only names; none if any of them is not a name."""
    given = without_dates(clean(given), language)
    by = _OF.search(given) or _BY.search(given)
    if is_byline:
        if not by:
            return []
        # a "by" follows nothing, a number, a time zone, or "posted"
        last = (re.findall(r"\w+", given[: by.start()]) or [""])[-1]
        if not (last.lower() in _POSTED or any(map(str.isdigit, last)) or (last.isupper() and len(last) < 5)):
            return []
    given = given[by.end() :] if by else given
    if not by and CHANGED.match(given):
        return []
    parts = [_BEHIND.sub("", part) for part in _AND.split(given)]
    names = [name for part in parts for name in re.split(r"\s*,\s*", part)]
    names = [_DOTS.sub("", name.strip(" ,;-–—'\"").lstrip(".")) for name in names]
    if len(parts) == 1 and not all(" " in name or not name.isascii() for name in names):
        names = names[:1]  # a role, a place
    roles = (i for i, name in enumerate(names) if i and _ROLES.search(name))
    names = [_person(name) for name in names[: next(roles, len(names))] if name]
    if is_byline and not all(name[:1].upper() == name[:1] for name in names):
        return []
    fits = all(len(name) <= MAX_NAME and len(name.split()) <= 5 and not _NO_NAME.search(name) for name in names)
    named = not any(name.lower() in _calendar(language) for name in names)
    return list(dict.fromkeys(names)) if fits and named and all(map(letters, names)) else []


def _person(name: str) -> str:
    """Return a name without a role glued to it, if that is two words or more: "Lamp Editors" are a group."""
    bare, glued = _GLUED.subn("", name)
    bare = bare.strip(" .,;-–—'\"")
    return bare if glued and " " in bare else name
