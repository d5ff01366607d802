"""Devices and dtypes by name: what is not there is refused, never replaced by another."""

import pytest
import torch

from engines.errors import EngineUnavailable
from engines.kit.device import choose_device, choose_dtype, is_tried


def test_names_are_obeyed():
    assert choose_device("cpu") == torch.device("cpu")
    assert choose_dtype("float32", torch.device("cuda", 0)) == torch.float32
    assert choose_dtype("bfloat16", torch.device("cpu")) == torch.bfloat16
    assert choose_dtype("float16", torch.device("cuda", 0)) == choose_dtype("float16", torch.device("cpu")) == torch.float16


def test_without_a_name_the_device_decides_the_dtype():
    assert choose_dtype(None, torch.device("cpu")) == torch.float32
    assert choose_device(None).type == ("cuda" if torch.cuda.is_available() else "cpu")


@pytest.mark.parametrize("name", ["gpu", "mps", "mps:1", "xpu", "hpu", "cuda:99", ""])
def test_devices_that_are_not_there_are_refused(name):
    with pytest.raises(EngineUnavailable):
        choose_device(name)


@pytest.mark.parametrize("name", ["float64", "fp32", "half", ""])
def test_dtypes_of_no_use_are_refused(name):
    with pytest.raises(EngineUnavailable, match="float32, bfloat16, float16"):
        choose_dtype(name, torch.device("cpu"))


@pytest.fixture
def a_gpu(monkeypatch):
    """a_gpu(capability): what torch says of cuda:1, which is not there; any other device it is asked about is a mistake."""

    def make(capability: tuple[int, int]) -> torch.device:
        gpu = torch.device("cuda", 1)
        monkeypatch.setattr(torch.cuda, "get_device_capability", {gpu: capability}.__getitem__)
        monkeypatch.setattr(torch.cuda, "get_device_name", {gpu: "Tesla T4"}.__getitem__)
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda *_, **__: True)  # emulation counts there, of the current device
        return gpu

    return make


def test_bfloat16_is_for_gpus_that_compute_in_it(a_gpu):
    assert choose_dtype(None, a_gpu((9, 0))) == choose_dtype(None, a_gpu((8, 0))) == torch.bfloat16
    t4 = a_gpu((7, 5))
    assert choose_dtype(None, t4) == choose_dtype("float32", t4) == torch.float32
    with pytest.raises(EngineUnavailable, match="in bfloat16 here: Tesla T4 has none; set the dtype to float32"):
        choose_dtype("bfloat16", t4)


def test_apples_and_intels_devices_are_taken_where_torch_has_them(monkeypatch):
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    monkeypatch.setattr(torch.xpu, "is_available", lambda: True)
    monkeypatch.setattr(torch.xpu, "device_count", lambda: 2)
    assert (choose_device("mps"), choose_device("xpu:1")) == (torch.device("mps", 0), torch.device("xpu", 1))
    with pytest.raises(EngineUnavailable, match="torch sees 2 devices"):
        choose_device("xpu:2")


@pytest.mark.parametrize("kind", ["mps", "xpu"])
def test_they_compute_in_float32_or_when_asked_in_float16(kind):
    device = torch.device(kind, 0)
    assert choose_dtype(None, device) == torch.float32 and choose_dtype("float16", device) == torch.float16
    with pytest.raises(EngineUnavailable, match=f"on {kind} it computes in float32 or float16"):
        choose_dtype("bfloat16", device)


def test_what_no_test_has_run_on_is_known(monkeypatch):
    assert is_tried(torch.device("cpu")) and is_tried(torch.device("cuda", 0))
    assert not is_tried(torch.device("mps")) and not is_tried(torch.device("xpu"))
    monkeypatch.setattr(torch.version, "hip", "6.4")
    assert not is_tried(torch.device("cuda", 0))  # a GPU of AMD
