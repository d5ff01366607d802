"""Which of an engine's fused kernels compute as they should on a real GPU, asked without its weights. For measurements."""

from collections.abc import Callable

import torch

from engines.contract.contract import Engine
from engines.kit.decode.batched_engine import BatchedEngine
from engines.kit.fused.self_check import CHECKS, trusted_kernels
from engines.kit.gauges.fake_gpu import fake_gpu

__all__ = ["kernel_report"]


def kernel_report(open_engine: Callable[[], Engine], device: str) -> dict[str, bool] | None:
    """Kernel -> whether the self-check trusts it for all uses of the engine; None for an engine that fuses nothing.

    open_engine: opens it on the device of a fake GPU, which has shapes alone. device: the real one, "cuda:0".
    """
    with fake_gpu() as gpu, gpu.counting():
        engine = open_engine()
        uses = engine.fused_uses(torch.device(device)) if isinstance(engine, BatchedEngine) else []
        engine.close()
    if not uses:
        return None
    trusted = trusted_kernels(uses)
    return {name: name in trusted for name in CHECKS}
