"""What sites put around and into a text: bylines, buttons, other white space and punctuation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

_CHINESE_NAMES = "王芳 李建国 张晓梅 刘洋 陈立 赵敏 黄海涛 周雪".split()
_CHINESE_SOURCES = "新华网 澎湃新闻 本站综合 南方日报 光明网 央视新闻".split()
_NAMES = "Ada Brandt, Miguel Ortega, Jane Whitlow, Tomasz Lis, Priya Nair, Luc Moreau, Sam O'Neill".split(", ")
_SHARES = {
    "chinese": ["分享到： 微信 微博 QQ空间", "点赞 收藏 分享 打印 字号 大 中 小", "扫一扫 手机阅读 分享朋友圈"],
    "latin": [
        "Share on Facebook Tweet Email Print",
        "Share this: X WhatsApp Reddit LinkedIn",
        "Save Share Print Copy link",
    ],
}
_MARKS = str.maketrans({"“": "「", "”": "」", "‘": "『", "’": "』", "·": "‧", "—": "─"})
_PLAIN_MARKS = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'", "–": "-", "—": "-", "…": "..."})
_HALF_WIDTH = str.maketrans("，。！？；：（）", ",.!?;:()")
_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
_TABLES: dict[str, Mapping[int, int | str]] = {
    "full width": {**_FULL_WIDTH},
    "half width": {**_HALF_WIDTH},
    "marks": {**_PLAIN_MARKS},
}


def heading(group: str, other_words: str, rng: Random) -> str:
    """A line with who, when and whence."""
    year, month, day = rng.randint(2015, 2025), rng.randint(1, 12), rng.randint(1, 28)
    time = f"{rng.randint(0, 23):02d}:{rng.randint(0, 59):02d}"
    if group == "chinese":
        source, name = rng.choice(_CHINESE_SOURCES), rng.choice(_CHINESE_NAMES)
        return f"{year}年{month}月{day}日 {time} 来源：{source} 记者 {name}"
    if group == "latin":
        return f"By {rng.choice(_NAMES)} | {year}-{month:02d}-{day:02d} {time}"
    return f"{other_words} {year}/{month}/{day} {time}"


def share_buttons(group: str, rng: Random) -> str:
    """A row of buttons."""
    return rng.choice(_SHARES.get(group, _SHARES["latin"]))


def other_form(text: str, group: str, rng: Random) -> str:
    """The same words, set in another way: two of the ways that fit the script."""
    ways = ["lines", "spaces", "marks", *(["full width", "half width"] if group == "chinese" else ["upper", "lower"])]
    for way in rng.sample(ways, 2):
        text = _set(text, way)
    return text


def _set(text: str, way: str) -> str:
    if way == "lines":
        return re.sub(r"\s*\n\s*", " ", text)
    if way == "spaces":
        return re.sub(r"([,.;:，。；：])(?!\w)", r"\1  ", text).replace(" ", "\u00a0")
    if way in _TABLES:
        return text.translate(_TABLES[way])
    return text.upper() if way == "upper" else text.lower()


def traditional_punctuation(text: str) -> str:
    """Corner brackets for quotation marks, and the like.

    >>> traditional_punctuation("他说：“好。”")
    '他说：「好。」'
    """
    return text.translate(_MARKS)
