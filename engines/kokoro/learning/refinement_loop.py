"""The style of Kokoro's generator is moved, by gradient, from where learning began to the speaker's.

What is learned: the style, and additions to scale and shift of its 48 norms. They are the generator's only; front and predictor keep a
built-in voice's, so that articulation and melody stay natural: whose timbre it is lies in the generator.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np
import torch
from torch import Tensor

from engines.kokoro.learning.clip_measures import FRAME_SAMPLES, RATE_HZ, log_mel, triangles
from engines.kokoro.network.generator import Generator, Timbre

__all__ = ["ClipTarget", "moved_timbres"]

# n_fft = window, hop, mel bands of the loss
RESOLUTIONS = ((1024, 256, 80), (2048, 512, 80), (512, 128, 40))
WINDOW_FRAMES = 68  # 1.7 s: what the encoder hears at a time, and a frame on each side that is not compared
STYLE_RATE, ADDITION_RATE, BETAS, WARM_UP = 0.03, 0.004, (0.8, 0.95), 5
LIKENESS_WEIGHT = 2.0  # so that both judges agree: the encoder's never leads
LEAST_SPEECH, SPEECH_POWER, TRIES = 0.6, 1e-4, 20


@dataclass(frozen=True, eq=False)
class ClipTarget:
    """A clip as the generator is to say it.

    samples: (T,), F whole frames. features: from a timbre's style, (1, S), to what the front makes of it, (1, 2 F, D). source: of the
    generator, (1, 120 F + 1, C). top_hz: up to where spectra are compared.
    """

    samples: Tensor
    features: Callable[[Tensor], Tensor]
    source: Tensor
    top_hz: float


def moved_timbres(
    generator: Generator, said: ClipTarget, start: Timbre, likeness: Callable[[Tensor], Tensor] | None, *, steps: int, first: int = 0
) -> Iterator[Timbre]:
    """The timbre after each step from `first` on. likeness: (B, T) samples to the loss of likeness."""
    style = start.style.clone().requires_grad_()
    additions = {}
    for name, norm in generator.norms.items():
        known = start.additions.get(name)
        additions[name] = (torch.zeros(norm.fc.out_features) if known is None else known.float().clone()).requires_grad_()
    groups = [{"params": [style], "base": STYLE_RATE}, {"params": list(additions.values()), "base": ADDITION_RATE}]
    optimizer = torch.optim.Adam(groups, lr=STYLE_RATE, betas=BETAS)
    windows = _windows(said, first, steps)
    for step in range(first, steps):
        rate = min(1, (step - first + 1) / WARM_UP) * (0.1 + 0.45 * (1 + math.cos(math.pi * step / steps)))
        for group in optimizer.param_groups:
            group["lr"] = group["base"] * rate
        with torch.enable_grad():
            loss = _loss(generator, said, Timbre(style, additions), likeness, windows[step - first])
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()
        yield Timbre(style.detach().clone(), {name: one.detach().clone() for name, one in additions.items()})


def _windows(said: ClipTarget, first: int, steps: int) -> list[tuple[int, int]]:
    """First and last frame of the window of each step: drawn, with speech in most of each."""
    rng = np.random.default_rng(0)
    n_frames = len(said.samples) // FRAME_SAMPLES
    width = min(n_frames, WINDOW_FRAMES)
    loud = said.samples.reshape(-1, FRAME_SAMPLES).square().mean(1) > SPEECH_POWER
    found = []
    for _ in range(steps):
        at = 0
        for _ in range(TRIES):
            at = int(rng.integers(0, n_frames - width + 1))
            if loud[at : at + width].float().mean() > LEAST_SPEECH:
                break
        found.append((at, at + width))
    return found[first:]


def _loss(generator: Generator, said: ClipTarget, timbre: Timbre, likeness: Callable | None, window: tuple[int, int]) -> Tensor:
    """No gradient goes through the front, which follows the timbre all the same."""
    at, end = window
    with torch.no_grad():
        features = said.features(timbre.style)
    rows = 2 * said.source.shape[1] // features.shape[1]  # of a frame
    source = said.source[:, rows * at : rows * end + 1]
    spoken = generator.samples(generator.spectrum(features[:, 2 * at : 2 * end], source, timbre))
    wanted = said.samples[None, at * FRAME_SAMPLES : at * FRAME_SAMPLES + spoken.shape[1]]
    inside = slice(FRAME_SAMPLES, -FRAME_SAMPLES)
    loss = _difference(spoken[:, inside], wanted[:, inside], said.top_hz)
    return loss if likeness is None else loss + LIKENESS_WEIGHT * likeness(spoken)


def _difference(spoken: Tensor, wanted: Tensor, top_hz: float) -> Tensor:
    parts = []
    for size, hop, n_bands in RESOLUTIONS:
        bands = triangles(n_bands, size, RATE_HZ, top_hz)
        parts.append((log_mel(spoken, size, size, hop, bands) - log_mel(wanted, size, size, hop, bands)).abs().mean())
    return reduce(torch.add, parts) / len(parts)
