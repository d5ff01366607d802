"""Streams of CosyVoice3: chunk by chunk, alone and with others, on a CPU as on a GPU; what is computed when, and when it ends."""

import itertools
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from engines.clips.clip import Clip
from engines.contract.contract import YIELD_POINT
from engines.contract.speech_end import SpeechEnd
from engines.cosyvoice3 import batched_decoders
from engines.cosyvoice3.engine import FIRST_TOKENS, VOICE
from engines.cosyvoice3.flow import batched_vocoder, flow, memory_rows, own_memories
from engines.cosyvoice3.flow.pre_lookahead import token_window
from engines.cosyvoice3.speech_tokens import batched_token_decoder
from engines.cosyvoice3.speech_tokens.batched_token_decoder import TokenRows
from engines.cosyvoice3.speech_tokens.spoken_tokens import SpokenTokens
from engines.cosyvoice3.text.text_pieces import text_pieces
from engines.errors import ClipUnusable, EngineUnavailable, PromptInvalid, TextUnspeakable
from engines.kit.nn import batch_check
from tests.engines.advanced_together import advanced_together
from tests.engines.clips.made_clip import made_clip
from tests.engines.cosyvoice3.opened import (
    TEXT,
    TOKEN,
    TOKENS,
    WORDS,
    converted,
    learned,
    nothing_shared,
    opened,
    reference,
    said_again,
    say,
    source,
    spoken,
    tiny,
)
from tests.engines.replay import ReplayedGraphs

TWO_PIECES = "The sentence and then the voice and the sentence. " * 9
TOLERANCE = 2e-5
SILENCE = 28  # a token of it
N_EULER_STEPS = 3  # of the released ten, which tests/parity holds: a chunk costs them all, and each does what the one before did
# text, voice, options of streams that differ in all that streams may differ in
ASKED = [
    (TEXT, 0, {"seed": 3}),
    (TWO_PIECES, 1, {"max_tokens": 14}),
    (TEXT, 1, {"mode": "cross_lingual", "temperature": 1.3, "top_k": 0, "top_p": 1.0, "max_tokens": 15}),
    ("The voice.", 0, {"instructions": "the sentence", "max_tokens": 12}),
    (TEXT, 0, {"seed": 9, "temperature": 0.0, "max_tokens": 16}),
]


@pytest.fixture(scope="module", autouse=True)
def few_steps() -> Iterator[None]:
    """In every flow that is made here. What other files share of flows (opened.py) is made anew before and afterwards."""
    with pytest.MonkeyPatch.context() as patched, nothing_shared():
        patched.setattr(flow, "N_EULER_STEPS", N_EULER_STEPS)
        yield


@pytest.fixture
def few_sizes(monkeypatch) -> None:
    monkeypatch.setattr(TokenRows, "KEY_SIZES", (256,))
    monkeypatch.setattr(TokenRows, "PROMPT_KEYS", 256)
    monkeypatch.setattr(TokenRows, "ROW_SIZES", (32, 128))
    monkeypatch.setattr(memory_rows, "KEY_FRAMES", (256, 512))
    monkeypatch.setattr(memory_rows, "CHUNKS_AT_ONCE", (2, 1))
    monkeypatch.setattr(memory_rows, "ROWS_AT_ONCE", (1, 2))
    monkeypatch.setattr(batched_vocoder, "PIECE_FRAMES", (50, 8, 1))


def streams_of(engine, asked=ASKED):
    return [spoken(engine, text, learned(voice), **given) for text, voice, given in asked]


def test_interleaved_streams_are_what_each_is_alone():
    engine = opened()
    heard = [[] for _ in ASKED]
    for chunks in itertools.zip_longest(*streams_of(engine)):
        for parts, chunk in zip(heard, chunks, strict=True):
            parts.extend([] if chunk is None else [chunk])
    for parts, (text, voice, given) in zip(heard, ASKED, strict=True):
        assert np.array_equal(np.concatenate(parts), reference(text, seed_of_voice=voice, **given))


def test_in_a_batch_each_is_bit_by_bit_what_it_is_alone_at_that_width():
    """Five streams in three rows: they come and go, take turns, and are set aside."""
    engine = opened(width=3)
    together = advanced_together(engine, streams_of(engine), np.random.default_rng(0))
    for heard, (text, voice, given) in zip(together, ASKED, strict=True):
        assert np.array_equal(heard, say(opened(width=3), text, learned(voice), **given))
        assert np.abs(heard - reference(text, seed_of_voice=voice, **given)).max() <= TOLERANCE
    assert engine._batched_decoder.tokens._slots.seated == ()


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_in_fixed_shapes_replayed_without_python_it_is_the_same_too(few_sizes, host_lag_frames):
    """What a CUDA graph demands: no waiting inside, and nothing of the moment of capture frozen into it. Two rows for six flows."""
    graphs = ReplayedGraphs()
    engine = opened(width=3, flow_rows=2, fixed_shapes=True, host_lag_frames=host_lag_frames, graphs=graphs)
    engine._batched_decoder.warm_up()
    conversion = converted(engine, source(), learned())
    *together, again = advanced_together(engine, [*streams_of(engine), conversion], np.random.default_rng(7))
    for heard, (text, voice, given) in zip(together, ASKED, strict=True):
        expected = reference(text, seed_of_voice=voice, **given)
        assert len(heard) == len(expected)
        assert np.abs(heard - expected).max() <= TOLERANCE
    assert np.abs(again - said_again(opened(), source(), learned())).max() <= TOLERANCE
    assert graphs.replays > 3 * TOKENS
    memories = engine._batched_decoder.mel._memories
    assert (memories._slots.seated, memories._slots.set_aside, memories._wanted) == ((), (), {})


@pytest.mark.parametrize("is_exact", [True, False])
def test_chunks_that_are_wanted_at_once_share_a_step_where_no_bit_depends_on_it(few_sizes, monkeypatch, is_exact):
    monkeypatch.setattr(batch_check, "is_exact", lambda network, rows: is_exact)
    engine = opened(width=2, flow_rows=3, fixed_shapes=True)
    engine._batched_decoder.warm_up()
    sizes = served(engine, monkeypatch)
    heard, streams = [[], []], streams_of(engine, [(TEXT, voice, {"seed": voice}) for voice in (0, 1)])
    while not isinstance((results := list(engine.advance(streams)))[0], SpeechEnd):
        for parts, chunk in zip(heard, results, strict=True):
            parts.append(chunk)
    for voice, parts in enumerate(heard):
        assert np.abs(np.concatenate(parts) - reference(TEXT, seed_of_voice=voice, seed=voice)).max() <= TOLERANCE
    assert max(sizes) == (2 if is_exact else 1)


def served(engine, monkeypatch) -> list[int]:
    """How many streams each step of the flow serves from now on."""
    sizes, memories = [], engine._batched_decoder.mel._memories
    lay_out = memories._lay_out
    monkeypatch.setattr(memories, "_lay_out", lambda streams, n_rows: (sizes.append(len(streams)), lay_out(streams, n_rows))[1])
    return sizes


@torch.inference_mode()
def test_a_stream_is_the_sound_of_all_its_tokens_at_once():
    """One call of flow and vocoder each, in the official order: voice, tokens, frames, and those of the voice are left out."""
    engine, tokens = opened(), []
    said = engine._say
    engine._say = lambda *given: recorded(said(*given), tokens)
    heard = say(engine, TEXT, learned())
    assert len(tokens) == TOKENS
    networks, voice = engine._networks, engine._voice(learned())
    flow, all_tokens = networks.flow, [*voice.tokens, *SpokenTokens().push(tokens)]
    frames = range(2 * len(all_tokens))
    memory = flow.new_memory(1, len(frames))
    known = torch.zeros(1, len(frames), 80)
    known[:, : voice.mel.shape[1]] = voice.mel
    rows = flow.token_rows(torch.tensor([token_window(all_tokens, range(len(all_tokens)), 3)]))
    mel = flow((flow.noise[None, : len(frames)], rows, known), voice.speaker, memory, flow.steps.whole(frames, memory))
    expected = networks.vocoder.whole(mel[:, voice.mel.shape[1] :])[0].numpy()
    assert len(heard) == len(expected)
    assert np.abs(heard - expected).max() <= TOLERANCE


def recorded(steps, tokens):
    said = yield from steps
    tokens.extend(said[:, 0].tolist())
    return said


def test_what_is_heard_first_takes_ten_tokens_and_three_that_are_looked_ahead_at():
    engine = opened()
    sizes = [len(chunk) for chunk in spoken(engine, TEXT, learned()) if len(chunk)]
    lookahead = engine._networks.vocoder.lookahead_frames * TOKEN // 2
    assert sizes == [FIRST_TOKENS * TOKEN - lookahead, 25 * TOKEN, (TOKENS - FIRST_TOKENS - 25) * TOKEN + lookahead]
    assert sum(sizes) == TOKENS * TOKEN
    steps, complete = [], engine._batched_decoder.tokens.rows.complete
    engine._batched_decoder.tokens.rows.complete = lambda streams: (steps.append(len(streams)), complete(streams))
    stream = spoken(engine, TEXT, learned())
    next(chunk for chunk in stream if len(chunk))
    stream.close()
    assert len(steps) == FIRST_TOKENS + 3


def test_a_stop_takes_effect_within_one_euler_step():
    engine = opened()
    stream = spoken(engine, TEXT, learned())
    assert all(chunk is YIELD_POINT for chunk in itertools.islice(stream, N_EULER_STEPS)), "the chunk of the voice"
    steps = []
    estimator = engine._networks.flow.decoder["estimator"]
    hook = estimator.register_forward_hook(lambda *_: steps.append(1))
    next(stream)
    stream.close()
    hook.remove()
    assert len(steps) <= 1
    assert engine._batched_decoder.tokens._slots.seated == ()
    assert engine._batched_decoder.mel.bytes == opened()._batched_decoder.mel.bytes


def test_a_pinned_voice_is_read_once_and_sounds_the_same():
    engine = opened()
    engine.prepare(learned())
    before = engine.memory_bytes()
    for _ in range(2):
        assert np.array_equal(say(engine, TEXT, learned()), reference())
    assert np.array_equal(said_again(engine, source(), learned()), said_again(opened(), source(), learned()))
    assert engine.counts.voice_reads == 1
    assert engine.memory_bytes() > before
    engine.forget(learned().content_digest)
    assert engine.memory_bytes() < before
    say(engine, TEXT, learned())
    assert engine.counts.voice_reads == 2


def test_a_voice_that_has_no_room_is_read_by_every_text(monkeypatch):
    for engine in (opened(pin_prompt=0), opened()):
        monkeypatch.setattr(engine._pinned, "most_bytes", min(engine._pinned.most_bytes, 100_000))
        monkeypatch.setattr(engine._batched_decoder.mel, "saved_voice", None)  # nor copied for nothing
        for _ in range(2):
            assert np.array_equal(say(engine, TEXT, learned()), reference())
        assert engine.counts.voice_reads == 2


def test_a_gpu_reads_a_voice_when_it_is_prepared(few_sizes):
    engine = opened(fixed_shapes=True)
    engine._is_gpu = True
    engine.prepare(learned())
    assert engine.counts.voice_reads == 1
    say(engine, TEXT, learned())
    assert engine.counts.voice_reads == 1


def test_a_voice_is_read_once_for_all_pieces_of_a_text_and_each_is_as_alone():
    engine = opened()
    heard = say(engine, TWO_PIECES, learned(1), max_tokens=33)
    assert engine.counts.voice_reads == 1
    n_first = 33 * TOKEN
    assert len(heard) == 2 * n_first
    pieces = list(pieces_of(engine, TWO_PIECES))
    assert len(pieces) == 2
    assert np.array_equal(heard[:n_first], say(opened(), pieces[0], learned(1), max_tokens=33))
    assert np.array_equal(heard[n_first:], say(opened(), pieces[1], learned(1), max_tokens=33, seed=1))


def pieces_of(engine, text):
    return text_pieces(text, lambda part: len(engine._networks.tokenizer.ids(part)))


def test_speech_said_again_is_as_long_as_its_source_and_takes_no_language_model(monkeypatch):
    engine = opened()
    monkeypatch.setattr(engine._batched_decoder.tokens, "begin", None)
    chunks = [chunk for chunk in converted(engine, source(), learned()) if len(chunk)]
    lookahead = engine._networks.vocoder.lookahead_frames * TOKEN // 2
    assert len(chunks[0]) == FIRST_TOKENS * TOKEN - lookahead
    assert sum(map(len, chunks)) == -(-int(1.7 * 50) // 2) * TOKEN
    other = said_again(engine, source(), learned(1))
    assert np.abs(np.concatenate(chunks) - other).max() > 0.01, "another voice"


def test_pieces_of_what_is_there_at_once_grow_slowly():
    sizes = [len(chunk) // TOKEN for chunk in converted(opened(), source(9.0), learned()) if len(chunk)]
    assert sizes == [7, 25, 50, 100, 42]


def test_a_word_of_a_tenth_of_a_second_is_said_again_and_silence_is_refused():
    assert len(said_again(opened(), source(0.1), learned())) == 3 * TOKEN
    with pytest.raises(ClipUnusable, match="We hear nothing in this recording"):
        said_again(opened(), Clip(np.zeros(24_000, np.float32), 24_000), learned())
    with pytest.raises(ClipUnusable, match="has 31 s, and 30 s are the limit"):
        said_again(opened(), Clip(np.ones(31 * 8_000, np.float32), 8_000), learned())


def test_speech_that_is_shorter_than_what_is_looked_ahead_at_is_heard():
    for n_tokens in (2, 3, 12):
        assert len(say(opened(), TEXT, learned(), max_tokens=n_tokens)) == n_tokens * TOKEN
    assert len(said_again(opened(), source(0.04), learned())) == TOKEN


def test_speech_ends_where_the_model_ends_it(few_sizes):
    for settings in ({}, {"fixed_shapes": True, "host_lag_frames": 1}):
        stream = spoken(opened(ends_after=30, **settings), TEXT, learned(), max_tokens=100)
        heard = []
        while True:
            try:
                heard.append(next(stream))
            except StopIteration as over:
                assert over.value.reason == "ended"
                break
        assert len(np.concatenate(heard)) == 30 * TOKEN


def test_the_error_of_one_stream_is_its_own():
    engine = opened(width=2)
    good, bad = spoken(engine, TEXT, learned(), seed=3), spoken(engine, " ", learned())
    results = list(engine.advance([good, bad]))
    assert isinstance(results[1], TextUnspeakable)
    assert np.array_equal(np.concatenate([results[0], *good]), say(opened(width=2), TEXT, learned(), seed=3))


def test_memory_of_streams_counts_until_they_end():
    engine = opened(pin_prompt=0)
    for voice in range(2):
        engine.prepare(learned(voice))
    prepared = engine.memory_bytes()
    streams = streams_of(engine, [(TEXT, 0, {}), (TEXT, 1, {})])
    for stream in streams:
        next(chunk for chunk in stream if len(chunk))
    assert engine.memory_bytes() > prepared
    prefixes = sum(state.bytes for key, state in engine._prepared._states.items() if key[1] != VOICE)
    for stream in streams:
        stream.close()
    assert engine.memory_bytes() == prepared + prefixes


def test_warming_up_changes_no_later_speech(few_sizes):
    for settings in ({}, {"fixed_shapes": True}):
        engine = opened(**settings)
        engine.warmup()
        assert np.abs(say(engine, TEXT, learned()) - reference()).max() <= (TOLERANCE if settings else 0)


def test_silence_that_lasts_is_shortened(monkeypatch):
    """Tokens of silence that the language model says are not all made sound."""
    engine = opened()
    say_tokens(engine, monkeypatch, [7, *[SILENCE] * 20, 8])
    heard = say(engine, TEXT, learned(), max_tokens=22)
    assert len(heard) == (2 + 5) * TOKEN


@pytest.mark.parametrize("is_guarded", [True, False])
def test_silence_without_end_ends_the_speech_where_that_is_guarded(monkeypatch, is_guarded):
    engine = opened()
    say_tokens(engine, monkeypatch, [7, *[SILENCE] * 300])
    stream = spoken(engine, TEXT, learned(), max_tokens=200, runaway_guard=is_guarded)
    end, n_samples = None, 0
    while end is None:
        try:
            n_samples += len(next(stream))
        except StopIteration as over:
            end = over.value
    assert n_samples == (1 + 5) * TOKEN
    assert end.reason == ("looped" if is_guarded else "capped")


def say_tokens(engine, monkeypatch, tokens) -> None:
    """Have the language model say these, one after the other."""
    rows = engine._batched_decoder.tokens.rows
    drawn = lambda *given: torch.tensor([tokens[min(int(rows._frame[0, 0]), len(tokens) - 1)]])  # noqa: E731
    monkeypatch.setattr(batched_token_decoder, "draw", drawn)


def test_a_prompt_that_would_overflow_is_refused_and_a_row_is_as_good_as_new(few_sizes):
    engine = opened(fixed_shapes=True)
    damaged = learned().tensors["speech_feat"].copy()
    damaged[3, 5] = 1e30
    prompt = engine.make_prompt("0" * 64, {**learned().tensors, "speech_feat": damaged})
    with pytest.raises(PromptInvalid):
        say(engine, TEXT, prompt)
    assert np.abs(say(engine, TEXT, learned()) - reference()).max() <= TOLERANCE


def test_a_short_recording_is_spoken_after_as_a_whole():
    """Whose first tokens would be a large part of it, were they left out for the sake of a chunk."""
    engine = opened()
    for seconds, n_kept in ((1.0, 25), (1.56, 39), (1.7, 40), (2.2, 40), (3.4, 65)):
        prompt = engine.extract(made_clip(seconds), WORDS)
        assert len(engine._voice(prompt).tokens) == n_kept
        assert len(say(engine, TEXT, prompt, max_tokens=4)) == 4 * TOKEN


def test_a_gpu_has_room_for_as_many_rows_as_fit(monkeypatch):
    free = []
    monkeypatch.setattr(batched_decoders, "free_bytes", lambda device: free[-1])
    networks = SimpleNamespace(device=torch.device("cuda"), config=tiny().config, dtype=torch.float32)
    row = flow.frame_bytes(tiny().config.flow, torch.float32) * memory_rows.KEY_FRAMES[-1]
    for n_rows, expected in ((100, (8, 3072)), (7, (3, 3072)), (1.3, (1, 3072)), (1, (1, 2048))):
        free.append(int(n_rows * row))
        assert batched_decoders._room_on(networks, 8, is_asked=False) == expected
    free.append(row // 2)
    with pytest.raises(EngineUnavailable, match="COSYVOICE3_DEVICE"):
        batched_decoders._room_on(networks, 8, is_asked=False)
    assert batched_decoders._room_on(networks, 5, is_asked=True) == (5, 3072)


def test_memory_of_a_stream_grows_with_it(monkeypatch):
    monkeypatch.setattr(own_memories, "LEAST_FRAMES", 60)
    assert np.array_equal(say(opened(), TEXT, learned()), reference())


def test_a_stream_returns_why_it_was_cut():
    stream = spoken(opened(), TEXT, learned())
    end = yield_all(stream)
    assert isinstance(end, SpeechEnd)
    assert end.reason == "capped"


def yield_all(stream):
    while True:
        try:
            next(stream)
        except StopIteration as over:
            return over.value
