"""Fused kernels: bit for bit what the plain formulas give, nine launches a layer, trusted where they are right and nowhere else."""

import importlib.util
import json
import logging
import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from engines.kit.codec.causal_chain import Passing, ResidualUnit
from engines.kit.codec.causal_conv import CausalConv1d, CausalDepthwiseConv1d
from engines.kit.codec.snake import Snake
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.fused import layer_trial, self_check
from engines.kit.fused.fused_use import FusedUse
from engines.kit.fused.layer_trial import chosen_ways
from engines.kit.fused.self_check import KERNELS, passing_kernels, trusted_kernels
from engines.kit.gauges.launch_counter import LaunchCounter
from engines.kit.gauges.roofline import n_flops
from engines.kit.nn.attention import AttentionConfig, RotaryConfig
from engines.kit.nn.fusable import LAYER_WAYS, OVERLAPPING, fuse
from engines.kit.nn.transformer import Decoder, DecoderConfig

pytestmark = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton comes with PyTorch's packages for CUDA")

CLAIMS = (
    "norms",
    "gated silu",
    "snake",
    "guidance",
    "depthwise conv",
    "residual unit",
    "causal chain",
    "anti-aliased",
    "noise",
    "draws",
    "draws cut first",
    "decoder",
    "attention to the past",
    "bidirectional",
    "windowed transformer",
    "five a layer",
    "product checks",
    "patches",
    "unmasking",
    "self-check",
)
ROTATIONS = ("half", "half, some channels, float32", "interleaved", "interleaved, float32", "none")
HEADS = AttentionConfig(64, 4, 2, 16, RotaryConfig(), qk_norm=True)
ON_THE_CPU = FusedUse(HEADS, torch.float32, torch.device("cpu"))


def started(name: str, cache: Path) -> subprocess.Popen:
    environment = os.environ | {"TRITON_CACHE_DIR": str(cache), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", f"tests.engines.kit.fused.{name}"]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture(scope="module")
def processes(tmp_path_factory) -> dict[str, dict]:
    """What the interpreter finds and what the compiler makes, side by side."""
    names = ("interpreted_kernels", "compiled_kernels")
    running = {name: started(name, tmp_path_factory.mktemp(name)) for name in names}
    results = {}
    for name, process in running.items():
        said, complaint = process.communicate(timeout=600)
        assert process.returncode == 0, complaint
        results[name] = json.loads(said.splitlines()[-1])
    return results


def test_every_kernel_gives_what_its_formula_gives(processes):
    found = processes["interpreted_kernels"]
    assert found == dict.fromkeys((*CLAIMS, *(f"rotation: {name}" for name in ROTATIONS)), True)


# Bytes that a block may share: https://docs.nvidia.com/cuda/cuda-c-programming-guide/ (technical specifications per compute capability)
SHARED_BYTES = {"75": 64 << 10, "89": 99 << 10, "90": 227 << 10, "120": 99 << 10}


@pytest.mark.parametrize(("capability", "n_kernels"), [("90", 23), ("75", 5), ("89", 5), ("120", 5)])
def test_every_kernel_compiles_for_a_gpu_and_those_that_share_memory_for_others(processes, capability, n_kernels):
    found = processes["compiled_kernels"][capability]
    assert len(found) == n_kernels
    assert all(n_bytes and shared <= SHARED_BYTES[capability] for n_bytes, shared in found.values())


def launches(n_layers: int, n_rows: int, *, per_row: bool, causal: bool = True, kernels: frozenset[str] = KERNELS) -> Counter[str]:
    """Of one pass over a fake GPU, rows at positions of their own or all at the same."""
    with FakeTensorMode(), torch.inference_mode():
        with torch.device("cuda"):
            decoder = Decoder(DecoderConfig(HEADS, 128, n_layers, causal=causal))
        fuse(decoder, kernels)
        cache, rows = decoder.new_cache(4, 32) if causal else None, torch.empty(4, n_rows, 64, device="cuda")
        positions = torch.empty((4, n_rows) if per_row else (n_rows,), dtype=torch.int64, device="cuda")
        with LaunchCounter() as counter:
            decoder(rows, decoder.step(positions, 32) if causal else decoder.step_over(positions), cache)
    return counter.kernels


@pytest.mark.parametrize(("n_rows", "per_row", "causal"), [(1, True, True), (1, False, True), (5, False, True), (5, False, False)])
def test_a_layer_is_nine_launches(n_rows, per_row, causal):
    of_a_layer = launches(3, n_rows, per_row=per_row, causal=causal) - launches(2, n_rows, per_row=per_row, causal=causal)
    attention = "attend_to_past" if n_rows == 1 else "scaled_dot_product_attention"
    once = ("rotate_halves_into_cache", attention, "gated_silu")
    assert of_a_layer == Counter({"linear": 4, "add_rms_norm": 2} | dict.fromkeys(once, 1))


@pytest.mark.parametrize(("n_rows", "causal"), [(1, True), (5, True), (5, False)])
def test_a_layer_of_few_rows_is_five_launches(n_rows, causal):
    """And nine, where there are more rows than that is faster for, or one of its kernels is not trusted."""
    few = KERNELS | {"layers_of_few_rows"}  # 4 x 1 and 4 x 5 rows
    first, second = (launches(n, n_rows, per_row=False, causal=causal, kernels=few) for n in (2, 3))
    attention = "attend_to_past" if n_rows == 1 else "scaled_dot_product_attention"
    once = ("normed_heads_into_cache", attention, "normed_gated_product")
    assert second - first == Counter({"product_into_residual": 2} | dict.fromkeys(once, 1))
    plain = [launches(1, n, per_row=False, causal=causal, kernels=names) for n, names in ((9, few), (n_rows, few - {"normed_product"}))]
    assert not any("product_into_residual" in counted for counted in plain)


def test_work_of_a_fused_layer_is_counted_as_that_of_its_parts():
    """Of floating-point operations as many; of bytes those of the weights, and not of a cache of which one row is written."""
    both = []
    for kernels in (KERNELS, KERNELS | LAYER_WAYS.keys()):
        with FakeTensorMode(), torch.inference_mode():
            with torch.device("cuda"):
                decoder = Decoder(DecoderConfig(HEADS, 128, 1))
            fuse(decoder, kernels)
            cache, rows, own = (
                decoder.new_cache(4, 4000),
                torch.empty(4, 1, 64, device="cuda"),
                torch.zeros(4, 1, dtype=torch.int64, device="cuda"),
            )
            step = decoder.step(own, 32)
            with LaunchCounter() as counter:
                decoder(rows, step, cache)
        both.append((sum(n_flops(counter.work).values()), counter.bytes))
    (flops, n_bytes), (fused_flops, fused_bytes) = both
    assert fused_flops == flops
    weights = 4 * (64 * 128 + 64 * 64 + 3 * 64 * 128)
    assert weights < fused_bytes < n_bytes < 2 * weights


@pytest.mark.parametrize(("layers", "capability", "expected"), [
    ("plain", (9, 0), frozenset()),
    ("fused", (9, 0), LAYER_WAYS.keys()),
    ("overlapping", (9, 0), {*LAYER_WAYS, OVERLAPPING}),
    ("overlapping", (8, 9), LAYER_WAYS.keys()),
    ("measured", (9, 0), {"layers_of_few_rows", OVERLAPPING}),
    ("measured", (8, 9), {"layers_of_few_rows"}),
])  # fmt: skip
def test_layers_are_computed_as_they_are_asked_for_or_the_faster_way(monkeypatch, layers, capability, expected):
    """A stand-in for the device: few rows are faster by five kernels, and faster still where these overlap; others are not by enough."""

    def milliseconds(use, names, shape, graphs_on):
        streams, length = shape
        assert streams == (8 if length == 1 else layer_trial.TRIED_ROWS[{16: "layers_of_some_rows", 512: "layers_of_many_rows"}[length]][0])
        gain = {1: 0.6, 16: 0.98, 512: 1.3}[length] if names & LAYER_WAYS.keys() else 1.0
        return gain - 0.1 * (OVERLAPPING in names and length == 1)

    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    monkeypatch.setattr(layer_trial, "_milliseconds", milliseconds)
    use = FusedUse(HEADS, torch.bfloat16, torch.device("cuda", 0))
    assert chosen_ways(layers, [use, replace(use, dtype=torch.float32)], KERNELS, 8, Graphs) == expected
    assert chosen_ways(layers, [replace(use, dtype=torch.float32)], KERNELS, 8, Graphs) == frozenset()


@torch.inference_mode()
def test_what_is_tried_are_layers_of_that_size_in_graphs(monkeypatch):
    """A step over a cache, and rows that see one another; where there is no GPU, all but the time itself."""
    passed = []
    monkeypatch.setattr(layer_trial, "_replayed", lambda graphs, device: next(times))
    monkeypatch.setattr(layer_trial, "WEIGHT_BYTES", 1)
    monkeypatch.setattr(layer_trial, "_pass_through", lambda *given, work=layer_trial._pass_through: passed.append(given) or work(*given))
    for shape in ((8, 1), (2, 16)):
        times = iter((5.0, 3.0, 4.0, 4.0, 4.0))
        assert layer_trial._milliseconds(replace(ON_THE_CPU), frozenset(), shape, Graphs) == 3.0, "the least"
    assert [tuple(rows.shape) for _, rows, *_ in passed] == [(8, 1, 64), (2, 16, 64)]
    assert [len(decoder.layers) for decoder, *_ in passed] == [2, 2]


def test_layers_that_cannot_be_tried_stay_plain_and_are_named(monkeypatch, caplog):
    def milliseconds(use, names, shape, graphs_on):
        if names & LAYER_WAYS.keys():
            raise RuntimeError("no room")
        return 1.0

    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (9, 0))
    monkeypatch.setattr(layer_trial, "_milliseconds", milliseconds)
    assert not chosen_ways("measured", [FusedUse(HEADS, torch.bfloat16, torch.device("cuda", 0))], KERNELS, 8, Graphs)
    assert "no room" in caplog.text


@pytest.mark.parametrize(("width", "others"), [(64, ("residual_unit",)), (192, ("depthwise_conv", "linear"))])
def test_a_residual_unit_is_three_launches_and_two_where_it_is_narrow(width, others):
    """What goes before it is added, and what it adds is left to the next, unless it is one kernel with the product."""
    with FakeTensorMode(), torch.inference_mode():
        with torch.device("cuda"):
            unit = ResidualUnit(Snake, CausalDepthwiseConv1d(width, 7, dilation=3), CausalConv1d(width, width, 1))
        for part in unit.block:
            part.prepare_weights()
        fuse(unit, KERNELS)
        rows = torch.empty(2, 30, width, device="cuda")
        with LaunchCounter() as counter:
            unit.branch_off(Passing(rows, rows), torch.empty(2, unit.context, width, device="cuda"))
    assert counter.kernels == Counter(("add_snake", *others))


def test_without_a_gpu_no_kernel_is_trusted_and_nothing_is_checked(monkeypatch):
    monkeypatch.setattr(self_check, "passing_kernels", None)
    assert trusted_kernels([ON_THE_CPU]) == frozenset()


def test_on_an_old_gpu_no_kernel_is_trusted(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (7, 0))
    monkeypatch.setattr(self_check, "passing_kernels", None)
    assert trusted_kernels([FusedUse(HEADS, torch.float16, torch.device("cuda", 0))]) == frozenset()


def test_a_gpu_of_amd_is_judged_by_the_checks_alone(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (7, 0))
    monkeypatch.setattr(torch.version, "hip", "6.4")
    monkeypatch.setattr(self_check, "passing_kernels", lambda uses, checks: frozenset({"snake"}))
    assert trusted_kernels([FusedUse(HEADS, torch.float16, torch.device("cuda", 0))]) == {"snake"}


@pytest.mark.parametrize("capability", [(7, 5), (8, 9), (12, 0)])
def test_on_other_gpus_the_checks_decide(monkeypatch, capability):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    monkeypatch.setattr(self_check, "passing_kernels", lambda uses, checks: frozenset({"snake"}))
    assert trusted_kernels([FusedUse(HEADS, torch.float16, torch.device("cuda", 0))]) == {"snake"}


@pytest.mark.parametrize("made", [[1.0, 2.001], [1.0, float("nan")], [1.0], None])
def test_a_kernel_that_is_wrong_or_fails_is_named_and_not_trusted(made, caplog):
    plain = torch.tensor([1.0, 2.0])

    def wrong(use: FusedUse):
        if made is None:
            raise RuntimeError("no compiler")
        yield plain, plain
        yield torch.tensor(made), plain

    def right(use: FusedUse):
        yield plain * (1 + 2e-7), plain

    with caplog.at_level(logging.WARNING):
        assert passing_kernels([ON_THE_CPU], {"right": right, "wrong": wrong}) == {"right"}
    (record,) = caplog.records
    assert "wrong" in record.getMessage()
    assert {None: "no compiler", 1: "inf", 2: "off by"}[made and len(made)] in record.getMessage()


def test_codes_must_be_the_same_to_the_last():
    def check(use: FusedUse):
        yield torch.tensor([1, 2, 3]), torch.tensor([1, 2, 4])

    assert not passing_kernels([ON_THE_CPU], {"draw": check})


def test_a_kernel_must_be_right_for_everybody_who_uses_it():
    uses = [FusedUse(HEADS, dtype, torch.device("cpu")) for dtype in (torch.float32, torch.bfloat16)]

    def check(use: FusedUse):
        plain = torch.ones(3, dtype=use.dtype)
        yield (plain if use.dtype == torch.float32 else -plain), plain

    assert passing_kernels(uses[:1], {"one": check}) == {"one"}
    assert not passing_kernels(uses, {"one": check})


def test_a_layer_is_fused_where_all_its_kernels_are_trusted():
    decoder = Decoder(DecoderConfig(HEADS, 128, 1))
    layer = decoder.layers[0]
    fuse(decoder, KERNELS - {"add_rms_norm", "rotate_neighbors_into_cache"})
    assert [part.fused for part in (layer.input_layernorm, layer.self_attn, layer.mlp, decoder.norm)] == [False, False, True, False]
    fuse(decoder, frozenset())
    assert not layer.mlp.fused
