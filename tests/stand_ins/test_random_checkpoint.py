"""Checkpoints of random numbers: what the writers write is what any reader of safetensors reads, whole, in shards, or hollow."""

import os

import numpy as np
import torch

from engines.kit.weights.checkpoint import Checkpoint
from tests.released.tensor_table import compacted, read_table
from tests.stand_ins.random_checkpoint import uniform, write_sharded, write_tensors

TABLE = {f"layers.{i}.{name}": (shape, dtype) for i in range(3) for name, shape, dtype in (("w", (2, 3), "BF16"), ("b", (5,), "F32"))}
TABLE["count"] = ((), "F32")


def drawn(name: str, shape: tuple[int, ...]) -> np.ndarray:
    return uniform("a test", 0, name, shape, (0.5, 1.0))


def test_shards_hold_what_one_file_holds(tmp_path):
    (tmp_path / "cut").mkdir()
    write_tensors(tmp_path / "model.safetensors", TABLE, drawn)
    write_sharded(tmp_path / "cut", TABLE, 3, drawn)
    with Checkpoint(tmp_path) as whole, Checkpoint(tmp_path / "cut") as cut:
        assert whole.digest(whole.names) == cut.digest(cut.names)
        assert whole.names == TABLE.keys()
        weight = whole.tensor("layers.2.w")
    assert torch.equal(weight, torch.from_numpy(drawn("layers.2.w", (2, 3))).bfloat16())
    assert len({float(value) for value in weight.flatten()}) == 6
    assert weight.min() >= 0.5 and weight.max() < 1.5


def test_a_hollow_file_has_the_size_and_takes_no_room(tmp_path):
    table = {"large": ((1 << 28,), "F32")}
    size = write_tensors(tmp_path / "hollow.safetensors", table)
    found = (tmp_path / "hollow.safetensors").stat()
    assert found.st_size == size > 1 << 30
    assert found.st_blocks * 512 < 1 << 20 or os.name != "posix"
    with Checkpoint(tmp_path / "hollow.safetensors") as checkpoint:
        assert checkpoint.names == {"large"}


def test_a_table_is_the_same_after_it_was_made_short(tmp_path):
    named = {f"a.{i}.b.{j}.w": "4x2" for i in range(12) for j in range(3)} | {"c.1.w": "4x2", "c.2.w": "5x2", "head.0": "-", "head.2": "-"}
    rows = compacted((name, shape, "F32") for name, shape in named.items())
    assert [name for name, _, _ in rows] == ["a.{0..11}.b.{0..2}.w", "c.1.w", "c.2.w", "head.0", "head.2"]
    (tmp_path / "t").write_text("\n".join("\t".join(row) for row in rows))
    assert read_table(tmp_path / "t") == {
        name: (tuple(map(int, shape.split("x"))) if shape != "-" else (), "F32") for name, shape in named.items()
    }
