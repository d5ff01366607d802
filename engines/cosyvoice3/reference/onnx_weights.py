"""OnnxWeights: the tensors of an ONNX file under the names of their modules. In the file most have no such name.

torch's exporter keeps a tensor's name only where it is stored as it was. What was cast, turned or folded (a matrix, a convolution with its
batch norm) is called after its consumer, `onnx::MatMul_802`; of which module that is a part its own name says: /blocks.0/mlp/mlp.2/MatMul.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import torch
from torch import Tensor

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint import Checkpoint
from engines.kit.weights.onnx_graph import OnnxGraph, OnnxNode

__all__ = ["OnnxWeights"]

MOST_NAMED = 20
BY_POSITION = {  # op -> what its inputs are, the first of which is the signal
    "Conv": ("weight", "bias"),
    "Gemm": ("weight", "bias"),
    "LayerNormalization": ("weight", "bias"),
    "BatchNormalization": ("weight", "bias", "running_mean", "running_var"),
}
ALONE = {"MatMul": "weight", "Add": "bias", "Mul": "weight"}  # op -> what its one stored input is, on whichever side


class OnnxWeights(Checkpoint):
    """A checkpoint whose names are `module.weight` and so on, matrices (out, in). graph: what the file says beyond its weights.

    roots: how names of the network begin; what the exporter was given around it ("encoder.") is taken off.
    Raises CheckpointInvalid where the file is none, where a tensor of floats is of no module, and where two are of the same.
    """

    def __init__(self, path: Path, roots: tuple[str, ...]):
        self._stack, self._used, self._path = ExitStack(), set(), path
        self.graph = OnnxGraph(path)
        self._initializers = frozenset(self.graph.initializers)
        self._within = re.compile(rf"^(?:.*\.)?(?=(?:{'|'.join(map(re.escape, roots))})\b)")
        self._places: dict[str, tuple[str, bool]] = {}  # name -> what it is called in the graph, and whether it lies (in, out) there
        for name, stored, is_turned in self._found():
            if self._places.setdefault(name, (stored, is_turned)) != (stored, is_turned):
                raise CheckpointInvalid(f"{path.name} has two tensors for {name}: {self._places[name][0]}, {stored}.", "Fetch it again.")
        placed = {stored for stored, _ in self._places.values()}
        others = [name for name in self.graph.initializers if self._is_weight(name) and name not in placed]
        if others:
            more = f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
            fact = f"{path.name} has tensors that belong to no layer: {', '.join(others[:MOST_NAMED])}{more}."
            raise CheckpointInvalid(fact, "Fetch the weights of the right model.")

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._places)

    def tensor(self, name: str) -> Tensor:
        """As stored, but for matrices, which are turned; on the CPU. Raises CheckpointInvalid for a name that is not there."""
        stored, is_turned = self._place(name)
        self._used.add(name)
        tensor = self.graph.tensor(stored)
        return tensor.T if is_turned else tensor.clone()  # nothing that stays keeps the file mapped

    def dtype(self, name: str) -> torch.dtype:
        dtype = self.graph.dtype(self._place(name)[0])
        if dtype is None:
            raise CheckpointInvalid(f"{name} in {self._path.name} is of a type that is not read.", "Fetch the weights of the right model.")
        return dtype

    def shape(self, name: str) -> tuple[int, ...]:
        stored, is_turned = self._place(name)
        shape = self.graph.shape(stored)
        return shape[::-1] if is_turned else shape

    def scalar(self, name: str) -> float | None:
        """The value of a constant of one number; None for anything else."""
        return self.graph.numbers(name).item() if self.graph.holds(name) and self.graph.shape(name) in {(), (1,)} else None

    def check_numbers(self, what: str, found: Sequence[float], expected: float) -> None:
        """Raises CheckpointInvalid where a number that our own code has is another in the graph, or is not found there."""
        if not found or not all(abs(value - expected) <= 1e-6 * expected for value in found):
            said = ", ".join(f"{value:g}" for value in sorted(set(found))) or "not there"
            raise CheckpointInvalid(
                f"{what} in {self._path.name} is {said}, expected {expected:g}.", "Fetch the weights of the right model."
            )

    def _place(self, name: str) -> tuple[str, bool]:
        if name not in self._places:
            raise CheckpointInvalid(f"{self._path.name} has no tensor {name}.", "Fetch the weights again.")
        return self._places[name]

    def _is_weight(self, stored: str) -> bool:
        return self.graph.dtype(stored) not in {torch.int64, torch.int32, torch.bool}

    def _found(self) -> Iterator[tuple[str, str, bool]]:
        """Name, stored name, is_turned of all that is a layer's."""
        for node in self.graph.nodes:
            module = self._within.sub("", _module(node.name))
            for leaf, stored, is_turned in self._of_node(node):
                yield f"{module}.{leaf}", stored, is_turned

    def _of_node(self, node: OnnxNode) -> Iterator[tuple[str, str, bool]]:
        if node.op in BY_POSITION and (node.op != "Gemm" or node.number("transB", 0) == 1):
            for leaf, stored in zip(BY_POSITION[node.op], node.inputs[1:], strict=False):
                if self.graph.holds(stored):
                    yield leaf, stored, False
        elif node.op in ALONE:
            for stored in node.inputs:
                is_fit = stored in self._initializers and len(self.graph.shape(stored)) == (2 if node.op == "MatMul" else 1)
                if is_fit and self._is_weight(stored):
                    yield ALONE[node.op], stored, node.op == "MatMul"


def _module(node_name: str) -> str:
    """ "/blocks.0/mlp/mlp.2/MatMul" -> "blocks.0.mlp.2": what is numbered is called after the list that it is in."""
    parts = node_name.strip("/").split("/")[:-1]
    followed = [*parts[1:], ""]
    return ".".join(part for part, next_part in zip(parts, followed, strict=False) if not next_part.startswith(f"{part}."))
