"""What engines make less of in a clip: declared as data, said with the engine's title, and never against the verdict on its words."""

from dataclasses import replace

import pytest

from engines.advice.clip_advice import WORDS_OVER_SPEECH, wish_verdicts, words_verdict
from engines.catalog import engine_ids, engine_info
from engines.contract.clip_wishes import ClipWishes
from engines.text.spoken_length import spoken_seconds
from tests.stand_ins.fake_engine import INFO

PACED = replace(INFO, title="Paced", clip_wishes=ClipWishes((0.5, 2.0), (3.0, 10.0), 20.0))
WORDS = "Just as many words as a calm reader needs for a sentence of this length."


def paced(over_speech: float, seconds: float = 8.0) -> list[str]:
    """Cases, of words that take so many times as long as the speech."""
    return [line.case for line in wish_verdicts(PACED, seconds, WORDS, spoken_seconds(WORDS) / over_speech)]


def test_words_that_are_too_few_or_too_many_for_the_speech_set_a_pace_and_others_are_not_spoken_of():
    assert [paced(share) for share in (0.49, 0.51, 1.0, 1.99, 2.01)] == [["words_slow"], [], [], [], ["words_fast"]]


def test_a_clip_that_is_longer_than_works_well_is_spoken_of_with_what_does():
    assert [paced(1.0, seconds) for seconds in (2.0, 20.0, 20.1)] == [[], [], ["clip_long"]]
    (line,) = wish_verdicts(PACED, 25.0, "", 0.0)
    assert (line.grade, line.value) == ("fair", 25.0) and "3 to 10 s work best" in line.advice and "Paced" in line.advice


def test_of_no_words_and_of_no_speech_nothing_is_said():
    assert wish_verdicts(PACED, 8.0, "", 8.0) == wish_verdicts(PACED, 8.0, WORDS, 0.0) == ()


def test_an_engine_that_declares_nothing_wishes_for_nothing():
    assert wish_verdicts(INFO, 1000.0, WORDS, 1000.0) == ()


def test_a_sentence_names_the_engine_the_figures_and_the_next_step():
    for share, pace, step in (
        (0.4, "as slowly as that", "Write all that is heard"),
        (3.0, "as fast as that", "Leave out what is not heard"),
    ):
        (line,) = wish_verdicts(PACED, 8.0, WORDS, spoken_seconds(WORDS) / share)
        assert f"Paced would say everything {pace}" in line.advice and step in line.advice
        assert f"about {spoken_seconds(WORDS):.1f} s to say" in line.advice


def test_wishes_for_a_length_come_together():
    for given in ({"best_seconds": (3.0, 10.0)}, {"most_seconds": 20.0}):
        with pytest.raises(ValueError, match="together"):
            ClipWishes(**given)


@pytest.mark.parametrize("engine", engine_ids())
def test_what_an_engine_wishes_for_can_be_had(engine):
    """Of the clips that it takes, and with words that are taken to be those of a clip."""
    info = engine_info(engine)
    wishes = info.clip_wishes
    if wishes.best_seconds:
        low, high = wishes.best_seconds
        assert info.least_clip_seconds <= low < high <= wishes.most_seconds <= info.most_clip_seconds
    if wishes.words_over_speech:
        low, high = wishes.words_over_speech
        assert low < 0.7 and high > 1.9, "readers of 90 to 250 words a minute are no doubt"
        assert words_verdict(WORDS, spoken_seconds(WORDS) / low).grade == "good" and low > WORDS_OVER_SPEECH[0]
