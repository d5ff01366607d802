"""OmniVoice's codec: windows with their context sound as the whole does, pieces give its codes, and each part is its formula."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint import Checkpoint, without_memory
from engines.omnivoice.codec import acoustic_encoder, codec_decoder, semantic_encoder
from engines.omnivoice.codec.codec_config import RELEASED_CODEC
from engines.omnivoice.codec.codec_decoder import OmniVoiceCodecDecoder
from engines.omnivoice.codec.codec_encoder import OmniVoiceCodecEncoder
from tests.engines.omnivoice.codec.opened_codec import opened_codec
from tests.engines.omnivoice.codec.random_codec import FOLDER, codec_config, codec_tensors, write_codec
from tests.stand_ins.random_checkpoint import write_tensors

FRAME, N_BOOKS, RATE = 960, 8, 24_000
HUBERT = "semantic_model."


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("codec")
    write_codec(folder)
    return folder


@pytest.fixture(scope="module")
def stored(folder) -> dict[str, Tensor]:
    """Tensors of the file, in float64."""
    with Checkpoint(folder / FOLDER) as file:
        return {name: file.tensor(name).double() for name in file.names}


@pytest.fixture(scope="module")
def exact(folder):
    """Both halves in float64, where sums come out the same in any order."""
    return opened_codec(folder, OmniVoiceCodecEncoder, OmniVoiceCodecDecoder, dtype=torch.float64)


@pytest.fixture(scope="module")
def usual(folder):
    return opened_codec(folder, OmniVoiceCodecEncoder, OmniVoiceCodecDecoder)


def codes(n_frames: int, batch: int = 1, seed: int = 0) -> Tensor:
    return torch.randint(1024, (batch, N_BOOKS, n_frames), generator=torch.Generator().manual_seed(seed))


def recorded(n_frames: int, seed: int = 0) -> Tensor:
    """A tone that glides, in noise; (1, T) float64."""
    time = torch.arange(n_frames * FRAME, dtype=torch.float64) / RATE
    noise = torch.randn(len(time), generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return (0.2 * (900 * time * (1 + time)).sin() * (1 + (17 * time).sin()) + 0.02 * noise)[None]


@pytest.mark.parametrize("size", [1, 5])
def test_a_window_with_its_context_has_the_samples_of_the_whole(exact, size):
    _, decoder = exact
    n_frames, reach = 40, decoder.context_frames
    frames = codes(n_frames)
    whole = decoder.decode(frames)
    assert whole.shape == (1, n_frames * FRAME)
    for begin in range(0, n_frames, 3 * size):
        first, last = max(0, begin - reach), begin + size + reach
        window = decoder.decode(frames[:, :, first:last])[:, (begin - first) * FRAME :][:, : size * FRAME]
        assert (window - whole[:, begin * FRAME :][:, : size * FRAME]).abs().max() < 1e-13, begin


def test_a_frame_is_heard_as_far_as_the_context_and_no_farther(exact):
    """Else a smaller context would do."""
    _, decoder = exact
    frames, other = codes(31), codes(31)
    other[:, :, 15] = (other[:, :, 15] + 500) % 1024
    changed = (decoder.decode(frames) != decoder.decode(other))[0].unflatten(0, (31, FRAME)).any(1).nonzero()[:, 0]
    reach = decoder.context_frames
    assert 15 - reach <= changed.min() <= 15 - reach + 2
    assert 15 + reach - 2 <= changed.max() <= 15 + reach


def test_a_long_text_is_decoded_in_pieces_and_sounds_the_same(usual, monkeypatch):
    _, decoder = usual
    whole = decoder.decode(codes(20, batch=2))
    assert whole.dtype == torch.float32
    assert 0.05 < whole.std() < whole.abs().max() < 1
    for at_once in (1, 7):
        monkeypatch.setattr(codec_decoder, "FRAMES_AT_ONCE", at_once)
        assert (decoder.decode(codes(20, batch=2)) - whole).abs().max() < 1e-5
    assert (decoder.decode(codes(20, batch=2)[1:]) - whole[1:]).abs().max() < 1e-5


def test_every_book_counts(exact):
    _, decoder = exact
    heard = decoder.decode(codes(2))
    for book in range(N_BOOKS):
        other = codes(2)
        other[:, book] = (other[:, book] + 1) % 1024
        assert (decoder.decode(other) - heard).abs().max() > 1e-3, book


def test_a_recording_has_the_same_codes_in_pieces_of_any_size(exact, monkeypatch):
    encoder, _ = exact
    expected = encoder.encode(recorded(30))
    assert expected.shape == (1, N_BOOKS, 30)
    assert (expected.dtype, expected.is_contiguous()) == (torch.int64, True)
    assert all(len(book.unique()) > 5 for book in expected[0])
    for n_samples, n_rows in ((3000, 500), (FRAME, 77)):
        monkeypatch.setattr(acoustic_encoder, "SAMPLES_AT_ONCE", n_samples)
        monkeypatch.setattr(semantic_encoder, "ROWS_AT_ONCE", n_rows)
        assert torch.equal(encoder.encode(recorded(30)), expected)


def test_codes_of_float32_are_those_of_float64_but_for_near_ties(usual, exact):
    samples = recorded(50)
    assert (usual[0].encode(samples.float()) != exact[0].encode(samples)).float().mean() < 0.01


@pytest.mark.parametrize("n_frames", [1, 2, 3, 77])
def test_both_encoders_make_as_many_frames_of_any_length(usual, n_frames):
    assert usual[0].encode(recorded(n_frames).float()).shape == (1, N_BOOKS, n_frames)


@pytest.mark.parametrize("shape", [(1, 0), (1, FRAME - 1), (2, FRAME)])
def test_samples_that_are_no_whole_frames_of_one_recording_are_refused(usual, shape):
    with pytest.raises(ValueError, match="a multiple of 960, a frame"):
        usual[0].encode(torch.zeros(shape))


def test_silence_is_encoded_too(usual):
    assert usual[0].encode(torch.zeros(1, 3 * FRAME)).shape == (1, N_BOOKS, 3)


def test_features_are_convolutions_of_which_the_first_is_normed_over_all_of_the_sound(exact, stored):
    """Plain, layer by layer; the offset of the sound must not matter."""
    sound = recorded(6)[:, : 5 * FRAME] + 0.3
    rows, at = sound[:, None], f"{HUBERT}feature_extractor.conv_layers"
    for index, stride in enumerate(codec_config()["semantic_model_config"]["conv_stride"]):
        rows = F.conv1d(rows, stored[f"{at}.{index}.conv.weight"], stride=stride)
        if index == 0:
            norm = (stored[f"{at}.0.layer_norm.{leaf}"] for leaf in ("weight", "bias"))
            rows = F.group_norm(rows, rows.shape[1], *norm)
        rows = F.gelu(rows)
    assert (exact[0].semantic_model.feature_extractor(sound) - rows.mT).abs().max() < 1e-10


def test_what_is_said_is_the_mean_of_all_states_of_every_second_row(exact, stored):
    """The transformer from its definition: what a row sees of all others, and a norm behind every sum."""
    samples, hubert, sizes = recorded(4), exact[0].semantic_model, codec_config()["semantic_model_config"]

    def affine(rows: Tensor, at: str) -> Tensor:
        return F.linear(rows, stored[f"{HUBERT}{at}.weight"], stored[f"{HUBERT}{at}.bias"])

    def normed(rows: Tensor, at: str) -> Tensor:
        weight, bias = stored[f"{HUBERT}{at}.weight"], stored[f"{HUBERT}{at}.bias"]
        return F.layer_norm(rows, weight.shape, weight, bias, sizes["layer_norm_eps"])

    heard = []
    hook = hubert.feature_extractor.register_forward_hook(lambda _, given, out: heard.append((given[0], out)))
    out = hubert(samples)
    hook.remove()
    (sound, features), position = heard[0], f"{HUBERT}encoder.pos_conv_embed.conv"
    assert sound.shape == (1, samples.shape[1] * 2 // 3 + 320) and not sound[:, [*range(160), *range(-160, 0)]].any()
    rows = affine(normed(features, "feature_projection.layer_norm"), "feature_projection.projection")
    gain, direction = (stored[f"{position}.parametrizations.weight.original{half}"] for half in (0, 1))
    weight, kernel = gain * direction / direction.norm(dim=(0, 1), keepdim=True), sizes["num_conv_pos_embeddings"]
    where = F.conv1d(rows.mT, weight, stored[f"{position}.bias"], padding=kernel // 2, groups=sizes["num_conv_pos_embedding_groups"])
    states = [normed(rows + F.gelu(where[..., :-1]).mT, "encoder.layer_norm")]
    for index in range(sizes["num_hidden_layers"]):
        at, rows = f"encoder.layers.{index}", states[-1]
        parts = [affine(rows, f"{at}.attention.{name}_proj")[0].chunk(sizes["num_attention_heads"], dim=1) for name in "qkv"]
        seen = [(q @ k.T / math.sqrt(q.shape[1])).softmax(-1) @ v for q, k, v in zip(*parts, strict=True)]
        rows = normed(rows + affine(torch.cat(seen, dim=1)[None], f"{at}.attention.out_proj"), f"{at}.layer_norm")
        inner = F.gelu(affine(rows, f"{at}.feed_forward.intermediate_dense"))
        states.append(normed(rows + affine(inner, f"{at}.feed_forward.output_dense"), f"{at}.final_layer_norm"))
    assert (out - torch.stack(states).mean(0)[:, ::2]).abs().max() < 1e-6  # weight norms are folded in float32


def test_nothing_depends_on_what_a_tensor_holds():
    """On "meta" no value is there to be asked for: on a GPU nothing waits for one."""
    samples = torch.zeros(1, 4 * FRAME, device="meta")
    for kind, given, shape in ((OmniVoiceCodecEncoder, samples, (1, 8, 4)), (OmniVoiceCodecDecoder, codes(4, batch=2), (2, 4 * FRAME))):
        network = without_memory(lambda kind=kind: kind(RELEASED_CODEC))
        network.prepare_weights()
        with torch.no_grad():
            assert (network.encode if kind is OmniVoiceCodecEncoder else network.decode)(given.to("meta")).shape == shape


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("acoustic_decoder.block.4.res_unit3.conv2.bias", "1 missing: acoustic_decoder.block.4.res_unit3.conv2.bias"),
        ("semantic_model.encoder.pos_conv_embed.conv.parametrizations.weight.original0", "missing: .*pos_conv_embed.conv.weight"),
        ("quantizer.quantizers.8.project_in.bias", "1 unexpected: quantizer.quantizers.8.project_in.bias"),
        ("semantic_model.masked_spec_embed", None),
    ],
)
def test_what_is_missing_or_left_over_is_named_and_what_only_training_needs_may_be_there(tmp_path, fault, said):
    write_codec(tmp_path)
    table = {name: (shape, "F32") for name, shape in codec_tensors(codec_config()).items()}
    if table.pop(fault, None) is None:
        table[fault] = ((32,), "F32")
    write_tensors(tmp_path / FOLDER / "model.safetensors", table, lambda name, shape: np.ones(shape, np.float32))
    if said is None:
        assert opened_codec(tmp_path, OmniVoiceCodecEncoder, OmniVoiceCodecDecoder)
        return
    with pytest.raises(CheckpointInvalid, match=said):
        opened_codec(tmp_path, OmniVoiceCodecDecoder, OmniVoiceCodecEncoder)
