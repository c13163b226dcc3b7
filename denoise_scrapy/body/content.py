"""Pages without content: consent walls, logins, error pages, found by a few trees over the page as a whole."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

#: Tokens that are kept of a page without content at most: of 1,323 made ones in twelve languages 46 keep more, of the
#: site's frame. Pages that keep more are not looked at.
FEW_TOKENS = 250
#: Pieces of words that such pages use, a kind of page a line: consent, login, script, maintenance, missing page. They
#: are signals of the trees beside all others. Of walls that nobody made for training they add half of those found.
WORDS = tuple(
    tuple(kind.split("|"))
    for kind in (
        "cookie|consent|privac|datenschutz|privatsphäre|zustimm|einwillig|akzeptier|vie privée|"
        "confidentialité|accepter|acceptez|aceptar|acepta|aceitar|accett|toestemming|zgod|ciastecz|соглас|"
        "конфиденц|同意|隐私|クッキー|プライバシー|الارتباط|الخصوصية|موافق|çerez|gizlilik|쿠키|개인정보",
        "log in|login|sign in|sign up|password|subscribe|anmeld|einlogg|passwort|abonn|registrier|connecter|"
        "connectez|mot de passe|iniciar ses|inicia ses|contraseña|suscri|regístr|accedi|accesso|abbona|"
        "registrat|senha|assina|assine|inlogg|wachtwoord|zalog|hasło|logowa|subskry|prenumer|войти|войдите|"
        "авториз|парол|подпис|зарегистр|登录|注册|密码|会员|订阅|ログイン|会員|パスワード|登録|تسجيل|"
        "كلمة المرور|اشترك|oturum|giriş yap|şifre|로그인|비밀번호|회원",
        "javascript|enable|browser|captcha|robot|human|aktivier|navigateur|navegador|przegląd|браузер|浏览器|"
        "启用|验证|ブラウザ|有効|المتصفح|جافا|tarayıcı|브라우저|verif|überprüf|vérif",
        "maintenance|unavailable|try again|back soon|wartung|nicht verfügbar|später|indisponible|réessay|"
        "mantenimiento|no disponible|más tarde|inténtal|manuten|indispon|mais tarde|più tardi|riprova|"
        "onderhoud|niet beschikbaar|later opnieuw|konserwac|prace techniczne|niedostępn|później|техническ|"
        "обслужив|недоступ|позже|维护|稍后|无法访问|メンテナンス|後ほど|しばらく|صيانة|غير متاح|لاحق|bakım|"
        "daha sonra|점검|나중에",
        "not found|404|exist|no longer|find|gefunden|nicht mehr|introuvable|no encontr|não encontr|"
        "non trovat|non esiste|niet gevonden|bestaat niet|nie znalezion|nie istnieje|не найден|не существует|"
        "不存在|找不到|删除|見つかり|存在しま|削除|غير موجود|العثور|bulunamadı|찾을 수 없|denied|forbidden|"
        "permission|verweigert|refusé|denegado|запрещ|拒绝",
    )
)


def content_signals(
    features: npt.NDArray[np.float32], odds: npt.NDArray[np.float32], tokens: npt.NDArray[np.int64], text: str
) -> npt.NDArray[np.float32]:
    """Signals of a page of n features and m blocks: sums, words, and means of the kept blocks and of the others.

    Args:
        features: What the model of blocks sees, shape (n, m).
        odds: What its network says of each block, shape (m,); it keeps those above 0.
        tokens: Tokens of each block, shape (m,).
        text: Text of the blocks that it keeps.

    Returns:
        Shape (2n + 5 + words, 1).

    Example:
        >>> features, odds, tokens = np.float32([[1, 2, 9]]), np.float32([3, 1, -2]), np.array([30, 10, 8])
        >>> signals = content_signals(features, odds, tokens, "Cookies?")
        >>> signals[-2:, 0].tolist()
        [1.25, 9.0]
    """
    kept, known = odds > 0, ~np.isnan(features)
    weights = np.stack([tokens * kept, tokens * ~kept]).astype(np.float32).T
    means = (np.where(known, features, 0) @ weights) / np.maximum(known @ weights, 1)
    own = tokens[kept]
    sums = [tokens.sum(), own.sum(), len(tokens), len(own), odds.max(initial=0)]
    text = text.lower()
    said = np.array([sum(map(text.count, kind)) for kind in WORDS])
    words = [*said, said.sum(), said.max()] / np.maximum(own.sum(), 1)
    return np.concatenate([sums, words, [(said > 0).sum()], means.T.ravel()])[:, None].astype(np.float32)
