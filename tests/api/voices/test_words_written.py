"""An engine that cannot do without the words of a recording, and a studio that can write them down: nobody has to tell them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from studio.analysis import quiet_worker
from studio.audio.decode import decode_clip
from studio.library.bundle import read_bundle
from studio.prompts import source
from studio.speakers.edit import SpeakerEdit
from studio.speech.request import SpeechRequest
from studio.ui.clips.extracting import extract_voice
from studio.ui.speak.speaking import choice_value
from studio.ui.voices.voices import voices_value
from studio.workspace import NOBODY
from tests.api.door import Door, Gate, data_url, error_of
from tests.api.voices.test_words_wanted import STRICT, WANTED
from tests.stand_ins.fake_engine import FakeEngine
from tests.stand_ins.whisper_stand_in import install
from tests.ui.clips.clips import wav_bytes

SPEECH = wav_bytes(1.5)
WORDS = "the words of a second and a half"
INLINE = {"ref_audio": data_url(SPEECH)}


class Reader(FakeEngine):
    """Remembers with which words it was asked to speak."""

    def __init__(self):
        super().__init__(STRICT)
        self.words: list[str] = []

    def stream(self, text, prompt, options):
        self.words.append(prompt.transcript.text)
        yield from super().stream(text, prompt, options)


@pytest.fixture
def whisper(monkeypatch, tmp_path):
    whisper = install(monkeypatch, tmp_path / "weights")
    whisper.sentences = (f" {WORDS}",)
    return whisper


@pytest.fixture
def delivery(open_door, whisper) -> Door:
    """A door with a transcriber, and a voice that was made without words before there was one."""
    open_door(Reader()).upload("alice", SPEECH)
    return open_door(Reader(), transcriber=whisper.checkpoint)


@pytest.mark.slow
def test_of_a_recording_of_a_request_they_are_written_once(delivery, whisper, monkeypatch):
    monkeypatch.setattr(source, "MOST_KEPT", 1)
    for stream in ({}, {"stream": True}, {"stream_format": "audio", "response_format": "pcm"}):
        assert delivery.speak(**INLINE, **stream).status_code == 200
    assert delivery.engine.words == [WORDS] * 3 and len(whisper.asked) == delivery.engine.extractions == 1
    assert delivery.speak(**INLINE, ref_text="what I said").status_code == 200
    assert delivery.engine.words[-1] == "what I said" and len(whisper.asked) == 1
    other = {"ref_audio": data_url(wav_bytes(1.6))}
    assert [delivery.speak(**fields).status_code for fields in (other, INLINE)] == [200, 200]
    assert len(whisper.asked) == 3  # of the last recordings alone they are kept
    assert not delivery.studio.speakers()[1:]


@pytest.mark.slow
def test_of_a_stored_voice_they_become_part_of_it_until_a_person_writes_others(delivery, whisper, open_door):
    before = delivery.studio.speaker("alice")
    assert delivery.speak(voice="alice").status_code == 200
    voice = delivery.get("/v1/audio/voices/alice").json()
    assert (voice["ref_text"], voice["ref_text_by"], voice["language"]) == (WORDS, "transcriber", "en")
    assert delivery.studio.speaker("alice").generation == before.generation
    again = open_door(Reader(), transcriber=whisper.checkpoint)
    assert again.speak(voice="alice").status_code == 200 and len(whisper.asked) == 1
    assert voices_value(again.studio)["voices"][0]["by_transcriber"]
    _, bundle = again.studio.library.export("alice")
    assert read_bundle(bundle).recording.transcript.by_transcriber
    words = again.studio.speaker("alice").transcript
    again.studio.library.edit("alice", SpeakerEdit("alice", "tall", (), replace(words, by_transcriber=False)))
    assert again.get("/v1/audio/voices/alice").json()["ref_text_by"] == "transcriber"  # the same words are nobody else's
    again.studio.library.edit("alice", SpeakerEdit("alice", "tall", (), replace(words, text="mine", by_transcriber=False)))
    voice = again.get("/v1/audio/voices/alice").json()
    assert voice["ref_text"] == "mine" and "ref_text_by" not in voice


def test_a_stored_voice_keeps_them_though_a_request_brought_its_recording_before(delivery, whisper):
    for fields in (INLINE, {"voice": "alice"}):
        assert delivery.speak(**fields).status_code == 200
    assert delivery.studio.speaker("alice").transcript.text == WORDS and len(whisper.asked) == 1


def test_to_learn_ahead_writes_them_and_the_page_does_not_call_the_voice_unfit(delivery):
    assert choice_value(delivery.studio, "alice", "fake")["voices"][0]["state"] == "none"
    assert "problem" not in extract_voice(delivery.studio, {"voice": "alice", "engine": "fake"})
    assert delivery.post("/v1/audio/voices/alice/cache").status_code == 200
    assert delivery.studio.speaker("alice").transcript.text == WORDS


def test_what_can_hardly_be_right_is_not_taken_and_the_words_are_wanted(delivery, whisper):
    whisper.sentences = (" thank you for watching" * 40,)
    for fields in (INLINE, INLINE, {"voice": "alice"}, {"voice": "alice"}):
        error = error_of(delivery.speak(**fields))
        assert (error["message"], error["param"]) == (WANTED, "ref_text")
    assert len(whisper.asked) == 1  # of the same recording it would hear the same
    assert delivery.studio.speaker("alice").transcript is None


def test_a_failure_is_not_remembered_and_who_comes_to_a_busy_one_is_told_to_come_again(delivery, whisper, monkeypatch):
    def fail() -> None:
        raise RuntimeError("out of memory")

    whisper.before_segment = fail
    assert error_of(delivery.speak(**INLINE))["message"] == WANTED
    whisper.before_segment = lambda: None
    monkeypatch.setattr(quiet_worker, "MOST_WAITING", 0)
    busy = delivery.speak(**INLINE)
    assert busy.status_code == 503 and error_of(busy)["reason_code"] == "transcriber_busy" and busy.headers["retry-after"]


def test_who_comes_meanwhile_waits_for_the_same_and_others_speak(delivery, whisper):
    whisper.before_segment = gate = Gate()
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(delivery.studio.speak, SpeechRequest("hello", speaker="alice")) for _ in range(2)]
        gate.wait_for_arrival()
        assert delivery.speak(**INLINE, ref_text="what I said").status_code == 200
        gate.open()
        for speech in waiting:
            speech.result(60).read_all()
    assert len(whisper.asked) == 1 and delivery.engine.words[1:] == [WORDS] * 2


@pytest.mark.slow
def test_of_strangers_nothing_stays_and_what_everybody_has_is_written_for_all(delivery, whisper):
    stranger, clip = delivery.studio.within(NOBODY), decode_clip(SPEECH)
    for _ in range(2):
        stranger.speak(SpeechRequest("hello", clip=clip)).read_all()
    assert len(whisper.asked) == 2 and not stranger.prompts.words._kept
    visitor = delivery.studio.within("visitor:one")
    visitor.speak(SpeechRequest("hello", speaker="alice")).read_all()
    assert delivery.studio.speaker("alice").transcript.by_transcriber
    for _ in range(2):
        visitor.speak(SpeechRequest("hello", clip=clip)).read_all()
    assert len(whisper.asked) == 4
    delivery.studio.speak(SpeechRequest("hello", clip=clip)).read_all()
    assert len(whisper.asked) == 5  # what one visitor sent says nothing to another


def test_a_strictly_compatible_studio_writes_none(open_door, whisper):
    door = open_door(Reader(), transcriber=whisper.checkpoint, strict_compat=True)
    assert error_of(door.speak(**INLINE))["message"] == WANTED and not whisper.asked
