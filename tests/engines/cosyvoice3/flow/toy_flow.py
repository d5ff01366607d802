"""A small flow network with a speech to make, whole or in pieces."""

from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import torch
from safetensors.torch import save_file
from torch import Tensor

from engines.cosyvoice3.flow.flow import Flow
from engines.cosyvoice3.flow.flow_memory import FlowMemory
from engines.cosyvoice3.flow.pre_lookahead import token_window
from engines.kit.weights.checkpoint import Checkpoint, without_memory
from tests.engines.cosyvoice3.flow.flow_formula import TOY, toy_weights

__all__ = ["SPEECH", "FlowSpeech", "loaded_flow", "toy_flow"]

RATIO = TOY.token_mel_ratio


def _drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def loaded_flow() -> Flow:
    """As an engine opens it: from a file with the names of flow.pt."""
    flow = without_memory(lambda: Flow(TOY))
    with TemporaryDirectory() as folder:
        save_file(toy_weights(), Path(folder, "flow.safetensors"))
        with Checkpoint(Path(folder, "flow.safetensors")) as file:
            file.load_into(flow, packs=flow.packs, ignore=flow.UNREAD)
    flow.prepare_weights()
    return flow


@cache
def toy_flow() -> Flow:
    """The one that nobody changes."""
    return loaded_flow()


class FlowSpeech(NamedTuple):
    """tokens: those of a prompt, then others. prompt: (P, mel_dim) frames. embedding: (spk_embed_dim,)."""

    tokens: tuple[int, ...]
    prompt: Tensor
    embedding: Tensor

    @classmethod
    def drawn(cls, n_prompt: int, n_tokens: int, seed: int) -> "FlowSpeech":
        generator = torch.Generator().manual_seed(seed)
        tokens = torch.randint(TOY.vocab_size, (n_prompt + n_tokens,), generator=generator)
        prompt = _drawn(RATIO * n_prompt, TOY.mel_dim, seed=seed + 1)
        return cls(tuple(tokens.tolist()), prompt, _drawn(TOY.spk_embed_dim, seed=seed + 2))

    def frames(self, rows: range) -> range:
        """Of these tokens."""
        return range(RATIO * rows.start, RATIO * rows.stop)

    def inputs(self, rows: range) -> tuple[Tensor, Tensor, Tensor]:
        """Of one call of the network for the frames of these tokens, of which there may be none."""
        if not rows:
            return (torch.zeros(1, 0, TOY.mel_dim),) * 3
        flow, frames = toy_flow(), self.frames(rows)
        windows = torch.tensor([token_window(self.tokens, rows, TOY.pre_lookahead_len)])
        known = torch.zeros(RATIO * len(self.tokens), TOY.mel_dim)
        known[: len(self.prompt)] = self.prompt
        return flow.noise[None, frames.start : frames.stop], flow.token_rows(windows), known[None, frames.start : frames.stop]

    def speaker(self) -> Tensor:
        return toy_flow().speaker_rows(self.embedding[None])

    def mel(self, cuts: tuple[int, ...], memory: FlowMemory | None = None, flow: Flow | None = None) -> Tensor:
        """(F, mel_dim): frames of the tokens from the first cut to the last, one call from each to the next."""
        flow = flow or toy_flow()
        memory = flow.new_memory(1, RATIO * len(self.tokens)) if memory is None else memory
        pieces = []
        for start, end in pairwise(cuts):
            step = flow.steps.whole(self.frames(range(start, end)), memory)
            pieces.append(flow(self.inputs(range(start, end)), self.speaker(), memory, step)[0])
        return torch.cat(pieces)


SPEECH = FlowSpeech.drawn(7, 16, seed=3)  # a prompt that ends within a chunk, a last chunk that is not full
