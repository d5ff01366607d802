"""The library: edit and keep the cache, replace, delete with a way back, bundles out and in."""

import hashlib
import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import safetensors.numpy

from engines.clips.clip import Clip, Transcript
from studio.errors import BundleUnusable, ConsentMissing, NameTaken, SpeakerUnknown, UndoTooLate
from studio.library.bundle_archive import pack, unpack
from studio.library.library import NameClash
from studio.listening.plan.plan import Plan, System
from studio.service import Studio
from studio.speakers.consent import record_consent
from studio.speakers.edit import SpeakerEdit
from studio.speakers.enrollment import EmbeddingNotFinite
from studio.speakers.speaker import Enrollment
from studio.speakers.tensor import SpeakerTensor
from studio.speech.request import SpeechRequest
from studio.storage.trash import Trash
from tests.stand_ins.fake_engine import ADOPTER, FakeEngine, heard_pitch, pitch_of


@pytest.fixture
def open_studio(open_studio):
    return partial(open_studio, folder="speakers")


def clip_of(seed: int, seconds: float = 2.0) -> Clip:
    return Clip(np.random.default_rng(seed).standard_normal(int(seconds * 24_000)).astype(np.float32) * 0.1, 24_000)


def recording(name: str = "Ana", seed: int = 1, **more) -> Enrollment:
    return Enrollment(name, "her own, 2026", clip=clip_of(seed), **more)


def hear(studio: Studio, name: str) -> tuple[float, str]:
    """(pitch in Hz, cache outcome)."""
    with studio.speak(SpeechRequest("A sentence to say.", speaker=name)) as speech:
        return heard_pitch(speech.read_all()), speech.timeline.cache


# --- create


def test_nobody_is_replaced_but_whom_the_same_visit_made(open_studio):
    studio = open_studio()
    library = studio.library
    first = library.create(recording())
    for made in (None, "0" * 32):
        with pytest.raises(NameTaken):
            library.create(recording(" ANA ", 2), made=made)
    second = library.create(recording("ana", 2), made=first.generation_id)
    assert [speaker.generation_id for speaker in studio.speakers()] == [second.generation_id]
    third = library.create(recording("Rosa", 3), made=second.generation_id)
    assert [speaker.generation_id for speaker in studio.speakers()] == [third.generation_id]


def test_who_was_made_in_this_visit_takes_no_other_name_that_is_somebodys_and_stays_when_it_is_refused(open_studio):
    studio = open_studio()
    ana, ben = studio.library.create(recording()), studio.library.create(recording("Ben", 2))
    with pytest.raises(NameTaken):
        studio.library.create(recording("Ana", 3), made=ben.generation_id)
    with pytest.raises(ConsentMissing):
        studio.library.create(Enrollment("Bea", " ", clip=clip_of(3)), made=ben.generation_id)
    assert {speaker.generation_id for speaker in studio.speakers()} == {ana.generation_id, ben.generation_id}


def test_a_name_that_another_process_took_meanwhile_is_seen(open_studio):
    here, there = open_studio(), open_studio()
    there.enroll(recording())
    with pytest.raises(NameTaken):
        here.library.create(recording())


def test_whoever_wants_to_replace_a_speaker_of_its_own_does_so_by_name(open_studio):
    studio = open_studio()
    studio.library.create(recording())
    second = studio.library.create(recording(" ANA ", 2), replace=True)
    assert [speaker.generation_id for speaker in studio.speakers()] == [second.generation_id]


def test_a_name_says_whose_it_is_and_which_is_free_and_nothing_of_other_workspaces(open_studio):
    studio = open_studio()
    studio.enroll(recording("Demo"))
    mine, other = studio.within("visitor:one").library, studio.within("visitor:two").library
    mine.create(recording("Ana"))
    mine.create(recording("Ana (2)", 2))
    assert mine.name_clash("ana") == NameClash("Ana", "own", "ana (3)")
    assert mine.name_clash("Demo") == NameClash("Demo", "everybody", "Demo (2)")
    assert mine.name_clash("tone") == NameClash("tone", "built in", "tone (2)")
    assert mine.name_clash("Ana", but="ANA") is mine.name_clash("") is other.name_clash("Ana") is None


# --- edit, replace


def test_a_name_of_another_is_taken_over_where_that_one_shall_go(open_studio):
    studio = open_studio()
    studio.library.create(recording("Ana"))
    ben = studio.library.create(recording("Ben", 2))
    with pytest.raises(NameTaken):
        studio.library.edit("Ben", SpeakerEdit("Ana"))
    studio.library.edit("Ben", SpeakerEdit("Ana"), replace=True)
    assert [(speaker.name, speaker.clip_digest) for speaker in studio.speakers()] == [("Ana", ben.clip_digest)]


def test_a_taking_over_that_is_refused_brings_the_other_one_back(open_studio, monkeypatch):
    studio = open_studio()
    for name, seed in (("Ana", 1), ("Ben", 2)):
        studio.library.create(recording(name, seed))
    monkeypatch.setattr(studio.workspace_speakers, "edit", lambda name, edit: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        studio.library.edit("Ben", SpeakerEdit("Ana"), replace=True)
    assert [speaker.name for speaker in studio.speakers()] == ["Ana", "Ben"]


def test_a_renamed_speaker_stays_warm_and_its_old_name_is_nobody(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine)
    studio.enroll(recording())
    studio.warm("Ana")
    studio.library.edit("Ana", SpeakerEdit("Bea", transcript=Transcript.of("new words")))
    assert studio.prompts.places(studio.speaker("Bea")) == {"fake": "memory"}
    assert hear(studio, "Bea") == (pytest.approx(pitch_of(clip_of(1).digest), abs=2), "hit")
    assert engine.extractions == 1
    with pytest.raises(SpeakerUnknown):
        studio.speaker("Ana")
    studio.forget("Bea")
    assert studio.stats().entries == 0


def test_a_replaced_clip_is_another_generation_with_a_consent_of_its_own(open_studio):
    studio = open_studio(warm_uploads=False)
    before = studio.enroll(recording(description="warm", tags=("a",), transcript=Transcript.of("old words")))
    studio.warm("Ana")
    after = studio.library.replace_clip("ana", clip_of(2), "asked again", filename="b.wav")
    assert after.generation_id != before.generation_id
    assert (after.name, after.description, after.tags, after.transcript) == ("Ana", "warm", ("a",), None)
    assert (after.consent, after.filename) == ("asked again", "b.wav")
    assert hear(studio, "Ana") == (pytest.approx(pitch_of(clip_of(2).digest), abs=2), "miss")
    with pytest.raises(ConsentMissing):
        studio.library.replace_clip("Ana", clip_of(3), " ")
    assert studio.speaker("Ana").clip_digest == clip_of(2).digest


# --- delete with a way back


def test_what_was_deleted_comes_back_and_is_learned_again(open_studio):
    studio = open_studio()
    made = studio.enroll(recording(tags=("a",)))
    studio.warm("Ana")
    studio.library.set_aside("ana")
    assert studio.speakers() == () and studio.stats().entries == 0
    assert studio.library.restore(made.generation_id).tags == ("a",)
    assert hear(studio, "Ana")[1] == "miss"
    with pytest.raises(UndoTooLate):
        studio.library.restore(made.generation_id)


def test_undo_does_not_overwrite_a_speaker_that_took_the_name_and_can_be_tried_again(open_studio):
    studio = open_studio()
    made = studio.enroll(recording())
    studio.library.set_aside("Ana")
    studio.enroll(recording("ANA", 2))
    with pytest.raises(NameTaken):
        studio.library.restore(made.generation_id)
    studio.forget("Ana")
    assert studio.library.restore(made.generation_id).clip_digest == made.clip_digest


def test_a_deletion_by_a_program_is_final_at_once(open_studio, tmp_path):
    studio = open_studio()
    made = studio.enroll(recording())
    studio.forget("Ana")
    assert not list((tmp_path / "speakers").rglob("*.safetensors"))
    with pytest.raises(UndoTooLate):
        studio.library.restore(made.generation_id)


def test_closing_and_starting_delete_for_good(open_studio, tmp_path):
    studio = open_studio()
    studio.enroll(recording())
    with studio.speak(SpeechRequest("Kept.", speaker="Ana", keep=True)) as speech:
        speech.read_all()
    studio.history.settle()
    studio.library.set_aside("Ana")
    assert len(studio.history.entries()) == 1
    [file] = (tmp_path / "speakers" / "trash").iterdir()
    data = file.read_bytes()
    studio.close()
    assert not file.exists() and studio.history.entries() == ()
    file.write_bytes(data)  # as a process that was killed would leave it
    again = open_studio()
    assert not file.exists() and again.speakers() == ()


class Clock:
    """Calls that wait for their time, which the test lets come."""

    def __init__(self):
        self.waiting = []

    def later(self, seconds, call):
        entry = (seconds, call)
        self.waiting.append(entry)
        return lambda: self.waiting.remove(entry)


def test_a_file_is_kept_for_half_a_minute_and_its_end_is_told(tmp_path):
    clock, gone = Clock(), []
    trash = Trash(tmp_path / "trash", later=clock.later)
    trash.when_gone(gone.append)
    for generation_id in ("a", "b"):
        (trash.folder() / f"{generation_id}.safetensors").write_bytes(b"voice")
        trash.keep(generation_id)
    taken = trash.take("b")
    [(seconds, call)] = clock.waiting
    assert seconds == 30 and gone == []
    call()
    assert gone == ["a"] and [path.name for path in (tmp_path / "trash").iterdir()] == [taken.name]
    with pytest.raises(UndoTooLate):
        trash.take("a")


# --- bundles


def test_an_exported_deleted_and_imported_speaker_is_the_same_and_needs_no_engine_to_be_learned(open_studio):
    engine = FakeEngine()
    studio = open_studio(engine, warm_uploads=False)
    words = Transcript.of("these words", "en")
    made = studio.enroll(recording(tags=("a", "é"), description="warm", transcript=words))
    studio.warm("Ana")
    _, data = studio.library.export("ana")
    studio.forget("Ana")
    back = studio.library.import_bundle(data)
    assert (back.clip_digest, back.tags, back.description, back.transcript) == (made.clip_digest, ("a", "é"), "warm", words)
    assert (back.name, back.consent) == ("Ana", "her own, 2026") and back.generation_id != made.generation_id
    assert studio.prompts.places(back) == {"fake": "disk"}
    assert hear(studio, "Ana")[1] == "disk" and engine.extractions == 1


def test_a_bundle_without_prompts_carries_the_recording_alone(open_studio):
    studio = open_studio(warm_uploads=False)
    studio.enroll(recording())
    studio.warm("Ana")
    _, data = studio.library.export("Ana", with_prompts=False)
    other = open_studio(folder="other", warm_uploads=False)
    assert other.library.preview_bundle(data).bundle.engines == ()
    assert other.prompts.places(other.library.import_bundle(data)) == {}


def test_a_preview_writes_nothing_and_tells_of_the_conflict(open_studio):
    studio = open_studio(warm_uploads=False)
    studio.enroll(recording())
    studio.warm("Ana")
    _, data = studio.library.export("Ana")
    preview = studio.library.preview_bundle(data)
    assert (preview.is_taken, preview.free_name, preview.bundle.engines) == (True, "Ana (2)", ("fake",))
    assert preview.bundle.recording.consent == "her own, 2026" and preview.bundle.file_bytes == len(data)
    other = open_studio(folder="other")
    assert other.library.preview_bundle(data).is_taken is False
    assert other.speakers() == ()


def test_a_conflict_is_refused_skipped_replaced_or_kept_beside(open_studio):
    studio = open_studio()
    first = studio.enroll(recording())
    _, data = studio.library.export("Ana")
    with pytest.raises(NameTaken):
        studio.library.import_bundle(data)
    assert studio.library.import_bundle(data, "skip") is None
    assert [speaker.generation_id for speaker in studio.speakers()] == [first.generation_id]
    assert studio.library.import_bundle(data, "keep both").name == "Ana (2)"
    assert studio.library.import_bundle(data, "keep both").name == "Ana (3)"
    replaced = studio.library.import_bundle(data, "replace")
    assert replaced.name == "Ana" and replaced.generation_id != first.generation_id
    assert [speaker.name for speaker in studio.speakers()] == ["Ana", "Ana (2)", "Ana (3)"]


@pytest.mark.parametrize("form", ["", "embeddings"])
def test_numbers_in_place_of_a_recording_are_exported_and_come_back_as_they_were(open_studio, form):
    studio = open_studio(FakeEngine(replace(ADOPTER, id="fake")))
    tensor = SpeakerTensor.of(np.full((2, 6), 3.0), form, 2) if form else SpeakerTensor.of(np.ones(8))
    record = record_consent("own", "Eve, 2026", tensor.digest)
    went_out = studio.enroll(Enrollment("Eve", record.text, tensor=tensor, consent_record=record, tags=("x",)))
    pitch, outcome = hear(studio, "Eve")
    studio.prompts.flush()
    _, data = studio.library.export("Eve")
    other = open_studio(FakeEngine(replace(ADOPTER, id="fake")), folder="other")
    assert other.library.preview_bundle(data).bundle.engines == ("fake",)
    came_in = other.library.import_bundle(data)
    assert (came_in.tensor.form, came_in.tensor.n_frames, came_in.tags) == (form, 2 if form else 0, ("x",))
    assert (came_in.source_digest, came_in.consent_record) == (went_out.source_digest, record)
    assert np.array_equal(came_in.tensor.read(), tensor.read()) and came_in.tensor.read().dtype == np.float32
    assert (hear(other, "Eve"), outcome) == ((pitch, "disk"), "miss")
    edited = other.library.edit("Eve", SpeakerEdit("Eva", tags=("y",)))
    assert edited.generation_id == came_in.generation_id and np.array_equal(edited.tensor.read(), tensor.read())
    assert np.array_equal(came_in.tensor.read(), tensor.read())  # a speech that began before the rename


def test_a_bundle_whose_numbers_were_changed_is_refused(open_studio):
    studio = open_studio(FakeEngine(ADOPTER))
    tensor = SpeakerTensor.of(np.full((2, 6), 3.0), "embeddings", 2)
    studio.enroll(Enrollment("Eve", "own", tensor=tensor))
    members = unpack(studio.library.export("Eve", with_prompts=False)[1])
    for about, name, values in (
        ({}, "embeddings", tensor.read() + 1),
        ({}, "latents", tensor.read()),
        ({"frames": 9}, "embeddings", tensor.read()),
        ({"form": "\n"}, "embeddings", tensor.read()),
        ({"form": 3}, "embeddings", tensor.read()),
    ):
        content = safetensors.numpy.save({name: values})
        manifest = json.loads(members["manifest.json"]) | {"sha256": {"reference.safetensors": hashlib.sha256(content).hexdigest()}}
        manifest["recording"] |= about
        with pytest.raises(BundleUnusable):
            studio.library.preview_bundle(pack({"manifest.json": json.dumps(manifest).encode(), "reference.safetensors": content}))


def test_a_prompt_of_numbers_that_are_none_is_not_stored_wherever_it_comes_from(open_studio):
    studio = open_studio(FakeEngine(ADOPTER))
    with pytest.raises(EmbeddingNotFinite):
        studio.enroll(Enrollment("Eve", "own", tensor=SpeakerTensor.of(np.full((2, 6), np.nan), "embeddings", 2)))
    assert not studio.speakers()


def test_a_speaker_with_another_name_has_it_in_drafts_of_listening_tests_too(open_studio):
    studio = open_studio()
    studio.enroll(Enrollment("Ann", "c1", clip_of(1)))
    plan = Plan(name="x", method="mos", systems=(System(id="a", speaker="ann"),), texts=("One.",))
    test = studio.listening.create(plan)
    studio.library.edit("Ann", SpeakerEdit("Zoe"))
    assert studio.listening.test(test.id).plan.systems[0].speaker == "Zoe"
    assert [each.id for each in studio.listening.tests_using("Zoe")] == [test.id]


def test_a_speaker_who_gets_another_name_keeps_the_names_that_programs_say(open_studio):
    studio = open_studio()
    studio.enroll(recording("Ana"))
    studio.aliases.put("alloy", "ANA"), studio.aliases.put("nova", "Bob")
    studio.library.edit("Ana", SpeakerEdit("Eva"))
    assert [alias.speaker for alias in studio.aliases.all()] == ["Eva", "Bob"]
