"""Memory of work is that of the tensors it makes, once for all views of them, as long as anybody has one."""

import torch

from engines.kit.gauges.fake_gpu import DEVICE, fake_gpu
from engines.kit.gauges.memory_counter import BLOCK_BYTES, MemoryCounter

ROW_BYTES = 4096


def test_what_is_made_counts_until_the_last_view_of_it_is_gone_and_what_was_there_never():
    with fake_gpu():
        there = torch.empty(ROW_BYTES // 4, device=DEVICE)
        with MemoryCounter() as memory:
            made = there + 1
            view = made[8:]
            there.add_(1)
            del made
            assert memory.alive_bytes == ROW_BYTES
            last = (view * 2).sum()
            assert (memory.alive_bytes, memory.peak_bytes) == (ROW_BYTES + BLOCK_BYTES, 2 * ROW_BYTES + BLOCK_BYTES)
            del view
            assert memory.alive_bytes == BLOCK_BYTES, "of one number the allocator gives no less"
            del last
        assert memory.alive_bytes == 0


def test_a_capture_that_keeps_what_it_made_is_seen():
    kept = []
    with fake_gpu() as gpu:
        gpu.counts_memory = True
        there = torch.empty(ROW_BYTES // 4, device=DEVICE)
        gpu.capture("keeps", lambda: kept.append(there + 1))
        gpu.capture("gives", lambda: (there.copy_(there + 1), None)[1])
        assert {key: (one.peak_bytes, one.alive_bytes) for key, one in gpu.memory.items()} == {
            "keeps": (ROW_BYTES, ROW_BYTES), "gives": (ROW_BYTES, 0)
        }  # fmt: skip
        kept.clear()
