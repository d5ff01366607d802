"""Learning a new voice ahead, in the background: for engines that are loaded, behind whoever is listening."""

import threading

import pytest

from engines.clip import Transcript
from studio.service import Studio
from studio.settings import Settings
from studio.speech.request import SpeechRequest
from tests.api.door import Gate, eventually
from tests.fake_engine import FakeEngine
from tests.studio.test_service import recording


@pytest.fixture
def open_studio(tmp_path):
    opened = []

    def start(engine: FakeEngine, **settings) -> Studio:
        studio = Studio(
            Settings(speakers_dir=tmp_path, default_engine="fake", **settings), infos={"fake": engine.info}, open_engine=lambda name: engine
        )
        opened.append(studio)
        return studio

    yield start
    for studio in opened:
        studio.close()


def places(studio: Studio) -> dict[str, str]:
    return studio.prompt_places(studio.speaker("alice"))


def test_a_loaded_engine_learns_a_new_speaker_at_once_and_the_first_speech_is_warm(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    studio.load()
    studio.enroll(recording())
    assert eventually(lambda: places(studio) == {"fake": "memory"})
    assert eventually(lambda: len(engine.prepared) == 1)
    with studio.speak(SpeechRequest("Hello.", speaker="alice")) as speech:
        speech.read_all()
    assert (speech.timeline.cache, engine.extractions) == ("hit", 1)


def test_what_is_learned_ahead_is_on_disk_after_a_restart(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    studio.load()
    studio.enroll(recording())
    assert eventually(lambda: places(studio) == {"fake": "memory"})
    studio.close()
    assert places(open_studio(FakeEngine())) == {"fake": "disk"}


def test_while_it_is_being_learned_it_says_so_and_a_listener_joins(open_studio):
    gate = Gate()
    engine = FakeEngine(before_extract=gate)
    studio = open_studio(engine)
    studio.load()
    studio.enroll(recording())
    gate.wait_for_arrival()
    assert places(studio) == {"fake": "processing"}
    outcomes = []

    def listen() -> None:
        with studio.speak(SpeechRequest("Hello.", speaker="alice")) as speech:
            speech.read_all()
            outcomes.append(speech.timeline.cache)

    listener = threading.Thread(target=listen)
    listener.start()
    assert eventually(lambda: studio.stats()["joined"] == 1)
    gate.open()
    listener.join(20)
    assert (outcomes, engine.extractions) == (["joined"], 1)


def test_an_engine_that_is_not_loaded_is_not_opened_for_it(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    studio.enroll(recording())
    assert (studio.engines()[0].state, engine.extractions, places(studio)) == ("idle", 0, {})


def test_it_can_be_switched_off(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine, warm_uploads=False)
    studio.load()
    studio.enroll(recording())
    studio.warm("alice")
    assert engine.extractions == 1
    assert studio.stats()["joined"] == 0


def test_a_speaker_forgotten_meanwhile_leaves_nothing(open_studio):
    gate = Gate()
    engine = FakeEngine(before_extract=gate)
    studio = open_studio(engine)
    studio.load()
    studio.enroll(recording())
    gate.wait_for_arrival()
    studio.forget("alice")
    gate.open()
    assert eventually(lambda: studio.stats()["in_flight"] == 0)
    assert studio.stats()["entries"] == 0


def test_closing_the_studio_does_not_wait_for_what_nobody_waits_for(open_studio):
    gate = Gate()
    engine = FakeEngine(before_extract=gate)
    studio = open_studio(engine)
    studio.load()
    for number in range(6):
        studio.enroll(recording(f"speaker {number}", seed=number))
    gate.wait_for_arrival()
    closing = threading.Thread(target=studio.close)
    closing.start()
    gate.open()
    closing.join(20)
    assert not closing.is_alive()
    assert engine.extractions <= 2


def test_a_recording_that_the_engine_cannot_use_is_stored_all_the_same(open_studio, caplog):
    def refuse() -> None:
        raise RuntimeError("not today")

    studio = open_studio(FakeEngine(before_extract=refuse))
    studio.load()
    studio.enroll(recording(transcript=Transcript("hello")))
    assert eventually(lambda: "could not learn alice ahead" in caplog.text)
    assert studio.speaker("alice").transcript.text == "hello"
