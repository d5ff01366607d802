"""ONNX files of the two networks of extraction, exported from public torch modules of them with weights of ours.

The speech tokenizer is s3tokenizer's (Apache-2.0), whose rotation by complex numbers cannot be exported and is written with cosines and
sines here; the speaker encoder is the copy of 3D-Speaker's in vLLM-Omni (Apache-2.0). The exporter and its mode are those that give the
released names and the released order of nameless tensors. Imported only where these packages are.
"""

import importlib
import importlib.util
import sys
import warnings
from pathlib import Path
from types import ModuleType

import numpy as np
import torch
from s3tokenizer import model_v2, model_v3
from torch import Tensor, nn

from tests.parity.cosyvoice3.extraction_weights import TokenizerSize

__all__ = ["export_speaker_encoder", "export_speech_tokenizer", "level_margin"]

OPSET = 17


def export_speech_tokenizer(file: Path, tensors: dict[str, np.ndarray], size: TokenizerSize) -> None:
    """tensors: as `speech_tokenizer` of extraction_weights gives them."""
    network = _tokenizer(tensors, size)
    inputs = torch.zeros(1, 128, 100), torch.tensor([100], dtype=torch.int32)
    _export(network, inputs, file, (["feats", "feats_length"], ["indices"]), {"feats": {2: "T"}, "indices": {1: "N"}})


def level_margin(tensors: dict[str, np.ndarray], size: TokenizerSize, log_mel: np.ndarray) -> float:
    """By how much the closest level of quantization of a clip's tokens was won. log_mel: (128, T)."""
    network = _tokenizer(tensors, size)
    with torch.inference_mode():
        levels = network.levels(torch.from_numpy(log_mel)[None], torch.tensor([log_mel.shape[1]], dtype=torch.int32))
    return float((levels.abs() - 0.5).abs().min())


def export_speaker_encoder(file: Path, tensors: dict[str, np.ndarray]) -> None:
    """tensors: as `speaker_encoder` of extraction_weights gives them."""
    network = _campplus().CAMPPlus(embedding_size=192, memory_efficient=False).eval()
    counters = {name: torch.tensor(0) for name in network.state_dict() if name.endswith("num_batches_tracked")}
    network.load_state_dict({name: torch.from_numpy(tensor) for name, tensor in tensors.items()} | counters)
    _export(network, (torch.zeros(1, 150, 80),), file, (["input"], ["output"]), {"input": {1: "T"}})


def _tokenizer(tensors: dict[str, np.ndarray], size: TokenizerSize) -> "_Tokens":
    model_v2.apply_rotary_emb = _rotated
    config = model_v3.ModelConfigV3(n_audio_state=size.width, n_audio_head=size.heads, n_audio_layer=size.layers)
    network = _Tokens(model_v3.S3TokenizerV3("v3", config)).eval()
    network.load_state_dict({name: torch.from_numpy(tensor) for name, tensor in tensors.items()})
    return network


class _Quantizer(nn.Module):
    """What s3tokenizer's does before it rounds, in a module of its own, as the released file has it."""

    def __init__(self, project_in: nn.Linear):
        super().__init__()
        self.project_in = project_in

    def forward(self, hidden: Tensor) -> Tensor:
        return self.project_in(hidden).float().tanh() * 0.9990000128746033


class _Tokens(nn.Module):
    """From log-mel (1, 128, T) to tokens (1, T'), int32, in the names of the released file."""

    def __init__(self, tokenizer: model_v3.S3TokenizerV3):
        super().__init__()
        encoder = tokenizer.encoder
        self.conv1, self.conv2, self.blocks = encoder.conv1, encoder.conv2, encoder.blocks
        self.quantizer = _Quantizer(tokenizer.quantizer._codebook.project_down)
        self._encoder = [encoder]  # in a list, so that its tensors have the one name above
        encoder.freqs_cis = torch.view_as_real(encoder.freqs_cis).contiguous()

    def levels(self, mel: Tensor, lengths: Tensor) -> Tensor:
        hidden, _ = self._encoder[0](mel, lengths)
        return self.quantizer(hidden)

    def forward(self, mel: Tensor, lengths: Tensor) -> Tensor:
        levels = self.levels(mel, lengths).round() + 1
        return (levels * torch.pow(3, torch.arange(8, dtype=levels.dtype))).sum(-1).int()


def _rotated(queries: Tensor, keys: Tensor, freqs_cis: Tensor) -> tuple[Tensor, Tensor]:
    cos, sin = (freqs_cis[None, :, None, :, part] for part in (0, 1))

    def turned(rows: Tensor) -> Tensor:
        first, second = rows.chunk(2, dim=-1)
        return rows * cos + torch.cat([-second, first], dim=-1) * sin

    return turned(queries), turned(keys)


def _campplus() -> ModuleType:
    """The package's folder of CAM++ alone, without what the packages above it import when they start."""
    found = importlib.util.find_spec("vllm_omni")
    if found is None:
        raise SystemExit("This interpreter has no vllm-omni: install the wheel of 0.30.0 without its dependencies, or put it on the path.")
    utils = Path(found.origin).parent / "model_executor" / "models" / "indextts2" / "utils"
    sys.path.insert(0, str(utils))
    try:
        return importlib.import_module("campplus.dtdnn")
    finally:
        sys.path.remove(str(utils))


def _export(network: nn.Module, inputs: tuple, file: Path, names: tuple[list[str], list[str]], axes: dict) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter that is to be used no longer, and of lengths that it traces
        torch.onnx.export(
            network, inputs, str(file), dynamo=False, opset_version=OPSET, input_names=names[0], output_names=names[1], dynamic_axes=axes
        )
