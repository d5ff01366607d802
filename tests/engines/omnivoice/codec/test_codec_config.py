"""audio_tokenizer/config.json: what it must say, what follows from it, and what is refused before any weight is read."""

from pathlib import Path

import pytest

from engines.errors import CheckpointInvalid
from engines.kit.weights import config_reading
from engines.omnivoice.codec.codec_config import FOLDER, RELEASED_CODEC, OmniVoiceCodecConfig
from tests.engines.omnivoice.codec.random_codec import codec_config
from tests.stand_ins.random_checkpoint import write_json


def read(folder: Path, config: dict) -> OmniVoiceCodecConfig:
    (folder / FOLDER).mkdir(exist_ok=True)
    write_json(folder / FOLDER / "config.json", config)
    return OmniVoiceCodecConfig.read(folder)


def acoustic(**changed: object) -> dict:
    return codec_config(acoustic_model_config=changed)


def semantic(**changed: object) -> dict:
    return codec_config(semantic_model_config=changed)


def without(*keys: str) -> dict:
    """The last key is missing below the others."""
    config = codec_config()
    inner = config
    for key in keys[:-1]:
        inner = inner[key]
    del inner[keys[-1]]
    return config


def test_a_frame_follows_from_strides_and_bandwidth(tmp_path):
    for config in (RELEASED_CODEC, read(tmp_path, codec_config())):
        assert (config.frame_samples, config.sample_rate, config.n_codebooks, config.semantic_stride) == (960, 24_000, 8, 2)
        assert config.codebook_sizes == (1024,) * 8
        assert [config.n_semantic_frames(n) for n in (1, 7, 250)] == [1, 7, 250]
    assert RELEASED_CODEC.frame_width == 1024
    assert read(tmp_path, codec_config(target_bandwidths=[0.5, 1])).n_codebooks == 4


def test_every_key_that_the_release_has_is_read_or_has_its_rule(tmp_path, monkeypatch):
    """The toy file has the keys of the released one."""
    monkeypatch.setattr(config_reading, "_changes_computation", lambda key, value: True)
    assert read(tmp_path, codec_config())


def test_what_the_release_says_of_parts_that_are_not_there_has_no_effect(tmp_path):
    plain = read(tmp_path, codec_config())
    other = acoustic(n_codebooks=12, codebook_dim=16, codebook_size=77, sampling_rate=44_100)
    assert read(tmp_path, other) == plain


REFUSED = {
    "another kind": (codec_config(model_type="xcodec"), 'model_type is "xcodec"; implemented is higgs_audio_v2_tokenizer'),
    "no section": (without("semantic_model_config"), "lacks semantic_model_config"),
    "no strides": (without("acoustic_model_config", "downsampling_ratios"), "acoustic_model_config .* lacks downsampling_ratios"),
    "another rate": (codec_config(sample_rate=44_100), "sample_rate is 44100"),
    "another rate of HuBERT": (codec_config(semantic_sample_rate=24_000), "semantic_sample_rate is 24000"),
    "dilated units": (codec_config(block_dilations=[1, 2]), r"block_dilations is \[1, 2\]"),
    "strided blocks": (codec_config(strides=[1, 2]), r"strides is \[1, 2\]"),
    "a long kernel": (codec_config(unit_kernel_size=5), "unit_kernel_size is 5; implemented is 3"),
    "an unknown quantizer": (codec_config(residual_quantizer="fsq"), "residual_quantizer"),
    "norms before": (semantic(do_stable_layer_norm=True), "do_stable_layer_norm is true"),
    "norms of layers": (semantic(feat_extract_norm="layer"), 'feat_extract_norm is "layer"'),
    "batch norm": (semantic(conv_pos_batch_norm=True), "conv_pos_batch_norm is true"),
    "adapters": (semantic(adapter_attn_dim=8), "adapter_attn_dim is 8"),
    "another activation": (semantic(hidden_act="relu"), 'hidden_act is "relu"'),
    "six convolutions": (semantic(num_feat_extract_layers=6), "num_feat_extract_layers is 6; 7 is what follows"),
    "heads that do not fill it": (semantic(num_attention_heads=5), "5 attention heads do not share 32 channels"),
    "lists of other lengths": (semantic(conv_stride=[5, 2]), "not of one length"),
    "a slower semantic half": (semantic(conv_stride=[5, 2, 2, 2, 2, 2, 4]), "1000 frames of the one encoder are 500 of the other"),
    "another hop": (acoustic(hop_length=320), "hop_length is 320; 960 is what follows"),
    "another length decoded": (acoustic(upsampling_ratios=[8, 5, 4, 2, 2]), "encodes frames of 960 samples and decodes 640"),
    "channels that cannot be halved": (acoustic(decoder_hidden_size=48), "5 stages cannot halve 48 channels"),
    "no room for a book": (codec_config(target_bandwidths=[0.1]), "no room for a codebook of 1024"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_implemented_or_does_not_fit_is_refused_by_name(tmp_path, case):
    config, said = REFUSED[case]
    with pytest.raises(CheckpointInvalid, match=said):
        read(tmp_path, config)


def test_a_folder_without_the_file_says_so(tmp_path):
    with pytest.raises(CheckpointInvalid, match=r"audio_tokenizer/config\.json"):
        OmniVoiceCodecConfig.read(tmp_path)
