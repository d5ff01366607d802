"""config.json: the released one is the default, other sizes are read, and what is not implemented is refused by name."""

import copy
import json
from pathlib import Path

import pytest

from engines.errors import CheckpointInvalid
from engines.kit.weights import config_reading
from engines.kokoro.config import VOCAB, KokoroConfig
from tests.released.release import FACTS

FOLDER = FACTS / "kokoro"
RELEASED = json.loads((FOLDER / "config.json").read_text(encoding="utf-8"))


def read(folder: Path, section: str = "", **changed: object) -> KokoroConfig:
    """The released file with other values; None takes a key out."""
    content = copy.deepcopy(RELEASED)
    part = content[section] if section else content
    part.update(changed)
    for key in (key for key, value in changed.items() if value is None):
        del part[key]
    (folder / "config.json").write_text(json.dumps(content), encoding="utf-8")
    return KokoroConfig.read(folder)


def test_the_defaults_are_those_of_the_released_file(monkeypatch):
    monkeypatch.setattr(config_reading, "_changes_computation", lambda key, value: True)  # every key has its rule
    config = KokoroConfig.read(FOLDER)
    assert config == KokoroConfig() and len(VOCAB) == 114
    assert (config.decoder_width, config.side_width, config.half_frame_samples, config.most_symbols) == (1024, 64, 300, 510)


def test_other_sizes_are_read_where_they_stand(tmp_path):
    istftnet = {
        "upsample_rates": [4], "upsample_kernel_sizes": [8], "resblock_kernel_sizes": [5], "resblock_dilation_sizes": [[1, 2, 4]],
        "upsample_initial_channel": 16, "gen_istft_n_fft": 8, "gen_istft_hop_size": 2,
    }  # fmt: skip
    plbert = {
        "hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 20, "num_hidden_layers": 2, "max_position_embeddings": 30,
        "embedding_size": 6, "dropout": 0.0,
    }  # fmt: skip
    config = read(
        tmp_path, n_token=50, hidden_dim=16, style_dim=6, n_layer=2, max_dur=7, text_encoder_kernel_size=3, vocab={"a": 49},
        plbert=plbert, istftnet=istftnet,
    )  # fmt: skip
    assert (config.n_symbols, config.hidden, config.style, config.text_layers, config.max_duration, config.text_kernel) == (
        50, 16, 6, 2, 7, 3,
    )  # fmt: skip
    albert, generator = config.albert, config.generator
    assert (albert.hidden_size, albert.heads, albert.intermediate, albert.layers, albert.positions, albert.embedding) == (
        12, 3, 20, 2, 30, 6,
    )  # fmt: skip
    assert (generator.upsample_rates, generator.upsample_kernels, generator.initial_channels) == ((4,), (8,), 16)
    assert (generator.resblock_kernels, generator.resblock_dilations, generator.n_fft, generator.hop) == ((5,), ((1, 2, 4),), 8, 2)
    assert (config.decoder_width, config.side_width, config.half_frame_samples, config.most_symbols) == (32, 2, 8, 28)


def test_keys_of_training_and_of_what_is_not_released_change_nothing(tmp_path):
    assert read(tmp_path, dropout=0.5, multispeaker=False, n_mels=100, dim_in=32, max_conv_dim=256, notes="none") == KokoroConfig()
    assert read(tmp_path, "plbert", hidden_act="gelu_new", num_hidden_groups=1, layer_norm_eps=1e-12, dropout=0.3) == KokoroConfig()


@pytest.mark.parametrize(
    ("section", "changed", "said"),
    [
        ("", {"n_token": None}, "lacks n_token"),
        ("", {"hidden_dim": "512"}, "hidden_dim is"),
        ("", {"hidden_dim": 0}, "hidden_dim is 0; a whole number above zero"),
        ("", {"quantization": {"bits": 8}}, "quantization"),
        ("", {"hidden_dim": 256}, "hands over 256 channels, and the generator takes 512"),
        ("", {"hidden_dim": 500}, "no multiple of 8"),
        ("", {"text_encoder_kernel_size": 4}, "even"),
        ("", {"vocab": {"ab": 1}}, "vocab"),
        ("", {"vocab": {"a": 178}}, "not below 178"),
        ("", {"vocab": {}}, "vocab"),
        ("", {"istftnet": []}, "istftnet is"),
        ("plbert", {"num_attention_heads": 7}, "7 heads do not share a width of 768"),
        ("plbert", {"hidden_act": "relu"}, "hidden_act is"),
        ("plbert", {"num_hidden_groups": 2}, "num_hidden_groups is 2"),
        ("plbert", {"inner_group_num": 2}, "inner_group_num is 2"),
        ("plbert", {"layer_norm_eps": 1e-5}, "layer_norm_eps is"),
        ("istftnet", {"upsample_rates": [10]}, "upsample_rates and upsample_kernel_sizes"),
        ("istftnet", {"upsample_kernel_sizes": [16, 12]}, "not twice even rates"),
        ("istftnet", {"upsample_rates": [5, 6], "upsample_kernel_sizes": [10, 12]}, "not twice even rates"),
        ("istftnet", {"upsample_rates": [10] * 10, "upsample_kernel_sizes": [20] * 10}, "not halved 10 times"),
        ("istftnet", {"resblock_kernel_sizes": [3, 7]}, "resblock_kernel_sizes and resblock_dilation_sizes"),
        ("istftnet", {"resblock_kernel_sizes": [3, 7, 10]}, "even"),
        ("istftnet", {"resblock_dilation_sizes": [[1, 3]] * 3}, "lists of 3 whole numbers"),
        ("istftnet", {"resblock_dilation_sizes": [[1, 3, True]] * 3}, "lists of 3 whole numbers"),
        ("istftnet", {"resblock_dilation_sizes": None}, "lists of 3 whole numbers"),
        ("istftnet", {"gen_istft_hop_size": 20}, "no even number of hops"),
        ("istftnet", {"gen_istft_n_fft": 25}, "no even number of hops"),
        ("istftnet", {"snake_scale": 2}, "snake_scale is 2"),
    ],
)
def test_what_is_not_implemented_is_refused_by_name(tmp_path, section, changed, said):
    with pytest.raises(CheckpointInvalid, match=said) as raised:
        read(tmp_path, section, **changed)
    assert raised.value.hint


def test_a_piece_of_text_has_no_more_symbols_than_a_voice_has_styles(tmp_path):
    assert read(tmp_path, "plbert", max_position_embeddings=1024).most_symbols == 510


@pytest.mark.parametrize(
    ("changed", "said"), [({"style_dim": 64}, "styles of 64 numbers"), ({"vocab": {"a": 43}}, "vocab lacks 113 of the symbols")]
)
def test_a_model_that_what_is_shipped_does_not_fit_is_read_and_does_not_speak(tmp_path, changed, said):
    KokoroConfig().check_speaks()
    with pytest.raises(CheckpointInvalid, match=said):
        read(tmp_path, **changed).check_speaks()


def test_a_file_that_is_none_is_refused(tmp_path):
    with pytest.raises(CheckpointInvalid, match=r"config\.json"):
        KokoroConfig.read(tmp_path)
