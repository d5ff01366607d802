"""Checkpoints are read strictly: what is missing, unexpected or of another shape is named, and nothing is loaded in part."""

import json

import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint import MOST_NAMED, Checkpoint


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(3, 6, bias=False)
        self.out = nn.Linear(2, 3)
        self.register_buffer("usage", torch.zeros(4))


PACKS = {"qkv.weight": ("q.weight", "k.weight", "v.weight")}


def tensors(prefix: str = "a.") -> dict[str, torch.Tensor]:
    shapes = {"q.weight": (2, 3), "k.weight": (2, 3), "v.weight": (2, 3), "out.weight": (3, 2), "out.bias": (3,), "usage": (4,)}
    generator = torch.Generator().manual_seed(0)
    return {prefix + name: torch.randn(shape, generator=generator) for name, shape in shapes.items()}


def checkpoint(folder, content: dict[str, torch.Tensor]) -> Checkpoint:
    save_file(content, folder / "model.safetensors")
    return Checkpoint(folder)


def test_separate_tensors_fill_a_packed_one_and_buffers_too(tmp_path):
    content, module = tensors(), Attention()
    with checkpoint(tmp_path, content) as file:
        file.load_into(module, "a.", packs=PACKS)
        file.check_all_used()
    assert torch.equal(module.qkv.weight, torch.cat([content[f"a.{name}.weight"] for name in "qkv"]))
    assert torch.equal(module.out.bias, content["a.out.bias"])
    assert torch.equal(module.usage, content["a.usage"])


def test_every_fault_is_named_at_once_and_nothing_is_loaded(tmp_path):
    content, module = tensors(), Attention()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    del content["a.out.bias"], content["a.usage"]
    content |= {"a.novel": torch.zeros(1), "a.out.weight": torch.zeros(5, 5), "a.k.weight": torch.zeros(1, 3), "b.other": torch.zeros(1)}
    with checkpoint(tmp_path, content) as file, pytest.raises(CheckpointInvalid) as refused:
        file.load_into(module, "a.", packs=PACKS)
    for words in ("2 missing: a.out.bias, a.usage", "1 unexpected: a.novel", "a.out.weight is (5, 5), expected (3, 2)", "a.k.weight"):
        assert words in refused.value.fact
    assert "b.other" not in refused.value.fact
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())


def test_a_long_list_is_capped_and_counted(tmp_path):
    content = tensors() | {f"a.novel{index:03}": torch.zeros(1) for index in range(100)}
    with checkpoint(tmp_path, content) as file, pytest.raises(CheckpointInvalid) as refused:
        file.load_into(Attention(), "a.", packs=PACKS)
    assert "100 unexpected" in refused.value.fact
    assert f"and {100 - MOST_NAMED} more" in refused.value.fact


def test_unwanted_tensors_are_passed_over_by_pattern_only(tmp_path):
    content = tensors() | {"a.books.7.table": torch.zeros(1), "a.books.7.table_b": torch.zeros(1)}
    with checkpoint(tmp_path, content) as file:
        with pytest.raises(CheckpointInvalid, match=r"1 unexpected: a\.books\.7\.table_b"):
            file.load_into(Attention(), "a.", packs=PACKS, ignore=["books.*.table"])
        file.load_into(Attention(), "a.", packs=PACKS, ignore=["books.*"])
        file.check_all_used()


def test_a_tensor_that_no_module_asked_for_is_named(tmp_path):
    with checkpoint(tmp_path, tensors() | {"elsewhere.weight": torch.zeros(1)}) as file:
        file.load_into(Attention(), "a.", packs=PACKS)
        with pytest.raises(CheckpointInvalid, match=r"elsewhere\.weight"):
            file.check_all_used()


def test_names_may_differ_between_module_and_file(tmp_path):
    content = {name.replace("usage", "count"): value for name, value in tensors().items()}
    module = Attention()
    with checkpoint(tmp_path, content) as file:
        file.load_into(module, "a.", packs=PACKS, rename=lambda name: name.replace("usage", "count"))
    assert torch.equal(module.usage, content["a.count"])


def test_a_module_without_memory_gets_it_in_its_own_precision(tmp_path):
    content = {name: value.bfloat16() for name, value in tensors().items()}
    with torch.device("meta"):
        module = Attention().double()
    with checkpoint(tmp_path, content) as file:
        file.load_into(module, "a.", packs=PACKS)
    assert {value.dtype for value in module.state_dict().values()} == {torch.float64}
    assert torch.equal(module.out.weight, content["a.out.weight"].double())


def test_shards_are_one_checkpoint_with_the_same_digest(tmp_path):
    content = tensors()
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut.mkdir()
    names = sorted(content)
    shards = {"one.safetensors": names[:2], "two.safetensors": names[2:]}
    for shard, inside in shards.items():
        save_file({name: content[name] for name in inside}, cut / shard)
    weight_map = {name: shard for shard, inside in shards.items() for name in inside}
    (cut / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    with checkpoint(whole, content) as first, Checkpoint(cut) as second:
        second.load_into(Attention(), "a.", packs=PACKS)
        assert first.digest(names) == second.digest(names)
        assert first.digest(names[:3]) != first.digest(names)


@pytest.mark.parametrize("change", ["value", "name", "dtype", "shape"])
def test_the_digest_is_of_names_types_shapes_and_values(tmp_path, change):
    content, other = {"a": torch.ones(2, 3)}, {"a": torch.ones(2, 3)}
    name = "b" if change == "name" else "a"
    other = {
        name: {"value": torch.zeros(2, 3), "dtype": torch.ones(2, 3, dtype=torch.int32), "shape": torch.ones(3, 2)}.get(change, other["a"])
    }
    digests = set()
    for folder, tensor in (("x", content), ("y", other)):
        (tmp_path / folder).mkdir()
        with checkpoint(tmp_path / folder, tensor) as file:
            digests.add(file.digest(file.names))
    assert len(digests) == 2


@pytest.mark.parametrize("damage", ["empty folder", "not safetensors", "index without map", "index to elsewhere", "shard missing"])
def test_a_damaged_checkpoint_is_refused(tmp_path, damage):
    outside, tmp_path = tmp_path, tmp_path / "inside"
    tmp_path.mkdir()
    save_file({"a": torch.zeros(1)}, outside / "b.safetensors")
    index = tmp_path / "model.safetensors.index.json"
    if damage == "not safetensors":
        (tmp_path / "model.safetensors").write_bytes(b"\x80\x04\x95" + bytes(40))
    if damage.startswith("index"):
        index.write_text(json.dumps({"weight_map": {"a": "../b.safetensors"}} if "elsewhere" in damage else {}))
    if damage == "shard missing":
        index.write_text(json.dumps({"weight_map": {"a": "b.safetensors"}}))
    with pytest.raises(CheckpointInvalid):
        Checkpoint(tmp_path)


def test_loaded_tensors_outlive_the_file(tmp_path):
    content, module = tensors(), Attention()
    with checkpoint(tmp_path, content) as file:
        file.load_into(module, "a.", packs=PACKS)
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert torch.equal(module.out.weight, content["a.out.weight"])


@pytest.mark.posix_files
def test_what_needs_no_conversion_is_the_files_own_memory_and_outlives_its_deletion(tmp_path):
    content = tensors() | {"a.usage": tensors()["a.usage"].double()}
    with torch.device("meta"):
        module = Attention()
    with checkpoint(tmp_path, content) as file:
        file.load_into(module, "a.", packs=PACKS)
        mapped = {
            name: value.data_ptr() == file.tensor(f"a.{name}").data_ptr() for name, value in module.out.state_dict(prefix="out.").items()
        }
    (tmp_path / "model.safetensors").unlink()
    save_file({"a.usage": torch.ones(1000)}, tmp_path / "model.safetensors")
    assert mapped == {"out.weight": True, "out.bias": True}
    assert torch.equal(module.out.weight, content["a.out.weight"])
    assert torch.equal(module.qkv.weight, torch.cat([content[f"a.{name}.weight"] for name in "qkv"]))
    assert module.usage.dtype == torch.float32
    assert torch.equal(module.usage, content["a.usage"].float())


@pytest.mark.windows_files
def test_where_a_mapped_file_cannot_be_removed_it_can_once_nobody_has_the_network(tmp_path):
    file = tmp_path / "model.safetensors"
    with torch.device("meta"):
        module = Attention()
    with checkpoint(tmp_path, tensors()) as opened:
        opened.load_into(module, "a.", packs=PACKS)
    for refused in (file.unlink, lambda: file.write_bytes(b"")):
        with pytest.raises(OSError, match=r"denied|Invalid|used by"):
            refused()
    assert torch.equal(module.out.weight, tensors()["a.out.weight"])
    del module
    file.unlink()


@pytest.mark.parametrize("kind", [torch.int8, torch.uint8, torch.int32, torch.bool])
def test_whole_numbers_are_no_weights_and_the_tensor_is_named(tmp_path, kind):
    """As quantized copies have them: without the scale they are another network."""
    content, module = tensors(), Attention()
    content["a.k.weight"] = (content["a.k.weight"] * 40).to(kind)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    with checkpoint(tmp_path, content) as file, pytest.raises(CheckpointInvalid, match=r"a\.k\.weight is stored as torch\."):
        file.load_into(module, "a.", packs=PACKS)
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())


@pytest.mark.parametrize("kind", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_packed_floats_are_no_weights_either(tmp_path, kind):
    content = tensors()
    content["a.out.weight"] = content["a.out.weight"].to(kind)
    with checkpoint(tmp_path, content) as file, pytest.raises(CheckpointInvalid, match=r"a\.out\.weight is stored as F8_"):
        file.load_into(Attention(), "a.", packs=PACKS)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["a.v.weight", "a.usage"])
def test_weights_that_are_not_finite_are_damaged_and_named(tmp_path, number, kind, name):
    content = {name: tensor.to(kind) for name, tensor in tensors().items()}
    content[name].view(-1)[-1] = number
    with (
        checkpoint(tmp_path, content) as file,
        pytest.raises(CheckpointInvalid, match=rf"damaged: {name} holds numbers that are not finite") as refused,
    ):
        file.load_into(Attention(), "a.", packs=PACKS)
    assert refused.value.hint == "Fetch the weights again."


def test_weights_beyond_the_dtype_are_told_from_damaged_ones(tmp_path):
    content, module = tensors(), Attention().half()
    content["a.out.weight"][0, 0] = 70_000.0
    with (
        checkpoint(tmp_path, content) as file,
        pytest.raises(CheckpointInvalid, match=r"do not fit float16: a.out.weight has .* to 70000") as beyond,
    ):
        file.load_into(module, "a.", packs=PACKS)
    assert beyond.value.hint == "Set the engine's dtype to float32."
    content["a.out.weight"][0, 1] = torch.inf
    with checkpoint(tmp_path, content) as file, pytest.raises(CheckpointInvalid, match=r"damaged: a.out.weight"):
        file.load_into(module, "a.", packs=PACKS)


def test_a_matrix_of_zeros_is_what_a_download_left_out_unless_it_may_be_blank(tmp_path):
    """A file system leaves out pages: what is smaller, and every vector, may have been trained to nothing."""
    content = {"weight": torch.zeros(32, 32), "bias": torch.zeros(32)}
    with checkpoint(tmp_path, content) as file, pytest.raises(CheckpointInvalid, match="weight holds nothing but zeros") as refused:
        file.load_into(nn.Linear(32, 32))
    assert refused.value.hint == "Fetch the weights again."
    with Checkpoint(tmp_path, may_be_blank=("we*",)) as file:
        file.load_into(nn.Linear(32, 32))
    with checkpoint(tmp_path, {"weight": torch.zeros(3, 3), "bias": torch.zeros(3)}) as file:
        file.load_into(nn.Linear(3, 3))


def test_a_tensor_that_two_files_hold_is_named(tmp_path):
    for name, number in (("one", 1.0), ("two", 2.0)):
        save_file({"a": torch.full((2,), number)}, tmp_path / f"{name}.safetensors")
    weight_map = {"a": "one.safetensors", "b": "two.safetensors"}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weight_map}))
    with pytest.raises(CheckpointInvalid, match=r"two\.safetensors holds a, which another file"):
        Checkpoint(tmp_path)
