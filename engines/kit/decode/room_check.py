"""Room check: whether an engine's weights fit on its device in the dtype that they are to have. It counts them before any is read."""

from collections.abc import Callable

import torch

from engines.contract.contract import EngineInfo
from engines.errors import EngineUnavailable
from engines.kit.device import choose_dtype, free_bytes

__all__ = ["check_room"]

MOST_GROWTH = 2  # of stored weights of 16 bits in float32
GIGA = 1e9


def check_room(info: EngineInfo, place: tuple[torch.device, torch.dtype], count: Callable[[torch.dtype], int]) -> None:
    """Raises EngineUnavailable where they are certain not to fit, with the figures, and the dtype in which they would.

    info: of what is opened, with the bytes of its files, 0 where nobody knows. count: bytes of the networks in a dtype; takes seconds, and
    is asked where the files leave it open. A CPU's memory is the studio's affair.
    """
    device, dtype = place
    if device.type == "cpu" or not info.weights_bytes:
        return
    n_free = free_bytes(device)
    if MOST_GROWTH * info.weights_bytes <= n_free or (needed := count(dtype)) <= n_free:
        return
    smaller = choose_dtype(None, device)
    smaller = torch.float16 if smaller == torch.float32 else smaller
    if smaller == dtype or (in_smaller := count(smaller)) > n_free:
        detail = f"the device is {device}, the dtype {_name(dtype)}"
        raise EngineUnavailable(sentence="no_room", detail=detail, engine=info.title, needed_bytes=needed, free_bytes=n_free)
    raise EngineUnavailable(
        hint=f"Set {info.id.upper()}_DTYPE={_name(smaller)}: that takes {in_smaller / GIGA:.1f} GB.",
        sentence="no_room_in_dtype",
        detail=f"the device is {device}",
        engine=info.title,
        needed_bytes=needed,
        free_bytes=n_free,
        name=_name(dtype),
        other=_name(smaller),
        other_bytes=in_smaller,
    )


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
