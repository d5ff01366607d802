"""Operations are counted as by hand, in every form that torch shows them, and a kernel takes what its memory or its arithmetic takes."""

from collections import Counter
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from engines.kit.fused import operations, wave_operations
from engines.kit.gauges.fake_gpu import DEVICE, fake_gpu
from engines.kit.gauges.launch_counter import LaunchCounter
from engines.kit.gauges.roofline import DEVICES, DeviceSpeed, KernelWork, n_bytes, n_flops, roofline_seconds
from engines.kit.nn.ieee_float32 import tensor_float32


def on_gpu(*shape: int) -> Tensor:
    return torch.empty(shape, device=DEVICE)


# what is done -> how many multiplications and additions that is
COUNTED_BY_HAND: dict[str, tuple[Callable[[], object], int]] = {
    "a matrix, with a bias": (lambda: F.linear(on_gpu(2, 5, 8), on_gpu(6, 8), on_gpu(6)), 2 * 5 * 6 * 8 * 2),
    "a matrix without one": (lambda: F.linear(on_gpu(2, 5, 8), on_gpu(6, 8)), 2 * 5 * 6 * 8 * 2),
    "rows and columns": (lambda: on_gpu(5, 8) @ on_gpu(8, 3), 5 * 3 * 8 * 2),
    "a batch of them": (lambda: on_gpu(2, 5, 8) @ on_gpu(2, 8, 3), 2 * 5 * 3 * 8 * 2),
    "a vector": (lambda: on_gpu(5, 8) @ on_gpu(8), 5 * 8 * 2),
    "a sum with a product": (lambda: torch.addmm(on_gpu(3), on_gpu(5, 8), on_gpu(8, 3)), 5 * 3 * 8 * 2),
    "a batch of sums": (lambda: torch.baddbmm(on_gpu(2, 5, 3), on_gpu(2, 5, 8), on_gpu(2, 8, 3)), 2 * 5 * 3 * 8 * 2),
    "a convolution": (lambda: F.conv1d(on_gpu(2, 4, 20), on_gpu(6, 4, 3)), 2 * 6 * 18 * 4 * 3 * 2),
    "a convolution of groups": (lambda: F.conv1d(on_gpu(1, 4, 20), on_gpu(6, 2, 3), groups=2), 6 * 18 * 2 * 3 * 2),
    "a plane's": (lambda: F.conv2d(on_gpu(1, 4, 9, 9), on_gpu(6, 4, 3, 3)), 6 * 7 * 7 * 4 * 9 * 2),
    "a transposed one": (lambda: F.conv_transpose1d(on_gpu(2, 4, 20), on_gpu(4, 6, 3), stride=2), 2 * 4 * 20 * 6 * 3 * 2),
    "attention": (
        lambda: F.scaled_dot_product_attention(on_gpu(2, 4, 10, 8), on_gpu(2, 4, 12, 8), on_gpu(2, 4, 12, 8), attn_mask=on_gpu(10, 12)),
        2 * 4 * 10 * 12 * (8 + 8) * 2,
    ),
    "a residual unit": (
        lambda: wave_operations.residual_unit(
            on_gpu(2, 5, 8), on_gpu(2, 5, 8), on_gpu(2, 6, 8), [on_gpu(7, 8), *3 * [on_gpu(8)], on_gpu(8, 8), *3 * [None]], dilation=1
        ),
        2 * 5 * 8 * 8 * 2,
    ),
    "one channel of many": (
        lambda: wave_operations.one_channel_conv(on_gpu(2, 5, 8), on_gpu(2, 6, 8), on_gpu(1, 7 * 8), None, dilation=1),
        2 * 5 * 7 * 8 * 2,
    ),
    "rows of a flow": (
        lambda: operations.flow_rows(
            [on_gpu(2, 4, 6)], on_gpu(2), [on_gpu(2, 2, 8), on_gpu(8), on_gpu(2, 4, 8)], [on_gpu(8, 6), on_gpu(8)], width=0.0, least=1e-8
        ),
        2 * 4 * 6 * 8 * 2,
    ),
    "a norm, a view and a sum": (lambda: F.softmax(on_gpu(5, 8).t() + 1, dim=-1), 0),
}


@pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad, torch.enable_grad])
def test_what_is_multiplied_and_added_is_counted_as_by_hand(mode):
    with fake_gpu(), mode():
        for doing, (work, expected) in COUNTED_BY_HAND.items():
            with LaunchCounter() as counter:
                work()
            assert sum(n_flops(counter.work).values()) == expected, doing


def test_every_precision_has_a_count_of_its_own():
    with fake_gpu(), torch.inference_mode(), LaunchCounter() as counter:
        for dtype in (torch.bfloat16, torch.float32, torch.float32):
            on_gpu(5, 8).to(dtype) @ on_gpu(8, 3).to(dtype)
    assert n_flops(counter.work) == {"bfloat16": 240, "float32": 480}


def test_the_work_of_the_host_is_not_the_device_s():
    with fake_gpu(), torch.inference_mode(), LaunchCounter() as counter:
        torch.empty(5, 8) @ torch.empty(8, 3)
    assert not counter.work


def test_float32_is_told_from_what_a_section_lets_a_gpu_take_for_it():
    with fake_gpu(), torch.inference_mode(), LaunchCounter() as counter:
        rows, weight = on_gpu(5, 8), on_gpu(3, 8)
        F.linear(rows, weight)
        with tensor_float32():
            F.linear(rows, weight)
    assert {work.precision for work in counter.work} == {"float32", "tfloat32"}


def test_a_kernel_takes_what_its_memory_takes_or_its_arithmetic_and_not_both():
    device = DeviceSpeed(bandwidth=10.0, tensor_flops=1000.0, float32_flops=100.0)
    moves, multiplies = KernelWork(50, 100, "bfloat16"), KernelWork(10, 3000, "bfloat16")
    exact, rounded = KernelWork(10, 3000, "float32"), KernelWork(10, 3000, "tfloat32")
    assert [device.seconds(work) for work in (moves, multiplies, exact, rounded)] == [5.0, 3.0, 30.0, 6.0]
    work = Counter({moves: 2, multiplies: 3})
    assert roofline_seconds(work, device) == 2 * 5.0 + 3 * 3.0, "a kernel does not begin before the one before it has ended"
    assert n_bytes(work) == 130


def test_a_network_over_many_rows_is_bound_by_arithmetic_and_over_one_by_memory():
    width, device = 4096, DEVICES["h200"]

    def seconds(n_rows: int) -> tuple[float, float]:
        with fake_gpu(), torch.inference_mode():
            rows, weight = on_gpu(n_rows, width).bfloat16(), on_gpu(width, width).bfloat16()
            with LaunchCounter() as counter:
                F.linear(rows, weight)
        return roofline_seconds(counter.work, device), n_bytes(counter.work) / device.bandwidth

    of_one, by_memory = seconds(1)
    assert of_one == by_memory
    of_many, by_memory = seconds(width)
    assert of_many == 2 * width**3 / device.tensor_flops > by_memory
