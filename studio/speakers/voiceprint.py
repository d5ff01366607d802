"""The print of a speaker: a drawing by which people know a voice, and the digest from which it is made.

assets/web/drawings/voiceprint.js draws the same.

The numbers that say no source are the design's own, chosen by eye so that lines neither cross nor leave the box, and that two voices seldom
look alike: among 200 recordings 16 of 19,900 pairs share their hue and nearly their outline. So the name always stands beside it.
"""

import hashlib
import math

from studio.speakers.speaker import Speaker

__all__ = ["PRINT_DIGITS", "print_digest", "print_svg"]

PRINT_DIGITS = 20  # hexadecimal: the drawing reads ten bytes, and no more of a recording's digest leaves the studio than is drawn
BOX = 48  # the drawing's own units; no outline comes nearer to an edge than 1.8
POINTS = 28  # of a contour, before it is smoothed: more than five for each of at most five lobes
# Up to so many pixels: contours, and the width of their line in units, 1.5 to 3 pixels at the sizes of the page: 16, 28, 40, 56, 96.
SIZES = ((20, 1, 4.5), (36, 2, 3.2), (48, 3, 2.4), (72, 4, 1.9), (math.inf, 5, 1.4))

Point = tuple[float, float]


def print_digest(speaker: Speaker | None, *, engine: str = "", preset: str | None = None) -> str:
    """Of a stored speaker its recording's, or that of its numbers; of a preset (speaker is None) that of `engine:preset`; else "".

    Neither name nor owner go into it: an edit keeps it, an import brings it, another recording of the same name has another one.
    """
    if speaker is not None:
        return speaker.source_digest[:PRINT_DIGITS]
    return hashlib.sha256(f"{engine}:{preset}".encode()).hexdigest()[:PRINT_DIGITS] if preset else ""


def print_svg(digest: str, pixels: int = 40) -> str:
    """The drawing as SVG, of which the page's tokens give the colors. digest: as `print_digest` says; "" is a tile without a drawing."""
    contours, width = next((n, width) for most, n, width in SIZES if pixels <= most)
    shape = _Shape(bytes.fromhex(digest[:PRINT_DIGITS])) if digest else None
    hue = f" hue-{shape.hue}" if shape else ""
    lines = [_closed(shape.contour(i / contours)) for i in range(contours)] if shape else []
    paths = "".join(f'<path d="{line}" stroke-width="{width}"/>' for line in lines)
    kind = f"print{hue}{' tiny' if contours == 1 else ''}"
    return f'<svg class="{kind}" width="{pixels}" height="{pixels}" viewBox="0 0 {BOX} {BOX}" aria-hidden="true">{paths}</svg>'


class _Shape:
    """What ten bytes say: a hue of eight, 2 to 5 lobes, a finer ripple, their depth and turn, twist, lean and an egg's form."""

    def __init__(self, b: bytes):
        self.hue = b[0] % 8
        self.lobes = 2 + b[1] % 4
        self.ripples = self.lobes + 1 + b[2] % 3
        self.depth = 0.12 + (0.38 / self.lobes) * (0.4 + (0.6 * b[3]) / 255)  # the more lobes, the shallower, or the inner ones touch
        self.ripple = 0.02 + (0.07 * b[4]) / 255
        self.turn = (2 * math.pi * b[5]) / 255
        self.shift = (2 * math.pi * b[6]) / 255
        self.twist = (b[7] / 255 - 0.5) * 0.5  # radians from the outline to the innermost contour
        self.lean = (b[8] / 255 - 0.5) * 7  # six tenths of it, in units, the innermost would lie aside
        self.egg = (0.22 * b[9]) / 255
        self.egg_turn = (2 * math.pi * (b[9] % 16)) / 16

    def contour(self, inward: float) -> list[Point]:
        """inward: 0 for the outline, towards 1 for the innermost, which swings about half as much, or lines would cross."""
        radius = 18.5 * (1 - 0.92 * inward)
        fade = 1 - 0.55 * inward
        points = []
        for i in range(POINTS):
            at = (2 * math.pi * i) / POINTS
            lobed = self.depth * math.cos(self.lobes * (at - self.turn - self.twist * inward))
            rippled = self.ripple * math.cos(self.ripples * at + self.shift + 2 * self.twist * inward)
            swing = lobed + rippled + self.egg * math.cos(at - self.egg_turn)
            r = (radius * (1 + fade * swing)) / (1 + 0.5 * (self.depth + self.ripple + self.egg))
            points.append((BOX / 2 + r * math.cos(at) + 0.6 * self.lean * inward, BOX / 2 + r * math.sin(at)))
        return points


def _closed(points: list[Point]) -> str:
    """A smooth closed line through the points: Catmull-Rom as cubic Béziers.

    The tangent is half of the way from neighbor to neighbor (Catmull and Rom 1974), a control point a third of it away: hence a sixth.
    """
    line = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for i in range(POINTS):
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = (points[(i + k) % POINTS] for k in (-1, 0, 1, 2))
        numbers = (bx + (cx - ax) / 6, by + (cy - ay) / 6, cx - (dx - bx) / 6, cy - (dy - by) / 6, cx, cy)
        line.append("C" + " ".join(f"{number:.1f}" for number in numbers))
    return "".join(line) + "Z"
