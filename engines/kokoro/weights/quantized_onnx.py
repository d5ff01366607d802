"""QuantizedOnnx: the 8-bit ONNX file of Kokoro as a checkpoint of float32 tensors, by the names of the official state dict.

kokoro-v1.0.int8.onnx was made by onnxruntime's dynamic quantization. Convolutions have a scale and a zero for the whole tensor, linear
layers a scale for every output, LSTMs one for each direction, embeddings one for the table. Weight norms are folded. The file keeps equal
constants once, so that a scale is found by the node that applies it, never by its own name.
"""

import re
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint import Checkpoint
from engines.kit.weights.onnx_graph import OnnxGraph, OnnxNode

__all__ = ["QuantizedOnnx"]

ROOTS = frozenset({"bert", "bert_encoder", "predictor", "text_encoder", "decoder"})
# Names of tensors that are stored as they were trained.
AS_TRAINED = re.compile(r"(encoder|decoder)\.(?P<name>.+\.(bias|weight|gamma|beta|alpha[12]\.\d))")
BASES = "decoder.decoder.generator.stft."  # of the export's own Fourier transforms
TYPES_OF_WEIGHTS = frozenset({torch.float32, torch.int8, torch.uint8})
MOST_NAMED = 5
OTHER = "Use kokoro-v1.0.int8.onnx as it is packaged."


@dataclass(frozen=True)
class _Source:
    """make: computes the tensor, float32, of this shape."""

    shape: tuple[int, ...]
    make: Callable[[], Tensor]


class QuantizedOnnx(Checkpoint):
    """source: the file, or its bytes (N,) uint8.

    Every tensor is computed when it is asked for: (stored - zero) * scale. Raises CheckpointInvalid for a file that is damaged, or holds a
    weight that belongs to no layer.
    """

    def __init__(self, source: Path | np.ndarray):
        self._stack, self._used = ExitStack(), set()
        self._graph = OnnxGraph(source, "kokoro-v1.0.int8.onnx")
        self._nodes = {node.name: node for node in self._graph.nodes}
        self._sources: dict[str, _Source] = {}
        self._taken: set[str] = set()  # stored tensors that are accounted for
        adders = {
            "ConvInteger": self._add_convolution,
            "MatMulInteger": self._add_linear,
            "DynamicQuantizeLSTM": self._add_lstm,
            "Gather": self._add_embedding,
            "Conv": self._add_plain,
            "ConvTranspose": self._add_plain,
            "MatMul": self._add_plain,
        }
        for node in self._graph.nodes:
            if node.op in adders and self._is_new_weight(node.inputs[0 if node.op == "Gather" else 1]):
                adders[node.op](node)
        for stored in self._graph.initializers:
            named = AS_TRAINED.fullmatch(stored)
            if named and stored not in self._taken:
                self._add(named["name"], self._graph.shape(stored), partial(_stored, self._graph, stored), stored)
        self._check_left_over()

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._sources)

    def tensor(self, name: str) -> Tensor:
        """Contiguous float32 of its own, on the CPU. Raises CheckpointInvalid for a name that is not there."""
        self._used.add(name)
        return self._source(name).make().contiguous()

    def dtype(self, name: str) -> torch.dtype:
        return torch.float32

    def shape(self, name: str) -> tuple[int, ...]:
        return self._source(name).shape

    def _source(self, name: str) -> _Source:
        if name not in self._sources:
            raise CheckpointInvalid(f"The checkpoint has no tensor {name}.", OTHER)
        return self._sources[name]

    # --- what the nodes say

    def _add_convolution(self, node: OnnxNode) -> None:
        module = _module(node.name)
        bias = f"{'decoder' if module.startswith('decoder.') else 'encoder'}.{module}.bias"
        scale = self._node(f"{bias}_scale_node" if self._graph.holds(bias) else f"{node.name}_scales_mul").inputs[1]
        self._add_dequantized(module, node.inputs[1], scale, node.inputs[3])

    def _add_linear(self, node: OnnxNode) -> None:
        scale = self._node(f"{node.name}_scales_mul").inputs[1]
        self._add_dequantized(_module(node.name), node.inputs[1], scale, node.inputs[3], turned=True)

    def _add_embedding(self, node: OnnxNode) -> None:
        _, scale, zero = self._node(f"{node.name}_DequantizeLinear").inputs
        self._add_dequantized(_module(node.name), node.inputs[0], scale, zero)

    def _add_lstm(self, node: OnnxNode) -> None:
        """Stored are both directions in one, matrices (2, in, 4 H), and both biases of each in one, (2, 8 H)."""
        module, biases = _module(node.name), node.inputs[3]
        matrices = {"ih": (node.inputs[1], *node.inputs[8:10]), "hh": (node.inputs[2], *node.inputs[10:12])}
        for direction, suffix in enumerate(("", "_reverse")):
            for half, (kind, (stored, scale, zero)) in enumerate(matrices.items()):
                _, n_in, n_out = self._graph.shape(stored)
                make = partial(_gates, self._graph, stored, scale, zero, direction)
                self._add(f"{module}.weight_{kind}_l0{suffix}", (n_out, n_in), make, stored, scale, zero)
                make = partial(_bias_gates, self._graph, biases, direction, half)
                self._add(f"{module}.bias_{kind}_l0{suffix}", (n_out,), make, biases)

    def _add_plain(self, node: OnnxNode) -> None:
        """What was left in float32. A bias keeps its own name."""
        stored, turned = node.inputs[1], node.op == "MatMul"
        make = partial(_stored, self._graph, stored, turned)
        self._add(f"{_module(node.name)}.weight", self._shape(stored, turned), make, stored)

    def _add_dequantized(self, module: str, stored: str, scale: str, zero: str, turned: bool = False) -> None:
        make = partial(_restored, self._graph, stored, scale, zero, turned)
        self._add(f"{module}.weight", self._shape(stored, turned), make, stored, scale, zero)

    def _add(self, name: str, shape: tuple[int, ...], make: Callable[[], Tensor], *stored: str) -> None:
        if name in self._sources:
            raise CheckpointInvalid(f"The checkpoint has two tensors for {name}.", OTHER)
        self._sources[name] = _Source(shape, make)
        self._taken.update(stored)

    def _shape(self, stored: str, turned: bool) -> tuple[int, ...]:
        return self._graph.shape(stored)[::-1] if turned else self._graph.shape(stored)

    def _is_new_weight(self, stored: str) -> bool:
        """A layer that is used several times over, as ALBERT's is, has its weights once, and its first node has the layer's plain name."""
        graph = self._graph
        is_weight = graph.holds(stored) and graph.dtype(stored) in TYPES_OF_WEIGHTS and len(graph.shape(stored)) > 1
        return is_weight and stored not in self._taken and not stored.startswith(BASES)

    def _node(self, name: str) -> OnnxNode:
        if name not in self._nodes:
            raise CheckpointInvalid(f"The checkpoint has no node {name}, which would say a scale.", OTHER)
        return self._nodes[name]

    def _check_left_over(self) -> None:
        """The names of the exporter's own constants begin with a slash; so do those of some weights, but these are of 8 bits."""
        graph = self._graph
        left = [
            name
            for name in graph.initializers
            if name not in self._taken and graph.dtype(name) in TYPES_OF_WEIGHTS and not self._is_constant(name)
        ]
        if left:
            more = f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else ""
            raise CheckpointInvalid(f"The checkpoint has tensors that belong to no layer: {', '.join(left[:MOST_NAMED])}{more}.", OTHER)

    def _is_constant(self, stored: str) -> bool:
        return self._graph.dtype(stored) == torch.float32 and stored.startswith(("/", BASES))


def _stored(graph: OnnxGraph, stored: str, turned: bool = False) -> Tensor:
    tensor = graph.tensor(stored)
    return (tensor.T if turned else tensor).clone()  # nothing that stays keeps the file in memory


def _gates(graph: OnnxGraph, stored: str, scale: str, zero: str, direction: int) -> Tensor:
    """Of one direction, (4 H, in)."""
    return _in_order_of_torch(_dequantized(*(graph.tensor(name)[direction] for name in (stored, scale, zero)), turned=True))


def _bias_gates(graph: OnnxGraph, stored: str, direction: int, half: int) -> Tensor:
    return _in_order_of_torch(graph.tensor(stored)[direction].chunk(2)[half])


def _restored(graph: OnnxGraph, stored: str, scale: str, zero: str, turned: bool) -> Tensor:
    return _dequantized(graph.tensor(stored), graph.tensor(scale), graph.tensor(zero), turned)


def _dequantized(stored: Tensor, scale: Tensor, zero: Tensor, turned: bool) -> Tensor:
    """float32. turned: a matrix (in, out) as (out, in), with its scales and zeros of the outputs."""
    if turned:
        stored, scale, zero = stored.T.contiguous(), scale.reshape(-1, 1), zero.reshape(-1, 1)
    values = stored.to(torch.float32)
    if zero.any():
        values -= zero.to(torch.float32)
    return values.mul_(scale)


def _in_order_of_torch(rows: Tensor) -> Tensor:
    """(4 H, ...) of gates input, output, forget, cell as input, forget, cell, output."""
    i, o, f, c = rows.chunk(4)
    return torch.cat([i, f, c, o])


def _module(node: str) -> str:
    """ "/encoder/text_encoder/cnn.0/cnn.0.0/Conv_quant" -> "text_encoder.cnn.0.0".

    Parts of the predictor that the model calls by themselves lack its name.
    """
    parts = node.strip("/").split("/")[1:-1]
    kept = [part for part, following in zip(parts, [*parts[1:], ""], strict=True) if not following.startswith(f"{part}.")]
    return ".".join(kept if ROOTS.issuperset(kept[:1]) else ["predictor", *kept])
