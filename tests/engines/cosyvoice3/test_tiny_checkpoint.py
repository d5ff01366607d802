"""The toy checkpoints: the official files, the same numbers everywhere, all tensors, and speech that ends when it is told to."""

import hashlib
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from engines.cosyvoice3.config import TEXT_FOLDER, CosyVoice3Config, LanguageConfig, released_config
from engines.kit.weights.torch_file import read_torch_file
from tests.engines.cosyvoice3.ending import CHAIN
from tests.engines.cosyvoice3.tensors import EMBED, HEAD, flow_tensors, hift_tensors, llm_tensors
from tests.engines.cosyvoice3.tiny_checkpoint import SHAPES, write_tiny_checkpoint
from tests.released.release import FACTS
from tests.released.tensor_table import read_table

# What the recipe writes. Where a change of it is meant, raise RECIPE, run `make golden` and put the digests here.
DIGESTS = {
    "usual": "7d488095f6b32559da2e23d19f4c9574ed5c9c36698317ec0b9df061c1b051bf",
    "sparse": "f56dc41002e265636ea602bcb5eebaa51e0cae7058d2b7d199da4b6be09bee53",
}
FILES = ("llm.pt", "flow.pt", "hift.pt")


@pytest.fixture(scope="module", params=SHAPES)
def folder(request, tmp_path_factory) -> Path:
    return write_tiny_checkpoint(tmp_path_factory.mktemp("tiny") / request.param, request.param)


@pytest.fixture(scope="module")
def tensors(folder) -> dict[str, dict[str, Tensor]]:
    return {name: read_torch_file(folder / name) for name in FILES}


def test_it_has_the_files_of_a_released_checkpoint(folder):
    text = {f"{TEXT_FOLDER}/{name}" for name in ("config.json", "vocab.json", "merges.txt", "tokenizer_config.json")}
    files = {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}
    assert files == {*FILES, "cosyvoice3.yaml", "campplus.onnx", "speech_tokenizer_v3.onnx"} | text


def test_the_rule_for_names_and_shapes_gives_the_released_tables():
    config = released_config("0.5B")
    for name, shapes in _tables(config).items():
        released = read_table(FACTS / "cosyvoice3" / name.replace(".pt", ".tensors"))
        assert shapes == {tensor: shape for tensor, (shape, _) in released.items()}, name


def test_every_tensor_of_the_tables_is_there_in_float32_and_no_scale_is_one(folder, tensors):
    for name, shapes in _tables(CosyVoice3Config.read(folder)).items():
        assert {tensor: tuple(values.shape) for tensor, values in tensors[name].items()} == shapes
        assert {values.dtype for values in tensors[name].values()} == {torch.float32}
        scales = [values for tensor, values in tensors[name].items() if tensor.endswith(("norm.weight", "alpha", "original0"))]
        assert all(values.unique().numel() >= 0.5 * values.numel() for values in scales)


def test_the_head_of_text_is_its_table_under_another_name(tensors):
    llm = tensors["llm.pt"]
    assert llm[HEAD].data_ptr() == llm[EMBED].data_ptr()


def test_the_recipe_gives_the_same_numbers_everywhere(folder, tensors):
    hasher = hashlib.sha256((folder / "cosyvoice3.yaml").read_bytes() + (folder / TEXT_FOLDER / "config.json").read_bytes())
    for name, values in sorted((name, values) for file in tensors.values() for name, values in file.items()):
        if not name.endswith("inv_freq"):  # whose powers differ from machine to machine, and which nothing reads
            hasher.update(name.encode() + values.numpy().tobytes())
    assert hasher.hexdigest() == DIGESTS[folder.name]


def test_the_shapes_cover_what_checkpoints_may_differ_in(tmp_path):
    configs = [CosyVoice3Config.read(write_tiny_checkpoint(tmp_path / shape, shape)) for shape in SHAPES]
    assert {c.language.num_attention_heads // c.language.num_key_value_heads for c in configs} == {2, 3}
    assert {c.flow.heads * c.flow.dim_head == c.flow.dim for c in configs} == {True, False}
    for different in ("chunk_tokens", "ff_mult", "guidance", "depth"):
        assert len({getattr(c.flow, different) for c in configs}) == 2, different
    assert {len(c.vocoder.resblock_kernel_sizes) for c in configs} == {3, 2}


@pytest.mark.parametrize(("shape", "codes"), [("usual", 1), ("usual", 9), ("usual", 60), ("sparse", 33)])
def test_speech_ends_after_as_many_codes_as_it_was_told(tmp_path, shape, codes):
    folder = write_tiny_checkpoint(tmp_path, shape, ends_after=codes)
    for last in (6563, 0, 6560):  # the turn to speech, and codes of a recording
        assert _spoken(folder, last, most=codes + 2) == [*range(CHAIN, CHAIN + codes), 6562]


@pytest.mark.parametrize("shape", SHAPES)
def test_speech_that_shall_not_end_hardly_can(tmp_path, shape):
    folder = write_tiny_checkpoint(tmp_path, shape)
    llm, sizes = read_torch_file(folder / "llm.pt"), CosyVoice3Config.read(folder).language
    rows = torch.randint(sizes.speech_token_size, (64,), generator=torch.Generator().manual_seed(0))
    ending = _logits(llm, sizes, llm["speech_embedding.weight"][rows]).softmax(-1)[:, sizes.speech_token_size :]
    assert ending.sum(-1).max() < 1e-9


def _tables(config: CosyVoice3Config) -> dict[str, dict[str, tuple[int, ...]]]:
    return dict(zip(FILES, (llm_tensors(config), flow_tensors(config.flow), hift_tensors(config.vocoder)), strict=True))


def _spoken(folder: Path, last: int, most: int) -> list[int]:
    """Codes behind words and a row of speech, the likeliest each time, until one ends it."""
    llm, sizes = read_torch_file(folder / "llm.pt"), CosyVoice3Config.read(folder).language
    codes = [last]
    while len(codes) <= most and codes[-1] != sizes.speech_token_size + 1:
        rows = torch.cat([llm["llm.model.model.embed_tokens.weight"][[7, 500, 9]], llm["speech_embedding.weight"][codes]])
        codes.append(int(_logits(llm, sizes, rows)[-1].argmax()))
    return codes[1:]


@torch.no_grad()
def _logits(llm: dict[str, Tensor], sizes: LanguageConfig, rows: Tensor) -> Tensor:
    """Qwen2 in a few lines, over rows (T, D)."""
    for index in range(sizes.num_hidden_layers):
        layer = {name.split(f"layers.{index}.")[1]: values for name, values in llm.items() if f"layers.{index}." in name}
        normed = _normed(rows, layer["input_layernorm.weight"], sizes)
        queries, keys, values = (
            F.linear(normed, layer[f"self_attn.{part}_proj.weight"], layer[f"self_attn.{part}_proj.bias"])
            .unflatten(-1, (-1, sizes.head_dim))
            .transpose(0, 1)
            for part in "qkv"
        )
        repeat = sizes.num_attention_heads // sizes.num_key_value_heads
        queries, keys = _rotated(queries, sizes), _rotated(keys, sizes).repeat_interleave(repeat, 0)
        seen = F.scaled_dot_product_attention(queries, keys, values.repeat_interleave(repeat, 0), is_causal=True)
        rows = rows + F.linear(seen.transpose(0, 1).flatten(1), layer["self_attn.o_proj.weight"])
        normed = _normed(rows, layer["post_attention_layernorm.weight"], sizes)
        inner = F.silu(F.linear(normed, layer["mlp.gate_proj.weight"])) * F.linear(normed, layer["mlp.up_proj.weight"])
        rows = rows + F.linear(inner, layer["mlp.down_proj.weight"])
    return F.linear(_normed(rows, llm["llm.model.model.norm.weight"], sizes), llm["llm_decoder.weight"])


def _normed(rows: Tensor, weight: Tensor, sizes: LanguageConfig) -> Tensor:
    return rows * torch.rsqrt(rows.square().mean(-1, keepdim=True) + sizes.rms_norm_eps) * weight


def _rotated(heads: Tensor, sizes: LanguageConfig) -> Tensor:
    half = sizes.head_dim // 2
    angles = torch.arange(heads.shape[1])[:, None] * sizes.rope_theta ** -(torch.arange(half) / half)
    left, right = heads.split(half, -1)
    return torch.cat([left * angles.cos() - right * angles.sin(), right * angles.cos() + left * angles.sin()], -1)
