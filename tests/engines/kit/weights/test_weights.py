"""Weights are found in a folder or in the hub's cache, fetched when asked for, and otherwise named with the command that gets them."""

import json
from dataclasses import replace
from pathlib import Path

import huggingface_hub
import huggingface_hub.constants
import huggingface_hub.errors
import pytest

from engines.errors import EngineUnavailable
from engines.kit.weights.weights import HubWeights

WEIGHTS = HubWeights("owner/model", patterns=("*.json", "*.safetensors"), needed=("config.json", "a.safetensors|b.safetensors"))
COMMIT = "0123456789012345678901234567890123456789"


@pytest.fixture(autouse=True)
def hub_cache(tmp_path, monkeypatch) -> Path:
    """An empty cache, and a hub that nobody can reach."""
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    return tmp_path / "hub"


def fill(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_bytes(b"x" * 10)
    return folder


def cached(hub: Path, *names: str, repository: str = "owner/model") -> Path:
    """As huggingface_hub lays a snapshot out."""
    home = hub / f"models--{repository.replace('/', '--')}"
    fill(home / "refs").joinpath("main").write_text(COMMIT)
    return fill(home / "snapshots" / COMMIT, *names)


def test_a_local_folder_is_taken_as_it_is(tmp_path):
    folder = fill(tmp_path / "mine", "config.json", "b.safetensors")
    assert WEIGHTS.resolve(str(folder)) == folder
    assert WEIGHTS.availability(str(folder)) is None


def test_the_default_is_found_in_the_hubs_cache(hub_cache):
    folder = cached(hub_cache, "config.json", "a.safetensors")
    assert WEIGHTS.resolve() == folder
    assert WEIGHTS.availability() is None


def test_a_commit_is_kept_to_where_one_is_named_and_only_in_its_repository(hub_cache):
    pinned, moved = replace(WEIGHTS, revision=COMMIT), replace(WEIGHTS, revision="f" * 40)
    folder = cached(hub_cache, "config.json", "a.safetensors")
    assert pinned.resolve() == folder and pinned.command() == f"hf download owner/model --revision {COMMIT}"
    with pytest.raises(EngineUnavailable, match="not on this machine yet: owner/model"):
        moved.resolve()
    other = cached(hub_cache, "config.json", "a.safetensors", repository="other/model")
    assert moved.resolve("other/model") == other and moved.command("other/model") == "hf download other/model"


def test_the_default_is_never_fetched_unasked(monkeypatch):
    monkeypatch.setattr(huggingface_hub, "snapshot_download", only_local(huggingface_hub.snapshot_download))
    with pytest.raises(EngineUnavailable, match="not on this machine yet: owner/model") as refused:
        WEIGHTS.resolve()
    assert refused.value.command == "hf download owner/model"
    assert WEIGHTS.availability().fact == refused.value.fact


def only_local(download):
    def ask(*args, **kwargs):
        assert kwargs.get("local_files_only"), "asked the network"
        return download(*args, **kwargs)

    return ask


@pytest.mark.parametrize("names", [("config.json",), ("a.safetensors",), ()])
def test_incomplete_weights_are_named_with_the_command(hub_cache, tmp_path, names):
    cached(hub_cache, *names)
    with pytest.raises(EngineUnavailable, match="incomplete") as refused:
        WEIGHTS.resolve()
    assert refused.value.command == "hf download owner/model"
    with pytest.raises(EngineUnavailable, match="incomplete"):
        WEIGHTS.resolve(str(fill(tmp_path / "mine", *names)))


def test_a_hub_id_that_was_asked_for_is_fetched_and_tells_how_far_it_is(hub_cache, monkeypatch):
    def download(repository, *, tqdm_class=None, local_files_only=False, **kwargs):
        if local_files_only and not (hub_cache / "models--other--larger").exists():
            raise huggingface_hub.errors.LocalEntryNotFoundError("nothing here")
        if not local_files_only:
            assert list(kwargs["allow_patterns"]) == ["*.json", "*.safetensors"]
            bar = tqdm_class(name="huggingface_hub.snapshot_download", total=0, initial=0, unit="B")
            other = tqdm_class(name="huggingface_hub.snapshot_download.transfer", total=0, unit="B")
            bar.total = 20
            for n in (5, 15):
                bar.update(n)
                other.update(n)
        return str(cached(hub_cache, "config.json", "a.safetensors", repository=repository))

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    heard = []
    folder = WEIGHTS.resolve("other/larger", lambda done, in_all: heard.append((done, in_all)))
    assert (folder / "config.json").is_file()
    assert heard == [(5, 20), (20, 20)]


def test_what_would_be_fetched_does_not_count_as_missing():
    assert WEIGHTS.availability("other/larger") is None


def test_without_a_network_the_answer_is_quick_and_says_what_to_do():
    with pytest.raises(EngineUnavailable, match="could not be downloaded") as refused:
        WEIGHTS.resolve("other/larger")
    assert refused.value.command == "hf download other/larger"
    assert "\n" not in refused.value.fact


@pytest.mark.parametrize("checkpoint", ["/nowhere/at/all", "./here", "~/nobody/model", "noslash", "a/b/c"])
def test_a_folder_that_is_not_there_is_no_hub_id(checkpoint):
    with pytest.raises(EngineUnavailable, match="no folder"):
        WEIGHTS.resolve(checkpoint)
    assert WEIGHTS.availability(checkpoint) is not None


def test_git_lfs_pointers_in_place_of_weights_are_told_with_the_command_that_fetches_them(tmp_path):
    folder = fill(tmp_path / "a folder", "config.json")
    (folder / "a.safetensors").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:180b3b10eb1c\nsize 1829344272\n")
    lacking = WEIGHTS.availability(str(folder))
    assert "Git LFS pointers in place of a.safetensors" in lacking.fact
    assert lacking.command == f"git -C '{folder}' lfs pull"
    assert not WEIGHTS.is_here(str(folder))
    with pytest.raises(EngineUnavailable, match="pointers"):
        WEIGHTS.resolve(str(folder))


def test_shards_that_an_index_names_are_missed_and_counted(tmp_path):
    weights = HubWeights("owner/model", ("*",), ("model.safetensors|model.safetensors.index.json",))
    folder = fill(tmp_path / "cut", "model.safetensors", "one.safetensors")
    index = json.dumps({"weight_map": {"a": "one.safetensors", "b": "two.safetensors"}})
    (folder / "model.safetensors.index.json").write_text(index)
    assert "two.safetensors missing" in weights.availability(str(folder)).fact
    (folder / "two.safetensors").write_bytes(bytes(1000))
    assert weights.n_bytes(str(folder)) == len(index) + (folder / "one.safetensors").stat().st_size + 1000


def test_the_size_is_that_of_the_files_or_of_the_release_or_not_known(hub_cache, tmp_path):
    weights = HubWeights("owner/model", ("*",), ("config.json",), {"owner/model": 7, "owner/larger": 9})
    folder = fill(tmp_path / "mine", "config.json", "other.bin")
    assert weights.n_bytes(str(folder)) == (folder / "config.json").stat().st_size
    assert (weights.n_bytes(), weights.n_bytes("owner/larger"), weights.n_bytes("somebody/elses")) == (7, 9, 0)
