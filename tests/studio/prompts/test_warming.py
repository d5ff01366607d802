"""Learning a new voice ahead, in the background: for engines that are loaded, behind whoever is listening."""

import threading

from engines.clips.clip import Transcript
from studio.prompts.source import from_speaker
from studio.service import Studio
from studio.speakers import file as speaker_file
from studio.speakers.clips_at_hand import ClipsAtHand
from studio.speech.request import SpeechRequest
from studio.workspace import EVERYBODY
from tests.api.door import Gate, eventually
from tests.stand_ins.fake_engine import FakeEngine
from tests.studio.test_service import clip_of, recording


def places(studio: Studio) -> dict[str, str]:
    return studio.prompts.places(studio.speaker("alice"))


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


def test_what_was_uploaded_is_learned_ahead_without_being_read_back_from_disk(open_studio, monkeypatch):
    studio, opened, real = open_studio(FakeEngine()), [], speaker_file._opened
    studio.load()
    monkeypatch.setattr(speaker_file, "_opened", lambda path: (opened.append(path.name), real(path))[1])
    studio.enroll(recording())
    assert eventually(lambda: places(studio) == {"fake": "memory"})
    assert opened == []
    assert studio.speaker("alice").read_clip().digest == clip_of(1).digest and len(opened) == 1  # for everybody else it is on disk


def test_clips_that_wait_to_be_learned_are_held_up_to_a_bound_and_no_longer_than_they_are_wanted(open_studio):
    studio = open_studio(FakeEngine(), warm_uploads=False)
    speaker, one, other = studio.enroll(recording()), clip_of(1), clip_of(2)
    at_hand = ClipsAtHand(most_bytes=one.samples.nbytes)
    lent = at_hand.lend(speaker, one)
    assert lent.read_clip() is one and at_hand.lend(speaker, one).read_clip() is one
    assert at_hand.lend(speaker, other) is speaker  # no room: it is read from disk when its turn comes
    del lent, one
    assert at_hand.lend(speaker, other).read_clip() is other
    assert at_hand.lend(speaker, None) is speaker


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
    assert eventually(lambda: studio.stats().joined == 1)
    gate.open()
    listener.join(60)
    assert (outcomes, engine.extractions) == (["joined"], 1)


def test_what_nobody_waits_for_goes_behind_a_listener_who_came_later(open_studio):
    gate, order = Gate(), []

    def begin(index: int) -> None:
        if index == 0:
            order.append("speech")
            gate()

    engine = FakeEngine(before_extract=lambda: order.append("extraction"), before_chunk=begin)
    studio = open_studio(engine)
    studio.load()
    with studio.speak(SpeechRequest("The engine is held at its first chunk.")) as first:
        gate.wait_for_arrival()
        studio.enroll(recording())
        assert eventually(lambda: studio.engines()[0].waiting == 1)
        with studio.speak(SpeechRequest("This one came later.")) as second:
            gate.open()
            first.read_all()
            second.read_all()
    assert eventually(lambda: places(studio) == {"fake": "memory"})
    assert order == ["speech", "speech", "extraction"]


def test_a_prompt_is_written_once_however_often_it_is_spoken_with(open_studio, monkeypatch):
    studio = open_studio(FakeEngine(), warm_uploads=False)
    write, written = studio.store.write_prompt, []
    monkeypatch.setattr(studio.store, "write_prompt", lambda owner, key, prompt: (written.append(owner), write(owner, key, prompt)))
    speaker = studio.enroll(recording())
    for _ in range(3):
        with studio.speak(SpeechRequest("Hello.", speaker="alice")) as speech:
            speech.read_all()
    studio.prompts.flush()
    assert written == [speaker.generation]


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
    assert studio.stats().joined == 0


def test_a_speaker_forgotten_meanwhile_leaves_nothing(open_studio):
    gate = Gate()
    engine = FakeEngine(before_extract=gate)
    studio = open_studio(engine)
    studio.load()
    studio.enroll(recording())
    gate.wait_for_arrival()
    studio.forget("alice")
    gate.open()
    assert eventually(lambda: studio.stats().in_flight == 0)
    assert studio.stats().entries == 0


def test_an_engine_is_not_made_ready_for_what_was_forgotten_meanwhile(open_studio, monkeypatch):
    engine = FakeEngine()
    studio = open_studio(engine, warm_uploads=False)
    studio.load()
    source = from_speaker(studio.enroll(recording()))
    key, get = source.key(engine), studio._parts.supply.get

    def forgotten_at_once(*arguments, **named):
        lookup = get(*arguments, **named)
        studio.forget("alice")
        return lookup

    monkeypatch.setattr(studio._parts.supply, "get", forgotten_at_once)
    studio._parts.supply.prepare(key, source, asker=EVERYBODY)
    assert (engine.extractions, engine.prepared) == (1, set())


def test_a_speaker_that_is_gone_from_the_store_and_not_forgotten_yet_leaves_nothing(open_studio):
    gate = Gate()
    engine = FakeEngine(before_extract=gate)
    studio = open_studio(engine)
    studio.load()
    studio.enroll(recording())
    gate.wait_for_arrival()
    studio.store.remove("alice")
    gate.open()
    assert eventually(lambda: studio.stats().in_flight == 0)
    assert studio.stats().entries == 0


def test_an_eviction_waits_for_a_write_under_way_which_would_bring_the_prompt_back(open_studio, monkeypatch):
    gate = Gate()
    studio = open_studio(FakeEngine(), warm_uploads=False)
    write = studio.store.write_prompt
    monkeypatch.setattr(studio.store, "write_prompt", lambda *prompt: (gate(), write(*prompt)))
    speaker = studio.enroll(recording())
    with studio.speak(SpeechRequest("Hello.", speaker="alice")) as speech:
        speech.read_all()
    gate.wait_for_arrival()
    evicting = threading.Thread(target=studio.evict, args=("alice",))
    evicting.start()
    gate.open()
    evicting.join(60)
    studio.prompts.flush()
    assert studio.store.prompt_files(speaker.generation) == ()
    assert places(studio) == {}


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
    closing.join(60)
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
