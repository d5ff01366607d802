"""The toy checkpoints: the official files, and the same numbers everywhere."""

import hashlib
import json

import pytest
import torch

from engines.kit.weights.checkpoint import Checkpoint
from tests.engines.omnivoice.random_checkpoint import main_tensors
from tests.engines.omnivoice.text.vocabulary import control_tokens
from tests.engines.omnivoice.tiny_checkpoint import SHAPES, tiny, write_tiny_checkpoint
from tests.released.release import FACTS

# What the recipe writes of the transformer. Where a change of it is meant, raise RECIPE, run `make golden` and put the digests here.
DIGESTS = {
    "usual": "4b560188da5543904e1724a4fe27227029fd5f66f379912a0d0d63074f6b5bd5",
    "sparse": "00f57541f5bf5000488135e130818f4d55ab49f4270738d196bb8079bd3030fb",
}


@pytest.fixture(scope="module", params=SHAPES)
def folder(request, tmp_path_factory):
    return write_tiny_checkpoint(tmp_path_factory.mktemp("tiny") / request.param, request.param)


def test_it_has_the_files_of_a_released_checkpoint(folder):
    codec = {f"audio_tokenizer/{name}" for name in ("config.json", "model.safetensors", "preprocessor_config.json")}
    files = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    assert files == {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} | codec


def test_its_configuration_has_the_keys_of_the_released_one(folder):
    ours, released = (json.loads((place / "config.json").read_text()) for place in (folder, FACTS / "omnivoice"))
    assert ours.keys() == released.keys() and ours["llm_config"].keys() == released["llm_config"].keys()


def test_the_recipe_gives_the_same_numbers_everywhere(folder):
    hasher = hashlib.sha256((folder / "config.json").read_bytes())
    with Checkpoint(folder) as main:
        hasher.update(main.digest(main.names).encode())
    assert hasher.hexdigest() == DIGESTS[folder.name]


def test_every_tensor_of_the_table_is_there_and_no_norm_is_one(folder):
    with Checkpoint(folder) as main:
        shapes = {name: shape for name, (shape, _) in main_tensors(tiny(folder.name).config).items()}
        assert {name: main.shape(name) for name in main.names} == shapes
        assert main.tensor("codebook_layer_offsets").tolist() == [1025 * book for book in range(8)]
        for name in (name for name in shapes if name.endswith("norm.weight")):
            assert torch.unique(main.tensor(name)).numel() >= 0.4 * main.tensor(name).numel(), name


def test_the_shapes_cover_what_checkpoints_may_differ_in():
    llms = [tiny(shape).config["llm_config"] for shape in SHAPES]
    assert {llm["num_attention_heads"] // llm["num_key_value_heads"] for llm in llms} == {2, 3}
    assert {llm["num_attention_heads"] * llm["head_dim"] == llm["hidden_size"] for llm in llms} == {True, False}
    assert {llm["rope_parameters"]["rope_theta"] for llm in llms} == {10_000, 1_000_000}
    assert {llm["rms_norm_eps"] for llm in llms} == {1e-5, 1e-6}


def test_all_ids_have_a_row_and_so_have_codes_where_the_official_code_looks_them_up():
    for config in (tiny(shape).config for shape in SHAPES):
        assert max(control_tokens(config).values()) == config["llm_config"]["vocab_size"] - 1
        assert config["llm_config"]["vocab_size"] >= config["audio_vocab_size"]
