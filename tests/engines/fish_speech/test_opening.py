"""Networks of the released size with drawn weights: as large as the release, and as usable as any."""

import torch

from engines import catalog
from engines.fish_speech import opening
from tests.engines.clips.made_clip import made_clip
from tests.engines.fish_speech.opened import WORDS, learned, say, tiny


def test_an_engine_of_drawn_weights_learns_and_speaks(monkeypatch):
    toy = tiny()
    monkeypatch.setattr(opening, "released_config", lambda size: toy.config)
    monkeypatch.setattr(opening, "RELEASED", toy.codec_config)
    monkeypatch.setattr(opening, "N_WORDS", toy.tokenizer.special("im_end"))
    engine = catalog.open_random_engine("fish_speech", "S2-Pro", device="cpu", dtype="float32", options={"width": 2})
    assert engine.width == 2
    samples = say(engine, "one two three", engine.extract(made_clip(1.1), WORDS), max_new_tokens=4)
    assert samples.size and not samples.size % toy.codec_config.frame_samples and abs(samples).max() > 0
    assert engine.weights_fingerprint != learned().weights_fingerprint


def test_they_are_of_the_released_size(monkeypatch):
    monkeypatch.setattr(opening.RandomWeights, "load_into", lambda self, module, **names: None)  # they stay without memory
    networks = opening.draw("S2-Pro", torch.device("meta"), torch.bfloat16)
    cut, added = 3072 * 2560, 4097 * 2560  # rows of the fast head that no book has; rows of the table that are the slow head's, apart
    added += 36 * (32 + 8 - 2) * 128  # norms of heads are laid out head by head
    assert sum(tensor.numel() for part in (networks.slow, networks.fast) for tensor in part.parameters()) == 4_561_852_416 - cut + added
