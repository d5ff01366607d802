"""Parts of the official VoxCPM package, each run alone. Arrays are float32 on the outside, and of the model's dtype within."""

import numpy as np
import torch
from torch import Tensor, nn
from voxcpm.core import VoxCPM

from tests.parity.replaced import replaced

__all__ = ["Parts"]


class Parts:
    """The networks of one model. P, D: latents of a patch, numbers of a latent; H: width of the language models."""

    def __init__(self, model: VoxCPM):
        self._model = model.tts_model
        self._head = self._model.feat_decoder
        self._dtype = self._model.enc_to_lm_proj.weight.dtype

    @torch.inference_mode()
    def patch_rows(self, patches: np.ndarray) -> np.ndarray:
        """Patches (N, P, D) as rows (N, H)."""
        return _out(self._model.enc_to_lm_proj(self._model.feat_encoder(self._in(patches)[None]))[0])

    @torch.inference_mode()
    def read(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """What each language model makes of the same rows (T, H)."""
        models = {"base": self._model.base_lm, "residual": self._model.residual_lm}
        return {name: _out(model(inputs_embeds=self._in(rows)[None], is_causal=True)[0][0]) for name, model in models.items()}

    @torch.inference_mode()
    def quantized(self, rows: np.ndarray) -> np.ndarray:
        """(N, H) -> (N, H)."""
        return _out(self._model.fsq_layer(self._in(rows)))

    @torch.inference_mode()
    def conditions(self, base: np.ndarray, residual: np.ndarray) -> np.ndarray:
        """What the diffusion is told of states (N, H): (N, 2 * width of the head)."""
        return _out(self._conditions(base, residual))

    @torch.inference_mode()
    def stop(self, rows: np.ndarray) -> np.ndarray:
        """(N, H) -> logits (N, 2)."""
        return _out(self._model.stop_head(self._model.stop_actn(self._model.stop_proj(self._in(rows)))))

    @torch.inference_mode()
    def patch(self, noise: np.ndarray, last: np.ndarray, states: np.ndarray, steps: int, guidance: float) -> np.ndarray:
        """The patch that noise becomes in so many steps after the last one, (P, D) each. states: (2, H), of base and residual model."""
        z, cond = (self._in(array).T[None].contiguous() for array in (noise, last))
        with replaced(torch, "randn", lambda *_, **__: z):
            mu = self._conditions(states[:1], states[1:])
            return _out(self._head(mu=mu, n_timesteps=steps, patch_size=len(noise), cond=cond, cfg_value=guidance)[0].T)

    @torch.inference_mode()
    def decode(self, latents: np.ndarray) -> np.ndarray:
        """(F, D) -> samples, in one piece."""
        return self._model.audio_vae.decode(torch.from_numpy(latents).T[None].contiguous())[0, 0].numpy()

    @torch.inference_mode()
    def grid(self, steps: int) -> np.ndarray:
        """(2, calls): the times that the head is called at, and the width of each of these steps."""
        calls = []

        def estimator(x: Tensor, mu: Tensor, t: Tensor, cond: Tensor, dt: Tensor) -> Tensor:
            calls.append((float(t[0]), float(dt[0])))
            return torch.zeros_like(x)

        p, d = self._model.patch_size, self._model.feat_dim
        mu, cond = torch.zeros(1, 4, dtype=self._dtype), torch.zeros(1, d, p, dtype=self._dtype)
        with replaced(self._head, "mean_mode", True), self._calling(estimator):  # mean_mode: the estimator is told the widths
            self._head(mu=mu, n_timesteps=steps, patch_size=p, cond=cond, cfg_value=1.0)
        return np.array(calls, np.float32).T

    @torch.inference_mode()
    def guided(self, conditioned: np.ndarray, other: np.ndarray, guidance: float) -> np.ndarray:
        """The velocity (P, D) that is followed, of one with and one without conditions."""
        both = torch.stack([self._in(conditioned).T, self._in(other).T])
        start, times = torch.zeros_like(both[:1]), torch.tensor([1.0, 0.0, 1.0], dtype=self._dtype)  # nothing, then a step of -1
        with self._calling(lambda *_: both):
            return _out(self._head.solve_euler(start, times, torch.zeros(1, 4, dtype=self._dtype), start, cfg_value=guidance)[0].T)

    @torch.inference_mode()
    def waves(self, times: np.ndarray) -> np.ndarray:
        """(N,) -> (N, width of the head)."""
        return _out(self._head.estimator.time_embeddings(self._in(times)))

    @torch.inference_mode()
    def normed(self, rows: np.ndarray) -> np.ndarray:
        """(N, H) after the first norm of the base model."""
        return _out(self._model.base_lm.layers[0].input_layernorm(self._in(rows)))

    def rotation(self, positions: int) -> tuple[np.ndarray, np.ndarray]:
        """cos and sin of the first positions, (N, width of a head) each."""
        cos, sin = self._model.base_lm.rope_emb(torch.arange(positions))
        return _out(cos), _out(sin)

    def _conditions(self, base: np.ndarray, residual: np.ndarray) -> Tensor:
        model = self._model
        return torch.cat([model.lm_to_dit_proj(self._in(base)), model.res_to_dit_proj(self._in(residual))], dim=-1)

    def _in(self, array: np.ndarray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._dtype)

    def _calling(self, estimator: object):
        """Let the diffusion call this instead of its network."""
        return replaced(self._head, "estimator", _Called(estimator))


class _Called(nn.Module):
    def __init__(self, function: object):
        super().__init__()
        self._function = function

    def forward(self, *given: Tensor) -> Tensor:
        return self._function(*given)


def _out(tensor: Tensor) -> np.ndarray:
    return tensor.float().numpy().copy()
