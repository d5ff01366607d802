"""An ONNX file is read as it was written; what is damaged, foreign or hostile is refused, and quickly."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch

from engines.errors import CheckpointInvalid
from engines.kit.weights import onnx_graph
from engines.kit.weights.onnx_graph import OnnxGraph
from tests.engines.kit.weights.onnx_file import OnnxFile, encoded, encoded_tensor

MATRIX, VECTOR = np.arange(6, dtype=np.float32).reshape(2, 3), np.float32([1.5, -2])


def written(path: Path, file: OnnxFile | bytes) -> Path:
    if isinstance(file, bytes):
        path.write_bytes(file)
    else:
        file.write(path)
    return path


def made() -> OnnxFile:
    file = OnnxFile()
    file.node("Conv", "/conv/Conv", ["x", file.tensor("Conv", None, MATRIX), file.tensor("", "conv.bias", VECTOR)], strides=[2, 1])
    file.node("Mul", "/Mul", ["y", file.constant("/Constant", np.float32(0.25))], epsilon=0.5, axis=-1)
    return file


def model(*parts: bytes) -> bytes:
    return encoded(7, b"".join(parts))


def test_nodes_and_tensors_are_those_that_were_written(tmp_path):
    graph = OnnxGraph(written(tmp_path / "a.onnx", made()))
    assert graph.initializers == ("conv.bias", "onnx::Conv_700")
    conv, constant, product = graph.nodes
    assert (conv.op, conv.name, conv.inputs, conv.outputs) == (
        "Conv", "/conv/Conv", ("x", "onnx::Conv_700", "conv.bias"), ("/conv/Conv_output_0",),
    )  # fmt: skip
    assert conv.sizes("strides") == (2, 1)
    assert (product.number("epsilon", 0), product.number("axis", 0), product.number("none", 7)) == (0.5, -1, 7)
    assert np.array_equal(graph.tensor("onnx::Conv_700"), MATRIX)
    assert np.array_equal(graph.tensor("conv.bias"), VECTOR)
    assert graph.shape("onnx::Conv_700") == (2, 3)
    assert graph.dtype("conv.bias") == torch.float32
    assert graph.tensor(constant.outputs[0]).item() == 0.25
    assert not graph.holds("x")


def test_values_lie_where_they_like(tmp_path):
    """A name of another length shifts all that follows, so that values begin at every remainder."""
    for shift in range(4):
        graph = OnnxGraph(written(tmp_path / "a.onnx", model(encoded(2, b"x" * shift), encoded(5, encoded_tensor("a", MATRIX)))))
        assert torch.equal(graph.tensor("a"), torch.from_numpy(MATRIX))


def test_values_that_are_typed_are_read(tmp_path):
    """Packed, as protobuf's writers pack them: floats as they are, whole numbers as varints, of which negative ones have ten bytes."""
    floats = encoded(1, encoded(0, 2)[1:]) + encoded(2, 1) + encoded(8, b"floats") + encoded(4, VECTOR.tobytes())
    whole = encoded(1, 3) + encoded(2, 7) + encoded(8, b"whole") + encoded(7, b"".join(encoded(0, n)[1:] for n in (1, -1, 300)))
    graph = OnnxGraph(written(tmp_path / "a.onnx", model(encoded(5, floats), encoded(5, whole))))
    assert np.array_equal(graph.tensor("floats"), VECTOR)
    assert graph.tensor("whole").tolist() == [1, -1, 300]


def test_bytes_are_read_raw_and_as_varints():
    """Quantized weights lie as they are, and their zeros often as varints; neither needs a file."""
    raw = [encoded_tensor("int8", np.int8([-1, 2])), encoded_tensor("uint8", np.uint8([255]))]
    typed = encoded(1, 2) + encoded(2, 3) + encoded(8, b"typed") + encoded(5, b"".join(encoded(0, n)[1:] for n in (-128, 127)))
    content = np.frombuffer(model(*(encoded(5, tensor) for tensor in (*raw, typed))), np.uint8).copy()
    graph = OnnxGraph(content, "b.onnx")
    assert {name: graph.tensor(name).tolist() for name in graph.initializers} == {"int8": [-1, 2], "uint8": [255], "typed": [-128, 127]}
    assert [graph.dtype(name) for name in graph.initializers] == [torch.int8, torch.uint8, torch.int8]
    graph = OnnxGraph(np.frombuffer(model(encoded(5, typed.replace(encoded(2, 3), encoded(2, 2)))), np.uint8).copy(), "b.onnx")
    with pytest.raises(CheckpointInvalid, match=r"typed in b\.onnx has values that are no uint8"):
        graph.tensor("typed")


def test_equal_tensors_that_are_stored_once_are_found_by_either_name(tmp_path):
    file = OnnxFile()
    file.node("Identity", "/Identity", [file.tensor("Conv", None, MATRIX)])
    assert np.array_equal(OnnxGraph(written(tmp_path / "a.onnx", file)).tensor("/Identity_output_0"), MATRIX)


def test_a_file_that_ends_early_is_refused_wherever_it_ends(tmp_path):
    content = written(tmp_path / "a.onnx", made()).read_bytes()
    whole = len(content) - len(encoded(8, encoded(2, 15)))
    for size in range(0, whole, 3):
        with pytest.raises(CheckpointInvalid):
            OnnxGraph(written(tmp_path / "b.onnx", content[:size]))


def test_a_changed_byte_never_ends_in_another_error(tmp_path):
    content, random = written(tmp_path / "a.onnx", made()).read_bytes(), Random(0)
    n_refused = 0
    for _ in range(200):
        changed = bytearray(content)
        changed[random.randrange(len(content))] = random.randrange(256)
        try:
            graph = OnnxGraph(written(tmp_path / "b.onnx", bytes(changed)))
            _ = [graph.tensor(name) for name in graph.initializers], [node.number("epsilon", 0) for node in graph.nodes]
        except CheckpointInvalid:
            n_refused += 1
    assert 20 < n_refused < 200


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        (b"<html>not found</html>", "damaged, or no ONNX model"),
        (encoded(1, 8), "has 0 graphs"),
        (model() + model(), "has 2 graphs"),
        (model(encoded(5, encoded_tensor("a", VECTOR) + encoded(14, 1))), "keeps tensors in another file"),
        (model(encoded(5, encoded_tensor("a", VECTOR) + encoded(13, b"x"))), "keeps tensors in another file"),
        (model(encoded(5, encoded_tensor("a", VECTOR)) * 2), "two tensors that are called a"),
        (model(encoded(5, encoded(1, 1 << 50) + encoded(8, b"a"))), "a in a.onnx has an impossible shape"),
        (model(encoded(5, encoded(1, 1) * 9 + encoded(8, b"a"))), "a in a.onnx has an impossible shape"),
        (model(encoded(5, encoded(1, 1) + encoded(2, 7) + encoded(8, b"a") + encoded(4, b"1234"))), "another type than it says"),
        (model(encoded(1, encoded(4, b"x" * 1001))), "damaged"),
        (model(encoded(1, encoded(5, encoded(1, b"epsilon") + encoded(2, b"xy")))), "damaged"),
    ],
)
def test_what_is_no_model_of_ours_is_refused(tmp_path, content, said):
    with pytest.raises(CheckpointInvalid, match=said) as raised:
        OnnxGraph(written(tmp_path / "a.onnx", content))
    assert raised.value.hint


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CheckpointInvalid, match=r"no file a\.onnx"):
        OnnxGraph(tmp_path / "a.onnx")


def test_a_tensor_that_says_to_be_larger_than_it_is_takes_no_memory(tmp_path):
    graph = OnnxGraph(written(tmp_path / "a.onnx", model(encoded(5, encoded(1, 1 << 39) + encoded_tensor("a", VECTOR)))))
    with pytest.raises(CheckpointInvalid, match=r"a in a\.onnx has 8 bytes; 1099511627776 values take 4398046511104"):
        graph.tensor("a")


def test_a_type_that_weights_do_not_have_is_named(tmp_path):
    graph = OnnxGraph(written(tmp_path / "a.onnx", model(encoded(5, encoded(2, 10) + encoded(8, b"half")))))
    assert graph.dtype("half") is None
    with pytest.raises(CheckpointInvalid, match=r"half in a\.onnx is of data type 10"):
        graph.tensor("half")


def test_a_file_of_endless_fields_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(onnx_graph, "MOST_FIELDS", 100)
    OnnxGraph(written(tmp_path / "a.onnx", model(encoded(1, b"") * 99)))
    with pytest.raises(CheckpointInvalid, match="more than 100 fields"):
        OnnxGraph(written(tmp_path / "a.onnx", model(encoded(1, b"") * 100)))
    with pytest.raises(CheckpointInvalid, match="damaged"):
        OnnxGraph(written(tmp_path / "a.onnx", model(encoded(5, encoded(1, b"\1" * 100)))))
