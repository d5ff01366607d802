"""The toy checkpoints: the official files, the same numbers everywhere, and speech that ends when it is told to."""

import hashlib
import json
from pathlib import Path

import pytest
import torch

from engines.kit.nn.transformer import Decoder
from engines.kit.weights.checkpoint import Checkpoint
from engines.kit.weights.torch_file import read_torch_file
from engines.voxtral.config import VoxtralConfig
from tests.engines.voxtral.random_checkpoint import preset_codes, write_checkpoint
from tests.engines.voxtral.tensors import ENCODER, HEAD, TABLE, main_tensors
from tests.engines.voxtral.tiny_checkpoint import PRESET_FRAMES, SHAPES, tiny, write_tiny_checkpoint
from tests.released.tensor_table import read_table

RELEASED = Path(__file__).parents[2] / "released" / "voxtral_4b_tts"
WEIGHTS = "consolidated.safetensors"
# What the recipe writes. Where a change of it is meant, raise RECIPE, run `make golden` and put the digests here.
DIGESTS = {
    "usual": "71b25316d7b5ff5a2c01c4e7ef448ade2c3eb614cc1c34cb728f1221e42587e2",
    "sparse": "71bd115ad78200e5b158413ec7160c30f64ae2adfa91006b53300546835392a6",
}


@pytest.fixture(scope="module", params=SHAPES)
def folder(request, tmp_path_factory):
    return write_tiny_checkpoint(tmp_path_factory.mktemp("tiny") / request.param, request.param)


def test_it_has_the_files_of_the_released_checkpoint(folder):
    voices = {f"voice_embedding/{name}.pt" for name in PRESET_FRAMES}
    files = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    assert files == voices | {WEIGHTS, "params.json", "tekken.json"}
    assert len(voices) == 20


def test_the_recipe_gives_the_same_numbers_everywhere(folder):
    hasher = hashlib.sha256((folder / "params.json").read_bytes())
    with Checkpoint(folder / WEIGHTS) as main:
        hasher.update(main.digest(main.names).encode())
    assert hasher.hexdigest() == DIGESTS[folder.name]


def test_every_tensor_of_the_table_is_there_and_no_norm_is_one(folder):
    with Checkpoint(folder / WEIGHTS) as main:
        shapes = main_tensors(tiny(folder.name).config)
        assert {name: main.shape(name) for name in main.names} == shapes
        assert {main.dtype(name) for name in main.names} == {torch.bfloat16}
        assert not any(name.startswith(ENCODER) or name.endswith("inv_freq") for name in main.names)
        for name in (name for name in shapes if name.endswith(("norm.weight", "_scale"))):
            assert torch.unique(main.tensor(name)).numel() >= 0.4 * main.tensor(name).numel(), name
        for name in (name for name in shapes if name.endswith("original0")):
            assert 0 < (main.tensor(name) < 0).float().mean() < 0.5, name


def test_at_its_size_the_table_is_that_of_the_release():
    params = json.loads((RELEASED / "params.json").read_text())
    released = read_table(RELEASED / "consolidated.tensors")
    assert {name: (shape, "BF16") for name, shape in main_tensors(params).items()} == released


def test_more_is_written_where_it_is_asked_for(tmp_path):
    write_tiny_checkpoint(tmp_path, encoder=True, frequencies=True, dtype="F32", presets={})
    with Checkpoint(tmp_path / WEIGHTS) as main:
        assert {main.dtype(name) for name in main.names} == {torch.float32}
        assert all(any(name.startswith(part) for name in main.names) for part in ENCODER)
        assert main.shape("acoustic_transformer.time_embedding.inv_freq") == (32,)


def test_a_built_in_voice_is_the_sum_of_its_codes_and_of_an_end(folder):
    checkpoint = tiny(folder.name)
    audio = VoxtralConfig.read(folder).audio_model
    counted = json.loads((folder / "tekken.json").read_text())["audio"]["voice_num_audio_tokens"]
    with Checkpoint(folder / WEIGHTS) as main:
        table = main.tensor(TABLE).float()
    for name, n_frames in PRESET_FRAMES.items():
        rows = read_torch_file(folder / "voice_embedding" / f"{name}.pt")
        assert (rows.shape, rows.dtype) == ((n_frames + 1, table.shape[1]), torch.bfloat16)
        assert counted[name] == len(rows)
    codes = preset_codes(checkpoint, name)
    assert ((codes >= 0) & (codes < torch.tensor(audio.codebook_sizes)[:, None])).all()
    first = torch.tensor(audio.first_rows)
    frame = [int(row + 2 + code) for row, code in zip(first, codes[:, -1], strict=True)]
    assert torch.allclose(rows[-2].float(), table[frame].sum(dim=0), atol=0.02)
    end = [1, *first[1:].tolist()]
    assert torch.allclose(rows[-1].float(), table[end].sum(dim=0), atol=0.02)


def test_the_shapes_cover_what_checkpoints_may_differ_in(tmp_path):
    usual, sparse = (VoxtralConfig.read(write_tiny_checkpoint(tmp_path / shape, shape, presets={})) for shape in SHAPES)
    assert (usual.n_heads * usual.head_dim > usual.dim) and (sparse.n_heads * sparse.head_dim == sparse.dim)
    assert (usual.n_heads // usual.n_kv_heads, sparse.n_heads // sparse.n_kv_heads) == (4, 1)
    flows = [config.audio_model.acoustic_transformer_args for config in (usual, sparse)]
    assert flows[0].n_decoding_steps != flows[1].n_decoding_steps
    assert flows[0].norm_eps != flows[1].norm_eps
    assert usual.rope_theta != sparse.rope_theta
    for name in ("norm_eps", "qk_norm_eps", "decoder_lengths", "encoder_lengths", "encoder_kernels", "n_heads"):
        assert getattr(usual.codec, name) != getattr(sparse.codec, name), name
    assert usual.codec.n_heads == usual.codec.n_kv_heads
    assert sparse.codec.n_heads == 3 * sparse.codec.n_kv_heads


@pytest.mark.parametrize(("shape", "frames"), [("sparse", 64), ("usual", 3), ("sparse", 0), ("usual", None)])
def test_speech_ends_after_as_many_frames_as_it_was_told_or_never(tmp_path, shape, frames):
    codes = codes_spoken(write_tiny_checkpoint(tmp_path, shape, ends_after=frames), most=40 if frames is None else 65)
    assert codes == list(range(frames)) if frames is not None else len(codes) == 40 and len(set(codes)) > 7


def test_more_frames_than_there_are_codes_for_are_refused(tmp_path):
    with pytest.raises(ValueError, match="65 frames are asked for, and one code each for 64"):
        write_checkpoint(tmp_path, tiny(ends_after=65))


@torch.no_grad()
def codes_spoken(folder, most: int) -> list[int]:
    """Semantic codes until the end, the likeliest, behind a built-in voice; the other codes of every frame are random."""
    config, draw = VoxtralConfig.read(folder), torch.Generator().manual_seed(0)
    with Checkpoint(folder / WEIGHTS) as main:
        decoder = Decoder(config.backbone())
        others = ("acoustic_transformer.*", "audio_tokenizer.*", "mm_audio_embeddings.*")
        main.load_into(decoder, packs=decoder.packs, ignore=others)
        words, table, head = (main.tensor(name).float() for name in ("mm_audio_embeddings.tok_embeddings.weight", TABLE, HEAD))
    head[0] = head[2 + config.audio_model.semantic_codebook_size :] = 0  # what is never said
    voice = read_torch_file(folder / "voice_embedding" / "neutral_male.pt").float()
    rows = torch.cat([words[[1, 25]], voice, words[[36, 50, 60, 70, 35, 25]]])[None]
    cache, codes, first = decoder.new_cache(1, rows.shape[1] + most), [], torch.tensor(config.audio_model.first_rows)
    hidden_states = decoder.prefill(rows, cache)
    while len(codes) < most and (code := int((hidden_states @ head.T).argmax())) != 1:
        frame = torch.cat([torch.tensor([code]), torch.randint(2, 23, (36,), generator=draw)])
        hidden_states = decoder.decode_step(table[first + frame].sum(dim=0)[None, None], cache, rows.shape[1] + len(codes))
        codes.append(code - 2)
    return codes
