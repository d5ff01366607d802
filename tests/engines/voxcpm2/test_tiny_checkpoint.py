"""The toy checkpoints: the official files, the same numbers everywhere, all tensors, and speech that ends when it is told to."""

import hashlib
import json
import math

import numpy as np
import pytest
import torch
from safetensors import safe_open

from engines.contract.options import resolve_options
from engines.kit.weights.checkpoint import Checkpoint
from engines.voxcpm2 import PACKAGE
from tests.engines.voxcpm2.random_checkpoint import SAFETENSORS
from tests.engines.voxcpm2.tensors import audio_vae_tensors, main_tensors
from tests.engines.voxcpm2.tiny_checkpoint import SHAPES, tiny, write_tiny_checkpoint

# What the recipe writes. When a change of the recipe is meant, raise RECIPE, run `make golden` and put the new digests here.
DIGESTS = {
    "usual": "77a860d3a2ed3b664e1ac36ff8300de73cf96d1dec8bc98a42846b5002baa05a",
    "extended": "0d3b773784c4cb1605b013325e768e85d8192c244c435ed121c6b15ec6f5ae86",
    "sparse": "c5ca0b38c16a8d11d13a971ab81e9b53cbcea8ae97ac840840550cf6a22d3a91",
}


@pytest.fixture(scope="module", params=SHAPES)
def folder(request, tmp_path_factory):
    return write_tiny_checkpoint(tmp_path_factory.mktemp("tiny") / request.param, request.param)


def vae(folder, name="audiovae.pth") -> dict[str, torch.Tensor]:
    with Checkpoint(folder / name, levels=("state_dict",)) as checkpoint:
        return {name: checkpoint.tensor(name).clone() for name in checkpoint.names}


def test_it_has_the_files_of_a_released_checkpoint(folder):
    files = {str(file.relative_to(folder)) for file in folder.rglob("*")}
    assert files == {"config.json", "model.safetensors", "audiovae.pth", "tokenizer.json", "tokenizer_config.json"}


def test_the_recipe_gives_the_same_numbers_everywhere(folder):
    hasher = hashlib.sha256((folder / "config.json").read_bytes())
    hasher.update((folder / "model.safetensors").read_bytes())
    for name, tensor in sorted(vae(folder).items()):  # torch writes its archives in its own way, which is not compared
        hasher.update(name.encode() + tensor.numpy().tobytes())
    assert hasher.hexdigest() == DIGESTS[folder.name]


def test_every_tensor_of_the_tables_is_there_and_no_scale_is_one(folder):
    config = tiny(folder.name).config
    with safe_open(folder / "model.safetensors", "pt") as main:
        tensors = {name: main.get_tensor(name) for name in main.keys()} | vae(folder)  # noqa: SIM118 - not a dict
    assert {name: tuple(tensor.shape) for name, tensor in tensors.items()} == main_tensors(config) | audio_vae_tensors(config)
    for name, tensor in tensors.items():
        if name.endswith(("norm.weight", ".alpha", ".weight_g", "_embed.weight")):
            assert torch.unique(tensor).numel() >= 0.5 * tensor.numel(), name


def test_rope_factors_are_as_many_as_frequencies_and_differ(folder):
    lm = tiny(folder.name).config["lm_config"]
    short, long = lm["rope_scaling"]["short_factor"], lm["rope_scaling"]["long_factor"]
    half = (lm.get("kv_channels") or lm["hidden_size"] // lm["num_attention_heads"]) // 2
    assert len(short) == len(long) == half
    assert len({*short, *long}) == 2 * half


def test_both_files_of_the_audio_network_hold_the_same(tmp_path):
    one, other = write_tiny_checkpoint(tmp_path / "a", "sparse"), write_tiny_checkpoint(tmp_path / "b", "sparse", vae_file=SAFETENSORS)
    first, second = vae(one), vae(other, SAFETENSORS)
    assert first.keys() == second.keys()
    assert all(torch.equal(tensor, second[name]) and tensor.dtype == second[name].dtype for name, tensor in first.items())


def test_the_shapes_cover_what_checkpoints_may_differ_in():
    configs = [tiny(shape).config for shape in SHAPES]
    lms = [config["lm_config"] for config in configs]
    assert {config["residual_lm_no_rope"] for config in configs} == {True, False}
    assert {lm["max_position_embeddings"] > lm["rope_scaling"]["original_max_position_embeddings"] for lm in lms} == {True, False}
    assert {lm["num_attention_heads"] // lm["num_key_value_heads"] for lm in lms} == {2, 3}
    assert {"kv_channels" in lm for lm in lms} == {True, False}
    assert len({config["patch_size"] for config in configs}) == len({config["scalar_quantization_scale"] for config in configs}) == 3
    assert any(rate % 2 for config in configs for rate in config["audio_vae_config"]["encoder_rates"])


@pytest.mark.parametrize(("shape", "patches"), [("usual", 6), ("extended", 10), ("sparse", 15)])
def test_speech_ends_after_as_many_patches_as_it_was_told(tmp_path, shape, patches):
    assert patches_spoken(write_tiny_checkpoint(tmp_path, shape, ends_after=patches)) == patches


def test_speech_that_shall_not_end_goes_on_until_it_is_cut_off(tmp_path):
    assert patches_spoken(write_tiny_checkpoint(tmp_path, "sparse", ends_after=math.inf), most=40) == 40


def patches_spoken(folder, most: int = 30) -> int:
    engine = PACKAGE.open(str(folder), device="cpu", dtype="float32")
    options = resolve_options(engine.info.options, {"max_patches": most, "inference_timesteps": 2, "runaway_guard": False})
    samples = np.concatenate(list(engine.stream("And then the end.", engine.preset("design"), options)))
    config = json.loads((folder / "config.json").read_text())
    engine.close()
    return len(samples) // (config["patch_size"] * math.prod(config["audio_vae_config"]["decoder_rates"]))
