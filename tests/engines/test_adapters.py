"""A LoRA as peft writes it speaks through the engines that take one, and prompts stay what they are."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from engines.catalog import open_engine
from engines.clips.clip import Transcript
from engines.contract.contract import Engine
from engines.contract.options import resolve_options
from engines.errors import CheckpointInvalid
from tests.engines.clips.made_clip import made_clip
from tests.engines.damages.layouts import LAYOUTS
from tests.engines.damages.tensor_files import read_tensors

# engine -> (its file, what the adapted network's names begin with there, a module, what it is asked to speak with)
ADAPTED = {
    "omnivoice": ("model.safetensors", "", "llm.layers.0.self_attn.q_proj", {"num_step": 4, "duration": 0.5}),
    "cosyvoice3": ("llm.pt", "llm.model.", "model.layers.0.self_attn.q_proj", {"max_new_tokens": 12}),
}


def heard(engine: Engine) -> tuple[np.ndarray, str]:
    """A speech, and the fingerprint of what learned its voice."""
    prompt = engine.extract(made_clip(1.1), Transcript("and then the", "en"))
    given = {name: value for name, value in ADAPTED[engine.info.id][3].items() if name in {option.name for option in engine.info.options}}
    samples = np.concatenate(list(engine.stream("And then.", prompt, resolve_options(engine.info.options, given))))
    return samples, prompt.weights_fingerprint


@pytest.mark.parametrize("engine_id", ADAPTED)
def test_an_adapter_changes_speech_and_no_prompt_and_another_models_is_refused(tmp_path, engine_id):
    file, home, module, _ = ADAPTED[engine_id]
    folder, lora = tmp_path / "model", tmp_path / "voice"
    folder.mkdir()
    lora.mkdir()
    LAYOUTS[engine_id].write(folder)
    out, width = read_tensors(folder / file)[f"{home}{module}.weight"].shape

    def spoken(up: torch.Tensor) -> tuple[np.ndarray, str]:
        name = f"base_model.model.{module}.lora_"
        save_file({f"{name}A.weight": torch.ones(2, width), f"{name}B.weight": up}, lora / "adapter_model.safetensors")
        (lora / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 2, "lora_alpha": 2}))
        engine = open_engine(engine_id, checkpoint=str(folder), device="cpu", options={"lora": str(lora)})
        said = heard(engine)
        engine.close()
        return said

    torch.manual_seed(0)
    (untrained, before), (trained, after) = spoken(torch.zeros(out, 2)), spoken(torch.randn(out, 2))
    assert before == after and not np.array_equal(untrained, trained)
    with pytest.raises(CheckpointInvalid, match="The LoRA in voice cannot be used"):
        spoken(torch.ones(out + 1, 2))
    plain = open_engine(engine_id, checkpoint=str(folder), device="cpu")
    assert np.array_equal(heard(plain)[0], untrained)
    plain.close()
