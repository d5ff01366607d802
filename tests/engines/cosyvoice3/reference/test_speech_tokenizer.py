"""The speech tokenizer gives the ids of the plain formula, and reads no file that would give others."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import erf

import numpy as np
import pytest
import torch

from engines.cosyvoice3.reference.extraction_files import load_speech_tokenizer, read_speech_tokenizer
from engines.cosyvoice3.reference.speech_tokenizer import RELEASED_SPEECH_TOKENIZER, SpeechTokenizer, SpeechTokenizerConfig
from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint import without_memory
from engines.kit.weights.random_weights import RandomWeights
from tests.engines.cosyvoice3.reference.onnx_writer import (
    put_speech_tokenizer,
    speech_tokenizer_weights,
    write_campplus,
    write_speech_tokenizer,
)

CPU, WIDTH = torch.device("cpu"), 128


@pytest.fixture(scope="module")
def weights():
    return speech_tokenizer_weights(seed=1, width=WIDTH)


@pytest.fixture(scope="module")
def tokenizer(weights, tmp_path_factory):
    path = tmp_path_factory.mktemp("tokenizer") / "speech_tokenizer_v3.onnx"
    put_speech_tokenizer(weights).write(path)
    return read_speech_tokenizer(path, CPU)


def log_mel(n_frames: int, n_bands: int = 128) -> np.ndarray:
    return np.random.default_rng(2).standard_normal((n_bands, n_frames)).astype(np.float32)


@torch.inference_mode()
def ids_of(tokenizer: SpeechTokenizer, mel: np.ndarray) -> list[int]:
    return tokenizer(torch.from_numpy(mel)[None]).tolist()


def plain_channels(weights: dict[str, np.ndarray], mel: np.ndarray) -> np.ndarray:
    """(F, 8), before they are bounded: in float64, head by head and tap by tap."""
    w = {name: values.astype(np.float64) for name, values in weights.items()}
    x = gelu(halved(w, "conv2", gelu(halved(w, "conv1", mel.T))))
    for index in range(2):
        block = f"blocks.{index}."
        x = x + attended(w, f"{block}attn.", normed(w, f"{block}attn_ln", x))
        x = x + linear(w, f"{block}mlp.2", gelu(linear(w, f"{block}mlp.0", normed(w, f"{block}mlp_ln", x))))
    return linear(w, "quantizer.project_in", x)


def halved(w: dict, name: str, x: np.ndarray) -> np.ndarray:
    padded = np.pad(x, ((1, 1), (0, 0)))
    taps = [padded[tap:][: len(x)][::2] @ w[f"{name}.weight"][:, :, tap].T for tap in range(3)]
    return sum(taps) + w[f"{name}.bias"]


def gelu(x: np.ndarray) -> np.ndarray:
    return x * (1 + np.vectorize(erf)(x / np.sqrt(2))) / 2


def normed(w: dict, name: str, x: np.ndarray) -> np.ndarray:
    unit = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return unit * w[f"{name}.weight"] + w[f"{name}.bias"]


def linear(w: dict, name: str, x: np.ndarray) -> np.ndarray:
    return x @ w[f"{name}.weight"].T + w.get(f"{name}.bias", 0)


def attended(w: dict, at: str, x: np.ndarray) -> np.ndarray:
    query, key, value = (linear(w, at + name, x) for name in ("query", "key", "value"))
    mixed = np.zeros_like(value)
    for first in range(0, WIDTH, 64):
        head = slice(first, first + 64)
        scores = rotated(query[:, head]) @ rotated(key[:, head]).T / 8
        odds = np.exp(scores - scores.max(-1, keepdims=True))
        mixed[:, head] = odds / odds.sum(-1, keepdims=True) @ value[:, head]
    padded = np.pad(value, ((15, 15), (0, 0)))
    memory = sum(padded[tap:][: len(value)] * w[f"{at}fsmn_block.weight"][:, 0, tap] for tap in range(31))
    return linear(w, f"{at}out", mixed) + memory + value


def rotated(x: np.ndarray) -> np.ndarray:
    angles = np.outer(np.arange(len(x)), 10_000.0 ** (-np.arange(32) / 32))
    first, second = x[:, :32], x[:, 32:]
    return np.concatenate([first * np.cos(angles) - second * np.sin(angles), second * np.cos(angles) + first * np.sin(angles)], axis=1)


def test_ids_are_those_of_the_plain_formula(tokenizer, weights):
    for n_frames in (100, 331):
        channels = plain_channels(weights, log_mel(n_frames))
        with seen_channels(tokenizer) as seen:
            ids = ids_of(tokenizer, log_mel(n_frames))
        assert np.abs(seen[0].numpy() - channels).max() < 2e-5 * np.abs(channels).max()
        assert ids == ((np.round(np.tanh(channels) * 0.9990000128746033) + 1) @ 3.0 ** np.arange(8)).tolist()
        assert len(set(ids)) > len(ids) / 2


@contextmanager
def seen_channels(tokenizer: SpeechTokenizer) -> Iterator[list[torch.Tensor]]:
    seen = []
    hook = tokenizer.quantizer["project_in"].register_forward_hook(lambda _, inputs, channels: seen.append(channels))
    yield seen
    hook.remove()


@pytest.mark.parametrize("n_frames", [1, 4, 5, 101, 102, 103, 104])
def test_a_token_begins_every_four_frames(tokenizer, n_frames):
    ids = ids_of(tokenizer, log_mel(n_frames))
    assert len(ids) == -(-n_frames // 4)
    assert all(0 <= token < 6561 for token in ids)


def test_matrices_need_not_be_packed(tokenizer, weights):
    plain = SpeechTokenizer(tokenizer.config)
    plain.load_state_dict({name: torch.from_numpy(values) for name, values in weights.items()})
    assert ids_of(plain, log_mel(200)) == ids_of(tokenizer, log_mel(200))


def test_sizes_are_what_the_weights_say(tmp_path):
    write_speech_tokenizer(tmp_path / "a.onnx", seed=0, width=64, n_layers=3)
    assert read_speech_tokenizer(tmp_path / "a.onnx", CPU).config == SpeechTokenizerConfig(128, 64, 3)


def test_the_digest_is_of_the_weights(tmp_path):
    digests = []
    for seed, name in ((0, "a"), (0, "b"), (1, "c")):
        write_speech_tokenizer(tmp_path / name, seed)
        digests.append(read_speech_tokenizer(tmp_path / name, CPU).weights_digest)
    assert digests[0] == digests[1] != digests[2]


def test_the_released_sizes_have_the_tensors_of_the_release():
    """13 with names and 185 without; 969,451,503 bytes, all but a thousandth of which are theirs."""
    sizes = [tensor.numel() for tensor in without_memory(lambda: SpeechTokenizer(RELEASED_SPEECH_TOKENIZER)).state_dict().values()]
    assert len(sizes) == 13 + 185
    assert 0 < 969_451_503 - 4 * sum(sizes) < 2_000_000


def test_weights_can_be_drawn():
    config = SpeechTokenizerConfig(n_mels=8, width=64, n_layers=1)
    drawn = load_speech_tokenizer(RandomWeights(torch.float32), config, CPU)
    assert len(ids_of(drawn, log_mel(40, 8))) == 10
    assert drawn.weights_digest == "random-0"


def test_what_an_exporter_was_given_around_it_does_not_count(tmp_path, weights, tokenizer):
    """All names begin with the name of what the network is a part of."""
    put_speech_tokenizer(weights, within="model.encoder.").write(tmp_path / "a.onnx")
    assert read_speech_tokenizer(tmp_path / "a.onnx", CPU).weights_digest == tokenizer.weights_digest


def without(weights: dict[str, np.ndarray], *names: str) -> dict[str, np.ndarray]:
    return {name: values for name, values in weights.items() if name not in names}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda w: put_speech_tokenizer(w, eps=1e-6), r"epsilon of its layer norms in a\.onnx is 1e-06, expected 1e-05"),
        (lambda w: put_speech_tokenizer(w, bound=1.0), r"bound of its quantizer in a\.onnx is 1, expected 0\.999"),
        (lambda w: put_speech_tokenizer(without(w, "blocks.1.attn.out.bias")), r"1 missing: blocks\.1\.attn\.out\.bias"),
        (
            lambda w: put_speech_tokenizer({**w, "blocks.0.attn.key.bias": np.float32([0] * WIDTH)}),
            r"1 unexpected: blocks\.0\.attn\.key\.bias",
        ),
        (lambda w: put_speech_tokenizer({**w, "conv2.bias": np.float32([0])}), r"of another shape: conv2\.bias is"),
    ],
)
def test_another_network_is_refused(tmp_path, weights, change, said):
    change(weights).write(tmp_path / "a.onnx")
    with pytest.raises(CheckpointInvalid, match=said) as raised:
        read_speech_tokenizer(tmp_path / "a.onnx", CPU)
    assert raised.value.hint


def test_a_number_that_is_not_found_is_not_taken_for_granted(tmp_path, weights):
    file = put_speech_tokenizer(weights)
    file.nodes = [node for node in file.nodes if b"Tanh" not in node]
    file.write(tmp_path / "a.onnx")
    with pytest.raises(CheckpointInvalid, match=r"bound of its quantizer in a\.onnx is not there"):
        read_speech_tokenizer(tmp_path / "a.onnx", CPU)


def test_a_tensor_of_no_layer_is_refused(tmp_path, weights):
    file = put_speech_tokenizer(weights)
    file.tensor("Concat", None, np.float32([1, 2]))
    file.write(tmp_path / "a.onnx")
    with pytest.raises(CheckpointInvalid, match=r"belong to no layer: onnx::Concat_\d+\."):
        read_speech_tokenizer(tmp_path / "a.onnx", CPU)


def test_two_tensors_for_one_place_are_refused(tmp_path, weights):
    file = put_speech_tokenizer(weights)
    file.linear("blocks.0.attn.key", weights)
    file.write(tmp_path / "a.onnx")
    with pytest.raises(CheckpointInvalid, match=r"two tensors for blocks\.0\.attn\.key\.weight"):
        read_speech_tokenizer(tmp_path / "a.onnx", CPU)


def test_a_width_that_is_no_whole_heads_is_refused(tmp_path):
    write_speech_tokenizer(tmp_path / "a.onnx", seed=0, width=96, n_layers=1)
    with pytest.raises(CheckpointInvalid, match="96 channels, which are no heads of 64"):
        read_speech_tokenizer(tmp_path / "a.onnx", CPU)


def test_another_model_is_refused(tmp_path):
    write_campplus(tmp_path / "campplus.onnx", seed=0)
    with pytest.raises(CheckpointInvalid, match=r"campplus\.onnx has two tensors for conv1\.weight"):
        read_speech_tokenizer(tmp_path / "campplus.onnx", CPU)
