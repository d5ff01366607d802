"""The frames of a stream are those of a plain loop over the networks, which reads its prompt in one go and keeps and pads nothing."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch

from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.fish_speech.batched_decoder import FishRows
from engines.fish_speech.input_sequence import FishInputSequence
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.sampling.sampling import SamplingTensors, gumbel_noise, sample_cut_first
from tests.engines.fish_speech.opened import FRAMES, TEXT, WORDS, learned, opened, tiny
from tests.engines.listening_decoder import listening

STRIDE = 8192  # of noise, from draw to draw


def tensors(temperature: float, top_k: int, top_p: float) -> SamplingTensors:
    made = SamplingTensors.blank(1, "cpu")
    made.set(temperature, top_k, top_p)
    return made


@torch.inference_mode()
def plain_frames(prompt: SpeakerPrompt, text: str, options) -> Iterator[list[int]]:
    """Until the end of speech."""
    networks = tiny()
    slow, fast, end = networks.slow, networks.fast, networks.slow.n_semantic
    how = tensors(options["temperature"], options["top_k"], options["top_p"])
    again = tensors(1.0, options["top_k"], 0.9)
    rows = FishInputSequence(slow, networks.tokenizer)
    codes = torch.tensor(prompt.tensors["codes"].T, dtype=torch.int64)
    read = torch.cat([rows.voice([WORDS.text], codes), rows.text(text)], dim=1)
    cache, said, seed = slow.decoder.new_cache(1, read.shape[1] + 99), [], torch.tensor([[options["seed"]]])
    hidden_state = slow.decoder.prefill(read, cache)
    for frame in range(99):
        noise = [gumbel_noise(seed, torch.tensor([[frame]]), draw * STRIDE + torch.arange(end + 1)) for draw in range(fast.n_codebooks + 1)]
        logits = slow.logits(hidden_state)
        code = int(sample_cut_first(logits, noise[0], how))
        if code in said[1:][-10:] and code != end:
            code = int(sample_cut_first(logits, noise[1], again))
        if code == end:
            return
        said.append(code)
        first = fast.embed(0, torch.tensor([[code]]))[:, 0]
        draw = lambda logits, book, noise=noise: sample_cut_first(logits, noise[book + 1][:, : fast.n_codes], how)  # noqa: E731
        others = fast.complete(hidden_state, first, draw, fast.new_cache())[0][0].tolist()
        yield [code, *others]
        row = slow.embed_frames(torch.tensor([[[code, *others]]]))
        hidden_state = slow.decoder.decode_step(row, cache, read.shape[1] + frame)


ASKED = [
    {},
    {"seed": 11, "temperature": 0.5, "top_k": 7},
    {"temperature": 0.0},  # what was said lately is drawn again, at the temperature of repeats
    {"temperature": 1.5, "top_p": 1.0, "top_k": 0},
]


@pytest.mark.parametrize("given", ASKED)
def test_a_streams_frames_are_those_of_a_plain_loop(given):
    options = resolve_options(opened().info.options, {"max_new_tokens": 2 * FRAMES + 1} | given)
    frames = list(plain_frames(learned(), TEXT, options))[: 2 * FRAMES]
    for fixed_shapes in (False, True):
        engine = opened()
        batched_decoder = engine._batched_decoder = listening(FishRows, tiny(), fixed_shapes=fixed_shapes)
        samples = np.concatenate(list(engine.stream(TEXT, learned(), options)))
        assert batched_decoder.rows.codes == frames, fixed_shapes
        assert len(samples) == len(frames) * tiny().decoder.frame_samples


def test_what_was_said_lately_is_drawn_again_and_the_first_frame_does_not_count():
    """At temperature 0 the likeliest code would come again and again."""
    options = resolve_options(opened().info.options, {"temperature": 0.0, "max_new_tokens": 40})
    codes = [frame[0] for frame in list(plain_frames(learned(), TEXT, options))[:20]]
    assert len(set(codes)) > 3


def test_samples_are_the_codecs_of_the_frames_alone():
    """The recording's frames are read and not decoded."""
    engine, networks = opened(), tiny()
    batched_decoder = engine._batched_decoder = listening(FishRows, tiny(), fixed_shapes=False)
    options = resolve_options(engine.info.options, {"max_new_tokens": FRAMES + 1})
    samples = np.concatenate(list(engine.stream(TEXT, learned(), options)))
    with torch.inference_mode():
        whole, _ = networks.decoder.decode(torch.tensor(batched_decoder.rows.codes).T[None], networks.decoder.initial_state(1))
    assert np.abs(samples - whole[0].numpy()).max() <= 1e-5


@torch.inference_mode()
def test_a_voice_is_read_in_captured_parts_and_one_without_room_at_once(monkeypatch):
    monkeypatch.setattr(FishRows, "ROW_SIZES", (4, 8))
    monkeypatch.setattr(FishRows, "PROMPT_KEYS", 20)
    graphs, decoder, sizes = Graphs(torch.device("cpu")), tiny().slow.decoder, []
    monkeypatch.setattr(graphs, "run", lambda key, work: (sizes.append(key[1]), work()))
    batched_decoder = BatchedDecoder(FishRows(tiny(), graphs, width=1, fixed_shapes=True))
    for n_rows, parts in ((19, [8, 8, 4]), (8, [8]), (21, [])):
        rows, expected = torch.randn(1, n_rows, decoder.config.attention.hidden_size), decoder.new_cache(1, n_rows)
        decoder.prefill(rows, expected)
        made = batched_decoder.rows.read_prefix(rows)
        assert made.n_rows == n_rows
        assert (made.keys_values - expected.tensor).abs().max() <= 1e-5
        assert sizes == parts
        sizes.clear()
