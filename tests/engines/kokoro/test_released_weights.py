"""The release's own weights: packages come before them, and what is not theirs is refused by name. tests/released has their names."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from huggingface_hub import constants

from engines.errors import CheckpointInvalid, EngineUnavailable
from engines.kokoro.weights import sources
from engines.kokoro.weights.sources import KokoroWeights
from tests.released.subjects import RELEASED

RELEASE = RELEASED["kokoro 82M"]


@pytest.fixture
def folder(tmp_path) -> Path:
    """The release with a hole in place of its numbers."""
    return RELEASE.write(tmp_path)


@pytest.fixture
def unpackaged(monkeypatch) -> None:
    monkeypatch.setattr(sources, "is_packaged", lambda: False)


def test_a_tensor_too_many_and_one_too_few_are_named(folder):
    content = torch.load(folder / "kokoro-v1_0.pth", mmap=True)
    content["decoder"]["module.novel.weight"] = content["bert_encoder"].pop("module.bias")
    with torch.serialization.skip_data():
        torch.save(content, folder / "other.pth")
    (folder / "other.pth").replace(folder / "kokoro-v1_0.pth")
    with pytest.raises(CheckpointInvalid, match=r"1 missing: bert_encoder.bias; 1 unexpected: decoder.novel.weight"):
        RELEASE.read(folder)


def test_packages_are_the_default_and_the_release_follows(folder, monkeypatch, unpackaged):
    weights = KokoroWeights()
    monkeypatch.setattr(sources.RELEASED.__class__, "_snapshot", lambda self, name: SimpleNamespace(folder=lambda: folder))
    assert weights.is_here() and weights.availability() is None and weights.resolve() == folder
    assert weights.n_bytes() == sum(file.stat().st_size for file in folder.iterdir())
    monkeypatch.setattr(sources, "is_packaged", lambda: True)
    assert weights.resolve() is None and weights.n_bytes() == sources.N_BYTES
    assert weights.resolve(sources.REPOSITORY) == weights.resolve(str(folder)) == folder
    assert weights.hub_id() == weights.hub_id(sources.REPOSITORY) == sources.REPOSITORY and weights.hub_id(str(folder)) == ""


def test_without_weights_the_packages_are_what_is_asked_for(tmp_path, monkeypatch, unpackaged):
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    weights = KokoroWeights()
    assert not weights.is_here() and weights.n_bytes() == 327_214_577
    lack = weights.availability()
    assert lack.command == weights.command() == sources.COMMAND and lack.values["sentence"] == "weights_absent"
    with pytest.raises(EngineUnavailable, match="not on this machine yet: neither its packages nor hexgrad/Kokoro-82M of the Hub"):
        weights.resolve()
    assert weights.command(sources.REPOSITORY).startswith("hf download hexgrad/Kokoro-82M --revision f3ff3571")
    with pytest.raises(EngineUnavailable, match="no folder /nowhere"):
        weights.resolve("/nowhere")
