"""Drawing: shapes and words of a plot, in points from the upper left, with colors by their names in the palette; and its SVG."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from studio.reports.palette import LIGHT

__all__ = ["BOX", "Bar", "Caption", "Drawing", "Shape", "Sign", "Stroke", "plain", "points_of", "shortened"]

FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"  # --sans of assets/web/styles/tokens.css
BOX = "\u25a1"  # white square: what stands for a character that cannot be shown
_NO_XML = re.compile("[^\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that no XML may hold (XML 1.0, 2.2)
_WIDE_FROM = 0x2E80  # the first of the scripts of East Asia, whose characters are as wide as they are high
LEAST_SHARE, MOST_SHARE = 0.7, 1.25  # of its own size, on a page

Shape = Literal["dot", "round", "square", "diamond"]


@dataclass(frozen=True)
class Stroke:
    """kind: what it stands for, as a class of SVG."""

    start: tuple[float, float]
    end: tuple[float, float]
    color: str
    width: float = 1
    kind: str = "line"
    is_dashed: bool = False


@dataclass(frozen=True)
class Bar:
    """An upright rectangle. at: its upper left corner."""

    at: tuple[float, float]
    width: float
    height: float
    color: str
    opacity: float = 1
    radius: float = 0


@dataclass(frozen=True)
class Sign:
    """at: its middle. A dot is of one listener; what is larger is a mean, and has a border in the color of the card."""

    at: tuple[float, float]
    color: str
    shape: Shape

    @property
    def radius(self) -> float:
        return 2.2 if self.shape == "dot" else 6


@dataclass(frozen=True)
class Caption:
    """at: of the base line, its start, middle or end as `anchor` says. A text of one line."""

    at: tuple[float, float]
    text: str
    size: float = 13
    is_bold: bool = False
    anchor: Literal["start", "middle", "end"] = "start"
    color: str = "ink"


@dataclass(frozen=True)
class Drawing:
    """title, description: what it is, and what it says, for who does not see it."""

    width: float
    height: float
    title: str
    description: str
    marks: tuple[Stroke | Bar | Sign | Caption, ...]

    def svg(self, name: str, *, is_inline: bool = False) -> str:
        """A whole file; or, inline, an element of HTML, with the page's own colors, light or dark. name: begins its ids."""
        color: Callable[[str], str] = (lambda token: f"var(--{token})") if is_inline else LIGHT.__getitem__
        limited = f'style="min-width: {LEAST_SHARE * self.width:.0f}px; max-width: {MOST_SHARE * self.width:.0f}px"'
        file = f'xmlns="http://www.w3.org/2000/svg" width="{self.width:g}" height="{self.height:g}"'
        card = "" if is_inline else f'<rect width="100%" height="100%" fill="{color("card")}"/>'
        return (
            f'<svg viewBox="0 0 {self.width:g} {self.height:g}" {limited if is_inline else file} role="img" '
            f'aria-labelledby="{name}-title {name}-desc" font-family="{FAMILY}">'
            f'<title id="{name}-title">{escape(plain(self.title))}</title><desc id="{name}-desc">{escape(plain(self.description))}</desc>'
            f"{card}{''.join(_element(mark, color) for mark in self.marks)}</svg>"
        )


def plain(text: str) -> str:
    """On one line, with a box for each character that XML may not hold."""
    return _NO_XML.sub(BOX, " ".join(text.split()))


def points_of(text: str, size: float = 13) -> float:
    """About how wide it is, in bold type; no font is asked."""
    return sum(size if ord(character) >= _WIDE_FROM else 0.62 * size for character in text)


def shortened(text: str, most_points: float) -> str:
    """To the room that a label has; tables have all of it."""
    text = plain(text)
    if points_of(text) <= most_points:
        return text
    while text and points_of(f"{text}…") > most_points:
        text = text[:-1]
    return f"{text}…"


def _element(mark: Stroke | Bar | Sign | Caption, color: Callable[[str], str]) -> str:
    if isinstance(mark, Caption):
        x, y = mark.at
        look = (
            f'font-size="{mark.size:g}" font-weight="{700 if mark.is_bold else 400}" text-anchor="{mark.anchor}" fill="{color(mark.color)}"'
        )
        return f"<text {_placed(x=x, y=y)} {look}>{escape(plain(mark.text))}</text>"
    if isinstance(mark, Stroke):
        (x1, y1), (x2, y2) = mark.start, mark.end
        dash = ' stroke-dasharray="4 3"' if mark.is_dashed else ""
        look = f'stroke="{color(mark.color)}" stroke-width="{mark.width:g}" stroke-linecap="{"round" if mark.width > 1 else "butt"}"{dash}'
        return f"<line class={quoteattr(mark.kind)} {_placed(x1=x1, y1=y1, x2=x2, y2=y2)} {look}/>"
    if isinstance(mark, Bar):
        x, y = mark.at
        look = f'rx="{mark.radius:g}" fill="{color(mark.color)}"' + (f' fill-opacity="{mark.opacity:.3g}"' if mark.opacity < 1 else "")
        return f'<rect class="bar" {_placed(x=x, y=y, width=mark.width, height=mark.height)} {look}/>'
    return _sign(mark, color)


def _sign(mark: Sign, color: Callable[[str], str]) -> str:
    (x, y), r = mark.at, mark.radius
    if mark.shape == "dot":
        return f'<circle class="dot" {_placed(cx=x, cy=y, r=r)} fill="{color(mark.color)}" fill-opacity="0.4"/>'
    look = f'fill="{color(mark.color)}" stroke="{color("card")}" stroke-width="1.5"'
    if mark.shape == "round":
        return f'<circle class="mean" {_placed(cx=x, cy=y, r=r)} {look}/>'
    turned = f' transform="rotate(45 {x:.2f} {y:.2f})"' if mark.shape == "diamond" else ""
    return f'<rect class="mean" {_placed(x=x - r, y=y - r, width=2 * r, height=2 * r)} rx="2" {look}{turned}/>'


def _placed(**lengths: float) -> str:
    return " ".join(f'{name}="{length:.2f}"' for name, length in lengths.items())
