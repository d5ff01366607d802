"""A published voice is read in both layouts of its file, and refused where it is not one of this model."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from engines.errors import CheckpointInvalid
from engines.pocket_tts.config import BackboneConfig, FlowLmConfig, HeadConfig, TokenTableConfig
from engines.pocket_tts.preset_state import MOST_POSITIONS, read_preset

BACKBONE = BackboneConfig(d_model=6, num_heads=3, num_layers=2, attn_dim=12, num_kv_heads=1)
CONFIG = FlowLmConfig(HeadConfig(1, 8), BACKBONE, TokenTableConfig(6, 20))
FIRST, SECOND = (f"transformer.layers.{layer}.self_attn" for layer in range(2))


def new_layout(n_heard: int = 5, room: int = 5) -> dict[str, torch.Tensor]:
    """Two layers of one key head of four channels."""
    state = {}
    for layer, module in enumerate((FIRST, SECOND)):
        state[f"{module}/cache"] = torch.randn(2, 1, room, 1, 4, generator=torch.Generator().manual_seed(layer))
        state[f"{module}/cache"][:, :, n_heard:] = torch.nan
        state[f"{module}/offset"] = torch.tensor([n_heard])
        state[f"{module}/pad"] = torch.tensor([0])
    return state


def old_layout(n_heard: int = 5, room: int = 5) -> dict[str, torch.Tensor]:
    state = {name: tensor for name, tensor in new_layout(n_heard, room).items() if name.endswith("cache")}
    return state | {f"{module}/current_end": torch.zeros(n_heard) for module in (FIRST, SECOND)}


def written(tmp_path, state: dict[str, torch.Tensor]):
    save_file(state, tmp_path / "voice.safetensors")
    return tmp_path / "voice.safetensors"


@pytest.mark.parametrize("room", [5, 9])
@pytest.mark.parametrize("layout", [new_layout, old_layout])
def test_keys_and_values_are_those_of_the_file_up_to_what_was_heard(tmp_path, layout, room):
    state = layout(5, room)
    read = read_preset(written(tmp_path, state), CONFIG)
    assert (read.shape, read.dtype) == ((2, 2, 1, 5, 4), np.float32)
    assert read.flags.c_contiguous and read.flags.owndata
    for layer, module in enumerate((FIRST, SECOND)):
        for kind in range(2):
            assert np.array_equal(read[layer, kind, 0], state[f"{module}/cache"][kind, 0, :5, 0].numpy())


def test_heads_stand_before_positions(tmp_path):
    backbone = BackboneConfig(d_model=8, num_heads=2, num_layers=1)
    cache = torch.arange(2 * 3 * 2 * 4, dtype=torch.float32).reshape(2, 1, 3, 2, 4)
    file = written(tmp_path, {f"{FIRST}/cache": cache, f"{FIRST}/offset": torch.tensor([3])})
    read = read_preset(file, FlowLmConfig(HeadConfig(1, 8), backbone, TokenTableConfig(8, 20)))
    assert np.array_equal(read[0, 1, 1, 2], cache[1, 0, 2, 1].numpy())


def test_a_state_without_padding_said_is_not_padded(tmp_path):
    state = {name: tensor for name, tensor in new_layout().items() if not name.endswith("pad")}
    assert read_preset(written(tmp_path, state), CONFIG).shape[3] == 5


def without(name: str) -> dict[str, torch.Tensor]:
    return {key: tensor for key, tensor in new_layout().items() if key != name}


def nan_within() -> dict[str, torch.Tensor]:
    state = new_layout(4, 5)
    state[f"{SECOND}/cache"][1, 0, 3, 0, 2] = torch.nan
    return state


CACHE = f"{SECOND}/cache"
INVALID = {
    "a layer less": ({key: tensor for key, tensor in new_layout().items() if FIRST in key}, r"of 2 layers: it lacks .*layers\.1\."),
    "a layer more": (new_layout() | {"transformer.layers.2.self_attn/cache": torch.zeros(2, 1, 5, 1, 4)}, r"also has .*layers\.2\."),
    "no cache": (without(CACHE), "lacks .*/cache"),
    "no offset": (without(f"{FIRST}/offset"), "lacks .*/offset"),
    "both layouts": (new_layout() | {f"{FIRST}/current_end": torch.zeros(5)}, "lacks .*/current_end"),
    "an audio prompt": ({"audio_prompt": torch.zeros(1, 5, 6)}, "lacks"),
    "a tensor more": (new_layout() | {"extra": torch.zeros(0)}, "also has extra"),
    "more heads": (new_layout() | {CACHE: torch.zeros(2, 1, 5, 2, 4)}, r"is \(2, 1, 5, 2, 4\); this model wants \(2, 1, 1 to \d+, 1, 4\)"),
    "a batch": (new_layout() | {CACHE: torch.zeros(2, 2, 5, 1, 4)}, "this model wants"),
    "no positions": (new_layout(0, 0), "this model wants"),
    "another rank": (new_layout() | {CACHE: torch.zeros(2, 5, 1, 4)}, "this model wants"),
    "another type": (new_layout() | {CACHE: torch.zeros(2, 1, 5, 1, 4, dtype=torch.float16)}, "of torch.float16; wanted is torch.float32"),
    "a real offset": (new_layout() | {f"{FIRST}/offset": torch.tensor([5.0])}, "wanted is torch.int64"),
    "several offsets": (new_layout() | {f"{FIRST}/offset": torch.tensor([5, 5])}, r"is \(2,\); this model wants \(1,\)"),
    "padding": (new_layout() | {f"{FIRST}/pad": torch.tensor([2])}, "pad of the voice's state is 2"),
    "nothing heard": (new_layout(0, 5), "heard 0 positions, with room for 5"),
    "less than nothing": (new_layout() | {f"{FIRST}/offset": torch.tensor([-1])}, "heard -1 positions"),
    "beyond the room": (new_layout() | {f"{FIRST}/offset": torch.tensor([6])}, "heard 6 positions, with room for 5"),
    "beyond the room, old": (old_layout() | {f"{FIRST}/current_end": torch.zeros(6)}, "heard 6 positions, with room for 5"),
    "unequal lengths": (new_layout() | {f"{FIRST}/offset": torch.tensor([4])}, r"different lengths: \[4, 5\]"),
    "not finite": (nan_within(), "not finite"),
    "too long": (new_layout(5, MOST_POSITIONS + 1), "this model wants"),
}


@pytest.mark.parametrize("fault", INVALID)
def test_a_state_of_another_kind_is_refused_by_name(tmp_path, fault):
    state, told = INVALID[fault]
    with pytest.raises(CheckpointInvalid, match=told) as refused:
        read_preset(written(tmp_path, state), CONFIG)
    assert refused.value.hint


def test_a_file_that_is_none_is_refused(tmp_path):
    (tmp_path / "voice.safetensors").write_bytes(b"no state at all")
    for name in ("voice.safetensors", "missing.safetensors"):
        with pytest.raises(CheckpointInvalid, match=name):
            read_preset(tmp_path / name, CONFIG)
