"""Cover: the picture of a script, checked before it is kept."""

import io
import warnings
from dataclasses import dataclass, field

from studio.errors import CoverUnusable

__all__ = ["MOST_COVER_BYTES", "Cover", "checked_cover"]

MOST_COVER_BYTES = 5 << 20
MOST_PIXELS = 10_000  # wide and high
MEDIA_TYPES = {"JPEG": "image/jpeg", "PNG": "image/png"}


@dataclass(frozen=True)
class Cover:
    """A picture as it was sent. media_type: "image/jpeg" or "image/png"."""

    media_type: str
    image: bytes = field(repr=False)


def checked_cover(image: bytes) -> Cover:
    """As it was sent. Raises CoverUnusable for what is too large, no JPEG and no PNG, or cut off."""
    if len(image) > MOST_COVER_BYTES:
        raise CoverUnusable(sentence="script_cover_too_large", size_bytes=len(image), most_bytes=MOST_COVER_BYTES)
    try:
        return Cover(_media_type(image), image)
    except Exception as error:  # whatever a parser makes of damaged bytes
        raise CoverUnusable(sentence="script_cover_unreadable", detail=type(error).__name__) from error


def _media_type(image: bytes) -> str:
    """Of a picture that can be drawn. Raises whatever Pillow does, and ValueError."""
    from PIL import Image  # which takes a while, and a studio without scripts does not need

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of a picture whose pixels would fill the memory
        Image.open(io.BytesIO(image), formats=tuple(MEDIA_TYPES)).verify()  # that nothing is cut off; it can be read no more then
        with Image.open(io.BytesIO(image), formats=tuple(MEDIA_TYPES)) as picture:
            if max(picture.size) > MOST_PIXELS:
                raise ValueError(f"{picture.size} pixels")
            picture.load()
            return MEDIA_TYPES[picture.format or ""]
