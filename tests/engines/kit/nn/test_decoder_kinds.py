"""The decoder as the models need it: each combination of flags, read from tensors under the model's own names, against the textbook."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor

from engines.kit.nn.attention import AttentionConfig, RotaryConfig
from engines.kit.nn.tensor_names import USUAL_NAMES, TensorNames
from engines.kit.nn.transformer import Decoder, DecoderConfig
from engines.kit.weights.checkpoint import Checkpoint

WIDTH, INNER, LAYERS, HEADS, KV_HEADS, HEAD_DIM, EPS = 20, 28, 2, 6, 2, 8, 1e-5


def kind(
    rotary: RotaryConfig, *, qk_norm: bool = False, qkv_bias: bool = False, causal: bool = True, names: TensorNames = USUAL_NAMES
) -> DecoderConfig:
    attention = AttentionConfig(WIDTH, HEADS, KV_HEADS, HEAD_DIM, rotary, qk_norm=qk_norm, qkv_bias=qkv_bias, norm_eps=EPS)
    return DecoderConfig(attention, INNER, LAYERS, causal=causal, names=names)


FACTORS = (1.3, 0.7, 2.5, 4.0)
LONGROPE = RotaryConfig(theta=1e4, factors=FACTORS, scaling=1.25, in_float32=True)
FISH = RotaryConfig("interleaved", theta=1e6, bfloat16_table=True, in_float32=True)
FUSED = TensorNames(
    qkv=("attention.wqkv",), out="attention.wo", q_norm="attention.q_norm", k_norm="attention.k_norm", attention_norm="attention_norm",
    up=("feed_forward.w1", "feed_forward.w3"), down="feed_forward.w2", mlp_norm="ffn_norm",
)  # fmt: skip
APART = replace(FUSED, qkv=("attention.wq", "attention.wk", "attention.wv"))
GELU = TensorNames(up=("mlp.fc1",), down="mlp.fc2")

KINDS = {
    "CosyVoice3, Qwen2": kind(RotaryConfig(theta=1e6), qkv_bias=True),
    "VoxCPM2, MiniCPM4": kind(LONGROPE),
    "VoxCPM2, residual": kind(RotaryConfig("none")),
    "VoxCPM2, local": kind(LONGROPE, causal=False),
    "OmniVoice, Qwen3": kind(RotaryConfig(theta=1e6), qk_norm=True, causal=False),
    "Fish, slow": kind(FISH, qk_norm=True, names=FUSED),
    "Fish, fast": kind(FISH, names=FUSED),
    "Voxtral, backbone": kind(RotaryConfig("interleaved", theta=1e6), names=APART),
    "Voxtral, flow head": kind(RotaryConfig("none"), names=APART, causal=False),
    "first half rotated": kind(RotaryConfig(rotary_dim=4)),
    "two layers of GELU": replace(kind(RotaryConfig(), names=GELU), mlp="gelu"),
}


@dataclass(frozen=True)
class Made:
    """A decoder read from a file, and what the file held."""

    decoder: Decoder
    tensors: dict[str, Tensor]


def noise(*shape: int, seed: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def file_shapes(config: DecoderConfig) -> dict[str, tuple[int, ...]]:
    names, rows = config.names, [HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM]
    rows = rows if len(names.qkv) == 3 else [sum(rows)]
    shapes = {f"{name}.weight": (n, WIDTH) for name, n in zip(names.qkv, rows, strict=True)}
    if config.attention.qkv_bias:
        shapes |= {f"{name}.bias": (n,) for name, n in zip(names.qkv, rows, strict=True)}
    if config.attention.qk_norm:
        shapes |= {f"{names.q_norm}.weight": (HEAD_DIM,), f"{names.k_norm}.weight": (HEAD_DIM,)}
    shapes |= {f"{names.out}.weight": (WIDTH, HEADS * HEAD_DIM), f"{names.down}.weight": (WIDTH, INNER)}
    shapes |= {f"{name}.weight": (INNER, WIDTH) for name in names.up}
    return shapes | {f"{names.attention_norm}.weight": (WIDTH,), f"{names.mlp_norm}.weight": (WIDTH,)}


def made(config: DecoderConfig, folder: Path) -> Made:
    shapes = {f"layers.{layer}.{name}": shape for layer in range(LAYERS) for name, shape in file_shapes(config).items()}
    shapes["norm.weight"] = (WIDTH,)
    tensors = {name: noise(*shape, seed=index) * 0.5 for index, (name, shape) in enumerate(shapes.items())}
    save_file(tensors, folder / "model.safetensors")
    with torch.device("meta"):
        decoder = Decoder(config).double().requires_grad_(False)
    with Checkpoint(folder) as checkpoint:
        checkpoint.load_into(decoder, packs=decoder.packs)
        checkpoint.check_all_used()
    return Made(decoder, tensors)


def textbook(tensors: dict[str, Tensor], config: DecoderConfig, x: Tensor, hidden: Tensor) -> Tensor:
    """One row (T, D), position by position and head by head where that is plainest. hidden: (T, T) bool, who does not see whom."""
    names = config.names

    def linear(y: Tensor, at: str, parts: tuple[str, ...]) -> Tensor:
        weight = torch.cat([tensors[f"{at}{part}.weight"] for part in parts])
        has_bias = config.attention.qkv_bias and parts == names.qkv
        return F.linear(y, weight, torch.cat([tensors[f"{at}{part}.bias"] for part in parts]) if has_bias else None)

    def norm(y: Tensor, weight: Tensor) -> Tensor:
        return y / (y.square().mean(-1, keepdim=True) + EPS).sqrt() * weight

    for at in (f"layers.{layer}." for layer in range(LAYERS)):
        y = norm(x, tensors[f"{at}{names.attention_norm}.weight"])
        heads = linear(y, at, names.qkv).unflatten(-1, (-1, HEAD_DIM))
        out = []
        for head in range(HEADS):
            query, key, value = heads[:, head], heads[:, HEADS + head // 3], heads[:, HEADS + KV_HEADS + head // 3]
            if config.attention.qk_norm:
                query = norm(query, tensors[f"{at}{names.q_norm}.weight"])
                key = norm(key, tensors[f"{at}{names.k_norm}.weight"])
            scores = turned(query, config.attention.rotary) @ turned(key, config.attention.rotary).T / HEAD_DIM**0.5
            out.append(scores.masked_fill(hidden, -torch.inf).softmax(-1) @ value)
        x = x + linear(torch.cat(out, dim=-1), at, (names.out,))
        y = norm(x, tensors[f"{at}{names.mlp_norm}.weight"])
        inner = [linear(y, at, (name,)) for name in names.up]
        inner = F.gelu(inner[0]) if config.mlp == "gelu" else inner[0] * inner[0].sigmoid() * inner[1]
        x = x + linear(inner, at, (names.down,))
    return norm(x, tensors["norm.weight"])


def turned(head: Tensor, rotary: RotaryConfig) -> Tensor:
    """(T, HEAD_DIM), each pair of channels turned by its angle, one pair after another."""
    if rotary.kind == "none":
        return head
    out, width = head.clone(), rotary.rotary_dim or HEAD_DIM
    for pair in range(width // 2):
        first, second = (2 * pair, 2 * pair + 1) if rotary.kind == "interleaved" else (pair, pair + width // 2)
        factor = rotary.factors[pair] if rotary.factors else 1.0
        angle = torch.arange(len(head), dtype=torch.float64) / factor * rotary.theta ** (-2 * pair / width)
        cos, sin = angle.cos() * rotary.scaling, angle.sin() * rotary.scaling
        if rotary.bfloat16_table:
            cos, sin = cos.bfloat16().double(), sin.bfloat16().double()
        out[:, first] = head[:, first] * cos - head[:, second] * sin
        out[:, second] = head[:, first] * sin + head[:, second] * cos
    return out


@pytest.mark.parametrize("model", KINDS)
def test_every_kind_computes_what_the_textbook_says(model, tmp_path):
    """Angles are float32, so that is how close it can come."""
    config, x = KINDS[model], noise(1, 9, WIDTH, seed=99)
    at = made(config, tmp_path)
    hidden = torch.ones(9, 9, dtype=torch.bool).triu(1) if config.causal else torch.zeros(9, 9, dtype=torch.bool)
    if config.causal:
        got = at.decoder(x, at.decoder.step(torch.arange(9), 9), at.decoder.new_cache(1, 9))
    else:
        got = at.decoder(x, at.decoder.step_over(torch.arange(9)))
    assert (got[0] - textbook(at.tensors, config, x[0], hidden)).abs().max() < 2e-6


def test_rows_see_those_of_their_own_group_alone(tmp_path):
    config, x = KINDS["OmniVoice, Qwen3"], noise(2, 7, WIDTH, seed=99)
    at = made(config, tmp_path)
    groups = (torch.arange(7) >= torch.tensor([[4], [7]])).long()
    both = at.decoder(x, at.decoder.step_over(torch.arange(7), groups))
    alone = at.decoder(x[:1, :4], at.decoder.step_over(torch.arange(4)))
    assert (both[0, :4] - alone[0]).abs().max() < 1e-12
    elsewhere = at.decoder(x[:1, 4:], at.decoder.step_over(torch.arange(4, 7)))
    assert (both[0, 4:] - elsewhere[0]).abs().max() < 1e-12
    assert (both[1] - at.decoder(x[1:], at.decoder.step_over(torch.arange(7)))[0]).abs().max() < 1e-12


def test_rows_that_see_one_another_keep_nothing_and_causal_ones_need_a_cache(tmp_path):
    bidirectional = made(KINDS["OmniVoice, Qwen3"], tmp_path).decoder
    with pytest.raises(ValueError, match="cache"):
        bidirectional(noise(1, 3, WIDTH, seed=1), bidirectional.step_over(torch.arange(3)), bidirectional.new_cache(1, 3))
    causal = made(kind(RotaryConfig()), tmp_path).decoder
    with pytest.raises(ValueError, match="cache"):
        causal(noise(1, 3, WIDTH, seed=1), causal.step(torch.arange(3), 3))


@torch.inference_mode()
def test_a_wide_residual_keeps_what_rounding_would_lose():
    """Many small additions to channels of 256, where numbers in bfloat16 lie 2 apart, and to one of 0, which says how many there were."""
    rows = torch.full((1, 1, WIDTH), 256.0)
    rows[..., 0] = 0
    made = {}
    for name, dtype, is_wide in (("exact", torch.float32, False), ("narrow", torch.bfloat16, False), ("wide", torch.bfloat16, True)):
        decoder = Decoder(replace(kind(RotaryConfig()), n_layers=40, wide_residual=is_wide)).to(dtype)
        for layer in decoder.layers:
            layer.self_attn.o_proj.weight.zero_()
            layer.mlp.gate_up_proj.weight.fill_(0.1)
            layer.mlp.down_proj.weight.fill_(0.004)
        made[name] = decoder.prefill(rows.to(dtype), decoder.new_cache(1, 1))
        assert made[name].dtype == dtype
    off = {name: abs(float(state[0, 0]) / float(made["exact"][0, 0]) - 1) for name, state in made.items()}
    assert off["wide"] < 0.01
    assert off["narrow"] > 0.04
