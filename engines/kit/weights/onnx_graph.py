"""OnnxGraph: the nodes and tensors of an ONNX file, read from its bytes. Neither onnx nor onnxruntime is needed.

Field numbers are those of onnx/onnx.proto (github.com/onnx/onnx, v1.17); the encoding is Protocol Buffers' (protobuf.dev, "Encoding").
"""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint_files import is_lfs_pointer

__all__ = ["OnnxGraph", "OnnxNode", "StoredTensor"]

# Far above what networks have: CosyVoice3's two files have some 30,000 fields each, so a foreign file is given up within seconds.
MOST_FIELDS = 1_000_000
MOST_NAME_BYTES, MOST_DIMENSIONS = 1_000, 8
AGAIN = "Fetch the weights again."

# TensorProto.DataType
NUMBERS = {1: np.float32, 2: np.uint8, 3: np.int8, 6: np.int32, 7: np.int64, 9: np.bool_, 11: np.float64}
DTYPES = {1: torch.float32, 2: torch.uint8, 3: torch.int8, 6: torch.int32, 7: torch.int64, 9: torch.bool, 11: torch.float64}
# TensorProto's fields of values -> the data types that each is for. raw_data is for any.
FLOAT_DATA, INT32_DATA, INT64_DATA, RAW_DATA = 4, 5, 7, 9
DATA_FIELDS = {FLOAT_DATA: {1}, INT32_DATA: {2, 3, 6, 9}, INT64_DATA: {7}, RAW_DATA: set()}
EXTERNAL_FIELDS, IN_ANOTHER_FILE = 13, 1  # TensorProto.external_data; TensorProto.DataLocation.EXTERNAL

Field = tuple[int, int | tuple[int, int]]  # number; its value, or where its bytes begin and end


@dataclass(frozen=True)
class StoredTensor:
    """Where the values of a tensor lie, and what they are: first and last in bytes of the file. packed: they are varints there."""

    name: str
    data_type: int
    shape: tuple[int, ...]
    first: int
    last: int
    packed: bool


@dataclass(frozen=True)
class OnnxNode:
    """attributes: numbers, tuples of whole numbers, and tensors; of other types none."""

    op: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, int | float | tuple[int, ...] | StoredTensor | None]

    def number(self, attribute: str, default: float) -> float:
        """Not a number where it is of another type."""
        value = self.attributes.get(attribute, default)
        return value if isinstance(value, int | float) else math.nan

    def sizes(self, attribute: str) -> tuple[int, ...]:
        """Empty where there is none, or of another type."""
        value = self.attributes.get(attribute)
        return value if isinstance(value, tuple) else ()


class OnnxGraph:
    """Nodes in their order, and the names of initializers in theirs. The file is mapped: values are read when a tensor is asked for.

    source: the file, or its bytes (N,) uint8. name: what messages call those.
    Raises CheckpointInvalid for what is no such file, is damaged, or keeps its values in another.
    """

    def __init__(self, source: Path | np.ndarray, name: str = ""):
        self._file = source.name if isinstance(source, Path) else name
        self._content = _mapped(source) if isinstance(source, Path) else source
        self._bytes, self._fields_left = self._content.data, MOST_FIELDS
        self.nodes: tuple[OnnxNode, ...] = ()
        self._stored: dict[str, StoredTensor] = {}
        graphs = [span for number, span in self._fields(0, len(self._bytes)) if number == 7]
        if len(graphs) != 1 or not isinstance(graphs[0], tuple):
            raise CheckpointInvalid(f"{self._file} is no ONNX model: it has {len(graphs)} graphs, expected 1.", AGAIN)
        self._read_graph(*graphs[0])
        self.initializers = tuple(self._stored)
        self._read_constants()

    def holds(self, name: str) -> bool:
        """Whether that is an initializer, or the output of a constant."""
        return name in self._stored

    def shape(self, name: str) -> tuple[int, ...]:
        return self._stored[name].shape

    def dtype(self, name: str) -> torch.dtype | None:
        """None for types that weights do not have."""
        return DTYPES.get(self._stored[name].data_type)

    def tensor(self, name: str) -> Tensor:
        """Of an initializer or constant, on the CPU: the file's own memory where it is aligned there, else a copy. Only to be read."""
        return torch.from_numpy(self.numbers(name))

    def numbers(self, name: str) -> np.ndarray:
        """The same as an array."""
        stored = self._stored[name]
        if stored.data_type not in NUMBERS:
            raise CheckpointInvalid(f"{name} in {self._file} is of data type {stored.data_type}, which is not read.", AGAIN)
        dtype, n_values = np.dtype(NUMBERS[stored.data_type]), math.prod(stored.shape)
        if stored.packed:
            values = self._unpacked(stored, dtype)
        elif stored.last - stored.first != n_values * dtype.itemsize:
            fact = f"{name} in {self._file} has {stored.last - stored.first} bytes; {n_values} values take {n_values * dtype.itemsize}."
            raise CheckpointInvalid(fact, AGAIN)
        else:
            part = self._content[stored.first : stored.last]
            values = (part.copy() if stored.first % dtype.itemsize else part).view(dtype)
        if len(values) != n_values:
            raise CheckpointInvalid(f"{name} in {self._file} has {len(values)} values, expected {n_values}.", AGAIN)
        return np.asarray(values).reshape(stored.shape)

    def _unpacked(self, stored: StoredTensor, dtype: np.dtype) -> np.ndarray:
        try:
            return np.array([_signed(value) for value in self._varints(stored.first, stored.last)], dtype)
        except OverflowError as error:
            raise CheckpointInvalid(f"{stored.name} in {self._file} has values that are no {dtype}.", AGAIN) from error

    def _read_graph(self, first: int, last: int) -> None:
        nodes = []
        for number, value in self._fields(first, last):
            if number == 1:
                nodes.append(self._node(*self._span(value)))
            elif number == 5:
                stored = self._tensor(*self._span(value))
                if stored.name in self._stored:
                    raise CheckpointInvalid(f"{self._file} has two tensors that are called {stored.name}.", AGAIN)
                self._stored[stored.name] = stored
        self.nodes = tuple(nodes)

    def _read_constants(self) -> None:
        for node in self.nodes:
            value = node.attributes.get("value")
            if node.op == "Constant" and node.outputs and isinstance(value, StoredTensor):
                self._stored.setdefault(node.outputs[0], value)
            elif (
                node.op == "Identity" and node.inputs and node.outputs and node.inputs[0] in self._stored
            ):  # of tensors that are equal one is stored
                self._stored.setdefault(node.outputs[0], self._stored[node.inputs[0]])

    def _node(self, first: int, last: int) -> OnnxNode:
        texts: dict[int, list[str]] = {1: [], 2: [], 3: [], 4: []}
        attributes = {}
        for number, value in self._fields(first, last):
            if number in texts:
                texts[number].append(self._text(value))
            elif number == 5:
                name, what = self._attribute(*self._span(value))
                attributes[name] = what
        op, name = (texts[number][-1] if texts[number] else "" for number in (4, 3))
        return OnnxNode(op, name, tuple(texts[1]), tuple(texts[2]), attributes)

    def _attribute(self, first: int, last: int) -> tuple[str, int | float | tuple[int, ...] | StoredTensor | None]:
        name, what, whole = "", None, []
        for number, value in self._fields(first, last):
            if number == 1:
                name = self._text(value)
            elif number == 2:
                what = self._float(*self._span(value))
            elif number == 3 and isinstance(value, int):
                what = _signed(value)
            elif number == 5:
                what = self._tensor(*self._span(value))
            elif number == 8:
                whole += [value] if isinstance(value, int) else self._varints(*value)
        return name, tuple(map(_signed, whole)) if whole else what

    def _tensor(self, first: int, last: int) -> StoredTensor:
        name, data_type, shape, where = "", 0, [], None
        for number, value in self._fields(first, last):
            if number == 1:
                shape += [value] if isinstance(value, int) else self._varints(*value)
            elif number == 2 and isinstance(value, int):
                data_type = value
            elif number == 8:
                name = self._text(value)
            elif number == EXTERNAL_FIELDS or (number == 14 and value == IN_ANOTHER_FILE):
                raise CheckpointInvalid(f"{self._file} keeps tensors in another file.", "Use a file that has its weights in it.")
            elif number in DATA_FIELDS and isinstance(value, tuple) and value[0] != value[1]:
                where = number, *value
        if len(shape) > MOST_DIMENSIONS or any(size >> 40 for size in shape):
            raise CheckpointInvalid(f"{name or 'A tensor'} in {self._file} has an impossible shape.", AGAIN)
        number, first, last = where or (RAW_DATA, 0, 0)
        if DATA_FIELDS[number] and data_type not in DATA_FIELDS[number]:
            raise CheckpointInvalid(f"{name or 'A tensor'} in {self._file} has values of another type than it says.", AGAIN)
        return StoredTensor(name, data_type, tuple(shape), first, last, packed=number in {INT32_DATA, INT64_DATA})

    def _fields(self, first: int, last: int) -> Iterator[Field]:
        """Of one message. Every number of bytes that a file states is compared with what is there."""
        at = first
        while at < last:
            self._fields_left -= 1
            if self._fields_left < 0:
                raise CheckpointInvalid(f"{self._file} has more than {MOST_FIELDS} fields: no network of this project.", AGAIN)
            key, at = self._varint(at, last)
            kind = key & 7
            if kind == 0:
                value, at = self._varint(at, last)
                yield key >> 3, value
                continue
            if kind == 2:
                size, at = self._varint(at, last)
            else:
                size = {1: 8, 5: 4}.get(kind, -1)
            if not 0 <= size <= last - at:
                raise self._damaged()
            yield key >> 3, (at, at + size)
            at += size

    def _varint(self, at: int, last: int) -> tuple[int, int]:
        """The number that begins there, and where the next byte is."""
        value = 0
        for index, byte in enumerate(self._bytes[at : min(last, at + 10)]):
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return value & (1 << 64) - 1, at + index + 1
        raise self._damaged()

    def _varints(self, first: int, last: int) -> list[int]:
        values, at = [], first
        while at < last:
            self._fields_left -= 1
            if self._fields_left < 0:
                raise self._damaged()
            value, at = self._varint(at, last)
            values.append(value)
        return values

    def _float(self, first: int, last: int) -> float:
        if last - first != 4:
            raise self._damaged()
        return struct.unpack_from("<f", self._bytes, first)[0]

    def _text(self, value: int | tuple[int, int]) -> str:
        first, last = self._span(value)
        if last - first > MOST_NAME_BYTES:
            raise self._damaged()
        return bytes(self._bytes[first:last]).decode(errors="replace")

    def _span(self, value: int | tuple[int, int]) -> tuple[int, int]:
        if isinstance(value, int):
            raise self._damaged()
        return value

    def _damaged(self) -> CheckpointInvalid:
        return CheckpointInvalid(f"{self._file} is damaged, or no ONNX model.", AGAIN)


def _signed(value: int) -> int:
    """Of a varint: its 64 bits as two's complement."""
    return value - (value >> 63 << 64)


def _mapped(path: Path) -> np.ndarray:
    """The file's bytes, read when they are looked at."""
    if is_lfs_pointer(path):
        raise CheckpointInvalid(f"{path.name} is a Git LFS pointer, not the weights.", "Run in its folder: git lfs pull")
    try:
        if path.is_file() and path.stat().st_size:
            return np.memmap(path, np.uint8, mode="c")  # so that torch may have its memory, of which nobody writes
    except OSError as error:
        raise CheckpointInvalid(f"{path.name} cannot be read: {error}.", AGAIN) from error
    raise CheckpointInvalid(f"There is no file {path.name}, or it is empty.", AGAIN)
