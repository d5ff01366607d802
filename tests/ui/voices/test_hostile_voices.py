"""Claims about voices whose files say what cannot be: none of them keeps anybody from looking at the others."""

import base64
import math

import orjson
import pytest

from studio.audio.spoken_sounds import SpokenSounds
from studio.speakers.metadata import checked
from studio.ui.cache.cache_tab import matrix_value
from studio.ui.gradio.news import VerifiedDigests
from studio.ui.programs.endpoints import Endpoints
from studio.ui.speak.relay import Relays
from studio.ui.speak.speaking import choice_value, show_choice
from studio.ui.voices.voice_acts import act_on_voice
from studio.ui.voices.voices import show_voices, voices_value
from tests.api.door import Door
from tests.studio.library.test_bundle import altered
from tests.studio.speakers.hostile_metadata import write_hostile_files
from tests.studio.speakers.store_subjects import recording


@pytest.mark.slow
def test_no_look_fails_whatever_files_in_the_folder_say(tmp_path):
    n_files = write_hostile_files(tmp_path)
    door = Door(tmp_path, most_speakers=10_000)
    studio = door.studio
    try:
        studio.enroll(recording("Good"))
        speakers = studio.store.speakers()
        assert len(speakers) - 1 + len(studio.store.quarantined) == n_files  # each is served, or set aside with its reason
        assert len(list(tmp_path.glob("quarantine/*.reason.txt"))) == len(studio.store.quarantined) > 200
        assert all(reason for _, reason in studio.store.quarantined)
        for speaker in speakers:
            assert checked(speaker, is_new=False) is speaker
        looks = [
            voices_value(studio),
            show_voices(studio, VerifiedDigests()),
            choice_value(studio, "Good", "fake"),
            show_choice(studio, VerifiedDigests(), {"voice": "\ud800", "engine": "fake", "seen": ""}),
            matrix_value(studio),
            Endpoints(studio, Relays(), SpokenSounds()).voices(),
        ]
        for look in looks:
            orjson.dumps(look)  # as Gradio sends it
        listed = door.get("/v1/audio/voices")
        assert listed.status_code == 200 and len(listed.json()["uploaded_voices"]) == len(studio.speakers())
        for speaker in studio.speakers()[::40]:
            assert door.get(f"/v1/audio/voices/{speaker.name}").status_code == 200
    finally:
        door.close()


def test_a_hostile_bundle_is_refused_in_words_before_and_at_its_import(open_studio):
    studio = open_studio()
    studio.enroll(recording("Good"))
    for said in ({"tags": ["\ud800"]}, {"tags": ["x"] * 33}, {"description": "\udfff"}, {"name": "a\ud800"}, {"created_at": math.inf}):
        for act in ("preview", "import"):
            data = base64.b64encode(altered(manifest={"name": "Bad"} | said)).decode()
            answer = act_on_voice(studio, {"act": act, "sent": {"data": data, "name": "Bad.voice.zip", "type": ""}})
            orjson.dumps(answer)
            assert answer["problem"]["code"] in ("option_invalid", "name_invalid", "bundle_unusable")
            assert answer["problem"]["fact"] and answer["problem"]["hint"]
    assert [voice["name"] for voice in voices_value(studio)["voices"]] == ["Good"]
