"""Opening the engine: what the catalog tells without torch and without weights, and which checkpoints are refused by name."""

import json
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import huggingface_hub.constants
import pytest
import torch
from safetensors.torch import load_file, save_file

from engines import catalog
from engines.errors import CheckpointInvalid, EngineUnavailable, OptionInvalid
from engines.qwen3_tts import PACKAGE
from engines.qwen3_tts.options import language_names
from tests.engines.qwen3_tts.checkpoints.opened import FRAME, LONG, learned, say, speaking_folder, tiny


@pytest.fixture
def folder(tmp_path) -> Path:
    return Path(shutil.copytree(speaking_folder(), tmp_path / "checkpoint"))


def change(file: Path, edit) -> None:
    tensors = load_file(file)
    edit(tensors)
    save_file(tensors, file)


@pytest.mark.parametrize(("look", "spared"), [("engine_info", {"torch", "huggingface_hub"}), ("engine_availability", {"torch"})])
def test_the_catalog_looks_at_it_without_loading_torch(look, spared):
    """The studio starts, and lists its engines, in the time of the engines that are used."""
    code = f"import sys; from engines import catalog; catalog.{look}('qwen3_tts'); print({spared!r} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


def test_without_weights_it_is_unavailable_with_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    lacking = catalog.engine_availability("qwen3_tts")
    assert lacking.command == PACKAGE.info.weights_command == "hf download Qwen/Qwen3-TTS-12Hz-0.6B-Base"
    with pytest.raises(EngineUnavailable, match=r"not on this machine yet: Qwen/Qwen3-TTS-12Hz-0.6B-Base"):
        catalog.open_engine("qwen3_tts")
    assert catalog.engine_availability("espeak") is None


@pytest.mark.parametrize(
    ("checkpoint", "hub_id"),
    [
        (None, "Qwen/Qwen3-TTS-12Hz-0.6B-Base"),
        ("Qwen/Qwen3-TTS-12Hz-1.7B-Base", "Qwen/Qwen3-TTS-12Hz-1.7B-Base"),
        ("someone/fine-tuned", "someone/fine-tuned"),
        ("/somewhere/Qwen3-TTS-12Hz-0.6B-Base", ""),
    ],
)
def test_it_has_the_hubs_id_of_its_checkpoint_and_none_for_a_folder(tmp_path, monkeypatch, checkpoint, hub_id):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    assert catalog.engine_info("qwen3_tts", checkpoint).hub_id == hub_id


def test_a_folder_that_looks_like_an_id_of_the_hub_is_a_folder(folder, monkeypatch):
    monkeypatch.chdir(folder.parents[1])
    checkpoint = f"{folder.parent.name}/{folder.name}"
    assert catalog.engine_info("qwen3_tts", checkpoint).hub_id == ""
    engine = catalog.open_engine("qwen3_tts", checkpoint=checkpoint, device="cpu", options={"compile": False})
    assert engine.info.hub_id == ""
    engine.close()


def test_a_folder_with_all_files_is_available_and_one_without_is_not(folder):
    assert catalog.engine_availability("qwen3_tts", str(folder)) is None
    (folder / "merges.txt").unlink()
    assert "merges.txt" in catalog.engine_availability("qwen3_tts", str(folder)).fact


def test_the_patterns_fetch_everything_that_is_needed():
    for name in PACKAGE.weights.needed:
        assert all(any(fnmatch(file, pattern) for pattern in PACKAGE.weights.patterns) for file in name.split("|")), name


@pytest.mark.parametrize(
    ("file", "edit", "named"),
    [
        ("model.safetensors", lambda t: t.pop("talker.codec_head.weight"), "missing: talker.codec_head.weight"),
        ("model.safetensors", lambda t: t.update({"talker.novel": torch.zeros(1)}), "unexpected: talker.novel"),
        ("model.safetensors", lambda t: t.update({"stranger": torch.zeros(1)}), "unexpected: stranger"),
        ("model.safetensors", lambda t: t.update({"talker.model.norm.weight": torch.zeros(7)}), r"talker.model.norm.weight is \(7,\)"),
        ("model.safetensors", lambda t: t.pop("speaker_encoder.fc.bias"), "missing: speaker_encoder.fc.bias"),
        ("model.safetensors", lambda t: t.pop("talker.code_predictor.lm_head.3.weight"), "lm_head.3.weight"),
        (
            "speech_tokenizer/model.safetensors",
            lambda t: t.pop("encoder.quantizer.semantic_residual_vector_quantizer.layers.0.codebook.embed_sum"),
            "codebook.embed_sum",
        ),
        ("speech_tokenizer/model.safetensors", lambda t: t.pop("decoder.decoder.6.conv.bias"), "decoder.decoder.6.conv.bias"),
        ("speech_tokenizer/model.safetensors", lambda t: t.update({"stranger": torch.zeros(1)}), "unexpected: stranger"),
        ("speech_tokenizer/model.safetensors", lambda t: t.update({"decoder.novel": torch.zeros(1)}), "unexpected: decoder.novel"),
    ],
)
def test_tensors_that_do_not_fit_are_named(folder, file, edit, named):
    change(folder / file, edit)
    with pytest.raises(CheckpointInvalid, match=named):
        PACKAGE.open(str(folder), device="cpu")


def test_a_checkpoint_in_shards_is_the_same_engine(folder):
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(tensors)
    shards = {"model-00001.safetensors": names[::2], "model-00002.safetensors": names[1::2]}
    for shard, inside in shards.items():
        save_file({name: tensors[name] for name in inside}, folder / shard)
    weight_map = {name: shard for shard, inside in shards.items() for name in inside}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    engine = PACKAGE.open(str(folder), device="cpu")
    assert engine.weights_fingerprint == tiny().extraction_digest
    assert len(say(engine, LONG, learned(), max_new_tokens=3)) == 2 * FRAME


def test_the_engine_outlives_its_files(folder):
    engine = PACKAGE.open(str(folder), device="cpu")
    shutil.rmtree(folder)
    assert len(say(engine, LONG, learned(), max_new_tokens=3)) == 2 * FRAME


def test_devices_and_dtypes_that_are_not_there_are_refused(folder):
    for given in ({"device": "cuda:7"}, {"dtype": "int8"}):
        with pytest.raises(EngineUnavailable):
            PACKAGE.open(str(folder), **given)
    with pytest.raises(OptionInvalid, match="trailing_silence_seconds"):
        PACKAGE.open(str(folder), trailing_silence_seconds=-1)


def test_every_language_of_the_catalog_is_one_of_the_checkpoints():
    assert tuple(language_names(tiny().config)) == PACKAGE.info.languages
