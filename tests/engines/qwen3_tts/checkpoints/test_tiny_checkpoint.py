"""The toy checkpoint: the official files, the same bytes everywhere, every tensor of the layout, no number that hides a mistake."""

import hashlib
import json

import numpy as np
import pytest
from safetensors import safe_open

from tests.engines.clips.made_clip import made_clip
from tests.engines.qwen3_tts.checkpoints.random_checkpoint import RELEASED, full_size
from tests.engines.qwen3_tts.checkpoints.tensors import codec_tensors, main_tensors
from tests.engines.qwen3_tts.checkpoints.tiny_checkpoint import write_tiny_checkpoint
from tests.released.tensor_table import read_table

# What the recipe writes. When a change of the recipe is meant, raise RECIPE, run `make golden` and put the new digests here.
DIGESTS = {
    True: "4b5410698ed706967f90732d5cbf501312420ba92a2d62f1e01ec4ad7b216694",
    False: "9f5dae901597f43f95b25c27c683310acafc21830408697094064b36746d4186",
}


@pytest.fixture(scope="module", params=[True, False], ids=["projection", "no projection"])
def folder(request, tmp_path_factory):
    return write_tiny_checkpoint(tmp_path_factory.mktemp("tiny"), projection=request.param), request.param


def test_it_has_the_files_of_a_released_checkpoint(folder):
    files = {str(file.relative_to(folder[0])) for file in folder[0].rglob("*") if file.is_file()}
    codec = {f"speech_tokenizer/{name}" for name in ("config.json", "configuration.json", "preprocessor_config.json", "model.safetensors")}
    main = {"config.json", "generation_config.json", "vocab.json", "merges.txt", "tokenizer_config.json", "preprocessor_config.json"}
    assert files == codec | main | {"model.safetensors"}


def test_the_recipe_gives_the_same_bytes_everywhere(folder):
    hasher = hashlib.sha256()
    for name in ("model.safetensors", "speech_tokenizer/model.safetensors"):
        hasher.update((folder[0] / name).read_bytes())
    assert hasher.hexdigest() == DIGESTS[folder[1]]


def test_the_projection_is_there_exactly_where_the_widths_differ(folder):
    with safe_open(folder[0] / "model.safetensors", "numpy") as main:
        assert ("talker.code_predictor.small_to_mtp_projection.weight" in main.keys()) == folder[1]  # noqa: SIM118 - not a dict


def test_no_scale_is_one_and_no_codebook_is_empty(folder):
    with safe_open(folder[0] / "speech_tokenizer" / "model.safetensors", "numpy") as codec:
        for name in codec.keys():  # noqa: SIM118 - not a dict
            values = codec.get_tensor(name)
            if name.endswith("cluster_usage"):
                assert values.min() > 0.4
            if name.endswith("initialized"):
                assert values == 1
            else:
                assert len(np.unique(values)) > values.size / 2, name


def test_other_seeds_are_other_weights(folder, tmp_path):
    other = write_tiny_checkpoint(tmp_path, projection=folder[1], seed=1)
    assert (other / "model.safetensors").read_bytes() != (folder[0] / "model.safetensors").read_bytes()


def test_special_tokens_stand_where_the_config_says(folder):
    config = json.loads((folder[0] / "config.json").read_text())
    added = json.loads((folder[0] / "tokenizer_config.json").read_text())["added_tokens_decoder"]
    for key, token in {"im_start": "<|im_start|>", "im_end": "<|im_end|>", "tts_pad": "<tts_pad>", "tts_eos": "<tts_text_eod>"}.items():
        assert added[str(config[f"{key}_token_id"])]["content"] == token
    vocabulary = json.loads((folder[0] / "vocab.json").read_text())
    assert {"assistant", "Ċ"} <= set(vocabulary)
    assert sorted(vocabulary.values()) == list(range(len(vocabulary)))


@pytest.mark.parametrize(("size", "parameters"), [("0.6B", 914_643_008), ("1.7B", 1_928_677_440)])
def test_the_tables_name_what_the_released_models_have(size, parameters):
    checkpoint = full_size(size)
    assert main_tensors(checkpoint.main) == released(f"{size}/model.tensors")
    assert codec_tensors(checkpoint.codec) == released("codec/model.tensors")
    assert sum(int(np.prod(shape)) for shape in released(f"{size}/model.tensors").values()) == parameters


def released(table: str) -> dict[str, tuple[int, ...]]:
    return {name: shape for name, (shape, _) in read_table(RELEASED / table).items()}


def test_made_clips_are_the_same_everywhere():
    samples = made_clip(1.0).samples
    assert hashlib.sha256(samples).hexdigest() == "e46d4d46f12f1b9d5c4458aa6f3da379643b9cb757d7315fcc17aa79fe157816"
    assert 0.05 < np.sqrt(np.mean(samples**2)) < 0.5
    assert np.abs(samples).max() < 1
