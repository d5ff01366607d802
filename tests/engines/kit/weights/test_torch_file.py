"""Files of torch.save are read as strictly as safetensors, and nothing that is in them is ever run."""

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint import Checkpoint
from engines.kit.weights.torch_file import read_torch_file


class Leaves:
    """Pickled, it is the order to make a file."""

    def __init__(self, file: Path):
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


def tensors() -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return {"weight": torch.randn((2, 3), generator=generator), "bias": torch.randn(2, generator=generator).bfloat16()}


def saved(file: Path, content: object) -> Path:
    torch.save(content, file)
    return file


def read(file: Path, **how) -> nn.Linear:
    with torch.device("meta"):
        module = nn.Linear(3, 2)
    with Checkpoint(file, **how) as checkpoint:
        checkpoint.load_into(module)
        checkpoint.check_all_used()
    return module


@pytest.mark.parametrize(
    ("content", "how"),
    [
        (tensors(), {}),
        ({"state_dict": tensors()}, {"levels": ("state_dict",)}),
        ({"epoch": 3, "model": {"generator": tensors()}}, {"levels": ("state_dict", "model", "generator")}),
        ({f"generator.{name}": value for name, value in tensors().items()}, {"strip": ("generator.",)}),
        (tensors(), {"levels": ("state_dict",), "strip": ("generator.",)}),
    ],
)
def test_tensors_are_found_at_the_levels_and_behind_the_prefixes_that_a_release_has(tmp_path, content, how):
    module = read(saved(tmp_path / "codec.pth", content), **how)
    assert torch.equal(module.weight, tensors()["weight"])
    assert torch.equal(module.bias, tensors()["bias"].float())


@pytest.mark.posix_files
def test_it_is_mapped_and_digested_as_safetensors_are(tmp_path):
    file = saved(tmp_path / "llm.pt", tensors())
    with Checkpoint(file) as checkpoint:
        assert checkpoint.names == set(tensors())
        assert checkpoint.dtype("bias") == torch.bfloat16
        digest = checkpoint.digest(checkpoint.names)
    module = read(file)
    file.unlink()
    assert torch.equal(module.weight, tensors()["weight"])
    transposed = saved(file, tensors() | {"weight": tensors()["weight"].T.contiguous().T})
    with Checkpoint(transposed) as checkpoint:
        assert checkpoint.digest(checkpoint.names) == digest
    assert read(transposed).weight.is_contiguous()


def test_what_is_missing_unexpected_or_misshapen_is_named(tmp_path):
    content = {"weight": torch.zeros(5, 5), "novel": torch.zeros(1)}
    with pytest.raises(CheckpointInvalid, match=r"1 missing: bias; 1 unexpected: novel; 1 of another shape: weight is \(5, 5\)"):
        read(saved(tmp_path / "a.bin", content))


@pytest.mark.parametrize("protocol", ["archive", "bare"])
def test_a_pickle_that_would_run_code_is_refused_and_not_run(tmp_path, protocol):
    trap, file = tmp_path / "trap", tmp_path / "weights.pt"
    content = tensors() | {"innocent": Leaves(trap)}
    torch.save(content, file) if protocol == "archive" else file.write_bytes(pickle.dumps(content))
    with pytest.raises(CheckpointInvalid) as refused:
        Checkpoint(file)
    assert not trap.exists()
    assert "weights_only" not in refused.value.fact + refused.value.hint
    assert refused.value.hint
    torch.load(saved(file, content), weights_only=False)
    assert trap.exists(), "the pickle is as bad as it should be"


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (tensors() | {"epoch": 3}, r"no tensor: epoch \(int\)"),
        ({"state_dict": tensors()}, r"no tensor: state_dict \(dict\)"),
        (torch.zeros(3), "holds a Tensor, not tensors by name"),
        (tensors() | {"generator.bias": torch.zeros(2)}, "bias twice"),
    ],
)
def test_anything_but_named_tensors_is_refused(tmp_path, content, named):
    with pytest.raises(CheckpointInvalid, match=named) as refused:
        Checkpoint(saved(tmp_path / "a.pth", content), strip=("generator.",))
    assert refused.value.hint


def test_a_file_with_a_mapping_for_each_network_is_read_by_both_names(tmp_path):
    one, two = {"module.weight": torch.ones(2)}, {"weight": torch.zeros(3), "module.bias": torch.ones(1)}
    with Checkpoint(saved(tmp_path / "a.pth", {"one": one, "two": two}), strip=("module.",), sections=True) as checkpoint:
        assert checkpoint.names == {"one.weight", "two.weight", "two.bias"} and checkpoint.shape("two.weight") == (3,)
    for content, named in (
        ({"one": one, "epoch": 3}, r"no tensor: epoch \(int\)"),
        ({"one": {"module.inner": one}}, r"no tensor: one.inner \(dict\)"),
        ({"one": one | {"weight": torch.ones(2)}}, "one.weight twice"),
    ):
        with pytest.raises(CheckpointInvalid, match=named):
            Checkpoint(saved(tmp_path / "a.pth", content), strip=("module.",), sections=True)


def test_damaged_old_and_absent_files_are_refused(tmp_path):
    (tmp_path / "damaged.pth").write_bytes(saved(tmp_path / "whole.pth", tensors()).read_bytes()[:-100])
    torch.save(tensors(), tmp_path / "old.pth", _use_new_zipfile_serialization=False)
    (tmp_path / "pointer.pth").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    for name, words in {"damaged": "damaged", "old": "since torch 1.6", "absent": "no file absent.pth", "pointer": "Git LFS"}.items():
        with pytest.raises(CheckpointInvalid, match=words):
            Checkpoint(tmp_path / f"{name}.pth")


def test_one_tensor_alone_is_read_where_that_is_what_a_file_is(tmp_path):
    assert read_torch_file(saved(tmp_path / "a.pt", torch.ones(2, 3))).shape == (2, 3)


@pytest.mark.parametrize("place", [b"numpy._core.multiarray", b"numpy.core.multiarray"])
def test_arrays_are_read_where_they_are_asked_for_by_the_name_that_either_numpy_gives_them(tmp_path, place):
    stats = {"mean": np.arange(3, dtype=np.float32), "var": np.ones(3)}
    file, renamed = saved(tmp_path / "new.pt", stats), tmp_path / "stats.pt"
    with zipfile.ZipFile(file) as archive, zipfile.ZipFile(renamed, "w") as other:
        for name in archive.namelist():
            other.writestr(name, archive.read(name).replace(b"numpy._core.multiarray", place))
    content = read_torch_file(renamed, arrays=True)
    assert isinstance(content, dict)
    assert all(np.array_equal(content[name], array) and content[name].dtype == array.dtype for name, array in stats.items())
    with pytest.raises(CheckpointInvalid, match="more than tensors"):
        read_torch_file(renamed)


def test_nothing_else_is_run_where_arrays_are_read(tmp_path):
    left = tmp_path / "left"
    for content in ({"mean": Leaves(left)}, {"mean": np.array([Leaves(left)])}, {"mean": np.random.default_rng(0)}):
        with pytest.raises(CheckpointInvalid, match="more than tensors"):
            read_torch_file(saved(tmp_path / "stats.pt", content), arrays=True)
    assert not left.exists()
    with pytest.raises(CheckpointInvalid):  # what one reading allowed is allowed to no other
        read_torch_file(saved(tmp_path / "plain.pt", {"mean": np.ones(3)}))
