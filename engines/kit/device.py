"""The device and the precision of an engine: what was asked for, or what suits the machine."""

import torch

from engines.errors import EngineUnavailable

__all__ = ["choose_device", "choose_dtype", "free_bytes"]

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
BFLOAT16_CAPABILITY = (8, 0)


def choose_device(name: str | None) -> torch.device:
    """The device of that name; without a name a GPU where there is one, else the CPU. Raises EngineUnavailable."""
    if name is None:
        return torch.device("cuda", torch.cuda.current_device()) if torch.cuda.is_available() else torch.device("cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise EngineUnavailable(
            f"{name!r} is no device; devices are cpu, cuda and cuda:0, cuda:1, ...", sentence="device_unusable", name=name
        ) from error
    if device.type not in ("cpu", "cuda"):
        raise EngineUnavailable(f"The engine computes on cpu or cuda, not on {name!r}.", sentence="device_unusable", name=name)
    if device.type == "cuda" and (not torch.cuda.is_available() or (device.index or 0) >= torch.cuda.device_count()):
        raise EngineUnavailable(
            f"{name!r} is not there: torch sees {torch.cuda.device_count()} GPUs.", sentence="device_unusable", name=name
        )
    return torch.device("cuda", device.index or 0) if device.type == "cuda" else device


def choose_dtype(name: str | None, device: torch.device) -> torch.dtype:
    """The dtype of that name; without a name bfloat16 on a GPU that computes in it, else float32. Raises EngineUnavailable.

    A GPU without bfloat16 (a T4) would emulate it in float32, slower than float32 itself, so it is refused there.
    """
    if name is None:
        return torch.bfloat16 if device.type == "cuda" and _computes_bfloat16(device) else torch.float32
    if name not in DTYPES:
        fact = f"{name!r} is no dtype of this engine; it computes in {' or '.join(DTYPES)}."
        raise EngineUnavailable(fact, sentence="dtype_unusable", name=name)
    if name == "bfloat16" and device.type == "cuda" and not _computes_bfloat16(device):
        fact = f"{torch.cuda.get_device_name(device)} has no bfloat16; set the dtype to float32, or to none."
        raise EngineUnavailable(fact, sentence="dtype_unusable", name="bfloat16")
    return DTYPES[name]


def free_bytes(gpu: torch.device) -> int:
    """Memory of the GPU that nobody has taken yet, in this process or another."""
    return torch.cuda.mem_get_info(gpu)[0]


def _computes_bfloat16(gpu: torch.device) -> bool:
    """NVIDIA's from compute capability 8.0 on (CUDA C++ Programming Guide, arithmetic instructions); all that torch runs on by ROCm."""
    return torch.version.hip is not None or torch.cuda.get_device_capability(gpu) >= BFLOAT16_CAPABILITY
