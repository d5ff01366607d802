"""OnnxFile: writes the layers of a network as torch's exporter lays them out. Format: onnx/onnx.proto, github.com/onnx/onnx."""

import re
import struct
from pathlib import Path

import numpy as np

__all__ = ["OnnxFile", "encoded", "encoded_tensor", "scope"]

TYPES = {np.dtype(kind): number for kind, number in ((np.float32, 1), (np.uint8, 2), (np.int8, 3), (np.int64, 7), (np.float16, 10))}
INT, INTS, FLOAT, TENSOR = 2, 7, 1, 4  # AttributeProto.type


class OnnxFile:
    """Nodes in the order in which they are put; tensors with a module's name first, then the nameless, each in that order."""

    def __init__(self):
        self.nodes: list[bytes] = []
        self.named: list[bytes] = []
        self.nameless: list[bytes] = []

    def write(self, path: Path) -> None:
        graph = b"".join(encoded(1, node) for node in self.nodes) + encoded(2, b"main_graph")
        graph += b"".join(encoded(5, tensor) for tensor in self.named + self.nameless)
        path.write_bytes(encoded(1, 8) + encoded(2, b"pytorch") + encoded(7, graph) + encoded(8, encoded(2, 15)))

    def tensor(self, op: str, name: str | None, values: np.ndarray) -> str:
        """The name that it is stored under: its own, or one of its consumer."""
        if name:
            self.named.append(encoded_tensor(name, values))
            return name
        called = f"onnx::{op}_{700 + len(self.nameless)}"
        self.nameless.append(encoded_tensor(called, values))
        return called

    def constant(self, path: str, values: np.ndarray) -> str:
        """The name of its output."""
        self.node("Constant", path, [], value=values)
        return f"{path}_output_0"

    def node(self, op: str, path: str, inputs: list[str], **attributes: object) -> None:
        body = b"".join(encoded(1, name.encode()) for name in inputs) + encoded(2, f"{path}_output_0".encode())
        body += encoded(3, path.encode()) + encoded(4, op.encode())
        self.nodes.append(body + b"".join(encoded(5, _attribute(name, value)) for name, value in attributes.items()))

    def conv(self, module: str, weights: dict[str, np.ndarray], named: bool = False, **attributes: list[int]) -> None:
        tensors = [f"{module}.{leaf}" for leaf in ("weight", "bias") if f"{module}.{leaf}" in weights]
        inputs = [self.tensor("Conv", name if named else None, weights[name]) for name in tensors]
        self.node("Conv", scope(module) + "/Conv", ["hidden", *inputs], **attributes)

    def linear(self, module: str, weights: dict[str, np.ndarray], named_bias: bool = False) -> None:
        """The bias comes first; the matrix lies (in, out)."""
        path, bias = scope(module), weights.get(f"{module}.bias")
        if bias is not None:
            bias = self.tensor("Add", f"{module}.bias" if named_bias else None, bias)
        self.node("MatMul", f"{path}/MatMul", ["hidden", self.tensor("MatMul", None, np.ascontiguousarray(weights[f"{module}.weight"].T))])
        if bias is not None:
            self.node("Add", f"{path}/Add", [bias, f"{path}/MatMul_output_0"])

    def layer_norm(self, module: str, weights: dict[str, np.ndarray], eps: float) -> None:
        """As before opset 17: in its parts."""
        path = scope(module)
        self.node("Add", f"{path}/Add", [f"{path}/ReduceMean_1_output_0", self.constant(f"{path}/Constant_1", np.float32(eps))])
        self.node("Sqrt", f"{path}/Sqrt", [f"{path}/Add_output_0"])
        self.node("Div", f"{path}/Div", [f"{path}/Sub_output_0", f"{path}/Sqrt_output_0"])
        self.node("Mul", f"{path}/Mul", [f"{path}/Div_output_0", self.tensor("Mul", None, weights[f"{module}.weight"])])
        self.node("Add", f"{path}/Add_1", [f"{path}/Mul_output_0", self.tensor("Add", None, weights[f"{module}.bias"])])

    def batch_norm(self, module: str, weights: dict[str, np.ndarray], eps: float) -> None:
        path, width = scope(module), len(weights[f"{module}.running_mean"])
        inputs = ["hidden"]
        for leaf, plain in (("weight", np.ones), ("bias", np.zeros), ("running_mean", None), ("running_var", None)):
            name = f"{module}.{leaf}"
            if name in weights:
                inputs.append(self.tensor("BatchNormalization", name, weights[name]))
            else:
                inputs.append(self.constant(f"{path}/Constant_{leaf}", plain(width, np.float32)))
        self.node("BatchNormalization", f"{path}/BatchNormalization", inputs, epsilon=eps)


def scope(module: str) -> str:
    """ "blocks.0.mlp.2" -> "/blocks.0/mlp/mlp.2": the numbered are called after the list that holds them."""
    path = re.sub(r"\b(\w+)\.(\d+)", r"\1/\1.\2", module)
    path = path.replace("blocks/", "")  # a list that is not called itself has no place in the path
    parts = re.split(r"[./](?!\d)", path)
    return "/" + "/".join(parts)


def encoded_tensor(name: str, values: np.ndarray) -> bytes:
    values = np.asarray(values)
    dims = b"".join(encoded(1, size) for size in values.shape)
    return dims + encoded(2, TYPES[values.dtype]) + encoded(8, name.encode()) + encoded(9, values.tobytes())


def encoded(number: int, value: int | float | bytes) -> bytes:
    """One field: a varint, four bytes of a float, or bytes with their length before them."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value & (1 << 64) - 1)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _attribute(name: str, value: object) -> bytes:
    body = encoded(1, name.encode())
    if isinstance(value, int):
        return body + encoded(3, value) + encoded(20, INT)
    if isinstance(value, float):
        return body + encoded(2, value) + encoded(20, FLOAT)
    if isinstance(value, list):
        return body + b"".join(encoded(8, each) for each in value) + encoded(20, INTS)
    return body + encoded(5, encoded_tensor("", value)) + encoded(20, TENSOR)


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])
