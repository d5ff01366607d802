"""Folding of weight normalization: torch's own numbers, signed gains, both styles of names, and strictness."""

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

from engines.errors import CheckpointInvalid
from engines.kit.codec.weight_norm import FoldedCheckpoint, fold_weight_norm

LAYERS = {
    "conv": (lambda: nn.Conv1d(6, 4, 7), 0),
    "conv of one output": (lambda: nn.Conv1d(6, 1, 7), 0),
    "depthwise conv": (lambda: nn.Conv1d(6, 6, 7, groups=6), 0),
    "transposed conv": (lambda: nn.ConvTranspose1d(6, 4, 8, stride=4), 0),
    "over positions": (lambda: nn.Conv1d(6, 4, 7), 2),
    "linear": (lambda: nn.Linear(6, 4), 0),
}


def normed(kind: str) -> nn.Module:
    """A layer of torch with weight normalization, every second gain below zero."""
    made, dim = LAYERS[kind]
    torch.manual_seed(3)
    layer = weight_norm(made(), dim=dim)
    gain = layer.parametrizations.weight.original0
    signs = 1.0 - 2 * (torch.arange(gain.numel()) % 2 == 0).float()
    gain.data = (torch.rand(gain.shape) + 0.5) * signs.reshape(gain.shape)
    return layer.requires_grad_(False)


@pytest.mark.parametrize("kind", LAYERS)
def test_the_folded_weight_is_torchs_bit_for_bit(kind):
    layer = normed(kind)
    gain, direction = layer.parametrizations.weight.original0, layer.parametrizations.weight.original1
    folded = fold_weight_norm(gain, direction)
    assert torch.equal(folded, layer.weight)
    others = [dim for dim in range(direction.ndim) if dim != LAYERS[kind][1]]
    formula = gain.double() * direction.double() / direction.double().square().sum(others, keepdim=True).sqrt()
    assert torch.allclose(folded.double(), formula, rtol=1e-6, atol=0)


def test_a_negative_gain_keeps_its_sign():
    folded = fold_weight_norm(torch.tensor([[-2.0], [2.0]]), torch.tensor([[3.0, 4.0], [3.0, 4.0]]))
    assert torch.allclose(folded, torch.tensor([[-1.2, -1.6], [1.2, 1.6]]))


def test_low_precision_is_folded_in_float32():
    gain, direction = torch.randn(4, 1, 1).bfloat16(), torch.randn(4, 6, 7).bfloat16()
    assert torch.equal(fold_weight_norm(gain, direction), fold_weight_norm(gain.float(), direction.float()))


def test_shapes_that_do_not_belong_together_are_refused():
    with pytest.raises(CheckpointInvalid, match=r"gain \(3, 1, 1\) for a direction \(4, 6, 7\)"):
        fold_weight_norm(torch.ones(3, 1, 1), torch.ones(4, 6, 7))


class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.new, self.old, self.plain = nn.Conv1d(6, 4, 7), nn.ConvTranspose1d(4, 6, 4), nn.Linear(6, 2)


def saved(path, leave_out: str = ""):
    """(file, the layers whose tensors are in it)."""
    new, old, plain = normed("conv"), weight_norm(nn.ConvTranspose1d(4, 6, 4)), nn.Linear(6, 2)
    tensors = {f"new.{name}": tensor for name, tensor in new.state_dict().items()}
    old_halves = old.parametrizations.weight
    tensors |= {"old.weight_g": old_halves.original0, "old.weight_v": old_halves.original1, "old.bias": old.bias}
    tensors |= {f"plain.{name}": tensor for name, tensor in plain.state_dict().items()}
    save_file({name: tensor.detach().clone() for name, tensor in tensors.items() if name != leave_out}, path)
    return path, {"new": new, "old": old, "plain": plain}


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_both_styles_of_names_load_as_plain_weights(tmp_path, device):
    file, layers = saved(tmp_path / "model.safetensors")
    with torch.device(device):
        stack = Stack().requires_grad_(False)
    with FoldedCheckpoint(file) as checkpoint:
        assert checkpoint.names == {f"{layer}.{leaf}" for layer in layers for leaf in ("weight", "bias")}
        assert checkpoint.dtype("old.weight") == torch.float32
        checkpoint.load_into(stack)
        checkpoint.check_all_used()
    for name, layer in layers.items():
        assert torch.equal(getattr(stack, name).weight, layer.weight)
        assert torch.equal(getattr(stack, name).bias, layer.bias)


def test_a_folded_weight_that_was_read_counts_as_used(tmp_path):
    file, layers = saved(tmp_path / "model.safetensors")
    with FoldedCheckpoint(file) as checkpoint:
        for name in checkpoint.names:
            layer, leaf = name.split(".")
            assert torch.equal(checkpoint.tensor(name), getattr(layers[layer], leaf))
        checkpoint.check_all_used()


@pytest.mark.parametrize("lost", ["old.weight_v", "new.parametrizations.weight.original0"])
def test_a_half_without_the_other_is_named(tmp_path, lost):
    file, _ = saved(tmp_path / "model.safetensors", leave_out=lost)
    half = {"old.weight_v": "old.weight_g"}.get(lost, "new.parametrizations.weight.original1")
    with FoldedCheckpoint(file) as checkpoint, pytest.raises(CheckpointInvalid) as refused:
        checkpoint.load_into(Stack())
    assert f"1 missing: {half.split('.')[0]}.weight; 1 unexpected: {half}" in refused.value.fact


def test_halves_beside_a_whole_are_named(tmp_path):
    file, _ = saved(tmp_path / "model.safetensors")
    save_file(load_file(file) | {"old.weight": torch.zeros(4, 6, 4)}, file)
    with FoldedCheckpoint(file) as checkpoint, pytest.raises(CheckpointInvalid, match=r"2 unexpected: old.weight_g, old.weight_v"):
        checkpoint.load_into(Stack())


def test_a_folded_weight_of_another_shape_is_named(tmp_path):
    file, _ = saved(tmp_path / "model.safetensors")
    stack = Stack()
    stack.old = nn.ConvTranspose1d(4, 5, 4, bias=False)
    with FoldedCheckpoint(file) as checkpoint, pytest.raises(CheckpointInvalid, match=r"old.weight is \(4, 6, 4\), expected \(4, 5, 4\)"):
        checkpoint.load_into(stack, ignore=["old.bias"])
