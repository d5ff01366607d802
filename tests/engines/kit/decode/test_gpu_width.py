"""How many streams a step serves on a GPU: as many as its free memory has rows for, in doubled steps."""

import pytest
import torch

from engines.kit.decode import gpu_width as module
from engines.kit.decode.gpu_width import gpu_width

GPU = torch.device("cuda", 0)
ROW_BYTES = 250_000_000


@pytest.mark.parametrize(
    ("free_gb", "most", "width"), [(80, 32, 32), (80, 16, 16), (32, 32, 32), (31, 32, 16), (16, 32, 16), (15, 32, 8), (1, 32, 8)]
)
def test_a_quarter_of_what_is_free_is_for_rows(monkeypatch, free_gb, most, width):
    monkeypatch.setattr(module, "free_bytes", lambda device: free_gb * 10**9)
    assert gpu_width(GPU, ROW_BYTES, most) == width


def test_where_nobody_has_counted_more_nobody_asks(monkeypatch):
    monkeypatch.setattr(module, "free_bytes", lambda device: pytest.fail("a question to the driver"))
    assert gpu_width(GPU, 0, 8) == 8
