"""EcapaTdnnConfig: the sizes of an ECAPA-TDNN. No torch here: catalogs read configurations."""

from engines.kit.weights.schema import TRANSFORMERS, Size, schema

__all__ = ["EcapaTdnnConfig"]


@schema
class EcapaTdnnConfig:
    """Over mel frames. enc_dim: width of an embedding. Names and defaults are those of Qwen3TTSSpeakerEncoderConfig in qwen-tts 0.1.1.

    Of channels, kernels and dilations the first is the first convolution's, the last is of the one that gathers what the blocks made.
    """

    mel_dim: Size = 128
    enc_dim: Size = 1024
    enc_channels: tuple[Size, ...] = (512, 512, 512, 512, 1536)
    enc_kernel_sizes: tuple[Size, ...] = (5, 3, 3, 3, 1)
    enc_dilations: tuple[Size, ...] = (1, 2, 3, 4, 1)
    enc_attention_channels: Size = 128
    enc_res2net_scale: Size = 8
    enc_se_channels: Size = 128
    sample_rate: Size = 24_000

    beside = TRANSFORMERS
