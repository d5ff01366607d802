"""CacheMatrix: every status of a prompt from real events over a fake engine, and what the verbs of Prompts do to it."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from engines.clips.clip import Transcript
from engines.errors import ClipUnusable
from studio.errors import EngineUnknown, PinsFull, SpeakerUnknown
from studio.prompts.status import PromptStatus
from studio.service import Studio
from studio.speakers.edit import SpeakerEdit
from studio.speakers.speaker import Enrollment
from studio.speakers.tensor import SpeakerTensor
from tests.api.door import Gate, eventually
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.studio.test_service import hear, recording

WORDY = replace(INFO, transcript_shapes_prompt=True)


@pytest.fixture
def open_studio(open_studio):
    return partial(open_studio, warm_uploads=False)


def prompt_status(studio: Studio, name: str = "Alice") -> PromptStatus:
    return next(row.statuses[0] for row in studio.matrix.rows().rows if row.speaker.name == name)


def becomes(studio: Studio, state: str, name: str = "Alice") -> bool:
    return eventually(lambda: prompt_status(studio, name).state == state)


def test_a_prompt_goes_from_none_over_extracting_to_memory_and_counts_its_hits(open_studio):
    gate = Gate()
    studio = open_studio(FakeEngine(before_extract=gate))
    studio.enroll(recording())
    assert prompt_status(studio).state == "none"
    studio.prompts.extract("alice", "fake")
    gate.wait_for_arrival()
    assert prompt_status(studio).state == "extracting"
    gate.open()
    assert becomes(studio, "memory")
    hits = []
    for _ in range(3):
        hear(studio, speaker="alice")
        hits.append(prompt_status(studio).n_hits)
    assert hits == [1, 2, 3]


def test_a_status_knows_the_bytes_in_memory_and_on_disk(open_studio, tmp_path):
    studio = open_studio()
    speaker = studio.enroll(recording())
    studio.warm("alice")
    [file] = (tmp_path / "prompts" / speaker.generation_id).iterdir()
    status = prompt_status(studio)
    assert (status.memory_bytes, status.disk_bytes) == (4, file.stat().st_size)
    assert status.key and status.key in file.name


def test_what_waits_for_the_engine_is_queued(open_studio):
    gate = Gate()
    studio = open_studio(FakeEngine(before_extract=gate))
    studio.enroll(recording())
    studio.enroll(recording("Bob", 2))
    studio.prompts.extract("alice", "fake")
    gate.wait_for_arrival()
    studio.prompts.extract("bob", "fake")
    assert prompt_status(studio, "Bob").state == "queued"
    assert prompt_status(studio).state == "extracting"
    gate.open()
    assert becomes(studio, "memory", "Bob")


def test_asking_twice_extracts_once(open_studio):
    gate = Gate()
    engine = FakeEngine(before_extract=gate)
    studio = open_studio(engine)
    studio.enroll(recording())
    for _ in range(5):
        studio.prompts.extract("alice", "fake", force=True)
    gate.wait_for_arrival()
    gate.open()
    assert becomes(studio, "memory")
    assert engine.extractions == 1


def test_after_a_restart_it_is_on_disk_before_the_engine_is_opened_and_after(open_studio):
    studio = open_studio()
    studio.enroll(recording(transcript=Transcript("words")))
    studio.warm("alice")
    studio.close()
    again = open_studio()
    assert prompt_status(again).state == "disk"
    assert again.engines()[0].state == "idle"
    again.load()
    assert prompt_status(again).state == "disk"
    assert hear(again, speaker="alice")[1] == "disk"
    assert prompt_status(again).state == "memory"


def test_another_extractor_revision_makes_what_is_on_disk_stale_and_extracting_again_clears_it(open_studio):
    studio = open_studio()
    studio.enroll(recording())
    studio.warm("alice")
    studio.close()
    newer = open_studio(FakeEngine(replace(INFO, extractor_revision="2")))
    stale = prompt_status(newer)
    assert (stale.state, stale.fact) == ("stale", "It was made by extractor revision 1; Fake is at 2.")
    assert newer.engines()[0].state == "idle", "a look opens no engine"
    newer.prompts.extract("alice", "fake", force=True)
    assert becomes(newer, "memory")
    newer.evict("alice")
    assert prompt_status(newer) == PromptStatus("fake", "none")


@pytest.mark.parametrize(
    ("member", "value", "fact"),
    [
        ("weights_fingerprint", "new", "It was made with other weights than Fake has now."),
        ("numeric_mode", "bf16", "It was made in fp32; Fake computes in bf16 now."),
    ],
)
def test_other_weights_or_another_precision_show_once_the_engine_is_open(open_studio, member, value, fact):
    studio = open_studio()
    studio.enroll(recording())
    studio.warm("alice")
    studio.close()
    engine = FakeEngine()
    setattr(engine, member, value)
    again = open_studio(engine)
    assert prompt_status(again).state == "disk"
    again.load()
    assert (prompt_status(again).state, prompt_status(again).fact) == ("stale", fact)


def test_an_edited_transcript_makes_stale_where_the_words_shape_the_prompt(open_studio):
    studio = open_studio(FakeEngine(WORDY))
    studio.enroll(recording(transcript=Transcript("these are the words")))
    studio.warm("alice")
    assert prompt_status(studio).state == "memory"
    studio.store.edit("alice", SpeakerEdit("Alice", transcript=Transcript("those were the words")))
    assert (prompt_status(studio).state, prompt_status(studio).fact) == ("stale", "It was made with another transcript.")
    studio.prompts.extract("alice", "fake", force=True)
    assert becomes(studio, "memory")
    assert len(studio.store.prompt_files(studio.speaker("alice").generation)) == 1
    assert studio.stats().entries == 1


def test_an_edited_transcript_changes_nothing_where_it_does_not_shape_the_prompt(open_studio):
    studio = open_studio()
    studio.enroll(recording(transcript=Transcript("these are the words")))
    studio.warm("alice")
    studio.store.edit("alice", SpeakerEdit("Alice", transcript=Transcript("those were the words")))
    assert prompt_status(studio).state == "memory"


def test_a_file_that_cannot_be_read_is_stale(open_studio, tmp_path):
    studio = open_studio()
    speaker = studio.enroll(recording())
    studio.warm("alice")
    studio.close()
    [file] = (tmp_path / "prompts" / speaker.generation_id).iterdir()
    file.write_bytes(b"\xff" * 40)
    status = prompt_status(open_studio())
    assert (status.state, status.fact, status.disk_bytes) == ("stale", "The file on disk cannot be read.", 40)


def test_a_failure_is_remembered_until_the_next_attempt(open_studio):
    errors = [ClipUnusable("clip_noisy", "The clip is noise.", "Record again."), None]

    def fail_once() -> None:
        error = errors.pop(0)
        if error:
            raise error

    studio = open_studio(FakeEngine(before_extract=fail_once))
    studio.enroll(recording())
    with pytest.raises(ClipUnusable):
        hear(studio, speaker="alice")
    assert (prompt_status(studio).state, prompt_status(studio).fact, prompt_status(studio).hint) == (
        "failed",
        "The clip is noise.",
        "Record again.",
    )
    studio.prompts.extract("alice", "fake")
    assert becomes(studio, "memory")
    studio.evict("alice")
    assert prompt_status(studio).state == "none"


def test_a_new_recording_begins_without_the_old_ones_failure(open_studio):
    def refuse() -> None:
        raise ClipUnusable("clip_noisy", "The clip is noise.", "Record again.")

    studio = open_studio(FakeEngine(before_extract=refuse))
    studio.enroll(recording())
    studio.prompts.extract("alice", "fake")
    assert becomes(studio, "failed")
    studio.enroll(recording(seed=2))
    assert prompt_status(studio).state == "none"


def test_an_engine_that_cannot_be_opened_is_told_in_the_status(open_studio):
    def missing(name: str):
        raise OSError("no weights")

    studio = open_studio(open_engine=missing)
    studio.enroll(recording())
    studio.prompts.extract("alice", "fake")
    assert becomes(studio, "failed")
    assert prompt_status(studio).fact == "Fake could not be loaded: no weights."


@pytest.mark.parametrize(
    ("info", "fact"),
    [
        (replace(INFO, clones_clips=False), "Fake speaks in its built-in voices only."),
        (replace(INFO, transcript="required"), "Fake needs the exact words of the clip, and there are none."),
        (replace(INFO, least_clip_seconds=3.0), "The clip has 2.0 s; Fake takes 3 to 30 s."),
        (replace(INFO, most_clip_seconds=1.5), "The clip has 2.0 s; Fake takes 1 to 1.5 s."),
    ],
)
def test_what_an_engine_cannot_learn_is_unsupported_before_anything_is_tried(open_studio, info, fact):
    studio = open_studio(FakeEngine(info))
    studio.enroll(recording())
    assert (prompt_status(studio).state, prompt_status(studio).fact) == ("unsupported", fact)


def test_an_embedding_of_another_width_is_unsupported_and_of_the_right_one_is_not(open_studio):
    studio = open_studio()
    studio.enroll(Enrollment("Alice", "c", tensor=SpeakerTensor.of(np.ones(8, np.float32))))
    studio.enroll(Enrollment("Bob", "c", tensor=SpeakerTensor.of(np.ones(4, np.float32))))
    assert prompt_status(studio, "Alice").state == "none"
    assert prompt_status(studio, "Bob").fact == "The speaker embedding has 4 values; Fake takes those of 8."
    studio.warm("alice")
    assert prompt_status(studio, "Alice").state == "memory"


def test_the_words_of_an_embedding_shape_no_prompt(open_studio):
    studio = open_studio(FakeEngine(WORDY))
    studio.enroll(Enrollment("Alice", "c", tensor=SpeakerTensor.of(np.ones(8, np.float32)), transcript=Transcript("words")))
    studio.warm("alice")
    assert prompt_status(studio).state == "memory"


def test_the_last_cold_and_the_last_warm_speech_stand_in_the_status(open_studio):
    studio = open_studio()
    studio.enroll(recording())
    assert prompt_status(studio).last_speech is None
    hear(studio, speaker="alice")
    assert eventually(lambda: prompt_status(studio).last_speech is not None)
    cold = prompt_status(studio).last_speech
    assert cold.cold.server_seconds > 0 and cold.warm is None and cold.at > 0
    hear(studio, speaker="alice")
    assert eventually(lambda: prompt_status(studio).last_speech != cold)
    warm = prompt_status(studio).last_speech
    assert warm.warm.server_seconds > 0 and warm.cold == cold.cold and warm.at >= cold.at


def test_what_was_learned_of_the_same_recording_under_another_name_counts(open_studio):
    studio = open_studio()
    studio.enroll(recording())
    studio.warm("alice")
    studio.enroll(recording("Bob"))
    assert (prompt_status(studio, "Bob").state, prompt_status(studio, "Bob").disk_bytes) == ("memory", 0)


def test_evicting_takes_memory_and_disk_and_the_next_speech_is_cold(open_studio):
    studio = open_studio()
    studio.enroll(recording())
    studio.warm("alice")
    studio.evict("alice")
    assert (prompt_status(studio).state, prompt_status(studio).disk_bytes) == ("none", 0)
    assert hear(studio, speaker="alice")[1] == "miss"


def test_evicting_opens_no_engine(open_studio):
    studio = open_studio()
    studio.enroll(recording())
    studio.warm("alice")
    studio.close()
    again = open_studio()
    again.evict("alice")
    assert (prompt_status(again).state, again.engines()[0].state) == ("none", "idle")


def test_a_pin_outlives_extracting_again_and_ends_with_unpin(open_studio):
    studio = open_studio()
    studio.enroll(recording())
    assert not studio.prompts.pin("alice", "fake"), "nothing is in memory yet"
    studio.warm("alice")
    assert studio.prompts.pin("alice", "fake")
    assert prompt_status(studio).pinned
    studio.prompts.extract("alice", "fake", force=True)
    assert eventually(lambda: prompt_status(studio).state == "memory" and prompt_status(studio).pinned)
    studio.prompts.unpin("alice", "fake")
    assert not prompt_status(studio).pinned


def test_a_pin_that_would_fill_the_cache_is_refused(open_studio):
    studio = open_studio(cache_max_bytes=7)  # one prompt of the fake engine has 4 bytes; of 7, pins may have 5
    for number, name in enumerate(("Alice", "Bob")):
        studio.enroll(recording(name, number))
    studio.warm("alice")
    studio.prompts.pin("alice", "fake")
    hear(studio, speaker="bob")
    assert becomes(studio, "disk", "Bob")
    assert prompt_status(studio, "Alice").state == "memory"
    studio.prompts.unpin("alice", "fake")
    studio.close()
    small = open_studio(cache_max_bytes=5)
    small.warm("bob")
    with pytest.raises(PinsFull):
        small.prompts.pin("bob", "fake")


def test_the_verbs_refuse_what_is_not_there(open_studio):
    studio = open_studio()
    studio.enroll(recording())
    for verb in (studio.prompts.extract, studio.prompts.pin, studio.prompts.unpin):
        with pytest.raises(SpeakerUnknown):
            verb("nobody", "fake")
        with pytest.raises(EngineUnknown):
            verb("alice", "nothing")


def test_rows_are_found_by_a_part_of_the_name_newest_first_and_bounded(open_studio):
    studio = open_studio()
    for number, name in enumerate(("Ana", "Hannah", "Ben")):
        studio.enroll(recording(name, number))
    names = [row.speaker.name for row in studio.matrix.rows().rows]
    assert names == ["Ben", "Hannah", "Ana"]
    found = studio.matrix.rows("AN", most=1)
    assert ([row.speaker.name for row in found.rows], found.n_found) == (["Hannah"], 2)


def test_the_time_saved_is_hits_times_the_mean_extraction(open_studio):
    studio = open_studio()
    studio.enroll(recording())
    studio.enroll(recording("Bob", 2))
    assert studio.stats().hit_rate is None
    for name in ("alice", "bob", "alice", "alice"):
        hear(studio, speaker=name)
    totals = studio.stats()
    assert (totals.hits, totals.lookups, totals.hit_rate) == (2, 4, 0.5)
    assert totals.saved_seconds == pytest.approx(2 * totals.extraction_seconds / 2)
    assert totals.saved_seconds > 0


CHANGES = {
    "a new speaker": lambda studio: studio.enroll(recording("Bob", 2)),
    "a deleted speaker": lambda studio: studio.forget("alice"),
    "other words": lambda studio: studio.store.edit("alice", SpeakerEdit("Alice", transcript=Transcript("words"))),
    "another name": lambda studio: studio.store.edit("alice", SpeakerEdit("Alicia")),
    "a speech": lambda studio: hear(studio, speaker="alice"),
    "an eviction": lambda studio: studio.evict("alice"),
    "an extraction": lambda studio: studio.warm("alice", force=True),
    "a pin": lambda studio: studio.prompts.pin("alice", "fake"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_version_moves_with(open_studio, change):
    studio = open_studio()
    studio.enroll(recording())
    studio.warm("alice")
    before = studio.matrix.version()
    assert studio.matrix.rows() and studio.matrix.version() == before, "a look changes nothing"
    CHANGES[change](studio)
    assert studio.matrix.version() != before


def test_a_renamed_speaker_keeps_its_status(open_studio):
    studio = open_studio()
    studio.enroll(recording())
    studio.warm("alice")
    hear(studio, speaker="alice")
    studio.store.edit("alice", SpeakerEdit("Alicia"))
    status = prompt_status(studio, "Alicia")
    assert (status.state, status.n_hits) == ("memory", 1)
    assert status.last_speech is not None


def test_what_is_learned_before_anybody_speaks_is_no_time_that_a_voice_was_looked_for(open_studio):
    studio = open_studio()
    for name, seed in (("Alice", 1), ("Bob", 2), ("Cleo", 3)):
        studio.enroll(recording(name, seed))
        studio.warm(name)
        studio.warm(name)
    totals = studio.stats()
    assert (totals.lookups, totals.hit_rate, totals.saved_seconds, totals.extractions) == (0, None, 0, 3)
    assert prompt_status(studio).n_hits == 0
    hear(studio, speaker="alice")
    assert (studio.stats().lookups, studio.stats().hit_rate, prompt_status(studio).n_hits) == (1, 1.0, 1)
