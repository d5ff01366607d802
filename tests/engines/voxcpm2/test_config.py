"""The configuration file: what it must say, what follows from it, and what is refused before any weight is read."""

import json
import math
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from engines.errors import CheckpointInvalid
from engines.kit.nn.attention import Rotary, RotaryConfig
from engines.voxcpm2.config import AudioVaeConfig, VoxCpm2Config, released_config
from tests.released.release import FACTS

RELEASED = FACTS / "voxcpm2/config.json"


@pytest.fixture
def folder(tmp_path) -> Path:
    shutil.copyfile(RELEASED, tmp_path / "config.json")
    return tmp_path


def change(folder: Path, edit: Callable[[dict], object]) -> None:
    content = json.loads((folder / "config.json").read_text())
    edit(content)
    (folder / "config.json").write_text(json.dumps(content))


def test_the_configuration_as_code_is_that_of_the_released_file():
    def without_factors(config: VoxCpm2Config) -> VoxCpm2Config:
        rope = replace(config.lm_config.rope_scaling, short_factor=(), long_factor=())
        return replace(config, lm_config=replace(config.lm_config, rope_scaling=rope))

    read, made = VoxCpm2Config.read(RELEASED.parent), released_config("2B")
    assert without_factors(made) == without_factors(read)
    for kind in ("short_factor", "long_factor"):
        factors = [torch.tensor(getattr(config.lm_config.rope_scaling, kind)) for config in (made, read)]
        assert torch.equal(*factors), "float32 is what they are used in"


def test_what_is_absent_or_null_is_as_in_the_official_classes(folder):
    def forget(content: dict) -> None:
        content["lm_config"].pop("kv_channels")
        content["encoder_config"] = {"kv_channels": None, "hidden_dim": 2048}
        content["dit_config"] = {"hidden_dim": 2048}
        content["audio_vae_config"] = None
        del content["residual_lm_no_rope"], content["max_length"]

    change(folder, forget)
    config = VoxCpm2Config.read(folder)
    assert config.audio_vae_config == AudioVaeConfig() == released_config("2B").audio_vae_config
    assert (config.encoder_config.num_layers, config.encoder_config.ffn_dim, config.max_length) == (4, 4096, 8192)
    heads = {decoder.attention.head_dim for decoder in (config.base_decoder(), config.local_encoder(), config.local_dit())}
    assert heads == {128} and config.residual_decoder().attention.rotary.kind == "half"
    change(folder, lambda content: content.pop("audio_vae_config"))
    assert VoxCpm2Config.read(folder) == config


def test_every_transformer_has_its_own_sizes_and_the_language_models_key_heads_norms_and_rotation(folder):
    change(folder, lambda content: content["dit_config"].update(hidden_dim=512, num_heads=4, num_layers=3, ffn_dim=96))
    config = VoxCpm2Config.read(folder)
    base, residual, encoder, dit = config.base_decoder(), config.residual_decoder(), config.local_encoder(), config.local_dit()
    assert [decoder.n_layers for decoder in (base, residual, encoder, dit)] == [28, 8, 12, 3]
    assert [decoder.causal for decoder in (base, residual, encoder, dit)] == [True, True, False, False]
    assert (dit.attention.hidden_size, dit.attention.n_heads, dit.intermediate_size) == (512, 4, 96)
    assert (base.attention.hidden_size, base.attention.n_heads, base.intermediate_size) == (2048, 16, 6144)
    assert {(decoder.attention.n_kv_heads, decoder.attention.norm_eps) for decoder in (base, residual, encoder, dit)} == {(2, 1e-5)}
    assert base.attention.rotary == encoder.attention.rotary == dit.attention.rotary
    assert base.attention.rotary.in_float32 and residual.attention.rotary == RotaryConfig(kind="none")
    assert replace(residual, n_layers=28, attention=replace(residual.attention, rotary=base.attention.rotary)) == base
    assert (config.encoder_patch_samples, config.decoder_patch_samples) == (2560, 7680)


@pytest.mark.parametrize(("length", "kind"), [(32_768, "short_factor"), (16_384, "short_factor"), (131_072, "long_factor")])
def test_long_rope_takes_one_list_by_the_promised_length_and_scales_what_it_extends(folder, length, kind):
    def promise(content: dict) -> None:
        content["lm_config"]["max_position_embeddings"] = length
        content["lm_config"]["rope_scaling"] |= {"short_factor": [2.0 + i for i in range(64)], "long_factor": [0.5 + i for i in range(64)]}

    change(folder, promise)
    config = VoxCpm2Config.read(folder)
    rotary = config.base_decoder().attention.rotary
    factors = torch.tensor(getattr(config.lm_config.rope_scaling, kind))
    # cos(t / factor_i * theta^(-2i / 128)) * sqrt(1 + ln(max / original) / ln(original)): MiniCPMLongRoPE of voxcpm 2.0.3
    scaling = math.sqrt(1 + math.log(length / 32_768) / math.log(32_768))
    expected = (5 / factors * 10_000 ** (-torch.arange(64) / 64)).cos() * scaling
    cos, _ = Rotary(rotary, 128)(torch.tensor([5]), torch.float32)
    assert torch.allclose(cos[0, 0, :64], expected, atol=1e-6)
    rounded, _ = Rotary(rotary, 128)(torch.tensor([5]), torch.bfloat16)
    assert torch.equal(rounded, cos.bfloat16().float()), "the official loader casts the table with the weights"
    assert (rotary.scaling == 1.0) == (length == 32_768)


def lm(**values: object) -> Callable[[dict], object]:
    return lambda content: content["lm_config"].update(values)


def rope(**values: object) -> Callable[[dict], object]:
    return lambda content: content["lm_config"]["rope_scaling"].update(values)


def dit(**values: object) -> Callable[[dict], object]:
    return lambda content: content["dit_config"].update(values)


def vae(**values: object) -> Callable[[dict], object]:
    return lambda content: content["audio_vae_config"].update(values)


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (lambda c: c.update(architecture="voxcpm", patch_size=2), "is VoxCPM-0.5B, an older model"),
        (lambda c: c.pop("architecture"), "is VoxCPM1.5, an older model"),
        (lambda c: (c.clear(), c.update(model_type="qwen3_tts")), "no VoxCPM2 model: architecture None, model_type 'qwen3_tts'"),
        (lambda c: c.pop("dit_config"), "config.json of the checkpoint lacks dit_config"),
        (lambda c: c.update(encoder_config=None), "encoder_config is null; an object"),
        (lm(use_mup=True), "lm_config .* use_mup is true; implemented is false"),
        (lambda c: c["lm_config"].pop("use_mup"), "use_mup is null; absent is true"),
        (lm(no_rope=True), "no_rope is true; implemented is false"),
        (lambda c: c["lm_config"].pop("hidden_size"), "lm_config .* lacks hidden_size"),
        (lm(attention_bias=True), "attention_bias is true; nothing of the kind"),
        (lm(num_key_value_heads=3), "language models: 16 heads over 3 key heads"),
        (lm(kv_channels=64), "language models: 64 rope factors for heads of 64 channels"),
        (lm(vocab_size=104), "vocabulary of 104 has no id 104"),
        (lm(max_position_embeddings=4096), "max_length is 8192 of 4096 positions"),
        (lm(rms_norm_eps="1e-5"), 'rms_norm_eps is "1e-5"; a finite number above zero'),
        (rope(type="yarn"), 'rope_scaling .* type is "yarn"; implemented is "longrope"'),
        (rope(short_factor=[1.0] * 63), "63 rope factors for heads of 128 channels"),
        (rope(short_factor=[0.0] * 64), "short_factor is .* a list of finite numbers"),
        (rope(original_max_position_embeddings=1), "logarithm"),
        (lambda c: c["lm_config"].pop("rope_scaling"), "rope_scaling .* lacks short_factor"),
        (dit(mean_mode=True), "dit_config .* mean_mode is true; implemented is false"),
        (dit(dit_mean_mode=True), "dit_mean_mode is true; implemented is false"),
        (dit(num_heads=5), "local DiT: 5 heads over 2 key heads"),
        (dit(hidden_dim=1023), "local DiT is 1023 wide"),
        (vae(cond_type="add"), 'audio_vae_config .* cond_type is "add"; implemented is "scale_bias"'),
        (vae(use_noise_block=True), "use_noise_block is true; implemented is false"),
        (vae(depthwise=False), "depthwise is false; implemented is true"),
        (vae(sr_bin_boundaries=None), "sr_bin_boundaries is null; a list"),
        (vae(sr_bin_boundaries=[30_000, 20_000]), "sr_bin_boundaries do not rise"),
        (vae(latent_dim=32), "latents have 32 values in the VAE, 64 elsewhere"),
        (vae(out_sample_rate=44_100), "640 samples at 16000 Hz of a recording and 1920 at 44100 Hz of speech"),
        (vae(decoder_dim=1000), "1000 wide is not halved by each of its 6 rates"),
        (lambda c: c.update(quantization_config={"bits": 4}), "quantization_config is"),
    ],
)
def test_what_the_networks_do_not_know_is_refused_by_name(folder, edit, named):
    change(folder, edit)
    with pytest.raises(CheckpointInvalid, match=named) as refused:
        VoxCpm2Config.read(folder)
    assert refused.value.hint


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_a_file_that_is_missing_or_damaged_is_refused(folder, content):
    (folder / "config.json").unlink() if content is None else (folder / "config.json").write_text(content)
    with pytest.raises(CheckpointInvalid, match=r"config\.json"):
        VoxCpm2Config.read(folder)
