"""Where Pocket TTS computes, and in which precision: on the CPU, in float32 or with the large matrices in int8."""

import torch

from engines.errors import EngineUnavailable
from engines.kit.nn.row_matrix import can_quantize
from engines.pocket_tts.config import PocketConfig

__all__ = ["choose_place", "suiting_dtype"]

DTYPES = {"float32": torch.float32, "int8": torch.int8}  # int8: of the flow LM's matrices, one scale per row; all else is float32
LEAST_INT8_WIDTH = 1024  # of the flow LM; narrower ones are bound by their number of operations, not by memory


def choose_place(device: str | None, dtype: str | None) -> tuple[torch.device, torch.dtype | None]:
    """The device and dtype of those names; of no name the CPU, and None: what suits the model. Raises EngineUnavailable."""
    if device not in (None, "cpu"):
        fact = f"Pocket TTS computes on the CPU, where it is quicker than speech, not on {device!r}; set POCKET_TTS_DEVICE to cpu."
        raise EngineUnavailable(fact, sentence="device_unusable", name=str(device))
    if dtype is not None and dtype not in DTYPES:
        fact = f"{dtype!r} is no dtype of this engine; it computes in {' or '.join(DTYPES)}."
        raise EngineUnavailable(fact, sentence="dtype_unusable", name=dtype)
    if dtype == "int8" and not can_quantize():
        fact = f"torch has no int8 kernels for this CPU ({torch.backends.quantized.engine}); set POCKET_TTS_DTYPE to float32."
        raise EngineUnavailable(fact, sentence="dtype_unusable", name=dtype)
    return torch.device("cpu"), DTYPES[dtype] if dtype else None


def suiting_dtype(config: PocketConfig) -> torch.dtype:
    """int8 for a model so large that reading its matrices is what takes time, where there are kernels for it; else float32."""
    return torch.int8 if config.flow_lm.transformer.d_model >= LEAST_INT8_WIDTH and can_quantize() else torch.float32
