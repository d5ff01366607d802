"""Windowed decoding: a decoder that keeps no state, but hears only so many frames, gives the audio of a whole piece by piece, exactly.

It is called on [frames of context | new frames] and the context's samples are dropped. Right for decoders whose state would be larger or
slower than decoding the context again, and for those that look ahead.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

__all__ = ["DecodingWindow", "WindowedDecoder", "newest_samples", "slide_window"]


@dataclass(frozen=True)
class DecodingWindow:
    """What the next piece needs of the pieces before. frames: (B, F, ...). n_held: how many of the last have given no samples yet."""

    frames: Tensor
    n_held: int


@dataclass(frozen=True)
class WindowedDecoder:
    """Pieces of any sizes to the samples of one call on all frames.

    decode: (B, F, ...) frames -> (B, F * frame_samples). context, lookahead: how many frames before and after its own a sample hears.
    Samples of a frame come when `lookahead` more are there, or with the last piece. At the true start and end the decoder sees its own
    edge; everywhere else an edge is `context` or `lookahead` frames away from the samples that are kept.
    """

    decode: Callable[[Tensor], Tensor]
    frame_samples: int
    context: int
    lookahead: int = 0

    def __call__(self, frames: Tensor, window: DecodingWindow | None = None, *, is_last: bool = False) -> tuple[Tensor, DecodingWindow]:
        """The samples that are certain now, (B, frame_samples * as many frames as those are), and what the next piece needs.

        frames: (B, F, ...), the next; F may be 0, where nothing but the end is news. window: None before the first piece.
        """
        n_new = frames.shape[1]
        if window is not None:
            frames, n_new = torch.cat([window.frames, frames], dim=1), window.n_held + n_new
        n_held = 0 if is_last else min(self.lookahead, n_new)
        end, begin = frames.shape[1] - n_held, frames.shape[1] - n_new
        kept = DecodingWindow(frames[:, max(0, end - self.context) :].clone(), n_held)
        if begin == end:
            return torch.zeros(len(frames), 0, device=frames.device), kept
        return self.decode(frames)[:, begin * self.frame_samples : end * self.frame_samples], kept


def slide_window(window: Tensor, n_filled: Tensor, new: Tensor) -> tuple[Tensor, Tensor]:
    """Put new frames behind those of a window of fixed size, for decoders that do not look ahead; fit for CUDA graphs.

    window: (B, W, ...) of which the first n_filled (B, 1) int64 are frames, in every row as many as its stream has had, W at most; what
    is behind them is heard by nobody. new: (B, N, ...), N <= W - context. returns: both anew; the oldest frames have left a full window.
    """
    n_frames, n_new = window.shape[1], new.shape[1]
    n_kept = n_filled.clamp(max=n_frames - n_new)
    place = torch.arange(n_frames, device=window.device)
    source = torch.where(place < n_kept, place + n_filled - n_kept, n_frames + (place - n_kept).clamp(0, n_new - 1))  # (B, W)
    rows = torch.arange(len(window), device=window.device)[:, None]
    return torch.cat([window, new], dim=1)[rows, source], n_kept + n_new


def newest_samples(samples: Tensor, n_filled: Tensor, n_new: int, frame_samples: int) -> Tensor:
    """Of the samples (B, W * frame_samples) of a window those of its last n_new frames: (B, n_new * frame_samples)."""
    place = torch.arange(n_new * frame_samples, device=samples.device)
    return samples.gather(1, (n_filled - n_new) * frame_samples + place)
