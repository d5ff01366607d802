"""The toy checkpoints: the makers' layout, the same numbers everywhere, and speech that ends when it is told to."""

import hashlib
import math

import numpy as np
import pytest
import torch
import yaml
from safetensors import safe_open

from engines.contract.options import resolve_options
from engines.pocket_tts import PACKAGE
from tests.engines.pocket_tts.random_checkpoint import full_size
from tests.engines.pocket_tts.tensors import tensors
from tests.engines.pocket_tts.tiny_checkpoint import KINDS, tiny, write_tiny_checkpoint
from tests.released.release import FACTS
from tests.released.tensor_table import read_table

# What the recipe writes. When a change of the recipe is meant, raise RECIPE, make the goldens again and put the new digests here.
DIGESTS = {
    "lsd": "490664531832136ce15337ed71572651eccc084373ac040c1e1144f3c3cc3340",
    "pointwise": "3b98f327d880d4292c962ff924563698b11d90f80d72f50cb7b9ed13f11db02a",
    "drifting": "7a98c46886f6e9322cc809475faa0c64c5a68768704a17b04377070253b89e4e",
}


@pytest.fixture(scope="module", params=KINDS)
def folder(request, tmp_path_factory):
    return write_tiny_checkpoint(tmp_path_factory.mktemp("tiny") / request.param, request.param, presets=("alba",))


def test_it_has_the_files_of_a_local_model(folder):
    files = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    tokenizer = "tokenizer.json" if folder.name == "lsd" else "tokenizer.model"
    assert files == {"config.yaml", "model.safetensors", tokenizer, "embeddings/alba.safetensors"}


def test_the_recipe_gives_the_same_numbers_everywhere(folder):
    hasher = hashlib.sha256((folder / "model.safetensors").read_bytes())
    hasher.update((folder / "embeddings/alba.safetensors").read_bytes())
    assert hasher.hexdigest() == DIGESTS[folder.name]


def test_every_tensor_is_bfloat16_and_no_scale_is_one(folder):
    with safe_open(folder / "model.safetensors", "pt") as file:
        loaded = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a dict
    assert {name: tuple(tensor.shape) for name, tensor in loaded.items()} == tensors(tiny(folder.name))
    for name, tensor in loaded.items():
        assert tensor.dtype == torch.bfloat16 and tensor.isfinite().all(), name
        if name.endswith(("norm1.weight", "in_ln.weight", ".alpha", ".scale", "emb_std")):
            assert torch.unique(tensor).numel() >= 0.5 * tensor.numel(), name


@pytest.mark.parametrize("variant", ["english", "french_24l", "english_18m_2026-10", "english_7m_2026-10", "english_2m_2026-10"])
def test_names_and_shapes_of_any_size_are_the_released_ones(variant):
    released = read_table(FACTS / "pocket_tts" / f"{variant}.tensors")
    assert {name: shape for name, (shape, _) in released.items()} == tensors(full_size(variant).config)


def test_the_kinds_cover_what_models_may_differ_in():
    parts = [tiny(kind)["flow_lm"] for kind in KINDS]
    heads = [
        part["transformer"]["num_heads"] // part["transformer"].get("num_kv_heads", part["transformer"]["num_heads"]) for part in parts
    ]
    assert {part["flow"].get("type", "lsd") for part in parts} == set(KINDS)
    assert sorted(heads) == [1, 2, 3]
    assert {part["lookup_table"]["tokenizer"] for part in parts} == {"tokenizers", "sentencepiece"}
    assert {("z_dim" in part, "rank" in part["lookup_table"]) for part in parts} == {(True, True), (False, False)}
    wider = [part["transformer"].get("attn_dim", part["transformer"]["d_model"]) - part["transformer"]["d_model"] for part in parts]
    assert sorted(np.sign(wider)) == [-1, 0, 1]


def test_an_encoder_of_zeros_is_all_that_is_zero(tmp_path):
    with safe_open(write_tiny_checkpoint(tmp_path, zero_encoder=True) / "model.safetensors", "pt") as file:
        zeros = {name for name in file.keys() if not file.get_tensor(name).any()}  # noqa: SIM118 - not a dict
    assert {".".join(name.split(".")[:2]) for name in zeros} == {"mimi.encoder", "mimi.encoder_transformer", "mimi.downsample"}
    assert zeros == {name for name in tensors(tiny()) if name.startswith(("mimi.encoder", "mimi.downsample"))}


@pytest.mark.parametrize(("kind", "ends_after"), [("lsd", 0), ("lsd", 20), ("pointwise", 8), ("drifting", 12)])
def test_speech_ends_at_the_frame_that_it_was_told(tmp_path, kind, ends_after):
    """The end is not heard before frame 6; of up to four words 5 frames more are spoken, of more words 3 (pocket-tts 4.0.1)."""
    engine = PACKAGE.open(str(write_tiny_checkpoint(tmp_path, kind, ends_after=ends_after, presets=("alba",))), device="cpu")
    try:
        for text, more in (("The end.", 5), ("One two three, and then the end.", 3)):
            options = resolve_options(engine.info.options, {"runaway_guard": False})
            samples = np.concatenate(list(engine.stream(text, engine.preset("alba"), options)))
            assert len(samples) == 1920 * (max(ends_after, 6) + more)
            assert 0.02 < np.sqrt(np.mean(samples**2)) < 0.3
    finally:
        engine.close()


def test_speech_that_shall_not_end_goes_on_until_it_is_cut_off(tmp_path):
    config = yaml.safe_load((write_tiny_checkpoint(tmp_path, ends_after=math.inf, presets=("alba",)) / "config.yaml").read_text())
    assert config["flow_lm"]["lookup_table"]["tokenizer_path"] == str(tmp_path / "tokenizer.json")
    engine = PACKAGE.open(str(tmp_path), device="cpu")
    options = resolve_options(engine.info.options, {"runaway_guard": False, "max_frames": 15})
    assert len(np.concatenate(list(engine.stream("The end.", engine.preset("alba"), options)))) == 1920 * 15
    engine.close()
