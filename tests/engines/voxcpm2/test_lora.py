"""LoRA folders: what they add to which matrices, and which of them are refused by the name of the tensor that does not fit."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import nn

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint import Checkpoint
from engines.voxcpm2.lora import adapted_checkpoint

WIDTH, KEYS, RANK = 8, 4, 3
LAYER = {"q_proj": (WIDTH, WIDTH), "k_proj": (KEYS, WIDTH), "v_proj": (KEYS, WIDTH), "o_proj": (WIDTH, WIDTH)}
PLACES = ("base_lm.layers.0.self_attn.", "residual_lm.layers.0.self_attn.", "feat_encoder.encoder.layers.0.self_attn.",
          "feat_decoder.estimator.decoder.layers.0.self_attn.")  # fmt: skip
OTHERS = {
    "base_lm.embed_tokens.weight": (5, WIDTH),
    "base_lm.norm.weight": (WIDTH,),
    "base_lm.layers.0.mlp.up_proj.weight": (12, WIDTH),
    "enc_to_lm_proj.weight": (WIDTH, WIDTH),
    "enc_to_lm_proj.bias": (WIDTH,),
}
LM = [place + name for place in PLACES[:2] for name in LAYER]
DIT = [PLACES[3] + name for name in LAYER]


@pytest.fixture
def model(tmp_path) -> Path:
    """A folder with a model.safetensors of bfloat16."""
    torch.manual_seed(1)
    shapes = {f"{place}{name}.weight": shape for place in PLACES for name, shape in LAYER.items()} | OTHERS
    (tmp_path / "model").mkdir()
    save_file({name: torch.randn(shape).bfloat16() for name, shape in shapes.items()}, tmp_path / "model/model.safetensors")
    return tmp_path / "model"


def trained(model: Path, matrices: list[str], **config: object) -> Path:
    """A LoRA for these matrices of the model, as the official training script saves it."""
    folder = model.parent / "voice"
    folder.mkdir(exist_ok=True)
    with Checkpoint(model) as stored:
        shapes = {name: tuple(stored.tensor(f"{name}.weight").shape) for name in matrices}
    halves = {f"{name}.lora_A": torch.randn(RANK, shape[1]) for name, shape in shapes.items()}
    halves |= {f"{name}.lora_B": torch.randn(shape[0], RANK) for name, shape in shapes.items()}
    save_file(halves, folder / "lora_weights.safetensors")
    said = {"enable_lm": False, "enable_dit": False, "enable_proj": False, "r": RANK, "alpha": 6, "dropout": 0.1} | config
    (folder / "lora_config.json").write_text(json.dumps({"base_model": "openbmb/VoxCPM2", "lora_config": said}))
    return folder


@pytest.mark.parametrize(
    ("config", "matrices"),
    [
        ({"enable_lm": True}, LM),
        ({"enable_dit": True, "alpha": 1.5}, DIT),
        ({"enable_lm": True, "target_modules_lm": ["up_proj", "embed_tokens", "norm"]}, ["base_lm.layers.0.mlp.up_proj"]),
        ({"enable_lm": True, "enable_dit": True, "enable_proj": True}, [*LM, *DIT, "enc_to_lm_proj"]),
    ],
)
def test_the_matrices_that_were_trained_get_their_change_and_no_others(model, config, matrices):
    lora = trained(model, matrices, **config)
    halves, scale = load_file(lora / "lora_weights.safetensors"), config.get("alpha", 6) / RANK
    with Checkpoint(model) as stored, adapted_checkpoint(model, lora) as adapted:
        assert adapted.names == stored.names
        for name in stored.names:
            weight, matrix = stored.tensor(name), name.removesuffix(".weight")
            if matrix not in matrices:
                assert torch.equal(adapted.tensor(name), weight) and adapted.dtype(name) == adapted.tensor(name).dtype == torch.bfloat16
                continue
            rows = torch.randn(2, weight.shape[1])  # as LoRALinear of voxcpm 2.0.3 adds it, beside the matrix
            beside = F.linear(F.linear(rows, halves[f"{matrix}.lora_A"]), halves[f"{matrix}.lora_B"]) * scale
            assert torch.allclose(F.linear(rows, adapted.tensor(name)), F.linear(rows, weight.float()) + beside, atol=1e-4)
            assert adapted.dtype(name) == adapted.tensor(name).dtype == torch.float32


def test_a_network_rounds_the_sum_once_also_where_it_packs_several_matrices(model):
    class Packed(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv_proj = nn.Linear(WIDTH, WIDTH + 2 * KEYS, bias=False, dtype=torch.bfloat16)

    lora = trained(model, LM, enable_lm=True)
    packs = {"qkv_proj.weight": tuple(f"{name}_proj.weight" for name in "qkv")}
    with adapted_checkpoint(model, lora) as adapted:
        packed = Packed().requires_grad_(False)
        adapted.load_into(packed, PLACES[0], packs=packs, ignore=("o_proj.weight",))
        parts = [adapted.tensor(PLACES[0] + name) for name in packs["qkv_proj.weight"]]
        assert torch.equal(packed.qkv_proj.weight, torch.cat(parts).bfloat16())
        with Checkpoint(model) as stored:
            assert adapted.digest(adapted.names) != stored.digest(stored.names)


def test_torchs_own_file_holds_the_same(model):
    lora = trained(model, LM, enable_lm=True)
    with adapted_checkpoint(model, lora) as adapted:
        expected = adapted.digest(adapted.names)
    torch.save({"state_dict": load_file(lora / "lora_weights.safetensors")}, lora / "lora_weights.ckpt")
    (lora / "lora_weights.safetensors").unlink()
    with adapted_checkpoint(model, lora) as adapted:
        assert adapted.digest(adapted.names) == expected


def halves_changed(change: Callable[[dict], object]) -> Callable[[Path], object]:
    def damage(lora: Path) -> None:
        halves = load_file(lora / "lora_weights.safetensors")
        change(halves)
        save_file(halves, lora / "lora_weights.safetensors")

    return damage


def config_changed(**values: object) -> Callable[[Path], object]:
    def damage(lora: Path) -> None:
        content = json.loads((lora / "lora_config.json").read_text())
        content["lora_config"] |= values
        (lora / "lora_config.json").write_text(json.dumps(content))

    return damage


A = f"{LM[0]}.lora_A"
FAULTS = {
    "half a pair": (halves_changed(lambda halves: halves.pop(A)), f"1 missing: {A}"),
    "a name that the model has not": (
        halves_changed(lambda halves: halves.update({"base_lm.x.lora_A": torch.zeros(1)})),
        "1 unexpected: base_lm.x",
    ),
    "another shape": (halves_changed(lambda halves: halves.update({A: torch.zeros(RANK, 7)})), rf"{A} is \(3, 7\), expected \(3, 8\)"),
    "another rank": (config_changed(r=2), rf"{A} is \(3, 8\), expected \(2, 8\)"),
    "more than the configuration says": (config_changed(target_modules_lm=["q_proj"]), "12 unexpected: .*k_proj"),
    "less than the configuration says": (config_changed(enable_dit=True), "8 missing: feat_decoder"),
    "nothing that is adapted": (config_changed(enable_lm=False), "names nothing of this model"),
    "no rank": (config_changed(r=0), "r is 0; a whole number above zero"),
    "an unknown kind": (config_changed(lora_bias="all"), 'lora_bias is "all"; nothing of the kind'),
    "no configuration": (lambda lora: (lora / "lora_config.json").unlink(), "It holds no lora_config.json"),
    "a configuration of something else": (lambda lora: (lora / "lora_config.json").write_text('{"r": 3}'), "lacks lora_config"),
    "no tensors": (lambda lora: (lora / "lora_weights.safetensors").unlink(), "neither lora_weights.safetensors nor lora_weights.ckpt"),
    "damaged tensors": (lambda lora: (lora / "lora_weights.safetensors").write_text("no"), "lora_weights.safetensors cannot be read"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_does_not_fit_is_refused_by_name(model, fault):
    damage, named = FAULTS[fault]
    lora = trained(model, LM, enable_lm=True)
    damage(lora)
    with pytest.raises(CheckpointInvalid, match=f"(?s)The LoRA in voice cannot be used.*{named}") as refused:
        adapted_checkpoint(model, lora)
    assert refused.value.hint == "Name the folder of a LoRA that was trained for VoxCPM2."


def test_a_folder_that_is_not_there_is_refused(model):
    with pytest.raises(CheckpointInvalid, match=r"The LoRA in nobody cannot be used. There is no such folder"):
        adapted_checkpoint(model, model / "nobody")


def test_the_folder_may_be_named_from_home(model, monkeypatch):
    monkeypatch.setenv("HOME", str(trained(model, LM, enable_lm=True).parent))
    assert adapted_checkpoint(model, Path("~/voice")).dtype(f"{LM[0]}.weight") == torch.float32
    with pytest.raises(CheckpointInvalid, match="There is no such folder"):
        adapted_checkpoint(model, Path("~nobody-of-that-name/voice"))
