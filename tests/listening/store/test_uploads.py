"""Claims about sounds that are sent for a draft."""

import pytest

from studio.errors import AudioUndecodable, ClipTooLong, SoundUnusable
from studio.listening.plan.plan import OpenReference, System
from tests.api.door import wav
from tests.listening.store.made_tests import PLAN, render

SYSTEMS = (System(id="theirs", source="files"), System(id="ours"))
FILES = PLAN.model_copy(update={"method": "mushra", "systems": SYSTEMS, "reference": OpenReference(source="files")})
SHORT = wav(0.5, rate=8000)


def test_one_sound_is_kept_for_each_text_of_a_system_of_files_and_of_the_reference(listening, open_listening):
    test = listening.create(FILES)
    for system, text, name in (("theirs", 0, "a.WAV"), ("theirs", 1, ""), ("reference", 1, "../../x.%")):
        listening.add_sound(test.id, system, text, SHORT, name)
    again = wav(0.6, rate=8000)
    listening.add_sound(test.id, "theirs", 0, again, "b.flac")
    assert set(open_listening().uploads(test.id)) == {("theirs", 0), ("theirs", 1), ("reference", 1)}
    files = listening._sounds.uploads(test.id).files()
    assert files["theirs", 0].read_bytes() == again and files["reference", 1].read_bytes() == SHORT
    assert sorted(path.name for path in files["theirs", 0].parent.iterdir()) == ["reference.1", "theirs.0.flac", "theirs.1"]


def test_another_sound_makes_what_was_rendered_old(listening):
    test = render(listening, listening.create(FILES))
    assert test.items and listening.add_sound(test.id, "theirs", 0, SHORT).items == ()


@pytest.mark.parametrize(
    ("place", "data", "error"),
    [
        (("ours", 0), SHORT, "sound_of_no_system"),
        (("../../etc", 0), SHORT, "sound_of_no_system"),
        (("theirs", 2), SHORT, "sound_of_no_text"),
        (("theirs", -1), SHORT, "sound_of_no_text"),
        (("theirs", 0), wav(0.3, rate=8000), "sound_too_short"),
        (("theirs", 0), wav(61.0, rate=1000), ClipTooLong),
        (("theirs", 0), b"no sound", AudioUndecodable),
    ],
)
def test_what_is_no_sound_of_the_plan_is_refused_and_nothing_is_kept(listening, tmp_path, place, data, error):
    """error: a class, or a sentence of SoundUnusable."""
    test = listening.create(FILES)
    with pytest.raises(SoundUnusable if isinstance(error, str) else error) as refused:
        listening.add_sound(test.id, *place, data)
    assert not isinstance(error, str) or refused.value.values["sentence"] == error
    assert listening.uploads(test.id) == () and not (tmp_path / "listening" / test.id).exists()


def test_all_sounds_of_a_test_together_have_a_bound(listening, monkeypatch):
    monkeypatch.setattr("studio.listening.plan.uploads.MOST_BYTES", 2 * len(SHORT))
    test = listening.create(FILES)
    for text in (0, 1, 1):
        listening.add_sound(test.id, "theirs", text, SHORT)
    with pytest.raises(SoundUnusable) as refused:
        listening.add_sound(test.id, "reference", 0, SHORT)
    assert refused.value.values["sentence"] == "sounds_too_large"


def test_a_system_may_be_called_as_windows_calls_a_device(listening):
    systems = (System(id="con", source="files"), System(id="ours"))
    test = listening.create(FILES.model_copy(update={"systems": systems}))
    for data in (SHORT, wav(0.6, rate=8000)):
        listening.add_sound(test.id, "con", 0, data, "a.wav")
    assert listening._sounds.uploads(test.id).files()["con", 0].read_bytes() == data
