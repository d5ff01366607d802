"""SpeechModel: text and patches to the next patch. The language model, and what draws a patch from its state.

Source: DotsTtsCore of dots.tts 0.3.1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import cos, sin

import torch
from torch import Tensor, nn

from engines.dots.config import DotsConfig, Sampler
from engines.dots.semantic_encoder import SemanticEncoder, packs
from engines.dots.velocity_field import VelocityField
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.transformer import Decoder, DecoderConfig
from engines.kit.sampling.flow_matching import linear_guidance, solve_euler, uniform_grid

__all__ = ["N_DRAWS", "LatentStats", "SpeechModel"]

SPEECH_ENDS, LEAST_CERTAINTY = 1, 0.8  # class of the end head; above it the patch that follows is the last (eos_threshold upstream)
N_DRAWS = {"flow": 1, "mean_flow": 1, "consistency": 2}  # of noise for a patch, by kind of Sampler

Velocity = Callable[[Tensor, int], Tensor]  # latents on their way, number of the step -> velocity, of all branches


@dataclass(frozen=True)
class LatentStats:
    """Mean and deviation of latents, (D,) float32 each. What draws knows them normalized, all others as they are."""

    mean: Tensor
    deviation: Tensor

    def normalized(self, latents: Tensor) -> Tensor:
        return (latents - self.mean) / self.deviation

    def raw(self, normalized: Tensor) -> Tensor:
        """float32."""
        return normalized * self.deviation + self.mean


class SpeechModel(nn.Module):
    """H: width of the language model; W: of the velocity field; P latents of D channels a patch; R = 1 + P rows a patch."""

    UNREAD = ("llm.lm_head.weight", "input_mask_embedding*")  # tied to the table of text; of the training of edits

    def __init__(self, config: DotsConfig):
        super().__init__()
        width, inner, latent = config.llm.hidden_size, config.DiT.hidden_size, config.latent_dim
        attention = replace(AttentionConfig.of(config.llm, norm_eps=config.llm.rms_norm_eps), qkv_bias=True)
        self.decoder = Decoder(DecoderConfig(attention, config.llm.intermediate_size, config.llm.num_hidden_layers))
        self.embed_tokens, self.patch_encoder = nn.Embedding(config.llm.vocab_size, width), SemanticEncoder(config)
        self.hidden_proj, self.latent_proj = nn.Linear(width, inner), nn.Linear(latent, inner)
        self.coordinate_proj = nn.Linear(latent, inner)
        self.xvec_proj = nn.Sequential(nn.Linear(config.campplus_embedding_size, inner), nn.LayerNorm(inner))
        self.eos_proj = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2))
        self.velocity_field_predictor, self.sampler, self._dit = VelocityField(config), config.sampler, config.DiT

    @staticmethod
    def name_in_file(name: str) -> str:
        """A parameter's name -> the checkpoint's."""
        name = name.replace(".conv.", ".")
        return f"llm.model.{name.removeprefix('decoder.')}" if name.startswith(("decoder.", "embed_tokens.")) else name

    @property
    def packs(self) -> dict[str, tuple[str, ...]]:
        """For Checkpoint.load_into."""
        return self.decoder.packs | packs(self._dit)

    @property
    def dtype(self) -> torch.dtype:
        """Of rows, states and patches. The table of text may be kept in another, the file's."""
        return self.hidden_proj.weight.dtype

    def prepare_weights(self) -> None:
        """Once, after loading."""
        self.decoder.step(torch.zeros(1, dtype=torch.int64, device=self.hidden_proj.weight.device), 1)
        self.patch_encoder.prepare_weights()
        self.velocity_field_predictor.prepare_weights()

    def embed(self, ids: Sequence[int]) -> Tensor:
        """Tokens as rows, (1, T, H)."""
        return self.embed_tokens(torch.tensor([list(ids)], device=self.hidden_proj.weight.device)).to(self.dtype)

    def ends(self, states: Tensor) -> Tensor:
        """Whether the patch that follows states (B, H) is the last: (B,) bool."""
        return self.eos_proj(states).float().softmax(dim=-1)[:, SPEECH_ENDS] > LEAST_CERTAINTY

    # --- drawing

    def voices(self, x_vector: Tensor, scale: float) -> Tensor:
        """What the velocity takes of a voice, for all branches: (branches, W). x_vector: (1, X)."""
        voice = self.xvec_proj((x_vector * scale).to(self.dtype))
        return torch.cat([voice, torch.zeros_like(voice)]) if self.sampler.n_branches == 2 else voice

    def modulations(self, voices: Tensor, n_steps: int) -> Tensor:
        """What the layers take of each step and branch: (n_steps, branches, n_modulations, W)."""
        if self.sampler.kind == "consistency":
            times, lengths = (0.0, _middle(self.sampler)), None
        else:
            grid = uniform_grid(n_steps, self.dtype)
            times, lengths = grid.times, grid.widths if self.sampler.tells_length else None
        return self.velocity_field_predictor.modulations(voices, times, lengths)

    def rows_of(self, states: Tensor, patches: Tensor) -> Tensor:
        """Rows of patches that are made: states (B, N, H) that they were made of, normalized (B, N, P, D) -> (branches * B, N * R, W)."""
        latents = self.latent_proj(patches)
        rows = [torch.cat([hidden[:, :, None], latents], dim=2).flatten(1, 2) for hidden in self._hidden(states)]
        return torch.cat(rows)

    def rows_being_drawn(self, states: Tensor) -> Tensor:
        """What stands before the noise of a patch: states (B, H) -> (branches * B, 1, W)."""
        return torch.cat([hidden[:, None] for hidden in self._hidden(states)])

    def draw(self, noise: Tensor, n_steps: int, guidance: Tensor, velocity: Velocity) -> Tensor:
        """Normalized latents (B, P, D). noise: (draws, B, P, D). guidance: (B, 1, 1), the weight w of c + w (c - u)."""
        if self.sampler.kind == "consistency":
            middle = _middle(self.sampler)
            jump = noise[0] + velocity(noise[0], 0)
            between = middle * jump + (1 - middle) * noise[1]
            return between + (1 - middle) * velocity(between, 1)
        grid = uniform_grid(n_steps, self.dtype)
        return solve_euler(noise[0], grid, velocity, linear_guidance(1 + guidance) if self.sampler.n_branches == 2 else None)

    def _hidden(self, states: Tensor) -> list[Tensor]:
        """As the branches see states: the one without text and voice as nothing."""
        hidden = self.hidden_proj(states)
        return [hidden, self.hidden_proj.bias.expand_as(hidden)] if self.sampler.n_branches == 2 else [hidden]


def _middle(sampler: Sampler) -> float:
    """The time between the two jumps, where 0 is noise and 1 is sound (_to_flow_matching of dots.tts 0.3.1 with fm_sigma 0)."""
    return cos(sampler.tau_mid) / (cos(sampler.tau_mid) + sin(sampler.tau_mid))
