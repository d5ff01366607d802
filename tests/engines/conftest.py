"""Tests of the engines compute on one thread: their networks are small, and other tests run beside them."""

import sys
from collections.abc import Iterator

import pytest
import torch
from torch import backends

from tests.engines.text.fake_wetext import Wetext


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """For whole modules, so that what they make once is made on one thread too."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def low_precision() -> Iterator[None]:
    """TF32 on GPUs, bfloat16 on CPUs that know it, in products and convolutions."""
    torch.set_float32_matmul_precision("medium")
    backends.mkldnn.conv.fp32_precision = "bf16"
    yield
    torch.set_float32_matmul_precision("highest")
    for operation in (backends.cuda.matmul, backends.mkldnn.matmul, backends.mkldnn.conv):
        operation.fp32_precision = "none"


@pytest.fixture
def wetext(monkeypatch, tmp_path) -> Wetext:
    """In the library's place."""
    library = Wetext(tmp_path)
    monkeypatch.setitem(sys.modules, "wetext", library)
    return library
