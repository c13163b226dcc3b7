"""Words too common to tell texts apart, by language: those that lead the frequency lists of each."""

_ENGLISH = """
a about after all also an and any are as at be because been but by can could did do does for from
had has have he her him his how i if in into is it its just may me more my no not of on one or
other our out s she so some such t than that the their them then there these they this to up us
was we were what when which who will with would you your
"""
_CHINESE = """
的 一 是 不 了 在 人 有 我 他 这 中 大 来 上 个 们 到 说 和 地 也 子 时 得 就 出 要 以 会
可 下 而 过 之 为 对 与 及 或 等 于 被 把 从 很 啊 這 個 們 來 說 時 會 過 為 對 與 於 從
"""
_JAPANESE = "の に は を た が で て と し れ さ い も な か る あ り よ こ そ ま す"
_KOREAN = "이 의 은 는 을 를 에 가 와 과 도 로 하 다 고 지 한 있"
_GERMAN = """
der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als auch es an er hat
aus sie nach bei um am noch wie
"""
_FRENCH = """
le la les de des du un une et en à au aux que qui dans pour par sur ne pas ce se est il elle plus
avec son sa ses d l c n qu
"""
_SPANISH = """
el los las y del que en un una por con para se su al lo como más o pero sus le ya este sí porque
esta entre
"""
_PORTUGUESE = """
os as e da do em um uma para com não por mais dos como mas ao na no nas nos se seu sua ou
"""
_ITALIAN = """
il lo gli e di che è per un una in con non del della sono si al da come più nel dei alla anche
"""
_DUTCH = """
de het een en van ik te dat in is je niet op zijn met voor er maar om aan ook als bij naar
"""
_RUSSIAN = """
и в не на я что он с как это по но они к у из за то же для от так мы вы бы о а его
"""
_POLISH = "i w na z do się nie to że jest o jak po za od dla tym co przez są"
_TURKISH = "ve bir bu için ile de da çok daha olan gibi en"
_ARABIC = "في من على أن إلى عن مع هذا هذه التي الذي لا ما كان و"
_HINDI = "के का की में है और से को पर यह ने कि भी हैं एक"
_VIETNAMESE = "và của là có được cho không các trong một với những người này đã để"
_INDONESIAN = "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga ke"

LISTS = (
    *(_ENGLISH, _CHINESE, _JAPANESE, _KOREAN, _GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN),
    *(_DUTCH, _RUSSIAN, _POLISH, _TURKISH, _ARABIC, _HINDI, _VIETNAMESE, _INDONESIAN),
)
