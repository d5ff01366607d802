"""What is kept of evaluations: whose they are, what makes two one, what goes with them, and files that are none of ours."""

import os
import sqlite3
from dataclasses import replace

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.errors import (
    EvaluationLimitReached,
    EvaluationRecordingUnknown,
    EvaluationsNewer,
    EvaluationSoundDamaged,
    EvaluationsUnreadable,
    EvaluationUnknown,
)
from studio.evaluations.evaluations_folder import EvaluationsFolder
from studio.evaluations.keep import store as stores
from studio.evaluations.keep.store import KeptRecording
from studio.evaluations.plan.cell import CellKey, CellMeasures, SaidCell, SystemRun, VoiceRun
from studio.evaluations.plan.evaluation import WordFloor
from studio.evaluations.plan.identity import plan_digest
from tests.evaluations.made_plans import plan_of

SAMPLES = (8000 * np.sin(np.arange(4800) / 9)).astype(np.int16)
KEY = CellKey("fake", "anna", "t0", 0)


@pytest.fixture
def folder(tmp_path):
    folder = EvaluationsFolder(tmp_path / "evaluations", clock=lambda: 100.0)
    yield folder
    folder.close()


@pytest.fixture
def store(folder):
    return folder.store


def recording(seed: int = 1, joints: tuple[int, ...] = ()) -> Clip:
    return Clip(np.random.default_rng(seed).normal(0, 0.4, 30_000).astype(np.float32), 22_050, joints)  # some of it over full scale


def test_the_same_plan_is_the_same_evaluation_whatever_its_title(store):
    plan = plan_of("fake", "still")
    made = store.create(plan, "")
    assert store.find(plan_digest(plan.model_copy(update={"title": "Another"})), "").id == made.id
    others = [plan_of("fake"), plan_of("fake", "still", seeds=(1,)), plan_of("fake", "still", learn="now"), plan_of("still", "fake")]
    assert not [plan for plan in others if store.find(plan_digest(plan), "")]
    assert store.find(plan_digest(plan), "visitor:1") is None
    with pytest.raises(sqlite3.IntegrityError):
        store.create(plan, "")
    assert [one.id for one in store.evaluations("")] == [made.id]


def test_what_is_kept_comes_back_in_the_plans_order(store, folder):
    made = store.create(plan_of("fake", "still", seeds=(1, 2)), "", undrawn={"still"})
    assert made.n_cells == 4 + 2 and made.state == "ready"
    keys = list(store.unsaid(made.id))
    assert [key for key in keys if key.system == "still"] == [CellKey("still", "anna", text, 1) for text in ("t0", "t1")]
    sound = folder.files.keep(made.id, SAMPLES, 24_000)
    said = [SaidCell(key, sound, 0.1, 0.2, "a warning") for key in keys[:-1]] + [SaidCell(keys[-1], refused={"message": "no"})]
    for cell in reversed(said):
        store.put_said(made.id, cell)
    measures = CellMeasures({"wrong_words": 12.5}, "heard", 8, {"dnsmos": "not here"})
    store.put_measures(made.id, keys[0], measures)
    runs = VoiceRun("fake", "anna", 0.5, None), SystemRun("fake", "1", 2, None, 0.1, True, "MIT")
    store.put_voice_run(made.id, runs[0])
    store.put_system_run(made.id, runs[1])
    store.put_floors(made.id, (WordFloor("en", 0.05, 0.1, 20),), "ears")
    store.put_machine(made.id, {"cores": "2"})
    data = store.data(made.id)
    assert [cell.said for cell in data.cells] == said and data.cells[0].measures == measures and data.cells[1].measures is None
    assert data.voices == runs[:1] and data.systems == runs[1:] and data.floors == (WordFloor("en", 0.05, 0.1, 20),)
    assert (data.recognizer, data.evaluation.machine, data.evaluation.state) == ("ears", {"cores": "2"}, "stopped")
    assert [one.key for one in store.unmeasured(made.id)] == keys[1:-1] and not list(store.unsaid(made.id))


def test_every_change_moves_the_stamp(store, folder):
    made = store.create(plan_of("fake"), "")
    before = store.stamp(made.id)
    store.put_said(made.id, SaidCell(KEY, folder.files.keep(made.id, SAMPLES, 24_000)))
    between = store.stamp(made.id)
    store.put_measures(made.id, KEY, CellMeasures())
    assert before < between < store.stamp(made.id)


def test_a_sound_that_is_said_anew_takes_the_place_of_the_other_and_its_figures(store, folder):
    made = store.create(plan_of("fake"), "")
    for samples in (SAMPLES, SAMPLES[:2400]):
        store.put_said(made.id, SaidCell(KEY, folder.files.keep(made.id, samples, 24_000)))
        assert store.data(made.id).cells[0].measures is None
        store.put_measures(made.id, KEY, CellMeasures())
    files = [*folder.files.folder(made.id).glob("*.flac")]
    assert [path.stem for path in files] == [store.data(made.id).cells[0].said.sound.sha256]
    assert np.array_equal(folder.files.read(made.id, files[0].stem)[0], SAMPLES[:2400])
    files[0].write_bytes(b"fLaC")
    with pytest.raises(EvaluationSoundDamaged):
        folder.files.read(made.id, files[0].stem)


def test_recordings_come_back_to_the_sample_and_go_with_their_voice(store, folder):
    clips = recording(1), recording(2, joints=(9_000,))
    plan = plan_of("fake", voices=("anna", "ben"))
    voices = tuple(voice.model_copy(update={"clip": clip.digest}) for voice, clip in zip(plan.voices, clips, strict=True))
    made = store.create(plan.model_copy(update={"voices": voices}), "", [KeptRecording(clips[0], "generation"), KeptRecording(clips[1])])
    for clip in clips:
        found = store.recording(made.id, clip.digest)
        assert found.digest == clip.digest and found.joints == clip.joints
    assert made.n_bytes > 2 * 4 * 30_000 and store.generations() == {"generation"}
    assert store.forget_recording("generation") == (made.id,) and not store.forget_recording("generation")
    with pytest.raises(EvaluationRecordingUnknown):
        store.recording(made.id, clips[0].digest)
    store.check_recording(made.id, clips[1].digest)
    assert len([*folder.files.folder(made.id).glob("*.wav")]) == 1 and store.generations() == frozenset()
    assert store.voices_of(made.id, "generation") == ("anna",) and store.having("generation") == (made.id,)


def test_nobody_sees_what_is_another_workspaces(store):
    made = store.create(plan_of("fake"), "visitor:1")
    with pytest.raises(EvaluationUnknown):
        store.evaluation(made.id, "")
    assert store.evaluations("") == () and store.evaluation(made.id, "visitor:1").id == made.id


def test_a_workspace_has_no_more_than_fit(store, monkeypatch):
    monkeypatch.setattr(stores, "MOST_EVALUATIONS", 2)
    for n_texts in (1, 2):
        store.create(plan_of("fake", n_texts=n_texts), "")
    with pytest.raises(EvaluationLimitReached):
        store.create(plan_of("fake", n_texts=3), "")
    store.create(plan_of("fake", n_texts=3), "visitor:1")


def test_deleted_is_deleted_with_every_file(store, folder):
    made = store.create(plan_of("fake"), "", [KeptRecording(recording())])
    store.put_said(made.id, SaidCell(KEY, folder.files.keep(made.id, SAMPLES, 24_000)))
    folder.delete(made.id)
    with pytest.raises(EvaluationUnknown):
        store.put_measures(made.id, KEY, CellMeasures())
    assert not folder.files.folder(made.id).exists() and store.leaving() == ()


def test_what_a_dead_process_had_begun_to_make_is_swept_once_it_is_old(folder, store):
    made = store.create(plan_of("fake"), "", [KeptRecording(recording())])
    old, fresh = folder.files.folder("old"), folder.files.folder("fresh")
    for path in (old, fresh):
        path.mkdir()
    for path in (old, folder.files.folder(made.id)):
        os.utime(path, (1, 1))
    folder.sweep(again=True)
    assert not old.exists() and fresh.exists() and folder.files.folder(made.id).exists()


def test_the_time_of_visitors_is_over(folder, store):
    made = [store.create(plan_of("fake"), workspace).id for workspace in ("", "visitor:1")]
    folder.forget_old(lambda workspace, created: workspace != "" and created == 100.0)
    assert store.ids() == (made[0],)


@pytest.mark.parametrize(("damage", "error"), [("PRAGMA user_version = 9", EvaluationsNewer), (b"no database", EvaluationsUnreadable)])
def test_a_file_that_is_not_ours_or_newer_is_left_as_it_is(tmp_path, damage, error):
    folder = EvaluationsFolder(tmp_path)
    folder.store.create(plan_of("fake"), "")
    folder.close()
    path = tmp_path / "evaluations.sqlite"
    if isinstance(damage, bytes):
        path.write_bytes(damage)
    else:
        with sqlite3.connect(path) as rows:
            rows.execute(damage)
    before = path.read_bytes()
    folder = EvaluationsFolder(tmp_path)
    with pytest.raises(error):
        folder.store.evaluations("")
    folder.forget_recording("generation")  # which keeps nobody from deleting a voice
    assert path.read_bytes() == before


def test_findings_are_made_once_for_each_state(folder, store, monkeypatch):
    made, n_made = store.create(plan_of("fake"), ""), []
    monkeypatch.setattr("studio.evaluations.evaluations_folder.evaluate_data", lambda data: n_made.append(data) or replace)
    for _ in range(2):
        folder.findings(made.id)
    store.put_said(made.id, SaidCell(KEY, refused={"message": "no"}))
    folder.findings(made.id)
    assert len(n_made) == 2
