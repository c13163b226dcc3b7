"""Whether a URL looks as if opening it did something: log out, delete, add to the cart.

The second net: a link has the shape of visited URLs (`urls`), so that words matter where a shape has a title or a word,
which are parts of its path.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import unquote_to_bytes

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


# The field's own words in the languages of sites; what people write apart or with hyphens ("log-out", "cerrar sesión")
# as one.
#: Ends of a session, deletions, carts, doors of accounts and shops: no article needs to be called so, so they count at
#: the start of a longer name too.
CORE = frozenset(
    fold(word)
    for word in """
    logout logoff signout signoff disconnect delete remove destroy erase purge unsubscribe optout
    cart basket addtocart addtobasket addtobag addtowishlist addtocompare
    abmelden ausloggen loschen loeschen entfernen austragen kundigen kuendigen warenkorb
    deconnexion deconnecter sedeconnecter supprimer effacer desinscrire desinscription panier
    cerrarsesion desconectar eliminar borrar carrito cancelarsuscripcion
    sair terminarsessao excluir apagar carrinho disconnetti cancellati elimina cancella carrello
    uitloggen afmelden verwijderen uitschrijven winkelwagen winkelmand winkelmandje
    loggaut loggut logud tabort slett slet varukorg handlekurv indkobskurv kirjauduulos poista ostoskori
    wyloguj usun koszyk odhlasit smazat odstranit kosik kijelentkezes kosar deconectare iesire sterge
    cikis oturumukapat sil sepet aposyndesi diagrafi kalathi
    выход выйти удалить корзина отписаться вихід вийти видалити кошик vyhod vyjti udalit korzina otpisatsya
    退出 注销 登出 註銷 删除 刪除 移除 退订 退訂 购物车 購物車
    ログアウト 削除 カート 買い物かご 로그아웃 삭제 장바구니
    خروج حذف ออกจากระบบ ลบ יציאה מחק
    login signin signup logon register account password oauth sso checkout wishlist
    einloggen anmelden registrieren passwort kasse connexion seconnecter inscription motdepasse
    iniciarsesion acceder registrarse contrasena iniciarsessao cadastro senha accedi registrati
    inloggen aanmelden loggain logind kirjaudu zaloguj zarejestruj prihlasit bejelentkezes giris kayitol uyeol
    войти вход регистрация voiti vojti увійти 登录 登錄 登入 注册 註冊 ログイン 会員登録 로그인 회원가입
    """.split()
)
#: What else a reader does with a button rather than by opening a page, and what is no page. In articles' names these
#: are common words ("how-to-vote"), so they count only as a name of their own, or first of two words.
ACTION = CORE | frozenset(
    fold(word)
    for word in """
    subscribe follow unfollow like unlike dislike upvote downvote vote favorite favourite bookmark
    edit reply report share print redirect feed rss
    buy buynow addtofavorites addfavorite
    cancel confirm activate deactivate approve reject revoke reset unblock ban unban mute accept decline unpublish
    bestellen kaufen bezahlen bearbeiten acheter commander modifier sabonner comprar pagar editar suscribirse
    acquista compra modifica kopen kup edytuj koupit satinal duzenle купить редактировать kupit купити
    购买 購買 立即购买 下单 编辑 編輯 点赞 點讚 收藏 投票 举报 檢舉 回复 購入 編集 通報 구매 수정 추천 신고
    add create update save submit send upload insert modify move merge rename rate flag quote purchase order block pay
    publish restore undo rollback revert
    """.split()
)

PHRASE = 3  # words of the longest phrase: "add to cart"
SHORT = 2  # words of a name that says nothing but what to do: "vote-up"; titles have more
SHORT_CORE = 3  # the same of words that are rare in titles: "confirm-delete-item"
# Characters of a name that says what to do in a script without spaces: 删除评论, カートに入れる.
SHORT_RUN = 7

_WORD = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_EXTENSION = re.compile(r"\.[a-z]{1,5}\d?$", re.IGNORECASE)
_SEGMENT = re.compile(r"[/;,]")
#: Words of scripts that are written without spaces, found inside of a run.
_UNSPACED = tuple(word for word in ACTION if re.search(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]", word))


def looks_like_action(path: str) -> bool:
    """Whether a reader would not open this URL to read, but to change something, by the words of its path.

    Words count as whole pieces, in any case, percent-encoded, hyphenated or in camelCase. A name of many words is
    a title, and refused only if it begins as actions do.

    Args:
        path: Path of the URL, as written in it.

    Example:
        >>> [looks_like_action(path) for path in ("/a/delete", "/deleteItem", "/users/sign_out", "/unsubscribe-me-now")]
        [True, True, True, True]
        >>> [looks_like_action(path) for path in ("/news/2021/how-to-vote.html", "/deleted-scenes")]
        [False, False]
    """
    return any(_names_action(_words(_EXTENSION.sub("", name))) for name in _SEGMENT.split(decoded(path)))


def _names_action(words: tuple[str, ...]) -> bool:
    for start, phrase in _phrases(words):
        if phrase in CORE or _in_run(phrase):
            if start == 0 or len(words) <= SHORT_CORE:
                return True
        elif start == 0 and len(words) <= SHORT and phrase in ACTION:
            return True
    return False


def _in_run(word: str) -> bool:
    """Whether a word of a script without spaces has one in it that says what to do."""
    return not word.isascii() and len(word) <= SHORT_RUN and any(part in word for part in _UNSPACED)


def _phrases(words: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Each run of up to three words as one, with the place of its first."""
    for start in range(len(words)):
        for end in range(start + 1, min(start + PHRASE, len(words)) + 1):
            yield start, "".join(words[start:end])


@lru_cache(4096)  # directories recur in the links of a page
def _words(name: str) -> tuple[str, ...]:
    return tuple(fold(word) for word in _WORD.findall(_CAMEL.sub(" ", name)))


DECODINGS = 3  # "%2564elete" is decoded twice by some servers; deeper ones were not seen


def decoded(part: str) -> str:
    """A part of a URL without percent-encoding, in UTF-8 or else in the encoding of Chinese sites.

    Example:
        >>> decoded("%2564elete"), decoded("%C9%BE%B3%FD")
        ('delete', '删除')
    """
    for _ in range(DECODINGS):
        if "%" not in part:
            break
        raw = unquote_to_bytes(part)
        try:
            part = raw.decode()
        except UnicodeDecodeError:
            return raw.decode("gb18030", "replace")
    return part
