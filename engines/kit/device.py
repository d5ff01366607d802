"""The device and the precision of an engine: what was asked for, or what suits the machine."""

import torch

from engines.errors import EngineUnavailable

__all__ = ["FLOAT16_MOST", "choose_device", "choose_dtype", "exact_device", "free_bytes", "has_float64", "is_tried"]

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
BFLOAT16_CAPABILITY = (8, 0)
FLOAT16_MOST = 65504  # beyond it a number of float16 is infinite
# Devices that no test of this project has run on. What they compute is checked when an engine is opened (decode/device_check.py).
UNTRIED = ("mps", "xpu")
UNTRIED_DTYPES = ("float32", "float16")


def choose_device(name: str | None) -> torch.device:
    """The device of that name; without a name an NVIDIA or AMD GPU where there is one, else the CPU. Raises EngineUnavailable."""
    if name is None:
        return torch.device("cuda", torch.cuda.current_device()) if torch.cuda.is_available() else torch.device("cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise EngineUnavailable(
            sentence="device_unusable", detail="devices are cpu, cuda and cuda:0, cuda:1, ..., mps, xpu", name=name
        ) from error
    if device.type not in ("cpu", "cuda", *UNTRIED):
        raise EngineUnavailable(sentence="device_unusable", detail="it computes on cpu, cuda, mps or xpu", name=name)
    n_there = _number_of(device.type)
    if (device.index or 0) >= n_there:
        raise EngineUnavailable(sentence="device_unusable", detail=f"torch sees {n_there} devices of that kind", name=name)
    return device if device.type == "cpu" else torch.device(device.type, device.index or 0)


def choose_dtype(name: str | None, device: torch.device) -> torch.dtype:
    """The dtype of that name; without a name bfloat16 on a GPU that computes in it, else float32. Raises EngineUnavailable.

    A GPU without bfloat16 (a T4) would emulate it in float32, slower than float32 itself, so it is refused there. float16 has to be asked
    for: the models were trained in bfloat16, and numbers of theirs may lie beyond 65504.
    """
    if name is None:
        return torch.bfloat16 if device.type == "cuda" and _computes_bfloat16(device) else torch.float32
    if name not in DTYPES:
        raise EngineUnavailable(sentence="dtype_unusable", detail=f"it computes in {', '.join(DTYPES)}", name=name)
    if device.type in UNTRIED and name not in UNTRIED_DTYPES:
        raise EngineUnavailable(
            sentence="dtype_unusable", detail=f"on {device.type} it computes in {' or '.join(UNTRIED_DTYPES)}", name=name
        )
    if name == "bfloat16" and device.type == "cuda" and not _computes_bfloat16(device):
        detail = f"{torch.cuda.get_device_name(device)} has none; set the dtype to float32 or float16, or to none"
        raise EngineUnavailable(sentence="dtype_unusable", detail=detail, name="bfloat16")
    return DTYPES[name]


def free_bytes(device: torch.device) -> int:
    """Memory of the device that nobody has taken yet, in this process or another; where that is not told, not in this process."""
    if device.type == "mps":
        return torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory()
    return torch.get_device_module(device).mem_get_info(device)[0]


def is_tried(device: torch.device) -> bool:
    """Whether tests of this project have run on such a device: a CPU, or a GPU of NVIDIA."""
    return device.type not in UNTRIED and not (device.type == "cuda" and torch.version.hip is not None)


def has_float64(device: torch.device) -> bool:
    """Apple's GPUs have none, some of Intel's neither."""
    if device.type == "xpu":
        return bool(torch.xpu.get_device_properties(device).has_fp64)
    return device.type != "mps"


def exact_device(device: torch.device) -> torch.device:
    """Where float64 for this device is computed: there, or on the CPU."""
    return device if has_float64(device) else torch.device("cpu")


def _number_of(kind: str) -> int:
    """Devices of that kind which torch can compute on."""
    if kind == "cpu":
        return 1
    if kind == "mps":
        return int(torch.backends.mps.is_available())
    module = torch.get_device_module(kind)
    return module.device_count() if module.is_available() else 0


def _computes_bfloat16(gpu: torch.device) -> bool:
    """NVIDIA's from compute capability 8.0 on (CUDA C++ Programming Guide, arithmetic instructions); all that torch runs on by ROCm."""
    return torch.version.hip is not None or torch.cuda.get_device_capability(gpu) >= BFLOAT16_CAPABILITY
