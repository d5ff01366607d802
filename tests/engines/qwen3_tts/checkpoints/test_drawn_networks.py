"""Networks of a released size with drawn weights: configured as the release is, and as usable as any."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn

from engines import catalog
from engines.errors import EngineUnavailable
from engines.kit.weights.random_weights import N_DRAWN, RandomWeights
from engines.qwen3_tts import opening
from engines.qwen3_tts.config import Qwen3Config
from engines.qwen3_tts.opening import released_config
from tests.engines.clips.made_clip import made_clip
from tests.engines.qwen3_tts.checkpoints.networks import tiny_folder
from tests.engines.qwen3_tts.checkpoints.opened import FRAME, WORDS, learned, say
from tests.released.subjects import RELEASED


@pytest.mark.parametrize("size", ["0.6B", "1.7B"])
def test_the_configuration_is_that_of_the_released_files(size, tmp_path):
    assert released_config(size) == Qwen3Config.read(RELEASED[f"qwen3_tts {size}"].write(tmp_path))


def test_an_engine_of_drawn_weights_learns_and_speaks(monkeypatch):
    monkeypatch.setattr(opening, "released_config", lambda size, kind: Qwen3Config.read(tiny_folder()))
    small = SimpleNamespace(ids=lambda text: [len(word) for word in text.split()])
    monkeypatch.setattr(opening, "DrawnVocabulary", lambda n_tokens: small)
    engine = catalog.open_random_engine("qwen3_tts", "0.6B", device="cpu", dtype="float32", options={"width": 2})
    assert engine.width == 2
    prompt = engine.extract(made_clip(1.5), WORDS)
    samples = say(engine, "one two three", prompt, max_new_tokens=6)
    assert len(samples) == 5 * FRAME and abs(samples).max() > 0
    assert engine.weights_fingerprint != learned().weights_fingerprint


def test_a_size_that_an_engine_does_not_have_is_refused():
    for name, size in (("qwen3_tts", "9B"), ("espeak", "0.6B")):
        with pytest.raises(EngineUnavailable, match="has no size"):
            catalog.open_random_engine(name, size)


def test_drawn_tensors_are_the_same_again_differ_by_name_and_keep_unit_size():
    def drawn(seed: int = 0) -> dict[str, torch.Tensor]:
        with torch.device("meta"):
            module = nn.ModuleDict({"a": nn.Linear(2048, 1024), "b": nn.Linear(2048, 1024), "norm": nn.LayerNorm(8)}).bfloat16()
        RandomWeights(torch.bfloat16, seed).load_into(module, "x.")
        return module.state_dict()

    one, again, other = drawn(), drawn(), drawn(1)
    assert one["a.weight"].numel() > N_DRAWN
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert not torch.equal(one["a.weight"], one["b.weight"]) and not torch.equal(one["a.weight"], other["a.weight"])
    assert len(one["a.weight"].float().unique(dim=0)) == 1024, "no two rows are the same"
    answer = one["a.weight"].float() @ torch.randn(2048, generator=torch.Generator().manual_seed(0))
    assert 0.9 < answer.std() < 1.1
    assert one["norm.weight"].min() >= 0.8 and one["norm.bias"].abs().max() <= 0.1
