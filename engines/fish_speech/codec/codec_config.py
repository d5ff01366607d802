"""FishCodecConfig: the sizes of Fish's codec. No file states them, so they are read from the shapes of the weights."""

import re
from dataclasses import dataclass
from math import prod

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint import Checkpoint

__all__ = ["RELEASED", "FishCodecConfig", "FishTransformerSizes"]

# What shapes do not tell: modded_dac_vq.yaml of fish-speech, dac_modules of vllm-omni 0.30.0.
SAMPLE_RATE = 44_100
HEAD_DIM = 64
ENCODER_WINDOW, QUANTIZER_WINDOW = 512, 128

OTHER = "Use the codec.pth that its makers released."


@dataclass(frozen=True)
class FishTransformerSizes:
    """Names as in modded_dac_vq.yaml. Width and heads follow from where the transformer stands."""

    n_layer: int
    intermediate_size: int
    window_size: int


@dataclass(frozen=True)
class FishCodecConfig:
    """Encoder, quantizer, decoder. Names as in modded_dac_vq.yaml, but for the two that have the same ones there: see n_residual_codebooks.

    encoder_transformer: of the encoder's last stage; None: it has none. latent_dim: channels between the three.
    n_residual_codebooks: books of codebook_size entries behind the semantic one.
    """

    encoder_dim: int
    encoder_rates: tuple[int, ...]
    encoder_transformer: FishTransformerSizes | None
    latent_dim: int
    downsample_factor: tuple[int, ...]
    pre_module: FishTransformerSizes
    post_module: FishTransformerSizes
    semantic_codebook_size: int
    n_residual_codebooks: int
    codebook_size: int
    codebook_dim: int
    decoder_dim: int
    decoder_rates: tuple[int, ...]
    sample_rate: int = SAMPLE_RATE
    head_dim: int = HEAD_DIM

    @property
    def frame_samples(self) -> int:
        """Samples per frame, 46.4 ms in the release."""
        return prod(self.encoder_rates) * prod(self.downsample_factor)

    @property
    def encoder_width(self) -> int:
        """Channels behind the encoder's last stage."""
        return self.encoder_dim << len(self.encoder_rates)

    @property
    def residual_codebook_sizes(self) -> tuple[int, ...]:
        return (self.codebook_size,) * self.n_residual_codebooks

    @property
    def codebook_sizes(self) -> tuple[int, ...]:
        """Entries of each of the Q books of a frame."""
        return (self.semantic_codebook_size, *self.residual_codebook_sizes)

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> "FishCodecConfig":
        """The sizes of the codec whose folded weights these are.

        Raises CheckpointInvalid where a tensor that tells them is missing, and where they describe no codec that is implemented. Whether
        every other tensor fits is for `load_into` to say.
        """
        config = _Shapes(checkpoint).config()
        decoded = prod(config.decoder_rates) * prod(config.downsample_factor)
        if decoded != config.frame_samples:
            raise _refused(f"encodes frames of {config.frame_samples} samples and decodes {decoded}", "one length of a frame")
        if config.decoder_dim % 2 ** len(config.decoder_rates):
            raise _refused(
                f"has decoder.model.0 of {config.decoder_dim} channels", f"one that {len(config.decoder_rates)} stages can halve"
            )
        return config


RELEASED = FishCodecConfig(
    encoder_dim=64,
    encoder_rates=(2, 4, 8, 8),
    encoder_transformer=FishTransformerSizes(n_layer=4, intermediate_size=3072, window_size=ENCODER_WINDOW),
    latent_dim=1024,
    downsample_factor=(2, 2),
    pre_module=FishTransformerSizes(n_layer=8, intermediate_size=3072, window_size=QUANTIZER_WINDOW),
    post_module=FishTransformerSizes(n_layer=8, intermediate_size=3072, window_size=QUANTIZER_WINDOW),
    semantic_codebook_size=4096,
    n_residual_codebooks=9,
    codebook_size=1024,
    codebook_dim=8,
    decoder_dim=1536,
    decoder_rates=(8, 8, 4, 2),
)


class _Shapes:
    """What the shapes of a codec's tensors say."""

    def __init__(self, checkpoint: Checkpoint):
        self._checkpoint = checkpoint

    def config(self) -> FishCodecConfig:
        n_stages = self._count("encoder.block", "block.4.conv.weight", first=1)
        latent_dim = self._size(f"encoder.block.{n_stages + 2}.conv.weight", 0)
        first_book, book = (f"quantizer.{part}.quantizers.0.codebook.weight" for part in ("semantic_quantizer", "quantizer"))
        return FishCodecConfig(
            encoder_dim=self._size("encoder.block.0.conv.weight", 0),
            encoder_rates=tuple(self._rate(f"encoder.block.{index}.block.4.conv.weight") for index in range(1, n_stages + 1)),
            encoder_transformer=self._encoder_transformer(n_stages),
            latent_dim=latent_dim,
            downsample_factor=self._downsample_factor(),
            pre_module=self._transformer("quantizer.pre_module", latent_dim, QUANTIZER_WINDOW),
            post_module=self._transformer("quantizer.post_module", latent_dim, QUANTIZER_WINDOW),
            semantic_codebook_size=self._size(first_book, 0),
            n_residual_codebooks=self._count("quantizer.quantizer.quantizers", "codebook.weight"),
            codebook_size=self._size(book, 0),
            codebook_dim=self._size(book, 1),
            decoder_dim=self._size("decoder.model.0.conv.weight", 0),
            decoder_rates=tuple(
                self._rate(f"decoder.model.{index}.block.1.conv.weight")
                for index in range(1, self._count("decoder.model", "block.1.conv.weight", first=1) + 1)
            ),
        )

    def _encoder_transformer(self, n_stages: int) -> FishTransformerSizes | None:
        """Of the last stage; one behind any other is refused."""
        stages = {int(match[1]) for name in self._checkpoint.names if (match := re.match(r"encoder\.block\.(\d+)\.block\.5\.", name))}
        earlier = sorted(stages - {n_stages})
        if earlier:
            raise _refused(f"has a transformer at encoder.block.{earlier[0]}.block.5", "one behind the last stage of the encoder")
        at = f"encoder.block.{n_stages}"
        return self._transformer(f"{at}.block.5", self._size(f"{at}.block.4.conv.weight", 0), ENCODER_WINDOW) if stages else None

    def _transformer(self, at: str, width: int, window_size: int) -> FishTransformerSizes:
        sizes = FishTransformerSizes(
            self._count(f"{at}.layers", "attention.wqkv.weight"), self._size(f"{at}.layers.0.feed_forward.w1.weight", 0), window_size
        )
        own_width = self._size(f"{at}.layers.0.attention.wqkv.weight", 1)
        if own_width != width:
            raise _refused(f"has {at} of width {own_width} between {width} channels", "one of the same width, without projections")
        if width % HEAD_DIM:
            raise _refused(f"has {at} of width {width}", f"heads of {HEAD_DIM} channels, as many as fill it")
        return sizes

    def _downsample_factor(self) -> tuple[int, ...]:
        """The kernels of the convolutions, which are their strides, too; those of the way up must be the same, backwards."""
        down, up = (
            tuple(
                self._size(f"quantizer.{way}.{index}.0.conv.weight", 2) for index in range(self._count(f"quantizer.{way}", "0.conv.weight"))
            )
            for way in ("downsample", "upsample")
        )
        if up[::-1] != down:
            raise _refused(f"has quantizer.downsample of {down} and quantizer.upsample of {up}", "the same factors up, backwards")
        return down

    def _rate(self, name: str) -> int:
        """Of a convolution that is twice as long as it strides."""
        kernel = self._size(name, 2)
        if kernel % 2:
            raise _refused(f"has {name} of {kernel} taps", "twice the stride")
        return kernel // 2

    def _count(self, at: str, leaf: str, first: int = 0) -> int:
        """How many of {at}.first, {at}.first + 1, ... have the leaf, without a gap."""
        end = first
        while f"{at}.{end}.{leaf}" in self._checkpoint.names:
            end += 1
        return end - first or self._size(f"{at}.{first}.{leaf}", 0)  # which says that there is none

    def _size(self, name: str, dim: int) -> int:
        shape = self._checkpoint.shape(name)
        if len(shape) <= dim:
            raise _refused(f"has {name} of shape {shape}", f"{dim + 1} dimensions or more")
        return shape[dim]


def _refused(fact: str, implemented: str) -> CheckpointInvalid:
    return CheckpointInvalid(f"codec.pth {fact}; implemented is {implemented}.", OTHER)
