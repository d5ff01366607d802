"""A toy file as onnxruntime's dynamic quantization writes Kokoro's: a layer of each kind, and the weights that it stands for."""

from pathlib import Path

import numpy as np

from tests.engines.kit.weights.onnx_file import OnnxFile, encoded_tensor

__all__ = ["write_quantized"]

CONV, BARE, LINEAR, LSTM, TABLE = (
    "/decoder/decoder/encode/conv1",
    "/encoder/F0.1/conv1x1",
    "/encoder/bert/encoder/layers.0/query",
    "/encoder/predictor/text_encoder/lstms.0",
    "/encoder/text_encoder/cnn/cnn.0/embedding",
)


def write_quantized(path: Path) -> dict[str, np.ndarray]:
    """The file, and (stored - zero) * scale by the official names. Numbers are whole or halves, so that both are exact."""
    random, file = np.random.default_rng(0), OnnxFile()

    def stored(name: str, dtype: type, *shape: int) -> np.ndarray:
        info = np.iinfo(dtype)
        values = random.integers(info.min, info.max, shape, dtype, endpoint=True)
        file.named.append(encoded_tensor(name, values))
        return values.astype(np.float32)

    def constant(name: str, values: np.ndarray) -> np.ndarray:
        file.named.append(encoded_tensor(name, values))
        return values.astype(np.float32)

    def node(op: str, name: str, *inputs: str) -> None:
        file.node(op, name, list(inputs))

    expected = {}
    weight, zero = stored("/folded_quantized", np.uint8, 4, 2, 3), constant("/shared_zero", np.uint8(7))
    scale = constant("/shared_scale", np.float32(0.5))
    expected["decoder.encode.conv1.bias"] = constant("decoder.decoder.encode.conv1.bias", np.float32([1, 2, 3, 4]))
    node("ConvInteger", f"{CONV}/Conv_quant", "x", "/folded_quantized", "x_zero", "/shared_zero")
    node("Mul", "decoder.decoder.encode.conv1.bias_scale_node", "x_scale", "/shared_scale")
    expected["decoder.encode.conv1.weight"] = (weight - zero) * scale

    weight = stored("/bare_quantized", np.uint8, 2, 2, 1)
    node("ConvInteger", f"{BARE}/Conv_quant", "x", "/bare_quantized", "x_zero", "/shared_zero")
    node("Mul", f"{BARE}/Conv_quant_scales_mul", "x_scale", "/shared_scale")
    expected["predictor.F0.1.conv1x1.weight"] = (weight - zero) * scale

    weight, zeros = stored("onnx::MatMul_1_quantized", np.int8, 3, 2), constant("onnx::MatMul_1_zero_point", np.int8([0, -3]))
    scales = constant("onnx::MatMul_1_scale", np.float32([0.25, 2]))
    for use in ("", "_1"):  # ALBERT's one layer, twice
        node("MatMulInteger", f"{LINEAR}{use}/MatMul_quant", "x", "onnx::MatMul_1_quantized", "x_zero", "onnx::MatMul_1_zero_point")
        node("Mul", f"{LINEAR}{use}/MatMul_quant_scales_mul", "x_scale", "onnx::MatMul_1_scale")
    expected["bert.encoder.layers.0.query.weight"] = ((weight - zeros) * scales).T

    _add_lstm(expected, stored, constant, node)

    weight = stored("encoder.text_encoder.embedding.weight_quantized", np.int8, 5, 2)
    constant("table_scale", np.float32(0.5)), constant("table_zero", np.int8(1))
    node("Gather", f"{TABLE}/Gather_quant", "encoder.text_encoder.embedding.weight_quantized", "ids")
    node("DequantizeLinear", f"{TABLE}/Gather_quant_DequantizeLinear", "x", "table_scale", "table_zero")
    expected["text_encoder.cnn.0.embedding.weight"] = (weight - 1) * np.float32(0.5)

    expected["decoder.generator.ups.0.weight"] = constant("/Mul_output_0", np.float32([[[1.5, 2.5]]]))
    node("ConvTranspose", "/decoder/decoder/generator/ups.0/ConvTranspose", "x", "/Mul_output_0")
    expected["decoder.generator.m_source.l_linear.weight"] = constant("onnx::MatMul_2", np.float32([[1], [2]])).T
    node("MatMul", "/decoder/decoder/generator/m_source/l_linear/MatMul", "x", "onnx::MatMul_2")
    expected["decoder.generator.resblocks.0.alpha1.0"] = constant("decoder.decoder.generator.resblocks.0.alpha1.0", np.float32([[[3]]]))

    constant("/decoder/Reciprocal_output_0", np.float32([[0.5]]))
    constant("decoder.decoder.generator.stft.istft.inverse_basis", np.float32([[1]]))
    file.write(path)
    return expected


def _add_lstm(expected: dict, stored, constant, node) -> None:
    """Three in, two wide, both ways."""
    wide = (stored("W", np.int8, 2, 3, 8), stored("R", np.int8, 2, 2, 8))
    scales, biases = constant("W_scale", np.float32([0.5, 2])), constant("B", np.arange(32, dtype=np.float32).reshape(2, 16))
    constant("none", np.int8([0, 0]))
    node("DynamicQuantizeLSTM", f"{LSTM}/LSTM_quant", "x", "W", "R", "B", "", "h", "c", "", "W_scale", "none", "W_scale", "none")
    for way, suffix in enumerate(("", "_reverse")):
        for half, (kind, matrix) in enumerate(zip(("ih", "hh"), wide, strict=True)):
            rows = (matrix[way] * scales[way]).T  # input, output, forget, cell: torch has the output last
            order = [0, 1, 4, 5, 6, 7, 2, 3]
            expected[f"predictor.text_encoder.lstms.0.weight_{kind}_l0{suffix}"] = rows[order]
            expected[f"predictor.text_encoder.lstms.0.bias_{kind}_l0{suffix}"] = biases[way, 8 * half :][order]
