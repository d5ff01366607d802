"""The speaker encoder gives the vector of the plain formula, whatever the clip's length, and reads no file that would give another."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from engines.cosyvoice3.reference.extraction_files import load_speaker_encoder, read_speaker_encoder
from engines.errors import CheckpointInvalid
from engines.kit.speaker.campplus import RELEASED_CAMPPLUS, CampPlus, CampPlusConfig, FoldedCampPlus
from engines.kit.weights.checkpoint import without_memory
from engines.kit.weights.random_weights import RandomWeights
from tests.engines.cosyvoice3.reference.onnx_writer import campplus_weights, put_campplus, write_campplus, write_speech_tokenizer
from tests.engines.kit.speaker.trained_weights import unfolded

CPU, LAYERS = torch.device("cpu"), (2, 1, 1)


@pytest.fixture(scope="module")
def weights():
    return campplus_weights(seed=3)


@pytest.fixture(scope="module")
def encoder(weights, tmp_path_factory):
    path = tmp_path_factory.mktemp("encoder") / "campplus.onnx"
    put_campplus(weights).write(path)
    return read_speaker_encoder(path, CPU)


def bank(n_frames: int) -> np.ndarray:
    """Louder from frame to frame, so that segments differ."""
    return np.random.default_rng(4).standard_normal((n_frames, 80)) * np.linspace(0.5, 3, n_frames)[:, None]


@torch.inference_mode()
def vector_of(encoder: CampPlus, frames: np.ndarray) -> np.ndarray:
    return encoder(torch.from_numpy(frames.astype(np.float32))[None]).numpy()


def plain_vector(weights: dict[str, np.ndarray], frames: np.ndarray) -> np.ndarray:
    """In float64, tap by tap and segment by segment."""
    w = {name: values.astype(np.float64) for name, values in weights.items()}
    x = relu(convolved(w, "xvector.tdnn.linear", headed(w, frames.T[None]), stride=2, padding=2))
    for number, (n_layers, dilation) in enumerate(zip(LAYERS, (1, 2, 2), strict=True), 1):
        for index in range(1, n_layers + 1):
            x = np.concatenate([x, dense(w, f"xvector.block{number}.tdnnd{index}.", x, dilation)])
        transit = f"xvector.transit{number}."
        x = convolved(w, f"{transit}linear", relu(normed(w, f"{transit}nonlinear.batchnorm", x)))
    x = relu(x)
    statistics = np.concatenate([x.mean(1), x.std(1, ddof=1)])[:, None]
    return normed(w, "xvector.dense.nonlinear.batchnorm", convolved(w, "xvector.dense.linear", statistics))[:, 0]


def headed(w: dict, image: np.ndarray) -> np.ndarray:
    x = relu(imaged(w, "head.conv1", image))
    for block, stride in (("head.layer1.0.", 2), ("head.layer1.1.", 1), ("head.layer2.0.", 2), ("head.layer2.1.", 1)):
        inner = imaged(w, f"{block}conv2", relu(imaged(w, f"{block}conv1", x, stride)))
        x = relu(inner + (imaged(w, f"{block}shortcut.0", x, 2, 0) if stride == 2 else x))
    x = relu(imaged(w, "head.conv2", x, 2))
    return x.reshape(-1, x.shape[-1])


def imaged(w: dict, name: str, image: np.ndarray, stride: int = 1, padding: int = 1) -> np.ndarray:
    """(C, bands, T); the stride is the bands' alone."""
    kernel, n_bands, n_frames = w[f"{name}.weight"], -(-image.shape[1] // stride), image.shape[2]
    padded = np.pad(image, ((0, 0), (padding, padding), (padding, padding)))
    taps = [
        np.einsum("oc,cbt->obt", kernel[:, :, row, column], padded[:, row:, column : column + n_frames][:, ::stride][:, :n_bands])
        for row in range(kernel.shape[2])
        for column in range(kernel.shape[3])
    ]
    return sum(taps) + w[f"{name}.bias"][:, None, None]


def dense(w: dict, layer: str, x: np.ndarray, dilation: int) -> np.ndarray:
    x = relu(convolved(w, f"{layer}linear1", relu(normed(w, f"{layer}nonlinear1.batchnorm", x))))
    context = np.empty_like(x)
    for first in range(0, x.shape[1], 100):
        segment = x[:, first : first + 100]
        context[:, first : first + 100] = x.mean(1, keepdims=True) + segment.mean(1, keepdims=True)
    at = f"{layer}cam_layer."
    mask = convolved(w, f"{at}linear2", relu(convolved(w, f"{at}linear1", context)))
    return convolved(w, f"{at}linear_local", x, padding=dilation, dilation=dilation) / (1 + np.exp(-mask))


def convolved(w: dict, name: str, x: np.ndarray, *, stride: int = 1, padding: int = 0, dilation: int = 1) -> np.ndarray:
    kernel = w[f"{name}.weight"]
    padded = np.pad(x, ((0, 0), (padding, padding)))
    reach = (kernel.shape[2] - 1) * dilation
    taps = [kernel[:, :, tap] @ padded[:, tap * dilation :][:, : padded.shape[1] - reach : stride] for tap in range(kernel.shape[2])]
    return sum(taps) + w.get(f"{name}.bias", np.zeros(len(kernel)))[:, None]


def normed(w: dict, name: str, x: np.ndarray) -> np.ndarray:
    unit = (x - w[f"{name}.running_mean"][:, None]) / np.sqrt(w[f"{name}.running_var"] + 1e-5)[:, None]
    return unit * w[f"{name}.weight"][:, None] + w[f"{name}.bias"][:, None] if f"{name}.weight" in w else unit


def relu(x: np.ndarray) -> np.ndarray:
    return x.clip(min=0)


@pytest.mark.parametrize("n_frames", [98, 199, 200, 298, 437])
def test_the_vector_is_that_of_the_plain_formula(encoder, weights, n_frames):
    """Of segments that are whole (200 frames are 100 of them) and of such that are not."""
    ours, plain = vector_of(encoder, bank(n_frames)), plain_vector(weights, bank(n_frames))
    assert ours.shape == (192,)
    assert np.abs(ours - plain).max() < 2e-5 * np.abs(plain).max()


def test_segments_are_heard(encoder):
    """The same frames in another order are another speaker, where they change segments."""
    frames = bank(400)
    turned = np.concatenate([frames[200:], frames[:200]])
    assert np.abs(vector_of(encoder, frames) - vector_of(encoder, turned)).max() > 1e-3


def test_sizes_are_what_the_weights_say(tmp_path):
    write_campplus(tmp_path / "a.onnx", seed=0, layers=(1, 3, 2), growth=8, embedding=16)
    assert read_speaker_encoder(tmp_path / "a.onnx", CPU).config == CampPlusConfig(80, 2, 8, 8, 32, (1, 3, 2), 16)


def test_the_digest_is_of_the_weights(tmp_path):
    digests = []
    for seed, name in ((0, "a"), (0, "b"), (1, "c")):
        write_campplus(tmp_path / name, seed)
        digests.append(read_speaker_encoder(tmp_path / name, CPU).weights_digest)
    assert digests[0] == digests[1] != digests[2]


def test_the_released_sizes_have_the_tensors_of_the_release():
    """617 initializers, and scale and shift of the last batch norm, which are constants; 28,303,423 bytes."""
    sizes = [tensor.numel() for tensor in without_memory(lambda: CampPlus(RELEASED_CAMPPLUS)).state_dict().values()]
    assert len(sizes) == 617 + 2
    assert 0 < 28_303_423 - 4 * sum(sizes) < 1_500_000


def test_weights_can_be_drawn():
    config = CampPlusConfig(80, 2, 8, 4, 16, LAYERS, 192)
    assert load_speaker_encoder(RandomWeights(torch.float32), config, CPU).weights_digest == "random-0"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda w: put_campplus(w, eps=1e-3), r"epsilon of its batch norms in a\.onnx is 0\.001, expected 1e-05"),
        (
            lambda w: put_campplus({**w, "xvector.transit1.linear.bias": np.zeros(8, np.float32)}),
            r"1 unexpected: xvector\.transit1\.linear",
        ),
        (lambda w: put_campplus(w, layers=(1, 1, 1)), r"of another shape: .*xvector\.transit1\.linear\.weight is"),
        (lambda w: put_campplus({**w, "head.conv2.bias": np.zeros(3, np.float32)}), r"of another shape: head\.conv2\.bias is"),
    ],
)
def test_another_network_is_refused(tmp_path, weights, change, said):
    change(weights).write(tmp_path / "a.onnx")
    with pytest.raises(CheckpointInvalid, match=said) as raised:
        read_speaker_encoder(tmp_path / "a.onnx", CPU)
    assert raised.value.hint


def test_a_batch_norm_that_should_be_folded_is_refused(tmp_path, weights):
    file = put_campplus(weights)
    norm = {f"head.bn1.{leaf}": np.ones(2, np.float32) for leaf in ("weight", "bias", "running_mean", "running_var")}
    file.batch_norm("head.bn1", norm, 1e-5)
    file.write(tmp_path / "a.onnx")
    with pytest.raises(CheckpointInvalid, match=r"4 unexpected: head\.bn1\.bias"):
        read_speaker_encoder(tmp_path / "a.onnx", CPU)


def test_half_floats_are_refused(tmp_path, weights):
    halved = {name: values.astype(np.float16) if name == "head.conv1.weight" else values for name, values in weights.items()}
    put_campplus(halved).write(tmp_path / "a.onnx")
    with pytest.raises(CheckpointInvalid, match=r"head\.conv1\.weight in a\.onnx is of a type that is not read"):
        read_speaker_encoder(tmp_path / "a.onnx", CPU)


def test_segments_of_another_length_are_refused(tmp_path, weights):
    file = put_campplus(weights)
    file.node("AveragePool", "/xvector/AveragePool", [], kernel_shape=[50])
    file.write(tmp_path / "a.onnx")
    with pytest.raises(CheckpointInvalid, match=r"length of its segments in a\.onnx is 50, 100, expected 100"):
        read_speaker_encoder(tmp_path / "a.onnx", CPU)


def test_another_model_is_refused(tmp_path):
    write_speech_tokenizer(tmp_path / "a.onnx", seed=0)
    with pytest.raises(CheckpointInvalid, match=r"epsilon of its batch norms in a\.onnx is not there"):
        read_speaker_encoder(tmp_path / "a.onnx", CPU)


@torch.inference_mode()
def test_weights_as_training_leaves_them_give_the_same_vector(encoder, tmp_path):
    """Batch norms behind convolutions become part of them, in whatever root of the file they lie."""
    trained = {f"model.{name}": value.contiguous() for name, value in unfolded(encoder.state_dict()).items()}
    save_file(trained, tmp_path / "trained.safetensors")
    again = without_memory(lambda: CampPlus(encoder.config))

    class File(FoldedCampPlus):
        root = "model."

    with File(tmp_path / "trained.safetensors") as file:
        file.load_into(again, "model.")
        assert not [name for name in file.names if "num_batches" in name]
    again.prepare_weights()
    assert np.abs(vector_of(again, bank(150)) - vector_of(encoder, bank(150))).max() < 1e-5


def test_what_hardly_varies_is_pooled_as_if_it_did(encoder):
    """Where its configuration says so."""
    config, still = encoder.config, np.ones((150, 80))
    floored = without_memory(lambda: CampPlus(replace(config, least_variance=100.0)))
    floored.load_state_dict(encoder.state_dict(), assign=True)
    assert np.abs(vector_of(floored, still) - vector_of(encoder, still)).max() > 1e-2
