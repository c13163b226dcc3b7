"""One spelling of a word: lower case, without accents."""

from __future__ import annotations

import unicodedata

_NO_ACCENTS = str.maketrans("ıłøđ", "ilod")  # letters of their own in Unicode, but not to those who type URLs


def fold(word: str) -> str:
    """A word in lower case and without accents.

    Example:
        >>> fold("Déconnexion"), fold("LÖSCHEN"), fold("削除")
        ('deconnexion', 'loschen', '削除')
    """
    word = word.casefold()
    if word.isascii():
        return word
    apart = unicodedata.normalize("NFKD", word.translate(_NO_ACCENTS))
    return unicodedata.normalize("NFC", "".join(sign for sign in apart if not unicodedata.combining(sign)))
