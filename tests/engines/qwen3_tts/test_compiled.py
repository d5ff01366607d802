"""Compiled layers: traced whole, nothing that a speech would have to wait for, and the same speech."""

import numpy as np
import pytest
import torch
from torch._dynamo.utils import counters

from engines.layers.transformer import Decoder
from engines.qwen3_tts import INFO
from engines.qwen3_tts.engine import Qwen3TtsEngine
from engines.qwen3_tts.networks import read_networks
from tests.engines.qwen3_tts.networks import tiny_folder
from tests.engines.qwen3_tts.opened import LONG, learned, opened, say

COMPILE = Decoder.compile_layers


@pytest.fixture
def engine(monkeypatch) -> Qwen3TtsEngine:
    """An engine with weights of its own, traced and taken apart as for any backend; what the backend makes of it is torch's affair."""
    monkeypatch.setattr(Decoder, "compile_layers", lambda decoder: COMPILE(decoder, "aot_eager"))
    torch._dynamo.reset()
    networks = read_networks(tiny_folder(projection=True, ends_with_text=True), torch.device("cpu"), torch.float32)
    yield Qwen3TtsEngine(INFO, networks, compiled=True)
    torch._dynamo.reset()


def test_after_the_warm_up_nothing_is_compiled_any_more_and_the_speech_is_the_same(engine):
    engine.warmup()
    assert engine.counts.prefix_reads > 0
    kinds = counters["stats"]["unique_graphs"]
    assert kinds > 0
    for given in ({}, {"x_vector_only_mode": True}, {"non_streaming_mode": True}, {"language": "de", "codec_chunk_frames": 3}):
        for prompt in (learned(0), learned(1)):
            expected = say(opened(), LONG, prompt, **given)
            assert np.abs(say(engine, LONG, prompt, **given) - expected).max() <= 1e-5
    assert counters["stats"]["unique_graphs"] == kinds
    assert not counters["graph_break"]


def test_what_was_made_up_for_the_warm_up_is_not_kept(engine):
    engine._rehearse()
    assert engine._prepared.bytes == 0


def test_nothing_is_compiled_unless_asked():
    torch._dynamo.reset()
    counters.clear()
    plain = opened()
    plain.warmup()
    say(plain, LONG, learned())
    assert not counters["stats"]["unique_graphs"]
