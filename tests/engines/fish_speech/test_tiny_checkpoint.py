"""The toy checkpoints: the official files, the same numbers everywhere, and speech that ends when it is told to."""

import hashlib

import pytest
import torch

from engines.fish_speech.input_sequence import FishInputSequence
from engines.fish_speech.networks import read_networks
from engines.kit.weights.checkpoint import Checkpoint
from tests.engines.fish_speech.random_checkpoint import main_tensors, write_language_model
from tests.engines.fish_speech.tiny_checkpoint import N_CODEBOOKS, SHAPES, tiny, write_tiny_checkpoint

# What the recipe writes of the transformers. Where a change of it is meant, raise RECIPE, run `make golden` and put the digests here.
DIGESTS = {
    "usual": "5bc2f100a9be4c1e0d9b0354588c2b2decbdec4d35d86cf581b991443cf4f466",
    "sparse": "ac76dae26404e6868214c79684b283928ec01eff26cd15ecb1553ee18872b6a4",
}


@pytest.fixture(scope="module", params=SHAPES)
def folder(request, tmp_path_factory):
    return write_tiny_checkpoint(tmp_path_factory.mktemp("tiny") / request.param, request.param)


def test_it_has_the_files_of_a_released_checkpoint_that_are_read(folder):
    shards = {f"model-0000{i}-of-00002.safetensors" for i in (1, 2)}
    assert {file.name for file in folder.iterdir()} == shards | {
        *("model.safetensors.index.json", "codec.pth", "config.json", "tokenizer.json", "LICENSE.md")
    }


def test_the_recipe_gives_the_same_numbers_everywhere(folder):
    hasher = hashlib.sha256((folder / "config.json").read_bytes())
    with Checkpoint(folder) as main:
        hasher.update(main.digest(main.names).encode())
    assert hasher.hexdigest() == DIGESTS[folder.name]


def test_every_tensor_of_the_table_is_there_and_no_norm_is_one(folder):
    with Checkpoint(folder) as main:
        shapes = main_tensors(tiny(folder.name).config)
        assert {name: main.shape(name) for name in main.names} == shapes
        for name in (name for name in shapes if name.endswith("norm.weight")):
            assert torch.unique(main.tensor(name)).numel() >= 0.4 * main.tensor(name).numel(), name


def test_the_shapes_cover_what_checkpoints_may_differ_in():
    configs = [tiny(shape).config for shape in SHAPES]
    texts, audios = ([config[key] for config in configs] for key in ("text_config", "audio_decoder_config"))
    assert [text["attention_qk_norm"] for text in texts] == [True, False] == [not audio["attention_qk_norm"] for audio in audios]
    assert {text["n_head"] // text["n_local_heads"] for text in texts} == {2, 3}
    assert {text["n_head"] * text["head_dim"] == text["dim"] for text in texts} == {True, False}
    assert {text["rope_base"] for text in texts} == {10_000, 1_000_000}


@pytest.mark.parametrize(("shape", "frames"), [("sparse", 64), ("usual", None)])
def test_speech_ends_after_as_many_frames_as_it_was_told_or_never(tmp_path, shape, frames):
    codes = codes_spoken(write_tiny_checkpoint(tmp_path, shape, ends_after=frames), most=65 if frames else 25)
    assert codes == list(range(frames)) if frames else len(codes) == 25 and len(set(codes)) > 7


def test_more_frames_than_there_are_codes_for_are_refused(tmp_path):
    with pytest.raises(ValueError, match="65 frames are asked for, and one code each for 64"):
        write_language_model(tmp_path, tiny(ends_after=65))


@torch.no_grad()
def codes_spoken(folder, most: int) -> list[int]:
    """Semantic codes until the end, drawn, behind a recording of random codes; the other codes of every frame are random too."""
    networks, draw = read_networks(folder, torch.device("cpu"), torch.float32), torch.Generator().manual_seed(0)
    slow, prompt = networks.slow, FishInputSequence(networks.slow, networks.tokenizer)
    frames = torch.randint(0, 32, (9 + most, N_CODEBOOKS), generator=draw)
    rows = torch.cat([prompt.voice(["hello there"], frames[:9]), prompt.text("Say the voice.")], dim=1)
    cache, codes = slow.decoder.new_cache(1, rows.shape[1] + most), []
    hidden_states = slow.decoder.prefill(rows, cache)
    for frame in frames[9:]:
        code = int(torch.multinomial(slow.logits(hidden_states)[0].softmax(-1), 1, generator=draw))
        if code == slow.n_semantic:
            break
        frame[0] = code
        hidden_states = slow.decoder.decode_step(slow.embed_frames(frame[None, None]), cache, rows.shape[1] + len(codes))
        codes.append(code)
    return codes
