"""Sections of the text that are called as comments are, which stay, and comments, which go."""

import pytest

from denoise_scrapy import extract

PROSE = {
    "en": (
        "The harvest began two weeks early, because the spring had been warm and the rain came late. Nobody on "
        "the coast could remember a year like it.",
        "A second series of measurements was taken in the autumn, with the same gauge and by the same three "
        "people. The results differed by less than a tenth.",
        "The valves are opened by hand every morning, and closed again as soon as the level in the upper basin "
        "has reached the white mark on the wall.",
        "Whoever keeps the records for more than ten years will see that dry and wet summers follow each other "
        "without any pattern that could be used.",
    ),
    "de": (
        "Die Ernte begann zwei Wochen früher als sonst, weil das Frühjahr warm gewesen war und der Regen spät "
        "kam. An der Küste konnte sich niemand an ein solches Jahr erinnern.",
        "Im Herbst wurde eine zweite Reihe von Messungen mit demselben Gerät und von denselben drei Personen "
        "vorgenommen. Die Ergebnisse wichen kaum voneinander ab.",
        "Die Ventile werden jeden Morgen von Hand geöffnet und wieder geschlossen, sobald der Stand im oberen "
        "Becken die weiße Marke an der Wand erreicht hat.",
        "Wer die Aufzeichnungen länger als zehn Jahre führt, sieht, dass trockene und nasse Sommer ohne ein "
        "Muster aufeinander folgen, das man nutzen könnte.",
    ),
    "fr": (
        "La récolte a commencé deux semaines plus tôt, car le printemps avait été doux et la pluie était venue "
        "tard. Personne sur la côte ne se souvenait d'une année pareille.",
        "Une deuxième série de mesures a été faite à l'automne, avec le même appareil et par les trois mêmes "
        "personnes. Les résultats différaient de moins d'un dixième.",
        "Les vannes sont ouvertes à la main chaque matin, puis refermées dès que le niveau du bassin supérieur a "
        "atteint la marque blanche sur le mur.",
        "Quand on tient les registres pendant plus de dix ans, on voit que les étés secs et humides se suivent "
        "sans aucun ordre dont on pourrait se servir.",
    ),
    "es": (
        "La cosecha empezó dos semanas antes, porque la primavera había sido cálida y la lluvia llegó tarde. "
        "Nadie en la costa recordaba un año parecido.",
        "En otoño se tomó una segunda serie de medidas, con el mismo aparato y por las mismas tres personas. Los "
        "resultados diferían en menos de una décima.",
        "Las válvulas se abren a mano cada mañana y se cierran otra vez en cuanto el nivel del estanque superior "
        "ha llegado a la marca blanca del muro.",
        "Quien lleva los registros durante más de diez años ve que los veranos secos y húmedos se siguen sin "
        "ningún orden que se pueda aprovechar.",
    ),
    "ru": (
        "Уборка началась на две недели раньше, потому что весна была тёплой, а дожди пришли поздно. Никто на "
        "побережье не помнил такого года.",
        "Осенью провели вторую серию измерений тем же прибором и теми же тремя людьми. Результаты отличались "
        "меньше чем на одну десятую.",
        "Задвижки открывают вручную каждое утро и снова закрывают, как только уровень в верхнем бассейне дойдёт "
        "до белой отметки на стене.",
        "Кто ведёт записи дольше десяти лет, тот видит, что сухие и мокрые лета следуют друг за другом без "
        "всякого порядка, которым можно пользоваться.",
    ),
    "zh": (
        "今年春天很暖和，雨来得又晚，所以收割比往年早了两个星期。海边的人谁也想不起有过这样的年份，连最老的渔夫也摇头。",
        "秋天又用同一台仪器、由同样的三个人做了第二组测量，两次结果相差不到十分之一，因此大家认为数据是可靠的。",
        "每天早上用手打开阀门，等上面水池的水位到了墙上的白线再关上，值班的人要把时间写在本子上，晚上交给下一班。",
        "记录做了十年以上的人都会看到，干旱和多雨的夏天一个接一个，并没有什么可以利用的规律，只能每年重新准备。",
    ),
    "pt": (
        "A colheita começou duas semanas mais cedo, porque a primavera foi quente e a chuva chegou tarde. Ninguém "
        "na costa se lembrava de um ano assim.",
        "No outono foi feita uma segunda série de medições, com o mesmo aparelho e pelas mesmas três pessoas. Os "
        "resultados diferiam menos de um décimo.",
        "As válvulas são abertas à mão todas as manhãs e fechadas de novo assim que o nível do tanque superior "
        "chega à marca branca da parede.",
        "Quem mantém os registos durante mais de dez anos vê que os verões secos e húmidos se seguem sem nenhuma "
        "ordem que se possa aproveitar.",
    ),
    "ja": (
        "今年は春が暖かく、雨が遅かったので、収穫はいつもより二週間早く始まった。海辺の人は誰もこんな年を覚えていないという。",
        "秋には同じ器械を使い、同じ三人が二回目の測定を行った。結果の違いは十分の一にも満たなかったので、値は信頼できると考えられる。",
        "弁は毎朝手で開け、上の池の水位が壁の白い印に届いたらすぐに閉める。当番の者は時刻を帳面に書き、次の番に渡す。",
        "十年以上記録を続けた人なら、乾いた夏と湿った夏が何の決まりもなく続くことが分かる。毎年新しく準備するほかはない。",
    ),
}
LINKS = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("Home", "News", "Culture", "Sport", "Weather"))
DATES = "<ul><li>Published in 2021</li><li>Revised at 10:30 am</li><li>Prices of May 2024</li></ul>"
#: Title, and the headings of the sections.
SECTIONS = [
    ("en", "Wear of chains", "Introduction", "Results", "Discussion", "Conclusion"),
    ("en", "Wear of chains", "1. Introduction", "2. Results", "3. Discussion", "4. Discussion of limits"),
    ("en", "Create a job", "Request", "Response", "Response fields", "Replies and errors"),
    ("en", "Syntax of the language", "Names", "Comments", "Strings", "Numbers"),
    ("en", "A week on the coast", "Monday", "Thoughts on the harvest", "Responses of the valley", "Thursday"),
    ("de", "Verschleiß von Ketten", "Einleitung", "Ergebnisse", "Diskussion", "Schluss"),
    ("de", "Syntax der Sprache", "Namen", "Kommentare", "Zeichenketten", "Zahlen"),
    ("de", "Einen Auftrag anlegen", "Anfrage", "Antwort", "Antworten bei Fehlern", "Grenzen"),
    ("fr", "Bien garder son vélo", "Comment essayer un vélo ?", "Comment la nettoyer ?", "Où le ranger ?", "Quand ?"),
    ("fr", "Syntaxe du langage", "Noms", "Commentaires", "Chaînes", "Nombres"),
    ("es", "Desgaste de cadenas", "Introducción", "Resultados", "Discusión", "Conclusión"),
    ("es", "Sintaxis del lenguaje", "Nombres", "Comentarios", "Cadenas", "Números"),
    ("ru", "Синтаксис языка", "Имена", "Комментарии", "Строки", "Числа"),
    ("zh", "语言的语法", "名称", "评论", "字符串", "数字"),
    ("pt", "Sintaxe da linguagem", "Nomes", "Comentários", "Cadeias", "Números"),
    ("ja", "言語の文法", "名前", "コメント", "文字列", "数"),
]  # fmt: skip
NAMES = ("Ann", "Bob K.", "Carla99", "dieter", "Eve M.")
#: Heading, five ages with a number in place of {}, and the button of each remark.
REMARKS = [
    ("en", "5 Comments", "{} May 2021 at 10:3{} am", "Reply"),
    ("en", "Discussion", "{} hours ago", "Reply"),
    ("en", "5 thoughts on “The harvest”", "May {}, 2021 at 9:0{} pm", "Reply"),
    ("de", "5 Kommentare", "vor {} Stunden", "Antworten"),
    ("fr", "Commentaires (5)", "il y a {} heures", "Répondre"),
    ("es", "5 comentarios", "hace {} horas", "Responder"),
    ("ru", "Комментарии (5)", "{} мая 2021, 10:3{}", "Ответить"),
    ("zh", "评论（5）", "2021年5月{}日 10:3{}", "回复"),
    ("pt", "5 comentários", "há {} horas", "Responder"),
    ("ja", "コメント（5件）", "2021年5月{}日 10:3{}", "返信"),
]
#: Headings that pass for those of comments; what is below them stays.
GOES = {"コメント", "评论", "Comentários", "名前"}


def page(language, title, inner):
    head = f"<html lang={language}><title>{title} | The Lantern</title><header><nav><ul>{LINKS}</ul></nav></header>"
    return f"{head}<main><article><h1>{title}</h1>{inner}</article></main><footer>© 2024 The Lantern</footer>"


@pytest.mark.parametrize(("language", "title", "headings"), [(row[0], row[1], row[2:]) for row in SECTIONS])
@pytest.mark.parametrize("tag", ["h2", "h3"])
def test_a_section_ends_nothing(language, title, headings, tag):
    prose = PROSE[language]
    sections = [f"<{tag}>{name}</{tag}><p>{text}" for name, text in zip(headings, prose, strict=True)]
    lines = extract(page(language, title, "".join([*sections[:3], DATES, *sections[3:]]))).text.splitlines()
    assert {*headings[:3], *prose} - set(lines) <= GOES


def test_a_pane_above_the_story_ends_nothing():
    first, *others = [f"<p>{text}</p>" for text in PROSE["en"]]
    pane = "<div class=pane><h2>Join the Conversation</h2><p>To find out more about our rules, see the FAQ.</div>"
    dates = (
        "<div>Nora Quill</div><div>Published 5:12 p.m. Mar. 17, 2020</div><div>Updated 6:40 p.m. Mar. 17, 2020</div>"
    )
    text = extract(page("en", "The crane at night", f"{first}{pane}{dates}<div>{''.join(others)}</div>")).text
    assert all(prose in text for prose in PROSE["en"])


@pytest.mark.parametrize(("language", "heading", "age", "button"), REMARKS)
@pytest.mark.parametrize(("outer", "inner", "name"), [("ol", "li", "comment"), ("div", "div", "x")])
def test_comments_go(language, heading, age, button, outer, inner, name):
    prose = PROSE[language]
    remarks = [
        f"<{inner} class={name}><b>{who}</b> <time>{age.format(n, n)}</time><p>REMARK {prose[n % 4][:80]}</p>"
        f"<a href=#r>{button}</a></{inner}>"
        for n, who in enumerate(NAMES, 1)
    ]
    below = f"<section><h3>{heading}</h3><{outer}>{''.join(remarks)}</{outer}></section>"
    story = "".join(f"<p>{text}</p>" for text in prose)
    body = extract(page(language, "The harvest", story + below))
    assert all(text in body.text for text in prose)
    assert "REMARK" not in body.text
