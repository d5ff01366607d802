"""Weights that are certain not to fit on a device are told before any is read, with the dtype in which they would."""

from dataclasses import replace

import pytest
import torch

from engines.errors import EngineUnavailable
from engines.kit.decode import room_check
from engines.kit.decode.room_check import check_room
from engines.voxtral import PACKAGE

GPU, CPU = torch.device("cuda", 0), torch.device("cpu")
BYTES = {torch.float32: 15_000_000_000, torch.float16: 8_000_000_000}
INFO = replace(PACKAGE.info, weights_bytes=8_000_000_000)


@pytest.fixture
def free(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (7, 5))
    return lambda n_bytes: monkeypatch.setattr(room_check, "free_bytes", lambda device: n_bytes)


def test_who_does_not_fit_is_told_what_does(free):
    free(14_000_000_000)
    with pytest.raises(EngineUnavailable, match=r"needs 15.0 GB of memory in float32, and 14.0 GB are free: the device is cuda:0") as told:
        check_room(INFO, (GPU, torch.float32), BYTES.__getitem__)
    assert told.value.hint == "Set VOXTRAL_DTYPE=float16: that takes 8.0 GB."
    assert told.value.values["other_bytes"] == BYTES[torch.float16]
    check_room(INFO, (GPU, torch.float16), BYTES.__getitem__)


def test_where_no_dtype_fits_none_is_named(free):
    free(7_000_000_000)
    for dtype in BYTES:
        with pytest.raises(EngineUnavailable, match=r"7.0 GB are free: the device is cuda:0") as told:
            check_room(INFO, (GPU, dtype), BYTES.__getitem__)
        assert told.value.values["sentence"] == "no_room" and "free memory" in told.value.hint and "DTYPE" not in told.value.hint


def test_nothing_is_counted_where_there_is_room_enough_or_nobody_knows(free):
    free(16_000_000_000)
    check_room(INFO, (GPU, torch.float32), None)
    check_room(replace(INFO, weights_bytes=0), (GPU, torch.float32), None)
    check_room(INFO, (CPU, torch.float32), None)
