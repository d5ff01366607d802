"""What an upload says of each engine is what speech then does: one place decides, and it is asked at both doors."""

import io
from dataclasses import replace

import numpy as np
import pytest
import soundfile

from engines.catalog import engine_ids, engine_info
from engines.clips.clip import Clip, Transcript
from engines.clips.transcript import wanted_words
from engines.contract.prompt import SpeakerPrompt
from engines.errors import TranscriptMismatch
from tests.api.door import error_of
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.stand_ins.vocoded_speaker import vocoded_speaker

FOREIGN = "words of somebody else"  # as many as fit, by their length
FITTING, FEW, MANY = "one two three four five six seven eight", "no", "and so on and so forth and on " * 12


class StandIn(FakeEngine):
    """An engine of the catalog that refuses what the real one does, without its weights."""

    def __init__(self, info):
        plain = {"presets": (), "default_preset": None, "designed_preset": None, "refines": False, "runs": "here", "hub_id": ""}
        super().__init__(replace(info, options=INFO.options, sample_rate=INFO.sample_rate, languages=INFO.languages, **plain))
        self.learned_with: list[Transcript | None] = []

    def extract(self, clip: Clip, transcript: Transcript | None = None) -> SpeakerPrompt:
        self.check_clip(clip)
        if self.info.sound_check is not None:
            self.info.sound_check(clip)
        if self.info.transcript == "required":
            wanted_words(transcript, self.info.title)
        elif transcript is not None and self.info.transcript_shapes_prompt and transcript.text == FOREIGN:
            raise TranscriptMismatch("The words are others.", "Leave them out.")
        self.learned_with.append(transcript)
        return super().extract(clip, transcript)


def file_of(samples: np.ndarray, rate: int) -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, samples, rate, format="WAV", subtype="FLOAT")
    return buffer.getvalue()


@pytest.fixture(scope="module")
def recordings():
    """By what is to be said of each: (files, ref_text)."""
    voice = vocoded_speaker()
    rate, samples = voice.sample_rate, voice.samples[: 5 * voice.sample_rate // 2]
    clean = file_of(samples, rate)
    hiss = np.random.default_rng(0).standard_normal(rate).astype(np.float32) * 0.1
    return {
        "good": ([clean], FITTING),
        "no words": ([clean], ""),
        "too few words": ([clean], FEW),
        "too many words": ([clean], MANY),
        "words of another": ([clean], FOREIGN),
        "clipped": ([file_of((samples * 60).clip(-1, 1), rate)], FITTING),
        "no voice": ([file_of(hiss, rate)], FITTING),
        "short": ([file_of(samples[:rate], rate)], FITTING),
        "several": ([clean, file_of(samples[rate:], rate)], [FITTING, FITTING]),
    }


@pytest.fixture
def stand_ins():
    return [StandIn(engine_info(name)) for name in engine_ids()]


@pytest.fixture
def cloning(stand_ins):
    return [one for one in stand_ins if one.info.clones_clips]


def upload(door, files, ref_text):
    parts = [("audio_sample", ("a.wav", data, "audio/wav")) for data in files]
    return door.post("/v1/audio/voices", files=parts, data={"name": "alice", "consent": "c1", "ref_text": ref_text})


@pytest.mark.slow
def test_what_an_upload_says_of_each_engine_is_what_speech_then_does(open_door, stand_ins, recordings):
    door = open_door(*stand_ins, warm_uploads=False)
    said = {}
    for case, (files, ref_text) in recordings.items():
        answer = upload(door, files, ref_text)
        assert answer.status_code == 200, answer.text
        learners = answer.json()["voice"]["engines"]
        assert door.get("/v1/audio/voices/alice").json()["engines"] == learners
        for learner in learners:
            spoken = door.speak(voice="alice", model=learner["engine"])
            assert (spoken.status_code == 200) is learner["can_learn"], (case, learner, spoken.text)
            if not learner["can_learn"]:
                assert (error_of(spoken)["reason_code"], bool(learner["reason"])) == (learner["code"], True), (case, learner)
        said[case] = {learner["engine"]: learner.get("code", "words out" if "leaves_words_out" in learner else "") for learner in learners}
    assert {name for name, told in said["good"].items() if told} == {one.info.id for one in stand_ins if not one.info.clones_clips}
    for case, code in (("clipped", "clip_clipped"), ("no voice", "clip_no_speech"), ("no words", "transcript_required")):
        assert {name for name, told in said[case].items() if told == code} == {
            one.info.id for one in stand_ins if (one.info.transcript == "required" if case == "no words" else one.info.sound_check)
        }
    for case in ("too few words", "too many words"):
        assert {name for name, told in said[case].items() if told == "words out"} == {
            one.info.id for one in stand_ins if one.info.transcript == "optional" and one.info.clones_clips
        }


def test_what_is_too_short_too_long_or_silent_is_refused_at_the_upload_already(open_door, stand_ins):
    door = open_door(*stand_ins[:1])
    for samples, code in (
        (np.ones(4_000) * 0.1, "clip_too_short"),
        (np.ones(31 * 8_000), "clip_too_long"),
        (np.zeros(16_000), "clip_silent"),
    ):
        assert error_of(upload(door, [file_of(samples.astype(np.float32), 8_000)], ""))["reason_code"] == code


@pytest.mark.slow
def test_words_that_do_not_fit_are_left_out_where_an_engine_can_do_without_and_kept_for_the_others(open_door, cloning, recordings):
    door = open_door(*cloning, warm_uploads=False)
    upload(door, *recordings["too few words"])
    for engine in cloning:
        assert door.speak(voice="alice", model=engine.info.id).status_code == 200
        kept = FEW if engine.info.transcript == "required" else None
        assert [words and words.text for words in engine.learned_with] == [kept], engine.info.id
        told = door.speak(voice="alice", model=engine.info.id).headers.get("x-ignored-parameters")
        assert told == ("ref_text" if engine.info.transcript == "optional" else None)
    assert door.get("/v1/audio/voices/alice").json()["ref_text"] == FEW
    shaped = next(one for one in cloning if one.info.transcript_shapes_prompt)
    sent = door.speak(voice="alice", model=shaped.info.id, ref_text="three")  # which somebody says of this very request
    assert sent.status_code == 200 and shaped.learned_with[-1].text == "three"


@pytest.mark.slow
def test_words_that_an_engine_hears_not_to_be_said_are_left_out_as_well(open_door, cloning, recordings):
    shaped = [one for one in cloning if one.info.transcript == "optional" and one.info.transcript_shapes_prompt]
    door = open_door(*shaped, warm_uploads=False)
    upload(door, *recordings["words of another"])
    for engine in shaped:
        for outcome in ("miss", "hit"):
            headers = door.speak(voice="alice", model=engine.info.id).headers
            assert (headers["x-speaker-cache"], headers["x-ignored-parameters"]) == (outcome, "ref_text")
        assert engine.learned_with == [None]


@pytest.mark.slow
def test_in_strict_mode_words_are_obeyed_and_the_answer_says_nothing_of_engines(open_door, cloning, recordings):
    door = open_door(*cloning, warm_uploads=False, strict_compat=True)
    assert set(upload(door, *recordings["too few words"]).json()["voice"]) == {
        "name", "consent", "created_at", "mime_type", "file_size", "ref_text"
    }  # fmt: skip
    for engine in cloning:
        assert door.speak(voice="alice", model=engine.info.id).status_code == 200
        assert [words.text for words in engine.learned_with] == [FEW]
