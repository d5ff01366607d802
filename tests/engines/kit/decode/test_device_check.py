"""Devices on which nobody has tried an engine: what they compute wrongly is named, and refused. A CPU stands in for them."""

import pytest
import torch
import torch.nn.functional as F

from engines.errors import EngineUnavailable
from engines.kit import device as places
from engines.kit.decode import device_check
from engines.kit.decode.device_check import CHECKS, check_device
from engines.kit.decode.hub_package import _where
from engines.kit.sampling import sampling

STAND_IN = torch.device("cpu", 0)  # to be told from the CPU that it is compared with


@pytest.fixture(autouse=True)
def untried(monkeypatch):
    monkeypatch.setattr(device_check, "is_tried", lambda device: False)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_a_device_that_computes_as_a_cpu_does_passes(dtype):
    check_device(STAND_IN, dtype)


def broken(function, change):
    """As the function, but for tensors of the second time it is asked: the device's, after the CPU's."""
    calls = []

    def stand_in(*given, **settings):
        calls.append(1)
        made = function(*given, **settings)
        return change(made) if len(calls) == 2 else made

    return stand_in


def nan_in(made):
    made = made.clone()
    made.flatten()[0] = torch.nan
    return made


@pytest.mark.parametrize(
    ("owner", "name", "change", "told"),
    [
        (F, "conv_transpose1d", lambda made: made * 1.01, "in a transposed convolution it is off by 0.01"),
        (F, "scaled_dot_product_attention", nan_in, "attention with a mask"),
        (F, "embedding", lambda made: made[:1], "in an embedding it gives other shapes"),
        (torch, "cdist", lambda made: -made, "in the nearest of a codebook it computes otherwise"),
        (device_check, "gumbel_noise", lambda made: made + 1, "random numbers"),
    ],
)
def test_an_operation_that_is_wrong_is_named(monkeypatch, owner, name, change, told):
    monkeypatch.setattr(owner, name, broken(getattr(owner, name), change))
    with pytest.raises(EngineUnavailable, match=told) as refused:
        check_device(STAND_IN, torch.float32)
    assert "set the device to cpu" in refused.value.fact and refused.value.values["sentence"] == "device_unusable"


def test_an_operation_that_is_not_there_is_named_with_what_the_device_says(monkeypatch):
    def absent(made):
        raise RuntimeError("aten::mish is not implemented")

    monkeypatch.setattr(F, "mish", broken(F.mish, absent))
    with pytest.raises(EngineUnavailable, match=r"in activations it cannot compute.*aten::mish is not implemented"):
        check_device(STAND_IN, torch.float32)


def test_every_opening_on_such_a_device_is_checked(monkeypatch):
    checked = []
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(device_check, "CHECKS", {"a toy step": lambda inputs: checked.append(inputs.device.type) or torch.ones(1)})
    assert [_where("mps", "float16") for _ in range(2)] == 2 * [(torch.device("mps", 0), torch.float16)]
    assert checked == ["cpu", "mps", "cpu", "mps"] and len(CHECKS) > 10


def test_without_float64_noise_is_made_on_the_cpu_and_is_the_same(monkeypatch):
    keys = torch.tensor([[3]]), torch.tensor([[1]]), torch.arange(8)
    plain = sampling.gaussian_noise(*keys)
    asked = []
    monkeypatch.setattr(torch.Tensor, "is_cpu", False)
    monkeypatch.setattr(places, "has_float64", lambda device: asked.append(device.type))
    assert torch.equal(sampling.gaussian_noise(*keys), plain) and set(asked) == {"cpu"}
    assert places.exact_device(torch.device("mps")) == torch.device("cpu")


def test_apples_devices_have_no_float64():
    assert places.exact_device(torch.device("mps", 0)) == torch.device("cpu")
    assert places.exact_device(torch.device("cuda", 1)) == torch.device("cuda", 1)
