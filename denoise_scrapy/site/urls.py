"""URLs of a site: their page, their similarity, the shapes that a crawl has visited; and links to similar pages.

Only links similar to those that the crawl has visited are followed: opening others might do anything.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import filterfalse
from urllib.parse import unquote_to_bytes, urlsplit, urlunsplit

from w3lib.url import canonicalize_url

from denoise_scrapy.page import Page

_DEFAULT_PORTS = {"http": 80, "https": 443}
_DIGITS = re.compile(r"\d+")
#: Parameters that distinguish visits, not pages; and the same within a path. A number under a common name is that of a
#: story or of a session of parliament.
_SESSION = re.compile(
    r"(?:(?:php|j)sess(?:ion)?_?id|aspsessionid\w*|cfid|cftoken)(?:=.*)?|"
    r"(?:sess(?:ion)?(?:_?id)?|sid)(?:=(?!\d{1,9}$).*)?",
    re.IGNORECASE,
)
_SESSION_IN_PATH = re.compile(r";jsessionid=[^/;]*|/\([A-Z]\([^()/]*\)\)", re.IGNORECASE)


#: Comes before the field's name in the address of a page that an item's field holds: these are a site of their own.
OF_FIELD = "#:field:"


@lru_cache(1024)  # each page's URL is looked up some ten times: 1.5 µs each
def site_key(url: str) -> str:
    """Return the site of a URL: scheme, host and port, the field of such a page; "" if it is not an http(s) URL.

    Example:
        >>> site_key("HTTP://Example.com/a?b"), site_key("https://example.com:8443/"), site_key("data:,x")
        ('http://example.com:80', 'https://example.com:8443', '')
        >>> site_key(address_of_field("http://a.example/7", "content") + "#2")
        'http://a.example:80#:field:content'
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, _DEFAULT_PORTS.get(parts.scheme) if parts.port is None else parts.port
        if host and not host.isascii():
            host = host.encode("idna").decode()  # as it is requested
    except ValueError:
        return ""
    if not (port and host and parts.scheme in _DEFAULT_PORTS):
        return ""
    _, of_field, field = url.partition(OF_FIELD)
    return f"{parts.scheme}://{host}:{port}{of_field}{field.partition('#')[0]}"


def address_of_field(url: str, field: str) -> str:
    """Return the address of the page that a field of an item from `url` holds."""
    return f"{url}{OF_FIELD}{field}"


def without_field(url: str) -> str:
    """Return an address without what `address_of_field` adds."""
    return url.partition(OF_FIELD)[0]


@lru_cache(1024)  # each page's URL is normalised some four times: 30 µs each
def canonical(url: str) -> str:
    """Return the URL as browsers send it, its parameters sorted, as `w3lib.url.canonicalize_url` does."""
    try:
        return canonicalize_url(url, keep_fragments=True)
    except ValueError:  # not a URL that could be fetched
        return url


def spelling(url: str) -> str:
    """Return the URL without parts that do not distinguish pages: scheme, "www.", final slash, escapes, fragment."""
    try:
        parts = urlsplit(canonical(url))
        host = (parts.hostname or "").removeprefix("www.")
        port = "" if parts.port in {None, 80, 443} else f":{parts.port}"
    except ValueError:  # not a URL that could be fetched
        return url
    return f"{host}{port}{parts.path.rstrip('/')}?{parts.query}" if host else url.partition("#")[0]


def is_shortened(url: str, whole: str) -> bool:
    """Return whether a URL is another one without some of its parameters, both as by `spelling`.

    Example:
        >>> [is_shortened(url, "a.example/7?id=1&ref=top") for url in ("a.example/7?id=1", "a.example/7?id=2")]
        [True, False]
    """
    (path, _, query), (own, _, more) = url.partition("?"), whole.partition("?")
    return path == own and {*query.split("&")} - {""} <= {*more.split("&")}


def page_identity(url: str) -> str:
    """Return the URL without fragment, final slash and session identifiers: equal for all URLs of a page.

    Example:
        >>> page_identity("http://a.example/news/7/;jsessionid=0A?PHPSESSID=1f&page=2#top")
        'http://a.example/news/7?page=2'
    """
    parts = urlsplit(url)
    path = _SESSION_IN_PATH.sub("", parts.path).rstrip("/")
    pairs = filterfalse(_SESSION.fullmatch, parts.query.split("&"))
    return urlunsplit((parts.scheme, parts.netloc, path, "&".join(pairs), ""))


@lru_cache(16)  # many links are compared with one page
def _pieces(url: str) -> tuple[tuple[str, ...], list[str]]:
    """Return the parts of the URL's path, digits replaced, and the names in its query."""
    parts = urlsplit(url)
    names = sorted(pair.split("=")[0] for pair in parts.query.split("&") if pair)
    return tuple(_DIGITS.sub("0", piece) for piece in (parts.path or "/").split("/")[1:]), names


def url_likeness(url: str, other: str) -> float:
    """Return the probable similarity of two pages' templates, 0 to 1, judging by their URLs on one site.

    Equal depth counts half; the rest is the share of leading directories that are equal except for digits, and a
    similar last part (both with or without digits, similar ending, similar length).

    Example:
        >>> article = "http://a.example/news/2021/storm-hits-coast.html"
        >>> url_likeness(article, "http://a.example/news/2022/council-votes-again.html") > 0.9
        True
        >>> url_likeness(article, "http://a.example/about") < 0.3
        True
    """
    (a, names), (b, other_names) = _pieces(url), _pieces(other)
    directories = max(len(a), len(b)) - 1
    common = 0
    for left, right in zip(a[:-1], b[:-1], strict=False):
        if left != right:
            break
        common += 1
    last_a, last_b = a[-1], b[-1]
    last = (
        0.4 * (("0" in last_a) == ("0" in last_b))
        + 0.3 * (last_a.rpartition(".")[2:] == last_b.rpartition(".")[2:] or ("." in last_a) == ("." in last_b))
        + 0.3 * (min(len(last_a), len(last_b)) + 1) / (max(len(last_a), len(last_b)) + 1)
    )
    share = common / directories if directories else 1.0
    likeness = 0.4 * (len(a) == len(b)) + 0.3 * share + 0.2 * last + 0.1 * (names == other_names)
    return likeness if (last_a == "") == (last_b == "") else likeness / 2


# A title has at least three words, and more letters than "add-to-cart" and "log-me-out"; in scripts without spaces,
# more characters than 加入购物车 and カートに入れる.
TITLE_WORDS, TITLE_CHARS, TITLE_RUN = 3, 12, 8
# Number of different words visited in one place after which any word matches: /user/profile and /user/orders do not
# allow /user/keluar. With two, 1 % more of the recorded links similar to their page would pass.
MANY_WORDS = 3
# Maximum shapes remembered: a site has a handful. Some 200 bytes each, so 8 MB.
MOST_SHAPES = 40_000

#: Endings of pages; other endings belong to programs, which do what their name says: "view.php", "remove.asp".
_TEXT = re.compile(r"\.[sx]?html?", re.IGNORECASE)
_ENDING = re.compile(r"\.[A-Za-z]{1,5}\d?$")
#: Identifiers: a UUID, a hash, alternating letters and digits.
_ID = re.compile(r"(?=\D*\d)[\da-f][\da-f-]{7,}|(?=.{6})[a-z]*(?:\d+[a-z]+){2,}\d*", re.IGNORECASE)
#: Words, and the separators between those of a title.
_TITLE = re.compile(r"[\w\s.,:!?'‘’“”+()&–-]+")
_NUMBERS = re.compile(r"[\d\W_]+")
_WORDS = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W\d_]+(?:[-_ +][^\W\d_]+)*")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_PAIR = re.compile(r"&(?:amp;)?|;")
#: Parameters that name the reader's origin: a feed, a share.
_FROM = re.compile(r"(?:amp;)?utm_|$")
#: Directories equivalent to the root: /en/, /pt-br/.
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?", re.IGNORECASE)
_DATED = re.compile(r"(?:^|/)(?:19|20)\d\d/(?:0?[1-9]|1[0-2])(?:/\d\d?)?$")


def url_shape(url: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return the features that a URL shares with similar ones: of its path, of its query, and a word.

    The path has a kind for each part: ``0`` number, ``0x`` identifier, ``~`` title of many words, ``A`` capitalised
    name in lower-case directories, as in wikis, ``*`` word, ``=`` and the part itself if it matches only itself. The
    query has each name with the kind of its value, in order. The word is the last part, below directories that are not
    numbers, or the first directory of a title. It is optional: other names in its place match only if several were
    visited.

    Example:
        >>> url_shape("http://a.example/news/2021/05/storm-hits-coast.html?id=7")
        (('*', '0', '0', '~.html'), ('id=0',), 'news')
        >>> url_shape("http://a.example/item/13") == url_shape("http://a.example/item/7/")
        True
        >>> url_shape("http://a.example/item/13/rm")[0], url_shape("http://a.example/del/13")[0]
        (('=item', '0', '=rm'), ('=del', '0'))
        >>> url_shape("http://a.example/tag/boston"), url_shape("http://a.example/logout")[0]
        ((('=tag', '*'), (), 'boston'), ('=logout',))
    """
    parts = urlsplit(page_identity(url))
    path = [percent_decoded(segment) for segment in parts.path.split("/")[1:]] or [""]
    kinds = [_kind(segment) for segment in path]
    kinds[-1], word = _last(path, kinds)
    if kinds[-1].startswith("~") and len(path) > 1 and kinds[0] == "=" + path[0]:
        kinds[0], word = "*", path[0]
    pairs = (pair.partition("=") for pair in _PAIR.split(parts.query) if not _FROM.match(pair))
    query = sorted(f"{percent_decoded(name)}{sign}{_value(percent_decoded(value))}" for name, sign, value in pairs)
    return tuple(kinds), tuple(query), word


def _last(path: list[str], kinds: list[str]) -> tuple[str, str]:
    """Return the kind of a path's last part, given its directories, and its word."""
    (stem, ending), above, kind = _split(path[-1]), path[:-1], kinds[-1]
    is_word = kind.startswith("=") and bool(_WORD.fullmatch(stem)) and (not ending or bool(_TEXT.fullmatch(ending)))
    named = all(kind == "=" + name for kind, name in zip(kinds, above, strict=False))
    if named and not all(map(_LANGUAGE.fullmatch, above)):
        if (is_word or kind[0] == "~") and stem[0].isupper() and "".join(above).islower():
            return "A" + ending, ""
        if is_word:
            return "*" + ending, stem
    if is_word and _DATED.search("/".join(above)) and (ending or not stem.isalpha()):
        return "~" + ending, ""
    return kind, ""


def _split(segment: str) -> tuple[str, str]:
    ending = _ENDING.search(segment)
    return (segment, "") if ending is None else (segment[: ending.start()], ending[0])


def _kind(segment: str) -> str:
    """Return the kind of a part of a path, with the file ending; others match only themselves, except for digits."""
    stem, ending = _split(segment)
    kind = _value(stem)
    if kind.startswith("=") and _TITLE.fullmatch(stem):
        many = len(stem) >= TITLE_CHARS and len(_WORDS.findall(stem)) >= TITLE_WORDS
        if (many and not _NUMBERS.fullmatch(stem)) or len(_UNSPACED.findall(stem)) >= TITLE_RUN:
            kind = "~"
    return kind + ending


def _value(value: str) -> str:
    if value.isdigit():
        return "0"
    return "0x" if _ID.fullmatch(value) else "=" + _DIGITS.sub("0", value)


class VisitedShapes:
    """Shapes of the URLs that a crawl has requested, by site; the least recently requested are dropped first.

    Args:
        most: Maximum number of shapes.

    Example:
        >>> visited = VisitedShapes()
        >>> for path in ("/item/12?page=2", "/zoo/ant", "/zoo/bee", "/zoo/cow", "/about"):
        ...     visited.add("http://a.example" + path)
        >>> [visited.has("http://a.example" + path) for path in ("/item/99", "/item/99?page=7", "/zoo/dog")]
        [True, True, True]
        >>> [visited.has("http://a.example" + path) for path in ("/item/99/trash", "/item/99?del=1", "/logout")]
        [False, False, False]
    """

    def __init__(self, most: int = MOST_SHAPES):
        self.evicted = 0
        self._most = most
        self._words: dict[int, tuple[int, ...]] = {}  # hashes: of a shape, of its words

    def __len__(self) -> int:
        return len(self._words)

    def add(self, url: str) -> None:
        """Note that the crawl requests `url`, whose path counts without its query too."""
        site = site_key(url)
        if not site:
            return
        path, query, word = url_shape(url)
        for each in {query, ()}:
            key, said = hash((site, path, each)), hash(word)
            words = self._words.pop(key, ())  # reinserted as the newest
            self._words[key] = words if len(words) == MANY_WORDS or said in words else (*words, said)
        while len(self._words) > self._most:
            del self._words[next(iter(self._words))]
            self.evicted += 1

    def has(self, url: str) -> bool:
        """Return whether the crawl has requested URLs with this shape; a site's first page always has one.

        A word in it must be the same, unless the crawl has requested several. A title may replace a word.
        """
        site, (path, query, word) = site_key(url), url_shape(url)
        words = self._words.get(hash((site, path, query)), ())
        if path == ("=",) and not query:
            return True
        if len(words) == MANY_WORDS or hash(word) in words:
            return True
        if path[-1].startswith("~") and word:
            return hash((site, ("=" + word, *path[1:-1], "*" + path[-1][1:]), query)) in self._words
        return False


# Links of a page that are considered: none of 3,740 recorded pages has more than 1,119. With the longest base that a
# page may have, all take .1 s.
MOST_LINKS = 2_000
# Links of these that are considered: those of one template are among the most similar.
MOST_LIKE = 500
# Maximum characters of a link: of 147,172 recorded ones 34 have more.
MAX_LENGTH = 512

#: Paths that are not pages, by their ending.
_FILE = re.compile(
    r"\.(?:css|js|json|xml|rss|atom|pdf|zip|gz|tgz|rar|7z|exe|dmg|apk|iso|jpe?g|png|gif|svg|webp|ico|bmp|"
    r"mp[34]|avi|mov|wmv|flv|ogg|wav|webm|docx?|xlsx?|pptx?|odt|epub|txt|csv|woff2?|ttf|eot)$",
    re.IGNORECASE,
)
#: Characters that browsers and servers interpret differently: no link meant to be read has them.
_ODD = re.compile(r"[\x00-\x1f\x7f\\]")


def likest_links(page: Page) -> list[str]:
    """Return links of a page to its own site, those most similar to its URL first; equals in page order.

    The host is spelled as in the page's own URL, and no link has a password.
    """
    site = site_key(page.url)
    short = (link for link in page.first_links(MOST_LINKS) if site and len(link) <= MAX_LENGTH)
    links = filter(None, (_on_site(link, site, page.url) for link in short))
    return sorted(links, key=lambda link: -url_likeness(page.url, link))[:MOST_LIKE]


def sibling_links(url: str, links: Iterable[str], limit: int, visited: VisitedShapes | None = None) -> list[str]:
    """Return the first links of a page that probably lead to pages with its template.

    They have a shape that the crawl has visited; never the page itself, a file, or a URL that looks like an action (log
    out, add to cart …).

    Args:
        url: URL of the page.
        links: `likest_links` of it.
        limit: Maximum number of links.
        visited: URLs that the crawl has requested of the site, including the page if it was by GET; by default only the
            page.

    Example:
        >>> page = Page.parse("<a href=/item/8>8</a> <a href=/item/8/rm>x</a>", url="http://a.example/item/7")
        >>> sibling_links(page.url, likest_links(page), 10)
        ['http://a.example/item/8']

    Source: Song et al. (2011), section 1: comparison pages come from the links of the target page.
    """
    if visited is None:
        visited = VisitedShapes()
        visited.add(url)
    found: dict[str, str] = {page_identity(url): ""}
    for link in filter(visited.has, links):
        path = urlsplit(link).path
        if not _FILE.search(path) and not looks_like_action(path):
            found.setdefault(page_identity(link), link)
        if len(found) > limit:
            break
    return list(found.values())[1 : limit + 1]


def _on_site(link: str, site: str, page_url: str) -> str:
    """Return a link within a site, its host spelled as in the page's URL, since robots.txt is per spelling; else ""."""
    name = site.split("://")[1].rpartition(":")[0]
    # without the host it is on another site: a tenth of the time of `site_key`
    if (link.isascii() and name not in link.lower()) or _ODD.search(link) or site_key(link) != site:
        return ""
    parts, own = urlsplit(link), urlsplit(page_url)
    if "@" in parts.netloc:
        return ""
    return urlunsplit((own.scheme, own.netloc.rpartition("@")[2], parts.path or "/", parts.query, ""))


# Actions of URLs: log out, delete, add to the cart. This is the second check: a link already has the shape of visited
# URLs, so words matter only where a shape has a title or a word, which are parts of its path.
_NO_ACCENTS = str.maketrans("ıłøđ", "ilod")  # separate letters in Unicode, but not for those who type URLs


def without_accents(word: str) -> str:
    """Return a word in lower case and without accents."""
    word = word.casefold()
    if word.isascii():
        return word
    apart = unicodedata.normalize("NFKD", word.translate(_NO_ACCENTS))
    return unicodedata.normalize("NFC", "".join(sign for sign in apart if not unicodedata.combining(sign)))


# The usual terms in the languages of sites; separated or hyphenated words ("log-out", "cerrar sesión") are joined.
#: Ends of a session, deletions, carts, entrances to accounts and shops: no article needs such a name, so they count at
#: the start of a longer name too.
CORE = frozenset(
    without_accents(word)
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
#: Other button actions, and targets that are not pages. In articles' names these are common words ("how-to-vote"), so
#: they count only as a whole name, or first of two words.
ACTION = CORE | frozenset(
    without_accents(word)
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

# Words of the longest phrase, "add to cart", and of a name that is only an action with a word that is rare in titles:
# "confirm-delete-item". A name that is only an action has fewer, "vote-up"; titles have more.
PHRASE = 3
# Maximum characters of an action's name in a script without spaces: 删除评论, カートに入れる.
SHORT_RUN = 7

_PART = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SEGMENT = re.compile(r"[/;,]")
#: Words of scripts without spaces, which are found within a run.
_UNSPACED_ACTIONS = tuple(filter(_UNSPACED.search, ACTION))


def looks_like_action(path: str) -> bool:
    """Return whether a path leads to an action rather than to a page to read, judging by its words.

    Words count as a whole, in any case, percent-encoded, hyphenated or in camelCase. A name of many words is a title,
    and rejected only if it begins like an action.
    """
    return any(_names_action(_split(name)[0]) for name in _SEGMENT.split(percent_decoded(path)))


@lru_cache(4096)  # directories recur in the links of a page
def _names_action(name: str) -> bool:
    words = [without_accents(word) for word in _PART.findall(_CAMEL.sub(" ", name))]
    for start in range(len(words)):
        for end in range(start + 1, min(start + PHRASE, len(words)) + 1):
            phrase = "".join(words[start:end])
            in_run = not phrase.isascii() and len(phrase) <= SHORT_RUN
            if phrase in CORE or (in_run and any(part in phrase for part in _UNSPACED_ACTIONS)):
                if start == 0 or len(words) <= PHRASE:
                    return True
            elif start == 0 and len(words) < PHRASE and phrase in ACTION:
                return True
    return False


DECODINGS = 3  # "%2564elete" is decoded twice by some servers; deeper ones were not seen


def percent_decoded(part: str) -> str:
    """Decode percent-encoding in a part of a URL, as UTF-8 or else in the encoding of Chinese sites."""
    for _ in range(DECODINGS):
        if "%" not in part:
            break
        raw = unquote_to_bytes(part)
        try:
            part = raw.decode()
        except UnicodeDecodeError:
            return raw.decode("gb18030", "replace")
    return part
