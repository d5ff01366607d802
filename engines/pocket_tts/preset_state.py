"""read_preset: reads a voice that the makers publish: the keys and values of their flow LM after it heard the voice.

The file: export_model_state and _import_model_state of pocket_tts/models/model_state.py @ 4.0.1. It says nothing of the weights that it was
made with: whoever keeps what is read has to remember them.
"""

from pathlib import Path

import numpy as np
import torch

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint import Checkpoint
from engines.pocket_tts.config import FlowLmConfig

__all__ = ["MOST_POSITIONS", "read_preset"]

MOST_POSITIONS = 1000  # 80 s: 47 MiB of the 100M model, 188 of the one with 24 layers. The published voices have 126 to some 400
MODULE = "transformer.layers.{}.self_attn"
HINT = "Fetch this voice for this model again, or choose another voice."


def read_preset(file: Path, config: FlowLmConfig) -> np.ndarray:
    """(L, 2, kv heads, T, head_dim) float32: keys, then values, of every layer for the positions 0 to T - 1, contiguous.

    Keys are rotated, in neighboring pairs of channels, as they are in the file. T is what the file says was heard; room behind it is left
    out. Raises CheckpointInvalid for a file that cannot be read, and for one of another model: other layers, tensors, types or shapes,
    layers that have heard different lengths, padding, more than MOST_POSITIONS, and values that are not finite.
    """
    with Checkpoint(file) as state:
        _check_names(state, config.transformer.num_layers)
        _check_shapes(state, config)
        n_positions = _n_positions(state, config.transformer.num_layers)
        wanted = config.transformer
        read = np.empty((wanted.num_layers, 2, wanted.n_kv_heads, n_positions, wanted.head_dim), np.float32)
        for layer, keys_values in enumerate(read):
            cache = state.tensor(f"{MODULE.format(layer)}/cache").numpy()
            keys_values[:] = cache[:, 0, :n_positions].swapaxes(1, 2)
    if not np.isfinite(read).all():
        raise CheckpointInvalid("The voice's state has values that are not finite.", HINT)
    return read


def _check_names(state: Checkpoint, n_layers: int) -> None:
    """A cache in each layer with its offset, or, in files of older releases, with as many entries of current_end as were heard."""
    is_old = any(name.endswith("/current_end") for name in state.names)
    needed = {f"{MODULE.format(layer)}/{key}" for layer in range(n_layers) for key in ("cache", "current_end" if is_old else "offset")}
    allowed = needed | {f"{MODULE.format(layer)}/pad" for layer in range(n_layers)}
    for what, names in (("lacks", needed - state.names), ("also has", state.names - allowed)):
        if names:
            shown = ", ".join(sorted(names)[:3]) + (", ..." if len(names) > 3 else "")
            raise CheckpointInvalid(f"The voice's state is not one of this model, of {n_layers} layers: it {what} {shown}.", HINT)


def _check_shapes(state: Checkpoint, config: FlowLmConfig) -> None:
    """Before any tensor is read: what is read is bounded by it. Of current_end nothing ever is, but how long it is."""
    n_heads, head_dim = config.transformer.n_kv_heads, config.transformer.head_dim
    for name in sorted(state.names):
        shape = state.shape(name)
        if name.endswith("/current_end"):
            fits, wanted, dtype = len(shape) == 1, "(positions)", None
        elif name.endswith("/cache"):
            fits = len(shape) == 5 and shape == (2, 1, shape[2], n_heads, head_dim) and 1 <= shape[2] <= MOST_POSITIONS
            wanted, dtype = f"(2, 1, 1 to {MOST_POSITIONS}, {n_heads}, {head_dim})", torch.float32
        else:
            fits, wanted, dtype = shape == (1,), "(1,)", torch.int64
        if not fits:
            raise CheckpointInvalid(f"{name} of the voice's state is {shape}; this model wants {wanted}.", HINT)
        if dtype is not None and state.tensor(name).dtype is not dtype:
            raise CheckpointInvalid(f"{name} of the voice's state is of {state.tensor(name).dtype}; wanted is {dtype}.", HINT)


def _n_positions(state: Checkpoint, n_layers: int) -> int:
    """How many positions every layer has heard."""
    heard = set()
    for module in map(MODULE.format, range(n_layers)):
        old, pad = f"{module}/current_end", f"{module}/pad"
        n_positions = state.shape(old)[0] if old in state.names else int(state.tensor(f"{module}/offset"))
        room = state.shape(f"{module}/cache")[2]
        if not 1 <= n_positions <= room:
            raise CheckpointInvalid(f"{module} of the voice's state has heard {n_positions} positions, with room for {room}.", HINT)
        if pad in state.names and int(state.tensor(pad)) != 0:
            raise CheckpointInvalid(f"{pad} of the voice's state is {int(state.tensor(pad))}; a voice alone is not padded: 0.", HINT)
        heard.add(n_positions)
    if len(heard) != 1:
        raise CheckpointInvalid(f"The layers of the voice's state have heard different lengths: {sorted(heard)}.", HINT)
    return heard.pop()
