"""ONNX files of the released tensors, each a hole, behind the nodes that a reader knows them by; no runtime would run them.

A table of such a file says which tensor of which module each is. One that the file calls after its consumer, as torch's exporter does with
what was folded or turned, has NAMELESS before it, and CONSTANT one that is no weight of the file, but the output of a node; a matrix that
lies (in, out) there has TURNED behind it.
"""

from collections import defaultdict
from collections.abc import Mapping
from math import prod
from pathlib import Path

import numpy as np

from tests.engines.kit.weights.onnx_file import OnnxFile, encoded, scope
from tests.released.tensor_table import Tensors

__all__ = ["as_modules_have_them", "write_hollow_onnx"]

NAMELESS, CONSTANT, TURNED = "onnx::", "constant::", "^T"
FLOAT32 = 1  # TensorProto.DataType
EPSILON, BOUND, SEGMENT = np.float32(1e-5), np.float32(0.999), 100  # as both graphs have them; 0.999 of the quantizer
NORM = ("weight", "bias", "running_mean", "running_var")


def as_modules_have_them(tensors: Tensors) -> Tensors:
    """Names of the modules' tensors, matrices (out, in), of a table of such a file."""
    return {
        _bare(name): (shape[::-1] if name.endswith(TURNED) else shape, dtype) for name, (shape, dtype) in tensors.items()
    }  # fmt: skip


def write_hollow_onnx(file: Path, tensors: Tensors) -> None:
    """All tensors of the table, in the order in which torch's exporter has them: those with names, then the others."""
    weights = [name for name in sorted(tensors, key=lambda name: (name.startswith(NAMELESS), name)) if not name.startswith(CONSTANT)]
    stored = {name: f"onnx::Node_{i}" if name.startswith(NAMELESS) else name for i, name in enumerate(weights)}
    modules: dict[str, dict[str, str]] = defaultdict(dict)  # module -> its tensors' leaf -> name in the table
    for name in tensors:
        module, _, leaf = _bare(name).rpartition(".")
        modules[module][leaf] = name
    graph = OnnxFile()
    for module, leaves in modules.items():
        _put(graph, module, leaves, {leaf: stored[name] for leaf, name in leaves.items() if name in stored}, tensors)
    heads = [(encoded(8, stored[name].encode()), tensors[name][0]) for name in weights]
    _write(file, b"".join(encoded(1, node) for node in graph.nodes), heads)


def _put(graph: OnnxFile, module: str, leaves: Mapping[str, str], stored: Mapping[str, str], tensors: Tensors) -> None:
    """The nodes of a module, by what it has."""
    path = scope(module)
    if "running_mean" in leaves:
        width = tensors[leaves["running_mean"]][0]
        plain = {"weight": np.ones(width, np.float32), "bias": np.zeros(width, np.float32)}
        inputs = [stored[leaf] if leaf in stored else graph.constant(f"{path}/Constant_{leaf}", plain[leaf]) for leaf in NORM]
        graph.node("BatchNormalization", f"{path}/BatchNormalization", ["hidden", *inputs], epsilon=float(EPSILON))
    elif len(tensors[leaves["weight"]][0]) > 2:
        graph.node("Conv", f"{path}/Conv", ["hidden", *(stored[leaf] for leaf in ("weight", "bias") if leaf in stored)])
    elif leaves["weight"].endswith(TURNED):
        graph.node("MatMul", f"{path}/MatMul", ["hidden", stored["weight"]])
        if "bias" in stored:
            graph.node("Add", f"{path}/Add", [stored["bias"], f"{path}/MatMul_output_0"])
    else:
        graph.node("Add", f"{path}/Add", ["variance", graph.constant(f"{path}/Constant", EPSILON)])
        graph.node("Sqrt", f"{path}/Sqrt", [f"{path}/Add_output_0"])
        graph.node("Mul", f"{path}/Mul", [f"{path}/Div_output_0", stored["weight"]])
        graph.node("Add", f"{path}/Add_1", [f"{path}/Mul_output_0", stored["bias"]])
    if module.endswith("project_in"):
        graph.node("Tanh", "/quantizer/Tanh", ["levels"])
        graph.node("Mul", "/quantizer/Mul", ["/quantizer/Tanh_output_0", graph.constant("/quantizer/Constant", BOUND)])
    elif module.endswith("linear_local"):
        graph.node("AveragePool", f"{path}/AveragePool", ["hidden"], kernel_shape=[SEGMENT])


def _write(file: Path, nodes: bytes, heads: list[tuple[bytes, tuple[int, ...]]]) -> None:
    """GraphProto.node, then GraphProto.initializer, each of whose data is a hole."""
    tensors = []
    for name, shape in heads:
        n_bytes = 4 * prod(shape)
        before = b"".join(encoded(1, size) for size in shape) + encoded(2, FLOAT32) + name + _key(9, n_bytes)
        tensors.append((_key(5, len(before) + n_bytes) + before, n_bytes))
    size = len(nodes) + sum(len(before) + n_bytes for before, n_bytes in tensors)
    with file.open("wb") as out:
        out.write(_key(7, size) + nodes)
        for before, n_bytes in tensors:
            out.write(before)
            out.seek(n_bytes, 1)
        out.truncate()


def _key(number: int, n_bytes: int) -> bytes:
    """What stands before a field of so many bytes."""
    length = encoded(1, n_bytes)[1:]  # a varint, behind the key of a field of whole numbers
    return encoded(number, b"")[:-1] + length


def _bare(name: str) -> str:
    return name.removeprefix(NAMELESS).removeprefix(CONSTANT).removesuffix(TURNED)
