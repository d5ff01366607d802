"""The official VoxCPM package, run so that every number it computes can be compared. Imported only where that package is installed.

Its environment (PyPI, Python 3.11): torch 2.11.0, transformers 5.23.0, tokenizers 0.23.3, einops 0.8.2, librosa 0.11.0 with soxr 1.1.0,
pydantic 2.14.3, soundfile 0.14.0, numpy 2.4.6, and voxcpm 2.0.3 without its dependencies.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile
import torch
from torch import Tensor
from voxcpm.core import VoxCPM
from voxcpm.model import voxcpm2
from voxcpm.modules.audiovae import AudioVAEConfigV2, AudioVAEV2

from engines.clips.clip import Clip
from tests.parity.replaced import replaced

__all__ = ["UPSTREAM", "Noise", "Trace", "encode", "ids", "load", "shapes_of_classes", "sizes", "speak"]

UPSTREAM = "PyPI voxcpm 2.0.3"
Noise = Callable[[int], np.ndarray]  # number of a patch -> (P, D)


def load(folder: Path, dtype: str = "float32") -> VoxCPM:
    """The official package with a checkpoint on the CPU, its weights in that dtype (the checkpoint says bfloat16)."""
    with replaced(voxcpm2, "pick_runtime_dtype", lambda *_: dtype), _silence():
        return VoxCPM.from_pretrained(str(folder), load_denoiser=False, optimize=False, device="cpu")


def encode(model: VoxCPM, clip: Clip, side: str) -> np.ndarray:
    """Latents (N, P, D) of a clip, padded on that side ("left" or "right")."""
    with _as_file(clip) as file, torch.inference_mode():
        return model.tts_model._encode_wav(file, padding_mode=side).contiguous().numpy()


def shapes_of_classes(config: Mapping) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    """Names and shapes that the official classes have at this config.json: main file, file of the VAE. No weights are made."""
    read = voxcpm2.VoxCPMConfig.model_validate({**config, "max_length": 1})
    with torch.device("meta"), _silence():
        vae = AudioVAEV2(read.audio_vae_config or AudioVAEConfigV2())
        main = voxcpm2.VoxCPM2Model(read, _NoTokenizer(), vae, device="cpu")
    shapes = {name: tuple(tensor.shape) for name, tensor in main.state_dict().items()}
    of_vae = {name.removeprefix("audio_vae."): shape for name, shape in shapes.items() if name.startswith("audio_vae.")}
    return {name: shape for name, shape in shapes.items() if not name.startswith("audio_vae.")}, of_vae


class _NoTokenizer:
    vocab: Mapping = {}


def sizes(model: VoxCPM) -> tuple[tuple[int, int], int]:
    """(P, D) of a patch and H of the language models."""
    config = model.tts_model.config
    return (config.patch_size, config.feat_dim), config.lm_config.hidden_size


def ids(model: VoxCPM, text: str) -> np.ndarray:
    """Tokens of a text whose blanks are made single, as VoxCPM.generate does, and where none is at an edge."""
    return np.array(model.tts_model.text_tokenizer(" ".join(text.split())), np.int16)


@dataclass
class Trace:
    """What went through the model in one run. T: positions of the prompt, N: patches.

    ids: (T,) of text, 0 where a patch is. embedded: (T, H), rows of patches, 0 where text is. base, residual: (T, H) hidden states of the
    two language models over the prompt, the first quantized where a patch is. patches: (N, P, D). stops: (N, 2), logits of the stop head
    beside each. levels: by how much every quantized number missed the edge between two levels, in levels.
    """

    ids: np.ndarray | None = None
    embedded: np.ndarray | None = None
    base: np.ndarray | None = None
    residual: np.ndarray | None = None
    patches: list[np.ndarray] = field(default_factory=list)
    stops: list[np.ndarray] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)

    @property
    def least_margin(self) -> float:
        """Of levels and stop decisions. Parity is luck where it is near the rounding error."""
        return min(*self.levels, *(float(abs(stop[1] - stop[0])) for stop in self.stops))


def speak(model: VoxCPM, text: str, noise: Noise, *, streamed: bool = False, **given) -> tuple[np.ndarray, Trace]:
    """Waveform of a text, with this noise, and what went through the model.

    given: of VoxCPM.generate, clips for wav paths. streamed: by generate_streaming, its pieces one after another.
    """
    given |= {"retry_badcase": False}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("prompt_wav_path", "reference_wav_path"):
            if isinstance(given.get(name), Clip):
                given[name] = _write(Path(folder) / f"{name}.wav", given[name])
        with _traced(model.tts_model) as trace, _noise(noise), _silence():
            generate = model.generate_streaming if streamed else model.generate
            spoken = generate(text, **given)
            samples = np.concatenate(list(spoken)) if streamed else spoken
    return samples, trace


@contextmanager
def _traced(model: voxcpm2.VoxCPM2Model) -> Iterator[Trace]:
    trace, scale = Trace(), model.fsq_layer.scale

    def prompt(_module, inputs: tuple[Tensor], _output) -> None:
        if trace.base is None:  # both models' rows side by side; later calls are of one patch each
            trace.base, trace.embedded = (half.float().numpy() for half in inputs[0][0].chunk(2, dim=-1))

    def quantized(_module, _inputs, output: Tensor) -> None:
        past_edge = (torch.tanh(output.double()) * scale + 0.5).remainder(1.0)
        trace.levels.append(float(torch.minimum(past_edge, 1 - past_edge).min()))

    hooks = {
        model.fusion_concat_proj: prompt,
        model.fsq_layer.in_proj: quantized,
        model.residual_lm: lambda _m, _i, output: setattr(trace, "residual", output[0][0].float().numpy()),
        model.feat_decoder: lambda _m, _i, output: trace.patches.append(output[0].T.float().numpy().copy()),
        model.stop_head: lambda _m, _i, output: trace.stops.append(output[0].float().numpy()),
        model.base_lm.embed_tokens: lambda _m, inputs, _o: setattr(trace, "ids", inputs[0][0].numpy()),
    }
    handles = [module.register_forward_hook(hook) for module, hook in hooks.items()]
    try:
        yield trace
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def _noise(noise: Noise) -> Iterator[None]:
    """Let the n-th draw of normal noise be noise(n), (P, D) as (1, D, P)."""
    drawn = iter(range(1_000_000))

    def randn(shape: tuple[int, ...], *, device, dtype: torch.dtype) -> Tensor:
        given = torch.from_numpy(noise(next(drawn))).T[None].to(device, dtype)
        if tuple(given.shape) != tuple(shape):
            raise ValueError(f"noise of {tuple(given.shape)} for {tuple(shape)}")
        return given.contiguous()

    with replaced(torch, "randn", randn):
        yield


@contextmanager
def _as_file(clip: Clip) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield _write(Path(folder) / "clip.wav", clip)


def _write(file: Path, clip: Clip) -> str:
    soundfile.write(file, clip.samples, clip.sample_rate, subtype="FLOAT")
    return str(file)


@contextmanager
def _silence() -> Iterator[None]:
    """The package tells standard error about each step."""
    with Path(os.devnull).open("w", encoding="utf-8") as nothing, redirect_stderr(nothing):
        yield
