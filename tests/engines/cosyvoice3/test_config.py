"""The configuration files: what they must say, what follows from it, that nothing in them is run, and what is refused before any weight."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.cosyvoice3.config import SIZES, TEXT_FOLDER, CosyVoice3Config, released_config
from engines.cosyvoice3.config_file import FILE, read_file
from engines.errors import CheckpointInvalid
from engines.kit.weights import config_reading
from tests.released.release import FACTS

RELEASED = FACTS / "cosyvoice3"
READ = ("sample_rate", "llm_input_size", "llm_output_size", "spk_embed_dim", "qwen_pretrain_path", "token_frame_rate", "token_mel_ratio",
        "chunk_size", "num_decoding_left_chunks", "llm", "flow", "hift", "get_tokenizer", "feat_extractor")  # fmt: skip


@pytest.fixture
def folder(tmp_path) -> Path:
    """Of the released file the sections that are read, which takes half of the time."""
    (tmp_path / TEXT_FOLDER).mkdir()
    shutil.copyfile(RELEASED / TEXT_FOLDER / "config.json", tmp_path / TEXT_FOLDER / "config.json")
    sections = re.split(r"^(?=\w)", (RELEASED / FILE).read_text(encoding="utf-8"), flags=re.MULTILINE)
    (tmp_path / FILE).write_text("".join(part for part in sections if part.partition(":")[0] in READ), encoding="utf-8")
    return tmp_path


def replaced(folder: Path, old: str, new: str) -> None:
    text = (folder / FILE).read_text(encoding="utf-8")
    assert old in text, "the released file has no such text"
    (folder / FILE).write_text(text.replace(old, new), encoding="utf-8")


def change(folder: Path, edit: Callable[[dict], object]) -> None:
    """Of CosyVoice-BlankEN/config.json."""
    file = folder / TEXT_FOLDER / "config.json"
    content = json.loads(file.read_text())
    edit(content)
    file.write_text(json.dumps(content))


def test_the_configuration_as_code_is_that_of_the_released_files():
    assert [released_config(size) for size in SIZES] == [CosyVoice3Config.read(RELEASED)]


def test_every_key_of_the_released_files_is_read_or_has_its_rule(monkeypatch):
    monkeypatch.setattr(config_reading, "_changes_computation", lambda key, value: True)
    assert CosyVoice3Config.read(RELEASED) == released_config("0.5B")


def test_references_are_what_they_refer_to(folder):
    replaced(folder, "chunk_size: 25 #", "chunk_size: 15 #")
    flow = CosyVoice3Config.read(folder).flow
    assert (flow.token_mel_ratio, flow.chunk_tokens, flow.chunk_frames) == (2, 15, 30)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!ref <b>", [1]),
        ("!ref  <c> * <c> ", 9),
        ("!ref <d>", 3),
        ("!ref <c> * <b>", "!ref <c> * <b>"),
        ("!ref <c> * <c> * <c>", "!ref <c> * <c> * <c>"),
        ("!ref <c> + 1", "!ref <c> + 1"),
        ("!ref <c>/file", "!ref <c>/file"),
        ("!ref <a>", "!ref <a>"),
        ("!ref <e>", "!ref <a>"),
        ("!ref <f>", "!ref <f>"),
        ("{in: [!ref <c>]}", {"in": [3]}),
        ("1e-06", 1e-6),
        ("'1e-06'", "1e-06"),
        ("!apply:os.system [echo]", {"!": "apply:os.system", "items": ["echo"]}),
        ("!name:print", {"!": "name:print", "items": ""}),
        ("!new:a.B {c: !new:d.E {}}", {"!": "new:a.B", "c": {"!": "new:d.E"}}),
    ],
)
def test_values_are_plain_and_what_cannot_be_resolved_stays_text(tmp_path, text, value):
    (tmp_path / FILE).write_text(f"a: {text}\nb: [1]\nc: 3\nd: !ref <c>\ne: !ref <a>\n")
    assert read_file(tmp_path).values["a"] == value


def test_references_to_lists_of_references_do_not_multiply(tmp_path):
    lines = [f"a{i}: [!ref <a{i + 1}>, !ref <a{i + 1}>]" for i in range(60)]
    (tmp_path / FILE).write_text("\n".join([*lines, "a60: 1"]))
    nested = read_file(tmp_path).values["a0"]
    for _ in range(60):
        nested = nested[1]
    assert nested == 1


@pytest.mark.parametrize("tag", ["!apply:os.mkdir [{}]", "!new:pathlib.Path.mkdir [{}]", "!!python/object/apply:os.mkdir [{}]"])
def test_nothing_in_the_file_is_run(folder, tag):
    made = folder / "made"
    replaced(folder, "chunk_size: 25 #", f"other: {tag.format(made)}\nchunk_size: 25 #")
    if "!!" in tag:
        with pytest.raises(CheckpointInvalid, match="could not determine a constructor"):
            CosyVoice3Config.read(folder)
    else:
        assert CosyVoice3Config.read(folder) == released_config("0.5B")
    assert not made.exists()


def test_what_only_training_reads_may_be_missing(folder):
    for key in ("only_mask_loss", "sigma_min", "mix_ratio", "lsm_weight", "token_path"):
        text = (folder / FILE).read_text(encoding="utf-8")
        (folder / FILE).write_text(re.sub(rf"^ +{key}:.*\n", "", text, flags=re.MULTILINE), encoding="utf-8")
    assert CosyVoice3Config.read(folder) == released_config("0.5B")


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("!new:cosyvoice.llm.llm.CosyVoice3LM", "!new:cosyvoice.llm.llm.Qwen2LM", "llm is !new:cosyvoice.llm.llm.Qwen2LM; implemented is"),
        ("!new:cosyvoice.llm.llm.CosyVoice3LM", "", "llm has no tag; implemented is !new:cosyvoice.llm.llm.CosyVoice3LM"),
        ("CausalMaskedDiffWithDiT", "CausalMaskedDiffWithXvec", "flow is .*DiffWithXvec; implemented"),
        ("CausalHiFTGenerator", "HiFTGenerator", "hift is .*HiFTGenerator; implemented"),
        ("CausalConvRNNF0Predictor", "ConvRNNF0Predictor", "f0_predictor is"),
        ("ras_sampling", "nucleus_sampling", "sampling is"),
        ("PreLookaheadLayer", "Upsample1D", "pre_lookahead_layer is"),
        ("get_tokenizer: !", "other: !", "get_tokenizer is not there"),
        ("feat_extractor: !name:matcha.utils.audio.mel_spectrogram", "feat_extractor: !name:whisper.log_mel", "feat_extractor is"),
        (
            "    hop_size: 480\n    win_size: 1920\n    fmin: 0\n    fmax: null",
            "    fmin: 0",
            "feat_extractor .* lacks hop_size, win_size, fmax",
        ),
        ("fmax: null", "fmax: 8000", "fmax is 8000; implemented is null"),
        ("center: False", "center: True", "center is true"),
        ("win_size: 1920", "win_size: 1024", "win_size is 1024"),
        ("version: cosyvoice3", "version: cosyvoice2", 'version is "cosyvoice2"'),
        ("    version: cosyvoice3\n", "", "lacks version"),
        ("solver: 'euler'", "solver: 'midpoint'", 'solver is "midpoint"; implemented is "euler"'),
        ("                t_scheduler: 'cosine'\n", "", "content .* lacks t_scheduler"),
        ("inference_cfg_rate: 0.7", "inference_cfg_rate: high", "inference_cfg_rate is"),
        ("            depth: 22", "            long_skip_connection: True\n            depth: 22", "long_skip_connection is true"),
        ("            depth: 22", "            qk_norm: rms\n            depth: 22", 'qk_norm is "rms"; nothing of the kind'),
        ("            depth: 22\n", "", "estimator .* lacks depth"),
        ("num_decoding_left_chunks: -1", "num_decoding_left_chunks: 2", "num_decoding_left_chunks is 2"),
        ("<chunk_size> * <token_mel_ratio>", "<chunk_size> + 1", r'static_chunk_size is "!ref <chunk_size> \+ 1"; a whole number'),
        ("!ref <chunk_size> * <token_mel_ratio>", "25", "static_chunk_size is 25; whole tokens"),
        (
            "        channels: 1024\n        pre_lookahead_len: 3",
            "        channels: 1024\n        pre_lookahead_len: 2",
            "pre_lookahead_len is 2",
        ),
        ("    output_size: 80", "    output_size: 100", "output_size is 100; 80 is expected"),
        ("spk_emb_dim: 80", "spk_emb_dim: 64", "spk_emb_dim is 64; 80"),
        ("            mu_dim: 80", "            mu_dim: 512", "mu_dim is 512; 80"),
        ("            dim: 1024", "            dim: 1000", "the flow is 1000 wide, in 16 groups"),
        ("dim_head: 64", "dim_head: 63", "heads are 63 wide"),
        ("    vocab_size: 6561", "    vocab_size: 4096", "6561 codes are spoken, and the flow has 4096"),
        ("llm_input_size: 896", "llm_input_size: 1024", "1024 and 896 of llm_input_size and llm_output_size, 896 in"),
        ("sample_rate: 24000", "sample_rate: 22050", "is 22050; implemented is 24000"),
        ("token_frame_rate: 25", "token_frame_rate: 50", "is 50; implemented is 25"),
        ("top_k: 25", "top_k: 0", "top_k is 0; a whole number above zero"),
        ("upsample_rates: [8, 5, 3]", "upsample_rates: [8, 5, 2]", "makes 320 samples of a frame at 24000 Hz; 480 at 24000"),
        ("upsample_kernel_sizes: [16, 11, 7]", "upsample_kernel_sizes: [16, 11]", "upsample_kernel_sizes are 2, 3 expected"),
        ("    resblock_dilation_sizes: [[1, 3, 5], [1, 3, 5], [1, 3, 5]]", "    resblock_dilation_sizes: [[1, 3, 0]]", "a list of lists"),
        ("base_channels: 512", "base_channels: 500", "500 channels cannot be halved 3 times"),
        ("num_class: 1", "num_class: 2", "num_class is 2"),
        ("        in_channels: 80\n        cond_channels", "        in_channels: 128\n        cond_channels", "in_channels is 128; 80"),
        ("n_fft: 16", "n_fft: none", "n_fft is"),
        ("n_fft: 16", "n_fft: 12", "windows of 12 samples every 4"),
        ("conv_pre_look_right: 4", "conv_pre_look_right: 3", "looks 3 frames ahead; more than its pitch's 3"),
        ("upsample_kernel_sizes: [16, 11, 7]", "upsample_kernel_sizes: [16, 0, 7]", "upsample_kernel_sizes is .*; a list of whole numbers"),
        ("token_mel_ratio: 2\n\n", "token_mel_ratio: 4\n\n", "a token has 4 frames; 2 expected"),
    ],
)
def test_what_the_networks_do_not_know_is_refused_by_name(folder, old, new, named):
    replaced(folder, old, new)
    with pytest.raises(CheckpointInvalid, match=named) as refused:
        CosyVoice3Config.read(folder)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"model_type": "qwen3"}, 'model_type is "qwen3"; implemented is "qwen2"'),
        ({"hidden_act": "gelu"}, "hidden_act is"),
        ({"use_sliding_window": True}, "use_sliding_window is true"),
        ({"rope_scaling": {"type": "yarn", "factor": 4}}, "factor is 4"),
        ({"num_key_value_heads": 3}, "14 heads over 3 key heads"),
        ({"num_attention_heads": 13}, "hidden_size is 896; a multiple of its 13 heads"),
        ({"num_attention_heads": 128, "num_key_value_heads": 2}, "heads are 7 wide"),
        ({"head_dim": 128}, "head_dim is 128; implemented is 64"),
        ({"quantization_config": {"bits": 4}}, "quantization_config is"),
        ({"vocab_size": "151936"}, "vocab_size is"),
    ],
)
def test_another_language_model_is_refused_by_name(folder, values, named):
    change(folder, lambda content: content.update(values))
    with pytest.raises(CheckpointInvalid, match=named):
        CosyVoice3Config.read(folder)


def test_heads_and_tables_that_say_the_same_otherwise_are_read(folder):
    change(folder, lambda content: content.update(head_dim=64, tie_word_embeddings=False, rope_scaling=None, layer_types=None))
    assert CosyVoice3Config.read(folder) == released_config("0.5B")


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (None, "cannot be read"),
        ("", "holds no mapping"),
        ("- a", "holds no mapping"),
        ("a: [", "cannot be read"),
        ("a: " + "[" * 600 + "]" * 600, "more than 64 parts in each other"),
        ("a: &x [1]\nb: *x", "aliases are not read"),
        ("a: 1", "llm is not there"),
        ("llm: !new:cosyvoice.llm.llm.CosyVoice3LM []", "llm .* lacks llm_input_size"),
        ("llm: null", "llm is null; an object"),
    ],
)
def test_a_file_that_is_missing_or_damaged_is_refused(folder, content, named):
    (folder / FILE).unlink() if content is None else (folder / FILE).write_text(content)
    with pytest.raises(CheckpointInvalid, match=named) as refused:
        CosyVoice3Config.read(folder)
    assert FILE in str(refused.value) and refused.value.hint


def test_a_missing_language_model_is_refused(folder):
    (folder / TEXT_FOLDER / "config.json").unlink()
    with pytest.raises(CheckpointInvalid, match=r"CosyVoice-BlankEN/config\.json"):
        CosyVoice3Config.read(folder)
