"""The configuration file: what it must say, what follows from it, and what is refused before any weight is read."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.errors import CheckpointInvalid
from engines.kit.weights import config_reading
from engines.omnivoice.config import SIZES, OmniVoiceConfig, released_config
from tests.released.release import FACTS

RELEASED = FACTS / "omnivoice"


@pytest.fixture
def folder(tmp_path) -> Path:
    shutil.copyfile(RELEASED / "config.json", tmp_path / "config.json")
    return tmp_path


def change(folder: Path, edit: Callable[[dict], object]) -> None:
    content = json.loads((folder / "config.json").read_text())
    edit(content)
    (folder / "config.json").write_text(json.dumps(content))


def test_the_configuration_as_code_is_that_of_the_released_file():
    assert [released_config(size) for size in SIZES] == [OmniVoiceConfig.read(RELEASED)]


def test_every_key_of_the_released_file_is_read_or_has_its_rule(monkeypatch):
    monkeypatch.setattr(config_reading, "_changes_computation", lambda key, value: True)
    assert OmniVoiceConfig.read(RELEASED) == released_config("0.6B")


def test_a_file_of_transformers_4_or_of_an_untied_table_says_the_same(folder):
    def older(content: dict) -> None:
        section = content["llm_config"]
        section |= {"rope_theta": section.pop("rope_parameters")["rope_theta"], "rope_scaling": None, "tie_word_embeddings": False}
        section |= {"torch_dtype": section.pop("dtype"), "layer_types": None}

    change(folder, older)
    assert OmniVoiceConfig.read(folder) == released_config("0.6B")


def test_what_the_official_class_has_by_default_need_not_be_said(folder):
    change(folder, lambda content: [content.pop(key) for key in ("audio_vocab_size", "audio_mask_id", "num_audio_codebook")])
    assert OmniVoiceConfig.read(folder) == released_config("0.6B")


def test_all_positions_see_one_another_and_heads_are_normed_and_rotated():
    decoder = released_config("0.6B").decoder()
    attention = decoder.attention
    assert not decoder.causal and attention.qk_norm and not attention.qkv_bias and not attention.out_bias
    assert (attention.hidden_size, attention.n_heads, attention.n_kv_heads, attention.head_dim) == (1024, 16, 8, 128)
    assert (decoder.intermediate_size, decoder.n_layers, attention.norm_eps) == (3072, 28, 1e-6)
    assert (attention.rotary.kind, attention.rotary.theta, attention.rotary.in_float32) == ("half", 1e6, False)


def top(**values: object) -> Callable[[dict], object]:
    return lambda content: content.update(values)


def llm(**values: object) -> Callable[[dict], object]:
    return lambda content: content["llm_config"].update(values)


ROPE = {"rope_theta": 1e6, "rope_type": "default"}


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (top(model_type="higgs_audio_v2_tokenizer"), "no OmniVoice model: model_type 'higgs_audio_v2_tokenizer', and 'omnivoice'"),
        (lambda c: c.pop("model_type"), "model_type None"),
        (lambda c: c.pop("llm_config"), r"config\.json of the checkpoint lacks llm_config"),
        (top(llm_config=None), "llm_config is null; an object"),
        (lambda c: c["llm_config"].pop("vocab_size"), "llm_config .* lacks vocab_size"),
        (lambda c: c["llm_config"].pop("rope_parameters"), "llm_config .* lacks rope_theta"),
        (llm(rope_parameters=ROPE | {"rope_type": "yarn", "factor": 4}), "factor is 4; implemented is the plain rotary"),
        (llm(rope_parameters=ROPE | {"rope_type": "linear"}), 'rope_type is "linear"; implemented is "default"'),
        (llm(rope_theta=1e4), "contradicts itself: rope_theta is 10000.0, rope_parameters.rope_theta is 1000000"),
        (llm(model_type="qwen2"), 'model_type is "qwen2"; implemented is "qwen3"'),
        (llm(hidden_act="gelu"), 'hidden_act is "gelu"; implemented is "silu"'),
        (llm(attention_bias=True), "attention_bias is true; implemented is false"),
        (llm(use_sliding_window=True), "use_sliding_window is true"),
        (llm(layer_types=["sliding_attention"] * 28), "layer_types is"),
        (llm(rms_norm_eps="1e-6"), "rms_norm_eps is .*a finite number above zero"),
        (llm(num_experts=8), "num_experts is 8; nothing of the kind"),
        (llm(num_key_value_heads=5), "16 heads over 5 key heads"),
        (llm(head_dim=127), "heads are 127 wide"),
        (top(quantization_config={"bits": 4}), "quantization_config is"),
        (top(audio_mask_id=0), "audio_mask_id is 0, .* the last of 1025 entries"),
        (top(audio_vocab_size=1024), "audio_mask_id is 1024, .* the last of 1024 entries"),
        (top(num_audio_codebook=0), "num_audio_codebook is 0; a whole number above zero"),
        (top(num_audio_codebook="8"), "num_audio_codebook is"),
    ],
)
def test_what_the_networks_do_not_know_is_refused_by_name(folder, edit, named):
    change(folder, edit)
    with pytest.raises(CheckpointInvalid, match=named) as refused:
        OmniVoiceConfig.read(folder)
    assert refused.value.hint


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_a_file_that_is_missing_or_damaged_is_refused(folder, content):
    (folder / "config.json").unlink() if content is None else (folder / "config.json").write_text(content)
    with pytest.raises(CheckpointInvalid, match=r"config\.json"):
        OmniVoiceConfig.read(folder)
