"""Contact sheets: pictures of the page, screen by screen, each beside another picture of the same name where there is one."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

__all__ = ["write_contact_sheets"]

GAP, CAPTION, COLUMNS = 24, 28, {"1280": 1, "390": 3}  # pixels; pairs in a row, by the width of a window
PAPER, INK = "#dddad3", "#1c1a17"
SHARE = 0.5  # of a picture's size


def write_contact_sheets(folder: Path, names: Sequence[str], kinds: Sequence[str], beside: Path | None = None) -> list[Path]:
    """One sheet, `sheet-<kind>.png`, for each kind such as "1280-light". names: the screens, in their order.

    folder: has `<name>-<kind>.png`. beside: has others of these names, such as drawings, which go to the left.
    """
    sheets = []
    for kind in kinds:
        pairs = [(name, _pictures(name, kind, beside, folder)) for name in names]
        sheet = _sheet([(f"{name}  {kind}", pictures) for name, pictures in pairs if pictures], COLUMNS[kind.partition("-")[0]])
        sheets.append(folder / f"sheet-{kind}.png")
        sheet.save(sheets[-1])
    return sheets


def _pictures(name: str, kind: str, *folders: Path | None) -> list[Image.Image]:
    found = [folder / f"{name}-{kind}.png" for folder in folders if folder is not None]
    return [_smaller(Image.open(path)) for path in found if path.exists()]


def _smaller(picture: Image.Image) -> Image.Image:
    return picture.convert("RGB").resize((round(picture.width * SHARE), round(picture.height * SHARE)), Image.Resampling.LANCZOS)


def _sheet(entries: list[tuple[str, list[Image.Image]]], columns: int) -> Image.Image:
    widths = [sum(picture.width + GAP for picture in pictures) for _, pictures in entries]
    heights = [max(picture.height for picture in pictures) + CAPTION + GAP for _, pictures in entries]
    rows = [range(at, min(at + columns, len(entries))) for at in range(0, len(entries), columns)]
    width = max((sum(widths[index] for index in row) for row in rows), default=0) + GAP
    sheet = Image.new("RGB", (width, sum(max(heights[index] for index in row) for row in rows) + GAP), PAPER)
    pen, top = ImageDraw.Draw(sheet), GAP
    for row in rows:
        left = GAP
        for index in row:
            caption, pictures = entries[index]
            pen.text((left, top), caption, fill=INK)
            for picture in pictures:
                sheet.paste(picture, (left, top + CAPTION))
                left += picture.width + GAP
        top += max(heights[index] for index in row)
    return sheet
