"""What a pod does first: it says whether the folder takes files, waits for weights, and copies them to the node, whole or not at all."""

from pathlib import Path

import pytest
from huggingface_hub import constants

from engines.catalog import engine_info
from studio.commands import prepare_pod

ENGINE = "qwen3_tts"


def repository(hub: Path, hub_id: str = "") -> Path:
    """As the hub's library keeps one: blobs, links to them from a snapshot, and what a download left."""
    folder = hub / f"models--{(hub_id or engine_info(ENGINE).hub_id).replace('/', '--')}"
    for place in ("blobs", "refs", "snapshots/abc"):
        (folder / place).mkdir(parents=True)
    (folder / "refs/main").write_text("abc")
    (folder / "blobs/123").write_bytes(bytes(1000))
    (folder / "blobs/456.incomplete").write_bytes(bytes(10))
    (folder / "snapshots/abc/model.safetensors").symlink_to("../../blobs/123")
    return folder


@pytest.fixture
def shared(tmp_path, monkeypatch) -> Path:
    """HF_HOME of all nodes."""
    hub = tmp_path / "studio/huggingface/hub"
    monkeypatch.setattr(constants, "HF_HOME", str(hub.parent))
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(hub))
    return hub


def test_a_folder_that_takes_no_files_is_said_to_be_one_and_nothing_starts(tmp_path, capsys):
    assert prepare_pod.main([str(tmp_path)]) == 0
    assert not list(tmp_path.iterdir()) and not capsys.readouterr().err
    assert prepare_pod.main([str(tmp_path / "absent")]) == 1
    said = capsys.readouterr().err
    assert "takes no files" in said and "chown 1000:100" in said and "fsGroupPolicy" in said


def test_weights_are_copied_with_their_links_and_nothing_unfinished_is(tmp_path):
    whole = repository(tmp_path / "shared")
    copy = prepare_pod.copy_weights(tmp_path / "shared", tmp_path / "disk", engine_info(ENGINE).hub_id)
    assert copy == tmp_path / "disk" / whole.name
    weights = copy / "snapshots/abc/model.safetensors"
    assert weights.is_symlink() and weights.resolve() == (copy / "blobs/123").resolve()  # of the disk, not of the shared folder
    assert weights.read_bytes() == bytes(1000) and not list(copy.rglob("*.incomplete"))


def test_a_copy_that_breaks_off_leaves_nothing_that_could_be_taken_for_weights(tmp_path, monkeypatch):
    whole = repository(tmp_path / "shared")

    def breaks_off(source, target, **_):
        Path(target).mkdir(parents=True)
        raise OSError("the server is gone")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="the server is gone"):
        patched.setattr(prepare_pod.shutil, "copytree", breaks_off)
        prepare_pod.copy_weights(tmp_path / "shared", tmp_path / "disk", engine_info(ENGINE).hub_id)
    assert not list((tmp_path / "disk").iterdir())
    assert prepare_pod.copy_weights(tmp_path / "shared", tmp_path / "disk", engine_info(ENGINE).hub_id).name == whole.name


def test_weights_on_the_disk_are_not_copied_again(tmp_path):
    whole = repository(tmp_path / "shared")
    copy = prepare_pod.copy_weights(tmp_path / "shared", tmp_path / "disk", engine_info(ENGINE).hub_id)
    (whole / "blobs/789").write_bytes(b"later")
    assert prepare_pod.copy_weights(tmp_path / "shared", tmp_path / "disk", engine_info(ENGINE).hub_id) == copy
    assert not (copy / "blobs/789").exists()


def test_a_pod_waits_for_weights_and_says_once_how_they_come(shared, tmp_path, monkeypatch, capsys):
    pauses = []
    lacking = prepare_pod.weights_lacking  # the real one says what is missing, until somebody has put it there
    monkeypatch.setattr(prepare_pod, "weights_lacking", lambda settings, name: lacking(settings, name) if len(pauses) < 3 else None)

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            repository(shared)

    shared.mkdir(parents=True)
    assert prepare_pod.main([str(tmp_path), "--weights", ENGINE, "--onto", str(tmp_path / "disk")], pause) == 0
    said = capsys.readouterr().err.splitlines()
    assert pauses == [prepare_pod.PAUSE_SECONDS] * 3 and len(said) == 2
    assert f"hf download {engine_info(ENGINE).hub_id}" in said[0] and f"HF_HOME={shared.parent}" in said[0]
    assert (tmp_path / "disk/hub").is_dir() and str(tmp_path / "disk/hub") in said[1]
