"""WorkspaceSpeakers: what one workspace sees of the speakers, and what it may change."""

import threading

import pytest

from studio.errors import (
    NameReserved,
    NameTaken,
    SpeakerExists,
    SpeakerLimitReached,
    SpeakerNotYours,
    SpeakerUnknown,
    WorkspaceFull,
    WorkspaceRequired,
)
from studio.speakers.edit import SpeakerEdit
from studio.speakers.store import SpeakerStore
from studio.speakers.workspace_speakers import WorkspaceSpeakers
from studio.workspace import EVERYBODY, NOBODY
from tests.stand_ins.fake_engine import INFO
from tests.studio.speakers.store_subjects import everything, omni_file, recording

ANN, BO = "visitor:ann", "visitor:bo"


@pytest.fixture
def store(tmp_path) -> SpeakerStore:
    return SpeakerStore(tmp_path, engines=lambda: (INFO,))


def names(workspace_speakers: WorkspaceSpeakers) -> list[str]:
    return [speaker.name for speaker in workspace_speakers.speakers()]


def test_a_workspace_sees_its_own_speakers_and_everybodys_and_no_others(store):
    everybody, ann, bo, nobody = (WorkspaceSpeakers(store, workspace) for workspace in (EVERYBODY, ANN, BO, NOBODY))
    everybody.add(recording("Demo", 1))
    own, _ = ann.add(recording("Zoe", 2))
    bo.add(recording("Bert", 3))
    assert (names(ann), names(bo), names(nobody), names(everybody)) == (["Demo", "Zoe"], ["Bert", "Demo"], ["Demo"], ["Demo"])
    assert ann.get("zoe").generation == own.generation
    for other in (bo, nobody, everybody):
        with pytest.raises(SpeakerUnknown) as unknown:
            other.get("Zoe")
        assert "Zoe" not in unknown.value.nearest


def test_one_name_is_a_speaker_of_each_workspace(store):
    ann, bo = WorkspaceSpeakers(store, ANN), WorkspaceSpeakers(store, BO)
    anns, replaced = ann.add(recording("Zoe", 1))
    bos, also = bo.add(recording("ZOE", 2))
    assert (replaced, also) == (None, None)
    assert (ann.get("zoe").clip_digest, bo.get("zoe").clip_digest) == (anns.clip_digest, bos.clip_digest)
    ann.remove("zoe")
    assert bo.get("Zoe").generation == bos.generation
    bo.edit("Zoe", SpeakerEdit("Zelda", "mine", ("x",), None))
    assert names(bo) == ["Zelda"]
    again = SpeakerStore(store.directory)
    assert (names(WorkspaceSpeakers(again, ANN)), names(WorkspaceSpeakers(again, BO))) == ([], ["Zelda"])
    assert again.quarantined == ()


def test_its_own_comes_before_everybodys_of_that_name(store):
    ann = WorkspaceSpeakers(store, ANN)
    own, _ = ann.add(recording("Demo", 1))
    WorkspaceSpeakers(store).add(recording("demo", 2))
    assert ann.get("DEMO").generation == own.generation
    assert [speaker.generation for speaker in ann.speakers()] == [own.generation]
    assert ann.owns(ann.own("Demo"))


def test_everybodys_speakers_are_changed_by_nobody_else(store, tmp_path):
    WorkspaceSpeakers(store).add(recording("Demo"))
    before = everything(tmp_path)
    for workspace in (ANN, NOBODY):
        workspace_speakers = WorkspaceSpeakers(store, workspace)
        for change in (
            lambda workspace_speakers=workspace_speakers: workspace_speakers.remove("demo"),
            lambda workspace_speakers=workspace_speakers: workspace_speakers.edit("demo", SpeakerEdit("X", None, (), None)),
        ):
            with pytest.raises(SpeakerNotYours):
                change()
    ann = WorkspaceSpeakers(store, ANN)
    with pytest.raises(NameReserved, match="Everybody"):
        ann.add(recording("DEMO ", 2))
    assert everything(tmp_path) == before
    ann.add(recording("Zoe", 3))
    with pytest.raises(NameReserved, match="Everybody"):
        ann.edit("Zoe", SpeakerEdit("demo", None, (), None))
    with pytest.raises(NameReserved, match="built into an engine"):
        ann.add(recording("Tone"))


def test_a_name_clash_is_told_within_a_workspace_alone(store):
    ann, bo = WorkspaceSpeakers(store, ANN), WorkspaceSpeakers(store, BO)
    for name in ("Zoe", "Yves"):
        ann.add(recording(name))
    with pytest.raises(NameTaken):
        ann.edit("Zoe", SpeakerEdit("Yves", None, (), None))
    bo.add(recording("Xaver"))
    assert bo.edit("Xaver", SpeakerEdit("Yves", None, (), None))[0].name == "Yves"
    immutable = SpeakerStore(store.directory, policy="immutable")
    with pytest.raises(SpeakerExists):
        WorkspaceSpeakers(immutable, ANN).add(recording("zoe"))
    assert WorkspaceSpeakers(immutable, BO).add(recording("zoe"))[0].workspace == BO


def test_nobody_keeps_nothing(store, tmp_path):
    before = everything(tmp_path)
    with pytest.raises(WorkspaceRequired):
        WorkspaceSpeakers(store, NOBODY).add(recording("Zoe"))
    assert everything(tmp_path) == before


def test_concurrent_uploads_never_pass_a_workspaces_limit_nor_count_for_anothers(tmp_path):
    store = SpeakerStore(tmp_path, most_speakers=8)
    refused = []

    def work(workspace: str, index: int) -> None:
        try:
            WorkspaceSpeakers(store, workspace, most_speakers=3).add(recording(f"n{index}"))
        except WorkspaceFull as error:
            refused.append((workspace, error.limit))

    threads = [threading.Thread(target=work, args=(workspace, index)) for index in range(6) for workspace in (ANN, BO)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(refused) == [(ANN, 3)] * 3 + [(BO, 3)] * 3
    assert (
        WorkspaceSpeakers(store, ANN, most_speakers=3).add(recording(names(WorkspaceSpeakers(store, ANN))[0]))[1] is not None
    )  # replacing needs no room
    everybody = WorkspaceSpeakers(store, most_speakers=1)
    for name in ("one", "two"):
        everybody.add(recording(name))
    with pytest.raises(SpeakerLimitReached):
        everybody.add(recording("three"))


def test_what_was_set_aside_comes_back_only_where_there_is_room(store, tmp_path):
    ann, aside = WorkspaceSpeakers(store, ANN, most_speakers=1), tmp_path / "aside"
    aside.mkdir()
    ann.add(recording("Zoe", 1))
    gone = aside / f"{ann.remove('Zoe', aside).generation_id}.safetensors"
    assert (ann.owns_file(gone), WorkspaceSpeakers(store, BO).owns_file(gone)) == (True, False)
    ann.add(recording("Yves", 2))
    with pytest.raises(WorkspaceFull):
        ann.put_back(gone)
    ann.remove("Yves")
    assert ann.put_back(gone).workspace == ANN


def test_when_a_voice_was_made_tells_nothing_of_others_uploads(tmp_path):
    store = SpeakerStore(tmp_path, clock=lambda: 1_000.0)
    ann, bo = WorkspaceSpeakers(store, ANN), WorkspaceSpeakers(store, BO)
    assert [ann.add(recording(f"n{index}", index))[0].created_at for index in range(3)] == [1000, 1001, 1002]
    assert bo.add(recording("Zoe"))[0].created_at == 1000


def test_files_without_a_workspace_are_everybodys_and_files_with_one_say_so(store, tmp_path):
    omni_file(tmp_path)
    WorkspaceSpeakers(store, ANN).add(recording("Zoe"))
    again = SpeakerStore(tmp_path)
    assert {speaker.name: speaker.workspace for speaker in again.speakers()} == {"Alice": EVERYBODY, "Zoe": ANN}
    assert names(WorkspaceSpeakers(again)) == ["Alice"]
    written = {path.name.partition("_")[0]: path.read_bytes() for path in tmp_path.glob("*.safetensors")}
    assert ANN.encode() in written["Zoe"] and b"workspace" not in written["Alice"]
