"""EcapaTdnnConfig: the sizes of an ECAPA-TDNN. No torch here: catalogs read configurations."""

from dataclasses import dataclass

__all__ = ["EcapaTdnnConfig"]


@dataclass(frozen=True)
class EcapaTdnnConfig:
    """Over mel frames. enc_dim: width of an embedding. Names and defaults are those of Qwen3TTSSpeakerEncoderConfig in qwen-tts 0.1.1.

    Of channels, kernels and dilations the first is the first convolution's, the last is of the one that gathers what the blocks made.
    """

    mel_dim: int = 128
    enc_dim: int = 1024
    enc_channels: tuple[int, ...] = (512, 512, 512, 512, 1536)
    enc_kernel_sizes: tuple[int, ...] = (5, 3, 3, 3, 1)
    enc_dilations: tuple[int, ...] = (1, 2, 3, 4, 1)
    enc_attention_channels: int = 128
    enc_res2net_scale: int = 8
    enc_se_channels: int = 128
    sample_rate: int = 24_000
