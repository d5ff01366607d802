"""Our networks of CosyVoice3, each driven alone: what an engine does with them, without its batched decoders."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.cosyvoice3.flow.pre_lookahead import token_window
from engines.cosyvoice3.networks import CosyVoice3Networks
from engines.cosyvoice3.speech_tokens.sampling import draw
from engines.cosyvoice3.text.input_text import InputText
from engines.kit.sampling.sampling import SamplingTensors

__all__ = ["chunks", "pieces", "sampling_of", "spoken"]


def sampling_of(networks: CosyVoice3Networks) -> SamplingTensors:
    """As the checkpoint's configuration has it, of one row."""
    tensors = SamplingTensors.blank(1, "cpu")
    tensors.set(1.0, networks.config.sampling.top_k, networks.config.sampling.top_p)
    return tensors


def spoken(
    networks: CosyVoice3Networks, prompt: InputText, speech: Tensor, uniforms: Tensor
) -> Iterator[tuple[Tensor, int]]:  # fmt: skip
    """Logarithms of shares (V,) and the token drawn, of one step after another, until the speech ends. uniforms: (most steps, 2)."""
    model, sampling = networks.model, networks.config.sampling
    rows = torch.cat([model.voice_rows(torch.tensor(prompt.voice_ids)), model.text_rows(torch.tensor(prompt.text_ids), speech)], dim=1)
    cache, said = model.decoder.new_cache(1, rows.shape[1] + len(uniforms)), []
    state, n_read = model.decoder.prefill(rows, cache), rows.shape[1]
    for uniform in uniforms:
        logits = model.logits(state)
        recent = torch.tensor([([-1] * sampling.win_size + said)[-sampling.win_size :]])
        token = int(draw(logits, recent, uniform[None], sampling_of(networks), sampling.win_size * sampling.tau_r))
        if token >= model.n_codes:
            return
        yield F.log_softmax(logits[0], dim=-1), token
        said.append(token)
        state = model.decoder.prefill(model.speech_embedding(torch.tensor([[token]])), cache, n_read)
        n_read += 1


def chunks(networks: CosyVoice3Networks, tokens: Sequence[int], mel: Tensor, embedding: Tensor, stops: Sequence[int]) -> list[Tensor]:
    """Frames (F, mel_dim) of the tokens up to each stop, one call of the flow each, the first that of the prompt's whole chunks.

    tokens: the prompt's, then others. mel: (2 P, mel_dim), the prompt's frames. embedding: (spk_embed_dim,).
    """
    flow, ratio = networks.flow, networks.config.flow.token_mel_ratio
    known = F.pad(mel, (0, 0, 0, ratio * len(tokens) - len(mel)))
    memory, made = flow.new_memory(1, ratio * len(tokens)), []
    for first, last in pairwise((0, *stops)):
        frames = range(ratio * first, ratio * last)
        window = torch.tensor([token_window(tokens, range(first, last), networks.config.flow.pre_lookahead_len)])
        inputs = flow.noise[None, frames.start : frames.stop], flow.token_rows(window), known[None, frames.start : frames.stop]
        made.append(flow(inputs, flow.speaker_rows(embedding[None]), memory, flow.steps.whole(frames, memory))[0])
    return made


def pieces(networks: CosyVoice3Networks, mel: Tensor, stops: Sequence[int]) -> list[Tensor]:
    """Samples (T,) of frames (F, mel_dim) that come in up to each stop; the last piece ends the sound."""
    vocoder, n_first = networks.vocoder, networks.vocoder.lookahead_frames
    state, heard = vocoder.prime(mel[None, :n_first], vocoder.initial_state()), []
    for first, last in pairwise((n_first, *stops)):
        samples, state = vocoder.decode(mel[None, first:last], state)
        heard.append(samples[0])
    return [*heard, vocoder.finish(state)[0]]
