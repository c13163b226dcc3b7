"""A picture of lines over the pages of a crawl: SVG with its own style, light and dark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 300, 60, 200, 16, 40
_STYLE = (
    "svg{background:#fff;color:#222}text{fill:currentColor;font:12px sans-serif}polyline{fill:none;stroke-width:1.6}"
    ".axis{stroke:#999}.grid{stroke:#8883}.e{text-anchor:end}.m{text-anchor:middle}"
    ".c0{stroke:#2b6cb0}.c1{stroke:#c05621}.c2{stroke:#2f855a}.c3{stroke:#805ad5}.c4{stroke:#718096}"
    "@media(prefers-color-scheme:dark){svg{background:#181a1b;color:#ddd}}"
)
#: Lines that the picture has colours for.
MOST = 5
#: Values that axes are divided by, times powers of ten.
_STEPS = (1, 2, 5)


def picture(lines: Mapping[str, Points], x_name: str, y_name: str) -> str:
    """Draw lines.

    Args:
        lines: Points (x, y) of up to `MOST` lines by name; none below 0.
        x_name: What x is.
        y_name: What y is.
    """
    xs, ys = zip(*(point for points in lines.values() for point in points), strict=True)
    right, top = max(xs) or 1.0, (max(ys) or 1.0) * 1.05
    wide, high = _WIDTH / right, _HEIGHT / top
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + _RIGHT} {_TOP + _HEIGHT + _BOTTOM}" '
        f'role="img"><title>{escape(y_name)} over {escape(x_name)}</title><style>{_STYLE}</style>'
    ]
    for value in _ticks(top):
        y = _TOP + _HEIGHT - value * high
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="e" x="{_LEFT - 6}" y="{y + 4:.1f}">{value:,.0f}</text>')
    for value in _ticks(right):
        parts.append(f'<text class="m" x="{_LEFT + value * wide:.1f}" y="{_TOP + _HEIGHT + 18}">{value:,.0f}</text>')
    for number, (name, points) in enumerate(list(lines.items())[:MOST]):
        drawn = " ".join(f"{_LEFT + x * wide:.1f},{_TOP + _HEIGHT - y * high:.1f}" for x, y in points)
        parts.append(f'<polyline class="c{number}" points="{drawn}"/>')
        y = _TOP + 10 + 20 * number
        parts.append(
            f'<line class="c{number}" x1="{_LEFT + _WIDTH + 10}" x2="{_LEFT + _WIDTH + 30}" y1="{y}" y2="{y}"/>'
        )
        parts.append(f'<text x="{_LEFT + _WIDTH + 36}" y="{y + 4}">{escape(name)}</text>')
    base = _TOP + _HEIGHT
    parts.append(f'<line class="axis" x1="{_LEFT}" x2="{_LEFT + _WIDTH}" y1="{base}" y2="{base}"/>')
    parts.append(f'<text class="m" x="{_LEFT + _WIDTH / 2}" y="{base + 36}">{escape(x_name)}</text>')
    parts.append(f'<text x="4" y="{_TOP - 4}">{escape(y_name)}</text></svg>')
    return "\n".join(parts) + "\n"


def _ticks(most: float) -> list[float]:
    """Some four to eight round values from 0 to the most.

    Example:
        >>> _ticks(470)
        [0.0, 100.0, 200.0, 300.0, 400.0]
    """
    power = 10.0 ** (len(str(int(most))) - 2)
    step = next(power * ten * each for ten in (1, 10) for each in _STEPS if most / (power * ten * each) <= 8)
    return [step * number for number in range(int(most / step) + 1)]
