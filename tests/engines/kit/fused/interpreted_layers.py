"""The same of a layer's products in few kernels: claims that interpreted_kernels.py makes, in whose process they are."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from engines.kit.fused import product_checks, products
from engines.kit.fused.fused_use import FusedUse
from engines.kit.fused.self_check import KERNELS, passing_kernels
from engines.kit.nn.attention import AttentionConfig, RotaryConfig
from engines.kit.nn.fusable import LAYER_WAYS, fuse
from engines.kit.nn.transformer import Decoder, DecoderConfig

__all__ = ["five_a_layer", "product_checks_hold"]

HEADS = AttentionConfig(24, 4, 2, 8, RotaryConfig(), qk_norm=True)


@torch.inference_mode()
def five_a_layer() -> bool:
    """By five kernels the same: with biases, with heads that are no power of two, causal and not; and what a head makes of the last."""
    same, n_heads = True, 0
    odd = replace(HEADS, head_dim=12, qkv_bias=True, out_bias=True, rotary=RotaryConfig("interleaved", rotary_dim=8, in_float32=True))
    for heads, causal in ((HEADS, True), (odd, True), (odd, False)):
        made, plain = (Decoder(DecoderConfig(heads, 40, 1, causal=causal)).requires_grad_(False) for _ in range(2))
        for parameter in plain.parameters():
            parameter.uniform_(-0.5, 0.7)
        made.load_state_dict(plain.state_dict())
        fuse(made, KERNELS | LAYER_WAYS.keys())
        rows, frames, own, head = torch.randn(2, 3, 24), torch.randn(2, 1, 24), torch.tensor([[3], [0]]), torch.nn.Linear(24, 7)
        results = []
        for network in (made, plain):
            if not causal:
                given = rows, network.step_over(torch.arange(3)), None
                results.append(torch.cat([network(*given).flatten(), network.headed(given, head, slice(1, None)).flatten()]))
                continue
            cache = network.new_cache(2, 11)
            read = network(rows, network.step(torch.arange(3), 11), cache)
            drawn = network.headed((frames, network.step(own, 11), cache), head)
            results.append(torch.cat([read.flatten(), drawn.flatten(), cache.tensor.flatten()]))
        n_heads += made.layers[0].takes(6)
        same &= torch.allclose(*results, atol=5e-6, rtol=0)
    return same and n_heads == 3


def product_checks_hold() -> bool:
    """In bfloat16 and float16, of heads that are normed and of partly rotated ones; a product that forgets a column is found out."""
    product_checks.PASSES, product_checks.WIDTH, product_checks.INNER = ((3, 1), (3, 22)), 70, 20
    partly = replace(HEADS, qk_norm=False, qkv_bias=True, n_heads=2, n_kv_heads=1, head_dim=12, rotary=RotaryConfig(rotary_dim=8))
    use, checks = FusedUse(HEADS, torch.bfloat16, torch.device("cpu")), product_checks.PRODUCT_CHECKS
    of_heads = {"normed_heads_into_cache": checks["normed_heads_into_cache"]}
    all_hold = passing_kernels([use], checks) == checks.keys()
    all_hold &= passing_kernels([replace(use, attention=partly, dtype=torch.float16)], of_heads) == of_heads.keys()
    right, products.normed_product = products.normed_product, forgetful(products.normed_product)
    found = passing_kernels([use], {"normed_product": checks["normed_product"]})
    products.normed_product = right
    norm, heads = torch.ones(24, dtype=torch.float16), torch.full((40, 24), 3e4, dtype=torch.float16)
    memory, at = torch.zeros(2, 1, 1, 4, 8, dtype=torch.float16), torch.zeros(1, dtype=torch.int64)
    queries = products.normed_heads_into_cache(norm[None, None], [norm, heads, None, None], [at], memory, eps=1e-6, flags=[False, False])
    return all_hold and not found and bool(queries.isnan().all() and memory[:, 0, 0, 0].isnan().all())  # see overflow_as_nan


def forgetful(product: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def product_of_the_rest(residual: Tensor, scale: Tensor, weights: list[Tensor], **settings: object) -> Tensor:
        return product(residual[..., 1:], scale[1:], [weights[0][:, 1:].contiguous()], **settings)

    return product_of_the_rest
