"""Configuration files: what they must say, and what is refused before any weight is read."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.errors import CheckpointInvalid
from engines.qwen3_tts.config import Qwen3Config
from tests.engines.qwen3_tts.checkpoints.networks import tiny_folder


@pytest.fixture
def folder(tmp_path) -> Path:
    shutil.copytree(tiny_folder(), tmp_path / "checkpoint", ignore=shutil.ignore_patterns("*.safetensors"))
    return tmp_path / "checkpoint"


def change(file: Path, edit: Callable[[dict], object]) -> None:
    content = json.loads(file.read_text(encoding="utf-8"))
    edit(content)
    file.write_text(json.dumps(content), encoding="utf-8")


def test_every_part_is_read_and_absent_keys_have_the_official_values(folder):
    change(folder / "speech_tokenizer/config.json", lambda content: content["decoder_config"].pop("sliding_window"))
    (folder / "generation_config.json").unlink()
    config = Qwen3Config.read(folder)
    assert config.talker.hidden_size == config.speaker_encoder.enc_dim == 48
    assert config.predictor.hidden_size == 32
    assert config.talker.codec_language_id["english"] == 2050
    assert config.codec.decoder_config.sliding_window == 72
    assert config.generation.max_new_tokens == 2048
    assert config.tts_pad_token_id == 338


CONFIG, CODEC = "config.json", "speech_tokenizer/config.json"


@pytest.mark.parametrize(
    ("file", "edit", "named"),
    [
        (CONFIG, lambda c: c.update(tts_model_type="music"), "music"),
        (CONFIG, lambda c: c.update(tokenizer_type="qwen3_tts_tokenizer_25hz"), "25hz"),
        (CONFIG, lambda c: c["talker_config"].pop("codec_eos_token_id"), "talker_config .* lacks codec_eos_token_id"),
        (CONFIG, lambda c: c["talker_config"].update(attention_bias=True), "talker_config .* attention_bias is true; implemented is false"),
        (CONFIG, lambda c: c["talker_config"].update(use_sliding_window=True), "use_sliding_window is true; implemented is false"),
        (CONFIG, lambda c: c["talker_config"].update(hidden_act="gelu"), 'hidden_act is "gelu"; implemented is "silu"'),
        (
            CONFIG,
            lambda c: c["talker_config"]["code_predictor_config"].update(layer_types=["full_attention", "sliding_attention"]),
            r'code_predictor_config .* layer_types is \["full_attention", "sliding_attention"\]; implemented is',
        ),
        (CONFIG, lambda c: c["talker_config"].update(rope_scaling={"rope_type": "yarn", "factor": 4.0}), "rope_scaling .* factor is 4.0"),
        (
            CONFIG,
            lambda c: c["talker_config"].update(rope_scaling={"rope_type": "dynamic"}),
            'rope_type is "dynamic"; implemented is "default"',
        ),
        (CONFIG, lambda c: c["talker_config"].update(quantization_config={"bits": 4}), "quantization_config is"),
        (CONFIG, lambda c: c["talker_config"].update(num_code_groups=8), "codebooks"),
        (CONFIG, lambda c: c["talker_config"].update(code_predictor_config=None), "code_predictor_config is null; an object"),
        (CONFIG, lambda c: c.update(talker_config=None), "talker_config is null; an object"),
        (CONFIG, lambda c: c.update(speaker_encoder_config=[]), r"speaker_encoder_config is \[\]; an object"),
        (CONFIG, lambda c: c["talker_config"].update(hidden_size="48"), 'hidden_size is "48"; a whole number above zero'),
        (CONFIG, lambda c: c["talker_config"].update(rms_norm_eps=float("nan")), "rms_norm_eps is NaN; a finite number"),
        (CONFIG, lambda c: c["talker_config"].update(num_key_value_heads=0), "num_key_value_heads is 0"),
        (CONFIG, lambda c: c["talker_config"].update(codec_language_id={"english": "2050"}), "codec_language_id is .* of whole numbers"),
        (CONFIG, lambda c: c["speaker_encoder_config"].update(enc_channels=512), "enc_channels is 512; a list of whole numbers"),
        (CONFIG, lambda c: c["speaker_encoder_config"].update(enc_dim=7), "7 wide"),
        (CONFIG, lambda c: c["speaker_encoder_config"].update(sample_rate=16000), "16000"),
        (CODEC, lambda c: c.update(decode_upsample_rate=960), "frame lengths"),
        (CODEC, lambda c: c["decoder_config"].update(upsample_rates=[8, 5, 4, 4]), "frame lengths"),
        (CODEC, lambda c: c["decoder_config"].update(num_semantic_quantizers=2), "num_semantic_quantizers is 2; implemented is 1"),
        (CODEC, lambda c: c["decoder_config"].update(layer_types=["full_attention"]), "sliding_attention"),
        (CODEC, lambda c: c["encoder_config"].update(_frame_rate=25.0), "encoder_config .* _frame_rate is 25.0; implemented is .* 12.5"),
        (CODEC, lambda c: c["encoder_config"].update(pad_mode="replicate"), 'pad_mode is "replicate"; implemented is "constant"'),
        (CODEC, lambda c: c["encoder_config"].update(vector_quantization_hidden_dimension=7), "vector_quantization_hidden_dimension is 7"),
        (CODEC, lambda c: c.update(decoder_config=None), "speech_tokenizer/config.json .* decoder_config is null"),
        ("generation_config.json", lambda c: c.update(top_k=[50]), r"generation_config.json .* top_k is \[50\]"),
        ("generation_config.json", lambda c: c.update(num_beams=4), "num_beams is 4; implemented is 1"),
    ],
)
def test_what_the_networks_do_not_know_is_refused_by_name(folder, file, edit, named):
    change(folder / file, edit)
    with pytest.raises(CheckpointInvalid, match=named) as refused:
        Qwen3Config.read(folder)
    assert refused.value.hint


def test_theta_is_read_wherever_transformers_writes_it(folder):
    before = Qwen3Config.read(folder)

    def as_transformers_5_has_it(content):
        for section in (content["talker_config"], content["talker_config"]["code_predictor_config"]):
            scaling = section.pop("rope_scaling", None) or {}
            section["rope_parameters"] = {"rope_type": "default", "rope_theta": section.pop("rope_theta")} | scaling

    change(folder / CONFIG, as_transformers_5_has_it)
    assert Qwen3Config.read(folder) == before
    assert before.talker.rope_theta == before.predictor.rope_theta == 1_000_000
    change(folder / CONFIG, lambda content: content["talker_config"].update(rope_theta=10_000))
    with pytest.raises(CheckpointInvalid, match=r"rope_theta is 10000, rope_parameters\.rope_theta is 1000000"):
        Qwen3Config.read(folder)


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_files_that_are_missing_or_damaged_are_refused(folder, content):
    file = folder / "speech_tokenizer/config.json"
    file.unlink() if content is None else file.write_text(content)
    with pytest.raises(CheckpointInvalid, match=r"config\.json"):
        Qwen3Config.read(folder)
