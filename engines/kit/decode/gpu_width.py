"""GPU width: how many streams one step serves on a GPU, where nobody says it. By what is free there after the weights."""

import torch

from engines.kit.device import free_bytes

__all__ = ["LEAST_GPU_WIDTH", "gpu_width"]

LEAST_GPU_WIDTH = 8  # of every engine, if it fits or not: the room check has asked for the weights alone
# Of the free memory, what rows may take. Graphs, steps and other engines want the rest, and rows in float32 are twice as large.
ROOM_SHARE = 0.25


def gpu_width(device: torch.device, row_bytes: int, most: int) -> int:
    """The widest of 8, 16, 32, ... whose rows fit, at most `most`.

    row_bytes: of a busy row in bfloat16, as `python -m studio.measure.engines.width_rehearsal` counts it. most: up to which a newcomer
    beside all others is heard within twice the time that it takes alone at width 8, by the same count.
    """
    width, room = LEAST_GPU_WIDTH, ROOM_SHARE * free_bytes(device) if most > LEAST_GPU_WIDTH else 0
    while 2 * width <= most and 2 * width * row_bytes <= room:
        width *= 2
    return width
