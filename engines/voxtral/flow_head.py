"""VoxtralFlowHead: turns a hidden state of the backbone into a frame's codes: the semantic code at once, the acoustic codes from noise.

Source: FlowMatchingAudioTransformer of vllm-omni 0.30.0 (voxtral_tts_audio_generation.py), operation by operation in the compute dtype.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from engines.kit.nn.transformer import Decoder
from engines.kit.sampling.flow_matching import linear_guidance, solve_euler, uniform_grid
from engines.voxtral.config import END_AUDIO, N_SPECIAL, VoxtralConfig

__all__ = ["VoxtralFlowHead"]

LONGEST_PERIOD = 10_000.0  # theta of upstream's TimeEmbedding
ALIGNED_ROWS = 8  # of a matrix: what products of 16-bit numbers on tensor cores want (cuBLAS documentation)
See = Callable[[Tensor], Tensor]  # gives back what it is shown: what codes are made of
FIRST = slice(0, 1)  # row of which levels are made
N_ROWS = 3  # of the head's transformer: what is there of the frame, the time, the hidden state


class VoxtralFlowHead(nn.Module):
    """D: width of the backbone and of the head. A: acoustic codebooks, each of `n_levels` codes.

    The time's frequencies are computed: the release does not have them, though upstream would save them.
    """

    semantic_head: nn.Linear

    def __init__(self, config: VoxtralConfig):
        super().__init__()
        audio = config.audio_model
        sizes, self.n_levels, self.n_acoustic = audio.acoustic_transformer_args, audio.acoustic_codebook_size, audio.n_acoustic_codebook
        self._n_choices, self._n_steps = N_SPECIAL - END_AUDIO + audio.semantic_codebook_size, sizes.n_decoding_steps
        self.input_projection = nn.Linear(self.n_acoustic, sizes.dim, bias=False)
        self.time_projection = nn.Linear(sizes.dim, sizes.dim, bias=False)
        self.llm_projection = nn.Linear(sizes.input_dim, sizes.dim, bias=False)
        self.semantic_codebook_output = nn.Linear(sizes.dim, audio.n_logits, bias=False)
        self.acoustic_codebook_output = nn.Linear(sizes.dim, self.n_acoustic, bias=False)
        self.decoder = Decoder(config.flow_transformer())

    @property
    def dtype(self) -> torch.dtype:
        return self.acoustic_codebook_output.weight.dtype

    def prepare_weights(self) -> None:
        """Rows of the head that may be chosen (the end of speech, then each semantic code) and some that align them; rows that tell the
        times of all steps. Once, after loading.
        """
        weight = self.semantic_codebook_output.weight
        rows = weight[END_AUDIO : END_AUDIO + -(-self._n_choices // ALIGNED_ROWS) * ALIGNED_ROWS].detach().clone()
        self.semantic_head = nn.Linear(rows.shape[1], len(rows), bias=False, device="meta")
        self.semantic_head.weight = nn.Parameter(rows, requires_grad=False)
        self.grid = uniform_grid(self._n_steps, self.dtype)
        times = torch.tensor(self.grid.times, dtype=self.dtype, device=weight.device)
        self._time_rows = self.time_projection(self._waves(times))[:, None, None]
        self._step = self.decoder.step_over(torch.arange(N_ROWS, device=weight.device))
        del self.semantic_codebook_output, self.time_projection

    def semantic_logits(self, hidden_states: Tensor) -> Tensor:
        """(B, D), behind the backbone's last norm -> (B, 1 + semantic codes): of the end of speech, and of each code."""
        return self.semantic_head(hidden_states)[:, : self._n_choices]

    def semantic(self, hidden_states: Tensor, is_first: Tensor, see: See = lambda logits: logits) -> Tensor:
        """(B, D), behind the backbone's last norm -> (B,) int64: 0 for the end of speech, else the semantic code + 1. Always the likeliest.

        is_first: (B, 1) bool; of a first frame the likeliest code. Masked upstream, and not computed here, are EMPTY_AUDIO and the rows
        that pad the head.
        """
        logits = see(self.semantic_logits(hidden_states))
        logits[:, :1].masked_fill_(is_first, -torch.inf)
        return logits.argmax(dim=-1)

    def acoustic(self, hidden_states: Tensor, noise: Tensor, scale: Tensor, see: See = lambda levels: levels) -> Tensor:
        """The acoustic codes of a frame, (B, A) int64 of 0 to n_levels - 1.

        hidden_states: (B, D), behind the backbone's last norm. noise: (B, A), of variance 1. scale: (B, 1), of the guidance (cfg_alpha).
        """
        told = self.llm_projection(torch.cat([hidden_states, torch.zeros_like(hidden_states)])).unflatten(0, (2, -1))[:, :, None]

        def velocity(levels: Tensor, step: int) -> Tensor:
            levels_row = self.input_projection(levels[:, None])  # both halves have the same
            rows = [row.expand(2, len(levels), 1, -1) for row in (levels_row, self._time_rows[step])] + [told]
            given = torch.cat(rows, dim=2).flatten(0, 1), self._step, None
            return self.decoder.headed(given, self.acoustic_codebook_output, FIRST)[:, 0]

        levels = see(solve_euler(noise.to(self.dtype), self.grid, velocity, linear_guidance(scale))).clamp(-1, 1)
        return ((levels + 1) / 2 * (self.n_levels - 1)).round().long()

    def _waves(self, times: Tensor) -> Tensor:
        """(N,) between 0 and 1, unscaled -> (N, D): cosines, then sines, of periods in geometric progression. Angles are float32."""
        half = self.time_projection.in_features // 2
        frequencies = torch.exp(-math.log(LONGEST_PERIOD) * torch.arange(half, device=times.device).float() / half)
        angles = times.float()[:, None] * frequencies
        return torch.cat([angles.cos(), angles.sin()], dim=-1).to(times.dtype)
