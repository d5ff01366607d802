"""Networks of the released size with drawn weights: as large as the release."""

import torch

from engines.omnivoice import opening


def test_they_are_of_the_released_size(monkeypatch):
    monkeypatch.setattr(opening.RandomWeights, "load_into", lambda self, module, **names: None)  # they stay without memory
    networks = opening.draw("0.6B", torch.device("meta"), torch.bfloat16)
    added = 28 * (16 + 8 - 2) * 128  # norms of heads are laid out head by head
    assert sum(tensor.numel() for tensor in networks.backbone.parameters()) == 612_577_280 + added
