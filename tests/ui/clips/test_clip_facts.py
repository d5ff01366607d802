"""Claims about the verdict and the three facts of a clip, and that whatever it can be has its sentences."""

from dataclasses import replace

import pytest

from engines.advice.clip_advice import verdicts
from studio.ui.clips.clip_report import clip_facts, clip_figures, clip_verdict
from studio.ui.gradio.words import words
from tests.engines.clips.test_clip_quality import GOOD

SPOKEN = {  # what a clip with speech in it may have of each measure
    "speech_seconds": (2.0, 5.0, 10.0, 25.0),
    "n_speakers": (1, 2),
    "second_speaker": (((1.0, 2.0), (5.04, 9.0)),),
    "silence_percent": (0.0, 50.0, 80.0),
    "level_dbfs": (-40.0, -30.0, -8.0, -3.0),
    "snr_db": (5.0, 15.0),
    "hum_db": (25.0, 10.0),
    "hiss_db": (15.0, 5.0),
    "music_percent": (50.0, 90.0),
    "reverberation_seconds": (0.2, 0.5, 1.0),
    "clipping_percent": (0.5, 6.0),
    "bandwidth_hz": (3400.0, 6000.0),
    "other_percent": (50.0, 90.0),
}
SPEECHLESS = replace(GOOD, speech_seconds=0.0, n_speakers=0)
UNSPOKEN = (
    SPEECHLESS,
    replace(SPEECHLESS, sound_seconds=0.0, silence_percent=0.0),
    replace(SPEECHLESS, sound_seconds=0.0, silence_percent=100.0),
)
REFUSALS = ("clip_too_short", "clip_too_long", "clip_silent", "clip_clipped", "clip_no_speech")  # of EnrollmentRule.check
REFUSED = {"seconds": 0.5, "percent": 60, "low": 1.0, "high": 30.0}


def said_of(verdict: dict) -> str:
    """As assets/web/create/clip_report.js says it."""
    kinds = {"good": "verdict_good", "care": f"but_{verdict['case']}", "failed": f"again_{verdict['case']}"}
    return words(f"create.{kinds.get(verdict['state'], 'never_' + verdict['case'])}", **verdict["values"])


def titles_of(facts: list[dict]) -> list[str]:
    """The same of the facts; each has its line, too."""
    for fact in facts:
        assert words(f"create.says_{fact['case']}", **fact["values"]).endswith(".")
    return [words(f"create.fact_{fact['fact'] if fact['state'] == 'good' else fact['case']}") for fact in facts]


@pytest.mark.parametrize(
    ("changed", "titles", "verdict"),
    [
        ({}, ["Enough speech", "Clear and quiet", "Full sound"], "A good recording"),
        ({"speech_seconds": 4.0}, ["Little speech", "Clear and quiet", "Full sound"], "Good, but there is little speech"),
        ({"n_speakers": 2}, ["Two voices?", "Clear and quiet", "Full sound"], "Good, but there may be two voices in it"),
        (
            {"n_speakers": 2, "second_speaker": ((1.0, 2.0), (5.04, 9.0))},
            ["Two voices?", "Clear and quiet", "Full sound"],
            "Good, but there may be two voices in it",
        ),
        ({"snr_db": 15.0, "bandwidth_hz": 6e3}, ["Enough speech", "Noisy", "Dull sound"], "Good, but it is noisy"),
        ({"level_dbfs": -30.0, "snr_db": 5.0}, ["Enough speech", "Noisy", "Full sound"], "Record again if you can: it is very noisy"),
        (
            {"snr_db": 15.0, "clipping_percent": 6.0},
            ["Enough speech", "Distorted", "Full sound"],
            "Record again if you can: it is distorted",
        ),
        ({"bandwidth_hz": 6000.0}, ["Enough speech", "Clear and quiet", "Dull sound"], "Good, but it sounds like a phone call"),
    ],
)
def test_a_fact_is_the_worst_of_its_measures_and_the_verdict_the_worst_of_the_facts(changed, titles, verdict):
    facts = clip_facts(verdicts(replace(GOOD, **changed)))
    assert titles_of(facts) == titles
    assert said_of(clip_verdict(facts)) == verdict


def test_whatever_a_clip_can_be_has_its_sentences():
    spoken = [replace(GOOD, **{measure: value}) for measure, values in SPOKEN.items() for value in values]
    for quality in (*spoken, *UNSPOKEN):
        lines = verdicts(quality)
        facts = clip_facts(lines)
        titles_of(facts)
        for figure in clip_figures(lines):
            words(f"create.measure_{figure['measure']}")
            words(f"create.says_{figure['case']}", **figure["values"])
        if quality.speech_seconds:
            said_of(clip_verdict(facts))


@pytest.mark.parametrize("code", REFUSALS)
def test_what_forbids_a_clip_is_its_verdict_and_a_wrong_length_is_told_with_its_speech(code):
    facts = clip_facts(verdicts(GOOD), code, REFUSED)
    assert said_of(clip_verdict(facts, code, REFUSED)).startswith("This can't be learned: ")
    assert (titles_of(facts)[0] in ("Too short", "Too long")) == (code in ("clip_too_short", "clip_too_long"))


def test_one_voice_is_never_said_to_be_certain_and_a_second_has_its_longest_seconds():
    def heard(**changed: object) -> dict:
        lines = clip_figures(verdicts(replace(GOOD, **changed)))
        return next(figure for figure in lines if figure["measure"] == "n_speakers")

    alone, second = heard(), heard(n_speakers=2, second_speaker=((1.0, 2.0), (5.04, 9.0)))
    assert words(f"create.says_{alone['case']}", **alone["values"]).startswith("No sign of a second voice.")
    assert (second["case"], second["values"]["start"], second["values"]["end"]) == ("speakers_part", 5.0, 9.0)
