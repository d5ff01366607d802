"""What Gradio's own client finds by name; two clients are two visitors where they are kept apart."""

import base64
import io
from dataclasses import replace

import numpy as np
import pytest
import soundfile
from gradio_client import Client
from gradio_client.exceptions import AppError

from engines.clips.clip import Clip
from engines.contract.options import Option
from studio.audio.spoken_sounds import KEPT_SECONDS, SoundGone, SpokenSound, SpokenSounds
from studio.listening.plan.plan import Plan, System
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.speaker import Enrollment
from studio.ui.programs.endpoints import Endpoints
from tests.browser.studios.served_page import served_page
from tests.stand_ins import patient_http
from tests.stand_ins.fake_engine import INFO, INSTRUCTIONS, FakeEngine

RATE = 24_000
MANNER = Option("manner", "text", "", "An option that no field of a request is called like.", maximum=9)
TOLD = replace(INFO, converts=True, options=(*INFO.options, INSTRUCTIONS, MANNER))


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    settings = Settings(speakers_dir=tmp_path_factory.mktemp("speakers"), default_engine="fake", workspaces="private")
    studio = Studio(settings, infos={"fake": TOLD}, open_engine=lambda name: FakeEngine(TOLD))
    with served_page(studio) as url:
        yield url
    studio.close()


@pytest.fixture(scope="module")
def ana(address) -> Client:
    """A visitor who made a voice."""
    client = Client(address, verbose=False)
    made = client.predict(name="Ana", recording=f"data:audio/wav;base64,{tone()}", consent="mine", api_name="/create_voice")
    assert made == {"name": "Ana", "seconds": 2.0, "language": "", "description": "", "own": True, "learned_by": []}
    return client


def tone(seconds: float = 2.0) -> str:
    clip = Clip(0.3 * np.sin(np.arange(int(seconds * RATE), dtype=np.float32) * 0.05), RATE)
    file = io.BytesIO()
    soundfile.write(file, clip.samples, RATE, format="WAV")
    return base64.b64encode(file.getvalue()).decode()


@pytest.mark.slow
def test_the_client_is_shown_six_endpoints_and_what_they_are_for(ana):
    shown = ana.view_api(return_format="dict")
    assert (
        set(shown["named_endpoints"]) == {"/speak", "/convert", "/compare", "/voices", "/create_voice", "/delete_voice"}
        and not shown["unnamed_endpoints"]
    )
    for endpoint in shown["named_endpoints"].values():
        assert len(endpoint["description"]) > 40
    assert [parameter["parameter_name"] for parameter in shown["named_endpoints"]["/speak"]["parameters"]][:2] == ["text", "voice"]


@pytest.mark.slow
def test_speech_comes_in_pieces_and_then_as_a_file(ana, address):
    *pieces, whole = ana.submit(text="Hello from a program.", voice="ana", api_name="/speak")
    assert [piece["number"] for piece in pieces] == list(range(len(pieces)))
    samples = np.frombuffer(b"".join(base64.b64decode(piece["pcm"]) for piece in pieces), "<i2")
    heard, rate = soundfile.read(io.BytesIO(patient_http.get(f"{address}/{whole['url']}").content), dtype="int16")
    assert np.array_equal(heard, samples) and rate == pieces[0]["sample_rate"] == whole["sample_rate"]
    assert whole["seconds"] == len(samples) / rate and whole["end"] == "ended" and whole["ttfp_ms"] > 0
    assert ana.predict(text="Again.", voice="Ana", options={"speed": 2.0}, api_name="/speak")["cache"] == "hit"


@pytest.mark.slow
def test_lanes_come_one_after_the_other_and_what_fails_in_one_is_told_there(ana, address):
    lanes = [{"voice": "ana", "options": {"speed": 2.0}}, {"voice": "nobody"}, {"engine": "fake"}]
    *_, two, all_of_them = ana.submit(text="Hello from a program.", lanes=lanes, api_name="/compare")
    assert two == all_of_them[:2] and [lane["voice"] for lane in all_of_them] == ["ana", "nobody", ""]
    first, failed, own = all_of_them
    assert first["seconds"] * 2 == own["seconds"] and first["ttfp_ms"] > 0 and -60 < first["lufs"] < 0
    assert "nobody" in failed["error"] and "url" not in failed
    assert patient_http.get(f"{address}/{first['url']}").content != patient_http.get(f"{address}/{own['url']}").content
    with pytest.raises(AppError, match="1 lanes"):
        ana.predict(text="Hello.", lanes=[{}], api_name="/compare")


@pytest.mark.slow
def test_a_recording_is_said_again_in_pieces_and_then_as_a_file(ana, address):
    *pieces, whole = ana.submit(recording=tone(), voice="ana", options={"seed": 90}, api_name="/convert")
    samples = np.frombuffer(b"".join(base64.b64decode(piece["pcm"]) for piece in pieces), "<i2")
    heard, rate = soundfile.read(io.BytesIO(patient_http.get(f"{address}/{whole['url']}").content), dtype="int16")
    assert np.array_equal(heard, samples) and pieces and rate == whole["sample_rate"]
    assert whole["seconds"] == 2.0 and whole["end"] == "ended" and whole["ttfp_ms"] > 0
    faster = ana.predict(recording=tone(), voice="Ana", options={"speed": 2.0, "instructions": "softly"}, api_name="/convert")
    assert faster["seconds"] == 1.0 and faster["ignored"] == ["instructions"]  # of how a text is spoken
    for asked, told in (
        ({"recording": tone(31.0)}, "has 31 s, and .* takes 30 s"),
        ({"recording": tone(), "options": {"tempo": 2}}, "Fake has no setting tempo"),
        ({"recording": "not base64!"}, "not base64"),
    ):
        with pytest.raises(AppError, match=told):
            ana.predict(**asked, voice="Ana", api_name="/convert")


@pytest.mark.slow
def test_options_reach_the_engine_whether_or_not_a_request_has_a_field_for_them(ana):
    def speak(**options) -> dict:
        return ana.predict(text="Hello.", voice="Ana", options=options, api_name="/speak")

    heeded = speak(instructions="softly", manner="soft", extra_params={"speed": 2.0})
    assert heeded["seconds"] == speak(speed=2.0)["seconds"] and heeded["ignored"] == []
    assert speak(max_new_tokens=5)["ignored"] == ["max_new_tokens"]
    for options, told in (
        ({"instructions": "x" * 501}, "Instructions too long \\(max 500 characters\\)"),
        ({"manner": "x" * 10}, "manner has 10 characters, and 9 are the limit"),
        ({"extra_params": {"manner": 5}}, "manner is a text, and 5 is none"),
        ({"extra_params": 5, "manner": "soft"}, "Input should be a valid dictionary"),
        ({"instructions": "softly", "extra_params": {"instructions": "loudly"}}, "conflict; supply only one"),
        ({"tempo": 2}, "Fake has no setting tempo"),
    ):
        with pytest.raises(AppError, match=told):
            speak(**options)


@pytest.mark.slow
def test_two_clients_are_two_visitors(ana, address):
    ben = Client(address, verbose=False)
    assert ben.predict(api_name="/voices") == [] and [voice["name"] for voice in ana.predict(api_name="/voices")] == ["Ana"]
    for asked in ({"text": "Hello", "voice": "Ana", "api_name": "/speak"}, {"name": "Ana", "api_name": "/delete_voice"}):
        with pytest.raises(AppError, match="'Ana'") as refused:
            ben.predict(**asked)
        assert "GET /v1/audio/voices" in str(refused.value)
    ben.predict(name="Ana", recording=tone(), consent="mine too", api_name="/create_voice")
    assert ben.predict(name="Ana", api_name="/delete_voice") == {"deleted": "Ana"}
    assert [voice["name"] for voice in ana.predict(api_name="/voices")] == ["Ana"]


def test_who_deletes_a_voice_by_name_is_told_of_the_listening_tests_that_keep_it(tmp_path):
    studio = Studio(Settings(speakers_dir=tmp_path, default_engine="fake"), infos={"fake": TOLD}, open_engine=lambda name: FakeEngine(TOLD))
    endpoints, clip = Endpoints(studio, None, SpokenSounds()), Clip(np.full(48_000, 0.1, np.float32), RATE)
    plan = Plan(name="x", method="mos", systems=(System(id="a", speaker="Ana"),), texts=("One.",))
    for delete_tests in (False, True):
        studio.enroll(Enrollment("Ana", "mine", clip=clip))
        studio.listening.create(plan)
        named = [test.id for test in studio.listening.tests()]
        assert endpoints.delete_voice("Ana", delete_tests) == {"deleted": "Ana", "tests": named}
        if not delete_tests:
            assert [entry.event for entry in studio.listening.log(named[0])] == ["created", "voice_deleted"]
    assert studio.listening.tests() == ()
    studio.close()


@pytest.mark.parametrize(
    ("recording", "told"), [("not base64!", "not base64"), (base64.b64encode(b"no sound").decode(), "corrupted audio data")]
)
@pytest.mark.slow
def test_what_is_no_recording_is_refused_in_words(ana, recording, told):
    with pytest.raises(AppError, match=told):
        ana.predict(name="Ben", recording=recording, consent="mine", api_name="/create_voice")


def test_what_was_spoken_is_kept_for_a_while():
    now = [0.0]
    sounds = SpokenSounds(clock=lambda: now[0])
    kept = sounds.keep(SpokenSound(b"wav"))
    now[0] = KEPT_SECONDS
    assert sounds.get(kept).data == b"wav"
    now[0] += 1
    with pytest.raises(SoundGone, match="keeps a sound for 10 min"):
        sounds.get(kept)
