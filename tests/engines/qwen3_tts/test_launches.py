"""What a frame launches on a GPU: with fused kernels less than half of what it takes without, unless they are not wanted."""

import importlib.util

import pytest

from engines.kit.fused.self_check import KERNELS
from engines.kit.gauges.fake_gpu import DEVICE, FakeGpu, fake_gpu
from engines.qwen3_tts import PACKAGE
from engines.qwen3_tts.batched_decoder import QwenRows
from tests.engines.qwen3_tts.checkpoints.opened import speaking_folder

pytestmark = pytest.mark.skipif(importlib.util.find_spec("triton") is None, reason="Triton comes with PyTorch's packages for CUDA")


@pytest.fixture
def few_sizes(monkeypatch) -> None:
    for name, sizes in {"KEY_SIZES": (512,), "ROW_SIZES": (32,), "PIECE_SIZES": (1,)}.items():
        monkeypatch.setattr(QwenRows, name, sizes)


def captured(**options) -> FakeGpu:
    with fake_gpu() as gpu:
        engine = PACKAGE.open(str(speaking_folder()), DEVICE, **options)
        engine.warmup()
        engine.close()
    return gpu


def test_a_frame_has_fused_kernels_unless_they_are_not_wanted(few_sizes):
    fused, plain = captured().graphs, captured(fused=False).graphs
    of_others = {"rotate_neighbors_into_cache", "zero_star_step", "uniform_noise", "draw_codes_cut_first", "anti_aliased_snake"}
    of_others |= {"flow_rows", "residual_unit", "frames_into_rows", "guided_scores", "settle_surest"}
    assert KERNELS - of_others == KERNELS & {name for graph in fused.values() for name in graph.kernels}
    assert not KERNELS & {name for graph in plain.values() for name in graph.kernels} - {"rms_norm"}  # torch has one of that name
    for frame in (("step", 512), "complete"):
        assert 2 * fused[frame].n_kernels < plain[frame].n_kernels
