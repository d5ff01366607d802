"""The release's own weights: every name and shape of them is known, packages come before them, and others are refused by name."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from huggingface_hub import constants

from engines.errors import CheckpointInvalid, EngineUnavailable
from engines.kokoro.config import KokoroConfig
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.weights import packaged, released
from engines.kokoro.weights.released import KokoroWeights, open_weights
from tests.released.subjects import FACTS, ReleasedFile

# The release's torch spent 32 bytes less on each of the 548 records than the one here.
FILE = ReleasedFile("kokoro/kokoro-v1_0.tensors", 327_212_226, n_read=546, level="", wrapped="module.", n_note_bytes=-548 * 32)


@pytest.fixture
def folder(tmp_path) -> Path:
    """The release with a hole in place of its numbers."""
    (tmp_path / "config.json").write_bytes((FACTS / "kokoro" / "config.json").read_bytes())
    FILE.write(tmp_path / "kokoro-v1_0.pth")
    return tmp_path


@pytest.fixture
def unpackaged(monkeypatch) -> None:
    monkeypatch.setattr(packaged, "is_here", lambda: False)


def compare(folder: Path) -> None:
    config, checkpoint = open_weights(folder)
    with checkpoint:
        KokoroNetworks.read(config, checkpoint, torch.float32, "meta")


def test_the_release_has_what_the_networks_want_and_a_pooler(folder):
    compare(folder)
    assert abs((folder / "kokoro-v1_0.pth").stat().st_size + FILE.n_note_bytes - FILE.n_bytes) < 5_000
    _, checkpoint = open_weights(folder)
    with checkpoint, torch.device("meta"):
        wanted = KokoroNetworks(KokoroConfig()).state_dict()
        assert checkpoint.names - wanted.keys() == {"bert.pooler.weight", "bert.pooler.bias"}
        assert len(wanted) == 457 and sum(tensor.numel() for tensor in wanted.values()) == 81_140_664


def test_a_tensor_too_many_and_one_too_few_are_named(folder):
    content = torch.load(folder / "kokoro-v1_0.pth", mmap=True)
    content["decoder"]["module.novel.weight"] = content["bert_encoder"].pop("module.bias")
    with torch.serialization.skip_data():
        torch.save(content, folder / "other.pth")
    (folder / "other.pth").replace(folder / "kokoro-v1_0.pth")
    with pytest.raises(CheckpointInvalid, match=r"1 missing: bert_encoder.bias; 1 unexpected: decoder.novel.weight"):
        compare(folder)


def test_packages_are_the_default_and_the_release_follows(folder, monkeypatch, unpackaged):
    weights = KokoroWeights()
    monkeypatch.setattr(released.RELEASED.__class__, "_snapshot", lambda self, name: SimpleNamespace(folder=lambda: folder))
    assert weights.is_here() and weights.availability() is None and weights.resolve() == folder
    assert weights.n_bytes() == sum(file.stat().st_size for file in folder.iterdir())
    monkeypatch.setattr(packaged, "is_here", lambda: True)
    assert weights.resolve() is None and weights.n_bytes() == packaged.N_BYTES
    assert weights.resolve(released.REPOSITORY) == weights.resolve(str(folder)) == folder
    assert weights.hub_id() == weights.hub_id(released.REPOSITORY) == released.REPOSITORY and weights.hub_id(str(folder)) == ""


def test_without_weights_the_packages_are_what_is_asked_for(tmp_path, monkeypatch, unpackaged):
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    weights = KokoroWeights()
    assert not weights.is_here() and weights.n_bytes() == 327_214_577
    lack = weights.availability()
    assert lack.command == weights.command() == packaged.COMMAND and lack.values["sentence"] == "weights_absent"
    with pytest.raises(EngineUnavailable, match="not downloaded"):
        weights.resolve()
    assert weights.command(released.REPOSITORY).startswith("hf download hexgrad/Kokoro-82M --revision f3ff3571")
    with pytest.raises(EngineUnavailable, match="no folder /nowhere"):
        weights.resolve("/nowhere")
