"""Small ONNX files laid out as the released ones: the same names, nameless tensors, scopes and order. They hold what a reader of weights
looks at, not the steps between, so no ONNX runtime runs them.
"""

from pathlib import Path

import numpy as np

from tests.engines.kit.weights.onnx_file import OnnxFile, scope

__all__ = [
    "campplus_weights",
    "put_campplus",
    "put_speech_tokenizer",
    "speech_tokenizer_weights",
    "write_campplus",
    "write_speech_tokenizer",
]

KERNEL, HEAD_DIM, N_MELS, N_LEVELS, N_BANDS = 31, 64, 128, 8, 80
LINEARS = ("attn.query", "attn.key", "attn.value", "attn.out", "mlp.0", "mlp.2")


def write_speech_tokenizer(path: Path, seed: int, width: int = HEAD_DIM, n_layers: int = 2) -> None:
    """speech_tokenizer_v3.onnx, of `speech_tokenizer_weights`."""
    put_speech_tokenizer(speech_tokenizer_weights(seed, width, n_layers)).write(path)


def write_campplus(path: Path, seed: int, layers: tuple[int, int, int] = (2, 1, 1), growth: int = 4, embedding: int = 192) -> None:
    """campplus.onnx, of `campplus_weights`."""
    put_campplus(campplus_weights(seed, layers, growth, embedding), layers).write(path)


def speech_tokenizer_weights(seed: int, width: int = HEAD_DIM, n_layers: int = 2) -> dict[str, np.ndarray]:
    """By the module's names, matrices as (out, in). Ids that they give vary from frame to frame."""
    draw = _Draw(seed)
    draw.layer("conv1", (width, N_MELS, 3))
    draw.layer("conv2", (width, width, 3))
    for block in (f"blocks.{index}." for index in range(n_layers)):
        draw.gain(f"{block}attn_ln", width)
        for name in LINEARS:
            inner, outer = (4 * width if name == "mlp.2" else width), (4 * width if name == "mlp.0" else width)
            draw.layer(block + name, (outer, inner), bias=name != "attn.key")
        draw.layer(f"{block}attn.fsmn_block", (width, 1, KERNEL), bias=False)
        draw.gain(f"{block}mlp_ln", width)
    draw.layer("quantizer.project_in", (N_LEVELS, width))
    return draw.weights


def put_speech_tokenizer(
    weights: dict[str, np.ndarray], eps: float = 1e-5, bound: float = 0.9990000128746033, within: str = ""
) -> OnnxFile:
    """within: the module that the network is a part of, with its dot."""
    file, n_layers = OnnxFile(), sum(name.endswith("attn_ln.weight") for name in weights)
    weights = {within + name: values for name, values in weights.items()}
    file.conv(f"{within}conv1", weights, strides=[2])
    file.conv(f"{within}conv2", weights, strides=[2])
    for block in (f"{within}blocks.{index}." for index in range(n_layers)):
        file.layer_norm(f"{block}attn_ln", weights, eps)
        for name in LINEARS[:3]:
            file.linear(block + name, weights)
        file.conv(f"{block}attn.fsmn_block", weights, named=True)
        file.linear(f"{block}attn.out", weights)
        file.layer_norm(f"{block}mlp_ln", weights, eps)
        for name in LINEARS[4:]:
            file.linear(block + name, weights)
    file.linear(f"{within}quantizer.project_in", weights, named_bias=True)
    path = scope(f"{within}quantizer")
    file.node("Tanh", f"{path}/Tanh", [f"{path}/Cast_output_0"])
    file.node("Mul", f"{path}/Mul", [f"{path}/Tanh_output_0", file.constant(f"{path}/Constant", np.float32(bound))])
    return file


def campplus_weights(seed: int, layers: tuple[int, int, int] = (2, 1, 1), growth: int = 4, embedding: int = 192) -> dict[str, np.ndarray]:
    """By the module's names, batch norms folded as in the released file."""
    draw, channels, width = _Draw(seed), 2, 8  # channels: of the convolutions of two dimensions
    draw.layer("head.conv1", (channels, 1, 3, 3))
    for block in ("head.layer1.0.", "head.layer1.1.", "head.layer2.0.", "head.layer2.1."):
        draw.layer(f"{block}conv1", (channels, channels, 3, 3))
        draw.layer(f"{block}conv2", (channels, channels, 3, 3))
        if block.endswith(".0."):
            draw.layer(f"{block}shortcut.0", (channels, channels, 1, 1))
    draw.layer("head.conv2", (channels, channels, 3, 3))
    draw.layer("xvector.tdnn.linear", (width, channels * N_BANDS // 8, 5))
    bottleneck = 4 * growth
    for block, n_layers in enumerate(layers, 1):
        for layer in (f"xvector.block{block}.tdnnd{index}." for index in range(1, n_layers + 1)):
            draw.batch_norm(f"{layer}nonlinear1.batchnorm", width)
            draw.layer(f"{layer}linear1", (bottleneck, width, 1))
            draw.layer(f"{layer}cam_layer.linear_local", (growth, bottleneck, 3), bias=False)
            draw.layer(f"{layer}cam_layer.linear1", (bottleneck // 2, bottleneck, 1))
            draw.layer(f"{layer}cam_layer.linear2", (growth, bottleneck // 2, 1))
            width += growth
        draw.batch_norm(f"xvector.transit{block}.nonlinear.batchnorm", width)
        draw.layer(f"xvector.transit{block}.linear", (width // 2, width, 1), bias=block == 3)
        width //= 2
    draw.layer("xvector.dense.linear", (embedding, 2 * width, 1), bias=False)
    draw.batch_norm("xvector.dense.nonlinear.batchnorm", embedding, affine=False)
    return draw.weights


def put_campplus(weights: dict[str, np.ndarray], layers: tuple[int, int, int] = (2, 1, 1), eps: float = 1e-5) -> OnnxFile:
    file = OnnxFile()
    file.conv("head.conv1", weights)
    for block in ("head.layer1.0.", "head.layer1.1.", "head.layer2.0.", "head.layer2.1."):
        file.conv(f"{block}conv1", weights)
        file.conv(f"{block}conv2", weights)
        if block.endswith(".0."):
            file.conv(f"{block}shortcut.0", weights)
    file.conv("head.conv2", weights)
    file.conv("xvector.tdnn.linear", weights, strides=[2])
    for block, n_layers in enumerate(layers, 1):
        for layer in (f"xvector.block{block}.tdnnd{index}." for index in range(1, n_layers + 1)):
            file.batch_norm(f"{layer}nonlinear1.batchnorm", weights, eps)
            file.conv(f"{layer}linear1", weights)
            file.conv(f"{layer}cam_layer.linear_local", weights, named=True, dilations=[1 if block == 1 else 2])
            file.node("AveragePool", scope(f"{layer}cam_layer") + "/AveragePool", [], kernel_shape=[100], strides=[100], ceil_mode=1)
            file.conv(f"{layer}cam_layer.linear1", weights, named=True)
            file.conv(f"{layer}cam_layer.linear2", weights, named=True)
        file.batch_norm(f"xvector.transit{block}.nonlinear.batchnorm", weights, eps)
        file.conv(f"xvector.transit{block}.linear", weights, named=block < 3)
    file.conv("xvector.dense.linear", weights, named=True)
    file.batch_norm("xvector.dense.nonlinear.batchnorm", weights, eps)
    return file


class _Draw:
    """Tensors by name, sized so that what goes through them keeps its size."""

    def __init__(self, seed: int):
        self._rng, self.weights = np.random.default_rng(seed), {}

    def layer(self, module: str, shape: tuple[int, ...], bias: bool = True) -> None:
        scale = np.sqrt(2 / np.prod(shape[1:]))
        self._put(f"{module}.weight", self._rng.standard_normal(shape) * scale)
        if bias:
            self._put(f"{module}.bias", self._rng.standard_normal(shape[0]) * 0.1)

    def gain(self, module: str, width: int) -> None:
        self._put(f"{module}.weight", self._rng.uniform(0.7, 1.3, width))
        self._put(f"{module}.bias", self._rng.standard_normal(width) * 0.1)

    def batch_norm(self, module: str, width: int, affine: bool = True) -> None:
        if affine:
            self.gain(module, width)
        self._put(f"{module}.running_mean", self._rng.standard_normal(width) * 0.1)
        self._put(f"{module}.running_var", self._rng.uniform(0.5, 1.5, width))

    def _put(self, name: str, values: np.ndarray) -> None:
        self.weights[name] = values.astype(np.float32)
