"""Our networks driven by hand: what the engine does, frame after frame and in the open, so that every number can be compared."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engines.clips.clip import Clip
from engines.fish_speech.engine import codes_of
from engines.fish_speech.input_sequence import FishInputSequence
from engines.fish_speech.networks import FishNetworks
from tests.parity.fish_speech.cases import Case

__all__ = ["MadeFrame", "encoded", "prompt_rows", "read", "spoken", "streamed"]


@dataclass(frozen=True)
class MadeFrame:
    """state: (H,) of the slow transformer. logits: of the semantic codes and the end. residual_logits: (Q - 1, W)."""

    state: np.ndarray
    logits: np.ndarray
    residual_logits: np.ndarray

    @property
    def codes(self) -> list[int]:
        """The likeliest of each book."""
        return [int(self.logits.argmax()), *self.residual_logits.argmax(axis=1).tolist()]


def encoded(networks: FishNetworks, clip: Clip) -> tuple[np.ndarray, np.ndarray]:
    """Codes (Q, F) int16 of a recording, and (F, D), what they were looked up for."""
    seen: list[Tensor] = []
    handle = networks.encoder.quantizer.semantic_quantizer.register_forward_pre_hook(lambda _module, inputs: seen.append(inputs[0][0]))
    try:
        return codes_of(clip, networks), seen[0].numpy()
    finally:
        handle.remove()


def prompt_rows(networks: FishNetworks, case: Case, codes: Sequence[np.ndarray]) -> Tensor:
    """(1, T, H): all that the slow transformer reads before it speaks. codes: (Q, F) of each recording."""
    frames = torch.from_numpy(np.concatenate([np.zeros((networks.slow.n_codebooks, 0)), *codes], axis=1).T.astype(np.int64))
    prompt = FishInputSequence(networks.slow, networks.tokenizer)
    return torch.cat([prompt.voice(case.words, frames), prompt.text(case.text)], dim=1)


def read(networks: FishNetworks, rows: Tensor) -> np.ndarray:
    """(T, H): the slow transformer's states over a prompt."""
    decoder, n_rows = networks.slow.decoder, rows.shape[1]
    return decoder(rows, decoder.step(torch.arange(n_rows), n_rows), decoder.new_cache(1, n_rows))[0].float().numpy()


def spoken(networks: FishNetworks, rows: Tensor, forced: np.ndarray) -> Iterator[MadeFrame]:
    """What is made beside each frame of `forced` (Q, N), which is fed back in its place."""
    slow, fast, n_rows = networks.slow, networks.fast, rows.shape[1]
    cache, own = slow.decoder.new_cache(1, n_rows + forced.shape[1]), fast.new_cache()
    state = slow.decoder.prefill(rows, cache)
    for number, frame in enumerate(torch.from_numpy(forced.T.astype(np.int64))):
        heads: list[np.ndarray] = []

        def given(logits: Tensor, book: int, frame: Tensor = frame, heads: list[np.ndarray] = heads) -> Tensor:
            heads.append(logits[0].float().numpy())
            return frame[book : book + 1]

        fast.complete(state, fast.embed(0, frame[:1][None])[:, 0], given, own)
        yield MadeFrame(state[0].float().numpy(), slow.logits(state)[0].float().numpy(), np.stack(heads))
        state = slow.decoder.decode_step(slow.embed_frames(frame[None, None]), cache, n_rows + number)


def streamed(networks: FishNetworks, codes: np.ndarray, cuts: Sequence[int]) -> np.ndarray:
    """(T,) of codes (Q, F), in pieces of so many frames, the last of them again and again."""
    left, state, audio = torch.from_numpy(codes.astype(np.int64))[None], networks.decoder.initial_state(1), []
    for n_frames in [*cuts, *[cuts[-1]] * left.shape[2]]:
        if left.shape[2]:
            samples, state = networks.decoder.decode(left[:, :, :n_frames], state)
            audio.append(samples[0].numpy())
            left = left[:, :, n_frames:]
    return np.concatenate(audio)
