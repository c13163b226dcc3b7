"""What short blocks announce and say of the title, by regular expressions over Python's strings."""

import re
from typing import NamedTuple

from denoise_scrapy.core.features import ANNOUNCING_TOKENS, COMMENTS_BIT, META_BIT
from denoise_scrapy.core.markup import Flag
from denoise_scrapy.core.tree import Tree

COMMENTS = re.compile(
    r"[^\w]*(?:\d+ ?)?(?:(?:user|reader|visitor) )?(?:comments?|responses?|repl(?:y|ies)|trackbacks?|"
    r"pingbacks?|discussion|thoughts? on|join the (?:conversation|discussion)|"
    r"(?:leave|post|add|write) a (?:reply|comment|response)|"
    r"comentarios?|comentários?|commentaires?|kommentare?|комментари[ийя]|تعليقات|"
    r"评论|評論|网友评论|留言|回复|回覆|コメント)\b.{0,60}\Z"
)
META = re.compile(
    r"\bsays:?$|\breply$|\bpermalink\b|\bago\b|\bposted (?:by|on|at|in)\b|\bedited\b|^by\b|\b\d{1,2}:\d{2}\b|"
    r"\b19\d{2}\b|\b20\d{2}\b|\bam\b|\bpm\b|前$|\bvor \d|há \d|\bpublicad[oa]\b|\bpublié|\bveröffentlicht|\d uhr\b|"
    r"年|月|日|回复|回覆|返信|hace |il y a|назад|منذ|опубликован|نشر|发布|發布|来源|來源|作者|編集|投稿|更新"
)


class LiteralWords(NamedTuple):
    """As `announcements.Words`, in lists."""

    bits: list[int]
    title_share: list[float]
    titles: list[bool]


def lowered(text: str) -> str:
    """A text in lower case, one space between words.

    Capitals whose lower case is two characters stay. Beyond the basic plane nothing is a letter, as in all counts.
    """
    plain = "".join([one if ord(one) < 1 << 16 else chr(0xE000 | ord(one) & 0xFFF) for one in text])
    lower = [one.lower() if one.isupper() and len(one.lower()) == 1 else one for one in plain]
    return " ".join("".join(lower).replace("ς", "σ").split())


def literal_words(tree: Tree) -> LiteralWords:
    """What the words of a page's blocks tell."""
    title, found = lowered(tree.title), LiteralWords([], [], [])
    for row in tree.block_rows:
        start, end = row["text"].tolist()
        text = lowered(tree.slice(start, end).replace("\x01", "").replace("\x02", ""))
        is_short = row["tokens"] < ANNOUNCING_TOKENS
        comments, meta = COMMENTS.match(text), META.search(text)
        found.bits.append((COMMENTS_BIT * bool(comments) + META_BIT * bool(meta)) * bool(is_short))
        said = [word for word in text.split() if len(word) > 1 and word in title]
        found.title_share.append(len(said) / len(text.split()) if is_short else 0.0)
        is_title = text.replace(" ", "") in title.replace(" ", "") and row["chars"] <= len(title.replace(" ", ""))
        found.titles.append(bool(row["own_flags"] & Flag.HEADING) and is_title)
    return found
