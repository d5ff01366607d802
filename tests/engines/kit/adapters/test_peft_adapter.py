"""Adapters as peft writes them: what they make of a checkpoint's tensors, and which are refused by name."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from engines.errors import CheckpointInvalid
from engines.kit.adapters.peft_adapter import peft_checkpoint
from engines.kit.weights.checkpoint import Checkpoint

WIDTH, KEYS, RANK, HOME = 8, 4, 3, "llm."
WRAPPED = "base_model.model."
MODULES = {
    f"layers.{i}.self_attn.{name}": shape for i in range(2) for name, shape in (("q_proj", (WIDTH, WIDTH)), ("v_proj", (KEYS, WIDTH)))
}
Q, V = (f"layers.0.self_attn.{name}" for name in ("q_proj", "v_proj"))
# As peft 0.21.2 writes it, without what says nothing.
CONFIG = {
    "peft_type": "LORA", "r": RANK, "lora_alpha": 6, "lora_dropout": 0.05, "bias": "none", "fan_in_fan_out": False, "use_dora": False,
    "use_rslora": False, "init_lora_weights": True, "target_modules": ["q_proj", "v_proj"], "modules_to_save": ["head"], "rank_pattern": {},
    "alpha_pattern": {}, "megatron_core": "megatron.core", "qalora_group_size": 16, "lora_bias": False, "peft_version": "0.21.2",
}  # fmt: skip


@pytest.fixture
def model(tmp_path) -> Path:
    """A file of torch's with a language model below a name of its own, and its head."""
    torch.manual_seed(2)
    tensors = {f"{HOME}{name}.weight": torch.randn(shape).bfloat16() for name, shape in MODULES.items()}
    tensors |= {f"{HOME}{Q}.bias": torch.randn(WIDTH), f"{HOME}head.weight": torch.randn(5, WIDTH), "flow.weight": torch.randn(2, 2)}
    torch.save(tensors | {"epoch": 3}, tmp_path / "llm.pt")
    return tmp_path / "llm.pt"


def trained(model: Path, ranks: dict[str, int] | None = None, **config: object) -> Path:
    """An adapter of all modules, with the head trained as a whole."""
    folder = model.parent / "voice"
    folder.mkdir(exist_ok=True)
    tensors = {f"{WRAPPED}head.weight": torch.randn(5, WIDTH)}
    for name, (out, width) in MODULES.items():
        rank = (ranks or {}).get(name, RANK)
        tensors[f"{WRAPPED}{name}.lora_A.weight"], tensors[f"{WRAPPED}{name}.lora_B.weight"] = (
            torch.randn(rank, width),
            torch.randn(out, rank),
        )
    save_file(tensors, folder / "adapter_model.safetensors")
    (folder / "adapter_config.json").write_text(json.dumps(CONFIG | config))
    return folder


def opened(model: Path, lora: Path | str) -> Checkpoint:
    return peft_checkpoint(model, str(lora), home=HOME, model="This", notes=("epoch",))


@pytest.mark.parametrize(
    ("config", "ranks", "scales"),
    [
        ({}, {}, {Q: 2.0, V: 2.0}),
        ({"use_rslora": True}, {}, {Q: 6 / math.sqrt(RANK), V: 6 / math.sqrt(RANK)}),
        ({"alpha_pattern": {"q_proj": 3}}, {}, {Q: 1.0, V: 2.0}),
        ({"rank_pattern": {"layers.0.self_attn.v_proj": 2}}, {V: 2}, {Q: 2.0, V: 3.0}),
        ({"rank_pattern": {r"layers\.[01]\.self_attn\.v_.*": 2}}, {V: 2, V.replace("0", "1"): 2}, {Q: 2.0, V: 3.0}),
    ],
)
def test_matrices_get_their_change_and_what_was_trained_as_a_whole_is_replaced(model, config, ranks, scales):
    """Of the real library's own adapters the sums are the same bits."""
    lora = trained(model, ranks, **config)
    saved = load_file(lora / "adapter_model.safetensors")
    with opened(model, "") as plain, opened(model, lora) as adapted:
        assert adapted.names == plain.names
        for module, scale in scales.items():
            down, up = (saved[f"{WRAPPED}{module}.lora_{half}.weight"] for half in "AB")
            name = f"{HOME}{module}.weight"
            assert torch.allclose(adapted.tensor(name), plain.tensor(name).float() + scale * up @ down, atol=1e-5)
            assert adapted.dtype(name) == adapted.tensor(name).dtype == torch.float32
        assert torch.equal(adapted.tensor(f"{HOME}head.weight"), saved[f"{WRAPPED}head.weight"])
        for name in ("flow.weight", f"{HOME}{Q}.bias"):
            assert torch.equal(adapted.tensor(name), plain.tensor(name))


def test_trained_biases_are_replaced_and_torchs_own_file_holds_the_same(model):
    lora = trained(model, bias="all")
    saved = load_file(lora / "adapter_model.safetensors") | {f"{WRAPPED}{Q}.base_layer.bias": torch.ones(WIDTH)}
    (lora / "adapter_model.safetensors").unlink()
    torch.save(saved, lora / "adapter_model.bin")
    with opened(model, lora) as adapted:
        assert torch.equal(adapted.tensor(f"{HOME}{Q}.bias"), torch.ones(WIDTH))


def tensors_changed(change: Callable[[dict], object]) -> Callable[[Path], object]:
    def damage(lora: Path) -> None:
        tensors = load_file(lora / "adapter_model.safetensors")
        change(tensors)
        save_file(tensors, lora / "adapter_model.safetensors")

    return damage


def config_changed(**values: object) -> Callable[[Path], object]:
    return lambda lora: (lora / "adapter_config.json").write_text(json.dumps(CONFIG | values))


A = f"{WRAPPED}{Q}.lora_A.weight"
FAULTS = {
    "half a pair": (tensors_changed(lambda tensors: tensors.pop(A)), f"1 missing: {A}"),
    "another model's layer": (
        tensors_changed(lambda tensors: tensors.update({A.replace("0", "7"): tensors[A].clone()})),
        "1 unexpected: .*layers.7",
    ),
    "an embedding": (tensors_changed(lambda tensors: tensors.update({f"{WRAPPED}e.lora_embedding_A": torch.ones(1)})), "lora_embedding_A"),
    "another shape": (tensors_changed(lambda tensors: tensors.update({A: torch.ones(RANK, 7)})), r"is \(3, 7\), expected \(3, 8\)"),
    "not finite": (tensors_changed(lambda tensors: tensors[A].fill_(math.nan)), f"{A} holds numbers that are not finite"),
    "another rank": (config_changed(r=2), r"is \(3, 8\), expected \(2, 8\)"),
    "DoRA": (config_changed(use_dora=True), "use_dora is true; implemented is false"),
    "PiSSA": (config_changed(init_lora_weights="pissa"), 'init_lora_weights is "pissa"'),
    "another kind": (config_changed(peft_type="LOHA"), 'peft_type is "LOHA"; implemented is "LORA"'),
    "a kind to come": (config_changed(lora_gate_scale=2), "lora_gate_scale is 2; nothing of the kind"),
    "a pattern that is none": (config_changed(rank_pattern={"(": 2}), "pattern of modules"),
    "no configuration": (lambda lora: (lora / "adapter_config.json").unlink(), "It holds no adapter_config.json"),
    "no tensors": (lambda lora: (lora / "adapter_model.safetensors").unlink(), "neither adapter_model.safetensors nor"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_does_not_fit_is_refused_by_name(model, fault):
    damage, named = FAULTS[fault]
    lora = trained(model)
    damage(lora)
    with pytest.raises(CheckpointInvalid, match=f"(?s)The LoRA in voice cannot be used.*{named}") as refused:
        opened(model, lora)
    assert refused.value.hint == "Name the folder of a LoRA that was trained for This."


def test_an_adapter_of_another_model_is_refused(model):
    with pytest.raises(CheckpointInvalid, match="adapts nothing of this model"):
        peft_checkpoint(model, str(trained(model)), home="another.", model="This", notes=("epoch",))
