"""Jacobi decoding of a frame's codes, for measurements: all codes are guessed and drawn again at once, until nothing changes.

Noise is a function of position, so a draw is a function of its logits, and a frame's codes are the one fixed point of a triangular system
(Song et al. 2021, arXiv 2002.03629; with noise that is held fixed: Wiggers and Hoogeboom 2020, arXiv 2002.09928). Every pass reads all
positions of the frame once and makes at least one code more right. A code is accepted when all that it follows from was guessed right.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from engines.contract.contract import ChunkStream, Engine
from engines.contract.options import Value
from engines.contract.prompt import SpeakerPrompt
from engines.kit.gauges.fake_gpu import FakeGpu
from engines.kit.gauges.launch_counter import LaunchCounter
from engines.kit.nn.attention import KVCache
from engines.kit.nn.depth_decoder import DepthDecoder, SampleCodebook
from engines.kit.sampling.sampling import CODEBOOK_STRIDE, SamplingTensors, gumbel_noise, sample, sample_cut_first

__all__ = [
    "CodeDraw",
    "FrameStates",
    "JacobiFrames",
    "depth_decoder",
    "jacobi_frames",
    "last_frame_guess",
    "noise_guess",
    "passes_work",
    "sequential_codes",
    "states_of",
    "zero_guess",
]

SEED = 1  # of the noise
N_VERIFIED = 1  # code that is right after a pass whatever was guessed: the first, which follows from no guess


@dataclass(frozen=True)
class CodeDraw:
    """How codes are drawn. temperature 0: the likeliest; top_k 0, top_p 1: among all. cut_first: see sample_cut_first.

    logit_scale: of logits, before all else: above 1 they have more of a peak. context_share: of the variance of logits, how much depends on
    the codes before; the rest is of logits that follow code 0 everywhere. 1: the network as it is.
    """

    temperature: float
    top_k: int
    top_p: float
    logit_scale: float = 1.0
    context_share: float = 1.0
    cut_first: bool = False

    def codes(self, logits: Tensor, noise: Tensor) -> Tensor:
        """(N, V) with noise of that shape -> (N,) int64."""
        params = SamplingTensors.blank(len(logits), logits.device)
        params.set(self.temperature, self.top_k, self.top_p)
        return (sample_cut_first if self.cut_first else sample)(self.logit_scale * logits.float(), noise, params)

    def entropy(self, logits: Tensor) -> float:
        """Mean, in nats, of the distributions at this temperature before top-k and top-p."""
        shares = (self.logit_scale * logits.float() / max(self.temperature, 1e-5)).softmax(dim=-1)
        return -torch.xlogy(shares, shares).sum(dim=-1).mean().item()


@dataclass(frozen=True)
class FrameStates:
    """Of frames that an engine has made, one after another: what its depth decoder completed. hidden_state, code0_embed: (F, H)."""

    hidden_state: Tensor
    code0_embed: Tensor


@dataclass(frozen=True)
class JacobiFrames:
    """codes: (F, Q - 1) int64. accepted: (P, F) int64, codes that are known to be right after each pass. passes: (F,) int64, that a frame
    needs until all are accepted. entropy: mean of all draws, in nats.
    """

    codes: Tensor
    accepted: Tensor
    entropy: float

    @property
    def passes(self) -> Tensor:
        return (self.accepted < self.codes.shape[1]).sum(dim=0) + 1


def depth_decoder(engine: Engine) -> DepthDecoder:
    """The network that completes its frames. Raises ValueError where it has none."""
    networks = vars(getattr(engine, "_networks", None) or engine).values()
    found = next((network for network in networks if isinstance(network, DepthDecoder)), None)
    if found is None:
        raise ValueError(f"{engine.info.title} completes no frames code by code: choose an engine that has a depth decoder.")
    return found


def states_of(engine: Engine, text: str, prompt: SpeakerPrompt, options: Mapping[str, Value], n_frames: int) -> FrameStates:
    """Of the first frames that an engine of width 1 makes of the text, in its own dtype."""
    network, states = depth_decoder(engine), []
    complete = network.complete

    def watched(hidden_state: Tensor, code0_embed: Tensor, sample_codebook: SampleCodebook, cache: KVCache) -> tuple[Tensor, Tensor]:
        states.append((hidden_state[:1].clone(), code0_embed[:1].clone()))
        return complete(hidden_state, code0_embed, sample_codebook, cache)

    network.complete = watched
    try:
        stream: ChunkStream = engine.stream(text, prompt, options)
        while len(states) < n_frames:
            next(stream)
        stream.close()
    finally:
        del network.complete
    hidden_states, embeds = zip(*states[:n_frames], strict=True)
    return FrameStates(torch.cat(hidden_states), torch.cat(embeds))


def zero_guess(noise: Tensor) -> Tensor:
    """Code 0 everywhere."""
    return torch.zeros(noise.shape[:-1], dtype=torch.int64, device=noise.device)


def noise_guess(noise: Tensor) -> Tensor:
    """The codes that noise alone would draw, as if all were alike."""
    return noise.argmax(dim=-1)


def last_frame_guess(codes: Tensor) -> Callable[[Tensor], Tensor]:
    """Each frame is guessed to be the one before it. codes: (F, Q - 1), as they are drawn in the end."""
    return lambda noise: codes.roll(1, dims=0)


class _Frames:
    """Passes over whole frames, F at once. noise: (F, Q - 1, V)."""

    def __init__(self, network: DepthDecoder, states: FrameStates, draw: CodeDraw):
        self.network, self.states, self.draw = network, states, draw
        self.n_frames, self.n_codes = len(states.hidden_state), network.n_codebooks - 1
        self.device = states.hidden_state.device
        self._cache = network.new_cache(self.n_frames)
        nothing = torch.zeros(self.n_frames, self.n_codes, dtype=torch.int64, device=self.device)
        self._free = all_logits(network, states, nothing, self._cache)
        n_ids = self._free.shape[-1]
        positions = torch.arange(1, self.n_codes + 1, device=self.device)[:, None] * CODEBOOK_STRIDE + torch.arange(
            n_ids, device=self.device
        )
        seed = torch.full((self.n_frames, 1), SEED, device=self.device)
        frames = torch.arange(self.n_frames, device=self.device)[:, None]
        self.noise = gumbel_noise(seed, frames, positions.flatten()).view(self.n_frames, self.n_codes, n_ids)

    def mixed(self, logits: Tensor, codebook: int | slice) -> Tensor:
        """With so much of what depends on no code as the draw says. codebook: from 0 on."""
        share = self.draw.context_share
        return logits if share == 1 else share**0.5 * logits + (1 - share) ** 0.5 * self._free[:, codebook]

    def again(self, guess: Tensor) -> tuple[Tensor, Tensor]:
        """Codes (F, Q - 1) that follow from a guess of them, and the logits."""
        logits = self.mixed(all_logits(self.network, self.states, guess, self._cache), slice(None))
        return self.draw.codes(logits.flatten(0, 1), self.noise.flatten(0, 1)).view_as(guess), logits


def all_logits(network: DepthDecoder, states: FrameStates, guess: Tensor, cache: KVCache) -> Tensor:
    """One pass over the frames: logits (F, Q - 1, V) of every codebook, each after the codes (F, Q - 1) guessed before it."""
    rows = [states.hidden_state[:, None], states.code0_embed[:, None]]
    rows += [network.embed(codebook, guess[:, codebook - 1 : codebook]) for codebook in range(1, network.n_codebooks - 1)]
    step = network.decoder.step(torch.arange(network.n_codebooks, device=guess.device), network.n_codebooks)
    hidden_states = network.decoder(network.project(torch.cat(rows, dim=1)), step, cache)
    logits = [network.head(codebook)(hidden_states[:, codebook]) for codebook in range(1, network.n_codebooks)]
    return torch.stack([one.float() if network.WIDE_LOGITS else one for one in logits], dim=1)


@torch.inference_mode()
def sequential_codes(network: DepthDecoder, states: FrameStates, draw: CodeDraw) -> Tensor:
    """Codes (F, Q - 1) int64 in the network's own order, by the same noise."""
    frames = _Frames(network, states, draw)
    one = lambda logits, codebook: draw.codes(frames.mixed(logits, codebook - 1), frames.noise[:, codebook - 1])  # noqa: E731
    return network.complete(states.hidden_state, states.code0_embed, one, network.new_cache(frames.n_frames))[0]


@torch.inference_mode()
def jacobi_frames(network: DepthDecoder, states: FrameStates, draw: CodeDraw, first_guess: Callable[[Tensor], Tensor]) -> JacobiFrames:
    """Passes over the frames until every code of each is accepted. first_guess: of noise (F, Q - 1, V), codes (F, Q - 1)."""
    frames = _Frames(network, states, draw)
    guess, accepted, entropies = first_guess(frames.noise), [], []
    for _ in range(frames.n_codes):
        drawn, logits = frames.again(guess)
        entropies.append(draw.entropy(logits))
        right = (drawn == guess)[:, :-1].long().cumprod(dim=1).sum(dim=1)
        accepted.append(right + N_VERIFIED)
        guess = drawn
        if accepted[-1].min() == frames.n_codes:
            break
    return JacobiFrames(guess, torch.stack(accepted), entropies[-1])


@torch.inference_mode()
def passes_work(gpu: FakeGpu, network: DepthDecoder, draw: CodeDraw, *, width: int) -> tuple[LaunchCounter, LaunchCounter]:
    """What a fake GPU is given for the codes of one frame of `width` streams: in their order, and for one pass over all of them."""
    weight = network.embed(1, torch.zeros(1, 1, dtype=torch.int64, device=network.decoder.norm.weight.device))
    states = FrameStates(weight.new_empty(width, weight.shape[-1]), weight.new_empty(width, weight.shape[-1]))
    frames = _Frames(network, states, draw)
    cache, params = network.new_cache(width), SamplingTensors.blank(1, weight.device)
    drawn = sample_cut_first if draw.cut_first else sample
    kernel = lambda logits, noise: drawn(logits, noise, params, fused=True)  # noqa: E731
    one = lambda logits, codebook: kernel(logits, frames.noise[:, codebook - 1])  # noqa: E731
    network.complete(states.hidden_state, states.code0_embed, one, cache)  # which makes its steps once
    with gpu.counting() as in_order:
        network.complete(states.hidden_state, states.code0_embed, one, cache)
    guess = torch.zeros(width, frames.n_codes, dtype=torch.int64, device=weight.device)
    with gpu.counting() as at_once:
        kernel(all_logits(network, states, guess, cache).flatten(0, 1), frames.noise.flatten(0, 1))
    return in_order, at_once
