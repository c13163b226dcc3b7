"""The Chinese news: tables within tables and line breaks, as in the page layouts of portals of 2008."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from example_project.portal.markup import Around, Link, anchors, head, script
from example_project.portal.model import Block, Story

SITE = "盐湾新闻网"
NAV = (
    Link("/", "首页"),
    Link("/xinwen/", "新闻中心"),
    Link("/news/", "English"),
    Link("/forum/", "论坛"),
    Link("/docs/", "软件手册"),
    Link("/about.html", "关于我们"),
    Link("/private/drafts.html", "编辑部"),
)
ADS = (
    "春季家装团购会火热报名中，前一百名送全屋保洁一次。",
    "老中医支招：腰酸背痛别硬扛，三个动作轻松缓解。",
    "学区好房清盘特惠，总价直降，周末看房专车接送。",
    "零基础学会计，随到随学，不过全额退款。",
    "阳澄湖畔农家乐，湖鲜管饱，三人同行一人免单。",
    "二手车高价收，上门评估，当场付款不拖欠。",
)
SMALL = (
    "版权声明：本网所有文字、图片和音视频稿件，未经书面授权不得转载、摘编或以其他方式使用。"
    "违反上述声明者，本网将追究其相关法律责任。"
)


def _row(cells: str, extra: str = "") -> str:
    return f'<table width="960" border="0" cellpadding="0"{extra}><tr>{cells}</tr></table>\n'


def _top(around: Around) -> str:
    menu = "".join(f'<td class="menu0{n}">{anchors([link])}</td>' for n, link in enumerate(NAV))
    ad = around.rng.choice(ADS)
    return (
        '<body bgcolor="#ffffff"><center>'
        + _row(f'<td width="200"><b>{SITE}</b></td><td class="ad760">{ad}</td>')
        + _row(menu, ' bgcolor="#dde8f5"')
    )


def _bottom(path: str) -> str:
    return (
        _row(
            f'<td align="center" class="f12">{anchors(NAV, " | ")}<br>{SMALL}<br>'
            "盐湾传媒有限公司 版权所有 举报电话 0000-1234567</td>"
        )
        + f"</center>{script(path)}</body></html>\n"
    )


def _block(block: Block, around: Around) -> str:
    if block.kind == "h2":
        return f"<strong>{escape(block.text)}</strong>"
    if block.kind == "quote":
        return f'<font color="#333399">\u3000\u3000{around.prose(block)}</font>'
    return f"\u3000\u3000{around.prose(block)}"


def _column(story: Story, around: Around) -> str:
    """Return the text: paragraphs separated only by line breaks, with a picture and an ad between."""
    parts = [_block(block, around) for block in story.blocks]
    text = "<br><br>\n".join(parts[:2])
    for caption in story.captions:
        text += (
            '\n<table align="center" width="400"><tr><td><img src="/i/z.jpg"></td></tr>'
            f'<tr><td align="center" class="f12">{caption}</td></tr></table>\n'
        )
    rest = "<br><br>\n".join(parts[2:])
    ad = around.rng.choice(ADS)
    return f'{text}\n<div class="hzh">{ad}</div>\n{rest}'


def _side(around: Around) -> str:
    ranks = "".join(
        f'<tr><td>{n}</td><td><a href="{link.href}">{link.title}</a></td></tr>'
        for n, link in enumerate(around.links(6), 1)
    )
    lead, *others = around.links(5)
    news = f'<a href="{lead.href}">{lead.title}</a><br>{lead.teaser}<br>{anchors(others, "<br>")}'
    return (
        f'<table width="240"><tr><td colspan="2" class="bt">点击排行</td></tr>{ranks}</table>'
        f'<table width="240"><tr><td class="bt">编辑推荐</td></tr><tr><td>{news}</td></tr>'
        f'<tr><td class="ad240">{around.rng.choice(ADS)}</td></tr></table>'
    )


def _comments(story: Story) -> str:
    if not story.comments:
        return ""
    lines = "".join(
        f'<tr><td class="f12">盐湾网友 {nick} 11月{number + 3}日</td></tr><tr><td>{text}</td></tr>'
        for number, (nick, text) in enumerate(story.comments)
    )
    return f'<table width="640" class="comment"><tr><td>网友评论 {len(story.comments)} 条</td></tr>{lines}</table>'


def article(story: Story, around: Around, extra: Sequence[Link] = ()) -> str:
    """Return the page of a story; `extra` links lead to where it was reprinted."""
    more = "<br>".join(f'·<a href="{link.href}">{link.title}</a> {around.day()}' for link in around.links(5))
    also = f'<div class="zz">转载：{anchors(extra, " ")}</div>' if extra else ""
    main = (
        f'<td width="700" valign="top"><div class="f12">您的位置：<a href="/">首页</a> &gt; '
        f'<a href="/xinwen/">新闻中心</a> &gt; 正文</div><h1 align="center">{story.title}</h1>'
        f'<div align="center" class="f12">{story.date} 来源：{SITE} 作者：{story.author} '
        f"字号：大 中 小</div>\n<table><tr><td class='t14' id='zoom'>{_column(story, around)}"
        f'</td></tr></table>\n<div align="right" class="f12">(责任编辑：{story.author})</div>{also}'
        f'<table class="xg"><tr><td>相关新闻</td></tr><tr><td>{more}</td></tr></table>'
        f"{_comments(story)}<div style='display:none'>本页浏览 <span>7012</span> 次，欢迎订阅"
        "我们的手机报，每天早晚各一期，资费两元。</div></td>"
    )
    return (
        head(story.title, SITE, story.path, "zh")
        + _top(around)
        + _row(main + f'<td width="250" valign="top">{_side(around)}</td>')
        + _bottom(story.path)
    )


def index(title: str, path: str, links: Sequence[Link], pager: Sequence[Link], around: Around) -> str:
    """Return a list page: a row for each link, with its teaser."""
    items = "".join(f'<tr><td>·<a href="{link.href}">{link.title}</a><br>{link.teaser}</td></tr>' for link in links)
    main = f'<td><h1>{title}</h1><table width="700">{items}</table>{anchors(pager, " ")}</td>'
    return head(title, SITE, path, "zh") + _top(around) + _row(main + f"<td>{_side(around)}</td>") + _bottom(path)
