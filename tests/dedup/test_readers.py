"""What a reader calls a copy, a variant, or an update: cases in many languages, each a kept text and a new one."""

import random
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import pytest

from denoise_scrapy.dedup import DuplicateIndex, deduplicate
from denoise_scrapy.dedup.rules import Fingerprint, PartRule
from denoise_scrapy.dedup.store import Name, Record
from denoise_scrapy.dedup.variants import hash_title, holds, read_text, related

MILL = (
    "Die alte Wassermühle am Hagenbach dreht sich seit Pfingsten wieder. Vier Jahre lang hatten Freiwillige das Rad "
    "aus "
    "Lärchenholz gebaut, die Welle gerichtet und den Graben ausgehoben. Am ersten Tag mahlte Müllerin Ute Brandl zwei "
    "Zentner Roggen, die der Bäcker im Dorf gleich zu Brot verbuk. Das Landesamt gab einen Zuschuss, den Rest brachten "
    "Feste und ein Basar ein. Besucher dürfen das Mahlwerk jeden zweiten Sonntag sehen, Schulklassen nach Anmeldung."
)
LIGHTHOUSE = (
    "Le phare de la pointe rouvre ses portes après deux ans de travaux. Les maçons ont refait l'escalier, remplacé les "
    "vitres de la lanterne et repeint la tour en blanc. La vieille lentille, démontée pièce par pièce, brille de "
    "nouveau "
    "dans la salle du bas. Le gardien à la retraite accompagne les visiteurs le samedi et raconte les tempêtes "
    "d'autrefois. "
    "L'entrée coûte trois euros, et les enfants montent sans payer jusqu'à la fin de septembre."
)
LIBRARY = (
    "La biblioteca del barrio abrirá por las noches durante los exámenes de junio. Los estudiantes podrán "
    "quedarse hasta las dos de la madrugada en la sala grande, donde se han puesto lámparas nuevas y más "
    "enchufes. Habrá café gratis y un vigilante en la puerta. El ayuntamiento paga las horas extra con el dinero "
    "que sobró de las fiestas. Si la prueba sale bien, el horario se repetirá en febrero."
)
BRIDGE = (
    "Старый мост через реку закрыли на ремонт до конца октября. Инженеры нашли трещины в двух опорах и решили "
    "укрепить их бетоном до первых морозов. Автобусы пойдут в объезд через посёлок, а пешеходов обещают "
    "перевозить на лодке каждые полчаса. Торговцы рынка боятся потерять покупателей и просят открыть хотя бы "
    "узкую дорожку. Мэр сказал, что подумает об этом после совещания с подрядчиком."
)
TEA = (
    "今年春茶的采摘比往年提前了十天。茶农们凌晨四点上山，赶在太阳出来之前把嫩芽摘完，再送到山下的作坊里炒制。合作"
    "社买了两台新机器，烘干的时间缩短了一半，但老师傅仍然坚持用手揉捻。城里的客商已经订走了大部分产品，剩下的会在"
    "五月的集市上出售。村里打算用赚来的钱修一条通往茶园的小路。"
)
TRAIN = (
    "海沿いを走る古い列車が、来月から週末だけ復活する。車両は昭和の初めに造られたもので、工場の職人たちが二年かけ"
    "て椅子と窓枠を直した。運転士は引退した三人が交代で務め、駅では地元の弁当が売られる。切符は前日までに予約が必"
    "要で、子どもは半額になる。町は観光客が増えることを期待している。"
)
MARKET = (
    "시장 골목의 오래된 국수집이 다음 달 문을 닫는다. 주인 할머니는 사십 년 동안 새벽마다 멸치 육수를 끓여 "
    "왔지만 무릎이 아파 더는 일하기 어렵다고 말했다. 단골손님들은 마지막 날까지 줄을 서겠다며 아쉬워했고, 이웃 "
    "상인들은 가게를 이어받을 사람을 찾고 있다. 구청은 오래된 간판을 박물관에 보관하기로 했다."
)
ORCHARD = (
    "The orchard above the village has been sold to a group of forty neighbours. Each of them paid for one row "
    "of trees and may pick there every autumn. The old press was carried out of the barn, cleaned with sand and "
    "put back to work. Last week it gave three hundred bottles of cider, most of which went to the school. A "
    "young couple keeps bees between the rows and pays its rent in honey."
)
KETTLE = (
    "The {} holds a litre and a half and boils it in under four minutes. Its spout pours without drips, the "
    "handle stays cool, and the lid opens with one thumb. A filter of fine steel keeps lime out of the cup and "
    "comes out for rinsing. The base turns freely, so left-handed people can use it too. Guaranteed for three "
    "years, spare parts for ten."
)
LAMP = (
    "Die {} steht auf einem schweren Fuß aus Guss und lässt sich mit zwei Gelenken in jede Richtung drehen. Der "
    "Schirm aus Blech wirft ein warmes Licht auf den Tisch und blendet nicht. Das Kabel ist mit Stoff umsponnen "
    "und zwei Meter lang. Der Schalter sitzt am Sockel, wo ihn die Hand im Dunkeln findet. Ersatzteile liefern "
    "wir noch nach vielen Jahren."
)
PAN = (
    "这款{}采用三层复合钢板，受热均匀，煎鱼不容易粘底。手柄用铆钉固定，握起来稳当，长时间使用也不会松动。锅盖是钢"
    "化玻璃做的，可以随时看到里面的情况。燃气灶和电磁炉都能使用，清洗时用温水和软布即可。两年之内出现质量问题，免"
    "费更换。"
)
NOTICE = (
    " All texts of this service may be read free of charge but not be copied, sold or put on other servers "
    "without written leave. We take great care, yet cannot promise that every statement is right, and accept no "
    "claims that follow from its use. Complaints are heard by the press council of the province, whose address "
    "our office gives to anybody who asks."
)
HINWEIS = (
    " Über das Unternehmen: Die Hagen Werke bauen seit vier Generationen Pumpen und Ventile für Brauereien, "
    "Molkereien und Wasserwerke. An drei Standorten arbeiten tausend Menschen, die Hälfte davon in der "
    "Entwicklung. Die Gruppe gehört vollständig der Gründerfamilie. Aussagen über die Zukunft sind mit "
    "Unsicherheit behaftet; wir aktualisieren sie nicht. Rückfragen beantwortet die Pressestelle werktags von "
    "acht bis fünf."
)
VERDICT = (
    "The court of the district heard the case of the ferryman for three days in the old town hall. Eleven people "
    "who were on board told what they had seen from the rail. The judge found that he was {}responsible for the "
    "loss of the anchor, and the costs are shared by both sides. An appeal may be lodged within a month. The "
    "ferry has been tied up at the lower quay since the accident."
)
HANDBOOK = (
    "To start a backup, choose the folder and press the round button. The program compares every file with the "
    "copy on the second disk{} and writes only those that have changed. While it works, the lamp on the case "
    "blinks twice a second. Do not unplug the disk before the lamp stays on. A report with the names of all "
    "written files lies in the log folder."
)
LEITFADEN = (
    "Zum Entkalken füllen Sie den Tank bis zur Marke und geben einen Beutel Pulver dazu. Halten Sie beide Tasten "
    "fünf Sekunden gedrückt{}, bis die Anzeige langsam blinkt. Die Maschine pumpt nun in Abständen heiße Lösung "
    "durch die Rohre. Nach zwanzig Minuten spülen Sie zweimal mit klarem Wasser nach. Stellen Sie in dieser Zeit "
    "eine Schale unter den Auslauf."
)
STEPS = (
    "安装之前请先关闭电源，并确认墙面能够承受十公斤以上的重量。把支架贴在墙上，用铅笔标出四个孔的位置{}，再用电钻"
    "打孔。拧紧螺丝以后轻轻拉动支架，检查是否牢固。最后把屏幕挂上去，接好电线，按下侧面的开关。如果指示灯不亮，请"
    "查看第九页的说明。"
)
LOG = "{} The pump in the north shaft was started and ran without a fault until the shift changed at the gate. "
ENTRIES = (
    "07:10 The first boats leave the harbour in calm water, and the umpires take their places on the breakwater. ",
    "08:25 Crew number nine breaks an oar near the second buoy and drifts out of the course for several minutes. ",
    "09:40 The wind turns to the north, so that the organisers shorten the last leg by nearly half a mile today. ",
    "10:15 A seal comes up between the leading boats and follows them as far as the old signal tower on the point. ",
    "11:30 The crew from the island wins by a length, cheered by a crowd that has waited since the early morning. ",
)
AD = (
    "{} We are looking for people who like to work with their hands and keep their word. You start at seven, "
    "finish at three, and have every second Friday off. We pay above the tariff, give you good tools and a "
    "canteen with a cook of its own. Come by for a day before you decide; we will show you every corner. Papers "
    "may be handed in at the gate."
)
OFFERS = ("A glazier is wanted in Dunholm.", "A plumber is wanted in Ardvale.")


class Page(NamedTuple):
    key: str
    text: str
    title: str = ""


def on(host, path, text, title=""):
    return Page(f"https://{host}.example/{path}", text, title)


def two(text, other, path="n/2", host="a", titles=("", "")):
    """A kept page and a new one."""
    return on("a", "n/1", text, titles[0]), on(host, path, other, titles[1])


def rows(text, other, titles=("", "")):
    """The same as rows of a table, whose keys are no URLs."""
    return Page("row 1", text, titles[0]), Page("row 2", other, titles[1])


def products(form, name, longer, words, **more):
    """A product and one whose title adds something."""
    text = form.format(name)
    return two(text, form.format(longer) + words, titles=(name, longer), **more)


KEEP, COPY, UPDATE = "keep", "copy", "update"
MADE = list(map("".join, product("bcdfgklmnprstv", ("arin", "etal", "imos", "oker", "uvud", "asil"), "aeoiu")))

CASES = {
    # titles that only one of two extends
    "kettle, travel": (KEEP, products(KETTLE, "Vesper kettle", "Vesper kettle Travel", "")),
    "kettle, pack of words": (
        KEEP,
        products(KETTLE, "Vesper kettle", "Vesper kettle 6-pack", " Sold by the half dozen."),
    ),
    "kettle, longer first": (KEEP, products(KETTLE, "Vesper kettle", "Vesper kettle Travel", "")[::-1]),
    "lamp": (KEEP, products(LAMP, "Lampe Alma", "Lampe Alma Mini", " Sie passt auch ins Regal.")),
    "pan": (KEEP, products(PAN, "平底锅", "平底锅儿童版", "尺寸较小。")),
    "kettle in a table": (
        KEEP,
        rows(KETTLE.format("pot"), KETTLE.format("pot") + " With a whistle.", ("Pot", "Pot Deluxe")),
    ),
    "kettle at two shops": (KEEP, products(KETTLE, "Vesper", "Vesper Noir", "", host="b")),
    "verdict": (
        KEEP,
        two(VERDICT.format(""), VERDICT.format("not "), titles=("Ferryman at fault", "Ferryman not at fault")),
    ),
    "verdict, not first": (
        KEEP,
        two(VERDICT.format("not "), VERDICT.format(""), titles=("It was not he", "It was he")),
    ),
    # words that one of two has more, under one title
    "verdict without titles": (KEEP, two(VERDICT.format(""), VERDICT.format("not "))),
    "handbook": (
        KEEP,
        two(HANDBOOK.format(""), HANDBOOK.format(", or in the cloud if a key is set"), titles=["Backup"] * 2),
    ),
    "handbook, older one last": (KEEP, two(HANDBOOK.format(", unless verify is off,"), HANDBOOK.format(""))),
    "guide": (KEEP, two(LEITFADEN.format(""), LEITFADEN.format(" und drehen Sie den Regler nach links"))),
    "steps": (KEEP, two(STEPS.format(""), STEPS.format("，注意避开墙内的水管和电线"))),
    # no URLs, or other hosts
    "two jobs in a table": (
        KEEP,
        rows(*(AD.format(offer) for offer in OFFERS), titles=("Glazier, Dunholm", "Plumber, Ardvale")),
    ),
    "two jobs on two hosts": (
        KEEP,
        two(*(AD.format(offer) for offer in OFFERS), host="b", titles=("Glazier, Dunholm", "Plumber, Ardvale")),
    ),
    "two products on two hosts, named above": (
        KEEP,
        two(
            "Kettle Vesper, black\n" + KETTLE.format("pot"),
            "Kettle Aurora, white\n" + KETTLE.format("pot"),
            host="b",
            titles=("Kettle Vesper, black", "Kettle Aurora, white"),
        ),
    ),
    "two jobs on two hosts, named above and within": (
        KEEP,
        two(
            *(f"{offer}\n{AD.format('')} The work is {offer[-14:]}" for offer in OFFERS),
            host="b",
            titles=[f"{offer} Start in May" for offer in OFFERS],
        ),
    ),
    # much is the same, and little their own
    "notice on two hosts": (KEEP, two(ORCHARD[:76] + NOTICE, ENTRIES[1] + NOTICE, host="b")),
    "notice in a table": (KEEP, rows(ENTRIES[3] + NOTICE, ENTRIES[2] + NOTICE)),
    "about a firm": (KEEP, two(MILL[:190] + HINWEIS, LAMP.format("Leuchte")[:190] + HINWEIS, host="b")),
    "local words above": (KEEP, two(ORCHARD, f"{KETTLE.format('pot')[:170]} {ORCHARD}", host="b")),
    "local words above, Chinese": (KEEP, two(TEA, PAN.format("锅")[:55] + "。" + TEA, host="b")),
    "local words above, Russian": (
        KEEP,
        two(
            BRIDGE,
            "Наш корреспондент побывал на берегу и поговорил с лодочником, который возит людей бесплатно уже "
            "третий день и жалуется на холодную воду, дождь и пустые обещания. " + BRIDGE,
            host="b",
        ),
    ),
    # updates
    "live": (UPDATE, two("".join(ENTRIES[:4]), "".join(ENTRIES))),
    "live, newest above": (UPDATE, two("".join(ENTRIES[3::-1]), "".join(ENTRIES[::-1]))),
    "live, grown by more than half": (UPDATE, two("".join(ENTRIES[:3]), "".join(ENTRIES))),
    "a paragraph more": (
        UPDATE,
        two(
            MILL,
            MILL + " Nachtrag: Nach dem Gewitter am Dienstag steht das Rad wieder still, weil Äste den Rechen "
            "verstopft haben, und der Verein sucht Helfer mit Watstiefeln.",
        ),
    ),
    "a paragraph more within": (
        UPDATE,
        two(
            LIGHTHOUSE,
            LIGHTHOUSE.replace(
                "Le gardien",
                "Un plongeur a même retrouvé au pied de la falaise une cloche de bronze que l'on croyait perdue "
                "depuis la guerre. Le gardien",
            ),
        ),
    ),
    "a sentence more, Chinese": (
        UPDATE,
        two(TEA, TEA + "昨天夜里突然下了一场冰雹，北坡将近三成的茶树被打坏，保险公司答应本周派人来查看损失。"),
    ),
    "a sentence more, Korean": (
        UPDATE,
        two(
            MARKET,
            MARKET + " 어제 저녁에는 젊은 요리사 부부가 찾아와 비법을 배우고 싶다며 가게를 그대로 물려받겠다는 "
            "계약서에 서명했고, 동네 사람들은 박수를 보냈다.",
        ),
    ),
    "list shifted by one": (KEEP, two("".join(ENTRIES[:4]), "".join(ENTRIES[1:]))),
    # copies
    "byline": (COPY, two(MILL, f"Von Jörg Petersen, 3. Juni 2024. {MILL}")),
    "share": (COPY, two(LIGHTHOUSE, f"{LIGHTHOUSE} Partager sur Facebook. Envoyer par courriel. Imprimer.")),
    "cookies": (
        COPY,
        two(
            LIBRARY,
            f"{LIBRARY} Leer más. Compartir en redes. Usamos cookies propias. Aceptar todo. Rechazar. Configurar.",
        ),
    ),
    "cookies at another host": (
        COPY,
        two(BRIDGE, f"{BRIDGE} Читайте также. Поделиться в сети. Мы используем файлы cookie. Принять все.", host="b"),
    ),
    "share, Japanese": (COPY, two(TRAIN, f"{TRAIN}シェアする。印刷する。関連記事を読む。")),
    "paragraph dropped": (
        COPY,
        two(
            ORCHARD,
            ORCHARD.replace("The old press was carried out of the barn, cleaned with sand and put back to work. ", ""),
        ),
    ),
    "paragraph dropped, Chinese": (
        COPY,
        two(TEA, TEA.replace("合作社买了两台新机器，烘干的时间缩短了一半，但老师傅仍然坚持用手揉捻。", "")),
    ),
    "first half": (COPY, two(BRIDGE, BRIDGE[: len(BRIDGE) * 6 // 10])),
    "corrected at another host": (COPY, two(MILL, MILL.replace("zwei Zentner", "drei Zentner"), host="b")),
    "corrected and cut at another host": (
        COPY,
        two(LIBRARY, LIBRARY.replace("las dos", "la una").rpartition(" Si la")[0], host="b"),
    ),
    "other headline at another host": (
        COPY,
        two(
            ORCHARD,
            f"(Agency) {ORCHARD}",
            host="b",
            titles=("Forty neighbours buy orchard", "Villagers save their cider"),
        ),
    ),
    "other headline at another host, above the text": (
        COPY,
        two(
            f"Forty neighbours buy the orchard\n{ORCHARD}",
            f"Villagers save their cider and honey\nBy Ann Reed\n{ORCHARD}",
            host="b",
            titles=("Forty neighbours buy the orchard", "Villagers save their cider and honey"),
        ),
    ),
    "other headline at another host, Chinese": (
        COPY,
        two(
            f"村民盼修致富新路\n{TEA}",
            f"谷雨未到抢鲜上架\n{TEA}",
            host="b",
            titles=("村民盼修致富新路", "谷雨未到抢鲜上架"),
        ),
    ),
    "name of the site in the title": (
        COPY,
        two(LIBRARY, LIBRARY, titles=("Noches de estudio", "Noches de estudio | El Faro")),
    ),
    "print title": (
        COPY,
        two(MILL, f"Gedruckt am 4. Mai 2024. {MILL}", "n/1?print=1", titles=("Das Rad", "Das Rad - Druck")),
    ),
    "caption within": (
        COPY,
        two(f"{ORCHARD[:230]}\n{ORCHARD[230:]}", f"{ORCHARD[:230]}\nPhoto: the press in its shed\n{ORCHARD[230:]}"),
    ),
    "earlier state of a live blog": (COPY, two("".join(ENTRIES), "".join(ENTRIES[:3]))),
    "reordered": (COPY, two("".join(ENTRIES), "".join(ENTRIES[2:] + ENTRIES[:2]), host="b")),
    "one template of two firms": (
        COPY,
        two(NOTICE * 2, "Reed and Sons." + NOTICE.replace("province", "county") * 2, host="b"),
    ),
}


def judged(kept, new):
    """How a reader would say it."""
    with DuplicateIndex() as index:
        index.add(kept.key, kept.text, title=kept.title)
        verdict = index.check_and_add(new.key, new.text, title=new.title)
    assert verdict.update_of in {None, kept.key}
    return (COPY if verdict.duplicate else UPDATE if verdict.update_of else KEEP), verdict.reason


#: What the evidence does not tell: a sentence that is filled in or left out, a figure that another house corrected.
NOT_TOLD = {
    "paragraph dropped",
    "verdict without titles",
    "handbook",
    "handbook, older one last",
    "local words above, Chinese",
    "guide",
    "steps",
    "corrected at another host",
    "other headline at another host, above the text",
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.xfail(strict=True)) if name in NOT_TOLD else name for name in CASES]
)
def test_what_a_reader_says(name):
    wanted, (kept, new) = CASES[name]
    found, reason = judged(kept, new)
    assert found == wanted, reason


def test_each_product_of_a_shop_is_kept():
    ends = {"": "", " GTX": " The lining is tight.", " Junior": " For small hands.", " 12-pack": " Twelve to a box."}
    names = [f"{name} kettle {number}" for name in ("Vesper", "Aurora", "Dawn") for number in range(6)]
    shop = [(name + end, KETTLE.format(name) + words) for name in names for end, words in ends.items()]
    with DuplicateIndex() as index:
        found = [
            index.check_and_add(f"https://a.example/p/{number}", text, title=title)
            for number, (title, text) in enumerate(shop)
        ]
    assert not any(verdict.duplicate for verdict in found)


def test_a_page_of_pages_contains_them_and_a_longer_page_is_an_update():
    parts = [Record(i, Name(f"/{i}"), Fingerprint.of(text)) for i, text in enumerate((MILL, LIGHTHOUSE, BRIDGE))]
    book = read_text(PartRule(), f"{MILL} {LIGHTHOUSE} {BRIDGE} {LIBRARY}")
    assert all(holds(book.text, one.fingerprint) for one in parts)
    assert not any(holds(read_text(PartRule(), LIBRARY).text, one.fingerprint) for one in parts)
    assert related(book, parts) == (None, ("/0", "/1", "/2"))
    assert related(read_text(PartRule(), f"{MILL} {LIBRARY[:200]}"), parts[:1]) == ("/0", ())
    assert related(book, []) == (None, ())
    # a long page that holds a single one is its update by the title only
    for title, found in (("The mill", ("/0", ())), ("The town", (None, ("/0",))), ("", (None, ("/0",)))):
        titled = replace(parts[0].fingerprint, title=hash_title("The mill"))
        mill = [parts[0]._replace(fingerprint=titled)]
        assert related(book.of_item(title, {}), mill) == found


def made_prose(seed, sentences):
    rnd = random.Random(seed)
    return " ".join(" ".join(rnd.choices(MADE, k=12)).capitalize() + "." for _ in range(sentences))


def test_a_book_and_a_digest_contain_whatever_the_index_has_of_them():
    chapters = [made_prose(i, 4 + i * i % 60) for i in range(40)]
    with DuplicateIndex() as index:
        for number, text in enumerate(chapters):
            assert not index.check_and_add(f"https://a.example/{number}", text, title=f"Chapter {number}").contains
        book = index.check_and_add("https://a.example/print", "\n".join(chapters), title="The book")
        day = index.check_and_add("https://a.example/day", "\n\n".join(chapters[3:9]), title="Monday")
        away = index.check("https://b.example/print", "\n".join(chapters[:20]), title="The book")
    assert [*book.contains] == [f"https://a.example/{number}" for number in range(40)] and book.update_of is None
    assert [*day.contains] == [f"https://a.example/{number}" for number in range(3, 9)]
    assert not away.contains


def test_a_live_page_is_an_update_however_much_it_has_grown_and_then_stands_for_the_old_one():
    old = made_prose(50, 10)
    grown = [made_prose(51, 4) + "\n" + old]
    grown.append(made_prose(52, 30) + "\n" + grown[-1])
    grown.append(grown[-1] + "\n" + made_prose(53, 100))
    with DuplicateIndex() as index:
        keys = [f"https://a.example/storm?at={number}" for number in range(4)]
        index.add(keys[0], old, title="Storm")
        for number, text in enumerate(grown, 1):
            verdict = index.check_and_add(keys[number], text, title="Storm")
            assert (verdict.update_of, verdict.contains) == (keys[number - 1], ()), verdict.reason
            copies = [old, f"{old} Share this.", text]
            found = [index.check(f"https://b.example/{i}", copy, title="Storm").of for i, copy in enumerate(copies)]
            assert found[2] == keys[number] and {*found[:2]} == {keys[1]}  # of the old one, others are too long
        assert not index.check(keys[0], old, title="Storm").duplicate


def test_rows_name_the_row_that_they_update():
    *_, (_, verdict) = deduplicate([("https://a.example/1", MILL), ("https://a.example/2", MILL + " " + NOTICE[:200])])
    assert (verdict.update_of, verdict.reason) == ("https://a.example/1", "an update of https://a.example/1")
