"""Flow: turns speech tokens into mel frames in the voice of a prompt. Chunk by chunk gives exactly the result of one call.

Source: CausalMaskedDiffWithDiT and CausalConditionalCFM of CosyVoice @ ace7c47 (cosyvoice/flow) with streaming=True, always: upstream makes
its last chunk without the mask, so that it does not continue what was heard.
"""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.cosyvoice3.config import FlowConfig
from engines.cosyvoice3.flow.diffusion_transformer import N_POSITION_CONVS, DiffusionTransformer
from engines.cosyvoice3.flow.flow_memory import N_GUIDED, FlowMemory
from engines.cosyvoice3.flow.flow_step import CONTEXT_FRAMES, FlowStep, FlowSteps
from engines.cosyvoice3.flow.pre_lookahead import PreLookaheadLayer
from engines.kit.nn.module_list import module_dict
from engines.kit.sampling.flow_matching import cosine_grid, euler_path, linear_guidance

__all__ = ["MOST_FRAMES", "N_EULER_STEPS", "Flow", "fixed_noise", "frame_bytes"]

N_EULER_STEPS = 10  # n_timesteps of CausalMaskedDiffWithDiT.inference
MOST_FRAMES = 15_000  # 300 s, prompt included: as many as CausalConditionalCFM draws noise for


def fixed_noise(mel_dim: int) -> Tensor:
    """(MOST_FRAMES, mel_dim): the noise that every speech begins with, frame by frame, as CausalConditionalCFM draws it with seed 0."""
    return torch.randn(mel_dim, MOST_FRAMES, generator=torch.Generator().manual_seed(0)).T.contiguous()


def frame_bytes(config: FlowConfig, dtype: torch.dtype) -> int:
    """That a frame takes of a FlowMemory, whose keys and values have this dtype."""
    return N_EULER_STEPS * config.depth * 2 * N_GUIDED * config.heads * config.dim_head * dtype.itemsize


class Flow(nn.Module):
    """Names of parameters are those of flow.pt, see `packs`; it computes in their type. A chunk's frames see one another and all before.

    noise: (MOST_FRAMES, mel_dim), see fixed_noise. steps: what a call makes, and what is seen.
    """

    noise: Tensor

    UNREAD = ("decoder.estimator.rotary_embed.inv_freq",)  # in the file: one over 10000 ** (2 k / dim_head)

    def __init__(self, config: FlowConfig):
        super().__init__()
        self.config = config
        self.input_embedding = nn.Embedding(config.vocab_size, config.mel_dim)
        self.spk_embed_affine_layer = nn.Linear(config.spk_embed_dim, config.mel_dim)
        self.pre_lookahead_layer = PreLookaheadLayer(config)
        self.decoder = module_dict({"estimator": DiffusionTransformer(config)})
        self.steps = FlowSteps(config)

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into: queries, keys and values are one matrix."""
        return {f"attn.to_qkv.{leaf}": tuple(f"attn.to_{part}.{leaf}" for part in "qkv") for leaf in ("weight", "bias")}

    @property
    def dtype(self) -> torch.dtype:
        return self.spk_embed_affine_layer.weight.dtype

    @property
    def device(self) -> torch.device:
        return self.spk_embed_affine_layer.weight.device

    def prepare_weights(self) -> None:
        """Draw the noise, and let the times of the Euler steps take the place of what tells them. Once, after loading."""
        self._grid = cosine_grid(N_EULER_STEPS)
        self.register_buffer("noise", fixed_noise(self.config.mel_dim).to(self.device, self.dtype), persistent=False)
        self.decoder["estimator"].prepare_weights(self._grid.times)

    def new_memory(self, batch: int, length: int, dtype: torch.dtype | None = None) -> FlowMemory:
        """Room for `length` frames of each stream. dtype: of keys and values, in which attention computes; None: the weights'."""
        config = self.config
        keys_values = (N_EULER_STEPS, config.depth, 2, N_GUIDED, batch, config.heads, length + 1, config.dim_head)
        contexts = (N_EULER_STEPS, N_POSITION_CONVS, N_GUIDED, batch, CONTEXT_FRAMES, config.dim)
        return FlowMemory.zeros(keys_values, contexts, (dtype or self.dtype, self.dtype), self.device)

    def token_rows(self, windows: Tensor) -> Tensor:
        """Rows that the frames of N tokens follow, (B, N * token_mel_ratio, mel_dim). windows: (B, TOKENS_BEFORE + N + ahead) int64, see
        token_window, where ahead is pre_lookahead_len. Pieces of any size give what one call for all tokens does.
        """
        embedded = self.input_embedding(windows.clamp(min=0))
        rows = self.pre_lookahead_layer(embedded, windows >= 0)
        return rows.repeat_interleave(self.config.token_mel_ratio, dim=1)

    def speaker_rows(self, embeddings: Tensor) -> Tensor:
        """(B, spk_embed_dim) of any length, as the speaker encoder gives them -> (B, mel_dim)."""
        return self.spk_embed_affine_layer(F.normalize(embeddings, dim=1))

    def forward(self, inputs: tuple[Tensor, Tensor, Tensor], speaker: Tensor, memory: FlowMemory, step: FlowStep) -> Tensor:
        """Mel frames (n, F, mel_dim), see `path`."""
        return list(self.path(inputs, speaker, memory, step))[-1]

    def path(
        self, inputs: tuple[Tensor, Tensor, Tensor], speaker: Tensor, memory: FlowMemory, step: FlowStep
    ) -> Iterator[Tensor]:  # fmt: skip
        """Mel frames (n, F, mel_dim), of the prompt too, after each of N_EULER_STEPS; after the last the memory has them.

        inputs: noise at these frames, rows of their tokens, and the frames of the prompt (zeros beyond it), each (n, F, mel_dim).
        speaker: (n, mel_dim), see speaker_rows. Raises ValueError where the memory is too short.
        """
        if step.n_keys > memory.length:
            raise ValueError(f"{step.n_keys} frames in a memory of {memory.length}.")
        noise, tokens, known = inputs
        conditions = torch.cat([known, tokens, speaker[:, None].expand(-1, noise.shape[1], -1)], dim=-1)
        conditions = torch.cat([conditions, torch.zeros_like(conditions)])
        estimator = self.decoder["estimator"]

        def velocity(frames: Tensor, euler_step: int) -> Tensor:
            return estimator(torch.cat([frames, frames]), conditions, euler_step, memory, step)

        yield from euler_path(noise, self._grid, velocity, linear_guidance(1 + self.config.guidance))
