"""Compiled layers: traced whole, nothing that a speech would have to wait for, and the same speech."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from engines.kit.nn.transformer import Decoder
from engines.qwen3_tts import PACKAGE
from engines.qwen3_tts.engine import Qwen3TtsEngine
from engines.qwen3_tts.networks import read_networks
from tests.engines.qwen3_tts.checkpoints.opened import LONG, learned, opened, reference, say, speaking_folder

COMPILE = Decoder.compile_layers


@dataclass(frozen=True)
class Warmed:
    """An engine after its warm-up, how many kinds were compiled by then, and how much it kept."""

    engine: Qwen3TtsEngine
    kinds: int
    kept_bytes: int


@pytest.fixture(scope="module")
def warmed() -> Warmed:
    """With weights of its own, traced as for any backend; what the backend makes of it is torch's affair.

    Talker and predictor have layers of one class: the predictor's are taken apart as well, at a second for each kind.
    """
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    networks = read_networks(speaking_folder(), torch.device("cpu"), torch.float32)
    backends = {networks.talker.decoder: "eager", networks.predictor.decoder: "aot_eager"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Decoder, "compile_layers", lambda decoder: COMPILE(decoder, backends[decoder]))
        engine = Qwen3TtsEngine(PACKAGE.info, networks, compiled=True)
    engine.warmup()
    yield Warmed(engine, torch._dynamo.utils.counters["stats"]["unique_graphs"], engine._prepared.bytes)
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()


def test_nothing_is_compiled_unless_asked():
    torch._dynamo.utils.counters.clear()
    plain = opened()
    plain.warmup()
    say(plain, LONG, learned(), max_new_tokens=3)
    assert not torch._dynamo.utils.counters["stats"]["unique_graphs"]


def test_after_the_warm_up_nothing_is_compiled_any_more_and_the_speech_is_the_same(warmed):
    assert warmed.engine.counts.prefix_reads > 0
    assert warmed.kinds > 0
    few = {"max_new_tokens": 5}
    for voice, given in (
        (0, {}),
        (1, few),
        (0, few | {"x_vector_only_mode": True}),
        (0, few | {"non_streaming_mode": True}),
        (1, few | {"language": "de", "codec_chunk_frames": 3}),
    ):
        samples = say(warmed.engine, LONG, learned(voice), **given)
        assert np.abs(samples - reference(seed_of_voice=voice, **given)).max() <= 1e-5, (voice, given)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == warmed.kinds
    assert not torch._dynamo.utils.counters["graph_break"]


def test_what_was_made_up_for_the_warm_up_is_not_kept(warmed):
    assert warmed.kept_bytes == 0
