"""The same of what engines do between two passes of a network: claims that interpreted_kernels.py makes, in whose process they are."""

from types import SimpleNamespace

import torch

from engines.kit.fused.self_check import KERNELS
from engines.kit.nn.attention import AttentionConfig, RotaryConfig
from engines.kit.nn.fusable import fuse
from engines.kit.nn.transformer import DecoderConfig
from engines.kit.sampling.unmasking import UnmaskingTensors, guided, settle_by_two, settled
from engines.voxcpm2.diffusion_head import DiffusionHead

__all__ = ["patches_alike", "unmasking_alike"]


@torch.inference_mode()
def patches_alike() -> bool:
    """Patches of VoxCPM2, of two rows at once and of one alone, whose scales differ; one step is the least that there is."""
    decoder = DecoderConfig(AttentionConfig(24, 2, 1, 8, RotaryConfig()), 40, 1, causal=False)
    made, plain = (
        DiffusionHead(SimpleNamespace(local_dit=lambda: decoder, patch_size=3, feat_dim=6)).requires_grad_(False) for _ in range(2)
    )
    for parameter in plain.parameters():
        parameter.uniform_(-0.5, 0.6)
    made.load_state_dict(plain.state_dict())
    fuse(made, KERNELS)
    noise, last = torch.randn(2, 2, 3, 6)
    conditions, scale, patches = torch.randn(2, 2, 24), torch.tensor([2.0, 0.5])[:, None, None], []
    for network in (made, plain):
        network.prepare_weights()
        alone = network(noise[1:], conditions[1:], last[1:], scale[1:], 2)
        patches.append(torch.cat([network(noise, conditions, last, scale, 3), alone]))
    return made.fused and torch.allclose(*patches, atol=1e-5, rtol=0)


def unmasking_alike() -> bool:
    """Two sentences of OmniVoice, whose settings differ, step by step until all is settled."""
    n_books, n_frames, n_entries = 3, 7, 11
    table, counts = torch.tensor([[2.0, 0.5, 5.0, 0.0], [0.0, 1.0, 0.0, 0.0]]), torch.tensor([[2, 9, 10], [15, 0, 6]])
    made, plain = torch.full((2, 2, n_books, n_frames), n_entries - 1)
    same = True
    for number in range(counts.shape[1]):
        both, noise = torch.randn(2, n_books, 2 * n_frames, n_entries).chunk(2, dim=2), torch.randn(2, n_books, n_frames)
        step, settings = torch.full((2, 1), number), UnmaskingTensors.of(table)
        settle_by_two(made, both, (counts, step), table, noise)
        plain = settled(plain, guided(*both, settings.guidance_scale), counts.gather(1, step), settings, (noise, None))
        same &= torch.equal(made, plain)
    return same and bool((made < n_entries - 1).all())
