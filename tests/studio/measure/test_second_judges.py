"""Claims about the second judges: each of them hears who speaks, in the table of clones, too."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.analysis import second_encoder
from studio.evaluations.measures.known_speakers import JudgedVoice, KnownSpeakers, jointed
from studio.measure.quality.cepstral_distance import cepstral_distance
from studio.measure.quality.quality_judge import Judging, measure_quality
from studio.measure.quality.quality_rows import RECORDING
from studio.measure.quality.quality_speakers import ClonedSpeaker
from studio.measure.quality.second_judges import SecondJudges
from studio.speakers.demo import demo_recording
from tests.stand_ins.fake_engine import FakeEngine
from tests.stand_ins.vocoded_speaker import vocoded_speaker


class PlayedEncoder:
    """Hears the demo and everything else at an angle."""

    def embedding(self, clip: Clip) -> np.ndarray | None:
        if clip.seconds < 1:
            return None
        return np.array([1.0, 0.0]) if clip.sample_rate == DEMO.sample_rate else np.array([0.6, 0.8])


DEMO, OTHER = demo_recording().clip, vocoded_speaker()
assert DEMO.sample_rate != OTHER.sample_rate


def speakers() -> list[ClonedSpeaker]:
    return [ClonedSpeaker(name, clip, None, clip) for name, clip in (("demo", DEMO), ("other", OTHER))]


def known() -> KnownSpeakers:
    return KnownSpeakers.of(PlayedEncoder(), {speaker.name: JudgedVoice(speaker.other) for speaker in speakers()})


def test_a_voice_is_its_own_speakers_and_the_other_is_the_impostor():
    judges = SecondJudges.of(known(), speakers())
    middle = len(DEMO.samples) // 2
    halves = [Clip(half, DEMO.sample_rate) for half in (DEMO.samples[:middle], DEMO.samples[middle:])]
    found = judges.judged(halves, "demo")
    assert (found["second_of_four"], found["second_impostor_of_four"]) == (pytest.approx(1), pytest.approx(0.6))
    apart = np.mean([cepstral_distance(half, DEMO) for half in halves], 0)
    assert (found["ahs_of_four"], found["cepstral_mean_of_four"]) == (pytest.approx(apart[0]), pytest.approx(apart[1]))
    as_other = judges.judged(halves, "other")
    assert as_other["second_of_four"] == pytest.approx(0.6)
    assert as_other["ahs_of_four"] > found["ahs_of_four"] and as_other["cepstral_mean_of_four"] > found["cepstral_mean_of_four"]


def test_without_an_encoder_the_cepstra_are_heard_and_of_nothing_nothing():
    judges = SecondJudges.of(None, speakers())
    assert judges.judged([DEMO], "demo").keys() == {"ahs_of_four", "cepstral_mean_of_four"}
    silence = Clip(np.zeros(DEMO.sample_rate // 2, np.float32), DEMO.sample_rate)
    assert SecondJudges.of(known(), speakers()).judged([silence], "demo") == judges.judged([DEMO], "nobody") == {}


def test_the_table_has_both_judges_of_recordings_and_of_clones(monkeypatch):
    monkeypatch.setattr(second_encoder, "is_here", lambda: True)
    monkeypatch.setattr(second_encoder, "SecondEncoder", PlayedEncoder)
    engine = FakeEngine()
    monkeypatch.setattr(engine, "stream", lambda text, prompt, options: iter([OTHER.samples]))
    said = [(f"en {number}", "en", "one") for number in range(1, 6)]
    rows = measure_quality({"fake": engine}, speakers()[:1], said, Judging(measures=("likeness",), beside=(RECORDING,)))
    recording, first, *_, mean = rows
    assert recording.second_of_four == pytest.approx(1) and recording.ahs_of_four == pytest.approx(0, abs=1e-6)
    assert first.second_of_four == mean.second_of_four == pytest.approx(1)
    rate = engine.info.sample_rate
    four, one = (jointed([Clip(OTHER.samples, rate)] * n) for n in (4, 1))
    apart = np.mean([cepstral_distance(clip, DEMO) for clip in (four, one)], 0)
    assert (mean.ahs_of_four, mean.cepstral_mean_of_four) == (pytest.approx(apart[0]), pytest.approx(apart[1]))
    (unmeasured, _) = measure_quality({"fake": engine}, speakers()[:1], said[:1], Judging(measures=()))
    assert unmeasured.second_of_four is None is unmeasured.ahs_of_four
