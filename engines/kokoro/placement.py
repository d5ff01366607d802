"""Where Kokoro computes, and in which precision: on the CPU, in bfloat16 where it has instructions for that, in float32 else."""

import torch

from engines.errors import EngineUnavailable

__all__ = ["choose_place"]

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def choose_place(device: str | None, dtype: str | None) -> tuple[torch.device, torch.dtype]:
    """The device and dtype of those names; of no name the CPU, and what suits it. Raises EngineUnavailable."""
    if device not in (None, "cpu"):
        fact = f"Kokoro computes on the CPU, where it is quicker than speech, not on {device!r}; set KOKORO_DEVICE to cpu."
        raise EngineUnavailable(fact, sentence="device_unusable", name=str(device))
    if dtype is not None and dtype not in DTYPES:
        fact = f"{dtype!r} is no dtype of this engine; it computes in {' or '.join(DTYPES)}."
        raise EngineUnavailable(fact, sentence="dtype_unusable", name=dtype)
    return torch.device("cpu"), DTYPES[dtype] if dtype else _suiting_dtype()


def _suiting_dtype() -> torch.dtype:
    """bfloat16 is six times as fast with tiles (AMX), twice with AVX512's products, and slower where it is only emulated."""
    has_products = torch.backends.mkldnn.is_available() and torch.cpu._is_avx512_bf16_supported()
    return torch.bfloat16 if has_products or torch.cpu._is_amx_tile_supported() else torch.float32
