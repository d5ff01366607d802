"""The makers' YAML files: what they say, what follows from it, and what is refused before any weight."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from engines.errors import CheckpointInvalid
from engines.pocket_tts.config_file import read_config
from engines.pocket_tts.options import SIZES, VARIANTS
from engines.pocket_tts.released import GATED, OPEN, released_model
from tests.engines.pocket_tts.random_checkpoint import RELEASED
from tests.engines.pocket_tts.tensors import tensors
from tests.engines.pocket_tts.tiny_checkpoint import tiny
from tests.stand_ins.random_checkpoint import write_tensors

CONFIGS = RELEASED / "config"


def changed(folder: Path, edit: Callable[[dict], object], kind: str = "lsd") -> Path:
    """The toy's file after the edit."""
    content = tiny(kind)
    edit(content)
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    return file


def at(path: str, value: object) -> Callable[[dict], object]:
    """An edit: the value at a path of keys with dots between."""

    def edit(content: dict) -> None:
        *sections, key = path.split(".")
        for section in sections:
            content = content[section]
        content[key] = value

    return edit


def test_the_table_of_released_models_says_what_the_makers_files_say():
    assert sorted(VARIANTS) == sorted(file.stem for file in CONFIGS.glob("*.yaml"))
    for variant in VARIANTS:
        model, file = released_model(variant), CONFIGS / f"{variant}.yaml"
        assert model.config == read_config(file), variant
        said, address = yaml.safe_load(file.read_text(encoding="utf-8")), "hf://{0}/{2}@{1}".format
        path = f"languages/{variant}/model.safetensors"
        assert said["weights_path"] == address(*model.weights, path)
        assert said["weights_path_without_voice_cloning"] == address(*model.open_weights, path)
        repository, revision, tokenizer = model.tokenizer
        assert said["flow_lm"]["lookup_table"]["tokenizer_path"] == address(repository, revision, tokenizer)
        assert (model.weights[0], model.open_weights[0], repository) == (GATED, OPEN, OPEN)
    assert set(SIZES.values()) <= set(VARIANTS)


def test_files_of_weights_are_as_large_as_what_is_in_them(tmp_path):
    """bfloat16, without a note in the header; of english and french_24l the sizes were seen."""
    for variant in VARIANTS:
        config = yaml.safe_load((CONFIGS / f"{variant}.yaml").read_text(encoding="utf-8"))
        table = {name: (shape, "BF16") for name, shape in tensors(config).items()}
        assert write_tensors(tmp_path / "hollow", table) == released_model(variant).n_bytes, variant
    assert (released_model("english").n_bytes, released_model("french_24l").n_bytes) == (219_029_196, 672_178_676)


def test_every_released_model_speaks_the_language_of_its_name():
    names = {"en": "english", "fr": "french", "de": "german", "it": "italian", "es": "spanish", "pt": "portuguese", "nl": "dutch"}
    assert all(variant.split("_")[0] == names[released_model(variant).language] for variant in VARIANTS)


def test_the_first_english_model_is_read_with_what_it_has_otherwise():
    config = read_config(CONFIGS / "english_2026-01.yaml")
    assert not config.flow_lm.insert_bos_before_voice
    assert (config.mimi.inner_dim, config.mimi.latent_dim) == (512, 32)
    assert config.text.pad_with_spaces_for_short_inputs


def test_what_a_file_leaves_out_has_the_makers_defaults(tmp_path):
    config = read_config(changed(tmp_path, lambda content: [content.pop(key) for key in ("default_temperature", "replace_characters")]))
    assert (config.default_temperature, config.default_eos_threshold, dict(config.text.replace_characters)) == (0.3, -4.0, {})
    backbone = config.flow_lm.transformer
    assert (backbone.head_dim, backbone.n_kv_heads, backbone.intermediate_size) == (8, 4, 128)
    assert config.mimi.decoder_seanet == config.mimi.seanet
    without_widths = read_config(changed(tmp_path, lambda content: [content["mimi"].pop(key) for key in ("inner_dim", "outer_dim")]))
    assert (without_widths.mimi.inner_dim, without_widths.mimi.outer_dim) == (16, 16)


def test_nulls_are_what_is_left_out(tmp_path):
    nulls = ("flow_lm.z_dim", "flow_lm.lookup_table.rank", "flow_lm.transformer.attn_dim", "mimi.decoder_seanet", "mimi.weights_path")
    plain = read_config(changed(tmp_path, lambda content: None))
    assert read_config(changed(tmp_path, lambda content: [at(path, None)(content) for path in nulls])) == plain


@pytest.mark.parametrize(("written", "value"), [("1e-1", 0.1), ("3.0e-1", 0.3), ("1", 1.0), ("0", 0.0)])
def test_numbers_are_numbers_however_they_are_written(tmp_path, written, value):
    file = changed(tmp_path, lambda content: content.pop("default_temperature"))
    file.write_text(file.read_text(encoding="utf-8") + f"default_temperature: {written}\n", encoding="utf-8")
    assert read_config(file).default_temperature == value


def test_rules_of_text_are_read(tmp_path):
    rules = {"remove_semicolons": True, "append_terminal_punctuation": False, "capitalize_first_letter": False}
    more = {"model_recommended_frames_after_eos": 4, "replace_characters": {"é": "e"}}
    text = read_config(changed(tmp_path, lambda content: content.update(rules | more))).text
    assert text == replace(text, **rules, **more)


FAULTS = {
    "mimi.seanet.compress": (3, "a divisor of n_filters"),
    "mimi.transformer.context": (10**8, "at most 10000 rows"),
    "flow_lm.flow.type": ("flow_matching", "implemented is lsd or pointwise or drifting"),
    "flow_lm.flow.dim": (0, "above zero"),
    "flow_lm.flow.steps": (3, "no such key"),
    "flow_lm.dtype": ("bfloat16", "float32"),
    "flow_lm.weights_path": ("hf://a/b", "null"),
    "flow_lm.transformer.num_heads": (3, "equal, even width"),
    "flow_lm.transformer.num_kv_heads": (3, "divisor"),
    "flow_lm.transformer.attn_dim": (True, "whole number"),
    "flow_lm.lookup_table.dim": (24, "width of the backbone"),
    "flow_lm.lookup_table.tokenizer": ("words", "tokenizers or json or sentencepiece"),
    "mimi.sample_rate": (16000, "24000"),
    "mimi.frame_rate": (25, "12.5"),
    "mimi.latent_dim": (8, "no such key"),
    "mimi.outer_dim": (12, "dimension, 16"),
    "mimi.seanet.pad_mode": ("reflect", "constant"),
    "mimi.seanet.n_residual_layers": (2, "1"),
    "mimi.seanet.ratios": ([8, 5, 5], "1920"),
    "mimi.transformer.d_model": (24, "24"),
    "mimi.transformer.input_dimension": (8, "d_model"),
    "mimi.transformer.output_dimensions": ([16, 16], "d_model alone"),
    "mimi.quantizer.output_dimension": (8, "outer_dim"),
    "mimi.quantizer.dimension": (None, "whole number"),
    "mimi.quantizer.bins": (2048, "no such key"),
    "default_temperature": (-0.1, "0 or more"),
    "default_eos_threshold": (float("nan"), "finite"),
    "replace_characters": ({"ab": "a"}, "single characters"),
    "remove_semicolons": ("yes", "truth value"),
    "languages": (["en"], "no such key"),
    "mimi": (None, "object"),
}


@pytest.mark.parametrize("path", FAULTS)
def test_what_is_not_implemented_or_does_not_fit_is_refused_by_name(tmp_path, path):
    value, expected = FAULTS[path]
    with pytest.raises(CheckpointInvalid, match=rf"config\.yaml.*{path.rpartition('.')[2]}.*{expected}"):
        read_config(changed(tmp_path, at(path, value)))


@pytest.mark.parametrize(
    "path", ["mimi.sample_rate", "mimi.seanet.pad_mode", "flow_lm.dtype", "flow_lm.transformer.d_model", "mimi.seanet"]
)
def test_what_is_missing_is_refused_by_name(tmp_path, path):
    *sections, key = path.split(".")

    def drop(content: dict) -> None:
        for section in sections:
            content = content[section]
        del content[key]

    with pytest.raises(CheckpointInvalid, match=r"config\.yaml.*(lacks|missing)"):
        read_config(changed(tmp_path, drop))


def test_parts_of_the_codec_that_do_not_fit_are_refused(tmp_path):
    with pytest.raises(CheckpointInvalid, match=r"transformer.*d_model is 16; that of seanet, 24"):
        read_config(changed(tmp_path, at("mimi.seanet.dimension", 24)))
    with pytest.raises(CheckpointInvalid, match=r"seanet.*ratios.*1920"):
        read_config(changed(tmp_path, at("mimi.seanet.ratios", [8, 8, 30])))
    with pytest.raises(CheckpointInvalid, match=r"decoder_seanet.*ratios.*120"):
        read_config(changed(tmp_path, at("mimi.decoder_seanet.ratios", [6, 5, 8]), "pointwise"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no mapping"),
        ("- a\n", "no mapping"),
        ("a: [", "cannot be read"),
        ("a: &x [1]\nb: *x\n", "aliases are not read"),
        ("a: !!python/name:os.system\n", "could not determine a constructor"),
        ("a: " + "[" * 400, "more than 64 parts in each other"),
        ("a: b" + " " * 1_000_000, "less than 1000000"),
    ],
)
def test_a_file_that_is_no_mapping_of_plain_values_is_refused(tmp_path, text, why):
    file = tmp_path / "config.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CheckpointInvalid, match=rf"config\.yaml of the checkpoint .*{why}"):
        read_config(file)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CheckpointInvalid, match=r"none\.yaml"):
        read_config(tmp_path / "none.yaml")
