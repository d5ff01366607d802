"""Files of a cast: YAML or JSON, names and voices; nothing of them is passed over in silence."""

import json

import pytest

from studio.errors import CastFileUnusable
from studio.scripts.cast_file import cast_with, read_cast
from studio.scripts.script.cast import CastMember

CAST = (CastMember(name=""), CastMember(name="ANNA", voice="old", gain_db=3.0), CastMember(name="BEN"))
TABLE = {"narrator": "george", "anna": {"voice": "heart", "speed": 0.9}}
LIST = [{"name": "", "voice": "george"}, {"name": "ANNA", "voice": "heart", "speed": 0.9}]
YAML = "narrator: george\nanna: {voice: heart, speed: 0.9}\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cast.yaml", YAML),
        ("cast.json", json.dumps(TABLE)),
        ("cast.json", json.dumps(LIST)),
        ("cast.yml", f"\ufeff{YAML}"),
        ("book.json", json.dumps({"cast": LIST, "lines": []})),
    ],
)
def test_names_and_voices_are_read_in_any_of_their_forms(tmp_path, name, text):
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    narrator, anna, ben = cast_with(CAST, read_cast(file))
    assert (narrator.voice, anna.name, anna.voice, anna.speed, anna.gain_db) == ("george", "ANNA", "heart", 0.9, 3.0)
    assert ben == CAST[2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("CARLA: heart", "nobody called 'CARLA'; it has ANNA, BEN"),
        ("ANNA: {voise: heart}", "ANNA: voise"),
        ("ANNA: {speed: 9}", "ANNA: speed"),
        ("ANNA: [heart]", "ANNA has no voice"),
        ("no: heart", "put it into quotation marks"),
        ("ANNA: {", "neither YAML nor JSON"),
        ("ANNA: &a {voice: x}\nBEN: *a", "repeats a part by reference"),
        ("ANNA: " + "[" * 2000, "parts lie more than"),
        ("just a text", "no table of names and voices"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(tmp_path, text, said):
    file = tmp_path / "cast.yaml"
    file.write_text(text)
    with pytest.raises(CastFileUnusable, match=said.replace("[", r"\[")):
        cast_with(CAST, read_cast(file))
