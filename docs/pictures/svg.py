"""A picture as SVG, readable on light and on dark ground: it brings a ground of its own and follows the reader's."""

from __future__ import annotations

from html import escape

STYLE = """
svg{color:#222;background:#fff}
text{fill:currentColor;font:13px sans-serif}.s{font-size:11px}.b{font-weight:bold}.m{text-anchor:middle}
.box{fill:#f3f3f3;stroke:#999}.good{fill:#dcebfb;stroke:#2b6cb0}.bad{fill:#fbe4d5;stroke:#c05621}
.off{fill:none;stroke:#bbb}
.line{fill:none;stroke:#999}.match{fill:none;stroke:#2f855a;stroke-width:2}.dash{stroke-dasharray:4 3}
@media(prefers-color-scheme:dark){
svg{color:#ddd;background:#181a1b}.box{fill:#2a2d2f;stroke:#888}.good{fill:#1d3a57;stroke:#63a4e8}
.bad{fill:#4a2a17;stroke:#ed8936}.off{stroke:#555}.line{stroke:#888}.match{stroke:#68d391}}
"""


class Svg:
    """Collects shapes.

    Args:
        width: In pixels, as all lengths.
        height: The same.
        title: Description for readers who do not see it.
    """

    def __init__(self, width: int, height: int, title: str):
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img">',
            f"<title>{escape(title)}</title><style>{''.join(STYLE.split(chr(10)))}</style>",
        ]

    def text(self, x: float, y: float, said: str, kind: str = "") -> None:
        """Words; `kind` is m (middle), b (bold), s (small), or several."""
        name = f' class="{kind}"' if kind else ""
        self._parts.append(f'<text x="{x:g}" y="{y:g}"{name}>{escape(said)}</text>')

    def box(self, x: float, y: float, width: float, height: float, *lines: str, kind: str = "box") -> None:
        """A box with lines of text in its middle."""
        self._parts.append(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3"/>')
        top = y + height / 2 + 4.5 - 8 * (len(lines) - 1)
        for i, line in enumerate(lines):
            self.text(x + width / 2, top + 16 * i, line, "m")

    def path(self, way: str, kind: str = "line") -> None:
        """A line."""
        self._parts.append(f'<path class="{kind}" d="{way}"/>')

    def arrow(self, x: float, y: float, to_x: float, to_y: float) -> None:
        """A straight line with a head, across or down."""
        across = abs(to_x - x) > abs(to_y - y)
        sign = 1 if (to_x - x if across else to_y - y) > 0 else -1
        head = (
            f"l{-6 * sign} -4m{6 * sign} 4l{-6 * sign} 4" if across else f"l-4 {-6 * sign}m4 {6 * sign}l4 {-6 * sign}"
        )
        self.path(f"M{x:g} {y:g}L{to_x:g} {to_y:g}{head}")

    def __str__(self) -> str:
        return "\n".join([*self._parts, "</svg>\n"])
