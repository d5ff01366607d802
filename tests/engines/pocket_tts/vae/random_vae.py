"""A VAE of Pocket TTS at toy size with random weights, and the same networks written from their formulas, channels first."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.pocket_tts.config import CodecTransformerConfig, SeanetConfig, VaeConfig

__all__ = ["CONFIG", "filled", "noise", "plain_decoded", "plain_encoded"]

# All ratios are the released ones: a frame is 1920 samples and 16 rows. Both windows are passed within two frames.
CONFIG = VaeConfig(
    seanet=SeanetConfig(8, 2, (6, 5, 4), kernel_size=7, residual_kernel_size=3, last_kernel_size=3, compress=2),
    transformer=CodecTransformerConfig(8, num_heads=2, num_layers=2, context=20, dim_feedforward=12),
    decoder_seanet=SeanetConfig(12, 4, (6, 5, 4), kernel_size=3, residual_kernel_size=3, last_kernel_size=3, compress=2),
    decoder_transformer=CodecTransformerConfig(12, num_heads=3, num_layers=3, context=7, dim_feedforward=20, max_period=100.0),
    inner_dim=5,
    latent_dim=6,
    outer_dim=12,
)
Tensors = dict[str, Tensor]


def noise(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def filled(network: nn.Module) -> Tensors:
    """Random values into every parameter, large enough that no part goes unheard; returns them by name."""
    tensors = {}
    for seed, (name, slot) in enumerate(network.state_dict().items()):
        fan_in = slot[0].numel() if slot.ndim > 1 else 4
        tensors[name] = (noise(*slot.shape, seed=seed) * 0.8 / fan_in**0.5) + (name.endswith(("norm1.weight", "norm2.weight")))
    network.load_state_dict(tensors)
    return tensors


def plain_decoded(tensors: Tensors, latents: Tensor, std: Tensor, mean: Tensor) -> Tensor:
    """(B, F, latent_dim) -> (B, F * 1920)"""
    normal = (latents * std + mean).mT
    x = F.conv1d(normal, tensors["quantizer.output_proj.weight"])
    up = tensors["upsample.convtr.convtr.weight"]
    x = F.conv_transpose1d(x, up, stride=16, groups=len(up))[..., : 16 * latents.shape[1]]
    x = _transformed(tensors, "decoder_transformer", CONFIG.decoder_transformer, x)
    x = _conv(tensors, "decoder.model.0", x)
    for number, ratio in zip((2, 5, 8), CONFIG.decoder_seanet.ratios, strict=True):
        weight, bias = (tensors[f"decoder.model.{number}.convtr.{leaf}"] for leaf in ("weight", "bias"))
        x = F.conv_transpose1d(F.elu(x), weight, bias, stride=ratio)[..., : x.shape[-1] * ratio]
        x = _residual(tensors, f"decoder.model.{number + 1}", x)
    return _conv(tensors, "decoder.model.11", F.elu(x))[:, 0]


def plain_encoded(tensors: Tensors, samples: Tensor) -> Tensor:
    """(T,) -> (F, inner_dim)"""
    x = F.pad(samples, (0, -len(samples) % 1920))[None, None]
    x = _conv(tensors, "encoder.model.0", x)
    for number, ratio in zip((3, 6, 9), CONFIG.seanet.ratios[::-1], strict=True):
        x = _residual(tensors, f"encoder.model.{number - 2}", x)
        x = _conv(tensors, f"encoder.model.{number}", F.elu(x), stride=ratio)
    x = _conv(tensors, "encoder.model.11", F.elu(x))
    x = _transformed(tensors, "encoder_transformer", CONFIG.transformer, x)
    x = torch.cat([x[..., :1].expand(-1, -1, 16), x], dim=-1)
    return F.conv1d(x, tensors["downsample.conv.conv.weight"], stride=16)[0].T


def _conv(tensors: Tensors, name: str, x: Tensor, *, stride: int = 1) -> Tensor:
    weight, bias = (tensors[f"{name}.conv.{leaf}"] for leaf in ("weight", "bias"))
    return F.conv1d(F.pad(x, (weight.shape[-1] - stride, 0)), weight, bias, stride=stride)


def _residual(tensors: Tensors, name: str, x: Tensor) -> Tensor:
    return x + _conv(tensors, f"{name}.block.3", F.elu(_conv(tensors, f"{name}.block.1", F.elu(x))))


def _transformed(tensors: Tensors, name: str, config: CodecTransformerConfig, x: Tensor) -> Tensor:
    rows, width, n = x.mT, config.d_model, x.shape[-1]
    head_dim = width // config.num_heads
    distance = torch.arange(n)[:, None] - torch.arange(n)
    band = torch.zeros(n, n).masked_fill((distance < 0) | (distance >= config.context), -torch.inf)
    pair_angles = torch.arange(n)[:, None] / config.max_period ** (torch.arange(0, head_dim, 2) / head_dim)
    cos, sin = pair_angles.cos(), pair_angles.sin()

    def turned(heads: Tensor) -> Tensor:
        even, odd = heads[..., ::2], heads[..., 1::2]
        return torch.stack([even * cos - odd * sin, even * sin + odd * cos], dim=-1).flatten(-2)

    for number in range(config.num_layers):
        of = {leaf: tensors[f"{name}.transformer.layers.{number}.{leaf}"] for leaf in _LEAVES}
        normed = F.layer_norm(rows, (width,), of["norm1.weight"], of["norm1.bias"], 1e-5)
        heads = (normed @ of["self_attn.in_proj.weight"].T).unflatten(-1, (3, config.num_heads, head_dim)).permute(2, 0, 3, 1, 4)
        weights = (turned(heads[0]) @ turned(heads[1]).mT / head_dim**0.5 + band).softmax(-1)
        mixed = (weights @ heads[2]).transpose(1, 2).flatten(2) @ of["self_attn.out_proj.weight"].T
        rows = rows + of["layer_scale_1.scale"] * mixed
        normed = F.layer_norm(rows, (width,), of["norm2.weight"], of["norm2.bias"], 1e-5)
        raised = F.gelu(normed @ of["linear1.weight"].T, approximate="tanh")
        rows = rows + of["layer_scale_2.scale"] * (raised @ of["linear2.weight"].T)
    return rows.mT


_LEAVES = ("norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias", "self_attn.in_proj.weight", "self_attn.out_proj.weight")
_LEAVES += ("linear1.weight", "linear2.weight", "layer_scale_1.scale", "layer_scale_2.scale")
