"""Claims about prosody: pitch in semitones, pace in syllables without pauses, length over what the text should take."""

import pytest

from engines.clips.clip import Clip
from engines.kit.phonemes.syllables import count_syllables
from studio.evaluations.measures.pitch_range import PitchRange
from studio.evaluations.measures.prosody import SpokenProsody, SpokenUnits
from studio.evaluations.measures.sound_timing import SoundTiming
from tests.evaluations.measures.sounds import bursts, buzz


def timed(clip: Clip, syllables: int | None, letters: float = 10.0) -> SpokenProsody:
    return SpokenProsody(SoundTiming.of(clip), None, SpokenUnits(syllables, letters))


def test_pitch_is_shifted_by_semitones_and_its_spread_is_a_ratio():
    low, high = PitchRange.of(buzz(110, 2.0, semitones=1.0)), PitchRange.of(buzz(220, 2.0, semitones=2.0))
    assert high.median_semitones - low.median_semitones == pytest.approx(12, abs=0.2)
    assert low.spread_semitones == pytest.approx(1, abs=0.1) and high.spread_semitones == pytest.approx(2, abs=0.2)
    sound = SpokenProsody(SoundTiming.of(buzz(110)), low, None)
    found = sound.beside(SpokenProsody(SoundTiming.of(buzz(220)), high, None))
    assert found["pitch_shift"] == pytest.approx(-12, abs=0.2) and found["pitch_distance"] == -found["pitch_shift"]
    assert found["pitch_spread"] == pytest.approx(0.5, abs=0.05) and "pace" not in found
    assert PitchRange.of(buzz(110, 0.15)) is None


def test_pace_leaves_pauses_out_and_length_has_them_in():
    recording, sound = timed(bursts(0.5, 2.0, 1.0, 2.0, 0.5), 20), timed(bursts(0.2, 1.0, 0.5, 1.0), 20)
    assert sound.beside(recording)["pace"] == pytest.approx(2, abs=0.05)
    assert sound.length(recording, None) == pytest.approx(2.5 / 5, abs=0.02)
    assert timed(bursts(0.0, 2.5), 10).length(recording, None) == pytest.approx(1, abs=0.02)
    assert sound.length(recording, SoundTiming.of(bursts(1.0, 5.0, 1.0))) == pytest.approx(0.5, abs=0.02)


def test_without_syllables_letters_count_and_without_a_recording_the_rule_of_the_script():
    recording, sound = timed(bursts(0.0, 2.0), None, 40.0), timed(bursts(0.0, 1.0), 5, 10.0)
    assert sound.beside(recording)["pace"] == pytest.approx(0.5, abs=0.02)
    nobody = SpokenProsody(SoundTiming.of(bursts(0.0, 1.0)), None, SpokenUnits.of("Nice to meet you.", "en"))
    assert nobody.length(None, None) == pytest.approx(1, abs=0.03)
    wordless = SpokenProsody(SoundTiming.of(bursts(0.0, 1.0)), None, None)
    assert wordless.length(recording, None) is None and wordless.beside(recording) == {}


@pytest.mark.parametrize(
    ("text", "language", "n"),
    [
        ("The little bottle of water.", "en", 8),
        ("12 apples", "en", 3),
        ("Die Straße ist lang, oder?", "de", 7),
        ("Bonjour, madame.", "fr", 4),
        ("今天天气很好。", "zh", 6),
        ("今日は寒い", "ja", None),
        ("nuqneH", "tlh", None),
        ("", "en", 0),
    ],
)
def test_syllables_are_vowels_of_what_is_read(text, language, n):
    assert count_syllables(text, language) == n


def test_a_text_is_longer_than_another_by_syllables_where_both_have_them():
    assert SpokenUnits(20, 1.0).over(SpokenUnits(10, 100.0)) == 2
    assert SpokenUnits(None, 1.0).over(SpokenUnits(10, 4.0)) == 0.25
    assert SpokenUnits(0, 0.0).over(SpokenUnits(10, 4.0)) is None
