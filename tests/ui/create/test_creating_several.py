"""Claims about creating a voice of several recordings on the page, without a browser."""

import pytest
import soxr

from engines.clips.clip import Clip
from studio.speakers.clip_draft import ClipDraft, ClipDrafts
from studio.ui.clips.clip_report import check_region
from studio.ui.create.creating import create_voice
from tests.ui.clips.clips import speech_like

ABOUT = {"name": "Ana", "language": "en", "reason": "own", "who": "Ana, recorded today", "made": None}


@pytest.fixture
def drafts():
    return ClipDrafts()


def part(drafts: ClipDrafts, end: int = 3000, words: str = "", rate: int = 8_000) -> dict[str, object]:
    draft = drafts.keep(ClipDraft(Clip(speech_like(end / 1000, rate), rate)))
    return {"draft": draft.id, "start": 0, "end": end, "transcript": words}


@pytest.mark.slow
def test_a_voice_is_made_of_the_recordings_before_and_the_one_in_the_recorder(open_studio, drafts):
    studio = open_studio(warm_uploads=False)
    before = [part(drafts, 2000, "One."), part(drafts, 2500, "Two,\ntwo.", rate=16_000)]
    create_voice(studio, drafts, ABOUT | part(drafts, 3000, "Three.") | {"before": before})
    speaker = studio.speaker("Ana")
    assert (speaker.recording_seconds, speaker.sample_rate) == ((2.0, 2.5, 3.0), 16_000)
    assert speaker.transcript.lines(3) == ("One.", "Two, two.", "Three.")
    assert speaker.consent_record.clip_digest == speaker.read_clip().digest
    create_voice(studio, drafts, ABOUT | {"name": "Bea", "transcript": "", "before": before})  # nothing is in the recorder
    assert studio.speaker("Bea").recording_seconds == (2.0, 2.5)


@pytest.mark.slow
def test_what_is_wrong_with_one_of_several_is_told_with_its_number(open_studio, drafts):
    studio = open_studio(warm_uploads=False)
    parts = [part(drafts), part(drafts, 900), part(drafts)]

    def problem(*before: dict, **changed) -> dict[str, object]:
        return create_voice(studio, drafts, ABOUT | parts[0] | {"before": list(before)} | changed)["problem"]

    short, gone = problem(parts[1], parts[2]), problem(parts[2], parts[2] | {"draft": "of another"})
    assert (short["code"], short["values"]["recording"]) == ("clip_too_short", 1)
    assert (gone["code"], gone["values"]["recording"]) == ("draft_gone", 2)
    assert problem(*[{}] * 4)["code"] == "recordings_too_many"  # before any is looked at
    lines = problem(parts[2], transcript="Words of the last.")
    assert (lines["fact"], lines["parameter"]) == ("There are words of 1 recording, and this voice has 2.", "transcript")
    long = problem(part(drafts, 28_000))
    assert (long["code"], long["fact"]) == ("clip_too_long", "The recordings have 31 s together, and 30 s are the limit.")
    assert studio.speakers() == ()


def test_engines_are_told_of_the_length_of_all_recordings(open_studio, drafts):
    studio, asked = open_studio(warm_uploads=False), part(drafts) | {"has_transcript": False}
    fits = [
        check_region(studio, drafts, asked | more)["engines"][0]["fit"] for more in ({}, {"seconds_before": 26}, {"seconds_before": 28})
    ]
    assert fits == ["as_it_is", "as_it_is", "takes_seconds"]


@pytest.mark.slow
def test_recordings_of_two_people_are_a_sign_at_the_later_one_and_forbid_nothing(open_studio, drafts):
    studio, later = open_studio(warm_uploads=False), part(drafts, 6000, rate=16_000)
    higher = Clip(soxr.resample(speech_like(8.0, 16_000), 16_000, 12_000), 16_000)
    another = {"draft": drafts.keep(ClipDraft(higher)).id, "start": 0, "end": 6000}
    gone = another | {"draft": "of another"}

    def case(*before: dict) -> tuple[str, object]:
        report = check_region(studio, drafts, later | {"has_transcript": False, "before": list(before)})
        voices = next(figure for figure in report["figures"] if figure["measure"] == "n_speakers")
        return voices["case"], report["obstacle"]

    assert case() == case(gone) == ("speakers_good", None)
    assert case(part(drafts, 6000, rate=16_000)) == ("speakers_good", None)
    assert case(another) == ("speakers_many", None)
