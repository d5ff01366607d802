"""Devices and dtypes by name: what is not there is refused, never replaced by another."""

import pytest
import torch

from engines.errors import EngineUnavailable
from engines.layers.device import choose_device, choose_dtype


def test_names_are_obeyed():
    assert choose_device("cpu") == torch.device("cpu")
    assert choose_dtype("float32", torch.device("cuda", 0)) == torch.float32
    assert choose_dtype("bfloat16", torch.device("cpu")) == torch.bfloat16


def test_without_a_name_the_device_decides_the_dtype():
    assert choose_dtype(None, torch.device("cpu")) == torch.float32
    assert choose_dtype(None, torch.device("cuda", 0)) == torch.bfloat16
    assert choose_device(None).type == ("cuda" if torch.cuda.is_available() else "cpu")


@pytest.mark.parametrize("name", ["gpu", "mps", "cuda:99", ""])
def test_devices_that_are_not_there_are_refused(name):
    with pytest.raises(EngineUnavailable):
        choose_device(name)


@pytest.mark.parametrize("name", ["float16", "fp32", "half", ""])
def test_dtypes_of_no_use_are_refused(name):
    with pytest.raises(EngineUnavailable, match="float32 or bfloat16"):
        choose_dtype(name, torch.device("cpu"))
