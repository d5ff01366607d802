"""Copies for the host: of the moment they were made, and memory of their own."""

import pytest
import torch

from engines.kit.decode.cuda_graphs import HostCopy


def test_a_copy_is_of_the_moment_it_was_made():
    tensor = torch.zeros(3)
    copy = HostCopy(tensor)
    tensor.fill_(1.0)
    assert copy.wait().tolist() == [0.0, 0.0, 0.0]


@pytest.fixture
def pinned(monkeypatch) -> list[torch.Tensor]:
    """The pinned tensors that are made where there is no GPU to pin for."""
    made, empty = [], torch.empty

    def pinning(*shape, pin_memory: bool, **given):
        assert pin_memory
        made.append(empty(*shape, **given))
        return made[-1]

    class Done:
        def record(self, _) -> None: ...

        def synchronize(self) -> None: ...

    monkeypatch.setattr(torch, "empty", pinning)
    monkeypatch.setattr(torch.cuda, "Event", Done)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _: None)
    return made


def test_what_is_handed_out_is_no_view_of_pinned_memory(pinned):
    class OnGpu(torch.Tensor):
        is_cuda = True

    copy = HostCopy(torch.ones(3).as_subclass(OnGpu))
    value = copy.wait()
    assert value.tolist() == [1.0, 1.0, 1.0]
    assert value.data_ptr() != pinned[0].data_ptr()
    assert copy.wait() is value
