"""Configuration files: what they must say, and what is refused before any weight is read."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.errors import CheckpointInvalid
from engines.qwen3_tts.config import Qwen3Config
from tests.engines.qwen3_tts.networks import tiny_folder


@pytest.fixture
def folder(tmp_path) -> Path:
    shutil.copytree(tiny_folder(), tmp_path / "checkpoint", ignore=shutil.ignore_patterns("*.safetensors"))
    return tmp_path / "checkpoint"


def change(file: Path, edit: Callable[[dict], object]) -> None:
    content = json.loads(file.read_text())
    edit(content)
    file.write_text(json.dumps(content))


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


@pytest.mark.parametrize(
    ("file", "edit", "named"),
    [
        ("config.json", lambda c: c.update(tts_model_type="custom_voice"), "custom_voice"),
        ("config.json", lambda c: c.update(tokenizer_type="qwen3_tts_tokenizer_25hz"), "25hz"),
        ("config.json", lambda c: c["talker_config"].pop("codec_eos_token_id"), "codec_eos_token_id"),
        ("config.json", lambda c: c["talker_config"].update(attention_bias=True), "talker has biases"),
        ("config.json", lambda c: c["talker_config"].update(num_code_groups=8), "codebooks"),
        ("config.json", lambda c: c["speaker_encoder_config"].update(enc_dim=7), "7 wide"),
        ("config.json", lambda c: c["speaker_encoder_config"].update(sample_rate=16000), "16000"),
        ("speech_tokenizer/config.json", lambda c: c.update(decode_upsample_rate=960), "frame lengths"),
    ],
)
def test_what_the_networks_do_not_know_is_refused_by_name(folder, file, edit, named):
    change(folder / file, edit)
    with pytest.raises(CheckpointInvalid, match=named):
        Qwen3Config.read(folder)


@pytest.mark.parametrize("content", [None, "", "[]", "{"])
def test_files_that_are_missing_or_damaged_are_refused(folder, content):
    file = folder / "speech_tokenizer/config.json"
    file.unlink() if content is None else file.write_text(content)
    with pytest.raises(CheckpointInvalid, match=r"config\.json"):
        Qwen3Config.read(folder)
