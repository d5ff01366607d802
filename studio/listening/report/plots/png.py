"""PNG of a drawing, by Pillow, on white. Text is in fonts of this machine; a box stands for what none of them has.

Only plots.py imports this module, when it draws.
"""

import io
from functools import cache, lru_cache
from itertools import groupby

from PIL import Image, ImageColor, ImageDraw, ImageFont

from studio.reports.drawing import BOX, Bar, Caption, Drawing, Sign, Stroke, plain
from studio.reports.palette import LIGHT

__all__ = ["png_of"]

SCALE, FINER = 8 / 3, 2  # pixels of a point: twice what SVG's points are on a screen; drawn finer than that, for smooth edges
# (regular, bold) as systems call them. The last of all is Pillow's own, of ASCII.
FONTS = (
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
    ("Arial.ttf", "Arial Bold.ttf"),
    ("arial.ttf", "arialbd.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
    ("NotoSansCJK-Regular.ttc", "NotoSansCJK-Bold.ttc"),
    ("NotoSansSC-Regular.otf", "NotoSansSC-Bold.otf"),
    ("wqy-microhei.ttc", "wqy-microhei.ttc"),
    ("PingFang.ttc", "PingFang.ttc"),
    ("msyh.ttc", "msyhbd.ttc"),
)
NO_CHARACTER = "\uffff"  # what a font shows for it, it shows for whatever it lacks
OPACITY_OF_A_DOT = 0.4

Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


def png_of(drawing: Drawing) -> bytes:
    """The picture."""
    scale = SCALE * FINER
    image = Image.new("RGB", (round(drawing.width * scale), round(drawing.height * scale)), LIGHT["card"])
    pen = ImageDraw.Draw(image)
    for mark in drawing.marks:
        _draw(pen, mark, scale)
    file = io.BytesIO()
    image.reduce(FINER).save(file, "PNG")
    return file.getvalue()


def _draw(pen: ImageDraw.ImageDraw, mark: Stroke | Bar | Sign | Caption, scale: float) -> None:
    if isinstance(mark, Caption):
        _write(pen, mark, scale)
    elif isinstance(mark, Stroke):
        _stroke(pen, mark, scale)
    elif isinstance(mark, Bar):
        (x, y), color = mark.at, _mixed(mark.color, mark.opacity)
        if mark.height > 0:
            box = [length * scale for length in (x, y, x + mark.width, y + mark.height)]
            pen.rounded_rectangle(box, mark.radius * scale, fill=color)
    else:
        _sign(pen, mark, scale)


def _stroke(pen: ImageDraw.ImageDraw, mark: Stroke, scale: float) -> None:
    (x1, y1), (x2, y2) = mark.start, mark.end
    half = mark.width / 2
    long, dash, gap = max(x2 - x1, y2 - y1), *((4, 3) if mark.is_dashed else (max(x2 - x1, y2 - y1), 1))
    at = 0.0
    while at < long or at == 0:
        end = min(long, at + dash)
        (ax, bx), (ay, by) = ((x1 + at, x1 + end), (y1, y1)) if x2 > x1 else ((x1, x1), (y1 + at, y1 + end))
        box = [length * scale for length in (ax - half, ay - half, bx + half, by + half)]
        pen.rounded_rectangle(box, half * scale if mark.width > 1 else 0, fill=LIGHT[mark.color])
        at += dash + gap


def _sign(pen: ImageDraw.ImageDraw, mark: Sign, scale: float) -> None:
    x, y, r = (length * scale for length in (*mark.at, mark.radius))
    if mark.shape == "dot":
        pen.circle((x, y), r, fill=_mixed(mark.color, OPACITY_OF_A_DOT))
        return
    border = 0.75 * scale
    for radius, color in ((r + border, "card"), (r - border, mark.color)):
        if mark.shape == "round":
            pen.circle((x, y), radius, fill=LIGHT[color])
        elif mark.shape == "square":
            pen.rounded_rectangle((x - radius, y - radius, x + radius, y + radius), 2 * scale, fill=LIGHT[color])
        else:
            far = radius * 2**0.5
            pen.polygon([(x - far, y), (x, y - far), (x + far, y), (x, y + far)], fill=LIGHT[color])


def _write(pen: ImageDraw.ImageDraw, mark: Caption, scale: float) -> None:
    """In runs of characters that one font has."""
    size = round(mark.size * scale)
    text = "".join(one if _font_of(one, size, mark.is_bold)[1] else BOX for one in plain(mark.text))
    runs = ["".join(run) for _, run in groupby(text, lambda one: id(_font_of(one, size, mark.is_bold)[0]))]
    fonts = [_font_of(run[0], size, mark.is_bold)[0] for run in runs]
    wide = sum(font.getlength(run) for run, font in zip(runs, fonts, strict=True))
    x, y = (length * scale for length in mark.at)
    x -= {"start": 0, "middle": wide / 2, "end": wide}[mark.anchor]
    for run, font in zip(runs, fonts, strict=True):
        pen.text((x, y), run, fill=LIGHT[mark.color], font=font, anchor="ls")
        x += font.getlength(run)


@cache
def _fonts(size: int, is_bold: bool) -> tuple[Font, ...]:
    found: list[Font] = []
    for names in FONTS:
        try:
            found.append(ImageFont.truetype(names[is_bold], size, layout_engine=ImageFont.Layout.BASIC))
        except OSError:  # this machine has none of that name
            continue
    return *found, ImageFont.load_default(size)


@lru_cache(maxsize=2048)
def _font_of(character: str, size: int, is_bold: bool) -> tuple[Font, bool]:
    """The first font that has it, and whether there is one."""
    fonts = _fonts(size, is_bold)
    having = next((font for font in fonts if character == " " or _look(font, character, size) != _look(font, NO_CHARACTER, size)), None)
    return having or fonts[0], having is not None


def _look(font: Font, character: str, size: int) -> bytes:
    image = Image.new("1", (2 * size, 2 * size))
    ImageDraw.Draw(image).text((size / 2, size / 4), character, fill=1, font=font)
    return image.tobytes()


def _mixed(color: str, opacity: float) -> tuple[int, ...]:
    """As it is on the card."""
    over, under = ImageColor.getrgb(LIGHT[color]), ImageColor.getrgb(LIGHT["card"])
    return tuple(round(opacity * one + (1 - opacity) * other) for one, other in zip(over, under, strict=True))
