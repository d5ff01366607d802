"""The official package kokoro 0.9.4 (Apache-2.0, github.com/hexgrad/kokoro), run as it is on toy checkpoints.

Its environment: `pip install --no-deps kokoro==0.9.4` and torch, transformers 4.57.3, loguru, huggingface_hub. Nothing is fetched. What
the package cannot be told is put in its place here: a decoder of other widths, out of its own blocks, since its own knows only 1024, 512
and 64; and zeros for what is drawn (first phases and noise of the source), so that its numbers repeat.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

if "kokoro" not in sys.modules:  # its text side wants spaCy, which numbers do not
    sys.modules["kokoro.pipeline"] = ModuleType("kokoro.pipeline")
    sys.modules["kokoro.pipeline"].KPipeline = None

from kokoro.istftnet import AdainResBlk1d, Generator, KokoroDecoder
from kokoro.model import KModel
from torch.nn.utils import weight_norm

__all__ = ["UPSTREAM", "model_of", "shapes_of_classes", "stages"]

UPSTREAM = "kokoro 0.9.4, its first phases and noise at zero"
NORM_OF_ONES = (".norm.weight", ".norm.bias")  # of InstanceNorm: ones and zeros that no file has (istftnet.py, AdaIN1d)


def model_of(config: Mapping, tensors: Mapping[str, Tensor], *, own_decoder: bool = False) -> KModel:
    """own_decoder: the package's own, of the released widths; else one of the configured ones."""
    with patch("torch.load", return_value={}):
        model = KModel("hexgrad/Kokoro-82M", config=dict(config), model="none")
    if not own_decoder:
        model.decoder = _decoder(config)
    missing, unexpected = model.load_state_dict(dict(tensors), strict=False)
    if unexpected or not all(name.endswith(NORM_OF_ONES) for name in missing):
        raise SystemExit(f"The official classes want other tensors: {missing[:5]}, {unexpected[:5]}")
    return model.eval()


def shapes_of_classes(config: Mapping, *, own_decoder: bool) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the tensors that a file has for the official classes."""
    with patch("torch.load", return_value={}):
        model = KModel("hexgrad/Kokoro-82M", config=dict(config), model="none")
    if not own_decoder:
        model.decoder = _decoder(config)
    state = model.state_dict()
    return {name: tuple(tensor.shape) for name, tensor in state.items() if not name.endswith(NORM_OF_ONES)}


def read(folder: Path) -> KModel:
    """Of a folder that `write_tiny_checkpoint` wrote."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return model_of(config, load_file(folder / "model.safetensors"))


@torch.no_grad()
def stages(model: KModel, symbols: np.ndarray, style: np.ndarray, speed: float) -> dict[str, np.ndarray]:
    """What each stage gives, without the dimension of the batch, time first: symbols (1, N), style (1, 2 S)."""
    found: dict[str, Tensor] = {}
    generator, predictor = model.decoder.generator, model.predictor

    def keep(name: str, module: nn.Module, turned: bool = False) -> None:
        def hook(_, __, output: Tensor) -> None:
            found[name] = output.mT if turned else output

        opened.callback(module.register_forward_hook(hook).remove)

    with ExitStack() as opened:
        opened.enter_context(_undrawn())
        keep("bert", model.bert_encoder)
        keep("encoded", predictor.text_encoder)
        keep("durations", predictor.duration_proj)
        keep("text", model.text_encoder, turned=True)
        keep("spectrum", generator.conv_post, turned=True)
        curves, transform, decode = predictor.F0Ntrain, generator.stft.transform, model.decoder.generator.forward

        def melody(rows: Tensor, prosody: Tensor) -> tuple[Tensor, Tensor]:
            found["f0"], found["energy"] = curves(rows, prosody)
            return found["f0"], found["energy"]

        def analyzed(sound: Tensor) -> tuple[Tensor, Tensor]:
            parts = transform(sound)
            found["source"] = torch.cat(parts, 1).mT
            return parts

        def generate(rows: Tensor, timbre: Tensor, f0: Tensor) -> Tensor:
            found["features"] = rows.mT
            return decode(rows, timbre, f0)

        for owner, name, method in (
            (predictor, "F0Ntrain", melody),
            (generator.stft, "transform", analyzed),
            (generator, "forward", generate),
        ):
            opened.enter_context(patch.object(owner, name, method))
        samples, frames = model.forward_with_tokens(torch.from_numpy(symbols), _Halves(torch.from_numpy(style)), speed)
    found["durations"] = torch.sigmoid(found["durations"]).sum(2) / speed
    kept = {name: tensor[0].float().numpy() for name, tensor in found.items()}
    return kept | {"frames": frames.numpy(), "samples": samples.numpy()}


class _Halves:
    """A style whose halves are asked for as those of 256 numbers (model.py: ref_s[:, :128] and ref_s[:, 128:])."""

    def __init__(self, style: Tensor):
        self._timbre, self._prosody = style.chunk(2, 1)

    def __getitem__(self, key: tuple[slice, slice]) -> Tensor:
        return {(None, 128): self._timbre, (128, None): self._prosody}[key[1].start, key[1].stop]


@contextmanager
def _undrawn() -> Iterator[None]:
    with patch("torch.rand", torch.zeros), patch("torch.randn_like", torch.zeros_like):
        yield


def _decoder(config: Mapping) -> KokoroDecoder:
    """As `KokoroDecoder.__init__` puts it together, of the widths that the configuration implies."""
    width, style = config["hidden_dim"], config["style_dim"]
    wide, beside, channels = 2 * width, width // 8, config["istftnet"]["upsample_initial_channel"]
    decoder = KokoroDecoder.__new__(KokoroDecoder)
    nn.Module.__init__(decoder)
    decoder.encode = AdainResBlk1d(width + 2, wide, style)
    blocks = [AdainResBlk1d(wide + 2 + beside, wide, style) for _ in range(3)]
    decoder.decode = nn.ModuleList([*blocks, AdainResBlk1d(wide + 2 + beside, channels, style, upsample=True)])
    decoder.F0_conv, decoder.N_conv = (weight_norm(nn.Conv1d(1, 1, kernel_size=3, stride=2, groups=1, padding=1)) for _ in range(2))
    decoder.asr_res = nn.Sequential(weight_norm(nn.Conv1d(width, beside, kernel_size=1)))
    decoder.generator = Generator(style, **config["istftnet"])
    return decoder
