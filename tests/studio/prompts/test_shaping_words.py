"""Where the words of a recording shape what an engine learns: whoever adds, changes or takes them away hears no voice of other words."""

from dataclasses import replace

import numpy as np
import pytest

from engines.clips.clip import Clip, Transcript
from engines.contract.prompt import SpeakerPrompt
from studio.library.bundle import read_bundle
from studio.service import Studio
from studio.speakers.edit import SpeakerEdit
from tests.api.door import Gate
from tests.stand_ins.fake_engine import DESIGNER, FakeEngine, pitch_of
from tests.studio.test_service import hear, recording

CONTINUING = replace(DESIGNER, id="fake", transcript_shapes_prompt=True, most_clip_seconds=30.0)
FIRST, SECOND = Transcript("these are the words"), Transcript("those were the words")


class ContinuingEngine(FakeEngine):
    """Goes on from a recording whose words it knows: with them the prompt has a tensor more, and another pitch."""

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        super().extract(clip, transcript)
        words = {"continuation": np.ones(1, np.float32)} if transcript else {}
        return self.make_prompt(clip.digest, {"pitch_hz": np.array([pitch_after(transcript)], np.float32)} | words, transcript)


def pitch_after(words: Transcript | None) -> float:
    return 300.0 if words is None else pitch_of(words.digest)


def heard(words: Transcript | None, outcome: str) -> tuple[object, str]:
    return pytest.approx(pitch_after(words), abs=1), outcome


def alice(studio: Studio, **asked) -> tuple[float, str]:
    """(pitch that was heard, how the prompt was come by)."""
    return hear(studio, speaker="alice", **asked)


@pytest.fixture
def engine() -> ContinuingEngine:
    return ContinuingEngine(CONTINUING)


def say_words(studio: Studio, words: Transcript | None) -> None:
    studio.library.edit("alice", SpeakerEdit("Alice", transcript=words))


def test_words_that_are_added_changed_or_taken_away_are_learned_before_they_are_heard(open_studio, engine):
    studio = open_studio(engine)
    studio.enroll(recording())
    assert alice(studio) == heard(None, "miss")
    for words in (FIRST, SECOND):
        say_words(studio, words)
        assert alice(studio) == heard(words, "miss")
        assert alice(studio) == heard(words, "hit")
    say_words(studio, None)
    assert alice(studio) == heard(None, "hit") and engine.extractions == 3
    studio.forget("alice")
    assert studio.stats().entries == 0


def test_words_of_one_request_are_learned_for_it_and_leave_the_stored_ones(open_studio, engine):
    studio = open_studio(engine)
    studio.enroll(recording(transcript=FIRST))
    assert alice(studio) == heard(FIRST, "miss")
    assert alice(studio, transcript=SECOND) == heard(SECOND, "miss")
    assert alice(studio) == heard(FIRST, "hit")


def test_words_that_come_while_the_recording_is_learned_without_them_are_heard_all_the_same(open_studio):
    gate = Gate()
    studio = open_studio(ContinuingEngine(CONTINUING, before_extract=gate), warm_uploads=True)
    studio.load()
    studio.enroll(recording())
    gate.wait_for_arrival()  # it is being learned ahead
    say_words(studio, FIRST)
    gate.open()
    assert alice(studio) == heard(FIRST, "miss")
    studio.close()
    assert alice(open_studio(ContinuingEngine(CONTINUING))) == heard(FIRST, "disk")


def words_on_disk(studio: Studio) -> list[str | None]:
    """Of the prompts beside the speaker, of those that are exported with it, and of those that come out of the bundle again."""
    studio.prompts.flush()
    speaker, data = studio.library.export("alice")
    kept = [prompt for _, prompt in studio.store.prompts(speaker.generation)]
    sent = [prompt for _, prompt in read_bundle(data).prompts]
    assert [prompt.transcript for prompt in kept] == [prompt.transcript for prompt in sent]
    return [prompt.transcript and prompt.transcript.text for prompt in kept]


@pytest.mark.parametrize("shapes_prompt", [True, False])
def test_words_of_one_request_are_neither_kept_nor_exported(open_studio, shapes_prompt):
    info = replace(CONTINUING, transcript_shapes_prompt=shapes_prompt)
    studio = open_studio(ContinuingEngine(info))
    studio.enroll(recording())
    for word in ("one", "two", "three"):
        hear(studio, speaker="alice", transcript=Transcript(f"{word} of a visitor"))
    assert words_on_disk(studio) == ([] if shapes_prompt else [None])


def test_a_prompt_takes_the_place_of_one_that_other_words_shaped(open_studio, engine):
    studio = open_studio(engine)
    studio.enroll(recording())
    alice(studio)
    for words in (FIRST, SECOND):
        say_words(studio, words)
        alice(studio)
        assert words_on_disk(studio) == [words.text]


def test_words_that_were_taken_away_are_not_exported(open_studio, engine):
    studio = open_studio(engine)
    studio.enroll(recording(transcript=FIRST))
    alice(studio)
    say_words(studio, None)
    _, data = studio.library.export("alice")
    assert read_bundle(data).prompts == []
