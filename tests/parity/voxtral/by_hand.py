"""Our networks driven by hand: what the engine does, frame after frame and in the open, so that every number can be compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engines.clips.clip import Clip
from engines.voxtral.engine import codes_of
from engines.voxtral.flow_head import VoxtralFlowHead
from engines.voxtral.input_sequence import VoxtralInputSequence
from engines.voxtral.networks import VoxtralNetworks
from tests.parity.voxtral.cases import Speech, noise_of

__all__ = ["MadeFlow", "encoded", "flowed", "prompt_rows", "prompt_states", "read", "semantic", "spoken", "streamed"]


@dataclass(frozen=True)
class MadeFlow:
    """levels: (N - 1, B, A), before each step. velocities: (N - 1, 2B, A). codes: (B, A), without the special ones."""

    levels: Tensor
    velocities: Tensor
    codes: Tensor


def flowed(flow: VoxtralFlowHead, states: Tensor, noise: Tensor, scales: Sequence[float], forced: Tensor | None = None) -> MadeFlow:
    """The acoustic codes of frames. forced: velocities that are followed in place of those that are computed."""
    levels: list[Tensor] = []
    velocities: list[Tensor] = []

    def put(_module: torch.nn.Module, _given: tuple, made: Tensor) -> Tensor:
        velocities.append(made[:, 0])
        return made if forced is None else forced[len(velocities) - 1][:, None]

    hooks = [
        flow.input_projection.register_forward_pre_hook(lambda _m, given: levels.append(given[0][:, 0])),
        flow.acoustic_codebook_output.register_forward_hook(put),
    ]
    try:
        codes = flow.acoustic(states.to(flow.dtype), noise, torch.tensor(scales, dtype=flow.dtype)[:, None])
    finally:
        for hook in hooks:
            hook.remove()
    return MadeFlow(torch.stack(levels), torch.stack(velocities), codes)


def semantic(flow: VoxtralFlowHead, states: Tensor) -> Tensor:
    """(B,) as official code counts: 1 is the end, 2 the first code."""
    return flow.semantic(states.to(flow.dtype), torch.zeros(len(states), 1, dtype=torch.bool)) + 1


def encoded(networks: VoxtralNetworks, clip: Clip) -> np.ndarray:
    """Codes (Q, F) int16 of a recording."""
    return codes_of(clip, networks.encoder, networks.config.codec, networks.device)


def prompt_rows(networks: VoxtralNetworks, speech: Speech) -> Tensor:
    """(1, T, D): all that the backbone reads before it speaks."""
    backbone = networks.backbone
    if speech.clip is None:
        voice = networks.voices[speech.voice].to(backbone.dtype)[None]
    else:
        voice = backbone.embed_clip(torch.from_numpy(encoded(networks, speech.clip).T.astype(np.int64))[None])
    prompt = VoxtralInputSequence(backbone, networks.tokenizer)
    return torch.cat([prompt.voice(voice), prompt.text(speech.text)], dim=1)


def prompt_states(networks: VoxtralNetworks, rows: Tensor) -> Tensor:
    """(T, D): the backbone's states over a prompt, behind its last norm."""
    decoder, n_rows = networks.backbone.decoder, rows.shape[1]
    return decoder(rows, decoder.step(torch.arange(n_rows), n_rows), decoder.new_cache(1, n_rows))[0]


def spoken(networks: VoxtralNetworks, rows: Tensor, speech: Speech, forced: np.ndarray) -> Iterator[tuple[Tensor, list[int]]]:
    """Behind a prompt the state (D,) and the codes of each frame; those of `forced` (Q, F) are fed back in their place."""
    backbone, flow, n_rows = networks.backbone, networks.flow, rows.shape[1]
    cache = backbone.decoder.new_cache(1, n_rows + forced.shape[1])
    state = backbone.decoder.prefill(rows, cache)
    for number, frame in enumerate(torch.from_numpy(forced.T.astype(np.int64))):
        acoustic = flowed(flow, state, noise_of(speech.seed, number)[None], [speech.scale]).codes
        yield state[0], [int(semantic(flow, state)) - 2, *acoustic[0].tolist()]
        state = backbone.decoder.decode_step(backbone.embed_frames(frame[None, None]), cache, n_rows + number)


def read(networks: VoxtralNetworks, codes: np.ndarray) -> np.ndarray:
    """(T,) of codes (Q, F), in one go."""
    return networks.decoder.decode_whole(torch.from_numpy(codes.astype(np.int64))[None])[0].numpy()


def streamed(networks: VoxtralNetworks, codes: np.ndarray, cuts: Sequence[int]) -> np.ndarray:
    """(T,) of codes (Q, F), in pieces of so many frames, the last of them again and again."""
    left, state, audio = torch.from_numpy(codes.astype(np.int64))[None], networks.decoder.initial_state(1), []
    for n_frames in [*cuts, *[cuts[-1]] * left.shape[2]]:
        if left.shape[2]:
            samples, state = networks.decoder.decode(left[:, :, :n_frames], state)
            audio.append(samples[0].numpy())
            left = left[:, :, n_frames:]
    return np.concatenate(audio)
