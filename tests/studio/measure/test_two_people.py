"""Claims about the trials of two people in one clip: who is in them, and that their table counts what was found."""

from studio.measure.quality.quality_speakers import ClonedSpeaker
from studio.measure.quality.two_people import CONDITIONS, KINDS, SplicedTrial, of_set, table, trials
from studio.speakers.demo import demo_recording
from tests.stand_ins.vocoded_speaker import vocoded_speaker


def speakers() -> list[ClonedSpeaker]:
    """Two recordings that are of one person to the table, and one of another."""
    clips = {"demo": demo_recording().clip, "demo again": demo_recording().clip, "other": vocoded_speaker()}
    return [ClonedSpeaker(name, clip, None, clip, name.partition(" ")[0]) for name, clip in clips.items()]


def test_one_person_is_beside_itself_and_two_are_never_one():
    found = list(trials(speakers(), 1))
    assert [(trial.condition, trial.kind) for trial in found] == [(condition, kind) for condition in CONDITIONS for kind in KINDS]
    for trial in found:
        first, second = (name.partition(" ")[0] for name in trial.names)
        assert (first == second) == trial.kind.startswith("one")


def test_a_person_is_in_one_set_alone_and_both_sets_are_all():
    tuning, held_out = ([speaker.name for speaker in of_set(speakers(), name)] for name in ("tuning", "held-out"))
    assert sorted(tuning + held_out) == sorted(speaker.name for speaker in speakers())
    assert ("demo" in tuning) == ("demo again" in tuning)


def test_the_table_counts_signs():
    kinds = [
        SplicedTrial("halves", "noise", ("a", "b"), contrast, plain) for contrast, plain in ((1.2, 0.5), (0.9, 0.5), (0.9, 1.5), (0.5, 0.5))
    ]
    assert "| noise | halves | 4 | 25 % | 25 % | 50 % |" in table(kinds)
