"""Claims about covers: what is no picture, cut off, too large or too wide is refused, and the picture comes back as it was sent."""

import io

import pytest
from PIL import Image

from studio.errors import CoverUnknown, CoverUnusable
from studio.scripts.keep.covers import MOST_COVER_BYTES, MOST_PIXELS
from tests.spoken_scripts.keep.made_scripts import read_of


def picture(form: str, size: tuple[int, int] = (8, 6)) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, "teal").save(file, form)
    return file.getvalue()


@pytest.mark.parametrize(("form", "media_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg")])
def test_a_picture_is_kept_as_it_was_sent(scripts, form, media_type):
    script = scripts.create(read_of("one", cover=picture(form))).id
    assert scripts.script(script).has_cover and (scripts.cover(script).media_type, scripts.cover(script).image) == (
        media_type,
        picture(form),
    )
    assert scripts.cover(scripts.copy(script).id) == scripts.cover(script)
    scripts.set_cover(script, None)
    assert not scripts.script(script).has_cover
    with pytest.raises(CoverUnknown):
        scripts.cover(script)


@pytest.mark.parametrize(
    "image",
    [
        *(b"", b"GIF89a", picture("GIF"), picture("PNG")[:-20], picture("JPEG")[:40]),
        *(b"<svg xmlns='http://www.w3.org/2000/svg'/>", picture("PNG", (MOST_PIXELS + 1, 1)), picture("PNG") + bytes(MOST_COVER_BYTES)),
    ],
    ids=range(8),
)
def test_what_is_no_cover_is_refused_and_the_one_before_stays(scripts, image):
    script = scripts.create(read_of("one", cover=picture("PNG"))).id
    with pytest.raises(CoverUnusable):
        scripts.set_cover(script, image)
    assert scripts.cover(script).image == picture("PNG")
    with pytest.raises(CoverUnusable):
        scripts.create(read_of("one", cover=image))
    assert len(scripts.scripts()) == 1
