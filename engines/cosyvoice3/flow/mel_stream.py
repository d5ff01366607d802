"""MelStream: the host's state of a stream between speech tokens and sound. MelVoice: the voice of that stream."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from engines.cosyvoice3.flow.flow_memory import FlowMemory
from engines.cosyvoice3.vocoder.vocoder import VocoderState
from engines.kit.decode.batched_decoder import DecodeSlot

__all__ = ["MelStream", "MelVoice"]


@dataclass(frozen=True)
class MelVoice:
    """A prompt as the flow network reads it, which begins before what is spoken, on the same grid of chunks.

    tokens: P of them. mel: (1, F, mel_dim), their frames. speaker: (1, mel_dim). n_read: of the tokens, those in whole chunks; the others
    see what is spoken first, and are made with it.
    """

    tokens: tuple[int, ...]
    mel: Tensor = field(repr=False)
    speaker: Tensor = field(repr=False)
    n_read: int

    @property
    def bytes(self) -> int:
        return self.mel.nbytes + self.speaker.nbytes


@dataclass(eq=False, kw_only=True)
class MelStream(DecodeSlot):
    """One text, or one recording, under way.

    tokens: the voice's, then those that were given. has_all: no more will be. n_made: of the tokens, those whose frames are made.
    n_pieces: of sound, so far. contexts: what the flow network knew after the voice. memory: its own, where it has no row of the batched
    decoder's.
    unheard: (1, F, mel_dim), frames that the vocoder was not given yet. vocoder: its state; None before it was primed.
    """

    voice: MelVoice
    tokens: list[int]
    has_all: bool = False
    n_made: int = 0
    n_pieces: int = 0
    contexts: Tensor | None = field(default=None, repr=False)
    memory: FlowMemory | None = field(default=None, repr=False)
    mel: Tensor | None = field(default=None, repr=False)
    unheard: Tensor | None = field(default=None, repr=False)
    vocoder: VocoderState | None = field(default=None, repr=False)

    def give(self, tokens: Sequence[int], *, is_all: bool) -> None:
        """More tokens, in the order of speech. is_all: these were the last."""
        self.tokens.extend(tokens)
        self.has_all = is_all
