"""The frames of a stream are those of a plain loop over the networks, which reads its prompt in one go and keeps and pads nothing."""

import numpy as np
import pytest
import torch

from engines.contract.options import resolve_options
from engines.contract.prompt import SpeakerPrompt
from engines.kit.sampling.sampling import CODEBOOK_STRIDE, SamplingTensors, apply_repetition_penalty, gumbel_noise, sample
from engines.qwen3_tts.batched_decoder import QwenRows
from engines.qwen3_tts.input_sequence import Reference, TextRows
from tests.engines.listening_decoder import listening
from tests.engines.qwen3_tts.checkpoints.opened import FRAME, FRAMES, LONG, learned, opened, tiny

FIRST_IDS, END = 2048, 2150  # codes of the codec; beyond them control codes, of which only the end may be drawn


def sampling_tensors(temperature: float, top_k: int, top_p: float) -> SamplingTensors:
    made = SamplingTensors.blank(1, "cpu")
    made.set(temperature, top_k, top_p)
    return made


def input_text(prompt: SpeakerPrompt, text: str, options) -> TextRows:
    networks = tiny()
    embedding = torch.tensor(prompt.tensors["speaker_embedding"])
    reference = Reference(embedding)
    if not options["x_vector_only_mode"]:
        codes = networks.rows.code_rows(torch.tensor(prompt.tensors["codes"], dtype=torch.int64))
        reference = Reference(embedding, codes, networks.tokenizer.body(prompt.transcript.text))
    language = None if options["language"] == "auto" else networks.config.talker.codec_language_id["german"]
    return networks.rows.build(reference, networks.tokenizer.body(text), language, full_text=options["non_streaming_mode"])


@torch.inference_mode()
def plain_codes(prompt: SpeakerPrompt, text: str, options) -> list[list[int]]:
    networks, read = tiny(), input_text(prompt, text, options)
    talker, n_rows = networks.talker, read.rows.shape[1]
    cache, seen, frames = talker.decoder.new_cache(1, n_rows + 99), torch.zeros(1, 3072, dtype=torch.bool), []
    coarse = sampling_tensors(options["temperature"], options["top_k"], options["top_p"])
    fine = sampling_tensors(options["subtalker_temperature"], options["subtalker_top_k"], options["subtalker_top_p"])
    seed = torch.tensor([[options["seed"]]])
    hidden_state = talker.decoder.prefill(read.rows, cache)
    while True:
        frame = torch.tensor([[len(frames)]])
        logits = apply_repetition_penalty(talker.logits(hidden_state), seen, torch.tensor([[options["repetition_penalty"]]]))
        end = logits[:, END].clone()
        logits[:, FIRST_IDS:] = float("-inf")
        if len(frames) >= 2:
            logits[:, END] = end
        code = sample(logits, gumbel_noise(seed, frame, torch.arange(3072)), coarse)
        if int(code) == END or len(frames) == options["max_new_tokens"] - 1:
            return frames
        seen[0, code] = True
        first = talker.embed_codes(code[:, None])

        def sample_codebook(logits: torch.Tensor, codebook: int, frame=frame) -> torch.Tensor:
            return sample(logits, gumbel_noise(seed, frame, codebook * CODEBOOK_STRIDE + torch.arange(2048)), fine)

        others, rows = networks.predictor.complete(hidden_state, first[:, 0], sample_codebook, networks.predictor.new_cache())
        text_row = read.trailing[:, len(frames)][:, None] if len(frames) < read.trailing.shape[1] else networks.rows.padding
        hidden_state = talker.decoder.decode_step(
            torch.cat([first, rows], dim=1).sum(dim=1, keepdim=True) + text_row, cache, n_rows + len(frames)
        )
        frames.append([int(code), *others[0].tolist()])


ASKED = [
    {},
    {"seed": 11, "temperature": 0.5, "top_k": 7, "subtalker_top_p": 0.7},
    {"language": "de", "non_streaming_mode": True},
    # Fifteen frames, since the fifteenth would repeat the seventh code.
    {"temperature": 0.0, "subtalker_temperature": 0.0, "repetition_penalty": 1.3, "max_new_tokens": 16},
    {"x_vector_only_mode": True},
    {"x_vector_only_mode": True, "non_streaming_mode": True, "top_p": 0.6},
]


@pytest.mark.parametrize("given", ASKED)
def test_a_streams_frames_are_those_of_a_plain_loop(given):
    options = resolve_options(opened().info.options, {"max_new_tokens": FRAMES + 1} | given)
    expected = plain_codes(learned(), LONG, options)
    for fixed_shapes in (False, True):
        engine = opened()
        batched_decoder = engine._batched_decoder = listening(QwenRows, tiny(), fixed_shapes=fixed_shapes)
        samples = np.concatenate(list(engine.stream(LONG, learned(), options)))
        assert batched_decoder.rows.codes == expected, fixed_shapes
        assert len(samples) == (options["max_new_tokens"] - 1) * FRAME
    if options["repetition_penalty"] > 1.1:
        assert expected != plain_codes(learned(), LONG, options | {"repetition_penalty": 1.0})  # else the penalty would not be tested


@pytest.mark.parametrize(("text", "ends"), [("a", False), ("the voice", True), ("and then the", True)])
def test_speech_ends_with_the_frame_before_the_end_and_not_within_the_first_two(text, ends):
    """The tiny model would end a text of one token at its second frame; as that must not be, it goes on for ever."""
    engine = opened()
    options = resolve_options(engine.info.options, {"max_new_tokens": 12, "x_vector_only_mode": True})
    batched_decoder = engine._batched_decoder = listening(QwenRows, tiny(), fixed_shapes=False)
    samples = np.concatenate(list(engine.stream(text, learned(), options)))
    expected = plain_codes(learned(), text, options)
    assert (len(expected) < 11) == ends
    assert batched_decoder.rows.codes == expected
    assert len(samples) == len(expected) * FRAME


def test_samples_are_the_codecs_of_the_frames_that_follow_the_recordings():
    engine, networks = opened(), tiny()
    options = resolve_options(engine.info.options, {"max_new_tokens": FRAMES + 1})
    batched_decoder = engine._batched_decoder = listening(QwenRows, tiny(), fixed_shapes=False)
    samples = np.concatenate(list(engine.stream(LONG, learned(), options)))
    codes = torch.cat([torch.tensor(learned().tensors["codes"], dtype=torch.int64), torch.tensor(batched_decoder.rows.codes)])
    with torch.inference_mode():
        whole, _ = networks.codec.decode(codes.T[None], networks.codec.initial_state(1))
    assert np.abs(samples - whole[0, -len(samples) :].numpy()).max() <= 1e-5
