"""Our networks driven by hand: what the engine does for a sentence, in the open, so that every number can be compared."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from engines.kit.decode.cuda_graphs import Graphs
from engines.omnivoice.batched_decoder import BatchedSentenceDecoder
from engines.omnivoice.networks import OmniVoiceNetworks
from engines.omnivoice.sentence import Sentence
from engines.omnivoice.text.input_text import prompt_ids
from engines.omnivoice.unmasking import UnmaskingSettings

__all__ = ["Reference", "decoder_of", "logits", "prompt_rows", "settled"]

Reference = tuple[str, np.ndarray]  # words with their final mark, codes (Q, R)
ROWS = 80  # of an area that every case fits into


def decoder_of(networks: OmniVoiceNetworks, *, padded: bool, width: int = 1) -> BatchedSentenceDecoder:
    """padded: in areas of one size, as on a GPU, which as many sentences share as it is wide."""

    class SmallDecoder(BatchedSentenceDecoder):
        ROW_SIZES = (ROWS,)

    batched_decoder = SmallDecoder(networks, Graphs(torch.device("cpu")), width=width, fixed_shapes=padded)
    batched_decoder._shared = {(width, ROWS)}
    return batched_decoder


@torch.inference_mode()
def prompt_rows(networks: OmniVoiceNetworks, text: str, reference: Reference | None, description: str | None = None) -> torch.Tensor:
    """(1, P, D): all that stands before the codes of an English text."""
    words, codes = reference or (None, np.zeros((networks.backbone.n_codebooks, 0)))
    ids = prompt_ids(networks.tokenizer, text, words, language="en", description=description, denoise=True)
    frames = networks.backbone.embed_frames(torch.from_numpy(codes.astype(np.int64))[None])
    return torch.cat([networks.backbone.embed_text(torch.tensor([ids])), frames], dim=1)


@torch.inference_mode()
def logits(networks: OmniVoiceNetworks, prompt: torch.Tensor, codes: np.ndarray, *, padded: bool) -> tuple[np.ndarray, np.ndarray]:
    """(F, Q, V) of either branch, for codes (Q, F) that are settled in part."""
    batched_decoder, backbone, seen = decoder_of(networks, padded=padded), networks.backbone, []
    sentence = batched_decoder.begin(prompt, codes.shape[1], UnmaskingSettings())
    sentence.state.codes[0, :, : codes.shape[1]] = torch.from_numpy(codes)
    handle = backbone.audio_heads.register_forward_hook(lambda _module, _inputs, made: seen.append(made))
    try:
        batched_decoder.want(sentence)
        _have_step(batched_decoder, sentence)
    finally:
        handle.remove()
    made = seen[0].unflatten(-1, (backbone.n_codebooks, backbone.n_entries))[0]
    return tuple(branch[: codes.shape[1]].numpy() for branch in made.chunk(2))


def settled(
    batched_decoder: BatchedSentenceDecoder, prompts: Sequence[torch.Tensor], n_frames: Sequence[int], settings: Mapping[str, Any]
) -> list[np.ndarray]:
    """Codes (Q, F) of sentences that want every step at once. settings: of UnmaskingSettings."""
    sentences: list[Sentence] = [
        batched_decoder.begin(*each, UnmaskingSettings(**settings)) for each in zip(prompts, n_frames, strict=True)
    ]
    try:
        while any(not sentence.is_settled for sentence in sentences):
            for sentence in sentences:
                batched_decoder.want(sentence)
            for sentence in sentences:
                _have_step(batched_decoder, sentence)
        return [batched_decoder.codes(sentence)[0].numpy() for sentence in sentences]
    finally:
        for sentence in sentences:
            batched_decoder.release(sentence)


def _have_step(batched_decoder: BatchedSentenceDecoder, sentence: Sentence) -> None:
    if due := batched_decoder.due(sentence):
        batched_decoder.step(due)
