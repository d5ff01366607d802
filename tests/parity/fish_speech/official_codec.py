"""The codec of vllm-omni, run so that every number it computes can be compared. Imported only where that package is unpacked.

Its class takes no sizes from a file: they are read off the shapes of the weights, as ours are.
"""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from engines.clips.clip import Clip
from tests.parity.fish_speech.vllm_modules import module

__all__ = ["Codec", "Sizes", "prepared", "shapes_of_classes"]

HEAD_DIM = 64  # of every transformer of the codec, as `dac_utils.build_dac_codec` has it
WINDOW = 128  # of pre_module and post_module, there too; that of the encoder's transformer, 512, is the class's own
BUFFERS = (".freqs_cis", ".causal_mask")  # in the state of the classes, and no weights
POSITIONS = 2048  # of tables and masks; more than any clip of the tests has


@dataclass(frozen=True)
class Sizes:
    """What the shapes of a codec file tell. modules: (layers, width, feed-forward width) of pre_module and post_module."""

    encoder_dim: int
    encoder_rates: tuple[int, ...]
    encoder_layers: tuple[int, ...]
    latent_dim: int
    decoder_dim: int
    decoder_rates: tuple[int, ...]
    downsample: tuple[int, ...]
    semantic_size: int
    residual_size: int
    n_residual: int
    codebook_dim: int
    modules: tuple[tuple[int, int, int], tuple[int, int, int]]

    @classmethod
    def of(cls, shapes: Mapping[str, tuple[int, ...]]) -> "Sizes":
        """From names and shapes as in codec.pth."""
        weight, quantizer = "conv.parametrizations.weight.original1", "quantizer.quantizer.quantizers"
        n_blocks = _count(shapes, "encoder.block.{}.block.4.conv.bias", 1)
        n_upsampled = _count(shapes, "decoder.model.{}.block.1.conv.bias", 1)
        n_down = _count(shapes, "quantizer.downsample.{}.0.conv.bias")
        layers = (_count(shapes, f"encoder.block.{i + 1}.block.5.layers.{{}}.ffn_norm.weight") for i in range(n_blocks))
        semantic = shapes["quantizer.semantic_quantizer.quantizers.0.codebook.weight"]
        return cls(
            encoder_dim=shapes["encoder.block.0.conv.bias"][0],
            encoder_rates=tuple(shapes[f"encoder.block.{i + 1}.block.4.{weight}"][2] // 2 for i in range(n_blocks)),
            encoder_layers=tuple(layers),
            latent_dim=shapes[f"encoder.block.{n_blocks + 2}.conv.bias"][0],
            decoder_dim=shapes["decoder.model.0.conv.bias"][0],
            decoder_rates=tuple(shapes[f"decoder.model.{i + 1}.block.1.{weight}"][2] // 2 for i in range(n_upsampled)),
            downsample=tuple(shapes[f"quantizer.downsample.{i}.0.conv.weight"][2] for i in range(n_down)),
            semantic_size=semantic[0],
            residual_size=shapes[f"{quantizer}.0.codebook.weight"][0],
            n_residual=_count(shapes, f"{quantizer}.{{}}.codebook.weight"),
            codebook_dim=semantic[1],
            modules=tuple(
                (
                    _count(shapes, f"quantizer.{name}.layers.{{}}.ffn_norm.weight"),
                    shapes[f"quantizer.{name}.norm.weight"][0],
                    shapes[f"quantizer.{name}.layers.0.feed_forward.w1.weight"][0],
                )
                for name in ("pre_module", "post_module")
            ),
        )

    def build(self) -> torch.nn.Module:
        """The official class, put together as `dac_utils.build_dac_codec` does at the released sizes."""
        dac = module("dac_modules")

        def args(**given: int):
            return dac.ModelArgs(**{"block_size": POSITIONS, "head_dim": HEAD_DIM, "n_local_heads": -1, "channels_first": True, **given})

        pre, post = (
            dac.WindowLimitedTransformer(
                args(n_layer=n_layers, n_head=dim // HEAD_DIM, dim=dim, intermediate_size=wide),
                input_dim=self.latent_dim,
                window_size=WINDOW,
            )
            for n_layers, dim, wide in self.modules
        )
        quantizer = dac.DownsampleResidualVectorQuantize(
            input_dim=self.latent_dim,
            n_codebooks=self.n_residual,
            codebook_dim=self.codebook_dim,
            quantizer_dropout=0.0,
            codebook_size=self.residual_size,
            semantic_codebook_size=self.semantic_size,
            downsample_factor=self.downsample,
            pre_module=pre,
            post_module=post,
        )
        return dac.DAC(
            encoder_dim=self.encoder_dim,
            encoder_rates=list(self.encoder_rates),
            latent_dim=self.latent_dim,
            decoder_dim=self.decoder_dim,
            decoder_rates=list(self.decoder_rates),
            quantizer=quantizer,
            encoder_transformer_layers=list(self.encoder_layers),
            transformer_general_config=args,
        ).eval()


def _count(shapes: Mapping[str, tuple[int, ...]], name: str, first: int = 0) -> int:
    n = 0
    while name.format(first + n) in shapes:
        n += 1
    return n


def shapes_of_classes(sizes: Sizes | None = None) -> dict[str, tuple[int, ...]]:
    """Names and shapes of the weights that the official classes have: at these sizes, or as built for the release."""
    with torch.device("meta"):
        codec = sizes.build() if sizes else module("dac_utils").build_dac_codec()
    return {name: tuple(tensor.shape) for name, tensor in codec.state_dict().items() if not name.endswith(BUFFERS)}


def prepared(clip: Clip) -> np.ndarray:
    """(T,) float32 at the codec's rate: what the reference makes of a recording before it is encoded."""
    prepare = module("dac_encoder")._prepare_reference_audio_tensor
    return prepare(np.array(clip.samples), clip.sample_rate, device=torch.device("cpu"), dtype=torch.float32).numpy()


@dataclass
class Codec:
    """The official codec with the weights of a file, float32 on the CPU.

    margins: by how much each code was nearer than the next one. latents: (F, D) of the last recording, what its codes are looked up for.
    """

    network: torch.nn.Module
    margins: list[float] = field(default_factory=list)
    latents: np.ndarray | None = None

    @classmethod
    def load(cls, file: Path) -> "Codec":
        """Every weight of the file is taken, and every weight of the classes is in the file."""
        state = {name: tensor for name, tensor in _state(file).items() if not name.endswith(BUFFERS)}
        network = Sizes.of({name: tuple(tensor.shape) for name, tensor in state.items()}).build()
        missing, unexpected = network.load_state_dict(state, strict=False)
        if unexpected or not all(name.endswith(BUFFERS) for name in missing):
            raise SystemExit(f"{file.name} does not fit the official classes: {missing[:4]} missing, {unexpected[:4]} unexpected")
        return cls(network.requires_grad_(False))

    @property
    def least_margin(self) -> float:
        """Of all codes so far. Parity is luck where it is near the rounding error."""
        return min(self.margins)

    @property
    def codebook_sizes(self) -> tuple[int, ...]:
        quantizer = self.network.quantizer
        return (quantizer.semantic_quantizer.codebook_size, *[quantizer.quantizer.codebook_size] * quantizer.quantizer.n_codebooks)

    @property
    def frame_samples(self) -> int:
        return math.prod(self.network.encoder_rates) * math.prod(self.network.quantizer.downsample_factor)

    def encode(self, samples: np.ndarray) -> np.ndarray:
        """(T,) at the codec's rate to codes (Q, F) int64."""
        with torch.inference_mode(), self._watched():
            codes, _ = self.network.encode(torch.from_numpy(samples)[None, None])
        return codes[0].numpy()

    def decode(self, codes: np.ndarray) -> np.ndarray:
        """(Q, F) to (F * frame_samples,) float32, in one piece."""
        with torch.inference_mode():
            samples, _ = self.network.decode(torch.from_numpy(codes.astype(np.int64))[None], torch.tensor([codes.shape[1]]))
        return samples[0, 0].numpy()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        def watch(quantizer: torch.nn.Module, _inputs: tuple[Tensor], output: tuple[Tensor, ...]) -> None:
            latents = torch.nn.functional.normalize(output[4][0].T.double())
            likeness = latents @ torch.nn.functional.normalize(quantizer.codebook.weight.double()).T
            best = likeness.topk(2, dim=-1).values
            self.margins.append(float((best[:, 0] - best[:, 1]).min()))

        def keep(_module: torch.nn.Module, _inputs: tuple[Tensor], output: Tensor) -> None:
            self.latents = output[0].T.numpy().copy()

        rvqs = (self.network.quantizer.semantic_quantizer, self.network.quantizer.quantizer)
        handles = [quantizer.register_forward_hook(watch) for rvq in rvqs for quantizer in rvq.quantizers]
        handles.append(self.network.quantizer.pre_module.register_forward_hook(keep))
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()


def _state(file: Path) -> Mapping[str, Tensor]:
    state = torch.load(file, map_location="cpu", weights_only=True)
    for level in ("state_dict", "generator"):
        state = state.get(level, state)
    return {name.removeprefix("generator."): tensor for name, tensor in state.items()}
