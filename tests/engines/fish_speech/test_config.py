"""The configuration file: what it must say, what follows from it, and what is refused before any weight is read."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from engines.errors import CheckpointInvalid
from engines.fish_speech.config import SIZES, FishConfig, released_config
from engines.kit.nn.attention import Rotary, apply_rotary
from engines.kit.weights import config_reading
from tests.released.release import FACTS

RELEASED = FACTS / "fish_s2_pro"


@pytest.fixture
def folder(tmp_path) -> Path:
    shutil.copyfile(RELEASED / "config.json", tmp_path / "config.json")
    return tmp_path


def change(folder: Path, edit: Callable[[dict], object]) -> None:
    content = json.loads((folder / "config.json").read_text())
    edit(content)
    (folder / "config.json").write_text(json.dumps(content))


def test_the_configuration_as_code_is_that_of_the_released_file():
    assert [released_config(size) for size in SIZES] == [FishConfig.read(RELEASED)]


def test_every_key_of_the_released_file_is_read_or_has_its_rule(monkeypatch):
    monkeypatch.setattr(config_reading, "_changes_computation", lambda key, value: True)
    assert FishConfig.read(RELEASED) == released_config("S2-Pro")


def test_what_the_official_code_sets_for_this_kind_of_model_may_be_said(folder):
    for add in (top, text, audio):
        change(folder, add(scale_codebook_embeddings=True, norm_fastlayer_input=True))
    assert FishConfig.read(folder) == released_config("S2-Pro")


def test_notes_of_transformers_and_the_base_as_a_fraction_change_nothing(folder):
    def note(content: dict) -> None:
        content["torch_dtype"] = content.pop("dtype")
        content |= {"architectures": ["FishQwen3OmniForCausalLM"], "transformers_version": "5.1.0"}
        content["text_config"] |= {"rope_base": 1e6, "use_cache": True, "torch_dtype": "bfloat16"}

    change(folder, note)
    assert FishConfig.read(folder) == released_config("S2-Pro")


def test_what_is_said_of_experts_has_no_part_where_there_are_none(folder):
    change(folder, text(num_experts=8, num_experts_per_tok=2, moe_intermediate_size=768, norm_topk_prob=True))
    assert FishConfig.read(folder) == released_config("S2-Pro")
    change(folder, text(use_moe=True))
    with pytest.raises(CheckpointInvalid, match="use_moe is true"):
        FishConfig.read(folder)


def test_slow_and_fast_transformer_are_one_layer_of_other_depth_with_and_without_norms_of_heads():
    config = released_config("S2-Pro")
    slow, fast = config.slow_decoder(), config.fast_decoder()
    assert (slow.n_layers, fast.n_layers) == (36, 4) and slow.causal and fast.causal
    assert (slow.attention.qk_norm, fast.attention.qk_norm) == (True, False)
    for decoder in (slow, fast):
        attention = decoder.attention
        assert (attention.hidden_size, attention.n_heads, attention.n_kv_heads, attention.head_dim) == (2560, 32, 8, 128)
        assert (decoder.intermediate_size, attention.norm_eps, attention.qkv_bias, attention.out_bias) == (9728, 1e-6, False, False)
    assert slow.attention.rotary == fast.attention.rotary and slow.names == fast.names
    assert config.n_semantic_codes == config.audio_decoder_config.vocab_size == 4096


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_neighbors_are_rotated_in_float32_by_a_table_that_is_rounded_in_every_dtype(dtype):
    """(a + bi) * e^(i t / base^(2k / head_dim)), cos and sin in bfloat16, products in float32."""
    attention = released_config("S2-Pro").slow_decoder().attention
    heads = torch.randn(3, 2, 128, generator=torch.Generator().manual_seed(1)).to(dtype)
    positions = torch.tensor([1, 77, 30_000])
    angles = positions[:, None].float() * (1 / 1e6 ** (torch.arange(0, 128, 2).float() / 128))
    cos, sin = (table.bfloat16().float()[:, None] for table in (angles.cos(), angles.sin()))
    first, second = heads.float()[..., 0::2], heads.float()[..., 1::2]
    expected = torch.stack([first * cos - second * sin, second * cos + first * sin], dim=-1).flatten(-2)
    turned = apply_rotary(heads, Rotary(attention.rotary, 128)(positions, dtype), attention.rotary.kind)
    assert turned.dtype == dtype and torch.allclose(
        turned.float(), expected.to(dtype).float(), rtol=1e-2 if dtype == torch.bfloat16 else 0, atol=1e-6
    )


def top(**values: object) -> Callable[[dict], object]:
    return lambda content: content.update(values)


def text(**values: object) -> Callable[[dict], object]:
    return lambda content: content["text_config"].update(values)


def audio(**values: object) -> Callable[[dict], object]:
    return lambda content: content["audio_decoder_config"].update(values)


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (top(model_type="dual_ar"), "no Fish Audio S2 Pro model: model_type 'dual_ar', and 'fish_qwen3_omni' is implemented"),
        (lambda c: c.pop("model_type"), "model_type None"),
        (lambda c: c.pop("audio_decoder_config"), r"config\.json of the checkpoint lacks audio_decoder_config"),
        (lambda c: c.pop("semantic_start_token_id"), "lacks semantic_start_token_id"),
        (lambda c: c["text_config"].pop("attention_qk_norm"), "text_config .* lacks attention_qk_norm"),
        (top(text_config=None), "text_config is null; an object"),
        (top(quantization_config={"bits": 4}), "quantization_config is"),
        (text(use_moe=True), "text_config .* use_moe is true; implemented is false"),
        (audio(use_moe=True), "audio_decoder_config .* use_moe is true"),
        (text(attention_qkv_bias=True), "attention_qkv_bias is true; implemented is false"),
        (audio(attention_o_bias=True), "attention_o_bias is true; implemented is false"),
        (text(tie_word_embeddings=False), "tie_word_embeddings is false; implemented is true"),
        (audio(tie_word_embeddings=True), "tie_word_embeddings is true; implemented is false"),
        (text(model_type="fish_qwen4"), 'model_type is "fish_qwen4"; implemented is "fish_qwen3"'),
        (top(scale_codebook_embeddings=False), "scale_codebook_embeddings is false; implemented is true"),
        (audio(norm_fastlayer_input=False), "norm_fastlayer_input is false; implemented is true"),
        (text(scale_codebook_embeddings=False), "scale_codebook_embeddings is false; implemented is true"),
        (text(rope_scaling={"factor": 4}), "rope_scaling is .*nothing of the kind"),
        (text(sliding_window=4096), "sliding_window is 4096; nothing of the kind"),
        (text(rope_base="1e6"), "rope_base is .*a finite number above zero"),
        (text(norm_eps=0), "norm_eps is 0; a finite number above zero"),
        (text(n_local_heads=5), "slow transformer has 32 heads over 5 key heads"),
        (audio(head_dim=127), "heads of the fast transformer are 127 wide"),
        (audio(dim=1024), "hidden states of 2560, the fast one takes 2560 and is 1024 wide; a projection"),
        (audio(text_dim=4096), "takes 4096"),
        (audio(max_seq_len=9), "a frame of 10 codes with 9 positions"),
        (audio(num_codebooks=1), "a frame of 1 codes"),
        (audio(vocab_size=2048), "tokens 151678 to 155773 stand for .* of which the fast transformer has 2048"),
        (text(vocab_size=155_773), "semantic_end_token_id is 155773, in a vocabulary of 155773"),
        (top(eos_token_id=151_678), "eos_token_id is 151678, which stands for a code"),
        (top(pad_token_id=-1), "pad_token_id is -1; a whole number"),
    ],
)
def test_what_the_networks_do_not_know_is_refused_by_name(folder, edit, named):
    change(folder, edit)
    with pytest.raises(CheckpointInvalid, match=named) as refused:
        FishConfig.read(folder)
    assert refused.value.hint


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_a_file_that_is_missing_or_damaged_is_refused(folder, content):
    (folder / "config.json").unlink() if content is None else (folder / "config.json").write_text(content)
    with pytest.raises(CheckpointInvalid, match=r"config\.json"):
        FishConfig.read(folder)
